"""Random values like those of most models' inputs."""

from __future__ import annotations

import numpy as np

from polyjuice.inputs.domains import divides
from polyjuice.ir import Graph, TensorType, complexes, dtypes
from polyjuice.ops import entry

#: The bound at which normal values are clipped, which one in 10^15 exceeds. Rules may rely on it.
FARTHEST = 8.0

#: How often the floating inputs of a graph with remainders are tenths.
_TENTHS = 0.5

#: The greatest numerator of tenths, drawn for each input. Small divisors divide most numbers.
_MOST_TENTHS = (9, 79)


def are_tenths(graph: Graph, rng: np.random.Generator) -> bool:
    """Return whether the floating inputs of a graph should be tenths.

    If a graph rounds a quotient down, two tenths may have a quotient next to an integer: 1.0 // 0.1 is 9.0.
    """
    rounds = any(op is not None and divides(op) and not op.continuous for op in map(entry, graph.nodes))
    return rounds and bool(rng.random() < _TENTHS)


def tenths(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Return nonzero multiples of 0.1, each rounded to the type."""
    size = rng.integers(1, rng.choice(_MOST_TENTHS), t.shape, endpoint=True) / 10
    return np.asarray(size * rng.choice([-1, 1, 1], t.shape)).astype(dtypes.to_numpy(t.dtype))


def normal(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Return standard normal floats and complex parts, integers from -5 (unsigned: 0) to 5, or booleans."""
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
