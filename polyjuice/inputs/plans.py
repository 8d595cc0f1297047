"""Which rules a case may use, and which profiles draw its inputs: the rules hold on the values of all of them."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from polyjuice.inputs.profiles import RULESETS, ranges, rulesets_on
from polyjuice.ir import Graph, dtypes

#: The chance of the plan with the most rules. The others are needed for the values on which fewer rules hold.
_MOST_RULES = 0.6

#: The chance of large integers. Rules that ask for bounds on values match less often then, and more results are masked.
_LARGE = 0.5


@dataclass(frozen=True)
class Plan:
    """The rulesets that may be used, and the profiles on whose values their rules hold.

    ``rulesets`` is None where they are left to the rewriter: every ruleset holds on the values of all profiles.
    ``large`` says that integers of the profile ``exact`` are as large as exact results allow.
    """

    rulesets: frozenset[str] | None
    profiles: tuple[str, ...]
    large: bool = False

    def holds_on(self, profile: str) -> bool:
        """Whether all of its rules hold on the values of a profile."""
        return rulesets_on(profile).issuperset(rulesets_on("normal") if self.rulesets is None else self.rulesets)

    def restricted(self, profile: str) -> Plan:
        """With no more rules than hold on the values of a profile, too."""
        held = rulesets_on(profile)
        return replace(self, rulesets=held if self.rulesets is None else self.rulesets & held)

    def profiles_of(self, graph: Graph) -> tuple[str, ...]:
        """The profiles that have something to say of a graph: ``wrap`` differs from ``normal`` in integers alone."""
        if any(dtypes.is_int(t.dtype) for t in graph.input_types):
            return self.profiles
        return tuple(profile for profile in self.profiles if profile != "wrap") or self.profiles

    def ranges(self, graph: Graph) -> dict[str, tuple[float, float]]:
        """The interval in which the values of each numeric input will lie (see :func:`polyjuice.inputs.ranges`)."""
        return ranges(graph, self.profiles_of(graph), self.large)


def plans(profiles: Sequence[str], rulesets: Collection[str]) -> tuple[Plan, ...]:
    """The plans among which cases choose, the one with the most rulesets first.

    ``rulesets`` are those of the rules at hand, if there are any; a plan without any of them is left out. Raises
    KeyError for an unknown profile.
    """
    if all(RULESETS[profile].issuperset(rulesets) for profile in profiles):
        return (Plan(None, tuple(profiles)),)
    holding = sorted({RULESETS[profile] for profile in profiles}, key=len, reverse=True)
    return tuple(
        Plan(held, tuple(profile for profile in profiles if held <= RULESETS[profile]))
        for held in holding
        if not held.isdisjoint(rulesets)
    )


def draw(plans: Sequence[Plan], key: str) -> Plan:
    """The plan of a case, which ``key`` chooses."""
    first, *others = plans
    rng = random.Random(f"plan {key}")
    chosen = first if not others or rng.random() < _MOST_RULES else rng.choice(others)
    return replace(chosen, large=rng.random() < _LARGE)
