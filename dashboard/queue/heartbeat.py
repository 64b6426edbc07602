"""Beats for one worker: what is written, and the thread that beats where no supervisor does.

Owns: the instance and busy records, and when to stay silent on purpose. Refuses: to share a connection with
claims, and to beat for a loop that is wedged.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from dashboard import __version__
from dashboard.queue import backoff
from dashboard.queue.answers import Beat
from dashboard.queue.connections import Connections
from dashboard.queue.errors import QueueError
from dashboard.queue.fence import FENCE_SHARE
from dashboard.queue.keys import QueueKeys, readable
from dashboard.queue.policy import Policy
from dashboard.queue.scripts import Scripts
from dashboard.queue.slot import Slot

log = logging.getLogger(__name__)


@dataclass
class Heartbeat:
    """The beats of one instance of one worker. `process` is "supervised" or "embedded"."""

    queue: QueueKeys
    worker: bytes
    slot: Slot
    process: str
    pid: int = field(default_factory=os.getpid)
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    started_at: float = 0.0
    _told_at: float = -1.0

    def beat(self, scripts: Scripts) -> Beat:
        """Beat once and note it in the slot. Raises QueueError; nothing is noted then."""
        sent_at = time.monotonic()
        beat = scripts.beat(
            self.queue, self.worker, token=self.token, record=self._instance(), busy=self._busy()
        )
        if not self.started_at:
            self.started_at = beat.now
        self.slot.write_beat(sent_at, beat.now, beat.held_count)
        return beat

    def tell_risk(self, policy: Policy) -> None:
        """Say once, while no beat succeeds and a job runs, that others may soon take the job away."""
        slot, now = self.slot, time.monotonic()
        fence_seconds = FENCE_SHARE * policy.stale_after_seconds
        if self._told_at == slot.beat_at or not slot.busy_since or now - slot.beat_at < fence_seconds:
            return
        self._told_at = slot.beat_at
        log.warning(
            "the running job of worker %s of queue %s is at risk: no beat for %.1f s, and after %g s it may "
            "be given to another worker; it goes on",
            readable(self.worker), readable(self.queue.queue), now - slot.beat_at, policy.stale_after_seconds,
        )  # fmt: skip

    def _instance(self) -> bytes:
        return msgspec.json.encode(
            {
                "token": self.token,
                "host": socket.gethostname(),
                "pid": self.pid,
                "started_at": self.started_at,
                "version": __version__,
                "process": self.process,
                "client_id": self.slot.client_id,
            }
        )

    def _busy(self) -> bytes:
        since = self.slot.busy_since
        busy: dict[str, object] = {
            "since": round(self.slot.server_time(since), 3) if since else None,
            "jobs": self.slot.hand_count,
        }
        if self.slot.is_quiet:
            busy["quiet"] = True
        return msgspec.json.encode(busy)


def heartbeats(queues: Sequence[QueueKeys], worker: bytes, process: str) -> list[Heartbeat]:
    """Return the beats of one worker in each of its queues: one name, one token, slots of one page."""
    token = secrets.token_hex(16)
    return [
        Heartbeat(queue, worker, slot, process, token=token)
        for queue, slot in zip(queues, Slot.row(len(queues)), strict=True)
    ]


class BeatThread:
    """Beats from a thread of the worker's own process, with a connection of its own.

    A job that holds the interpreter's lock holds up these beats too; a supervisor's are free of that.
    """

    def __init__(self, heartbeat: Heartbeat, connections: Connections, defaults: Policy) -> None:
        self._heartbeat, self._connections, self._defaults = heartbeat, connections, defaults
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchkeeper-beat", daemon=True)

    def start(self) -> None:
        """Begin to beat. A daemon thread: it never keeps a process alive."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no more; returns when a beat that was under way is over."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        scripts, policy, tries = Scripts(self._connections.beat()), self._defaults, 0
        while not self._stop.is_set():
            pause = policy.beat_pause_seconds
            try:
                policy = Policy.read(self._connections.beat(), self._heartbeat.queue, self._defaults)
                pause = policy.beat_pause_seconds
                if not self._heartbeat.slot.is_wedged(time.monotonic(), policy.stale_after_seconds):
                    self._heartbeat.beat(scripts)
                tries = 0
            except QueueError as error:
                tries += 1
                pause = backoff.pause_seconds(tries)
                log.warning("no beat for worker %s: %s", readable(self._heartbeat.worker), error)
                self._heartbeat.tell_risk(policy)
            self._stop.wait(pause)
