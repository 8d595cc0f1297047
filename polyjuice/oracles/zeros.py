"""The sign of a zero, which counts as a result's value only where nothing but the operators' meaning decides it.

Two zeros of different signs are equal to :func:`polyjuice.numerics.distance`, as to IEEE 754. But 1 / -0.0 is another
infinity than 1 / 0.0, so that a compiler that replaces ``x + 0`` by ``x`` changes what a program means. The greater of
0.0 and -0.0 is either, and a sum begins with a zero of the framework's choice: so programs of operators that compare or
reduce are not judged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ir import Graph, dtypes
from polyjuice.ops import complex_numbers, entry

ZEROS = "zeros"
"""The rung of a verdict on the sign of zeros."""

_COMPARING = frozenset(
    (
        *("Max", "Min", "Clip", "Relu", "HardSwish", "HardSigmoid", "ThresholdedRelu", "LeakyRelu", "Elu", "Celu"),
        *(
            "Selu",
            "Softplus",
            "clamp_min",
            "relu6",
            "hardtanh",
            "heaviside",
            "log_sigmoid",
            "logaddexp",
            "logaddexp2",
            "softshrink",
        ),
    )
)
"""Elementwise operators whose kernels compare: of two equal zeros they take either."""


_SUMMING = frozenset(("Sum", "Mean"))
"""Elementwise operators that may be written as a reduction of stacked operands, which begins with some zero."""


_CREATING = frozenset(("EyeLike", "fill", "full_like", "ones_like", "zeros_like"))
"""Operators that use no more than the type and the shape of an operand."""


_COMPLEX = frozenset(op.name for op in complex_numbers.OPS)
"""Arithmetic on complex numbers, in which a part's zero is a sum of zeros in the framework's order."""


def is_fit(graph: Graph) -> bool:
    """Whether all operators of a graph give zeros whose signs do not depend on how they are computed."""
    return all(
        op is not None
        and op.name not in _COMPARING | _SUMMING | _COMPLEX
        and (op.elementwise or op.moves or op.name in _CREATING)
        for op in map(entry, graph.nodes)
    )


def differ(array: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """Where both results are zeros of different signs."""
    if array.shape != plain.shape or array.dtype.kind not in "fV" or plain.dtype.kind not in "fV":
        return np.zeros(array.shape, bool)
    if not all(_has_signed_zeros(x) for x in (array, plain)):
        return np.zeros(array.shape, bool)
    return np.asarray((array == 0) & (plain == 0) & (np.signbit(array) != np.signbit(plain)))


def _has_signed_zeros(array: np.ndarray) -> bool:
    return not dtypes.is_int(dtypes.of_array(array))


def wrong(array: np.ndarray, plain: np.ndarray, sure: Sequence[np.ndarray]) -> np.ndarray:
    """Where a result is a zero of another sign than in the uncompiled run, and in other runs that are to be ``sure``.

    These are in float64, and on inputs a little to each side.
    """
    found = differ(array, plain)
    for other in sure:
        if other.shape != array.shape:
            return np.zeros(array.shape, bool)
        found = found & (other == 0) & (np.signbit(other) == np.signbit(plain))
    return found
