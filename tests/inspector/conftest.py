"""Fixtures for reading: inspectors over a real server that end with their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from dashboard.inspector import Inspector

MakeInspector = Callable[..., Inspector]


@pytest.fixture
def make_inspector(redis_client: redis.Redis) -> Iterator[MakeInspector]:
    """Build inspectors over the emptied Valkey; `client=` gives another client."""
    made: list[Inspector] = []

    def make(client: redis.Redis | None = None, **options: Any) -> Inspector:
        inspector = Inspector(client or redis_client, **options)
        made.append(inspector)
        return inspector

    yield make
    for inspector in made:
        inspector.close()


@pytest.fixture
def inspector(make_inspector: MakeInspector) -> Inspector:
    """One with default settings."""
    return make_inspector()
