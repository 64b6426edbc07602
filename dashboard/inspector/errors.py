"""What reading can come to beside the errors of the queue: a queue that is not there."""

from __future__ import annotations

from dashboard.inspector.visible import visible_bytes
from dashboard.queue.errors import QueueError


class QueueNotFound(QueueError):
    """No key, no setting and no registry entry has this name. A console answers 404."""

    def __init__(self, queue: bytes) -> None:
        super().__init__(
            f"There is no queue {visible_bytes(queue[:200])} here: none of its keys exists. "
            f"It may have run empty, or its name is another one."
        )
        self.queue = queue
