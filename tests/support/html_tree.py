"""HTML as a tree, for tests that read pages the way a reader does.

Owns: elements and their text. Refuses: to mend broken HTML beyond closing what was left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset(
    "area base br col embed hr img input link meta source track wbr path rect circle use".split()
)


@dataclass(eq=False)
class Element:
    """One element; `text` is all text inside, white space as one blank."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text as a reader sees it."""
        return " ".join(self.raw_text.split())

    @property
    def raw_text(self) -> str:
        """The text as it was sent, line breaks included."""
        return "".join(one if isinstance(one, str) else one.raw_text for one in self.children)

    def get(self, name: str) -> str:
        """An attribute; empty when missing."""
        return self.attributes.get(name, "")

    def walk(self) -> Iterator[Element]:
        """All elements inside, in order."""
        waiting = [child for child in reversed(self.children) if isinstance(child, Element)]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(child for child in reversed(element.children) if isinstance(child, Element))

    def all(self, tag: str) -> list[Element]:
        """The elements of one kind inside."""
        return [one for one in self.walk() if one.tag == tag]

    def ancestor(self, tag: str) -> Element | None:
        """The nearest element of one kind around it."""
        node = self.parent
        while node is not None and node.tag != tag:
            node = node.parent
        return node


class Builder(HTMLParser):
    """Builds the tree; an end tag closes what was left open inside of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("document", {})
        self.here = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        element = Element(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self.here.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.here))

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        node: Element | None = self.here
        while node is not None and node.tag != tag:
            node = node.parent
        if node is not None and node.parent is not None:
            self.here = node.parent

    def handle_data(self, data: str) -> None:
        """Text."""
        self.here.children.append(data)


def tree(html: str) -> Element:
    """The tree of a document or a fragment."""
    builder = Builder()
    builder.feed(html)
    builder.close()
    return builder.root
