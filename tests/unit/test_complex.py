"""Complex numbers: reference values, bounds on the modulus, exactness, masks, and the compilers that get them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.generate import Turn, generate
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, complexes
from polyjuice.numerics import analyse, distance, judge
from polyjuice.ops import TABLE, GraphBuilder
from polyjuice.triage.reproducers.arrays import Arrays

Z = np.array([3 + 4j, -1 + 2j, 0.5 - 0.25j], np.complex64)
W = np.array([1 - 1j, 2 + 0j, -3 + 0.125j], np.complex64)


def applied(name: str, *arrays: np.ndarray, **attrs: Any) -> Graph:
    builder = GraphBuilder()
    dtypes = {"c": "complex64", "f": "float32"}
    names = [builder.input(TensorType(dtypes[x.dtype.kind], x.shape)) for x in arrays]
    return builder.build([builder.op(name, *names, domain="aten", **attrs)])


@pytest.mark.parametrize(
    ("name", "arrays", "wanted"),
    [
        ("conj", [Z], Z.conj()),
        ("abs.complex", [Z], np.abs(Z.astype(complex))),
        ("mul.complex", [Z, W], Z.astype(complex) * W),
        ("complex", [Z.real.copy(), Z.imag.copy()], Z),
        ("view_as_real", [Z], np.stack([Z.real, Z.imag], -1)),
        ("imag", [Z], Z.imag),
    ],
)
def test_an_operator_has_its_value_in_double_precision(name: str, arrays: list[np.ndarray], wanted: np.ndarray) -> None:
    graph = applied(name, *arrays)
    (analysis,) = analyse(graph, arrays)
    assert analysis.reference == pytest.approx(wanted, rel=1e-15)
    assert analysis.reference.dtype in (np.float64, np.complex128)
    (own,) = evaluate(graph, arrays)
    assert own.dtype in (np.float32, np.complex64)
    assert (distance(own, analysis.reference) <= 2 * analysis.bound).all()


def test_a_part_that_is_off_is_wrong_and_so_is_a_conjugate_that_was_lost() -> None:
    x = np.array([0.1 + 0.3j], np.complex64)
    (analysis,) = analyse(applied("mul.complex", x, x), [x, x])
    right = (x * x).astype(np.complex64)
    assert not judge(right, analysis)
    assert judge(right.conj(), analysis)
    assert judge(right + np.complex64(1e-4j), analysis)


def test_gaussian_integers_are_exact_until_a_partial_sum_leaves_single_precision() -> None:
    small, large = np.array([3 + 4j], np.complex64), np.array([4097 + 4096j], np.complex64)
    assert analyse(applied("mul.complex", small, small), [small, small])[0].reproducible
    assert not analyse(applied("mul.complex", large, large), [large, large])[0].reproducible


@pytest.mark.parametrize("part", [np.inf, -np.inf, np.nan])
def test_a_number_with_a_part_that_is_not_finite_is_masked(part: float) -> None:
    z = complexes.joined(np.array([1, part], np.float32), np.array([1, 0], np.float32))
    for name in ("conj", "abs.complex", "view_as_real"):
        bound = analyse(applied(name, z), [z])[0].bound
        assert np.isfinite(bound[0]).all()
        assert np.isinf(bound[1]).all()


def test_the_angle_is_masked_at_zero_and_on_the_negative_axis() -> None:
    z = np.array([1 + 1j, -1 + 1j, -2, 0, 2], np.complex64)
    assert np.isinf(analyse(applied("angle", z), [z])[0].bound).tolist() == [False, False, True, True, False]


def test_the_distance_of_complex_numbers_is_the_modulus_and_keeps_infinities_apart() -> None:
    a = complexes.joined(np.array([0.0, np.inf, np.nan]), np.zeros(3))
    assert distance(a, a).tolist() == [0, 0, 0]
    assert distance(a, np.array([3 + 4j, 0, 0])).tolist() == [5, np.inf, np.inf]


def test_a_stored_graph_keeps_complex_constants() -> None:
    builder = GraphBuilder()
    x = builder.input(TensorType("complex64", (3,)))
    graph = builder.build([builder.op("add.complex", x, builder.constant(W), domain="aten")])
    again = from_model(to_model(graph))
    assert evaluate(again, [Z])[0].tolist() == (Z + W).tolist()


def test_a_reproducer_writes_complex_arrays_as_they_are() -> None:
    z = complexes.joined(np.array([-0.0, 0.1, np.inf], np.float32), np.array([1.0, -0.0, np.nan], np.float32))
    text = Arrays(format="onnx", device="cpu", inline=True).numpy("x", z)
    back = eval(text, {"np": np})
    assert back.tobytes() == z.tobytes()


def test_only_programs_for_torch_have_complex_numbers() -> None:
    everything = list(TABLE.values())

    def count(strategy: str, operators: Any) -> int:
        graphs = [generate(4, f"c{i}", strategy=strategy, memory=Turn(3, i), operators=operators) for i in range(60)]
        return sum(any(t.dtype == "complex64" for t in graph.types.values()) for graph in graphs)

    assert count("complex", everything) > 50
    assert count("small", None) == count("default", None) == 0
