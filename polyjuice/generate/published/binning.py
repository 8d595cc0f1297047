"""Attribute binning: confine unknowns to random ranges, because a solver's own values are mostly the smallest possible.

Paper 001, algorithm 2. Each attribute, and each size of a placeholder, gets a part of a random bin. The i-th bin is
[2^(i-1), 2^i); the last one has no upper end. Zero and negative numbers have bins too, where the bounds of an unknown
include them (C* in the last paragraph of section 4). If the bins together have no solution, a random half of them is
dropped, repeatedly.

The paper draws the bins without regard to the constraints. Where operands share sizes and values must stay small, that
drops most of the bins. Here bounds are propagated, and an unknown chooses only among bins that the other unknowns still
allow. It gets a lower bin where a value would become too large.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from polyjuice.generate.published.constraints import ZERO, Bounds, Constraint, Symbolic, System, interval

BINS = 7
"""The number of bins, k in the paper (section 5.1)."""

_VISITS = 3
"""How often one change of bounds passes through a constraint. Without a limit, chains of inequalities take long."""

Shape = Sequence[Any]
"""The dimensions of a shape: integers and symbolic forms."""


def assign(
    system: System,
    shapes: Sequence[Shape],
    largest: int,
    admits: Callable[[], bool],
    rng: random.Random,
    *,
    binned: bool = True,
) -> None:
    """Confine unknowns to bins, as long as ``admits`` holds for some values in them.

    No shape of ``shapes`` gets more than ``largest`` elements. Unless ``binned``, the solver chooses within all bounds.
    """
    bins = _drawn(system, shapes, largest, rng) if binned else {x: system.bounds[x] for x in system.attributes()}
    while bins:
        mark = system.mark()
        if system.squeeze(bins) and admits():
            return
        system.rollback(mark)
        bins = dict(rng.sample(list(bins.items()), len(bins) // 2))


def _drawn(system: System, shapes: Sequence[Shape], largest: int, rng: random.Random) -> dict[int, Bounds]:
    """Draw a part of a bin for each unknown that does not follow from others."""
    ranges = _Ranges(system)
    attributes = system.attributes()
    bins: dict[int, Bounds] = {}
    for unknown in rng.sample(attributes, len(attributes)):
        low, high = ranges.bounds[unknown]
        if low.bit_length() == high.bit_length() and low * high > 0:
            continue  # in one bin already, with the unknown that it follows from
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
    """Return a random range (least, greatest) within one of the bins that the bounds allow."""
    starts = [2**i for i in range(BINS)]
    ends = [*(start - 1 for start in starts[1:]), max(high, -low, starts[-1])]
    positive = list(zip(starts, ends, strict=True))
    every = [*((-end, -start) for start, end in positive), (0, 0), *positive]
    start, end = rng.choice([(max(a, low), min(b, high)) for a, b in every if a <= high and b >= low])
    a, b = rng.randint(start, end), rng.randint(start, end)
    return min(a, b), max(a, b)


class _Ranges:
    """The bounds of all unknowns. Each constraint narrows the bounds of its unknowns by those of its other unknowns."""

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
        return prod(interval(self.bounds, d.terms, d.constant)[0] if isinstance(d, Symbolic) else d for d in shape)

    def _propagate(self, constraints: Sequence[Constraint]) -> None:
        queue = list(constraints)
        visits: dict[Constraint, int] = {}
        for constraint in queue:  # the loop extends the queue
            visits[constraint] = visits.get(constraint, 0) + 1
            for unknown in self._narrowed(constraint):
                others = self._mentioning[unknown]
                queue.extend(o for o in others if o is not constraint and visits.get(o, 0) < _VISITS)

    def _narrowed(self, constraint: Constraint) -> list[int]:
        relation, terms, constant = constraint
        low, high = interval(self.bounds, terms, constant)
        narrowed = []
        for unknown, c in terms:
            least, greatest = before = self.bounds[unknown]
            # c * x + rest >= 0, so c * x is at least -(the greatest rest). If the sum is zero, c * x is at most -(the
            # least rest).
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
