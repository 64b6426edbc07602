"""docs/cli.md says what the commands say themselves."""

from dashboard.cli.reference import document
from tests.support.processes import ROOT


def test_the_page_of_the_command_line_is_what_the_commands_say() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == document(), "run: python -m dashboard.cli.reference > docs/cli.md"
