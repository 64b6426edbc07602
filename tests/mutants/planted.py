"""All planted bugs."""

from __future__ import annotations

from tests.mutants.in_bytes import IN_BYTES
from tests.mutants.in_library import IN_DAEMONS, IN_WORKERS
from tests.mutants.in_moves import IN_MOVES

PLANTED = [*IN_MOVES, *IN_BYTES, *IN_WORKERS, *IN_DAEMONS]
