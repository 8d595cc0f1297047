"""The content of a page as plain data, and the templates, style sheet and script that turn it into one HTML file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from polyjuice import drawing

_TEMPLATES = Path(__file__).with_name("templates")

#: The approximate width of half a page, in pixels.
_HALF = 520


@dataclass(frozen=True)
class Picture:
    """A drawing or a plot as an SVG element, and its caption."""

    svg: str
    caption: str

    @property
    def wide(self) -> bool:
        """Whether it takes more than half of the page."""
        width = re.match(r'<svg[^>]*? width="(\d+)"', self.svg)
        return width is not None and int(width[1]) > _HALF

    @property
    def marks(self) -> list[str]:
        """The kinds of highlighted nodes, by their CSS classes."""
        return [name for name in ("differs", "wrong") if re.search(f'class="node [a-z]+ {name}"', self.svg)]


@dataclass(frozen=True, kw_only=True)
class Card:
    """A root cause, or a case of a suite.

    ``tone`` is the CSS class of its colours. ``facts`` maps names to texts. ``values`` is a table whose first row is
    the heading. ``texts`` maps names to longer texts, and ``commands`` maps purposes to lines for a shell.
    """

    key: str
    kind: str
    tone: str
    title: str
    message: str
    chips: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    programs: Sequence[Picture] = ()
    programs_note: str = ""
    plot: Picture | None = None
    values: Sequence[Sequence[str]] = ()
    rules_lead: str = ""
    rules: Mapping[str, str] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def searched(self) -> str:
        """The lowercase text that a search looks at."""
        words = [self.key, self.kind, self.title, self.message, *self.chips, *self.facts.values(), *self.rules]
        return " ".join(words).lower()


@dataclass(frozen=True)
class Number:
    """A number at the top of the page, and what it counts."""

    value: str
    name: str
    tone: str = ""


@dataclass(frozen=True, kw_only=True)
class Share:
    """A row of a bar chart: a name, a fraction, and a text beside it."""

    name: str
    fraction: float
    text: str
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of the heat map: the class of its colour, its text, and its tooltip."""

    tone: str = ""
    text: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class Heat:
    """The heat map: element types, and for each operator one cell per type."""

    columns: Sequence[str]
    rows: Mapping[str, Sequence[Cell]]


@dataclass(frozen=True)
class UntriagedGroup:
    """Similar findings that were not triaged: what they have in common, how many, and some of them."""

    what: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Page:
    """All content of a page. Empty parts are left out."""

    title: str
    lead: Sequence[str]
    numbers: Sequence[Number]
    noun: str
    cards: Sequence[Card]
    groups: Sequence[UntriagedGroup] = ()
    growth: Sequence[Picture] = ()
    coverage: Sequence[Share] = ()
    heat: Heat | None = None
    time: Sequence[Share] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)


def render(page: Page) -> str:
    """The page as HTML. All texts are escaped; drawings are SVG elements."""
    return _environment().get_template("page.html").render(page=page) + "\n"


def _code(text: str) -> Markup:
    """A sentence in which the text between backticks is code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters.update(svg=Markup, code=_code)
    environment.globals.update(
        style=Markup((_TEMPLATES / "page.css").read_text(encoding="utf-8") + drawing.STYLE.read_text(encoding="utf-8")),
        script=Markup((_TEMPLATES / "page.js").read_text(encoding="utf-8")),
        light=Markup(drawing.variables(drawing.LIGHT)),
        dark=Markup(drawing.variables(drawing.DARK)),
    )
    return environment
