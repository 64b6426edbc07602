"""Polling tags change with what a page says, and not with act ids or ages."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

from dashboard.web.region_tags import tag_of
from dashboard.web.view_models.parts import Act
from dashboard.web.view_models.trash import TrashLine, TrashPage

ACT = Act("Restore", "/x", (("trash", "1-2"),), act_id="aaaa")
AT = datetime(2026, 11, 30, tzinfo=UTC)
LINE = TrashLine("t-1", "id", "payload", "", False, 9, 1, "dead", "ada", AT, (ACT,))
PAGE = TrashPage("t", "mail", "/q", "", (), (), "/q/trash", "1", (LINE,), None, "", "", "", now=AT)


def changed(**changes: Any) -> TrashPage:
    return dataclasses.replace(PAGE, **changes)


def test_the_same_content_has_the_same_tag_whatever_the_act_ids_and_the_instant() -> None:
    other_act = dataclasses.replace(ACT, act_id="bbbb")
    other = changed(
        rows=(dataclasses.replace(LINE, acts=(other_act,)),), now=datetime(2027, 1, 1, tzinfo=UTC)
    )
    assert tag_of(other) == tag_of(PAGE)


def test_other_content_has_another_tag() -> None:
    tags = {
        tag_of(PAGE),
        tag_of(changed(heading="2")),
        tag_of(changed(rows=())),
        tag_of(changed(rows=(LINE, LINE))),
        tag_of(changed(rows=(dataclasses.replace(LINE, attempts=None),))),
        tag_of(changed(rows=(dataclasses.replace(LINE, at=None),))),
        tag_of(changed(rows=(dataclasses.replace(LINE, acts=()),))),
    }
    assert len(tags) == 7
