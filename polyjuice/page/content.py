"""The content of a page: plain data, which the templates turn into HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast, get_type_hints

from polyjuice.stored_files import mismatch

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


class Element(TypedDict):
    """An element of a finding's output: its position, and its values as texts, by program."""

    at: Sequence[int]
    compiled: Mapping[str, str]
    uncompiled: Mapping[str, str]
    float64: str
    allowed: str


class Bisection(TypedDict, total=False):
    """The result of the search for the part to blame, as far as the page shows it."""

    sentences: Sequence[str]
    shown: bool


class Record(TypedDict, total=False):
    """The fields of ``finding.json`` that the page shows, of any version."""

    kind: str
    oracle: str
    title: str
    signature: str
    message: str
    versions: Mapping[str, str]
    seed: int
    index: int
    a: str
    b: str
    culprit: str
    rules: Sequence[str]
    regression: str
    repro_exit: int | None
    folder: str
    output: int
    more: int
    reduction: Mapping[str, Any]
    blame: Sequence[str]
    bisection: Bisection
    explanation: Mapping[str, str] | None
    values: Sequence[Element]
    printed: str
    traceback: str


def as_record(data: Mapping[str, Any]) -> Record:
    """The fields of a finding that have the type of a Record; a page leaves out the others."""
    hints = get_type_hints(Record)
    record = {name: data[name] for name, hint in hints.items() if name in data and not mismatch(data[name], hint)}
    if len({(*row["compiled"], "", *row["uncompiled"]) for row in record.get("values", ())}) > 1:
        del record["values"]
    return cast(Record, record)
