"""The demo's programs as a crew: who there is, who replaces the dead, whom a visitor may signal.

Owns: starting, watching, restarting and ending the components. Refuses: to signal a process outside the
sessions of its components, whatever Redis says about process ids.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable
from typing import Final

import redis

from dashboard.demo.components import Component, DemoEnded, Guard, send
from dashboard.demo.control import Listed
from dashboard.demo.guard import is_frozen, session_of
from dashboard.queue.keys import INSTANCE, QueueKeys

LEAVE_SECONDS: Final = 3.0
"""How long the components get to leave by themselves when the demo ends."""


class Crew:
    """All components of one demo. `renewed` makes the successor of a worker that died."""

    def __init__(self, guard: Guard, client: redis.Redis, renewed: Callable[[Component], Component]) -> None:
        self._guard, self._client, self._renewed = guard, client, renewed
        self._components: list[Component] = []
        self._lock = threading.Lock()

    def hire(self, component: Component) -> None:
        """Take a component on, starting it unless it runs already."""
        if component.process is None:
            component.start(self._guard)
        with self._lock:
            self._components.append(component)

    def look_after(self) -> None:
        """Restart what died, after its pause; raises DemoEnded when something cannot be brought back."""
        self._guard.check()
        for place, component in enumerate(self._components):
            if not component.has_ended():
                continue
            if component.vital:
                raise DemoEnded(
                    f"The demo ends: {component.title} ended. Its last words: {component.last_words()}"
                )
            if component.died_at is None:
                component.bury(self._guard)
            elif time.monotonic() - component.died_at >= component.pause_seconds:
                component = self._successor(component)
                component.start(self._guard)
                with self._lock:
                    self._components[place] = component

    def _successor(self, dead: Component) -> Component:
        """Return what to start in place of a dead component: workers get a new name, others start again.

        Visitors may kill workers as often as they like; one that dies young was not killed by them.
        """
        if dead.died_young or not dead.worker:
            dead.count_restart()
        if not dead.worker:
            return dead
        heir = self._renewed(dead)
        heir.restarts = dead.restarts
        return heir

    def dismiss(self) -> None:
        """Ask everything but the server to leave, and wait a little; the guard does the rest."""
        leaving = [one for one in self._components if not one.vital]
        for component in leaving:
            component.ask_to_leave()
        until = time.monotonic() + LEAVE_SECONDS
        for component in leaving:
            component.wait(until)

    def workers(self) -> list[Listed]:
        """Return every worker process that a visitor may signal; those of supervisors are read from Redis."""
        return [
            Listed(queue=queue.hex(), worker=worker.hex(), pid=pid, frozen=is_frozen(pid))
            for queue, worker, pid in self._pids()
        ]

    def send(self, worker: bytes, number: signal.Signals) -> bool:
        """Signal the worker of that name; False when the demo has none (any more)."""
        for _, name, pid in self._pids():
            if name == worker:
                return send(pid, number)
        return False

    def _pids(self) -> list[tuple[bytes, bytes, int]]:
        with self._lock:
            running = [one for one in self._components if one.process and not one.has_ended()]
        named = [(one.queue, one.worker, one.session) for one in running if one.worker]
        sessions = {one.session for one in running}
        supervised = {one.queue for one in running if one.queue and not one.worker}
        for queue in sorted(supervised):
            named += [(queue, *found) for found in self._reported(queue) if session_of(found[1]) in sessions]
        return named

    def _reported(self, queue: bytes) -> list[tuple[bytes, int]]:
        """Return worker and process id as `{q}:workers` reports them; what is unreadable is left out."""
        found = []
        try:
            fields = self._client.hscan_iter(QueueKeys(queue).workers, match=INSTANCE + b"*", count=1000)
            for field, value in fields:
                pid = pid_in(value)
                if pid:
                    found.append((bytes(field).removeprefix(INSTANCE), pid))
        except redis.RedisError:
            return []
        return found


def pid_in(record: bytes) -> int:
    """Return the process id of an instance record, 0 when there is none that makes sense."""
    try:
        pid = json.loads(record)["pid"]
    except (ValueError, KeyError, TypeError):
        return 0
    return pid if isinstance(pid, int) and pid > 1 else 0
