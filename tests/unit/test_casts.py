"""A cast is a rounding that the program asks for. It is part of the meaning, and a compiler must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from polyjuice import compilers
from polyjuice.inputs import mode
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import Analysis, Mode, analyse, judge
from polyjuice.ops import GraphBuilder

X = np.array([0.1, -1 / 3, 1e-3, 2.0, 0.0])


def casts(dtype: str, *types: str, sums: int = 0) -> Graph:
    """Casts of an input, or of its sum with itself, from type to type."""
    build = GraphBuilder()
    y = build.input(TensorType(dtype, (5,)))
    for _ in range(sums):
        y = build.op("Mul", y, y)
    for t in types:
        y = build.op("Cast", y, to=t)
    return build.build([y])


def analysed(graph: Graph, x: np.ndarray, mode: Mode | None = None) -> Analysis:
    return analyse(graph, [x], mode=mode or Mode())[0]


@pytest.mark.parametrize(("wide", "narrow"), [("float64", "float32"), ("float32", "float16"), ("float32", "bfloat16")])
def test_a_cast_that_a_compiler_drops_is_wrong(wide: str, narrow: str) -> None:
    graph, x = casts(wide, narrow, wide), X.astype(wide)
    analysis = analysed(graph, x)
    assert not judge(evaluate(graph, [x])[0], analysis)
    assert judge(x, analysis).wrong.tolist() == [True, True, True, False, False]


def test_a_compiler_may_leave_out_casts_to_the_types_that_it_documents() -> None:
    graph, x = casts("float32", "float16", "float32"), X.astype(np.float32)
    info = compilers.find("inductor")
    assert set(info.excess_precision) == {"float16", "bfloat16"}
    analysis = analysed(graph, x, mode("normal", info.format, info.excess_precision))
    assert not judge(evaluate(graph, [x])[0], analysis)
    assert not judge(x, analysis)
    dropped = casts("float64", "float32", "float64")
    assert judge(X, analysed(dropped, X, mode("normal", info.format, info.excess_precision)))


def test_errors_of_the_operand_reach_the_next_number_only_near_a_tie() -> None:
    graph = casts("float32", "float16", sums=1)
    analysis = analysed(graph, np.array([0.1, 1.0, 3.0, 0.7, 1.00024414], np.float32))
    spacing = np.spacing(np.abs(analysis.reference).astype(np.float16)).astype(float)
    assert analysis.bound[:4].max() < 1e-4 * spacing[:4].min() + 2 * 2.0**-14
    near_a_tie = np.array([1 + 2.0**-11 + 2.0**-24] * 5, np.float32) ** 0.5
    assert analysed(graph, near_a_tie.astype(np.float32)).bound.max() >= 2.0**-10


def test_integers_beyond_a_type_are_rounded_exactly() -> None:
    x = np.array([2**30 + 1, -(2**29) - 3, 5, 0, 2**24 + 1], np.float64)
    analysis = analysed(casts("float64", "float32", "float64"), x)
    assert analysis.reproducible
    assert analysis.reference.tolist() == x.astype(np.float32).astype(float).tolist()
    assert not analysis.bound.any()


def test_what_frameworks_round_twice_is_not_exact() -> None:
    """To float16 through float32: 2049 + 2^-20 is a tie in float32 and rounded down. In float64 it is above the tie."""
    x = np.array([2049 + 2.0**-20, 1.0, 2.0, 3.0, 4.0])
    analysis = analysed(casts("float64", "float16"), x)
    assert analysis.bound[0] >= 2
    assert not analysis.bound[1:].any()


def test_what_overflows_is_unknown_and_infinity_stays() -> None:
    analysis = analysed(casts("float32", "float16"), np.array([1e6, np.inf, 1.0, 65504.0, -np.inf], np.float32))
    assert np.isinf(analysis.bound).tolist() == [True, False, False, False, False]


def test_integers_that_are_narrowed_wrap_around() -> None:
    x = np.array([300, -129, 5, 127, 128], np.int32)
    analysis = analysed(casts("int32", "int8"), x, Mode(wrap=True))
    assert analysis.reference.tolist() == [44, 127, 5, 127, -128]
    assert not analysis.bound.any()
