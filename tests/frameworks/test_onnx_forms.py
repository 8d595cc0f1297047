"""Every form of every ONNX operator occurs in some application, and means the same as the plain form."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import ModelProto, checker
from onnx.reference import ReferenceEvaluator

from polyjuice.execution import Artifact
from polyjuice.frameworks.choosers import Draws, drawing
from polyjuice.frameworks.forms import ALL, Drawn, Form, text
from polyjuice.frameworks.lowering import DRAWN_OPSET, OPSETS, Unlowerable, forms, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import opsets as onnx_opsets
from polyjuice.frameworks.onnx.forms import rewrite
from polyjuice.frameworks.onnx.forms.rule import within
from polyjuice.frameworks.onnx.tensors import to_array, to_value_info
from polyjuice.frameworks.onnx.user_program import from_model
from polyjuice.frameworks.onnx.versions import OPSET, default_version
from polyjuice.generate import generate
from polyjuice.generate.instances import instance, some_signature, some_signatures
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.frameworks import run_onnx

OPERATORS = sorted({operator for operator, _ in forms("onnx") if ("", operator) in TABLE})
ATTEMPTS = 200
FAULTS = {
    "LayerNormalization: absent input named": "ONNX Runtime 1.32.0 reads the bias all the same",
    "Squeeze: absent input named": "ONNX Runtime 1.32.0 does not run it",
}
"""Forms that ONNX's reference evaluator runs, because ONNX Runtime does not accept them."""

PREFERRED = ("float32", "int64", "bool", "uint8", "int32", "float16")


class Only(Drawn):
    """Draws that choose one form wherever it is possible, and others now and then."""

    def __init__(self, form: Form) -> None:
        super().__init__(forms("onnx"))
        self._wanted = form

    def wants(self, form: Form, draws: Draws, chance: float, followed: float = 0) -> bool:
        also = form[0] == self._wanted[0] and text(form) not in FAULTS and draws.chance(0.4)
        return form == self._wanted or also


def written(graph: Graph, form: Form, seed: int) -> ModelProto | None:
    """The model of a graph, at some opset, with a form wherever it is possible. None if it is possible nowhere."""
    rng = random.Random(seed)
    model = onnx_opsets.nearest(
        graph_files.to_model(graph), graph.types, rng.choice((OPSETS[0], OPSET, rng.choice(OPSETS)))
    )
    drawn = Only(form)
    constants = {t.name: to_array(t, t.name) for t in model.graph.initializer}
    shown: dict[str, TensorType] = {}
    nodes = rewrite(model.graph.node, graph.types, constants, default_version(model), drawing(seed), drawn, shown)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.output.extend(to_value_info(name, t) for name, t in shown.items())
    return model if form in drawn.used else None


def known(graph: Graph, inputs: Sequence[np.ndarray]) -> tuple[Graph, Sequence[np.ndarray]]:
    further = dict(zip(graph.inputs[1:], inputs[1:], strict=True))
    return replace(graph, inputs=graph.inputs[:1], constants={**graph.constants, **further}), inputs[:1]


def applications(operator: str) -> Iterator[tuple[Graph, Sequence[np.ndarray]]]:
    """Graphs of one application each, in a few element types, with inputs."""
    op = TABLE["", operator]
    takes = [dtype for dtype in PREFERRED if dtype in op.types[op.variable(0)]][:2]
    usual = [found for dtype in takes if (found := some_signature(op, dtype))]
    others = [replace(signature, rank=rank) for signature in usual for rank in range(5)]
    if operator == "QuantizeLinear":  # its forms depend on the type of the result
        others += [s for s in some_signatures(op, "float32").values() if set(s.dtypes) <= set(dtypes.ALL)]
    signatures = usual + [s for s in others if instance(s, random.Random(0))]
    for number in range(ATTEMPTS):
        for signature in signatures:
            graph = instance(signature, random.Random(number))
            if graph is None or "bfloat16" in {t.dtype for t in graph.types.values()}:
                continue  # ONNX Runtime's Python interface has no such arrays
            try:
                inputs = make_inputs(graph, "exact", number)
            except EvaluationError:
                continue
            yield known(graph, inputs) if number % 2 else (graph, inputs)


def results(model: ModelProto, graph: Graph, inputs: Sequence[np.ndarray], form: str = "") -> list[np.ndarray]:
    """The results of ONNX Runtime. If it has no kernel or a fault, those of ONNX's reference evaluator."""
    try:
        if form in FAULTS:
            raise NotImplementedError("NOT_IMPLEMENTED")
        return run_onnx(Artifact(format="onnx", source=model.SerializeToString(), results=len(graph.outputs)), inputs)
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error):
            raise
    return list(ReferenceEvaluator(model).run(None, dict(zip(graph.inputs, inputs, strict=True))))[: len(graph.outputs)]


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_form_means_the_same(operator: str) -> None:
    missing = {name for op, name in forms("onnx") if op == operator}
    for number, (graph, inputs) in enumerate(applications(operator)):
        for name in sorted(missing):
            model = written(graph, (operator, name), number)
            if model is None:
                continue
            missing.discard(name)
            checker.check_model(model)
            plain = results(graph_files.to_model(graph), graph, inputs)
            for result, expected in zip(results(model, graph, inputs, f"{operator}: {name}"), plain, strict=True):
                np.testing.assert_allclose(result, expected, 1e-6, 1e-6, err_msg=f"{name}: {graph}")
        if not missing:
            return
    raise AssertionError(f"no application of {operator} has the form {', '.join(sorted(missing))}")


def test_the_least_integer_is_far_from_zero() -> None:
    """Once a limit of Clip was cast from int32, where it is 0."""
    assert not within(np.array([0, np.iinfo(np.int64).min]), 2**20)
    assert within(np.array([-(2**20), 2**20]), 2**20)
    assert not within(np.array([np.nan]), 2**20)


def test_a_constant_is_not_the_shape_of_a_tensor_that_no_memory_holds() -> None:
    """The product of these sizes is a power of two, which overflows to 0 in the machine's integers."""
    for sizes, written_so in ((np.full(52, 128), False), (np.full(4, 4), True)):
        build = GraphBuilder()
        graph = build.build([build.op("Add", build.input(TensorType("int64", sizes.shape)), build.constant(sizes))])
        model = graph_files.to_model(graph)
        constant = onnx.helper.make_node("Constant", [], ["c"], value=onnx.numpy_helper.from_array(sizes))
        types = {"c": TensorType("int64", sizes.shape)}
        nodes = rewrite([constant], types, {}, default_version(model), drawing(0), Only(("Constant", "as Shape")), {})
        assert ("Shape" in {node.op_type for node in nodes}) == written_so


def test_an_artifact_names_its_forms_and_can_do_without_them() -> None:
    seen = 0
    for number in range(30):
        try:
            artifact = lower(generate(8, f"forms {number}"), "onnx", number)
            again = lower(generate(8, f"forms {number}"), "onnx", number, lacks=list(map(text, artifact.forms)))
        except Unlowerable:
            continue
        seen += bool(artifact.forms)
        assert forms("onnx").issuperset(artifact.forms)
        assert {operator for operator, _ in set(artifact.forms) & set(again.forms)} <= {"model"}
    assert seen > 10


MODEL = """
<ir_version: 7, opset_import: ["" : 13]>
g (float[2, 1, 3] x) => (float y)
<int64[2] shape = {0, -1}, int64[0] none = {}>
{
  flat = Reshape (x, shape)
  kept = Dropout (flat)
  part = Softmax (kept)
  sum = ReduceSum <keepdims = 0> (part)
  two = Constant <value_float: float = 2.0> ()
  y = Mul (sum, two)
}
"""


def test_the_forms_of_a_model_are_read_and_followed() -> None:
    program = from_model(onnx.parser.parse_model(MODEL))
    assert program.artifact is not None
    seed_forms = set(map(text, program.artifact.forms))
    wanted = {
        "model: opset 13",
        "Reshape: 0 for a kept size",
        "Reshape: -1 for one size",
        "any value: through Dropout",
        "Softmax: axis absent",
        "ReduceSum: axes absent",
        "Constant: value_float",
    }
    assert wanted <= seed_forms
    drawing = {"opset": DRAWN_OPSET, "seed_forms": sorted(seed_forms)}
    followed = [lower(program.graph, "onnx", seed, **drawing).forms for seed in range(40)]
    often = Counter(form for forms in followed for form in {text(form) for form in forms})
    assert all(often[form] >= 12 for form in wanted - {"Constant: value_float"}), often


@pytest.mark.parametrize(("opset", "op"), [(11, "Gelu"), (13, "LayerNormalization"), (28, "GridSample")])
def test_a_graph_is_written_near_the_opset_where_that_cannot_say_it(opset: int, op: str) -> None:
    graph, inputs = next(applications(op))
    artifact = lower(graph, "onnx", 0, opset=opset, lacks=(ALL, "functions"))
    found = default_version(onnx.load_from_string(artifact.source))
    assert found == {"Gelu": 11, "LayerNormalization": 17, "GridSample": 28}[op]
    for result, expected in zip(run_onnx(artifact, inputs), evaluate(graph, inputs), strict=True):
        np.testing.assert_allclose(result, expected, 1e-4, 1e-4)
