"""The forms in which a format can write an operator, and the forms that an artifact has.

A form is one of several ways to write the same application. Examples are an attribute left out because it has its
default, axes as an attribute or as an input, and a method or a function. Each lowering declares its forms and uses them
through :class:`Drawn`.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from operator import mul

from polyjuice.frameworks.choosers import Draws

Form = tuple[str, str]
"""An operator, by its qualified name, and the name of one of its forms."""


MODEL = "model"
"""The operator name in forms that concern a whole program."""

ALL = "forms"
"""The name of all forms together."""


FOLLOWED = 0.9
"""How often a form of the seed model is chosen."""


@dataclass(frozen=True)
class Offers:
    """Forms that may be chosen at one place, in order, and the chance of each."""

    chances: Sequence[tuple[Form, float]]

    @cached_property
    def _none_yet(self) -> list[float]:
        """The probabilities, negated, that none of the first forms is chosen."""
        return [-left for left in accumulate((1 - chance for _, chance in self.chances), mul)]

    def drawn(self, rng: random.Random) -> Iterator[Form]:
        """Choose each form with its chance, by one random number for each chosen form and one more."""
        left, count = 1.0, len(self.chances)
        while (number := bisect_left(self._none_yet, -rng.random() * left)) < count:
            yield self.chances[number][0]
            left = -self._none_yet[number]


class Drawn:
    """The forms that one artifact has so far, among the declared forms of its format.

    ``lacks`` names forms that this artifact must not have, as ``text`` writes them, or ALL of them. ``seed_forms``
    names forms of its seed model, which are mostly chosen.
    """

    def __init__(
        self, declared: Collection[Form], lacks: Collection[str] = (), seed_forms: Collection[str] = ()
    ) -> None:
        self._declared = declared
        self._lacks = frozenset(lacks)
        self._seed_forms = frozenset(seed_forms)
        self._used: list[Form] = []

    def wants(self, form: Form, draws: Draws, chance: float, followed: float = FOLLOWED) -> bool:
        """Return whether a form is chosen: with ``chance``, or with ``followed`` if the seed model has the form.

        The choice has a site of its own, named after the form.
        """
        name = text(form)
        likely = max(chance, followed) if name in self._seed_forms else chance
        return bool(draws.take_named(name, lambda rng: rng.random() < likely and self.may(form), 2))

    def wanted(self, offers: Offers, draws: Draws, followed: float = FOLLOWED) -> Collection[Form]:
        """Return the forms that are chosen among those offered at a place (see ``wants``)."""
        rng = draws.rng
        if rng is None or self._seed_forms:
            return [form for form, chance in offers.chances if self.wants(form, draws, chance, followed)]
        chosen = list(filter(self.may, offers.drawn(rng)))
        for form in chosen:
            draws.take_named(text(form), lambda _: 1, 2)
        return chosen

    def may(self, form: Form) -> bool:
        return self._lacks.isdisjoint((text(form), ALL))

    def use(self, form: Form) -> None:
        """Record that the artifact has a form. Raises KeyError if its format does not declare the form."""
        if form not in self._declared:
            raise KeyError(f"the form {text(form)!r} is not declared")
        self._used.append(form)

    @property
    def used(self) -> tuple[Form, ...]:
        return tuple(sorted(self._used))


@cache
def text(form: Form) -> str:
    return ": ".join(form)


def name_in(subject: str) -> str:
    """Return the name of the form whose choice has this subject; "" if the choice is about no form."""
    found = _CHOICE.fullmatch(subject)
    return found[1] if found else ""


_CHOICE = re.compile(r"forms (?:in \w+ )?of: [^:]*: (.*)")
