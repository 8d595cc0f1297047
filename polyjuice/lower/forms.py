"""The forms in which a format can write an operator, and which of them an artifact has.

A form is one of several ways to say the same application: an attribute that is absent because its default is meant,
axes as an attribute or as an input, a method or a function. Each lowering declares its forms, and uses them through
:class:`Drawn`. So ``benchmarks/forms.py`` can count each, and a declared form that never occurs is seen.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from polyjuice.lower.choices import Draws

Form = tuple[str, str]
"""An operator, by its qualified name, and the name of one of its forms."""


MODEL = "model"
"""What forms are called of that concern a whole program."""

ALL = "forms"
"""The name of all forms together."""


FOLLOWED = 0.9
"""How often a form is chosen that a seed model has."""


class Drawn:
    """The forms that one artifact has so far, of those that its format declares.

    ``lacks`` names forms, as ``text`` does, that this artifact is not to have, or ALL of them. ``said`` names those
    that its seed model has: they are chosen mostly.
    """

    def __init__(self, declared: Collection[Form], lacks: Collection[str] = (), said: Collection[str] = ()) -> None:
        self._declared = declared
        self._lacks = frozenset(lacks)
        self._said = frozenset(said)
        self._used: list[Form] = []

    def wants(self, form: Form, draws: Draws, chance: float, followed: float = FOLLOWED) -> bool:
        """Whether a form is chosen: by one chance, or by another where the seed model has the form.

        The choice has a site of its own, of the form's name.
        """
        name = text(form)
        likely = max(chance, followed) if name in self._said else chance
        return bool(draws.take_named(name, lambda rng: rng.random() < likely and self.may(form), 2))

    def may(self, form: Form) -> bool:
        """Whether the artifact may have a form."""
        return self._lacks.isdisjoint((text(form), ALL))

    def use(self, form: Form) -> None:
        """Remember that the artifact has a form. Raises KeyError unless its format declares the form."""
        if form not in self._declared:
            raise KeyError(f"the form {text(form)!r} is not declared")
        self._used.append(form)

    @property
    def used(self) -> tuple[Form, ...]:
        """The forms, in order, with one entry for each use."""
        return tuple(sorted(self._used))


@cache
def text(form: Form) -> str:
    """A form as one line."""
    return ": ".join(form)
