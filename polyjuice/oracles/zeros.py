"""The sign of a zero counts as part of a result only where the operators' meaning alone decides it.

:func:`polyjuice.numerics.distance` takes zeros of different signs for equal, as IEEE 754 does. But 1 / -0.0 is another
infinity than 1 / 0.0, so a compiler that replaces ``x + 0`` by ``x`` changes a program's meaning. The maximum of 0.0
and -0.0 is either, and a sum begins with a zero of the framework's choice. Programs of operators that compare or reduce
are therefore not judged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ir import Graph, dtypes
from polyjuice.ops import entry

ZEROS = "zeros"
"""The comparison of a verdict on the sign of zeros."""


def is_fit(graph: Graph) -> bool:
    """Whether all operators of a graph give zeros whose signs do not depend on how they are computed."""
    return all(op is not None and op.signed_zeros for op in map(entry, graph.nodes))


def differ(array: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """The mask of elements where both results are zeros of different signs."""
    if array.shape != plain.shape or array.dtype.kind not in "fV" or plain.dtype.kind not in "fV":
        return np.zeros(array.shape, bool)
    if not all(_has_signed_zeros(x) for x in (array, plain)):
        return np.zeros(array.shape, bool)
    return np.asarray((array == 0) & (plain == 0) & (np.signbit(array) != np.signbit(plain)))


def _has_signed_zeros(array: np.ndarray) -> bool:
    return not dtypes.is_int(dtypes.dtype_of(array))


def wrong(array: np.ndarray, plain: np.ndarray, sure: Sequence[np.ndarray]) -> np.ndarray:
    """The mask of zeros whose sign differs from the uncompiled run and from the runs in ``sure``.

    The runs in ``sure`` are in float64, on inputs a little to each side.
    """
    found = differ(array, plain)
    for other in sure:
        if other.shape != array.shape:
            return np.zeros(array.shape, bool)
        found = found & (other == 0) & (np.signbit(other) == np.signbit(plain))
    return found
