"""One operator on given inputs, and the check that its results keep to their error bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ir import TensorType, dtypes
from polyjuice.numerics import SAFETY, Analysis, distance
from polyjuice.ops import GraphBuilder


def single(dtype: str, *arrays: Sequence[float] | float) -> tuple[GraphBuilder, list[str], list[np.ndarray]]:
    """A builder with one input for each array, all of one type."""
    build = GraphBuilder()
    values = [np.asarray(array).astype(dtypes.to_numpy(dtype)) for array in arrays]
    return build, [build.input(TensorType(dtype, v.shape)) for v in values], values


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
