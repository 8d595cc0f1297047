"""Simulated faults, drawn from the operator table by a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from benchmarks.simulated import Effect, Fault, Site, class_of, wrong
from polyjuice.ir import dtypes
from polyjuice.ops import TABLE, Op

KERNELS, PAIRS, CHAINS = "kernels, drawn", "pairs, drawn", "chains of three, drawn"

_KERNELS, _PAIRS, _CHAINS = 60, 40, 20
"""The number of faults to draw of each group."""

CLASSES = ("elementwise", "elementwise", "moving", "reduction", "contraction", "other")
"""The operator classes to draw from; "elementwise" stands twice, since half of all operators are."""


def _wide(site: Site) -> np.ndarray:
    return site.operands[0].astype(np.float64)


KINDS: Mapping[str, Callable[[Site], bool]] = {
    "a negative number": lambda site: bool((_wide(site) < 0).any()),
    "a NaN": lambda site: bool(np.isnan(_wide(site)).any()),
    "an infinity": lambda site: bool(np.isinf(_wide(site)).any()),
    "a zero": lambda site: bool((_wide(site) == 0).any()),
    "numbers of one sign": lambda site: (
        site.operands[0].size >= 8 and abs(np.sign(_wide(site)).sum()) == site.operands[0].size
    ),
    "a large number": lambda site: bool((np.abs(_wide(site)) >= 100).any()),
    "a row with a tail": lambda site: bool(
        site.operands[0].ndim and site.operands[0].shape[-1] > 8 and site.operands[0].shape[-1] % 8
    ),
    "three axes or more": lambda site: site.operands[0].ndim > 2,
    "no axes or one": lambda site: site.operands[0].ndim < 2,
    "a transposed operand": lambda site: any(site.maker(at, "Transpose") for at in range(len(site.names))),
    "a constant operand": lambda site: any(name in site.graph.constants for name in site.names),
    "one operand twice": lambda site: len(set(site.names)) < len(site.names),
    "64 elements or more": lambda site: site.operands[0].size >= 64,
}
"""Conditions on an operator's first operand, or on all of its operands."""


def _kernel(op: Op, dtype: str, kind: str) -> Effect:
    def effect(site: Site) -> np.ndarray | None:
        fits = bool(site.operands) and site.dtype == dtype and KINDS[kind](site)
        return wrong(site.results[0]) if fits else None

    return effect


def _neighbours(producer: str, reader: str) -> Effect:
    def effect(site: Site) -> np.ndarray | None:
        made = any(site.maker(at, producer) for at in range(len(site.names)))
        return wrong(site.results[0]) if made and class_of(site.node) == reader else None

    return effect


def _chain(classes: Sequence[str], dtype: str) -> Effect:
    first, second, third = classes

    def effect(site: Site) -> np.ndarray | None:
        if not site.names or site.dtype != dtype or class_of(site.node) != third:
            return None
        middle = [site.makers[name] for name in site.names if name in site.makers]
        before = (
            site.makers[name]
            for node in middle
            if class_of(node) == second
            for name in node.inputs
            if name in site.makers
        )
        return wrong(site.results[0]) if any(class_of(node) == first for node in before) else None

    return effect


def drawn() -> Iterator[Fault]:
    """Yield all drawn faults."""
    rng = random.Random("simulated faults")
    table = sorted(TABLE.values(), key=lambda op: op.qualified)
    for number in range(_KERNELS):
        op = rng.choice([op for op in table if op.inputs])
        dtype, kind = rng.choice(op.types[op.variable(0)]), rng.choice(sorted(KINDS))
        name = f"{KERNELS} {number}: {op.qualified} of {dtype} with {kind}"
        yield Fault(name, KERNELS, _kernel(op, dtype, kind), frozenset([op.qualified]))
    for number in range(_PAIRS):
        op, reader = rng.choice(table), rng.choice(CLASSES)
        yield Fault(f"{PAIRS} {number}: {op.qualified}, {reader}", PAIRS, _neighbours(op.qualified, reader))
    for number in range(_CHAINS):
        classes = [rng.choice(CLASSES) for _ in range(3)]
        dtype = rng.choice(dtypes.ALL)
        yield Fault(f"{CHAINS} {number}: {', '.join(classes)} of {dtype}", CHAINS, _chain(classes, dtype))
