"""Reports: each has its tracker's form, and the facts that a maintainer needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks.lowering import lower
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage import FindingRecord, report
from polyjuice.triage.stored import load

FINDING = Path(__file__).parents[1] / "findings/split-uneven"

SECTIONS = {
    "inductor": ["🐛 Describe the bug", "Error logs", "Versions"],
    "onnxruntime": [
        "Describe the issue",
        "To reproduce",
        "Urgency",
        "Platform",
        "OS Version",
        "ONNX Runtime Installation",
        "ONNX Runtime Version or Commit ID",
        "ONNX Runtime API",
        "Architecture",
        "Execution Provider",
    ],
    "tvm": ["Expected behavior", "Actual behavior", "Environment", "Steps to reproduce", "Triage"],
    "xla": [
        "Issue type",
        "Have you reproduced the bug with TensorFlow Nightly?",
        "Source",
        "TensorFlow version",
        "Custom code",
        "OS platform and distribution",
        "Python version",
        "Current behavior?",
        "Standalone code to reproduce the issue",
        "Relevant log output",
    ],
    "openvino": [
        "OpenVINO Version",
        "Operating System",
        "Device used for inference",
        "Framework",
        "Model used",
        "Issue description",
        "Step-by-step reproduction",
        "Relevant log output",
        "Issue submission checklist",
    ],
    "iree": [
        "What happened?",
        "Steps to reproduce your issue",
        "What component(s) does this issue relate to?",
        "Version information",
        "Additional context",
    ],
    "eager": ["Describe the bug", "Reproducer", "Versions"],
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
    """The graphs |x| + 0 and |x|."""
    made = {}
    for label in ("min", "max"):
        build = GraphBuilder()
        y = build.op("Abs", build.input(TensorType("float32", (2,))))
        if label == "max":
            y = build.op("Add", y, build.constant(np.zeros(2, np.float32)))
        made[label] = build.build([y])
    return made


@pytest.fixture(scope="module")
def record() -> FindingRecord:
    stored = load(FINDING).record
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
    """The plainest programs of some graphs."""
    return {label: lower(graph, format, LoweringChoices()) for label, graph in graphs.items()}


def rendered(record: FindingRecord, graphs: Mapping[str, Graph], **changes: Any) -> str:
    return report.render(replace(record, **changes), graphs, artifacts(graphs), REPRO)


@pytest.mark.parametrize("compiler", SECTIONS)
def test_a_report_has_the_sections_of_its_tracker(
    compiler: str, record: FindingRecord, graphs: Mapping[str, Graph]
) -> None:
    text = rendered(record, graphs, compiler=compiler, explanation={"add-zero": "x + 0 = x"})
    assert [line[4:] for line in text.splitlines() if line.startswith("### ")] == SECTIONS[compiler]
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
    printed = "A:  [0.]\nside by side:\n  eager:     [1.]\n  inductor:  [0.]"
    text = rendered(record, graphs, compiler="inductor", printed=printed)
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


def test_a_finding_of_an_older_version_has_a_report_too(graphs: Mapping[str, Graph]) -> None:
    """It has no values, no printed output and no explanation."""
    data = json.loads((FINDING / "finding.json").read_text())
    assert "values" not in data
    assert "gives wrong values" in report.render(load(FINDING).record, graphs, artifacts(graphs), REPRO)


def test_a_title_names_few_operators_where_the_program_does_not_fit(record: FindingRecord) -> None:
    build = GraphBuilder()
    y = build.input(TensorType("float32", (2,)))
    for _ in range(40):
        y = build.op("Abs", build.op("Neg", y))
    one = {"min": build.build([y])}
    small = {"pattern": ["Abs", "Neg"], "reduction": {"finished": True}, "values": [], "a": "min", "b": ""}
    assert "Title: Abs Neg gives wrong values" in rendered(record, one, **small)
    assert "Title: Abs(Neg(" in rendered(record, one, **{**small, "reduction": {}})
