"""Lowering choices, how a graph was written as a program: data that can be stored, edited and replayed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Site = tuple[str, str]
"""Where a lowering makes a choice: the choice's subject, and the graph value it concerns ("" for the whole program)."""


@dataclass(frozen=True)
class LoweringChoices:
    """The options that a lowering takes at each site, as numbers, in the order in which it asks for them.

    Option 0 is the plainest. Trailing zeros, and sites with zeros alone, are left out: an empty record stands for the
    plainest program.
    """

    taken: Mapping[Site, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, taken: Mapping[Site, Iterable[int]]) -> LoweringChoices:
        """Return the record of these options, without trailing zeros."""
        kept = {site: _without_last_zeros(tuple(options)) for site, options in sorted(taken.items())}
        return cls({site: options for site, options in kept.items() if options})

    @property
    def cost(self) -> int:
        """The number of options that are not the plainest."""
        return sum(option > 0 for options in self.taken.values() for option in options)

    def without(self, sites: Collection[Site]) -> LoweringChoices:
        """Return the choices with the plainest options at these sites."""
        return LoweringChoices({site: options for site, options in self.taken.items() if site not in sites})

    def plainer_at(self, site: Site) -> Iterator[LoweringChoices]:
        """Yield the choices with one option of the site made the plainest, for each option that is not."""
        options = self.taken.get(site, ())
        for place, option in enumerate(options):
            if option:
                yield LoweringChoices.of({**self.taken, site: (*options[:place], 0, *options[place + 1 :])})

    def renamed(self, names: Mapping[str, str]) -> LoweringChoices:
        """Return the same choices for a graph whose values have been renamed (old name to new name)."""
        return LoweringChoices.of({(subject, names.get(v, v)): options for (subject, v), options in self.taken.items()})

    def as_json(self) -> dict[str, dict[str, list[int]]]:
        """Return the options by subject, then by value."""
        found: dict[str, dict[str, list[int]]] = {}
        for (subject, value), options in self.taken.items():
            found.setdefault(subject, {})[value] = list(options)
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Mapping[str, Iterable[int]]]) -> LoweringChoices:
        """Read the result of :meth:`as_json`. Raises AttributeError or TypeError for anything else."""
        return cls.of({(subject, value): options for subject, at in data.items() for value, options in at.items()})


def _without_last_zeros(options: tuple[int, ...]) -> tuple[int, ...]:
    while options and not options[-1]:
        options = options[:-1]
    return options
