"""Attribute binning: what unknowns are confined to, since a solver's own values are mostly the least that there are.

Paper 001, algorithm 2. Each attribute, and each size of a placeholder, gets a part of a random bin; the i-th bin is
[2^(i-1), 2^i), and the last is open above. There are bins for zero and for negative numbers too, where the bounds of an
unknown reach there (C* in the last paragraph of section 4). If all that cannot be, a random half of it is dropped, as
often as it takes.

The paper draws the bins without regard to the constraints, so that most of them are dropped where operands share sizes
and values must not become large. Here an unknown is offered the bins alone that those of the others leave it, as far as
bounds can be propagated, and lower ones where a value would be too large.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from polyjuice.generate.constraints import ZERO, Bounds, Constraint, Symbolic, System, interval

BINS = 7
"""k (section 5.1)."""

_VISITS = 3
"""How often one change of bounds is propagated through a constraint: chains of inequations could go on for long."""

Shape = Sequence[Any]
"""Integers and forms."""


def assign(
    system: System, shapes: Sequence[Shape], largest: int, admits: Callable[[], bool], rng: random.Random
) -> None:
    """Confine unknowns to bins, if with some values there ``admits`` holds, and no shape has more elements."""
    bins = _drawn(system, shapes, largest, rng)
    while bins:
        mark = system.mark()
        if system.squeeze(bins) and admits():
            return
        system.rollback(mark)
        bins = dict(rng.sample(list(bins.items()), len(bins) // 2))


def _drawn(system: System, shapes: Sequence[Shape], largest: int, rng: random.Random) -> dict[int, Bounds]:
    """A part of a bin for each unknown that does not follow from others."""
    ranges = _Ranges(system)
    attributes = system.attributes()
    bins: dict[int, Bounds] = {}
    for unknown in rng.sample(attributes, len(attributes)):
        low, high = ranges.bounds[unknown]
        if low.bit_length() == high.bit_length() and low * high > 0:
            continue  # in one bin already, with the unknown that it follows
        part = _part_of_a_bin(low, high, rng)
        before = ranges.bounds[:]
        ranges.confine(unknown, part)
        while part[0] > max(low, 1) and any(ranges.least_size(shape) > largest for shape in shapes):
            part = max(part[0] // 2, low), max(part[1] // 2, low)
            ranges.bounds = before[:]
            ranges.confine(unknown, part)
        bins[unknown] = part
    return bins


def _part_of_a_bin(low: int, high: int, rng: random.Random) -> Bounds:
    """Two numbers out of one of the bins that bounds leave."""
    starts = [2**i for i in range(BINS)]
    ends = [*(start - 1 for start in starts[1:]), max(high, -low, starts[-1])]
    positive = list(zip(starts, ends, strict=True))
    every = [*((-end, -start) for start, end in positive), (0, 0), *positive]
    start, end = rng.choice([(max(a, low), min(b, high)) for a, b in every if a <= high and b >= low])
    a, b = rng.randint(start, end), rng.randint(start, end)
    return min(a, b), max(a, b)


class _Ranges:
    """The bounds of all unknowns, narrowed by what each constraint makes of those of the others in it."""

    def __init__(self, system: System) -> None:
        self.bounds = system.bounds[:]
        self._mentioning: dict[int, list[Constraint]] = {}
        for constraint in system.constraints:
            for unknown, _ in constraint.terms:
                self._mentioning.setdefault(unknown, []).append(constraint)
        self._propagate(system.constraints)

    def confine(self, unknown: int, bounds: Bounds) -> None:
        self.bounds[unknown] = bounds
        self._propagate(self._mentioning.get(unknown, ()))

    def least_size(self, shape: Shape) -> int:
        """The least number of elements of a shape."""
        return prod(interval(self.bounds, d.terms, d.constant)[0] if isinstance(d, Symbolic) else d for d in shape)

    def _propagate(self, constraints: Sequence[Constraint]) -> None:
        queue = list(constraints)
        visits: dict[Constraint, int] = {}
        for constraint in queue:  # which grows meanwhile
            visits[constraint] = visits.get(constraint, 0) + 1
            for unknown in self._narrowed(constraint):
                others = self._mentioning[unknown]
                queue.extend(o for o in others if o is not constraint and visits.get(o, 0) < _VISITS)

    def _narrowed(self, constraint: Constraint) -> list[int]:
        """The unknowns whose bounds a constraint narrows; they are narrow then."""
        relation, terms, constant = constraint
        low, high = interval(self.bounds, terms, constant)
        narrowed = []
        for unknown, c in terms:
            least, greatest = before = self.bounds[unknown]
            # c * x + rest >= 0, so c * x is at least -(the greatest rest); if it is zero, at most -(the least rest).
            floor, ceiling = -(high - c * (greatest if c > 0 else least)), -(low - c * (least if c > 0 else greatest))
            if c > 0:
                least = max(least, -(-floor // c))
                greatest = min(greatest, ceiling // c) if relation == ZERO else greatest
            else:
                greatest = min(greatest, -floor // -c)
                least = max(least, -(ceiling // -c)) if relation == ZERO else least
            if (least, greatest) != before and least <= greatest:
                self.bounds[unknown] = least, greatest
                narrowed.append(unknown)
        return narrowed
