"""Vendored files are the published ones: each is listed with its hash, and nothing lies there unlisted."""

import hashlib
import re

from tests.support.processes import ROOT

VENDOR = ROOT / "static" / "vendor"
ROW = re.compile(r"\| (.+) \| ([\d.]+) \| (\S+) \| (\S+) \| `(\S+)` \| `([0-9a-f]{64})` \|")


def rows() -> list[tuple[str, ...]]:
    table = (VENDOR / "VENDORED.md").read_text(encoding="utf-8")
    return [match.groups() for match in ROW.finditer(table)]


def test_every_vendored_file_has_the_hash_that_is_listed() -> None:
    assert len(rows()) >= 7
    for *_, file, digest in rows():
        assert hashlib.sha256((VENDOR / file).read_bytes()).hexdigest() == digest, file


def test_no_file_lies_there_unlisted() -> None:
    present = {str(path.relative_to(VENDOR)) for path in VENDOR.rglob("*") if path.is_file()}
    assert present - {"VENDORED.md"} == {file for *_, file, _ in rows()}


def test_every_package_brings_its_licence_and_one_version() -> None:
    for package in {row[2] for row in rows()}:
        own = [row for row in rows() if row[2] == package]
        assert [row[4] for row in own if row[4].endswith("/LICENSE")], package
        assert len({row[1] for row in own}) == 1, package


def test_htmx_is_the_pinned_version() -> None:
    assert 'this.version="4.0.1"' in (VENDOR / "htmx" / "htmx.min.js").read_text(encoding="utf-8")
