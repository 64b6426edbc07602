"""The producer stores new jobs.

Owns: making their bytes, the size limit, bounded calls, and saying honestly when it is not known whether a
job was stored. Refuses: to try again by itself without a dedup key; a second enqueue is a second job.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dashboard.queue.connections import Connections
from dashboard.queue.dedup import DedupKey, Stored
from dashboard.queue.errors import AlreadyDelayed, JobTooLarge, OutcomeUnknown, ServerAway, was_never_sent
from dashboard.queue.job import JOB_BYTES_MAX, encode, new_id
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.policy import Policy
from dashboard.queue.registry import Registration
from dashboard.queue.scripts import Scripts

DEDUP_SECONDS = 3600.0
"""How long a dedup key is remembered unless told otherwise: longer than any retry of a request."""
CALL_JOBS = 100
CALL_BYTES = 1_048_576
"""About what one script call moves: more would keep the server from others for too long."""


class Producer:
    """Enqueues jobs of one queue. Threads may share it.

    Every method raises JobTooLarge before anything is stored, TypeError or ValueError for a payload that is
    no JSON, ServerAway when nothing was sent, OutcomeUnknown when a job was sent and the reply never came,
    WrongKeyType, and ServerRefused.
    """

    def __init__(
        self,
        connections: Connections,
        queue: bytes | str,
        *,
        defaults: Policy | None = None,
        max_job_bytes: int = JOB_BYTES_MAX,
    ) -> None:
        self.queue = QueueKeys(queue)
        self.defaults = defaults or Policy()
        self._connections, self._max_job_bytes = connections.of(self.queue), max_job_bytes
        self._registration = Registration(self.queue)

    def enqueue(
        self,
        payload: object,
        *,
        id: object = None,
        name: str | None = None,
        dedup: bytes | str | None = None,
        dedup_seconds: float = DEDUP_SECONDS,
    ) -> object:
        """Store one job at the end of the queue and return its id: a fresh one unless given.

        With a `dedup` key only the first enqueue within `dedup_seconds` stores a job, and every one of them
        returns its id; see `enqueue_once`.
        """
        job_id = new_id() if id is None else id
        if dedup is not None:
            return self._store_once(payload, job_id, name, None, DedupKey.checked(dedup, dedup_seconds)).id
        self._store([self._encoded(job_id, payload, name)])
        return job_id

    def enqueue_once(
        self,
        payload: object,
        dedup: bytes | str,
        *,
        seconds: float = DEDUP_SECONDS,
        delay_seconds: float | None = None,
        id: object = None,
        name: str | None = None,
    ) -> Stored:
        """Store one job unless one was stored under `dedup` in the last `seconds`; say which is there.

        A call whose reply is lost is repeated for up to 15 s, or half of `seconds`, and the job is stored
        once. The time (1 s to 366 days) counts from the first enqueue by the server's clock, whatever becomes
        of the job meanwhile. Redis may forget the key early when it evicts keys or fails over.
        """
        job_id = new_id() if id is None else id
        key = DedupKey.checked(dedup, seconds)
        due = None if delay_seconds is None else _from_now(delay_seconds)
        return self._store_once(payload, job_id, name, due, key)

    def enqueue_many(self, payloads: Iterable[object], *, name: str | None = None) -> list[str]:
        """Store jobs, the first to run first, in calls of at most 100 jobs or 1 MB; return their ids.

        All sizes are checked before the first call. When a call fails, the jobs of the calls before it are
        stored, and the error says how many. There is no dedup key for many: enqueue such jobs one by one.
        """
        ids, raws = [], []
        for payload in payloads:
            ids.append(new_id())
            raws.append(self._encoded(ids[-1], payload, name))
        self._store(raws)
        return ids

    def enqueue_in(
        self,
        payload: object,
        seconds: float,
        *,
        id: object = None,
        name: str | None = None,
        dedup: bytes | str | None = None,
        dedup_seconds: float = DEDUP_SECONDS,
    ) -> object:
        """Store one job that becomes due in `seconds` by the server's clock; return its id.

        `dedup` as for `enqueue`.
        """
        return self._delay(payload, _from_now(seconds), id, name, dedup, dedup_seconds)

    def enqueue_at(
        self,
        payload: object,
        at: float,
        *,
        id: object = None,
        name: str | None = None,
        dedup: bytes | str | None = None,
        dedup_seconds: float = DEDUP_SECONDS,
    ) -> object:
        """Store one job that becomes due at `at` in unix seconds; return its id. `dedup` as for `enqueue`.

        Raises AlreadyDelayed when exactly these bytes are delayed already; their first due time stays.
        """
        return self._delay(payload, float(at), id, name, dedup, dedup_seconds)

    def _delay(
        self,
        payload: object,
        due: float | str,
        given_id: object,
        name: str | None,
        dedup: bytes | str | None,
        dedup_seconds: float,
    ) -> object:
        job_id = new_id() if given_id is None else given_id
        if dedup is not None:
            return self._store_once(payload, job_id, name, due, DedupKey.checked(dedup, dedup_seconds)).id
        raw = self._encoded(job_id, payload, name)
        client = self._connections.command()
        try:
            answer = Scripts(client).enqueue_at(self.queue, [(raw, due)])
        except ServerAway as error:
            raise self._unknown(error, 0, 1) from error
        self._registration.renew(self._connections.of_registry().command())
        if answer.conflicts:
            raise AlreadyDelayed(
                f"Job {job_id!r} of queue {self._name} is delayed already; its due time was not changed."
            )
        return job_id

    def _store_once(
        self, payload: object, job_id: object, name: str | None, due: float | str | None, key: DedupKey
    ) -> Stored:
        raw = self._encoded(job_id, payload, name)
        client = self._connections.command()
        try:
            stored = key.store(Scripts(client), self.queue, raw, job_id, due)
        except ServerAway as error:
            raise self._unknown(error, 0, 1) from error
        self._registration.renew(self._connections.of_registry().command())
        return stored

    def _encoded(self, job_id: object, payload: object, name: str | None) -> bytes:
        raw = encode(job_id, payload, name=name)
        if len(raw) > self._max_job_bytes:
            raise JobTooLarge(
                f"A job for queue {self._name} has {len(raw):,} bytes; the limit is {self._max_job_bytes:,}. "
                f"Nothing was enqueued. Store the payload elsewhere and enqueue a reference."
            )
        return raw

    def _store(self, raws: list[bytes]) -> None:
        client, stored = self._connections.command(), 0
        scripts = Scripts(client)
        for call in _calls(raws):
            try:
                scripts.enqueue(self.queue, call)
            except ServerAway as error:
                raise self._unknown(error, stored, len(call)) from error
            stored += len(call)
        self._registration.renew(self._connections.of_registry().command())

    def _unknown(self, error: ServerAway, stored: int, sent: int) -> ServerAway | OutcomeUnknown:
        """Return the error to raise: what was never sent was surely not stored."""
        before = f" {stored} before were." if stored else ""
        if was_never_sent(error):
            return ServerAway(f"{error} Nothing was enqueued to {self._name}.{before}")
        return OutcomeUnknown(
            f"{error} It is not known whether {sent} job(s) were enqueued to {self._name}.{before}"
        )

    @property
    def _name(self) -> str:
        return readable(self.queue.queue)


def _from_now(seconds: float) -> str:
    return f"+{max(0.0, seconds):.3f}"


def _calls(raws: Sequence[bytes]) -> Iterator[list[bytes]]:
    call: list[bytes] = []
    size = 0
    for raw in raws:
        if call and (len(call) == CALL_JOBS or size + len(raw) > CALL_BYTES):
            yield call
            call, size = [], 0
        call.append(raw)
        size += len(raw)
    if call:
        yield call
