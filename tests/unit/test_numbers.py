"""Python numbers beside tensors: their text, their effect on types, and the types that represent them."""

from __future__ import annotations

import math

import pytest

from polyjuice.egraph import Rewriter, load
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.generate import instances
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.ops import GraphBuilder, TypeMismatch, numbers
from polyjuice.ops.scalars import OPS


def numbered(op: str, dtype: str, **attrs: str) -> Graph:
    build = GraphBuilder()
    return build.build([build.op(op, build.input(TensorType(dtype, (3,))), domain="aten", **attrs)])


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), 2.0, 0.1, 1e300, math.inf, -0.0])
def test_a_text_is_the_number_and_its_kind(number: int | float) -> None:
    parsed = numbers.parse(numbers.text(number))
    assert (type(parsed), parsed, math.copysign(1, parsed)) == (type(number), number, math.copysign(1, number))


@pytest.mark.parametrize("dtype", ["float8e4m3fn", "float8e5m2", "float16", "float32"])
def test_an_element_of_a_floating_type_keeps_its_sign_and_its_fraction(dtype: str) -> None:
    assert [float(numbers.element(number, dtype)) for number in (-1.0, 0.5, -1.5)] == [-1.0, 0.5, -1.5]


@pytest.mark.parametrize("text", ["", "x", "1 + 1", str(2**63), str(-(2**63) - 1)])
def test_what_torch_takes_for_no_number_is_refused(text: str) -> None:
    with pytest.raises(TypeMismatch):
        numbers.parse(text)


@pytest.mark.parametrize(
    ("dtype", "number", "promoted"),
    [
        ("int8", 300, "int8"),
        ("int8", 2.0, "float32"),
        ("int64", 1.5, "float32"),
        ("bool", 1, "int64"),
        ("bool", 1.0, "float32"),
        ("bfloat16", 1.7, "bfloat16"),
        ("float16", 2**40, "float16"),
    ],
)
def test_a_number_decides_the_kind_and_never_the_width(dtype: str, number: int | float, promoted: str) -> None:
    assert numbered("add.Scalar", dtype, other=numbers.text(number)).output_types[0].dtype == promoted


@pytest.mark.parametrize(
    ("number", "dtype", "held"),
    [
        (300, "int8", False),
        (300, "bfloat16", True),
        (301, "bfloat16", False),
        (2.0, "int32", False),
        (1.7, "float32", False),
        (0.5, "float16", True),
        (1e300, "float64", True),
        (1e300, "float32", False),
        (-0.0, "float32", False),
        (1, "bool", False),
    ],
)
def test_a_type_holds_a_number_that_keeps_it(number: int | float, dtype: str, held: bool) -> None:
    assert numbers.held(number, dtype) == held


def test_what_torch_refuses_is_ill_typed() -> None:
    for op, dtype, attrs in (
        ("clamp_min.default", "uint8", {"min": "300"}),
        ("pow.Tensor_Scalar", "int8", {"exponent": "200"}),
        ("bitwise_and.Scalar", "int8", {"other": "1.5"}),
        ("sub.Scalar", "bool", {"other": "1"}),
    ):
        with pytest.raises((GraphError, TypeMismatch)):
            numbered(op, dtype, **attrs)


def test_a_file_keeps_every_digit_of_a_number() -> None:
    graph = numbered("mul.Scalar", "float64", other="0.1")
    assert from_model(to_model(graph)).nodes[0].attrs == {"other": "0.1"}


def test_every_operator_is_drawn_in_every_type() -> None:
    for op in OPS:
        for dtype in op.types[op.inputs[0]]:
            assert instances.some_signature(op, dtype), (op.name, dtype)


def variants(graph: Graph, rules: str) -> set[tuple[str, ...]]:
    rewriting = Rewriter(load(only=[rules])).rewrite(graph, 1, "random", 12)
    return {tuple(node.qualified for node in variant.graph.nodes) for variant in rewriting.variants}


def test_rules_lead_to_the_operator_on_two_tensors_where_the_type_has_the_number() -> None:
    assert variants(numbered("add.Scalar", "bfloat16", other="1.5"), "add-number") == {("Add",), ("aten.add.Scalar",)}
    assert variants(numbered("add.Scalar", "int8", other="100"), "add-number") == {("Add",), ("aten.add.Scalar",)}
    assert variants(numbered("add.Scalar", "bfloat16", other="1.7"), "add-number") == {("aten.add.Scalar",)}
    assert variants(numbered("add.Scalar", "int8", other="300"), "add-number") == {("aten.add.Scalar",)}


def test_rules_cast_narrow_integers_beside_a_floating_number() -> None:
    cast = ("Cast", "aten.lt.Scalar")
    assert variants(numbered("lt.Scalar", "uint8", other="2.5"), "lt-number-cast") == {cast, ("aten.lt.Scalar",)}
    assert variants(numbered("lt.Scalar", "int64", other="2.5"), "lt-number-cast") == {("aten.lt.Scalar",)}
