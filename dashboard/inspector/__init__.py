"""The operator's reading room: what stands in Redis, as frozen snapshots.

Owns: every read that a page needs, its bound and its instant. Refuses: to change a job, to know what a page
looks like, and to take part in any worker's work.
"""

from dashboard.inspector.inspector import Inspector

__all__ = ["Inspector"]
