"""Random values of the kind that most inputs of models have."""

from __future__ import annotations

import numpy as np

from polyjuice.ir import Graph, TensorType, complexes, dtypes

#: What normal values are clipped at, which they reach once in 10^15: rules may count on it.
FARTHEST = 8.0

#: How often the floating inputs of a graph with remainders are tenths.
_TENTHS = 0.5

#: The greatest of them, in tenths, of one input or another: small divisors divide most.
_MOST_TENTHS = (9, 79)

_REMAINDERS = frozenset(["Mod", "fmod", "remainder", "floor_divide"])


def are_tenths(graph: Graph, rng: np.random.Generator) -> bool:
    """Whether the floating inputs of a graph are to be tenths.

    Where a graph divides and rounds the quotient down, two tenths have one next to an integer: 1.0 // 0.1 is 9.0.
    """
    return not _REMAINDERS.isdisjoint(node.op for node in graph.nodes) and bool(rng.random() < _TENTHS)


def tenths(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Multiples of 0.1 other than 0, each rounded to the type."""
    size = rng.integers(1, rng.choice(_MOST_TENTHS), t.shape, endpoint=True) / 10
    return np.asarray(size * rng.choice([-1, 1, 1], t.shape)).astype(dtypes.to_numpy(t.dtype))


def normal(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Standard normal floating values and complex parts, integers from -5 (from 0 if unsigned) to 5, booleans."""
    if dtypes.is_complex(t.dtype):
        part = TensorType(dtypes.part_of(t.dtype), t.shape)
        return complexes.joined(normal(part, rng), normal(part, rng))
    if dtypes.is_float(t.dtype) or t.dtype in dtypes.NARROW_FLOATS:
        array = np.clip(rng.standard_normal(t.shape), -FARTHEST, FARTHEST)
    elif t.dtype == "bool":
        array = np.asarray(rng.integers(0, 2, t.shape))
    else:
        array = np.asarray(rng.integers(-5 if dtypes.is_signed(t.dtype) else 0, 6, t.shape))
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))
