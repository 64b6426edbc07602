"""A small browser for tests: it reads the HTML that the console serves, follows its links, sends its forms.

Owns: links, forms with what they would send, and the walk from page to page. Refuses:
scripts, which is the point: everything must work without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode, urljoin, urlsplit

from flask.testing import FlaskClient
from werkzeug.datastructures import Headers

from tests.support.html_tree import Element, tree

HTML = "text/html,application/xhtml+xml"
Fields = list[tuple[str, str]]


@dataclass(frozen=True)
class Form:
    """A form with one of its buttons: what pressing that button sends."""

    action: str
    method: str
    fields: Fields
    label: str
    """The button's text."""
    name: str
    """The button's accessible name."""

    def ticking(self, *boxes: tuple[str, str]) -> Form:
        """The same form with more fields, such as ticked rows."""
        return Form(self.action, self.method, [*self.fields, *boxes], self.label, self.name)


@dataclass(frozen=True)
class Page:
    """An answer, read."""

    status: int
    url: str
    headers: Headers
    html: str
    root: Element

    @property
    def text(self) -> str:
        """All text, scripts and styles aside."""
        return self.root.text

    @property
    def heading(self) -> str:
        """The first heading."""
        return self.root.all("h1")[0].text

    @property
    def said(self) -> str:
        """The outcome in the status box."""
        return next((one.text for one in self.root.walk() if one.get("id") == "said"), "")

    @property
    def rows(self) -> list[Element]:
        """The rows of all tables, heads aside."""
        return [row for row in self.root.all("tr") if row.all("td")]

    def row(self, text: str) -> Element:
        """The one row with this text."""
        found = [row for row in self.rows if text in row.text]
        assert len(found) == 1, (
            f"{len(found)} rows with {text!r} at {self.url}: {[row.text for row in self.rows]}"
        )
        return found[0]

    def links(self, within: Element | None = None) -> dict[str, str]:
        """Targets by text; the first of equal texts."""
        found: dict[str, str] = {}
        for link in (within or self.root).all("a"):
            found.setdefault(link.text, link.get("href"))
        return found

    def link(self, text: str, within: Element | None = None) -> str:
        """The target of the first link whose text contains `text`."""
        for label, href in self.links(within).items():
            if text in label:
                return href
        raise AssertionError(f"no link {text!r} at {self.url}: {list(self.links(within))}")

    def forms(self, within: Element | None = None) -> list[Form]:
        """Every form once for each of its buttons."""
        found = []
        for button in (within or self.root).all("button"):
            form = self.form_of(button)
            if form is None or button.get("type") == "button":
                continue
            fields = [*self.fields_by_form.get(id(form), ())]
            if button.get("name"):
                fields.append((button.get("name"), button.get("value")))
            action = urljoin(self.url, button.get("formaction") or form.get("action"))
            label = button.text
            found.append(
                Form(action, form.get("method") or "get", fields, label, button.get("aria-label") or label)
            )
        return found

    def form(self, label: str, within: Element | None = None) -> Form:
        """The one form whose button says `label` (or begins with it)."""
        found = [form for form in self.forms(within) if form.label == label]
        found = found or [form for form in self.forms(within) if form.label.startswith(label)]
        known = [form.label for form in self.forms(within)]
        assert len(found) == 1, (
            f"{len(found)} forms {label!r} at {self.url}: {known}; page: {self.text[:300]}"
        )
        return found[0]

    def form_of(self, element: Element) -> Element | None:
        """The form that a field or button belongs to."""
        if element.get("form"):
            return self.forms_by_id.get(element.get("form"))
        return element.ancestor("form")

    @cached_property
    def forms_by_id(self) -> dict[str, Element]:
        """Forms that fields elsewhere on the page can belong to."""
        return {one.get("id"): one for one in self.root.all("form") if one.get("id")}

    @cached_property
    def fields_by_form(self) -> dict[int, Fields]:
        """What each form (by `id()`) sends as it stands, boxes that are not ticked left out."""
        found: dict[int, Fields] = {}
        for field in self.root.all("input"):
            is_off = field.get("type") in ("checkbox", "radio") and "checked" not in field.attributes
            form = self.form_of(field)
            if form is not None and field.get("name") and not is_off:
                found.setdefault(id(form), []).append((field.get("name"), field.get("value")))
        return found

    def box(self, row: Element) -> tuple[str, str]:
        """The name and value of a row's checkbox."""
        found = [one for one in row.all("input") if one.get("type") == "checkbox"]
        assert len(found) == 1, f"{len(found)} boxes in {row.text!r}"
        return found[0].get("name"), found[0].get("value")

    @property
    def ids(self) -> list[str]:
        """The ids of all elements."""
        return [one.get("id") for one in self.root.walk() if one.get("id")]


class Browser:
    """Walks over a Flask application the way a browser without scripts does."""

    def __init__(self, client: FlaskClient, headers: Mapping[str, str] | None = None) -> None:
        self.client = client
        self.headers = {"Accept": HTML, "Sec-Fetch-Site": "same-origin", **(headers or {})}

    def open(self, url: str, headers: Mapping[str, str] | None = None) -> Page:
        """Read a page, following redirects."""
        return self.ask("GET", url, headers=headers)

    def send(self, form: Form, headers: Mapping[str, str] | None = None) -> Page:
        """Press the form's button and see where it leads."""
        return self.ask(form.method.upper(), form.action, form.fields, headers=headers)

    def press(self, page: Page, label: str, within: Element | None = None) -> Page:
        """Press a button of a page."""
        return self.send(page.form(label, within))

    def follow(self, page: Page, text: str, within: Element | None = None) -> Page:
        """Follow a link of a page."""
        return self.open(urljoin(page.url, page.link(text, within)))

    def poll(self, url: str, tag: str = "") -> Page:
        """What the region of a page would get."""
        headers = {"HX-Request": "true", "HX-Request-Type": "partial"} | ({"HX-PTag": tag} if tag else {})
        return self.open(url, headers)

    def ask(
        self, method: str, url: str, fields: Fields | None = None, headers: Mapping[str, str] | None = None
    ) -> Page:
        """One request and the redirects after it."""
        target, body = url, None if fields is None else urlencode(fields)
        for _ in range(5):
            answer = self.client.open(
                path(target),
                method=method,
                data=body,
                content_type="application/x-www-form-urlencoded" if body is not None else None,
                headers=[*(self.headers | dict(headers or {})).items()],
            )
            if answer.status_code not in (301, 302, 303, 307, 308):
                html = answer.get_data(as_text=True)
                return Page(answer.status_code, target, answer.headers, html, tree(html))
            target, method, body = urljoin(target, answer.headers["Location"]), "GET", None
        raise AssertionError(f"redirected in circles at {target}")


def path(url: str) -> str:
    """Path and query of an address, as a browser sends them."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
