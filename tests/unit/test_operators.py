"""Kinds of operators: axes, indices, Python numbers, complex numbers, memory, and tensors without elements."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from polyjuice.egraph import Rewriter, load
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.generate import Turn, generate, instances
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, TensorType, complexes, digest, dtypes
from polyjuice.numerics import Mode, analyse, distance, judge
from polyjuice.numerics.judgement import mistyped
from polyjuice.ops import (
    TABLE,
    GraphBuilder,
    Op,
    Operand,
    ShapeMismatch,
    TypeMismatch,
    axes,
    complete_attrs,
    infer,
    matching,
    numbers,
)
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.ops.memory import SEEN, seen_as
from polyjuice.ops.sampling import restricted_values
from polyjuice.ops.scalars import OPS
from polyjuice.triage.reproducers.arrays import Arrays
from tests.support.applications import application, one_node, random_array
from tests.support.graphs import apply, graph, typed

INSTANCES = 12


WITH_AXES = [
    pytest.param(op, id=op.qualified) for op in TABLE.values() if axes.NAMES & {attr.name for attr in op.attrs}
]


@pytest.mark.parametrize("op", WITH_AXES)
def test_axes_may_be_counted_from_the_end(op: Op) -> None:
    compared = 0
    for seed in range(INSTANCES):
        operands, attrs = application(op, random.Random(seed))
        ranks = operands[0].type.rank, infer(op, [operand.type for operand in operands], attrs)[0].rank
        negative = axes.from_the_end(op.name, attrs, *ranks)
        assert axes.from_the_front(op.name, negative, *ranks) == attrs
        graph, other = one_node(op, operands, attrs), one_node(op, operands, negative)
        inputs = [random_array(np.random.default_rng(seed), operand) for operand in operands]
        try:
            evaluate(graph, inputs, "float64")
        except EvaluationError:
            continue
        for a, b in zip(analyse(graph, inputs), analyse(other, inputs), strict=True):
            np.testing.assert_array_equal(a.reference, b.reference)
            np.testing.assert_array_equal(a.bound, b.bound)
        compared += negative != attrs
        assert_decomposed_alike(graph, other, inputs)
    assert compared


def assert_decomposed_alike(graph: Graph, other: Graph, inputs: list[np.ndarray]) -> None:
    try:
        values = evaluate(decompose(graph, OPSET), inputs, "float64")
    except (NoDecomposition, EvaluationError):
        return
    for a, b in zip(values, evaluate(decompose(other, OPSET), inputs, "float64"), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("format", ["torch", "tensorflow", "onnx"])
def test_programs_count_axes_from_either_side(format: str) -> None:
    op = TABLE["", "Softmax"]
    operands, attrs = application(op, random.Random(1), "float32")
    assert attrs["axis"] >= 0
    written = set()
    for seed in range(20):
        try:
            written.add("axes counted from the end" in lower(one_node(op, operands, attrs), format, seed).idioms)
        except Unlowerable as error:
            pytest.fail(str(error))
    assert written == {True, False}


def scattering(reduction: str, size: int = 4, indices: int = 3) -> Graph:
    types = f"float32[{size}]", f"int64[{indices}]", f"float32[{indices}]"
    return apply("ScatterElements", *types, axis=0, reduction=reduction)


DATA = np.zeros(4, np.float32)
TWICE = np.array([1, 3, 1])
UPDATES = np.array([5, 6, 7], np.float32)


def test_an_element_that_is_written_twice_is_in_doubt() -> None:
    (analysis,) = analyse(scattering("none"), [DATA, TWICE, UPDATES])
    assert np.isinf(analysis.bound).tolist() == [False, True, False, False]


@pytest.mark.parametrize("indices", [[1, -3, 0], [-1, 3, 0]])
def test_indices_from_both_ends_may_mean_one_element(indices: list[int]) -> None:
    (analysis,) = analyse(scattering("none"), [DATA, np.array(indices), UPDATES])
    assert np.isinf(analysis.bound).sum() == 1


@pytest.mark.parametrize(("reduction", "wanted"), [("add", 12), ("mul", 0), ("max", 7), ("min", 0)])
def test_a_reduction_combines_all_that_is_written(reduction: str, wanted: float) -> None:
    inputs = [DATA, TWICE, UPDATES]
    (analysis,) = analyse(scattering(reduction), inputs)
    assert analysis.reproducible
    assert evaluate(scattering(reduction), inputs)[0][1] == wanted


def test_the_product_of_large_integers_is_not_exact_though_a_zero_makes_it_small() -> None:
    made = apply("ScatterND", "float32[1]", "int64[2,1]", "float32[2]", reduction="mul")
    (analysis,) = analyse(made, [np.float32([0]), np.zeros((2, 1), np.int64), np.full(2, 2.0**20, np.float32)])
    assert not analysis.reproducible


@pytest.mark.parametrize("op", ["Gather", "GatherElements"])
def test_an_index_that_may_be_another_masks_the_result(op: str) -> None:
    """The index is a cast of a value whose error could change the cast's result."""
    made = graph("float32[4] data; float32[3] x", f"{op}(data, Cast(Exp(x), to='int64'), axis=0)")
    for exact, is_masked in ([1, 2, 3], True), ([1.5, 2.5, 3.5], False):
        (analysis,) = analyse(made, [np.arange(4, dtype=np.float32), np.log(np.float32(exact))])
        assert np.isinf(analysis.bound).tolist() == [is_masked] * 3


@pytest.mark.parametrize("op", ["index_select", "take_along_dim", "index_add", "index_copy"])
def test_operators_of_atens_do_not_count_from_the_end(op: str) -> None:
    count = {"index_select": 2, "take_along_dim": 2}.get(op, 3)
    made = apply(f"aten.{op}", *("float32[3]", "int64[1]", "float32[1]")[:count], dim=0)
    with pytest.raises(EvaluationError, match="negative"):
        evaluate(made, [np.zeros(3, np.float32), np.array([-1]), np.ones(1, np.float32)][:count])


def test_an_index_out_of_range_is_hot_nowhere() -> None:
    (result,) = evaluate(apply("OneHot", "int64[4]", "float32[2]", depth=3, axis=1), [
        np.array([0, -1, 3, -4]), np.array([2, 5], np.float32)
    ])  # fmt: skip
    assert result.tolist() == [[5, 2, 2], [2, 2, 5], [2, 2, 2], [2, 2, 2]]


@pytest.mark.parametrize("seed", range(20))
def test_values_are_distinct_along_the_axis_and_in_range(seed: int) -> None:
    operand = Operand(TensorType("int64", (3, 4, 2)), (-6, -1), 1)
    values = restricted_values(np.random.default_rng(seed), operand)
    assert values.shape == (3, 4, 2)
    assert (np.diff(np.sort(values, axis=1), axis=1) > 0).all()
    assert (values >= -6).all()
    assert (values <= -1).all()


@pytest.mark.parametrize("name", ["ScatterElements", "ScatterND", "aten.index_copy"])
def test_what_is_sampled_writes_no_element_twice(name: str) -> None:
    (op,) = matching([name])
    rng, values = random.Random(name), np.random.default_rng(0)
    replacing = 0
    for _ in range(60):
        operands, attrs = application(op, rng, "float32")
        if attrs.get("reduction", "none") == "none":
            arrays = [random_array(values, operand) for operand in operands]
            (analysis,) = analyse(one_node(op, operands, attrs), arrays)
            assert np.isfinite(analysis.bound).all()
            replacing += 1
    assert replacing > 10


@pytest.mark.parametrize(
    ("mode", "opset", "wanted"),
    [
        ("constant", 18, [0, 0, 1, 2, 3, 0]),
        ("reflect", 18, [3, 2, 1, 2, 3, 2]),
        ("edge", 18, [1, 1, 1, 2, 3, 3]),
        ("wrap", 19, [2, 3, 1, 2, 3, 1]),
    ],
)
def test_a_padding_mode_and_the_opset_that_has_it(mode: str, opset: int, wanted: list[int]) -> None:
    made = apply("Pad", "int64[3]", pads=(2, 1), mode=mode)
    assert evaluate(made, [np.array([1, 2, 3])])[0].tolist() == wanted
    model = to_model(made)
    assert {o.domain: o.version for o in model.opset_import}[""] == opset
    assert digest(from_model(model)) == digest(made)


def numbered(op: str, dtype: str, **attrs: str) -> Graph:
    return apply(f"aten.{op}", f"{dtype}[3]", **attrs)


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


Z = np.array([3 + 4j, -1 + 2j, 0.5 - 0.25j], np.complex64)
W = np.array([1 - 1j, 2 + 0j, -3 + 0.125j], np.complex64)


def applied(name: str, *arrays: np.ndarray, **attrs: Any) -> Graph:
    dtypes = {"c": "complex64", "f": "float32"}
    return apply(f"aten.{name}", *(TensorType(dtypes[x.dtype.kind], x.shape) for x in arrays), **attrs)


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
    again = from_model(to_model(graph("complex64[3] x", "aten.add.complex(x, W)", W=W)))
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


def seen(dtype: str, shape: tuple[int, ...], **attrs: object) -> Graph:
    return apply("aten.view.dtype", TensorType(dtype, shape), **attrs)


@pytest.mark.parametrize("of", SEEN)
@pytest.mark.parametrize("to", SEEN)
def test_bytes_are_those_of_numpy(of: str, to: str) -> None:
    attrs = seen_as(TensorType(of, (3, 8)), to)
    x = np.random.default_rng(3).integers(1, 100, (3, 8)).astype(of)
    if attrs is None:
        assert np.dtype(of).itemsize == np.dtype(to).itemsize
        return
    graph = seen(of, (3, 8), **attrs)
    (result,) = evaluate(graph, [x])
    assert result.tobytes() == x.tobytes()
    (analysis,) = analyse(graph, [x], mode=Mode(wrap=True))
    assert (analysis.bound < 1e-37).all(), "denormal numbers may be flushed"
    assert np.asarray(analysis.reference).astype(to).tobytes() == x.tobytes()


def test_an_element_is_known_where_all_of_its_bytes_are() -> None:
    body = """y = Concat(x, Div(x, 3), axis=0)
aten.view.dtype(y, of="float32", to="int64", size=(3,)), aten.view.dtype(y, of="float32", to="int16", size=(12,))"""
    found = analyse(graph("float32[3] x", body), [np.float32([1, 2, 4])], mode=Mode(wrap=True))
    known = [np.isfinite(a.bound).tolist() for a in found]
    assert known == [[True, False, False], [True] * 6 + [False] * 6]


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"of": "int32", "to": "int32", "size": (2, 3)}, "of another width"),
        ({"of": "int32", "to": "int64", "size": (2, 1)}, "of another width"),
        ({"of": "int32", "to": "int16", "size": (2, 3)}, "has the shape"),
        ({"of": "float32", "to": "int16", "size": (2, 6)}, "is given as float32"),
        ({"of": "int32", "to": "bool", "size": (2, 12)}, "seen as bool"),
    ],
)
def test_what_is_no_such_view_is_refused(attrs: dict[str, object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        seen("int32", (2, 3), **attrs)


def test_seen_as_another_type_and_back_it_is_the_same() -> None:
    body = """y = aten.view.dtype(x, of="int64", to="int16", size=(2, 12))
Neg(aten.view.dtype(y, of="int16", to="int64", size=(2, 3)))"""
    rewriting = Rewriter(load(only=["view-dtype-back"])).rewrite(graph("int64[2,3] x", body), 1, "random", 12)
    assert ["Neg"] in [[node.op for node in variant.graph.nodes] for variant in rewriting.variants]


@pytest.mark.parametrize(("to", "valid"), [("int32", True), ("float32", True), ("int16", False), ("float64", False)])
def test_bits_are_cast_to_types_of_the_same_width(to: str, valid: bool) -> None:
    with nullcontext() if valid else pytest.raises(GraphError, match="BitCast"):
        apply("BitCast", "float32[2]", to=to)


_DRAWS = 12


def drawn(op: Op) -> Iterator[Graph]:
    """Applications of an operator to a first operand with a dimension of 0, where it accepts one."""
    for number in range(_DRAWS):
        rng = random.Random(f"{op.qualified} {number}")
        sizes = rng.choices((1, 2, 3), k=rng.randint(1, 4))
        sizes[rng.randrange(len(sizes))] = 0
        first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(sizes))
        sample = op.sample(rng, first)
        if sample is None:
            continue
        types = [first, *(operand.type for operand in sample.operands)]
        try:
            infer(op, types, complete_attrs(op, sample.attrs, first.dtype))
        except (ShapeMismatch, TypeMismatch):
            continue
        build = GraphBuilder()
        names = [build.input(first)]
        for operand in sample.operands:
            values = restricted_values(np.random.default_rng(number), operand) if operand.values else None
            names.append(build.input(operand.type) if values is None else build.constant(values))
        yield build.build(build.multi(op.name, *names, domain=op.domain, **sample.attrs))


@pytest.mark.parametrize("name", sorted({op.qualified for op in TABLE.values() if op.inputs}))
def test_an_operator_that_takes_no_elements_means_the_same_everywhere(name: str) -> None:
    (op,) = matching([name])
    for made in drawn(op):
        inputs = [np.ones(t.shape, dtypes.to_numpy(t.dtype)) for t in made.input_types]
        results = evaluate(made, inputs)
        assert not any(map(mistyped, results, made.output_types))
        assert [a.bound.shape for a in analyse(made, inputs)] == [x.shape for x in results]
        try:
            native = decompose(made, OPSET)
        except NoDecomposition:
            continue
        for result, other in zip(results, evaluate(native, inputs), strict=True):
            np.testing.assert_allclose(result.astype(np.float64), other.astype(np.float64), rtol=0.01)


def test_a_window_has_elements() -> None:
    """The reducer once left a pooling with windows of size 0, which no framework runs."""
    op = TABLE["", "MaxPool"]
    attrs = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "ceil_mode": 1}
    image = TensorType("float32", (1, 1, 2, 2))
    assert infer(op, [image], complete_attrs(op, {**attrs, "kernel_shape": (1, 1)}, "float32"))[0].shape == (1, 1, 2, 2)
    with pytest.raises(ShapeMismatch, match="at least 1"):
        infer(op, [image], complete_attrs(op, {**attrs, "kernel_shape": (0, 0)}, "float32"))


@pytest.mark.parametrize(
    ("op", "operands", "attrs"),
    [
        ("Mod", ("float32[2]", "float32[2]"), {"fmod": 0}),
        ("QuantizeLinear", ("float32[2]", "float16[]", "int8[]"), {}),
        ("Slice", ("float32[4]",), {"starts": (0, 1), "ends": (2, 3), "axes": (0, -1), "steps": (1, 1)}),
        ("Squeeze", ("float32[1,2]",), {"axes": ()}),
        ("Resize", ("float32[1,1,2,2]",), {"sizes": (1, 1, 4, 4), "mode": "linear", "exclude_outside": 1}),
    ],
)
def test_what_onnx_leaves_open_is_ill_typed(op: str, operands: tuple[str, ...], attrs: dict[str, object]) -> None:
    types = [typed(text) for text in operands]
    complete = complete_attrs(TABLE["", op], attrs, types[0].dtype)
    with pytest.raises((ShapeMismatch, TypeMismatch)):
        infer(TABLE["", op], types, complete)
