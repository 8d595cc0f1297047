"""Compiled ONNX models mean the same as the graph, for all lowering choices, at the requested opset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from polyjuice.execution import Artifact
from polyjuice.frameworks.forms import ALL
from polyjuice.frameworks.lowering import DRAWN_OPSET, Unlowerable, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, digest
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, GraphBuilder
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.ops.spec import CONTRIB
from tests.support.bounds import assert_within
from tests.support.frameworks import run_onnx
from tests.support.graphs import apply

LACKED = ("functions", "symbolic sizes", "constant nodes")

FAULTS = ("LayerNormalization: absent input named", "Squeeze: absent input named")
"""Forms on which ONNX Runtime 1.32.0 crashes."""

IDIOMS = {
    "axes counted from the end",
    "constant nodes",
    "a constant as an argument",
    "a function of its own",
    "a function called through another",
    "an intermediate value as a result",
    "explicit broadcast",
    "symbolic sizes",
}


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def plain_graphs(count: int) -> Iterator[tuple[Graph, Sequence[np.ndarray]]]:
    """Generated graphs in types for which ONNX Runtime has nearly all kernels, with inputs that give them values."""
    for number in range(count):
        graph = generate(
            8, f"onnx {number}", lambda op, x, y: all(t.dtype in ("float32", "int64", "bool") for t in (*x, *y))
        )
        if not graph.nodes:  # no operator fitted
            continue
        try:
            inputs = make_inputs(graph, "exact", number)
            evaluate(graph, inputs)
        except EvaluationError:
            continue
        yield graph, inputs


def as_model(artifact: Artifact) -> onnx.ModelProto:
    assert isinstance(artifact.source, bytes)
    return onnx.load_from_string(artifact.source)


def test_every_text_means_the_graph() -> None:
    seen: Counter[str] = Counter()
    ran = 0
    for number, (graph, inputs) in enumerate(plain_graphs(110)):
        try:
            artifact = lower(graph, "onnx", number, opset=DRAWN_OPSET, lacks=FAULTS)
        except Unlowerable:
            continue
        onnx.checker.check_model(as_model(artifact))
        seen.update(name.split(" x")[0] for name in artifact.idioms)
        try:
            results = run_onnx(artifact, inputs)
        except Exception as error:
            if not re.search("implement|not supported|MLDataType", str(error)):
                raise
            continue
        ran += 1
        assert_within(list(map(np.asarray, results)), analyse(graph, inputs), f"{artifact.idioms}\n{graph}")
    assert ran > 80
    assert set(seen) == IDIOMS


def with_functions(graph: Graph, calling: str, opset: int = 18) -> list[Artifact]:
    artifacts = [lower(graph, "onnx", seed, opset=opset, lacks=(ALL,)) for seed in range(120)]
    return [a for a in artifacts if calling in a.idioms]


def branched() -> Graph:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    flag = build.input(TensorType("bool", ()), "flag")
    branches = {}
    for name, op in (("then_branch", "Neg"), ("else_branch", "Abs")):
        branch = GraphBuilder()
        branch.input(TensorType("bool", ()), "flag")
        branches[name] = branch.build([branch.op(op, branch.input(float32(3, 2), "y"))])
    turned = build.op("Transpose", x, perm=(1, 0))
    chosen = build.op("If", flag, turned, **branches)
    scaled = build.op("Mul", chosen, build.constant(np.arange(6, dtype=np.float32).reshape(3, 2)))
    return build.build([build.op("ReduceSum", scaled, axes=(1,), keepdims=0), turned])


@pytest.mark.parametrize(
    ("calling", "names"),
    [("a function of its own", ["part"]), ("a function called through another", ["part", "around"])],
)
def test_a_part_may_be_a_local_function(calling: str, names: Sequence[str]) -> None:
    graph = branched()
    inputs = [np.array([[1, -2, 3], [-4, 5, 7]], np.float32), np.array(True)]
    inside: set[str] = set()
    for artifact in with_functions(graph, calling):
        model = as_model(artifact)
        onnx.checker.check_model(model, full_check=True)
        assert model.ir_version == 9
        assert [function.name for function in model.functions] == names
        assert [n.op_type for n in model.graph.node if n.domain == "model"] == names[-1:]
        inside.update(node.op_type for node in model.functions[0].node)
        results = run_onnx(artifact, inputs)
        for result, expected in zip(results, evaluate(graph, inputs), strict=True):
            np.testing.assert_array_equal(result, expected)
        if "symbolic sizes" not in artifact.idioms:  # which become 1 when the model is read, and functions are inlined
            again = graph_files.from_model(model)
            assert not any(node.opaque for node in again.nodes)
            arguments = [*inputs, *(artifact.arrays[name] for name in artifact.arguments)]
            for result, expected in zip(evaluate(again, arguments), evaluate(graph, inputs), strict=False):
                np.testing.assert_array_equal(result, expected)
    assert inside == {"Transpose", "If", "Mul", "ReduceSum", "Constant"}


def test_idioms_that_an_importer_lacks_are_not_used() -> None:
    for number in range(60):
        try:
            artifact = lower(generate(6, f"lacks {number}"), "onnx", number, lacks=LACKED)
        except Unlowerable:
            continue
        model = as_model(artifact)
        assert not model.functions
        assert "Constant" not in {node.op_type for node in model.graph.node}
        sizes = [dim for info in model.graph.input for dim in info.type.tensor_type.shape.dim]
        assert not any(dim.dim_param for dim in sizes)


def test_the_opset_and_file_version_are_18_and_9_unless_asked_for() -> None:
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(float32(2)))])
    for opset, version in ((11, 9), (18, 9), (20, 9), (21, 10), (25, 13)):
        model = as_model(lower(graph, "onnx", 0, opset=opset, lacks=("functions",)))
        assert ([o.version for o in model.opset_import], model.ir_version) == ([opset], version)


def test_what_is_newer_than_the_opset_is_decomposed() -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    graph = build.build([build.op("Gelu", x, approximate="none")])
    old, new = (as_model(lower(graph, "onnx", 1, opset=opset, lacks=("functions",))) for opset in (18, 20))
    assert "Gelu" not in {node.op_type for node in old.graph.node}
    assert "Gelu" in {node.op_type for node in new.graph.node}
    value = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    (result,) = run_onnx(lower(graph, "onnx", 1), [value])
    np.testing.assert_allclose(result, evaluate(graph, [value])[0], atol=1e-6)


def test_a_compiler_without_onnx_runtimes_operators_gets_their_definitions() -> None:
    graph = apply("com.microsoft.BiasGelu", "float32[2,3]", "float32[3]")
    models = [as_model(lower(graph, "onnx", seed, lacks=(ALL, "functions"))) for seed in range(30)]
    drawn = Counter(node.op_type for model in models for node in model.graph.node if node.domain == CONTRIB)
    assert drawn["BiasGelu"] > 20
    lacking = [as_model(lower(graph, "onnx", seed, lacks=(ALL, CONTRIB))) for seed in range(30)]
    assert not any(node.domain == CONTRIB for model in lacking for node in model.graph.node)
    for opset in (11, 18, 20):
        model = as_model(lower(graph, "onnx", 0, opset=opset, lacks=(ALL, "functions")))
        assert {o.domain: o.version for o in model.opset_import} == {"": opset, CONTRIB: 1}


def test_an_operator_that_onnx_cannot_say_is_unlowerable_and_named() -> None:
    build = GraphBuilder()
    x = build.input(float32(3), "x")
    graph = build.build([build.op("digamma", x, domain="aten")])
    assert not callable(TABLE["aten", "digamma"].definition)
    with pytest.raises(Unlowerable, match=r"aten\.digamma\(x\)"):
        lower(graph, "onnx", 0)
    with pytest.raises(NoDecomposition):
        decompose(graph, 18)


def two_rolls(second: int) -> Graph:
    build = GraphBuilder()
    x, y = build.input(float32(4), "x"), build.input(float32(4), "y")
    parts = [build.op("roll", v, domain="aten", shifts=(n,), dims=(0,)) for v, n in ((x, 1), (y, second))]
    return build.build([build.op("Add", *parts)])


@pytest.mark.parametrize("second", [1, 2])
def test_at_rest_an_aten_operator_carries_its_meaning(second: int) -> None:
    """Nodes with equal bodies share a function. The overloads of unequal bodies differ."""
    graph = two_rolls(second)
    model = graph_files.to_model(graph)
    assert len(model.functions) == second
    assert {node.domain for node in model.graph.node} == {"", "aten"}
    onnx.checker.check_model(model)
    assert digest(graph_files.from_model(model)) == digest(graph)
    inputs = [np.arange(4, dtype=np.float32), np.arange(4, dtype=np.float32) ** 2]
    runtime = run_onnx(Artifact(format="onnx", source=model.SerializeToString()), inputs)
    np.testing.assert_array_equal(runtime[0], evaluate(graph, inputs)[0])
    if second == 1:  # the reference evaluator does not know overloads
        (result,) = ReferenceEvaluator(model).run(None, dict(zip(graph.inputs, inputs, strict=True)))
        np.testing.assert_array_equal(result, evaluate(graph, inputs)[0])
