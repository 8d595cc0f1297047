"""Bisection names the compiler's parts that a fault needs. If there is none, it says so."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyjuice.compilers import VARIABLE, EnvironmentProblem
from polyjuice.ddmin import ddmin
from polyjuice.frameworks.onnx import graph_files
from polyjuice.triage import releases
from polyjuice.triage.bisection import bisect
from polyjuice.triage.stored import Replayed, ReplayStatus, load
from tests.support.commands import polyjuice
from tests.support.compilers import usable
from tests.support.planted import planted, stored
from tests.support.plugins import CONTROL_INFO, importing_from, plugin
from tests.support.shares import in_the_long_run

pytestmark = pytest.mark.usefixtures("in_process")


def bisected(finding: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """The exit status of `polyjuice bisect`, its JSON, and its standard error."""
    done = polyjuice("bisect", finding, "--json", *arguments)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


@given(st.integers(1, 40), st.data())
def test_ddmin_finds_the_items_that_are_needed_and_no_other(count: int, data: st.DataObject) -> None:
    needed = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=4))
    assert ddmin(range(count), lambda part: needed <= set(part)) == tuple(sorted(needed))
    assert ddmin("abcdefgh", lambda part: "c" in part or "f" in part) == ("c",), "what stands in front is preferred"


@given(st.integers(2, 30), st.data())
def test_ddmin_of_a_property_that_is_not_monotone_leaves_no_item_that_could_go(count: int, data: st.DataObject) -> None:
    odd = data.draw(st.sets(st.integers(0, count - 1), min_size=1))

    def holds(part: tuple[int, ...]) -> bool:
        return len(odd & set(part)) % 2 == 1 or len(part) == count

    found = ddmin(range(count), holds)
    assert holds(found)
    assert len(found) == 1 or not any(holds(tuple(x for x in found if x != item)) for item in found)


KNOBS = """
import os
_disabled = set()
_level = "2"

def start(options):
    global _level, _threads
    _disabled.update(options.get("disable", ()))
    _threads = options.get("threads", 2)
    _level = options.get("level", "2")

def knobs():
    return [{names}]

def off(name):
    return name in _disabled

def compile(program, inputs):
    if off("needed"):
        raise ValueError("it does not compile")
    return program

def run(compiled, inputs):
    outputs = control.run(compiled, inputs)
    if {condition}:
        dtype, values = outputs[0]
        outputs = [(dtype, values + values.dtype.type(1)), *outputs[1:]]
    return outputs

def trace(compiled):
    return [{trace}]
"""


def faulty(
    site: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: str,
    condition: str,
    trace: str = "",
    *,
    code: str = "",
    nodes: str = "y = Add(x, x)",
    oracle: str = "differential",
    conditions: Mapping[str, str] | None = None,
) -> Path:
    """Store a finding of a compiler with these knobs. Its first result is off by one if the condition holds."""
    listed, traced = (", ".join(f'"{name}"' for name in text.split()) for text in (names, trace))
    listed += "".join(f", {name!r}" for name in conditions or () if name.startswith(VARIABLE))
    knobs = KNOBS.format(names=listed, condition=condition, trace=traced)
    info = {**CONTROL_INFO, "levels": ["0", "1", "2"], "conditions": dict(conditions or {})}
    plugin(site, knobs + code, name="knobbed", info=info)
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", importing_from(site)["PYTHONPATH"])
    graph = graph_files.from_model(onnx.parser.parse_model(MODEL % nodes))
    return stored(site / "finding", "knobbed", graph, [np.arange(3, dtype=np.float32)], oracle)


MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    add (float[3] x) => (float[3] y) { %s }"""


def test_the_one_knob_to_blame_is_found_written_down_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = faulty(tmp_path / "s", monkeypatch, "a b needed c d e f", "_level != '0' and not off('d')")
    status, output, progress = bisected(finding)
    assert status == 1
    assert (output["shown"], output["complete"], output["blame"], output["alternatives"]) == (True, True, ["d"], [])
    assert output["levels"] == {"0": "gone", "1": "shown"}
    assert "gone: without d" in progress
    record = json.loads((finding / "finding.json").read_text())
    assert (record["kind"], record["blame"]) == ("mismatch", ["d"])
    assert record["bisection"]["trials"] == output["trials"] == progress.count("\n")
    report = (finding / "report.md").read_text()
    assert "Switching off `d` makes it vanish.\n\n#### Ruled out\n" in report
    assert bisected(finding)[1]["blame"] == ["d"]
    assert (finding / "report.md").read_text() == report


@pytest.mark.parametrize(
    ("names", "condition", "trace", "blame", "alternatives"),
    [
        ("a b needed c d", "not (off('b') and off('d'))", "", ("b", "d"), ()),
        ("a b c d", "not (off('b') or off('d'))", "", ("b",), (("d",),)),
        ("a needed b", "not off('needed')", "", (), ()),
        ("a b c", "True", "", (), ()),
        # Without the pass, nothing can share memory. What leaves every part as it is is blamed before any part.
        ("memory pass:* last", "not off('pass:b')", "pass:b", ("pass:b",), ()),
        ("memory pass:* last", "not off('pass:b') and not off('memory')", "pass:b", ("memory",), (("pass:b",),)),
    ],
)
def test_several_knobs_and_none(
    names: str,
    condition: str,
    trace: str,
    blame: tuple[str, ...],
    alternatives: tuple[tuple[str, ...], ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = bisect(load(faulty(tmp_path / "s", monkeypatch, names, condition, trace)), 120)
    assert (result.blame, result.alternatives, result.complete) == (blame, alternatives, True)


def test_what_the_compiler_says_that_it_did_is_tried_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The knob `pass:*` is a family: the trace alone names its members."""
    names = " ".join(f"k{number}" for number in range(50))
    finding = faulty(tmp_path / "s", monkeypatch, f"pass:* {names}", "not off('pass:b')", "pass:a pass:b other")
    lines: list[str] = []
    result = bisect(load(finding), 120, lines.append)
    assert result.blame == ("pass:b",)
    assert result.met == {"pass:b": ["original"]}
    assert lines[2:] == [
        "gone: without pass:a, pass:b",
        "shown: without pass:a",
        "gone: without pass:b",
        "shown: without pass:a, k0, k1, k2 and 47 more",
    ]


SPREADING = """
def run(compiled, inputs):
    if not off("fusion") and compiled.nodes[-1].op == "Sqrt":
        raise ValueError("a root of what is negative")
    outputs = control.run(compiled, inputs)
    wrong = {wrong} and not off("fusion") and compiled.nodes[-1].op == "Neg"
    return [(dtype, values - values.dtype.type(wrong)) for dtype, values in outputs]
"""
"""The part `fusion` makes Sqrt fail. If ``wrong``, it also makes the result of a final Neg wrong by 1."""


@pytest.mark.parametrize("wrong", [True, False])
def test_an_error_that_a_wrong_value_ends_in_is_reported_as_the_wrong_value(
    wrong: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An example is ONNX Runtime's EliminateSlice: its result has a wrong shape, which fails in a later operator."""
    code, nodes = SPREADING.format(wrong=wrong), "s = Add(x, x) y = Sqrt(s)"
    names = "other fusion"
    finding = faulty(tmp_path / "s", monkeypatch, names, "False", code=code, nodes=nodes, oracle="crash")
    status, output, _ = bisected(finding)
    assert (status, output["blame"], output["follows"]) == (1, ["fusion"], wrong)
    record = json.loads((finding / "finding.json").read_text())
    assert record["kind"] == "crash"
    assert record["cause"] == ("mismatch by fusion of Add Sqrt" if wrong else f"{record['signature']} by fusion")
    assert ("the error is the consequence" in (finding / "report.md").read_text()) == wrong


def test_when_the_time_is_over_the_least_set_so_far_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = load(faulty(tmp_path / "s", monkeypatch, "a b c d", "not off('d')"))
    result = bisect(finding, 0)
    assert (result.shown, result.complete, result.blame, result.trials) == (True, False, (), 1)


def test_a_fault_that_no_longer_shows_is_status_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = faulty(tmp_path / "s", monkeypatch, "a b", "not os.environ.get('MENDED')")
    monkeypatch.setenv("MENDED", "1")
    status, output, _ = bisected(finding)
    assert (status, output["shown"], output["blame"], output["trials"]) == (0, False, [], 1)


def test_what_cannot_be_bisected_is_one_line_and_status_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = faulty(tmp_path / "s", monkeypatch, "", "True")
    assert bisected(finding)[::2] == (2, "polyjuice: knobbed has no knobs, so no part of it can be switched off\n")
    assert bisected(finding, "--time", "soon")[0] == 2
    record = json.loads((finding / "finding.json").read_text())
    del record["choices"]
    (finding / "finding.json").write_text(json.dumps(record))
    status, _, error = bisected(finding)
    assert status == 2
    assert "finding.json: it has no 'choices'" in error
    assert error.count("\n") == 1
    status, _, error = bisected(tmp_path)
    assert status == 2
    assert "is not a finding's folder" in error


CONDITIONS = {
    "a": "without `a`",
    "threads": "with one thread (`THREADS=1`)",
    "variable KNOBBED_ISA=narrow": "with `KNOBBED_ISA=narrow`",
}


def test_conditions_without_the_fault_are_told_beside_the_part_to_blame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is there when a process imports the compiler, although workers are forked from another process."""
    condition = "_isa == 'wide' and _threads == 2 and not off('b')"
    code = "_isa = os.environ.get('KNOBBED_ISA', 'wide')\n"
    finding = faulty(tmp_path / "s", monkeypatch, "a b", condition, code=code, conditions=CONDITIONS)
    status, output, _ = bisected(finding, "--python", str(interpreter(tmp_path / "python")))
    assert (status, output["blame"], output["alternatives"]) == (1, ["b"], [])
    assert [*output["conditions"].items()] == [*zip(CONDITIONS.values(), ("shown", "gone", "gone"), strict=True)]
    report = (finding / "report.md").read_text()
    assert "It does not show with one thread (`THREADS=1`), or with `KNOBBED_ISA=narrow`." in report
    assert "It also shows without `a`." in report


def interpreter(path: Path, **environment: str) -> Path:
    """Write an interpreter that is this one with further environment variables."""
    variables = " ".join(f"{name}={value}" for name, value in environment.items())
    path.write_text(f'#!/bin/sh\n{variables} exec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


SHOWS, FIXED, NOT_RUN = ReplayStatus.shows, ReplayStatus.fixed, ReplayStatus.not_run


@given(
    st.one_of(
        st.lists(st.sampled_from([SHOWS, FIXED, NOT_RUN]), max_size=8).map(lambda some: [*some, SHOWS]),
        st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda n: [FIXED] * n[0] + [SHOWS] * n[1]),
    )
)
def test_a_search_among_releases_finds_where_the_fault_came_or_went(statuses: list[ReplayStatus]) -> None:
    found, replayed = searched(statuses)
    names = [f"1.{number}" for number in range(len(statuses))]
    said = " ".join(releases.sentences(found))
    decided = [(name, status) for name, status in zip(names, statuses, strict=True) if status != NOT_RUN]
    changes = {
        f"shows since {new}; {old} is right" if now == SHOWS else f"shows up to {old}; {new} is right"
        for (old, before), (new, now) in pairwise(decided)
        if now != before
    }
    if len(changes) % 2 and len(statuses) > 3:
        assert any(change in said for change in changes)
    elif len(changes) > 1:
        assert "It comes and goes. " in said
    else:
        assert all(change in said for change in changes)
    if len(changes) % 2 and NOT_RUN not in statuses:
        assert replayed <= 2 + math.log2(len(statuses)) + 1
    assert ("do not run" in said) == (NOT_RUN in found.values())


FINDING: Any = SimpleNamespace(compiler=SimpleNamespace(name="knobbed"), folder=None)


def searched(statuses: Sequence[ReplayStatus]) -> tuple[dict[str, str], int]:
    """The result of a search among releases 1.0, 1.1, ... with these statuses, and how many of them it replayed."""
    replayed: list[Replayed] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releases, "probe", lambda _, python: {"available": True, "version": f"1.{python}", "reason": ""})
        patch.setattr(releases, "replay", lambda _, python: Replayed("finding", statuses[int(str(python))]))
        pythons = [Path(str(number)) for number in reversed(range(len(statuses)))]
        return releases.by_release(FINDING, pythons, replayed.append), len(replayed)


def test_several_interpreters_tell_the_release_that_brought_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def version():\n    return os.environ.get('RELEASE', '2.10.0')\n"
    finding = faulty(tmp_path / "s", monkeypatch, "a", "version() != '2.9.1' and not off('a')", code=code)
    bisected(finding)
    old = interpreter(tmp_path / "old", RELEASE="2.9.1")
    status, output, progress = bisected(finding, "--python", sys.executable, "--python", str(old))
    assert (status, output["releases"]) == (1, {"2.9.1": "fixed", "2.10.0": "shows"})
    sentence = "It shows since 2.10.0; 2.9.1 is right."
    assert output["sentences"] == [sentence]
    assert progress == "  fixed: 2.9.1\n  shows: 2.10.0\n"
    for again in (True, False):  # each keeps what the other has written
        record = json.loads((finding / "finding.json").read_text())
        assert (record["blame"], record["bisection"]["releases"]) == (["a"], output["releases"])
        assert record["bisection"]["sentences"].count(sentence) == 1
        assert f"Switching off `a` makes it vanish.\n{sentence}\n" in (finding / "report.md").read_text()
        if again:
            bisected(finding)


def test_two_environments_of_one_release_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "probe", lambda *_: {"available": True, "version": "1.0", "reason": ""})
    with pytest.raises(EnvironmentProblem, match=r"^a and b both have knobbed 1\.0$"):
        releases.by_release(FINDING, [Path("a"), Path("b")], lambda _: None)


def test_a_finding_is_read_back_as_it_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finding = load(faulty(tmp_path / "s", monkeypatch, "a", "True"))
    (only,) = finding.case().programs
    again = stored(tmp_path / "t", "knobbed", only.graph, finding.inputs)
    for name in ("a.onnx", "a.lowered.onnx", "inputs.npz"):
        assert (again / name).read_bytes() == (finding.folder / name).read_bytes()
    assert only.artifact.source == (again / "a.lowered.onnx").read_bytes()
    assert load(again).verdict == finding.verdict


TRANSPOSED = """<ir_version: 9, opset_import: ["" : 18]>
    product (float[3,2] x, float[3] v) => (float[2] y) { t = Transpose <perm = [1, 0]> (x) y = MatMul(t, v) }"""


def test_the_fusion_behind_a_bug_of_onnxruntime_is_named(tmp_path: Path) -> None:
    """This is finding 001 of artifacts/bugs."""
    usable("onnxruntime")
    graph = graph_files.from_model(onnx.parser.parse_model(TRANSPOSED))
    inputs = [np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([1, 10, 100], np.float32)]
    try:
        finding = stored(tmp_path / "f", "onnxruntime", graph, inputs)
    except ValueError:
        pytest.skip("this release does not have the bug")
    result = bisect(load(finding), 120)
    assert result.blame == ("MatmulTransposeFusion",)
    assert list(result.levels.values())[-1] == "shown"


@pytest.mark.parametrize("fault", ["onnxruntime/split-uneven", *in_the_long_run("onnxruntime/clip-of-relu")])
def test_a_faulty_optimizer_of_onnxruntime_is_named(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = bisect(load(planted(tmp_path / "f", fault, monkeypatch)), 120)
    assert (result.blame, result.met) == ((fault,), {fault: ["original"]})
    assert result.levels == {"disable": "gone", "basic": "shown"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "blame"),
    [
        ("tvm/division-behind-multiplication", "tvm/division-behind-multiplication"),
        ("inductor/addmm-column-bias", "pattern addmm"),
    ],
)
def test_a_faulty_pass_is_named(fault: str, blame: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bisect(load(planted(tmp_path / "f", fault, monkeypatch)), 1200).blame == (blame,)
