"""Plans: the rules that a case may use, and the profiles that draw its inputs, on all of whose values they hold."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyjuice.inputs.profiles import RULESETS, ranges, rulesets_on
from polyjuice.ir import Graph, dtypes

#: The chance of the plan with the most rules. Other plans cover values on which fewer rules hold.
_MOST_RULES = 0.6

#: The chance of large integers. They make rules with bounds on values match less often, and mask more results.
_LARGE = 0.5


@dataclass(frozen=True)
class Plan:
    """The rulesets that a case may use, and the profiles on whose values their rules hold.

    ``rulesets`` is None if the rewriter may choose, because every ruleset holds on the values of all profiles.
    ``large`` makes the integers of the profile ``exact`` as large as exact results allow.
    """

    rulesets: frozenset[str] | None
    profiles: tuple[str, ...]
    large: bool = False

    def holds_on(self, profile: str) -> bool:
        """Return whether all rules of the plan hold on the values of a profile."""
        return rulesets_on(profile).issuperset(rulesets_on("normal") if self.rulesets is None else self.rulesets)

    def restricted(self, profile: str) -> Plan:
        """Return the plan without the rules that fail on some values of the profile."""
        held = rulesets_on(profile)
        return replace(self, rulesets=held if self.rulesets is None else self.rulesets & held)

    def profiles_of(self, graph: Graph) -> tuple[str, ...]:
        """Return the profiles that matter for a graph: ``wrap`` differs from ``normal`` only in integers."""
        if any(dtypes.is_int(t.dtype) for t in graph.input_types):
            return self.profiles
        return tuple(profile for profile in self.profiles if profile != "wrap") or self.profiles

    def ranges(self, graph: Graph) -> dict[str, tuple[float, float]]:
        """Return the interval of each numeric input's values (see :func:`polyjuice.inputs.ranges`)."""
        return ranges(graph, self.profiles_of(graph), self.large)


def plans(profiles: Sequence[str], rulesets: Collection[str]) -> tuple[Plan, ...]:
    """Return the plans among which cases choose, the one with the most rulesets first.

    ``rulesets`` are those of the available rules; a plan without any of them is left out. Raises KeyError for an
    unknown profile.
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
    """Return the plan of a case, which ``key`` determines."""
    first, *others = plans
    rng = random.Random(f"plan {key}")
    chosen = first if not others or rng.random() < _MOST_RULES else rng.choice(others)
    return replace(chosen, large=rng.random() < _LARGE)


Intervals = Mapping[str, tuple[float, float]]
"""The least and the largest value by the name of an input. An input without an entry may have any value."""


def intervals(graph: Graph, arrays: Sequence[np.ndarray]) -> dict[str, tuple[float, float]]:
    """Return the intervals of these inputs. Booleans, complex numbers, and inputs with NaN or infinities have none."""
    finite = {name: x for name, x in zip(graph.inputs, arrays, strict=True) if x.size and x.dtype.kind not in "bc"}
    wide = {name: np.asarray(x, np.float64) for name, x in finite.items()}
    return {name: (float(x.min()), float(x.max())) for name, x in wide.items() if np.isfinite(x).all()}


def joined(first: Intervals, second: Intervals) -> dict[str, tuple[float, float]]:
    """Return the smallest intervals that hold the values of both."""
    both = first.keys() & second.keys()
    return {name: (min(first[name][0], second[name][0]), max(first[name][1], second[name][1])) for name in both}
