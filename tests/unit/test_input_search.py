"""The search for inputs without NaN or infinity in a graph: derivatives, losses of operators, and the search itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from polyjuice.generate import generate
from polyjuice.generate.instances import instance, some_signature
from polyjuice.inputs import find, finite_everywhere, make_inputs, settle
from polyjuice.inputs.derivatives import pullback, pullback_graph
from polyjuice.inputs.descent import descend
from polyjuice.inputs.domains import vulnerable
from polyjuice.inputs.random_values import FARTHEST, normal
from polyjuice.inputs.search import find_integers
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, Node, TensorType, digest, dtypes, uniform_value
from polyjuice.ops import TABLE, Op
from tests.support.graphs import apply, graph

PROXIES = {
    *("GridSample", "QuantizeLinear", "DynamicQuantizeLinear", "ScatterElements", "ScatterND"),
    *("MaxRoiPool", "MaxUnpool", "aten.max_unpool2d", "aten.max_unpool3d", "aten.index_reduce", "aten.logdet"),
    *("aten.any", "aten.all", "aten.count_nonzero", "aten.linalg_vector_norm"),  # they count, or may do so
}
"""Operators with an approximate derivative, on all operands or on some."""

FLOATING = [op for op in TABLE.values() if op.accepts(0, "float32") and some_signature(op, "float32")]


def some_instances(op: Op, count: int) -> list[Graph]:
    signature = some_signature(op, "float32")
    rng = random.Random(op.qualified)
    return [graph for _ in range(count) if (graph := instance(signature, rng))]


def some_values(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Positive floating values away from integers, where most operators are smooth, in float64."""
    if not dtypes.is_float(t.dtype):
        return np.asarray(rng.integers(0, 2, t.shape)).astype(dtypes.to_numpy(t.dtype))
    return np.asarray(rng.uniform(0.15, 0.85, t.shape))


JUMPS = {"BitCast", "aten.view.dtype"}
"""Operators whose results jump with every change of an operand."""

SMOOTH = [
    op
    for op in FLOATING
    if op.qualified not in {*PROXIES, *JUMPS} and dtypes.COMPLEX[0] not in op.results  # complex ones have none
]


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.qualified)
def test_derivatives_are_those_that_differences_show(op: Op) -> None:
    rng = np.random.default_rng(1)
    for one in some_instances(op, 2):
        inputs = [some_values(t, rng) for t in one.input_types]
        if op.qualified == "Acosh":
            inputs = [x + 1 for x in inputs]
        weights = [rng.standard_normal(np.shape(y)) for y in evaluate(one, inputs, "float64")]

        def loss(values: Sequence[np.ndarray], one: Graph = one, weights: Sequence[np.ndarray] = weights) -> float:
            return sum(float(np.sum(w * y)) for w, y in zip(weights, evaluate(one, values, "float64"), strict=True))

        for i, cotangent in enumerate(pullback_graph(one, inputs, weights, proxies=False)):
            if inputs[i].dtype.kind != "f":
                continue
            for place in rng.integers(inputs[i].size, size=4):
                step = np.zeros(inputs[i].size)
                step[place] = 1e-6
                ahead, behind = (
                    loss([*inputs[:i], inputs[i] + s, *inputs[i + 1 :]])
                    for s in (step.reshape(inputs[i].shape), -step.reshape(inputs[i].shape))
                )
                slope = 0.0 if cotangent is None else cotangent.reshape(-1)[place]
                assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-3, abs=1e-3), (one, i, place)


@pytest.mark.parametrize("name", ["Floor", "Ceil", "Round", "Sign", "Relu", "Clip"])
def test_flat_functions_have_proxy_derivatives_that_show_their_trend(name: str) -> None:
    x = np.array([-3.4, -0.3, 0.0])
    attrs = {"min": 0.0, "max": 5.0} if name == "Clip" else {}
    node = Node(name, ("x",), ("y",), attrs)
    y = np.asarray(TABLE["", name].numpy([x], attrs))
    (rising,) = pullback(node, [x], [np.ones(3)], [y])
    (falling,) = pullback(node, [x], [-np.ones(3)], [y])
    assert (rising > 0).all()
    assert (falling < 0).all()
    assert (rising < 10).all()


def test_comparisons_and_casts_pass_a_trend_on() -> None:
    """The loss log(number of positive elements) has no derivative, but the search needs its direction."""
    body = "Log(ReduceSum(Cast(Greater(x, [0] * 4), to='float32'), axes=(), keepdims=0))"
    made = graph("float32[4] x", body)
    start = {"x": np.array([-1, -2, -0.5, -3], np.float32), **made.constants}
    assert descend(made, start, ["x"], 24).finite


CASES = {
    "log": ("float32", "Log(x)"),
    "square root": ("bfloat16", "Sqrt(x)"),
    "division by floor": ("float32", "Div(x, Floor(Abs(x)))"),
    "asin": ("float16", "Asin(Mul(x, 3))"),
    "power": ("float64", "Pow(x, [0.5])"),
    "power of a large exponent": ("float32", "Pow(Exp(Exp(x)), Exp(x))"),
    "exp of exp in float16": ("float16", "Exp(Exp(Add(x, x)))"),
    "acosh of a sigmoid's double": ("float32", "s = Sigmoid(x); Acosh(Add(s, s))"),
    "log of the root of the log": ("float32", "Log(Sqrt(Log(x)))"),
    "atanh of a sum": ("float32", "Atanh(ReduceSum(x, axes=(1,), keepdims=0))"),
    "log of a product of matrices": ("float32", "Log(MatMul(x, [[1] * 3] * 40))"),
    "reciprocal of a difference": ("float32", "Reciprocal(Relu(x))"),
    "sums of negative logs": ("float32", "ReduceLogSum(x, axes=(1,), keepdims=0)"),
    "gamma": ("float32", "aten.lgamma(Round(x))"),
    "variance of a constant line": ("float32", "MeanVarianceNormalization(Clip(x, min=5.0, max=7.0), axes=(1,))"),
}


@pytest.mark.parametrize("case", CASES)
def test_inputs_are_found_for_each_kind_of_domain(case: str) -> None:
    dtype, body = CASES[case]
    made = graph(f"{dtype}[6,40] x", body)
    start = [normal(t, np.random.default_rng(3)) for t in made.input_types]
    assert not finite_everywhere(made, start)
    inputs = find(made, start).inputs(made)
    assert finite_everywhere(made, inputs)
    assert [v.dtype for v in inputs] == [v.dtype for v in start]
    assert all(np.abs(v.astype(float)).max() <= FARTHEST for v in inputs)


def typed(graph: Graph, values: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The values of a graph's inputs in the inputs' own types."""
    return [
        np.asarray(values[name]).astype(dtypes.to_numpy(t.dtype))
        for name, t in zip(graph.inputs, graph.input_types, strict=True)
    ]


@pytest.mark.parametrize("op", [op for op in FLOATING if op.distance_to_domain], ids=lambda op: op.qualified)
def test_operands_moved_by_what_they_lack_are_in_the_domain(op: Op) -> None:
    rng = np.random.default_rng(5)
    outside = 0
    for one in some_instances(op, 12):
        node, types = one.nodes[0], dict(zip(one.inputs, one.input_types, strict=True))
        for kind in (lambda a: a, np.zeros_like, lambda a: 0.25 - np.abs(a)):
            values = {name: kind(rng.standard_normal(t.shape)) for name, t in types.items()} | dict(one.constants)
            if finite_everywhere(one, typed(one, values)):
                continue
            outside += 1
            lacks = op.distance_to_domain([np.asarray(values[name]) for name in node.inputs], node.attrs)
            moved = {name: np.asarray(values[name]) + lacks.get(i, 0) for i, name in enumerate(node.inputs)}
            assert finite_everywhere(one, typed(one, moved))
    assert outside or op.qualified == "BatchNormalization"  # its instances have a constant variance


def test_nothing_is_looked_for_beyond_the_range() -> None:
    for least, reachable in ((7.5, True), (8.5, False)):
        assert find(graph("float32[3] x", f"Log(Sub(x, [{least}] * 3))"), [np.zeros(3, np.float32)]).finite == reachable


def test_only_what_must_change_does() -> None:
    made = apply("Sqrt", "float32[100]")
    (start,) = make_inputs(apply("Neg", "float32[100]"), "normal", 0)
    (found,) = find(made, [start]).inputs(made)
    assert np.array_equal(found[start >= 0.02], start[start >= 0.02])
    assert (found[start < 0] > 0).all()


@pytest.mark.parametrize("proxies", [True, False])
def test_proxy_derivatives_lead_through_flat_parts(proxies: bool) -> None:
    made = graph("float32[4] x", "Log(Relu(x))")
    start = {"x": np.array([-1, -2, -0.5, -3], np.float32)}
    assert descend(made, start, ["x"], 24, proxies=proxies).finite == proxies


def test_the_taken_branch_is_looked_into() -> None:
    branches = {
        f"{key}_branch": graph("bool[] c; float32[5] y", f"{op}(y)") for key, op in (("then", "Log"), ("else", "Neg"))
    }
    made = graph("bool[] condition; float32[5] x", "If(condition, x, **branches)", branches=branches)
    found = descend(made, {"condition": np.array(True), "x": np.linspace(-1, 1, 5, dtype=np.float32)}, ["x"], 24)
    assert found.finite
    assert (found.values["x"] > 0).all()


def test_operators_that_are_known_as_vulnerable_are_those_that_fail_on_moderate_values() -> None:
    rng = np.random.default_rng(0)
    failing = set()
    kinds: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda a: a, np.zeros_like, lambda a: -np.abs(a) - 0.1, lambda a: 0.5 * np.tanh(a), lambda a: 50 * a,
    ]  # fmt: skip
    unknown = set()
    for op in FLOATING:
        for one in some_instances(op, 2):
            for kind in kinds:
                values = [normal(t, rng) for t in one.input_types]
                values = [kind(v) if v.dtype.kind == "f" else v for v in values]
                if not finite_everywhere(one, values):
                    failing.add(op.qualified)
                    if op.qualified not in ("If", "Loop") and not vulnerable(one.nodes[0], one.output_types):
                        unknown.add(op.qualified)
    assert not unknown
    assert len(failing) > 25


def test_a_graph_that_is_finite_is_left_as_it_is() -> None:
    graphs = [generate(10, seed) for seed in range(40)]
    harmless = [g for g in graphs if not any(vulnerable(n, [g.types[o] for o in n.outputs if o]) for n in g.nodes)]
    assert len(harmless) > 5
    assert all(settle(graph, "same") is graph for graph in harmless)


def test_a_constant_that_must_change_does_and_no_other() -> None:
    made = graph("float32[4] x", "Div(Add(x, [-2, -1, 0, 1]), [0] * 4)")
    kept, zero = made.constants
    settled = settle(made, 0)
    assert uniform_value(settled.constants[zero])
    assert np.array_equal(settled.constants[kept], made.constants[kept])
    assert settled.inputs == made.inputs
    assert settled.nodes == made.nodes
    assert finite_everywhere(settled, make_inputs(settled, "normal", 1))


def test_a_constant_of_one_value_keeps_one() -> None:
    body = "Log(Add(Cast(four, to='float32'), [0] * 4)), Neg(x)"
    made = graph("float32[4] x", body.replace("four", "np.array([-1, 2, 3, 4])"))
    settled = settle(made, 0)
    assert (uniform_value([*settled.constants.values()][-1]) or 0) > 1
    assert settled.nodes == made.nodes


def test_an_operand_that_no_values_make_finite_is_read_from_a_new_input() -> None:
    made = graph("float32[4] x", "Log(Sub(x, x))")
    settled = settle(made, 0)
    assert len(settled.inputs) == 2
    assert [n.op for n in settled.nodes] == ["Sub", "Log"]
    assert settled.outputs == (*made.outputs, made.nodes[0].outputs[0])
    assert finite_everywhere(settled, make_inputs(settled, "normal", 1))


def test_generated_graphs_are_finite_almost_always_within_the_range() -> None:
    finite = plain = 0
    for seed in range(40):
        graph = generate(15, f"whole {seed}")
        plain += finite_everywhere(graph, [normal(t, np.random.default_rng(seed)) for t in graph.input_types])
        graph = settle(graph, seed)
        inputs = make_inputs(graph, "normal", seed)
        finite += finite_everywhere(graph, inputs)
        assert all(np.abs(v.astype(float)).max(initial=0) <= FARTHEST for v in inputs)
    assert plain <= finite - 3
    assert finite >= 39


def test_the_same_arguments_give_the_same_values() -> None:
    for seed in range(20):
        graph = generate(12, f"same {seed}")
        one, other = settle(graph, seed), settle(graph, seed)
        assert digest(one) == digest(other)
        pairs = zip(make_inputs(one, "normal", 5), make_inputs(other, "normal", 5), strict=True)
        assert all(a.tobytes() == b.tobytes() for a, b in pairs)


def test_values_keep_their_types_and_shapes() -> None:
    made = graph("float32[] x; int32[] n", "Log(x), Log(Cast(n, to='float64'))")
    for profile in ("normal", "exact"):
        for seed in range(6):
            inputs = make_inputs(made, profile, seed)
            assert finite_everywhere(made, inputs)
            assert all(isinstance(v, np.ndarray) for v in inputs)
            assert [TensorType(dtypes.dtype_of(v), v.shape) for v in inputs] == list(made.input_types)


@pytest.mark.parametrize("dtype", ["uint4", "int4", "uint8", "int8"])
@pytest.mark.parametrize("body", ["Sqrt(Sub(1.5, Cast(x, to='float32')))", "Sqrt(Neg(Cast(x, to='float32')))"])
def test_integers_keep_their_type_where_they_change(dtype: str, body: str) -> None:
    made, start = graph(f"{dtype}[4] x", body), np.array([0, 1, 2, 7]).astype(dtypes.to_numpy(dtype))
    found = find_integers(made, [start])
    assert found.values["x"].dtype == start.dtype
    assert found.finite == ("Sub" in body or dtypes.is_signed(dtype))


def test_a_node_without_a_value_is_not_finite() -> None:
    made = graph("float32[3] x; int64[2] i", "Log(Gather(x, i, axis=0))")
    start = [np.array([-1, -2, -3], np.float32), np.array([0, 7])]
    assert not finite_everywhere(made, start)
    assert not find(made, start).finite
    assert find(made, [start[0], np.array([0, 1])]).finite


def test_integer_inputs_change_only_if_asked() -> None:
    made, start = graph("int64[6] x", "Log(Cast(x, to='float32'))"), [np.array([-2, -1, 0, 1, 2, 3])]
    assert not find(made, start).finite
    found = find(made, start, integers=True)
    assert found.finite
    assert np.array_equal(found.values["x"], [2, 1, 1, 1, 2, 3])


@pytest.mark.parametrize(("dtype", "name"), [("int32", "Div"), ("int64", "Mod"), ("float32", "Div")])
def test_exact_inputs_do_not_divide_by_zero(dtype: str, name: str) -> None:
    zeros = 0
    for seed in range(5):
        dividend, divisor = make_inputs(apply(name, f"{dtype}[50]", f"{dtype}[50]"), "exact", seed)
        assert divisor.all()
        assert np.array_equal(divisor, np.rint(divisor))
        zeros += (dividend == 0).sum()
    assert zeros, "the dividend may be zero"


def test_exact_inputs_are_positive_under_a_root() -> None:
    (values,) = make_inputs(graph("float32[50] x", "Sqrt(Neg(x))"), "exact", 0)
    assert (values < 0).all()
    assert np.array_equal(values, np.rint(values))
