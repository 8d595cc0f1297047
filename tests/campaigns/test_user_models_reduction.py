"""Reduction of a program as its owner wrote it: the rest stays as it was written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, parser

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import user_program as onnx_program
from polyjuice.frameworks.split import NotSplit, SplitProgram, graph_of, split_program
from polyjuice.ops import entry
from polyjuice.triage.reduction.edits import substitute, tidy
from polyjuice.triage.reduction.run import PASSES_OF_USER_PROGRAMS, Search
from polyjuice.triage.reduction.trial import Counts, Pair
from tests.support.commands import ONE_RULE, fuzz, polyjuice, record
from tests.support.plugins import spoiled
from tests.support.shares import in_the_long_run

NODES = """
    a = Abs(x) b = Tanh(a) c = Add(b, w) d = Relu(c) e = Mul(d, a) f = Neg(e) g = Sigmoid(f) h = Sub(g, b)
    i = Exp(h) j = Add(i, x) k = {planted} l = Max(k, j) m = Softplus(l) n = Mul(m, w) o = Sqrt(m)
    p = Div(n, o) q = Min(p, k) r = Sin(q) y = Add(r, d) z = ReduceMax<keepdims = 0>(h)
"""

MODEL = f"""<ir_version: 8, opset_import: ["" : 20]>
    large (float[1,8,1] x) => (float[1,8,1] y, float z) <float[1] w = {{0.5}}> {{{NODES}}}"""

WRONG_AT_A_NODE = """
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

def load(artifact):
    model = onnx.load_from_string(artifact["source"])
    for node in list(model.graph.node):
        if node.name == "by hand":
            made = node.output[0]
            node.output[0] = "right"
            one = onnx.numpy_helper.from_array(np.ones(1, np.float32), "added")
            model.graph.initializer.append(one)
            at = list(model.graph.node).index(node) + 1
            model.graph.node.insert(at, onnx.helper.make_node("Add", ["right", "added"], [made]))
    return ReferenceEvaluator(model)

def compile(model, inputs):
    return model

def run(model, inputs):
    constants = {tensor.name for tensor in model.proto_.graph.initializer}
    names = [name for name in model.input_names if name not in constants]
    found = model.run(None, dict(zip(names, map(from_wire, inputs))))
    return [to_wire(np.asarray(array)) for array in found]
"""
"""A compiler that adds one to the result of the node with a certain name, and is right otherwise."""


def planted(node: str) -> ModelProto:
    """A model of twenty nodes. The eleventh has that name."""
    model = parser.parse_model(MODEL.replace("{planted}", node))
    model.graph.node[10].name = "by hand"
    return model


@pytest.mark.parametrize(
    "node", ["CumProd<exclusive = 1>(j, one)", *in_the_long_run("Erf(j)", "Swish<alpha = 0.5>(j)")]
)
def test_a_fault_of_one_node_of_the_user_program_is_reduced_to_that_node(node: str, tmp_path: Path) -> None:
    """The node is an operator of the table or an opaque one, which only the uncompiled run can judge."""
    model = planted(node)
    if "one" in node:
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(1, np.int64), "one"))
    if "Erf" not in node:
        model.opset_import[0].version = 26 if "CumProd" in node else 24
        model.ir_version = 12
    onnx.save(model, tmp_path / "model.onnx")
    env = spoiled(tmp_path, WRONG_AT_A_NODE)
    seeds = ["--seeds", tmp_path / "model.onnx", "-n", 1, *ONE_RULE]
    assert fuzz(tmp_path / "c", "--compiler", "spoiled", *seeds, env=env)[0] == 1
    finding = min((tmp_path / "c/findings").iterdir())
    done = polyjuice("reduce", finding, "--time", "1m", env=env)
    assert done.returncode == 1, done.stderr
    assert "original: 20 operators to 1" in done.stdout
    reduced = finding / "reduced"
    (left,) = (small := onnx.load(reduced / "a.lowered.onnx")).graph.node
    assert left == model.graph.node[10]
    assert small.opset_import == model.opset_import
    stored = record(reduced)
    assert (stored["kind"], stored["culprit"], stored["repro_exit"]) == ("mismatch", "original", 1)
    assert stored["reduction"]["operators_before"] == {"original": 20}
    assert polyjuice("replay", reduced, env=env).returncode == 1
    assert polyjuice("reduce", reduced, "--out", tmp_path / "again", env=env).returncode == 1
    assert (tmp_path / "again/a.lowered.onnx").read_bytes() == (reduced / "a.lowered.onnx").read_bytes()


class Says:
    """A trial that shows the fault if a valid program's text meets a condition. It also checks the outputs."""

    def __init__(self, split: SplitProgram, shown: Callable[[str], bool]) -> None:
        self.split = split
        self._shown = shown
        self.counts = Counts()
        self.until = math.inf
        self.session: Any = None
        self.together = 1

    def check_time(self) -> None:
        pass

    def shows(self, pair: Pair) -> bool:
        (graph,) = pair.graphs
        self.counts.candidates += 1
        if not (graph.nodes and graph.inputs):
            return False
        try:
            artifact = self.split.artifact(graph, pair.inputs)
            read = graph_of(artifact, pair.inputs)
        except FormatError:
            return False
        if not (self._shown(text_of(artifact)) and all(map(entry, read.nodes))):
            return False
        assert len(read.outputs) == len(graph.outputs)
        return True


def reduced(split: SplitProgram, shown: Callable[[str], bool], output: int = 0) -> tuple[Artifact, Pair]:
    start = Pair(graphs=(split.graph,), inputs=split.inputs, output=output, choices=(LoweringChoices(),))
    trial: Any = Says(split, shown)
    search = Search(passes=PASSES_OF_USER_PROGRAMS, trial=trial, accepted=[start], show=lambda _: None, tidy=tidy)
    assert search.run()
    pair = search.accepted[-1]
    return split.artifact(pair.graphs[0], pair.inputs), pair


def has(op: str) -> Callable[[str], bool]:
    return lambda text: f"{op} " in text


def onnx_split(text: str, *inputs: Sequence[float]) -> SplitProgram:
    head = '<ir_version: 8, opset_import: ["" : 17, "other" : 1]> g'
    program = onnx_program.from_model(parser.parse_model(f"{head} {text}"))
    assert program.artifact
    return split_program(program.artifact, [np.array(x, np.float32) for x in inputs])


def text_of(artifact: Artifact) -> str:
    if isinstance(artifact.source, str):
        return artifact.source.partition("def forward")[2]
    return " ".join(onnx.printer.to_text(onnx.load_from_string(artifact.source).graph).split())


def test_what_a_step_needs_whose_value_is_no_input_is_a_constant() -> None:
    """The step needs a computed shape. As an input, the shape would leave the result's shape open."""
    small, pair = reduced(
        onnx_split(
            """(float[2,3] x) => (float[6] y)
            { s = Shape(x) p = ReduceProd<keepdims = 1>(s) t = Reshape(x, p) y = Neg(t) }""",
            [[1, 2, 3], [4, 5, 6]],
        ),
        has("Reshape"),
    )
    assert text_of(small) == "g (float[2,3] x) => (float[6] t) <int64[1] p = {6}> { t = Reshape (x, p) }"
    assert not pair.inputs[0].any()


def test_functions_subgraphs_and_declared_initializers_stay_whole() -> None:
    """A subgraph's operands include the outer values that it reads. A function stays if another one calls it."""
    text = """<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
    g (float[2] x, bool c) => (float[2] y)
    {
        a = Abs(x) b = Exp(a) d = own.outer(b)
        e = If(c) <then_branch = one () => (float[2] t) { t = Add(d, x) },
                   else_branch = two () => (float[2] u) { u = Mul(d, a) }>
        y = Neg(e)
    }
    <opset_import: ["" : 17], domain: "own"> inner (x) => (y) { y = Tanh(x) }
    <opset_import: ["" : 17, "own" : 1], domain: "own"> outer (x) => (y) { y = own.inner(x) }
    <opset_import: ["" : 17], domain: "own"> unused (x) => (y) { y = Sin(x) }"""
    program = onnx_program.from_model(parser.parse_model(text))
    assert program.artifact
    split = split_program(program.artifact, [np.array([1, -2], np.float32), np.array(True)])
    np.testing.assert_allclose(split.values["y"], -np.add(np.tanh(np.exp([1, 2])), [1, -2]), rtol=1e-6)
    branch = onnx.load_from_string(reduced(split, has("If"))[0].source)  # type: ignore[arg-type]
    assert [node.op_type for node in branch.graph.node] == ["If"]
    assert {value.name for value in branch.graph.input} == {"c", "d", "x", "a"}
    call = onnx.load_from_string(reduced(split, has("own.outer"))[0].source)  # type: ignore[arg-type]
    assert sorted(function.name for function in call.functions) == ["inner", "outer"]
    bypassed = split.artifact(substitute(split.graph, {"d": "b"}), split.inputs)
    assert "Add (b, x)" in text_of(bypassed), "a subgraph reads another value"
    older = parser.parse_model(
        """<ir_version: 3, opset_import: ["" : 8]> g (float[2] x, float[2] w) => (float[2] y)
        <float[2] w = {1, 2}> { a = Mul(x, w) b = Abs(a) y = Neg(b) }"""
    )
    program = onnx_program.from_model(older)
    assert program.artifact
    product, _ = reduced(split_program(program.artifact, [np.ones(2, np.float32)]), has("Mul"))
    assert text_of(product) == "g (float[2] x, float[2] w) => (float[2] a) <float[2] w = {1,2}> { a = Mul (x, w) }"


def test_what_the_reference_evaluator_cannot_run_is_cut_by_its_type() -> None:
    small, _ = reduced(
        onnx_split(
            """(float[2] x) => (float[2] y) <float[2] b>
            { a = Abs(x) b = other.Op(a) d = Exp(b) y = Neg(d) }""",
            [3, 4],
        ),
        has("Exp"),
    )
    assert text_of(small) == "g (float[2] b) => (float[2] d) { d = Exp (b) }"


@pytest.fixture(scope="module")
def everything() -> SplitProgram:
    torch = pytest.importorskip("torch")
    from polyjuice.frameworks.torch import user_program as torch_program
    from tests.support.torch_modules import Everything, X

    program = torch_program.from_module(Everything().eval(), (X.t().contiguous().t(),), {"scale": torch.ones(3)})
    assert program.artifact
    assert program.examples
    return split_program(program.artifact, program.examples)


@pytest.mark.long
def test_a_torch_module_is_cut_statement_by_statement(everything: SplitProgram) -> None:
    def statement(text: str) -> tuple[Artifact, Pair]:
        """Reduce with a fault that shows if a statement has this text."""
        return reduced(everything, lambda program: text in program, 2)

    assert {"linear", "values", "hidden_1", "mul_2"} <= everything.values.keys()
    small, pair = statement("torch._C._nn.linear(")
    assert text_of(small) == (
        "(self, x):\n"
        "        linear = torch._C._nn.linear(x, self.w_linear_weight, self.w_linear_bias)\n"
        "        return (linear,)\n"
    )
    assert small.setup == {"layouts": ["transposed"]}
    assert len(graph_of(small, pair.inputs)) > 0
    with pytest.raises(NotSplit, match="form"):
        split_program(Artifact(format="torch", source="x = 1"), [])
    assert text_of(statement(".add_(1.0)")[0]).count("\n") == 3
    assert "hidden_1[slice(None, None, None), 0] = 2\n        return (" in text_of(statement(", 0] = 2")[0])
