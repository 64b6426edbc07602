"""A console on the shared, emptied Valkey, and a browser without scripts in front of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import redis
from flask import Flask

from dashboard.settings import Settings
from dashboard.web import create_app
from tests.support.pages import Browser

Redis = redis.Redis


def job(id: object, payload: object = None, attempts: object = 3, **members: object) -> bytes:
    """A job as the lesson writes it."""
    return json.dumps({"id": id, "payload": payload, "attempts": attempts, **members}).encode()


@pytest.fixture
def console(redis_url: str) -> Callable[..., Flask]:
    """Makes a console with other settings: `console(page_size=5)`."""

    def made(**settings: Any) -> Flask:
        return create_app(Settings(**({"redis_url": redis_url} | settings)))

    return made


@pytest.fixture
def app(console: Callable[..., Flask]) -> Flask:
    """A console as it is without any setting but the server."""
    return console()


@pytest.fixture
def browser(app: Flask) -> Browser:
    """Walks over that console."""
    return Browser(app.test_client())
