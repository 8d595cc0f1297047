"""The search for inputs without NaN or infinity in a graph: derivatives, losses of operators, and the search itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from polyjuice.generate import generate
from polyjuice.generate.instances import instance, some_signature
from polyjuice.inputs import derivatives, find, finite_everywhere, make_inputs, settle
from polyjuice.inputs.derivatives import pullback, pullback_graph
from polyjuice.inputs.descent import descend
from polyjuice.inputs.domains import vulnerable
from polyjuice.inputs.random_values import FARTHEST, normal
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, Node, TensorType, digest, dtypes, uniform_value
from polyjuice.ops import TABLE, GraphBuilder, Op

PROXIES = {
    *("GridSample", "QuantizeLinear", "DynamicQuantizeLinear", "ScatterElements", "ScatterND"),
    *("aten.any", "aten.all", "aten.count_nonzero", "aten.linalg_vector_norm"),  # they count, or may do so
}
"""Operators with an approximate derivative, on all operands or on some."""

FLOATING = [op for op in TABLE.values() if op.accepts(0, "float32") and some_signature(op, "float32")]


def some_instances(op: Op, count: int) -> list[Graph]:
    signature = some_signature(op, "float32")
    assert signature
    rng = random.Random(op.qualified)
    return [graph for _ in range(count) if (graph := instance(signature, rng))]


def some_values(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Positive floating values away from integers, where most operators are smooth, in float64."""
    if not dtypes.is_float(t.dtype):
        return np.asarray(rng.integers(0, 2, t.shape)).astype(dtypes.to_numpy(t.dtype))
    return np.asarray(rng.uniform(0.15, 0.85, t.shape))


def built(dtype: str, *shape: int) -> tuple[GraphBuilder, str]:
    builder = GraphBuilder()
    return builder, builder.input(TensorType(dtype, shape))


# --- derivatives -----------------------------------------------------------------------------------------------------


JUMPS = {"BitCast", "aten.view.dtype"}
"""Operators whose results jump with every change of an operand."""

SMOOTH = [
    op
    for op in FLOATING
    if op.qualified not in {*PROXIES, *JUMPS} and dtypes.COMPLEX[0] not in op.results  # complex ones have none
]


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.qualified)
def test_derivatives_are_those_that_differences_show(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivatives, "_WIDE_STEPS", ())  # no proxy derivatives
    rng = np.random.default_rng(1)
    for graph in some_instances(op, 2):
        inputs = [some_values(t, rng) for t in graph.input_types]
        if op.qualified == "Acosh":
            inputs = [x + 1 for x in inputs]
        weights = [rng.standard_normal(np.shape(y)) for y in evaluate(graph, inputs, "float64")]

        def loss(values: Sequence[np.ndarray], graph: Graph = graph, weights: Sequence[np.ndarray] = weights) -> float:
            return sum(float(np.sum(w * y)) for w, y in zip(weights, evaluate(graph, values, "float64"), strict=True))

        for i, cotangent in enumerate(pullback_graph(graph, inputs, weights)):
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
                assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-3, abs=1e-3), (graph, i, place)


@pytest.mark.parametrize("name", ["Floor", "Ceil", "Round", "Sign", "Relu", "Clip"])
def test_flat_functions_have_proxy_derivatives_that_show_their_trend(name: str) -> None:
    x = np.array([-3.4, -0.3, 0.0])
    attrs = {"min": 0.0, "max": 5.0} if name == "Clip" else {}
    node = Node(name, ("x",), ("y",), attrs)
    y = np.asarray(TABLE["", name].numpy([x], attrs))
    (rising,) = pullback(node, [x], [np.ones(3)], [y])
    (falling,) = pullback(node, [x], [-np.ones(3)], [y])
    assert rising is not None
    assert falling is not None
    assert (rising > 0).all()
    assert (falling < 0).all()
    assert (rising < 10).all()


def test_comparisons_and_casts_pass_a_trend_on() -> None:
    """The loss log(number of positive elements) has no derivative, but the search needs its direction."""
    builder, x = built("float32", 4)
    above = builder.op("Greater", x, builder.constant(np.zeros(4, np.float32)))
    counted = builder.op("ReduceSum", builder.op("Cast", above, to="float32"), axes=(), keepdims=0)
    graph = builder.build([builder.op("Log", counted)])
    start = np.array([-1, -2, -0.5, -3], np.float32)
    assert descend(graph, {x: start} | dict(graph.constants), [x], 24).finite


# --- domains ---------------------------------------------------------------------------------------------------------

Make = Callable[[GraphBuilder, str], str]

CASES: dict[str, tuple[str, Make]] = {
    "log": ("float32", lambda b, x: b.op("Log", x)),
    "square root": ("bfloat16", lambda b, x: b.op("Sqrt", x)),
    "division by floor": ("float32", lambda b, x: b.op("Div", x, b.op("Floor", b.op("Abs", x)))),
    "asin": ("float16", lambda b, x: b.op("Asin", b.op("Mul", x, b.constant(np.full((), 3, np.float16))))),
    "power": ("float64", lambda b, x: b.op("Pow", x, b.constant(np.full(1, 0.5)))),
    "power of a large exponent": ("float32", lambda b, x: b.op("Pow", b.op("Exp", b.op("Exp", x)), b.op("Exp", x))),
    "exp of exp in float16": ("float16", lambda b, x: b.op("Exp", b.op("Exp", b.op("Add", x, x)))),
    "acosh of a sigmoid's double": ("float32", lambda b, x: b.op("Acosh", b.op("Add", *[b.op("Sigmoid", x)] * 2))),
    "log of the root of the log": ("float32", lambda b, x: b.op("Log", b.op("Sqrt", b.op("Log", x)))),
    "atanh of a sum": ("float32", lambda b, x: b.op("Atanh", b.op("ReduceSum", x, axes=(1,), keepdims=0))),
    "log of a product of matrices": (
        "float32",
        lambda b, x: b.op("Log", b.op("MatMul", x, b.constant(np.ones((40, 3), np.float32)))),
    ),
    "reciprocal of a difference": ("float32", lambda b, x: b.op("Reciprocal", b.op("Relu", x))),
    "sums of negative logs": ("float32", lambda b, x: b.op("ReduceLogSum", x, axes=(1,), keepdims=0)),
    "gamma": ("float32", lambda b, x: b.op("lgamma", b.op("Round", x), domain="aten")),
    "variance of a constant line": (
        "float32",
        lambda b, x: b.op("MeanVarianceNormalization", b.op("Clip", x, min=5.0, max=7.0), axes=(1,)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_inputs_are_found_for_each_kind_of_domain(case: str) -> None:
    dtype, make = CASES[case]
    builder, x = built(dtype, 6, 40)
    graph = builder.build([make(builder, x)])
    start = [normal(t, np.random.default_rng(3)) for t in graph.input_types]
    assert not finite_everywhere(graph, start)
    inputs = find(graph, start).inputs(graph)
    assert finite_everywhere(graph, inputs)
    assert [v.dtype for v in inputs] == [v.dtype for v in start]
    assert all(np.abs(v.astype(float)).max() <= FARTHEST for v in inputs)


@pytest.mark.parametrize("op", [op for op in FLOATING if op.distance_to_domain], ids=lambda op: op.qualified)
def test_operands_moved_by_what_they_lack_are_in_the_domain(op: Op) -> None:
    rng = np.random.default_rng(5)
    outside = 0
    for graph in some_instances(op, 6):
        node, types = graph.nodes[0], dict(zip(graph.inputs, graph.input_types, strict=True))
        for kind in (lambda a: a, np.zeros_like, lambda a: 0.25 - np.abs(a)):
            values = {name: kind(rng.standard_normal(t.shape)) for name, t in types.items()} | dict(graph.constants)
            inputs = [np.asarray(values[name]) for name in graph.inputs]
            if finite_everywhere(graph, inputs):
                continue
            outside += 1
            assert op.distance_to_domain is not None
            lacks = op.distance_to_domain([np.asarray(values[name]) for name in node.inputs], node.attrs)
            moved = {name: np.asarray(values[name]) + lacks.get(i, 0) for i, name in enumerate(node.inputs)}
            assert finite_everywhere(graph, [moved[name] for name in graph.inputs])
    assert outside or op.qualified == "BatchNormalization"  # its instances have a constant variance


def test_nothing_is_looked_for_beyond_the_range() -> None:
    builder, x = built("float32", 3)
    for least, reachable in ((7.5, True), (8.5, False)):
        graph = builder.build(
            [builder.op("Log", builder.op("Sub", x, builder.constant(np.full(3, least, np.float32))))]
        )
        assert find(graph, [np.zeros(3, np.float32)]).finite == reachable


def test_only_what_must_change_does() -> None:
    builder, x = built("float32", 100)
    graph = builder.build([builder.op("Sqrt", x)])
    (start,) = make_inputs(builder.build([builder.op("Neg", x)]), "normal", 0)
    (found,) = find(graph, [start]).inputs(graph)
    assert np.array_equal(found[start >= 0.02], start[start >= 0.02])
    assert (found[start < 0] > 0).all()


def test_the_taken_branch_is_looked_into() -> None:
    branches = []
    for name in ("Log", "Neg"):
        inner, _ = built("bool")
        y = inner.input(TensorType("float32", (5,)))
        branches.append(inner.build([inner.op(name, y)]))
    builder = GraphBuilder()
    condition, x = builder.input(TensorType("bool", ())), builder.input(TensorType("float32", (5,)))
    graph = builder.build([builder.op("If", condition, x, then_branch=branches[0], else_branch=branches[1])])
    start = {condition: np.array(True), x: np.linspace(-1, 1, 5, dtype=np.float32)}
    found = descend(graph, start, [x], 24)
    assert found.finite
    assert (found.values[x] > 0).all()


def test_operators_that_are_known_as_vulnerable_are_those_that_fail_on_moderate_values() -> None:
    rng = np.random.default_rng(0)
    failing = set()
    kinds: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda a: a, np.zeros_like, lambda a: -np.abs(a) - 0.1, lambda a: 0.5 * np.tanh(a), lambda a: 50 * a,
    ]  # fmt: skip
    unknown = set()
    for op in FLOATING:
        for graph in some_instances(op, 2):
            for kind in kinds:
                values = [normal(t, rng) for t in graph.input_types]
                values = [kind(v) if v.dtype.kind == "f" else v for v in values]
                if not finite_everywhere(graph, values):
                    failing.add(op.qualified)
                    if op.qualified not in ("If", "Loop") and not vulnerable(graph.nodes[0], graph.output_types):
                        unknown.add(op.qualified)
    assert not unknown
    assert len(failing) > 25


# --- constants -------------------------------------------------------------------------------------------------------


def test_a_graph_that_is_finite_is_left_as_it_is() -> None:
    graphs = [generate(10, seed) for seed in range(40)]
    harmless = [g for g in graphs if not any(vulnerable(n, [g.types[o] for o in n.outputs if o]) for n in g.nodes)]
    assert len(harmless) > 5
    assert all(settle(graph, "same") is graph for graph in harmless)


def test_a_constant_that_must_change_does_and_no_other() -> None:
    builder, x = built("float32", 4)
    kept = builder.constant(np.array([-2, -1, 0, 1], np.float32))
    zero = builder.constant(np.zeros(4, np.float32))
    graph = builder.build([builder.op("Div", builder.op("Add", x, kept), zero)])
    settled = settle(graph, 0)
    divisor = uniform_value(settled.constants[zero])
    assert divisor
    assert np.array_equal(settled.constants[kept], graph.constants[kept])
    assert settled.inputs == graph.inputs
    assert settled.nodes == graph.nodes
    assert finite_everywhere(settled, make_inputs(settled, "normal", 1))


def test_a_constant_of_one_value_keeps_one() -> None:
    builder, x = built("float32", 4)
    numbers = builder.op("Cast", builder.constant(np.array([-1, 2, 3, 4])), to="float32")
    zero = builder.constant(np.zeros(4, np.float32))
    graph = builder.build([builder.op("Log", builder.op("Add", numbers, zero)), builder.op("Neg", x)])
    settled = settle(graph, 0)
    assert (uniform_value(settled.constants[zero]) or 0) > 1
    assert settled.nodes == graph.nodes


def test_an_operand_that_no_values_make_finite_is_read_from_a_new_input() -> None:
    builder, x = built("float32", 4)
    nothing = builder.op("Sub", x, x)
    log = builder.op("Log", nothing)
    graph = builder.build([log])
    settled = settle(graph, 0)
    assert len(settled.inputs) == 2
    assert [n.op for n in settled.nodes] == ["Sub", "Log"]
    assert settled.outputs == (log, nothing)
    assert finite_everywhere(settled, make_inputs(settled, "normal", 1))


# --- whole graphs ----------------------------------------------------------------------------------------------------


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
        graph = generate(12, f"again {seed}")
        one, other = settle(graph, seed), settle(graph, seed)
        assert digest(one) == digest(other)
        pairs = zip(make_inputs(one, "normal", 5), make_inputs(other, "normal", 5), strict=True)
        assert all(a.tobytes() == b.tobytes() for a, b in pairs)


def test_values_keep_their_types_and_shapes() -> None:
    builder, x = built("float32")
    n = builder.input(TensorType("int32", ()))
    graph = builder.build([builder.op("Log", x), builder.op("Log", builder.op("Cast", n, to="float64"))])
    for profile in ("normal", "exact"):
        for seed in range(6):
            inputs = make_inputs(graph, profile, seed)
            assert finite_everywhere(graph, inputs)
            assert all(isinstance(v, np.ndarray) for v in inputs)
            assert [TensorType(dtypes.dtype_of(v), v.shape) for v in inputs] == list(graph.input_types)


def test_a_node_without_a_value_is_not_finite() -> None:
    builder, x = built("float32", 3)
    i = builder.input(TensorType("int64", (2,)))
    graph = builder.build([builder.op("Log", builder.op("Gather", x, i, axis=0))])
    start = [np.array([-1, -2, -3], np.float32), np.array([0, 7])]
    assert not finite_everywhere(graph, start)
    assert not find(graph, start).finite
    assert find(graph, [start[0], np.array([0, 1])]).finite


def test_integer_inputs_change_only_if_asked() -> None:
    builder, x = built("int64", 6)
    graph = builder.build([builder.op("Log", builder.op("Cast", x, to="float32"))])
    start = [np.array([-2, -1, 0, 1, 2, 3])]
    assert not find(graph, start).finite
    found = find(graph, start, integers=True)
    assert found.finite
    assert np.array_equal(found.values[x], [2, 1, 1, 1, 2, 3])


@pytest.mark.parametrize(("dtype", "name"), [("int32", "Div"), ("int64", "Mod"), ("float32", "Div")])
def test_exact_inputs_do_not_divide_by_zero(dtype: str, name: str) -> None:
    builder, x = built(dtype, 50)
    y = builder.input(TensorType(dtype, (50,)))
    graph = builder.build([builder.op(name, x, y)])
    zeros = 0
    for seed in range(5):
        dividend, divisor = make_inputs(graph, "exact", seed)
        assert divisor.all()
        assert np.array_equal(divisor, np.rint(divisor))
        zeros += (dividend == 0).sum()
    assert zeros, "the dividend may be zero"


def test_exact_inputs_are_positive_under_a_root() -> None:
    builder, x = built("float32", 50)
    graph = builder.build([builder.op("Sqrt", builder.op("Neg", x))])
    (values,) = make_inputs(graph, "exact", 0)
    assert (values < 0).all()
    assert np.array_equal(values, np.rint(values))
