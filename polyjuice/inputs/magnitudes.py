"""Integers that are as large as exact results allow.

A graph that only moves, compares and selects is exact on every integer of its types; products and sums are exact on
smaller ones. A search finds the largest magnitude on the seed graph alone: first for all inputs together, then for one
input after another. The result is then tried in all variants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from polyjuice.inputs.distributions import all_distributed
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType, complexes, dtypes
from polyjuice.numerics import reproducible_outputs

#: Magnitudes small enough for most graphs, from the most sensitive to the safest.
SMALL = (6, 3, 1)

#: The chance that an element is zero, whatever its magnitude would be.
_ZERO = 0.08

#: Graphs with more elements in all values together are too slow for a search.
_SEARCHED = 2**18

Limits = Sequence[int]
"""The largest magnitude of each input."""


def largest(dtype: str) -> int:
    """Return the largest magnitude to try in a type.

    For int64 it leaves room, because sums must not overflow unnoticed. For uint64 it is the greatest that float64
    holds.
    """
    _, high = dtypes.exact_integers(dtype)
    return {"int64": 2**62 - 1, "uint64": 2**64 - 2**11}.get(dtype, high)


def are_large(inputs: Sequence[np.ndarray]) -> bool:
    """Return whether any integer is above the small magnitudes."""
    return any(bool((np.abs(array.astype(np.float64)) > SMALL[0]).any()) for array in inputs if array.size)


def units(types: Sequence[TensorType], rng: np.random.Generator, distribution: str = "") -> list[np.ndarray]:
    """Return numbers from -1 to 1, at least one of them at an end; booleans for booleans; complex numbers by parts.

    ``distribution`` is that of the first input. Without it, and for the others, the distribution is drawn.
    """
    return all_distributed((_unit(t, rng) for t in types), rng, distribution)


def _unit(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    if t.dtype == "bool":
        return np.asarray(rng.integers(0, 2, t.shape)).astype(bool)
    if dtypes.is_complex(t.dtype):
        part = TensorType(dtypes.part_of(t.dtype), t.shape)
        return complexes.joined(_unit(part, rng), _unit(part, rng))
    unit = np.asarray(rng.uniform(-1, 1, t.shape) ** rng.choice([1, 3]))
    greatest = np.abs(unit).max(initial=0)
    unit = np.where(rng.random(t.shape) < _ZERO, 0.0, unit / greatest) if unit.size > 1 else np.sign(unit)
    return unit if dtypes.is_signed(t.dtype) else np.abs(unit)


def scaled(types: Sequence[TensorType], units: Sequence[np.ndarray], limits: Limits) -> tuple[np.ndarray, ...]:
    """Return integers with magnitudes up to the limits. No nonzero number becomes zero."""
    return tuple(
        u if t.dtype == "bool" else _integers(t, u, limit) for t, u, limit in zip(types, units, limits, strict=True)
    )


def _integers(t: TensorType, unit: np.ndarray, limit: int) -> np.ndarray:
    if complexes.is_complex(unit):
        part = TensorType(dtypes.part_of(t.dtype), t.shape)
        return complexes.by_parts(lambda x: _integers(part, x, limit), unit).astype(dtypes.to_numpy(t.dtype))
    size = np.minimum(np.ceil(np.abs(unit) * limit), min(limit, dtypes.largest_finite(t.dtype)))
    signed = np.copysign(size, unit) if dtypes.is_signed(t.dtype) else size
    return np.asarray(signed).astype(dtypes.to_numpy(t.dtype))


def candidates(graph: Graph, units: Sequence[np.ndarray], large: bool) -> Iterator[Limits]:
    """Yield the limits to try in a graph and its variants, from the most sensitive to the safest, ``large`` first."""
    if large and sum(t.size for t in graph.types.values()) <= _SEARCHED:
        found = _largest(graph, units)
        yield found
        yield [max(round(limit**0.5), SMALL[0]) for limit in found]
    yield from ([limit] * len(units) for limit in SMALL)


def _largest(graph: Graph, units: Sequence[np.ndarray]) -> Limits:
    """Return the largest limits at which as many outputs are exact as at small ones."""
    types = graph.input_types
    ends = [largest(t.dtype) for t in types]
    small = [min(SMALL[0], end) for end in ends]
    wanted = _exact(graph, scaled(types, units, small))

    def enough(limits: Limits) -> bool:
        return _exact(graph, scaled(types, units, limits)) >= wanted

    if wanted < 1:
        return small
    if enough(ends):
        return ends
    low, high = SMALL[0].bit_length() - 1, max(ends).bit_length()
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough([min(2**middle - 1, end) for end in ends]) else (low, middle)
    found = [max(min(2**low - 1, end), least) for end, least in zip(ends, small, strict=True)]
    for i, end in enumerate(ends):
        raised = [*found[:i], end, *found[i + 1 :]]
        if found[i] < end and len(ends) > 1 and enough(raised):
            found = raised
    return found


def _exact(graph: Graph, inputs: Sequence[np.ndarray]) -> int:
    try:
        return sum(reproducible_outputs(graph, inputs))
    except EvaluationError:
        return -1
