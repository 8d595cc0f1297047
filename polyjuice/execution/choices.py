"""How a graph was written as a program: the choices of a lowering, as data that can be kept, edited and replayed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

Site = tuple[str, str]
"""Where a choice is made: its subject, and the value of the graph that it is about ("" for the whole program)."""


@dataclass(frozen=True)
class LoweringChoices:
    """The options that a lowering takes at each site, as numbers, in the order in which it asks for them.

    Option 0 is the plainest. Zeros at the end, and sites with nothing else, are left out: the empty record is the
    plainest program.
    """

    taken: Mapping[Site, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, taken: Mapping[Site, Iterable[int]]) -> LoweringChoices:
        """The record of these options, without zeros that say nothing."""
        kept = {site: _without_last_zeros(tuple(options)) for site, options in sorted(taken.items())}
        return cls({site: options for site, options in kept.items() if options})

    @property
    def cost(self) -> int:
        """How many options are not the plainest."""
        return sum(option > 0 for options in self.taken.values() for option in options)

    def without(self, sites: Collection[Site]) -> LoweringChoices:
        """The plainest options at some sites."""
        return LoweringChoices({site: options for site, options in self.taken.items() if site not in sites})

    def plainer_at(self, site: Site) -> Iterator[LoweringChoices]:
        """The record with the plainest option in one place of a site, for each place that has another."""
        options = self.taken.get(site, ())
        for place, option in enumerate(options):
            if option:
                yield LoweringChoices.of({**self.taken, site: (*options[:place], 0, *options[place + 1 :])})

    def renamed(self, names: Mapping[str, str]) -> LoweringChoices:
        """The same choices about a graph some of whose values have other names."""
        return LoweringChoices.of({(subject, names.get(v, v)): options for (subject, v), options in self.taken.items()})

    def as_json(self) -> dict[str, dict[str, list[int]]]:
        """The options by subject, then by value."""
        found: dict[str, dict[str, list[int]]] = {}
        for (subject, value), options in self.taken.items():
            found.setdefault(subject, {})[value] = list(options)
        return found

    @classmethod
    def from_json(cls, said: Mapping[str, Mapping[str, Iterable[int]]]) -> LoweringChoices:
        """Raises AttributeError, TypeError for what :meth:`as_json` does not return."""
        return cls.of({(subject, value): options for subject, at in said.items() for value, options in at.items()})


def _without_last_zeros(options: tuple[int, ...]) -> tuple[int, ...]:
    while options and not options[-1]:
        options = options[:-1]
    return options
