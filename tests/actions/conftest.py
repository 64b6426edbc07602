"""An operator for the shared server, under any name and role."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import redis

from dashboard.actions.operator import Operator
from dashboard.actions.roles import Actor, Role
from dashboard.inspector import Inspector
from dashboard.queue.policy import Policy

Acting = Callable[..., Operator]


@pytest.fixture
def acting(redis_client: redis.Redis) -> Iterator[Acting]:
    """`acting("ann")`, `acting("bob", Role.VIEWER)`: the acts of one person."""
    inspector = Inspector(
        redis_client, defaults=Policy(), queues=[], server_label="the test's server", page_size=50
    )

    def operator(name: str = "ann", role: Role = Role.OPERATOR) -> Operator:
        return Operator(
            redis_client, inspector=inspector, defaults=Policy(), trash_count=1000, actor=Actor(name, role)
        )

    yield operator
    inspector.close()
