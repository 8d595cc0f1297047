"""Reports show the programs that ran, name the fault precisely, and list the differences between two programs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from polyjuice.execution import Artifact, Outcome
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage import FindingRecord, report
from polyjuice.triage.listing import differences, shown
from polyjuice.triage.stored import load

FINDING = Path(__file__).parents[1] / "findings/split-uneven"


def model(text: str) -> Artifact:
    """A model in ONNX's own text form."""
    return Artifact(format="onnx", source=onnx.parser.parse_model(text).SerializeToString())


def torch_program(body: str, setup: dict[str, Any] | None = None, inputs: str = "x0, x1") -> Artifact:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    head = "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n"
    made = "    def __init__(self, arrays):\n        super().__init__()\n\n"
    return Artifact(format="torch", source=f"{head}{made}    def forward(self, {inputs}):\n{lines}", setup=setup or {})


def onnx_of(nodes: str, opset: int = 18, more: str = "") -> Artifact:
    head = f'<ir_version: 8, opset_import: ["" : {opset}, "f" : 1]>'
    return model(f"{head} g (float[2] x) => (float[2] y) {{{nodes}}}{more}")


FUNCTION = '<domain: "f", opset_import: ["" : 18]> logcumsumexp (a) => (b) {b = ReduceLogSumExp <keepdims = 0> (a)}'


def graph(dtype: str = "float32") -> Graph:
    build = GraphBuilder()
    return build.build([build.op("Abs", build.input(TensorType(dtype, (2,))))])


def record(**changes: Any) -> FindingRecord:
    plain = replace(load(FINDING).record, a="min", b="", culprit="min", message="", bisection={}, blame=(), values=())
    return replace(plain, **changes)


def title(artifact: Artifact, dtype: str = "float32", **changes: Any) -> str:
    text = report.render(record(**changes), {"min": graph(dtype)}, {"min": artifact}, "")
    return next(re.finditer("Title: (.*?)(?: -->|$)", text))[1]


# --- ONNX -----------------------------------------------------------------------------------------------------


def test_an_operand_that_is_left_out_is_shown_as_it_is_written() -> None:
    program = shown(onnx_of('s = Identity(x)\ny = Clip(s, "", s)'))
    assert 'y = Clip(s, "", s)' in program.listing
    assert program.pattern(0) == 'Clip(Identity(x), "", Identity(x))'
    without = shown(onnx_of("s = Identity(x)\ny = Clip(s)"))
    explicit = shown(onnx_of('s = Identity(x)\ny = Clip(s, "")'))
    assert differences(without, explicit) == ["Only A has `Clip`.", 'Only B has `Clip` with operand 1 left out (`""`).']


def test_opsets_and_local_functions_are_shown_and_told_apart() -> None:
    plain = shown(onnx_of("y = ReduceLogSumExp <keepdims = 0> (x)", opset=11))
    called = shown(onnx_of("y = f.logcumsumexp(x)", more=FUNCTION))
    assert "opset 11" in plain.listing
    assert "function f.logcumsumexp(a)\n    b = ReduceLogSumExp(a, keepdims=0)" in called.listing
    assert differences(plain, called) == [
        "Opset: opset 11, f opset 1 in A, opset 18, f opset 1 in B.",
        "Local functions: none in A, logcumsumexp in B.",
    ]


def test_a_title_names_the_operators_that_run() -> None:
    expected = title(onnx_of("y = f.logcumsumexp(x)", more=FUNCTION), compiler="onnxruntime")
    assert expected == "ReduceLogSumExp(x) gives wrong values"


def test_attributes_and_types_are_those_of_the_format() -> None:
    listing = shown(onnx_of("h = Cast <to = 10> (x)\ny = Cast <to = 1> (h)")).listing
    assert "h = Cast(x, to=float16)" in listing
    assert "y = Cast(h, to=float)  # float[2]" in listing


def test_a_subgraph_is_listed_with_the_names_around_it() -> None:
    then, other = ('() => (float[2] z) {z = Mul("a:b", x)}', "() => (float[2] z) {z = Neg(x)}")
    branches = f"<then_branch = g1 {then}, else_branch = g2 {other}>"
    program = shown(onnx_of(f"""c = Constant <value = bool {{1}}> ()\n"a:b" = Exp(x)\ny = If {branches} (c)"""))
    assert program.pattern(0) == "If{Mul, Neg}(True)"
    assert "    then_branch:\n    z = Mul(t0, x)" in program.listing


def test_the_same_operators_with_other_operands_are_said_to_be_that() -> None:
    a, b = (shown(onnx_of(f"s = Neg(x)\ny = Sub({operands})")) for operands in ("x, s", "s, x"))
    assert differences(a, b) == ["A and B have the same operators, in another order or with other operands."]


def test_a_long_pattern_is_cut_from_the_inside() -> None:
    nodes = "\n".join(f"v{n + 1} = Add(v{n}, v{n})" for n in range(20))
    expected = shown(onnx_of(f"v0 = Neg(x)\n{nodes}\ny = Relu(v20)")).pattern(0)
    assert expected.startswith("Relu(Add(")
    assert "..." in expected
    assert len(expected) < 100


# --- Torch ----------------------------------------------------------------------------------------------------


def test_a_torch_program_is_named_by_its_calls() -> None:
    program = shown(torch_program("v0 = torch.bmm(x0, x1)\nv1, v2 = torch.max(v0, dim=1)\nreturn (v2,)"))
    assert program.pattern(0) == "torch.max(torch.bmm(x0, x1), dim=1)[1]"
    assert program.listing.startswith("def forward(self, x0, x1):")


def test_a_torch_program_that_writes_is_named_by_its_statements() -> None:
    program = shown(torch_program("c = torch.full((1,), 0)\nv0 = x0 + 1\nv0.index_copy_(0, c, v0)\nreturn (v0,)"))
    assert program.pattern(0) == "v0 = x0 + 1; v0.index_copy_(0, c, v0)"


def test_what_differs_between_torch_programs_is_computed() -> None:
    a = shown(torch_program("return (x0 + x1,)", {"layouts": ["transposed"]}))
    b = shown(torch_program("return (x0.clone().add_(x1),)", {"dynamic": True}))
    assert differences(a, b) == [
        "Only A has `Add`.",
        "Only B has `.add_()`, `.clone()`.",
        "Torch.compile(dynamic=...): as by default in A, True in B.",
        "Strides of the inputs: ['transposed'] in A, as by default in B.",
    ]


# --- what is wrong --------------------------------------------------------------------------------------------

RELU = onnx_of("y = Relu(x)")
SHARED = "output 0 shares memory with input 0; uncompiled it does not"
CRASH = {"kind": "crash", "oracle": "crash"}


def row(got: str, due: str) -> dict[str, Any]:
    return {"at": [0], "compiled": {"min": got}, "uncompiled": {}, "float64": due, "allowed": "0"}


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        ("gives wrong values", {"values": [row("1.0", "2.0")]}),
        (
            "gives wrong values on the second run",
            {"values": [row("1.0", "2.0")], "reduction": {"accepted": 1}, "profiles": ["exact"] * 2, "inputs": 1},
        ),
        ("gives NaN instead of a number", {"values": [row("nan", "2.0")]}),
        ("gives a number instead of NaN", {"values": [row("1.0", "nan")]}),
        ("gives an infinity instead of a number", {"values": [row("-inf", "2.0")]}),
        ("gives zeros of the wrong sign", {"comparison": "zeros"}),
        (
            "gives element type int64 instead of int32",
            {"comparison": "type", "result": {"got_type": ["int64", [2]], "due_type": ["int32", [2]]}},
        ),
        (
            "gives shape [2, 1] instead of [2]",
            {"comparison": "type", "result": {"got_type": ["int32", [2, 1]], "due_type": ["int32", [2]]}},
        ),
        ("gives different results from run to run", {"kind": "nondeterministic", "oracle": "determinism"}),
        (
            f"compiled: {SHARED}",
            {"kind": "alias", "oracle": "alias", "message": f"min: {SHARED}"},
        ),
        (
            "fails to compile: Fail: oh no",
            CRASH | {"failure": {"status": "error", "stage": "compile", "error": "Fail: oh no"}},
        ),
        (
            "ends the process when it should run: SIGSEGV",
            CRASH | {"failure": {"status": "crash", "stage": "run", "error": "SIGSEGV"}},
        ),
        ("does not compile within the time limit", {"kind": "hang", "failure": {"stage": "compile"}}),
    ],
)
def test_a_title_says_what_is_wrong(expected: str, changes: dict[str, Any]) -> None:
    assert title(RELU, compiler="eager", **changes) == f"Relu(x) {expected}"


WRONG = "Relu(x) with int64 inputs gives wrong values"


@pytest.mark.parametrize(
    ("levels", "blame", "expected"),
    [
        ({"disable": "gone", "basic": "shown"}, ["ReluFusion"], " at ORT_ENABLE_BASIC: ReluFusion"),
        ({"disable": "shown"}, [], " even at ORT_DISABLE_ALL"),
        ({"disable": "gone", "basic": "gone", "extended": "gone", "layout": "gone"}, [], " at ORT_ENABLE_ALL"),
        ({}, list("abcdef"), ""),
    ],
)
def test_a_title_says_where(levels: dict[str, str], blame: list[str], expected: str) -> None:
    changes = {"bisection": {"shown": True, "levels": levels, "complete": True}, "blame": blame}
    assert title(RELU, "int64", compiler="onnxruntime", **changes) == f"{WRONG}{expected}"


@pytest.mark.parametrize(
    ("culprit", "expected"),
    [
        ("", "gives different values at ORT_ENABLE_BASIC than at the default level"),
        ("min", "gives wrong values at the default level, but not at ORT_ENABLE_BASIC"),
        ("min at level basic", "gives wrong values at ORT_ENABLE_BASIC, but not at the default level"),
    ],
)
def test_of_two_levels_a_title_says_which_is_wrong(culprit: str, expected: str) -> None:
    changes = {"compiler": "onnxruntime", "oracle": "optlevel", "level": "basic", "culprit": culprit}
    assert title(RELU, **changes) == f"Relu(x) {expected}"
    text = report.render(record(**changes, printed="A: [1]"), {"min": graph()}, {"min": RELU}, "")
    assert text.index("A: [1]") < text.index("#### ")


@pytest.mark.parametrize(("blame", "expected"), [([], True), (["ReluFusion"], False), (list("abcdef"), True)])
def test_a_part_that_was_not_found_is_said_to_be_not_isolated(blame: list[str], expected: bool) -> None:
    changes = {"bisection": {"shown": True, "complete": True, "sentences": ["25 trials."]}, "blame": blame}
    text = report.render(record(**changes), {"min": graph()}, {"min": RELU}, "")
    assert ("not isolated" in text) == expected


def test_an_error_of_c_plus_plus_is_reported_without_its_signature() -> None:
    place = "/build/core/graph/graph.cc:12 void Graph::Resolve(const T&) [with T = int]"
    message = f"Fail: [ONNXRuntimeError] : 1 : FAIL : {place} bad"
    failure = report.failure(Outcome(status="error", stage="compile", message=message))
    expected = title(RELU, compiler="eager", kind="crash", oracle="crash", failure=failure)
    assert expected == "Relu(x) fails to compile: Fail: graph.cc:12: bad"


def test_the_first_lines_are_program_expected_got_and_versions() -> None:
    result = {"inputs": {"x": "[1, -2]"}, "expected": "[1, 0]", "got": "[1, -2]", "wrong": 1, "elements": 2}
    text = report.render(record(compiler="eager", result=result), {"min": graph()}, {"min": RELU}, "")
    head = text[text.index("### Describe the bug") :].splitlines()[2:13]
    assert head[0] == "`Relu(x)` gives wrong values."
    listing = ["ONNX model, opset 18, f opset 1", "input x: float[2]", "y = Relu(x)  # float[2]", "output y"]
    assert head[2:7] == ["```text", *listing]
    assert [line.rstrip() for line in head[8:]] == ["Inputs: `x` = `[1, -2]`", "Expected: `[1, 0]`", "Got: `[1, -2]`"]


def test_a_program_that_is_the_same_twice_is_shown_once() -> None:
    both = {"min": RELU, "max": RELU}
    text = report.render(record(b="max"), {"min": graph(), "max": graph()}, both, "")
    assert "The two programs" not in text


def test_small_arrays_are_told_whole() -> None:
    from polyjuice.frameworks.expressions import elements

    assert elements(np.array([[1, 2.5], [np.nan, -0.0]], np.float32)) == "[[1, 2.5], [np.nan, -0.0]]"
    assert elements(np.zeros(100)) == "all 0"
    assert elements(np.array([b"a", "b"], object)) == "[b'a', 'b']"
