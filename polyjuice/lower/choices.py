"""Choosers: a lowering asks one at named sites which option to take; it draws options, or replays a record of them.

The model is Hypothesis's choice sequence. Any chooser records what was asked and taken, and replaying that record gives
the same program. Choices about one value of a graph are apart from those about others: so most of a record keeps its
meaning while the graph changes.
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
"""Stands in a record for all values about which it does not say anything itself."""


class Chooser:
    """Answers at named sites, and records the answers.

    ``rng`` gives what options at a site are drawn with; None where those ``known`` are replayed.
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
        """The sites at which names have sites of their own that may be among those taken."""

    def about(self, subject: str, value: str = "") -> Draws:
        """The choices about a subject, or about a subject and a value of the graph."""
        return Draws(self, (subject, value), _Once(partial(self._rng, subject, value)))

    def record(self) -> LoweringChoices:
        """What was asked and taken until now."""
        return LoweringChoices.of(self.taken)


def drawing(seed: int | str) -> Chooser:
    """A chooser that draws from a seed, at each site independently."""
    return Chooser(lambda subject, value: random.Random(f"lower {seed}: {subject} {value}"))


def replaying(choices: LoweringChoices) -> Chooser:
    """A chooser that takes the options of a record, and the plainest where the record has none that is there."""
    return Chooser(lambda subject, value: None, choices.taken)


class _Once:
    """Calls a function once, and keeps its result. (A lowering makes thousands; `functools.cache` takes longer.)"""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], random.Random | None]) -> None:
        self._make: Callable[[], random.Random | None] | None = make
        self._made: random.Random | None = None

    def __call__(self) -> random.Random | None:
        if self._make:
            self._made, self._make = self._make(), None
        return self._made


class Draws:
    """The choices at one site, in the order in which they are asked for."""

    def __init__(self, chooser: Chooser, site: Site, rng: Callable[[], random.Random | None]) -> None:
        """``rng`` gives the generator of the site when something is drawn: to seed one takes as long as many draws."""
        self._chooser = chooser
        self._site = site
        self._rng = rng
        self._count = 0

    def take(self, draw: Callable[[random.Random], int], count: int) -> int:
        """One of ``count`` options, of which 0 is the plainest."""
        rng = self._rng()
        if rng:
            option = int(draw(rng))
        else:
            known = self._chooser.known.get(self._site) or self._chooser.known.get((self._site[0], ANY), ())
            option = known[self._count] if self._count < len(known) else 0
            option = option if option < count else 0
        if option or self._site in self._chooser.taken:
            taken = self._chooser.taken.setdefault(self._site, [])
            taken[self._count :] = [*[0] * (self._count - len(taken)), option]  # who asks once more begins anew
        self._count += 1
        return option

    def chance(self, chance: float, plain: bool | None = None) -> bool:
        """Yes or no. The likelier answer is the plainer, unless ``plain`` says which is."""
        plainer = chance > 0.5 if plain is None else plain
        return bool(self.take(lambda rng: (rng.random() < chance) != plainer, 2)) != plainer

    def choice(self, options: Sequence[T]) -> T:
        """One of these, of which the first is the plainest."""
        return options[self.take(lambda rng: rng.choice(range(len(options))), len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One of these by weight, of which the first is the plainest."""
        return options[self.take(lambda rng: rng.choices(range(len(options)), weights)[0], len(options))]

    def randrange(self, start: int, stop: int) -> int:
        """A number from ``start``, which is the plainest, to below ``stop``."""
        return start + self.take(lambda rng: rng.randrange(start, stop) - start, stop - start)

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """So many of these in some order; the first ones as they stand are the plainest."""
        left = list(range(len(options)))
        rng = self._rng()
        drawn = iter(rng.sample(left, count) if rng else ())
        return [options[left.pop(self.take(lambda _: left.index(next(drawn)), len(left)))] for _ in range(count)]

    def marked(self, values: Iterable[str], draw: Callable[[random.Random], Collection[str]]) -> list[str]:
        """Some values of the graph: each has a site of its own, and none of them is the plainest."""
        rng = self._rng()
        drawn = draw(rng) if rng else ()
        return [value for value in values if self._at(self._site[0], value)._is_among(value, drawn)]

    def _is_among(self, value: str, drawn: Collection[str]) -> bool:
        return bool(self.take(lambda _: value in drawn, 2))

    def named(self, name: str) -> Draws:
        """Choices that keep a site of their own whatever else is asked at this one."""
        self._chooser.named.add(self._site)
        return self._at(f"{self._site[0]}: {name}", self._site[1])

    def take_named(self, name: str, draw: Callable[[random.Random], int], count: int) -> int:
        """The first choice at the site of a name (see ``named``), where that is nearly always the plainest."""
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
        """What was taken here made no difference: it goes out of the record."""
        self._chooser.taken.pop(self._site, None)

    def pass_over(self, bits: int) -> None:
        """Draw what nothing depends on any more: the choices behind it stay those that a seed has always made."""
        if rng := self._rng():
            rng.getrandbits(bits)
