"""ONNX Runtime as a compiler under test. These tests run it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Worker
from polyjuice.frameworks.lowering import lower
from polyjuice.inputs import make_inputs
from polyjuice.ir import TensorType, dtypes
from polyjuice.numerics import Mode, analyse, judge
from polyjuice.ops import GraphBuilder
from tests.support.bounds import assert_equal, parsed

pytest.importorskip("onnxruntime")


@pytest.fixture(scope="module")
def onnxruntime() -> Iterator[Worker]:
    with Worker(find("onnxruntime"), limits=Limits(compile_s=30)) as worker:
        yield worker


@pytest.mark.parametrize("dtype", ["bfloat16", "int16"])
def test_what_it_has_no_kernel_or_array_for_is_unsupported(onnxruntime: Worker, dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (4,)))
    graph = build.build([build.op("Relu", x)])
    inputs = [np.zeros(4, dtypes.to_numpy(dtype))]
    assert onnxruntime.execute(lower(graph, "onnx", 0, lacks=("forms",)), [inputs]).status == "unsupported"


TRANSPOSED = "(float[2,3] x) => (float[2,2] y) { t = Transpose(x) p = MatMul(x, t) i = Identity(p) y = Neg(i) }"
"""A product that a level 2 optimizer changes, and an identity that a level 1 rule removes."""


RULE = ("Level1_RuleBasedTransformer", "EliminateIdentity")


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ({}, ()),
        ({"trace": True}, (*RULE, "MatmulTransposeFusion")),
        ({"trace": True, "disable": ["MatmulTransposeFusion"]}, RULE),
        ({"trace": True, "disable": ["EliminateIdentity"]}, ("MatmulTransposeFusion",)),
        ({"trace": True, "level": "basic"}, RULE),
        ({"trace": True, "level": "disable"}, ()),
    ],
)
def test_the_trace_names_the_optimizers_that_changed_the_graph(
    options: dict[str, object], changes: tuple[str, ...]
) -> None:
    graph = parsed(TRANSPOSED)
    inputs = [np.array([[1, -2, 3], [-4, 5, 7]], np.float32)]
    with Worker(find("onnxruntime"), options=options) as worker:
        outcome = worker.execute(lower(graph, "onnx", 0, lacks=("forms",)), [inputs])
        assert {"MatmulTransposeFusion", "EliminateIdentity"} <= set(worker.info["knobs"])
    assert_equal(outcome.outputs[0], graph, inputs)
    assert set(outcome.trace) == set(changes)


FUNCTION = """<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
    g (float[2,3] x) => (float[2,3] y) { y = own.Twice(x) }
    <domain: "own", opset_import: ["" : 17]> Twice (x) => (y) { a = Exp(x) b = Exp(x) y = Mul(a, b) }"""


def test_the_inlining_of_functions_can_be_switched_off() -> None:
    """Without inlining, optimizers see only a call."""
    onnx = pytest.importorskip("onnx")
    model = Artifact(format="onnx", source=onnx.parser.parse_model(FUNCTION).SerializeToString())
    for disabled, seen in ([], True), (["function-inlining"], False):
        with Worker(find("onnxruntime"), options={"trace": True, "disable": disabled}) as worker:
            outcome = worker.execute(model, [[np.zeros((2, 3), np.float32)]])
            assert worker.info["knobs"][-2] == "function-inlining"
        np.testing.assert_array_equal(outcome.outputs[0][0], 1)
        assert ("CommonSubexpressionElimination" in outcome.trace) == seen


@pytest.mark.parametrize("options", [{"level": "most"}, pytest.param({"device": "cuda"}, marks=pytest.mark.long)])
def test_options_that_it_does_not_have(options: dict[str, str]) -> None:
    with pytest.raises(EnvironmentProblem, match="onnxruntime"):
        Worker(find("onnxruntime"), options=options).start()


@pytest.mark.parametrize("narrow", ["uint16", "uint32", "uint64"])
def test_casts_of_negative_numbers_to_unsigned_ones_are_judged_exactly(onnxruntime: Worker, narrow: str) -> None:
    """The values are those of a campaign's ``wrap`` profile, and those of a compiler that extends the sign."""
    build = GraphBuilder()
    x = build.input(TensorType("int32", (32,)))
    graph = build.build([build.op("Cast", build.op("Cast", x, to=narrow), to="int64")])
    inputs = make_inputs(graph, "wrap", 0)
    assert (inputs[0] < 0).any()
    (analysis,) = analyse(graph, inputs, mode=Mode(wrap=True))
    outcome = onnxruntime.execute(lower(graph, "onnx", 0, lacks=("forms",)), [inputs])
    assert outcome.status == "ok"
    (result,) = outcome.outputs[0]
    assert not analysis.bound.any()
    assert not judge(result, analysis)
    if narrow != "uint64":  # int64 and uint64 have the same bits
        assert judge(inputs[0].astype(np.int64), analysis).wrong.tolist() == (inputs[0] != result).tolist()
        assert ((result >= 0) & (result < 2 ** int(narrow.removeprefix("uint")))).all()
