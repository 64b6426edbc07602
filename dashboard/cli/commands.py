"""All commands, in the order in which the documentation tells of them."""

from __future__ import annotations

from typing import Final

import click

from dashboard.cli.demo import demo
from dashboard.cli.enqueue import enqueue
from dashboard.cli.janitor import janitor
from dashboard.cli.jobs import jobs
from dashboard.cli.password import password
from dashboard.cli.promote import promote
from dashboard.cli.queues import queues
from dashboard.cli.reap import reap
from dashboard.cli.retry import retry
from dashboard.cli.web import web
from dashboard.cli.worker import worker
from dashboard.cli.workers import workers

COMMANDS: Final[tuple[click.Command, ...]] = (
    demo, web, worker, janitor, enqueue, queues, workers, jobs, reap, retry, promote, password,
)  # fmt: skip
