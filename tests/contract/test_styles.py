"""Stylesheets and templates agree: every class that is styled is used, every one that is used is styled.

Owns: the comparison of names between templates/, static/css and static/js. Refuses: to judge how it looks.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CSS, JS, TEMPLATES = ROOT / "static" / "css", ROOT / "static" / "js", ROOT / "templates"

COMMENT = re.compile(r"/\*.*?\*/|\{#.*?#\}", re.S)
STYLED = re.compile(r"\.([a-z][\w-]*)(?=[^{}]*\{)")
CLASS_ATTRIBUTE = re.compile(r'class="((?:\{[%{].*?[%}]\}|[^"])*)"')
MARKUP = re.compile(r"\{[%{].*?[%}]\}")
CLASS_IN_EXPRESSION = re.compile(r'"(num|alarm|warn|dim|cell-[a-z]+|num [a-z-]+)"')
MACRO = re.compile(r"\{% macro (\w+)\(")
DECLARED_ORDER = re.compile(r"@layer ([\w, ]+);")
FROM_HTMX = {"htmx-request"}


def text(paths: list[Path]) -> str:
    """All files as one text, without comments."""
    return "\n".join(COMMENT.sub("", path.read_text(encoding="utf-8")) for path in paths)


STYLES = sorted(CSS.glob("*.css"))
PAGES = sorted(TEMPLATES.rglob("*.html"))
SCRIPTS = sorted(JS.glob("*.js"))


def styled_classes() -> set[str]:
    """Names behind a dot in a selector."""
    return {name for name in STYLED.findall(text(STYLES)) if not name.startswith("woff")}


def used_classes() -> set[str]:
    """Names in class attributes, in what Jinja puts into them, and in scripts."""
    pages = text(PAGES)
    plain = " ".join(MARKUP.sub(" ", found) for found in CLASS_ATTRIBUTE.findall(pages))
    inside = " ".join(
        " ".join(re.findall(r"%\}\s*([\w -]+?)\s*\{%", found)) for found in CLASS_ATTRIBUTE.findall(pages)
    )
    chosen = " ".join(CLASS_IN_EXPRESSION.findall(pages))
    toggled = " ".join(re.findall(r'classList\.\w+\("([\w-]+)"', text(SCRIPTS)))
    return set(f"{plain} {inside} {chosen} {toggled}".split())


def test_every_styled_class_is_used() -> None:
    assert styled_classes() - used_classes() - FROM_HTMX == set()


def test_every_used_class_is_styled() -> None:
    assert used_classes() - styled_classes() == set()


def test_every_macro_is_called_somewhere() -> None:
    pages = text(PAGES)
    unused = {name for name in MACRO.findall(pages) if len(re.findall(rf"\b{name}\(", pages)) < 2}
    assert unused == set()


def test_every_rule_stands_in_a_declared_layer() -> None:
    declared = DECLARED_ORDER.findall(text([CSS / "app.css"]))
    assert len(declared) == 1
    layers = set(declared[0].split(", "))
    for path in STYLES:
        bare = COMMENT.sub("", path.read_text(encoding="utf-8"))
        opened = re.findall(r"^@layer (\w+) \{", bare, re.M)
        outside = [line for line in bare.splitlines() if re.match(r"[.#:\[a-z*]", line)]
        assert set(opened) <= layers, path.name
        assert outside == [], path.name


def test_the_head_links_every_stylesheet_and_the_order_of_layers_first() -> None:
    head = (TEMPLATES / "partials" / "head.html").read_text(encoding="utf-8")
    linked = re.findall(r'"(\w+)"', re.findall(r"for sheet in \((.*?)\)", head)[0])
    assert linked[0] == "app"
    assert sorted(linked) == [path.stem for path in STYLES]
    assert len(linked) <= 10


def test_every_token_is_defined_once_and_used() -> None:
    styles = text(STYLES)
    tokens = (CSS / "tokens.css").read_text(encoding="utf-8")
    defined = set(re.findall(r"--([\w-]+):", tokens))
    used = set(re.findall(r"var\(--([\w-]+)", styles))
    local = set(re.findall(r"--([\w-]+):", text([path for path in STYLES if path.name != "tokens.css"])))
    assert defined - used == set(), "defined, never used"
    assert used - defined - local == set(), "used, never defined"
