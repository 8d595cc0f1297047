"""The judgement of a result: its wrong elements, their distance, and the message."""

from __future__ import annotations

import numpy as np
import pytest

from polyjuice.ir import TensorType, dtypes
from polyjuice.numerics import SAFETY, Analysis, describe, judge, listing, mistyped


def analysis(reference: object, bound: object, exact: bool = False, dtype: str = "float32") -> Analysis:
    array = np.asarray(reference, np.float64 if dtypes.is_float(dtype) else dtypes.to_numpy(dtype))
    return Analysis(
        TensorType(dtype, array.shape), array, np.broadcast_to(np.asarray(bound, np.float64), array.shape), exact
    )


def test_an_element_is_wrong_beyond_its_bound_and_a_masked_one_never() -> None:
    known = analysis([1.0, 1.0, 1.0, 1.0], [0.1, 0.1, np.inf, 0.0])
    judgement = judge(np.array([1.0 + SAFETY * 0.1 - 1e-6, 1.5, 99.0, 1.0]), known)
    assert judgement.wrong.tolist() == [False, True, False, False]
    assert judgement
    assert judgement.worst == (1,)
    np.testing.assert_allclose(judgement.excess[1], 5.0)
    assert not judge(known.reference, known)


def test_what_the_uncompiled_run_gets_as_wrong_is_not_held_against_the_compiler() -> None:
    known = analysis([1.0, 1.0, 1.0], 0.1)
    result = np.array([2.0, 2.0, 2.0])
    assert judge(result, known, plain=np.array([1.0, 2.0, 3.0])).wrong.tolist() == [True, False, False]


def test_the_worst_element_is_farthest_outside_its_bound_not_farthest_off() -> None:
    known = analysis([0.0, 0.0, 0.0], [1.0, 1e-6, 1e-6])
    assert judge(np.array([100.0, 1e-3, 2e-3]), known).worst == (2,)


def test_nan_and_infinity_are_right_where_they_are_expected() -> None:
    known = analysis([np.nan, np.inf, -np.inf, 1.0, np.nan], 0.0)
    judgement = judge(np.array([np.nan, np.inf, np.inf, np.nan, 0.0]), known)
    assert judgement.wrong.tolist() == [False, False, True, True, True]
    assert "is not even near at 3 of 5 elements ([2], [3], [4])" in describe(
        "max", np.full(5, np.inf), known, judgement
    )


def test_a_mismatch_says_who_is_wrong_by_how_much_and_where() -> None:
    known = analysis(np.ones((2, 3)), 1e-5)
    result = np.ones((2, 3))
    result[0, 1], result[1, 2] = 1.5, 4.1
    assert describe("min", result, known, judge(result, known)) == (
        "min is off by 3.1e+05 times its error bound at 2 of 6 elements ([0, 1], [1, 2]); "
        "at [1, 2] it gives 4.1, and float64 1"
    )


def test_an_exact_result_that_is_off_says_so_without_a_ratio() -> None:
    known = analysis([7, 8], 0.0, exact=True, dtype="int64")
    result = np.array([7, 2**62 + 1])
    assert describe("max", result, known, judge(result, known)) == (
        "max is off by 4.61e+18 where the result is exact at 1 of 2 elements ([1]); "
        "at [1] it gives 4611686018427387905, and float64 8"
    )
    scalar = analysis(True, 0.0, dtype="bool")
    assert "at its only element; at [] it gives False, and float64 True" in describe(
        "a", np.array(False), scalar, judge(np.array(False), scalar)
    )


def test_a_listing_is_cut_short() -> None:
    assert listing(np.ones(6, bool), most=2) == "6 of 6 elements ([0], [1], ...)"
    assert listing(np.zeros((2, 2), bool)) == "0 of 4 elements"


@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_a_result_of_another_type_or_shape_is_told(dtype: str) -> None:
    result = np.zeros((2, 3), dtypes.to_numpy(dtype))
    assert mistyped(result, TensorType(dtype, (2, 3))) == ""
    for other in dtypes.ALL:
        if other != dtype:
            assert mistyped(result, TensorType(other, (2, 3))) == f"element type {result.dtype}, not {other}"
    assert mistyped(result, TensorType(dtype, (3, 2))) == "shape (2, 3), not (3, 2)"
    assert " and " in mistyped(np.zeros(2, "datetime64[s]"), TensorType(dtype, ()))
