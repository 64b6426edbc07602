"""Colours that can be read: every pair of writing and ground that components put together, in both themes.

Owns: the list of those pairs, and the arithmetic from OKLCH to a WCAG contrast ratio. Refuses: to render; the
tokens file is the only source of colour, and another test of this file sees that no other file holds one.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
TOKEN = re.compile(r"--([\w-]+):\s*light-dark\(oklch\(([^)]*)\),\s*oklch\(([^)]*)\)\);")

TEXT_RATIO = 4.5
"""WCAG 2.2, 1.4.3: writing under 24 px."""
SHAPE_RATIO = 3.0
"""WCAG 2.2, 1.4.11: boxes, tracks and shapes that carry a meaning."""

EVERYWHERE = ("ground", "surface", "raised", "stale-ground", "late-ground", "orphan-ground", "accent-ground")
TEXT_ON = {
    "ink": (*EVERYWHERE, "sunken"),
    "ink-soft": (*EVERYWHERE, "sunken"),
    "ink-faint": EVERYWHERE,
    "quiet": EVERYWHERE,
    "accent": ("ground", "surface", "raised", "accent-ground"),
    "alive": EVERYWHERE,
    "late": EVERYWHERE,
    "stale": EVERYWHERE,
    "orphan": EVERYWHERE,
    "on-accent": ("accent", "accent-strong"),
}
SHAPE_ON = {"line-control": ("surface", "ground", "late-ground", "stale-ground", "raised")}


def read_tokens() -> dict[str, tuple[str, str]]:
    """Name → the light and the dark colour, as written between the brackets of oklch()."""
    return {name: (light, dark) for name, light, dark in TOKEN.findall((CSS / "tokens.css").read_text())}


def luminance(oklch: str) -> float:
    """Relative luminance of a colour; channels outside of sRGB are clipped, as a screen does."""
    lightness, chroma, hue = (float(part) for part in oklch.split())
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
    green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
    blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    clipped = [min(1.0, max(0.0, channel)) for channel in (red, green, blue)]
    return 0.2126 * clipped[0] + 0.7152 * clipped[1] + 0.0722 * clipped[2]


def ratio(one: str, other: str) -> float:
    """WCAG contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pairs() -> list[tuple[str, str, float]]:
    """Every (colour, ground, least ratio) that is used."""
    texts = [(ink, ground, TEXT_RATIO) for ink, grounds in TEXT_ON.items() for ground in grounds]
    shapes = [(shape, ground, SHAPE_RATIO) for shape, grounds in SHAPE_ON.items() for ground in grounds]
    return texts + shapes


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_can_be_read_on_every_ground_it_stands_on(theme: str) -> None:
    tokens, side = read_tokens(), ("light", "dark").index(theme)
    weak = [
        f"{ink} on {ground}: {found:.2f}, least {least}"
        for ink, ground, least in pairs()
        if (found := ratio(tokens[ink][side], tokens[ground][side])) < least
    ]
    assert weak == []


def test_the_arithmetic_agrees_with_known_ratios() -> None:
    assert ratio("1 0 0", "0 0 0") == pytest.approx(21, abs=0.01)
    # Pure sRGB red is oklch(0.627955 0.257683 29.2339), its contrast on white is 3.998.
    assert ratio("0.627955 0.257683 29.2339", "1 0 0") == pytest.approx(3.998, abs=0.01)


def test_no_stylesheet_but_the_tokens_names_a_colour() -> None:
    named = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch|oklab|color)\(")
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted(CSS.glob("*.css"))
        if path.name != "tokens.css"
        for line in path.read_text().splitlines()
        if named.search(line)
    ]
    assert found == []
