"""Every template compiles, and names only templates that exist."""

from pathlib import Path

from dashboard.places import templates_dir
from tests.support.compile_templates import faults_in
from tests.support.processes import ROOT


def test_every_template_compiles() -> None:
    assert faults_in(templates_dir()) == []


def test_a_template_that_does_not_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text("{{ 1 }}", encoding="utf-8")
    (tmp_path / "open.html").write_text("{% if x %}", encoding="utf-8")
    (tmp_path / "filter.html").write_text("{{ x | no_such_filter }}", encoding="utf-8")
    (tmp_path / "lost.html").write_text('{% include "gone.html" %}', encoding="utf-8")
    faults = faults_in(tmp_path)
    assert [fault.partition(":")[0] for fault in faults] == ["filter.html", "lost.html", "open.html"]
    assert faults[1] == "lost.html: there is no gone.html"


def test_every_page_is_drawn_by_somebody() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "dashboard").rglob("*.py"))
    pages = [path.name for path in (templates_dir() / "pages").glob("*.html")]
    assert [page for page in pages if f"pages/{page}" not in code] == []
