"""Forms of whole models, and subgraphs that read outer values: each means the same as the plain model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
import pytest
from onnx import ModelProto, checker

from polyjuice.execution import Artifact
from polyjuice.frameworks.choosers import drawing
from polyjuice.frameworks.forms import Form, text
from polyjuice.frameworks.lowering import OPSETS, following, forms, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import interface as onnx_interface
from polyjuice.frameworks.onnx.subgraphs import close
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from tests.support.bounds import assert_equal
from tests.support.frameworks import run_onnx

SUBGRAPHS = [("any value", f"in {name}") for name in ("an If", "a Loop", "a Scan")]
WHOLE = sorted(onnx_interface.FORMS)
OPSETS_TRIED = (OPSETS[0], 13, 18, 21)


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def sample() -> tuple[Graph, Sequence[np.ndarray]]:
    """Equal constants, one of which two nodes read, a node with several results, and an input that is an output."""
    build = GraphBuilder()
    x = build.input(float32(2, 4), "x")
    three = np.full((2, 4), 3, np.float32)
    once, twice = build.constant(three), build.constant(three.copy())
    y = build.op("Mul", build.op("Add", x, once), build.op("Sub", twice, x))
    parts = build.multi("Split", y, axis=1, split=(1, 3))
    total = build.op("ReduceSum", build.op("Concat", *reversed(parts), axis=1), axes=(1,), keepdims=0)
    return build.build([total, x, build.op("Add", y, twice)]), [np.arange(8, dtype=np.float32).reshape(2, 4)]


def as_model(artifact: Artifact) -> ModelProto:
    assert isinstance(artifact.source, bytes)
    return onnx.load_from_string(artifact.source)


@pytest.mark.parametrize("opset", OPSETS_TRIED)
@pytest.mark.parametrize("form", [*WHOLE, *SUBGRAPHS], ids=text)
def test_a_model_of_a_form_means_the_graph(form: Form, opset: int) -> None:
    graph, inputs = sample()
    assert form in forms("onnx")
    artifact = lower(graph, "onnx", following([form], opset))
    assert form in artifact.forms
    model = as_model(artifact)
    checker.check_model(model, full_check=True)
    assert model.opset_import[0].version == opset
    assert_equal(run_onnx(artifact, inputs), graph, inputs)
    if form in WHOLE:
        again = graph_files.from_model(model)
        assert not any(node.opaque for node in again.nodes)
        assert_equal(evaluate(again, inputs)[: len(graph.outputs)], graph, inputs)


def names(values: Sequence[onnx.ValueInfoProto]) -> list[str]:
    return [value.name for value in values]


def initializers(model: ModelProto) -> list[str]:
    return [tensor.name for tensor in model.graph.initializer]


SIGNS: dict[str, Callable[[ModelProto], bool]] = {
    "an input as an output": lambda model: "x" in names(model.graph.output),
    "an initializer as an output": lambda model: bool(set(initializers(model)) & set(names(model.graph.output))),
    "an initializer as an input": lambda model: bool(set(initializers(model)) & set(names(model.graph.input))),
    "a value as two outputs": lambda model: any(
        node.op_type == "Identity" and node.input[0] in names(model.graph.output) for node in model.graph.node
    ),
    "equal initializers as one": lambda model: len(threes(model)) == 1,
    "an initializer twice": lambda model: len(threes(model)) == 3,
}


def threes(model: ModelProto) -> list[onnx.TensorProto]:
    return [t for t in model.graph.initializer if list(t.dims) == [2, 4]]


def test_each_form_of_whole_models_is_what_it_says_and_nothing_else_is() -> None:
    graph, _ = sample()
    assert set(SIGNS) == {name for _, name in WHOLE}
    for form in WHOLE:
        model = as_model(lower(graph, "onnx", following([form])))
        there = {name for name, sign in SIGNS.items() if sign(model)}
        assert there == {form[1]}
        read = set(onnx_interface.forms_of(model)) - {("model", "equal initializers as one")}
        assert read >= {form} - {("model", "equal initializers as one")}
    assert not any(sign(as_model(lower(graph, "onnx", following([])))) for sign in SIGNS.values())


def test_an_output_doubled_may_be_the_value_or_its_copy() -> None:
    graph, inputs = sample()
    firsts = set()
    for seed in range(80):
        artifact = lower(graph, "onnx", drawing(f"doubled {seed}"), lacks=("functions",))
        if ("model", "a value as two outputs") not in artifact.forms:
            continue
        compared = names(as_model(artifact).graph.output)[: artifact.results]
        firsts.add(any(name.startswith("polyjuice:interface:") for name in compared))
        assert_equal(run_onnx(artifact, inputs), graph, inputs)
    assert firsts == {True, False}


@pytest.mark.parametrize("form", SUBGRAPHS, ids=text)
def test_a_subgraph_reads_what_its_node_would(form: Form) -> None:
    """The subgraph captures the operands. The node that holds the subgraph does not get them."""
    graph, _ = sample()
    model = as_model(lower(graph, "onnx", following([form])))
    holders = [node for node in model.graph.node if node.op_type == form[1].split()[-1]]
    captured = {name for node in holders for name in close(node)[1]}
    assert "x" in captured
    assert not any("x" in node.input for node in holders)
    (split,) = [node for node in holders if "Split" in {inner.op_type for a in node.attribute for inner in a.g.node}]
    assert len(split.output) == 2


def test_the_branch_that_is_taken_may_be_either() -> None:
    graph, inputs = sample()
    taken = set()
    for seed in range(300):
        artifact = lower(graph, "onnx", drawing(f"branch {seed}"), lacks=("functions",))
        if ("any value", "in an If") not in artifact.forms:
            continue
        for node in as_model(artifact).graph.node:
            if node.op_type == "If":
                branches = {a.name: {inner.op_type for inner in a.g.node} for a in node.attribute}
                taken.add(next(name for name, ops in branches.items() if ops != {"Identity"}))
        assert_equal(run_onnx(artifact, inputs), graph, inputs)
    assert taken == {"then_branch", "else_branch"}


def test_choices_are_replayed_and_forgotten_with_the_other_forms() -> None:
    graph, _ = sample()
    wanted = {*WHOLE, *SUBGRAPHS}
    seen = set()
    for seed in range(60):
        artifact = lower(graph, "onnx", drawing(f"replayed {seed}"))
        if wanted.isdisjoint(artifact.forms):
            continue
        seen.update(wanted.intersection(artifact.forms))
        assert artifact.choices is not None
        again = lower(graph, "onnx", artifact.choices)
        assert (again.source, again.forms) == (artifact.source, artifact.forms)
    assert len(seen) > 5
