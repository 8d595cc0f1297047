"""Reports have their tracker's form, show the programs that ran, and name the fault precisely."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
import pytest

from polyjuice.execution import Artifact, LoweringChoices, Outcome
from polyjuice.frameworks.lowering import lower
from polyjuice.ir import Graph
from polyjuice.triage import FindingRecord, report
from polyjuice.triage.environment import kept
from polyjuice.triage.listing import differences, shown
from polyjuice.triage.report.fault import cut_output, cut_stack
from polyjuice.triage.report.values import chosen_once
from tests.support import findings
from tests.support.graphs import apply, graph

SECTIONS = {
    "inductor": "🐛 Describe the bug|Error logs|Versions",
    "onnxruntime": "Describe the issue|To reproduce|Urgency|Platform|OS Version|ONNX Runtime Installation|ONNX Runtime "
    "Version or Commit ID|ONNX Runtime API|Architecture|Execution Provider",
    "tvm": "Expected behavior|Actual behavior|Environment|Steps to reproduce|Triage",
    "xla": "Issue type|Have you reproduced the bug with TensorFlow Nightly?|Source|TensorFlow version|Custom code|OS "
    "platform and distribution|Python version|Current behavior?|Standalone code to reproduce the issue|Relevant log "
    "output",
    "openvino": "OpenVINO Version|Operating System|Device used for inference|Framework|Model used|Issue description|"
    "Step-by-step reproduction|Relevant log output|Issue submission checklist",
    "iree": "What happened?|Steps to reproduce your issue|What component(s) does this issue relate to?|Version "
    "information|Additional context",
    "eager": "Describe the bug|Reproducer|Versions",
}

REPRO = "import numpy as np\n\n\ndef run():\n    return 1\n\n\nprint(run())\n"

VALUES = [
    {
        "at": [0],
        "compiled": {"min": "0.0", "max": "3.0"},
        "uncompiled": {"min": "1.0", "max": "3.0"},
        "float64": "3.0",
        "allowed": "0.0",
    }
]


@pytest.fixture(scope="module")
def graphs() -> dict[str, Graph]:
    """The graphs |x| and |x| + 0."""
    return {"min": apply("Abs", "float32[2]"), "max": graph("float32[2] x", "Add(Abs(x), [0, 0])")}


@pytest.fixture(scope="module")
def record() -> FindingRecord:
    stored = findings.finding()
    return replace(
        stored,
        versions={**stored.versions, "platform": "Linux-6.1-x86_64-with-glibc2.36"},
        output=0,
        culprit="min",
        comparison="bitwise",
        rules=["mul-commutative", "add-zero", "of-a-file-of-ones-own"],
        values=VALUES,
        printed="differ at 1 of 2 elements",
    )


def artifacts(graphs: Mapping[str, Graph], format: str = "onnx") -> dict[str, Artifact]:
    return {label: lower(graph, format, LoweringChoices()) for label, graph in graphs.items()}


def rendered(record: FindingRecord, graphs: Mapping[str, Graph], **changes: Any) -> str:
    return report.render(replace(record, **changes), graphs, artifacts(graphs), REPRO)


@pytest.mark.parametrize("compiler", SECTIONS)
def test_a_report_has_the_sections_of_its_tracker(
    compiler: str, record: FindingRecord, graphs: Mapping[str, Graph]
) -> None:
    text = rendered(record, graphs, compiler=compiler, explanation={"add-zero": "x + 0 = x"})
    assert [line[4:] for line in text.splitlines() if line.startswith("### ")] == SECTIONS[compiler].split("|")
    lines = ["Program A is wrong", "`add-zero`: x + 0 = x", " = Abs(x0)", REPRO.strip()]
    lines += ["| [0] | 0.0 | 3.0 | 1.0 | 3.0 | 3.0 | 0.0 |", "differ at 1 of 2 elements", "No rounding is involved"]
    for part in lines:
        assert part in text, part
    outside = "code".join(text.split("```")[::2])
    assert "\n\n\n" not in outside
    assert "{" not in outside


def test_without_an_explanation_likely_rules_are_named(record: FindingRecord, graphs: Mapping[str, Graph]) -> None:
    """The user's rules come first. Rules without a relation to the difference are missing."""
    text = rendered(record, graphs)
    assert "may explain the difference" in text
    assert text.index("`of-a-file-of-ones-own`") < text.index("`add-zero`: x + 0 = x")
    assert "mul-commutative" not in text


def test_one_program_is_not_said_to_be_equal_to_anything(record: FindingRecord, graphs: Mapping[str, Graph]) -> None:
    text = rendered(record, {"min": graphs["min"]}, oracle="differential", b="", values=())
    assert "The two programs" not in text
    assert "Program A" not in text


def test_what_bisection_found_is_reported(record: FindingRecord, graphs: Mapping[str, Graph]) -> None:
    assert "Bisection" not in rendered(record, graphs)
    found = {"shown": True, "sentences": ["Switching off `MatmulTransposeFusion` makes it vanish."]}
    assert "#### Bisection\n\nSwitching off `Matmul" in rendered(record, graphs, bisection=found)


def test_a_long_traceback_loses_its_middle(record: FindingRecord, graphs: Mapping[str, Graph]) -> None:
    changes = {"kind": "crash", "oracle": "crash", "values": (), "traceback": "first\n" + 9000 * "x" + "\nlast"}
    text = rendered(record, {"min": graphs["min"]}, **changes)
    assert "first\n" in text
    assert "\nlast" in text
    assert len(text) < 9000


def test_a_reproducer_that_is_too_long_for_a_tracker_is_to_be_attached(
    record: FindingRecord, graphs: Mapping[str, Graph]
) -> None:
    text = report.render(record, graphs, artifacts(graphs), "# x\n" * 20_000)
    assert "**Attach** repro.py." in text
    assert len(text) < 20_000
    assert "Attach" not in report.render(record, graphs, artifacts(graphs), REPRO)
    beside = 'read("inputs.npz")'
    assert "**Attach** inputs.npz." in report.render(record, graphs, artifacts(graphs), beside)


def test_backends_stand_side_by_side_in_the_first_lines(record: FindingRecord, graphs: Mapping[str, Graph]) -> None:
    text = rendered(record, graphs, compiler="inductor", backends="eager:     [1.]\ninductor:  [0.]")
    assert "```\neager:     [1.]\ninductor:  [0.]\n```" in text[: text.index("#### ")]
    assert "collect_env" in text
    text = rendered(record, graphs, compiler="inductor", environment="PyTorch version: 2.13.0")
    assert "```\nPyTorch version: 2.13.0\n```" in text


def test_bisection_calls_programs_and_levels_as_the_report_does(
    record: FindingRecord, graphs: Mapping[str, Graph]
) -> None:
    sentences = ["By optimization level: gone at disable, shown at basic.", "Switching off `F` (used for min) helps."]
    text = rendered(record, graphs, compiler="onnxruntime", bisection={"shown": True, "sentences": sentences})
    assert "gone at ORT_DISABLE_ALL, shown at ORT_ENABLE_BASIC." in text
    assert f"`F` (used for {'A' if record.a == 'min' else 'B'}) helps" in text


@pytest.mark.parametrize(("got", "message"), [("3.00001", "is within"), ("3.1", "is beyond"), ("nan", "is beyond")])
def test_torch_is_reported_how_a_difference_stands_to_its_default_tolerances(
    got: str, message: str, record: FindingRecord, graphs: Mapping[str, Graph]
) -> None:
    values = [{**VALUES[0], "compiled": {"min": got, "max": "3.0"}}]
    text = rendered(record, graphs, compiler="inductor", values=values)
    assert f"The difference {message} what `torch.testing.assert_close` allows for float32" in text


def test_a_title_names_few_operators_where_the_program_does_not_fit(record: FindingRecord) -> None:
    one = {"min": graph("float32[2] x", "x = Abs(Neg(x)); " * 40 + "x")}
    small = {"pattern": ["Abs", "Neg"], "reduction": {"finished": True}, "values": [], "a": "min", "b": ""}
    assert "Title: Neg with Abs gives wrong values" in rendered(record, one, **small)
    many = {"min": graph("float32[2] x", "x = Abs(Neg(x)); x = Sin(Cos(Tan(Exp(x)))); " * 9 + "x")}
    assert "Title: a program of Neg, Abs, Exp and 3 more operators gives" in rendered(record, many, **small)


def frame(path: str, name: str) -> str:
    return f'  File "{path}", line 7, in {name}\n    {name}()\n    ~~~~^^\n'


def test_a_stack_has_the_innermost_frames_of_the_compiler_alone() -> None:
    own = frame("polyjuice/execution/worker.py", "_whole")
    dispatch = "".join(frame("/venv/lib/site-packages/torch/_dynamo/eval.py", f"dispatch{n}") for n in range(9))
    inner = "".join(frame("/venv/lib/site-packages/torch/_inductor/graph.py", f"lower{n}") for n in range(6))
    lines = cut_stack(f"Traceback (most recent call last):\n{own}{dispatch}{inner}ValueError: no\n").splitlines()
    assert lines[:4] == [
        "Traceback (most recent call last):",
        "  ... 10 frames",
        '  File "torch/_inductor/graph.py", line 7, in lower0',
        "    lower0()",
    ]
    assert lines[-1] == "ValueError: no"
    assert not any("polyjuice" in line or "^" in line for line in lines)


def test_each_of_a_chain_of_errors_is_cut() -> None:
    one = "Traceback (most recent call last):\n" + "".join(frame("torch/a.py", f"f{n}") for n in range(10)) + "E: 1\n"
    lines = cut_stack(f"{one}\nThe above exception was the direct cause of the following exception:\n\n{one}")
    assert lines.count("  ... 4 frames") == 2
    assert lines.count("E: 1") == 2


def test_a_dead_process_tells_its_innermost_frames_first() -> None:
    frames = "".join(f'  File "onnxruntime/x.py", line {n} in f{n}\n' for n in range(9))
    lines = cut_stack(f"Fatal Python error: Aborted\n\nCurrent thread 0x1 (most recent call first):\n{frames}")
    assert lines.splitlines()[-1] == "  ... 3 frames"
    assert "in f0" in lines
    assert "in f8" not in lines


def test_long_lines_and_long_outputs_lose_what_is_between() -> None:
    lines = cut_output("\n".join([f"line {n}" for n in range(100)] + ["x" * 5000])).splitlines()
    assert len(lines) == 25
    assert "... 77 lines" in lines
    assert len(lines[-1]) < 400


COLLECTED = """Collecting environment information...
PyTorch version: 2.13.0+cpu
CUDA used to build PyTorch: Could not collect
OS: Debian (x86_64)

Model name:                              AMD EPYC
Flags:                                   fpu avx2 fma avx512f
Vulnerability Spectre v1:                Mitigation
[pip3] numpy==2.4.6
[pip3] secret-package==1
"""


def test_an_environment_is_reported_without_what_says_nothing() -> None:
    assert kept(COLLECTED).splitlines() == [
        "PyTorch version: 2.13.0+cpu",
        "OS: Debian (x86_64)",
        "Model name: AMD EPYC",
        "[pip3] numpy==2.4.6",
        "Vector instructions: avx2 avx512f",
    ]


@pytest.mark.parametrize(
    ("values", "sentence"), [([0, 3, 1], "The maximum is unique: only one index is right."), ([3, 3, 1], "")]
)
def test_an_index_is_said_to_be_the_only_right_one_where_it_is(values: list[int], sentence: str) -> None:
    made = graph("float32[3] x", "ArgMax(x, axis=0, keepdims=0), Neg(x)")
    inputs = [np.array(values, np.float32)]
    assert [chosen_once(made, inputs, output) for output in (0, 1)] == [sentence, ""]


def model(text: str) -> Artifact:
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


def finding(**changes: Any) -> FindingRecord:
    plain = {"a": "min", "b": "", "culprit": "min", "message": "", "bisection": {}, "blame": (), "values": ()}
    return findings.finding(**{**plain, **changes})


def title(artifact: Artifact, dtype: str = "float32", **changes: Any) -> str:
    text = report.render(finding(**changes), {"min": apply("Abs", f"{dtype}[2]")}, {"min": artifact}, "")
    return next(re.finditer("Title: (.*?)(?: -->|$)", text))[1]


def text_of(**changes: Any) -> str:
    return report.render(finding(**changes), {"min": apply("Abs", "float32[2]")}, {"min": RELU}, "")


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


def test_a_torch_program_is_named_by_its_calls() -> None:
    program = shown(torch_program("v0 = torch.bmm(x0, x1)\nv1, v2 = torch.max(v0, dim=1)\nreturn (v2,)"))
    assert program.pattern(0) == "torch.max(torch.bmm(x0, x1), dim=1)[1]"
    assert program.listing.startswith("def forward(self, x0, x1):")


def test_a_torch_program_that_writes_is_named_by_what_it_calls() -> None:
    program = shown(torch_program("c = torch.full((1,), 0)\nv0 = x0 + 1\nv0.index_copy_(0, c, v0)\nreturn (v0,)"))
    assert (program.pattern(0), program.names) == ("", ["+", "index_copy_"])


def test_what_differs_between_torch_programs_is_computed() -> None:
    a = shown(torch_program("return (x0 + x1,)", {"layouts": ["transposed"]}))
    b = shown(torch_program("return (x0.clone().add_(x1),)", {"dynamic": True}))
    assert differences(a, b) == [
        "Only A has `Add`.",
        "Only B has `.add_()`, `.clone()`.",
        "Torch.compile(dynamic=...): as by default in A, True in B.",
        "Strides of the inputs: ['transposed'] in A, as by default in B.",
    ]


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
        (f"compiled: {SHARED}", {"kind": "alias", "oracle": "alias", "message": f"min: {SHARED}"}),
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


WRONG = "Relu(x) of int64 gives wrong values"


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
    text = text_of(**changes, printed="A: [1]")
    assert text.index("A: [1]") < text.index("#### ")


@pytest.mark.parametrize(("blame", "expected"), [([], True), (["ReluFusion"], False), (list("abcdef"), True)])
def test_a_part_that_was_not_found_is_said_to_be_not_isolated(blame: list[str], expected: bool) -> None:
    text = text_of(bisection={"shown": True, "complete": True, "sentences": ["25 trials."]}, blame=blame)
    assert ("not isolated" in text) == expected


def test_an_error_of_c_plus_plus_is_reported_without_its_signature() -> None:
    place = "/build/core/graph/graph.cc:12 void Graph::Resolve(const T&) [with T = int]"
    message = f"Fail: [ONNXRuntimeError] : 1 : FAIL : {place} bad"
    failure = report.failure(Outcome(status="error", stage="compile", message=message))
    expected = title(RELU, compiler="eager", kind="crash", oracle="crash", failure=failure)
    assert expected == "Relu(x) fails to compile: Fail: graph.cc:12: bad"


def test_the_first_lines_are_program_expected_got_and_versions() -> None:
    result = {"inputs": {"x": "[1, -2]"}, "expected": "[1, 0]", "got": "[1, -2]", "wrong": 1, "elements": 2}
    text = text_of(compiler="eager", result=result)
    head = text[text.index("### Describe the bug") :].splitlines()[2:13]
    assert head[0] == "`Relu(x)` gives wrong values."
    listing = ["ONNX model, opset 18, f opset 1", "input x: float[2]", "y = Relu(x)  # float[2]", "output y"]
    assert head[2:7] == ["```text", *listing]
    assert [line.rstrip() for line in head[8:]] == ["Inputs: `x` = `[1, -2]`", "Expected: `[1, 0]`", "Got: `[1, -2]`"]


def test_a_program_that_is_the_same_twice_is_shown_once(graphs: Mapping[str, Graph]) -> None:
    assert "The two programs" not in report.render(finding(b="max"), graphs, {"min": RELU, "max": RELU}, "")


def test_small_arrays_are_told_whole() -> None:
    from polyjuice.frameworks.expressions import elements

    assert elements(np.array([[1, 2.5], [np.nan, -0.0]], np.float32)) == "[[1, 2.5], [np.nan, -0.0]]"
    assert elements(np.zeros(100)) == "all 0"
    assert elements(np.array([b"a", "b"], object)) == "[b'a', 'b']"
