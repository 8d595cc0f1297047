"""The intervals that inputs lie in, for rules that hold only on some values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.ir import Graph

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
