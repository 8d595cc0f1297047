"""Choosers: a lowering asks one at named sites which option to take. A chooser draws options or replays a record.

The model is Hypothesis's choice sequence. Any chooser records the options taken, and replaying the record gives the
same program. Choices about each value of a graph have their own site. So most of a record keeps its meaning when the
graph changes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from polyjuice.execution import LoweringChoices, Site

T = TypeVar("T")

ANY = "*"
"""In a record, stands for all values that have no entry of their own."""


class Chooser:
    """Answers at named sites, and records the answers.

    ``rng`` returns the random generator of a site, or None to replay the ``known`` options.
    """

    def __init__(
        self,
        rng: Callable[[str, str], random.Random | None],
        known: Mapping[Site, Sequence[int]] = MappingProxyType({}),
    ) -> None:
        self._rng = rng
        self.known = known
        self.taken: dict[Site, list[int]] = {}
        self.named: set[Site] = set()
        """The sites that have a named subsite in the record."""

    def about(self, subject: str, value: str = "") -> Draws:
        """Return the choices about a subject, or about a subject and a value of the graph."""
        return Draws(self, (subject, value), _Once(partial(self._rng, subject, value)))

    def record(self) -> LoweringChoices:
        """Return the choices taken so far."""
        return LoweringChoices.of(self.taken)


def drawing(seed: int | str) -> Chooser:
    """Return a chooser that draws from a seed, independently at each site."""
    return Chooser(lambda subject, value: random.Random(f"lower {seed}: {subject} {value}"))


def replaying(choices: LoweringChoices) -> Chooser:
    """Return a chooser that replays a record. Where the record has no valid option, it takes the plainest."""
    return Chooser(lambda subject, value: None, choices.taken)


class _Once:
    """Calls a function once, and keeps its result. (A lowering makes thousands; `functools.cache` is slower.)"""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], random.Random | None]) -> None:
        self._make: Callable[[], random.Random | None] | None = make
        self._made: random.Random | None = None

    def __call__(self) -> random.Random | None:
        if self._make:
            self._made, self._make = self._make(), None
        return self._made


class Draws:
    """The choices at one site, in the order in which the lowering asks for them."""

    def __init__(self, chooser: Chooser, site: Site, rng: Callable[[], random.Random | None]) -> None:
        """``rng`` returns the site's generator at the first draw. Seeding one takes as long as many draws."""
        self._chooser = chooser
        self._site = site
        self._rng = rng
        self._count = 0

    @property
    def rng(self) -> random.Random | None:
        """The random generator of the site; None where a record is replayed."""
        return self._rng()

    def take(self, draw: Callable[[random.Random], int], count: int) -> int:
        """Return one of ``count`` options. Option 0 is the plainest."""
        rng = self._rng()
        if rng:
            option = int(draw(rng))
        else:
            known = self._chooser.known.get(self._site) or self._chooser.known.get((self._site[0], ANY), ())
            option = known[self._count] if self._count < len(known) else 0
            option = option if option < count else 0
        if option or self._site in self._chooser.taken:
            taken = self._chooser.taken.setdefault(self._site, [])
            taken[self._count :] = [*[0] * (self._count - len(taken)), option]  # a second Draws here starts over
        self._count += 1
        return option

    def chance(self, chance: float, plain: bool | None = None) -> bool:
        """Return True or False. The likelier answer is the plainer one, unless ``plain`` names it."""
        plainer = chance > 0.5 if plain is None else plain
        return bool(self.take(lambda rng: (rng.random() < chance) != plainer, 2)) != plainer

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options. The first is the plainest."""
        return options[self.take(lambda rng: rng.choice(range(len(options))), len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the options by weight. The first is the plainest."""
        return options[self.take(lambda rng: rng.choices(range(len(options)), weights)[0], len(options))]

    def randrange(self, start: int, stop: int) -> int:
        """Return a number from ``start``, which is the plainest, to below ``stop``."""
        return start + self.take(lambda rng: rng.randrange(start, stop) - start, stop - start)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Return ``count`` of the options in some order. The first ones in their own order are the plainest."""
        left = list(range(len(options)))
        rng = self._rng()
        drawn = iter(rng.sample(left, count) if rng else ())
        return [options[left.pop(self.take(lambda _: left.index(next(drawn)), len(left)))] for _ in range(count)]

    def marked(self, values: Iterable[str], draw: Callable[[random.Random], Collection[str]]) -> list[str]:
        """Return some values of the graph. Each has a site of its own, and an empty list is the plainest."""
        rng = self._rng()
        drawn = draw(rng) if rng else ()
        return [value for value in values if self._at(self._site[0], value)._is_among(value, drawn)]

    def _is_among(self, value: str, drawn: Collection[str]) -> bool:
        return bool(self.take(lambda _: value in drawn, 2))

    def named(self, name: str) -> Draws:
        """Return choices with a site of their own, which other questions at this site do not shift."""
        self._chooser.named.add(self._site)
        return self._at(f"{self._site[0]}: {name}", self._site[1])

    def take_named(self, name: str, draw: Callable[[random.Random], int], count: int) -> int:
        """Take the first choice at a named site (see ``named``), for choices that are nearly always the plainest."""
        rng = self._rng()
        if rng is None:
            return self.named(name).take(draw, count)
        option = int(draw(rng))
        if option or self._site in self._chooser.named:
            return self.named(name).take(lambda rng: option, count)
        return 0

    def _at(self, subject: str, value: str) -> Draws:
        return Draws(self._chooser, (subject, value), self._rng)

    def forget(self) -> None:
        """Remove the choices of this site from the record, because they made no difference."""
        self._chooser.taken.pop(self._site, None)
