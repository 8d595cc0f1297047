"""Control flow: the meaning of If, Loop and Scan, on which every format and framework agrees."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

from polyjuice.egraph import Budget, Rewriter, load
from polyjuice.frameworks.onnx.graph_files import from_model
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, GraphError, TensorType, digest
from polyjuice.numerics import analyse
from polyjuice.ops import GraphBuilder, check

FLOAT = TensorType("float32", (2,))
TRUTH = TensorType("bool", ())
NUMBER = TensorType("int64", ())


def body(op: str, *types: TensorType, constant: float | None = None) -> Graph:
    """A subgraph that applies a binary operator to its last two operands, or to its last operand and a constant."""
    builder = GraphBuilder()
    values = [builder.input(t) for t in types if t != NUMBER]
    if constant is not None:
        values.append(builder.constant(np.full(FLOAT.shape, constant, np.float32)))
    numbers = [builder.input(t) for t in types if t == NUMBER]
    result = builder.op(op, values[-2], values[-1])
    if numbers:
        result = builder.op("Add", result, builder.op("Cast", numbers[0], to="float32"))
    return builder.build([result])


def choice(then: Graph, otherwise: Graph, *types: TensorType) -> Graph:
    builder = GraphBuilder()
    names = [builder.input(t) for t in (TRUTH, *types)]
    return builder.build([builder.op("If", *names, then_branch=then, else_branch=otherwise)])


def loop(trips: int, inner: Graph, *types: TensorType) -> Graph:
    builder = GraphBuilder()
    return builder.build([builder.op("Loop", *(builder.input(t) for t in types), M=trips, body=inner)])


ADD_OR_MULTIPLY = choice(body("Add", TRUTH, FLOAT, FLOAT), body("Mul", TRUTH, FLOAT, FLOAT), FLOAT, FLOAT)
X, Y = np.array([3, 4], np.float32), np.array([5, 7], np.float32)


def test_what_is_exact_stays_exact_and_errors_grow_with_the_iterations() -> None:
    for graph, inputs in (
        (ADD_OR_MULTIPLY, [np.array(True), X, Y]),
        (loop(3, body("Add", FLOAT, FLOAT, NUMBER), FLOAT, FLOAT), [X, Y]),
    ):
        (analysis,) = analyse(graph, inputs)
        assert analysis.reproducible
        assert not analysis.bound.any()
    bounds = [
        analyse(loop(trips, body("Mul", FLOAT, NUMBER, constant=1.1), FLOAT), [X])[0].bound.max() for trips in (1, 2, 8)
    ]
    assert bounds == sorted(set(bounds))
    assert np.isfinite(bounds).all()


def test_a_condition_in_doubt_masks_the_result() -> None:
    builder = GraphBuilder()
    x, y, limit = (builder.input(t) for t in (FLOAT, FLOAT, TensorType("float32", ())))
    condition = builder.op("Less", builder.op("ReduceMean", builder.op("Exp", x), axes=(0,), keepdims=0), limit)
    branches = [body(name, TRUTH, FLOAT, FLOAT) for name in ("Add", "Mul")]
    graph = builder.build([builder.op("If", condition, x, y, then_branch=branches[0], else_branch=branches[1])])
    near, far = (np.float32(np.mean(np.exp(X.astype(np.float64))) + d) for d in (0, 1))
    assert np.isinf(analyse(graph, [X, Y, np.asarray(near)])[0].bound).all()
    assert np.isfinite(analyse(graph, [X, Y, np.asarray(far)])[0].bound).all()


@pytest.mark.parametrize(
    "types", [(FLOAT, TensorType("float32", (3,))), (TensorType("float64", (2,)),) * 2, (FLOAT,), (FLOAT,) * 3]
)
def test_a_branch_takes_the_operands(types: tuple[TensorType, ...]) -> None:
    branch = body("Add", TRUTH, FLOAT, FLOAT)
    with pytest.raises(GraphError, match="other"):
        choice(branch, branch, *types)


def test_a_subgraph_is_checked_too() -> None:
    (node,) = ADD_OR_MULTIPLY.nodes
    branch = node.attrs["then_branch"]
    broken = Graph(branch.inputs, {}, branch.nodes[:0], branch.outputs, branch.types)
    with pytest.raises(GraphError, match="not defined"):
        check(choice(broken, node.attrs["else_branch"], FLOAT, FLOAT))


def read(text: str) -> Graph:
    return from_model(onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> {text}'))


def test_a_foreign_if_captures_values_of_the_graph() -> None:
    graph = read(
        "g (float[2] x, bool c) => (float[2] y) { z = Neg(x)"
        " y = If(c) <then_branch = t () => (float[2] a) { a = Add(x, z) }, else_branch = e () => (float[2] b)"
        " { b = Exp(z) }> }"
    )
    node = graph.nodes[-1]
    assert (node.op, node.opaque, node.inputs) == ("If", False, ("c", "x", "z"))
    assert evaluate(graph, [X, np.array(True)])[0].tolist() == [0, 0]


LOOP = (
    "g (float[2] x) => (float[2] y) {{ m = Constant<value_int = 3>() y = Loop(m, , x) <body = b (int64 i, bool k,"
    " float[2] s) => (bool o, float[2] r{scan_out}) {{ {condition} r = Add(s, x) {scan} }}> }}"
)


def test_a_foreign_loop_is_read() -> None:
    graph = read(LOOP.format(condition="o = Identity(k)", scan="", scan_out=""))
    node = graph.nodes[-1]
    assert (node.op, node.opaque, node.inputs, node.attrs["M"]) == ("Loop", False, ("x", "x"), 3)
    assert evaluate(graph, [X])[0].tolist() == [12, 16]


@pytest.mark.parametrize(
    "condition",
    [
        "n = Constant<value_int = 1>() o = Less(i, n)",
        "n = Constant<value_int = 0>() z = Cast<to = 9>(n) o = Identity(z)",
    ],
)
def test_a_loop_that_may_end_early_stays_opaque(condition: str) -> None:
    graph = read(LOOP.format(condition=condition, scan="", scan_out=""))
    assert graph.nodes[-1].opaque


SCAN = (
    "g (float[2] x, float[3, 2] y, float[2] w) => (float[2] s, float[2, 3] t) {{ s, t = Scan(x, y)"
    " <num_scan_inputs = 1, scan_input_directions = [{backwards}], scan_output_axes = [-1],"
    " body = b (float[2] a, float[2] c) => (float[2] d, float[2] e) {{ d = Add(a, c) e = Mul(d, w) }}> }}"
)


@pytest.mark.parametrize(("backwards", "stacked"), [(0, [[4, 6, 9], [12, 18, 26]]), (1, [[6, 8, 9], [16, 22, 26]])])
def test_a_foreign_scan_is_read(backwards: int, stacked: list[list[int]]) -> None:
    graph = read(SCAN.format(backwards=backwards))
    node = graph.nodes[-1]
    assert (node.op, node.opaque, node.inputs, node.attrs["scan_output_axes"]) == ("Scan", False, ("x", "y", "w"), (1,))
    last, every = evaluate(graph, [X, np.array([[1, 2], [2, 3], [3, 4]], np.float32), np.array([1, 2], np.float32)])
    assert last.tolist() == [9, 13]
    assert every.tolist() == stacked


def test_rewriting_leaves_a_subgraph_as_it_is() -> None:
    builder = GraphBuilder()
    x = builder.input(FLOAT)
    inner = body("Mul", FLOAT, NUMBER, constant=1.5)
    looped = builder.op("Loop", builder.op("Neg", builder.op("Neg", x)), M=2, body=inner)
    graph = builder.build([looped])
    rewriter = Rewriter(load(only=["neg-neg"]), Budget(rules=None))
    fewest = next(variant for variant in rewriter.rewrite(graph, 0).variants if variant.label == "min")
    assert digest(fewest.graph) == digest(loop(2, inner, FLOAT))
