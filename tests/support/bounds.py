"""The analysis of one operator on given inputs, and the check that results keep to their error bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ir import TensorType, dtypes
from polyjuice.numerics import SAFETY, Analysis, Mode, analyse, distance
from tests.support.graphs import apply


def single(
    op: str, dtype: str, *arrays: Sequence[float] | float, mode: Mode | None = None, **attrs: object
) -> Analysis:
    """The analysis of the first result of one operator on given inputs, all of one type."""
    values = [np.asarray(array).astype(dtypes.to_numpy(dtype)) for array in arrays]
    made = apply(op, *(TensorType(dtype, value.shape) for value in values), **attrs)
    return analyse(made, values, mode=mode or Mode())[0]


def assert_within(results: Sequence[np.ndarray], analyses: Sequence[Analysis], what: object) -> int:
    """Check that no result leaves its bound, and exact results are equal. Return the number of bounded elements."""
    bounded = 0
    for result, analysis in zip(results, analyses, strict=True):
        gap = distance(result, analysis.reference)
        finite = np.isfinite(analysis.bound)
        outside = finite & (gap > SAFETY * analysis.bound)
        assert not outside.any(), f"{what}\n{result[outside]} is not {analysis.reference[outside]}"
        if analysis.reproducible:
            assert not gap[finite].any(), what
        bounded += int(finite.sum())
    return bounded


def masked(analysis: Analysis) -> list[bool]:
    return np.isinf(analysis.bound).reshape(-1).tolist()
