"""A row of the settings table, kept as the metadata of a dataclass field, so that there is one table."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

METADATA_KEY = "row"


@dataclass(frozen=True, slots=True)
class Row:
    """One setting: how it is called, where it is read, what it means, how it is checked."""

    name: str
    """The attribute of `Settings`; the unit is in it."""
    variable: str
    """The environment variable."""
    customary: str | None
    """A variable that platforms set by custom and that is read when `variable` is absent."""
    default: str
    """The default as one would write it; empty means none."""
    help: str
    """One or two sentences: what it does, what its values mean."""
    parse: Callable[[str], object]
    """From text to value; raises ValueError with the rest of a sentence."""
    secret: bool
    """Whether the value may hold a password: it is then never shown, in no error and no repr."""


def setting(
    variable: str,
    default: str,
    help: str,
    parse: Callable[[str], object],
    *,
    customary: str | None = None,
    secret: bool = False,
) -> Any:
    """A dataclass field that carries its row. An empty default of a text is None or "", as `parse` has it."""
    draft = {
        "variable": variable,
        "default": default,
        "help": help,
        "parse": parse,
        "customary": customary,
        "secret": secret,
    }
    return dataclasses.field(default=parse(default), repr=not secret, metadata={METADATA_KEY: draft})


def rows_of(table: type) -> tuple[Row, ...]:
    """The rows of a settings dataclass, in the order of its fields."""
    return tuple(Row(name=field.name, **field.metadata[METADATA_KEY]) for field in dataclasses.fields(table))
