"""What a page says: plain data, which the templates put into HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: How many pixels half of the page is wide, about.
_HALF = 520


@dataclass(frozen=True)
class Picture:
    """A drawing or a plot as an element of SVG, and what is said below it."""

    svg: str
    caption: str

    @property
    def wide(self) -> bool:
        """Whether it takes more than half of the page."""
        width = re.match(r'<svg[^>]*? width="(\d+)"', self.svg)
        return width is not None and int(width[1]) > _HALF

    @property
    def marks(self) -> list[str]:
        """What it highlights, by the classes of drawings."""
        return [name for name in ("differs", "wrong") if re.search(f'class="node [a-z]+ {name}"', self.svg)]


@dataclass(frozen=True)
class Card:
    """A cause, or a case of a suite.

    ``tone`` is the class of its colours, ``facts`` are pairs of a name and what is said of it, ``values`` are rows of
    a table below its heads. ``texts`` are longer texts by what they are, ``commands`` lines for a shell.
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
        """All that a search for the card looks at, in small letters."""
        said = [self.key, self.kind, self.title, self.message, *self.chips, *self.facts.values(), *self.rules]
        return " ".join(said).lower()


@dataclass(frozen=True)
class Number:
    """A number that the head of the page shows, and what it counts."""

    value: str
    name: str
    tone: str = ""


@dataclass(frozen=True)
class Share:
    """A row of bars: a name, a fraction, and what is said beside it."""

    name: str
    fraction: float
    said: str
    meaning: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of the heat map: the class of its colour, its text, and what it means."""

    tone: str = ""
    text: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class Heat:
    """The heat map: element types, and for each operator a cell of each type."""

    columns: Sequence[str]
    rows: Mapping[str, Sequence[Cell]]


@dataclass(frozen=True)
class Group:
    """Findings that were not triaged and look alike: what they have in common, how many, and some of them."""

    what: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True)
class Page:
    """All that a page says; a part that is empty is left out."""

    title: str
    lead: Sequence[str]
    numbers: Sequence[Number]
    noun: str
    cards: Sequence[Card]
    groups: Sequence[Group] = ()
    growth: Sequence[Picture] = ()
    coverage: Sequence[Share] = ()
    heat: Heat | None = None
    time: Sequence[Share] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Sequence[str]] = field(default_factory=dict)


Record = Mapping[str, Any]
"""What a ``finding.json`` says."""
