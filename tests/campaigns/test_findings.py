"""A finding is a folder that another person can use. A verdict that does not repeat leaves no folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import onnx
import pytest
from ml_dtypes import bfloat16
from onnx.reference import ReferenceEvaluator

from polyjuice.frameworks.onnx import graph_files
from polyjuice.inputs import USUAL_PROFILES
from polyjuice.ir import Graph, digest
from polyjuice.triage import run_reproducer
from polyjuice.triage.finding import _reproduced
from tests.support.commands import ONE_RULE, findings, fuzz, polyjuice, record, run, save_model
from tests.support.plugins import LARGE, importing_from, plugin
from tests.support.shares import in_the_long_run
from tests.support.workers import HOPELESS_S, Lifeline

FILES = {"finding.json", "a.onnx", "b.onnx", "inputs.npz", "repro.py", "report.md"}

EAGER_INFO = {
    "format": "torch",
    "needs": "a test",
    "repro_imports": """
import inspect
import torch
import torch.nn.functional as F
import {module}_bug as bug
""",
    "repro": """
def prepare(model, inputs, **options):
    wrong = bug.WRONG and "relu" in inspect.getsource(model if inspect.isfunction(model) else type(model))
    return lambda: [output + wrong for output in model(*inputs)]
""",
}

EAGER = """
from dataclasses import replace
from polyjuice.compilers import _torch
from polyjuice.compilers.eager import *

WRONG = True
"""
"""PyTorch eager, but wrong by 1 in programs that call relu."""

WRONG_RELU = """
def load(artifact):
    program = _torch.load(artifact)
    program.model.wrong = "relu" in artifact["source"]
    return program

def compile(program, inputs):
    model = program.model
    return replace(program, model=lambda *x: [output + model.wrong for output in model(*x)])
"""

RELU = """<ir_version: 9, opset_import: ["" : 18]>
    relu (float[9,8] x, float[9,8] w, bfloat16[5] u) => (float[9,8] y, bfloat16[5] v) {
        s = Add(x, w) y = Relu(s) v = Relu(u) }"""
"""A model whose arrays are too large to be written out in a reproducer."""


def feeds(finding: Path, graph: Graph) -> dict[str, np.ndarray]:
    """The stored inputs by their names in the graph. The file stores bfloat16 as the uint16 of its bits."""
    arrays = np.load(finding / "inputs.npz")
    assert [name for name in arrays if name.startswith("input_") and "@" in name] == ["input_2@bfloat16"]
    stored = {**arrays, "input_2": arrays["input_2@bfloat16"].view(bfloat16)}
    return {name: stored[f"input_{i}"] for i, name in enumerate(graph.inputs)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    site = tmp_path_factory.mktemp("site")
    plugin(site, WRONG_RELU, name="wrong", base=EAGER, info=EAGER_INFO)
    (site / "wrong_compiler_bug.py").write_text("WRONG = True\n")
    return site


@pytest.fixture(scope="module")
def campaign(site: Path) -> tuple[Path, dict[str, Any]]:
    """Cases in which only relu(x) = (x + |x|) / 2 tells two variants apart."""
    arguments = ["--compiler", "wrong", "-n", 2, "--extract", "minmax", "--seeds", save_model(site / "relu.onnx", RELU)]
    status, summary = fuzz(site / "c", *arguments, *ONE_RULE, env=importing_from(site))
    assert status == 1, summary
    return site / "c", summary


@pytest.fixture(scope="module")
def mismatch(campaign: tuple[Path, dict[str, Any]]) -> Path:
    return findings(campaign[0])[0]


def test_a_wrong_compiler_is_found_and_each_finding_has_its_files(campaign: tuple[Path, dict[str, Any]]) -> None:
    folder, summary = campaign
    stored = findings(folder)
    assert summary["raw_findings"] == len(stored) > 0
    assert summary["by_kind"] == {"mismatch": len(stored)}
    assert summary["unsound_variants"] == 0
    assert summary["findings"] == len({record(finding)["signature"] for finding in stored})
    assert all({path.name for path in finding.iterdir()} == FILES for finding in stored)


def test_the_record_says_what_where_and_who(mismatch: Path) -> None:
    import torch

    stored = record(mismatch)
    assert (stored["kind"], stored["compiler"], stored["seed"]) == ("mismatch", "wrong", 0)
    assert (stored["versions"]["wrong"], stored["versions"]["python"]) == (torch.__version__, sys.version.split()[0])
    assert mismatch.name.startswith(f"{stored['index']:06d}-")
    assert stored["folder"] == mismatch.name
    assert stored["profile"] in USUAL_PROFILES
    assert stored["rules"]
    assert {stored["a"], stored["b"]} == {"min", "max"} == set(stored["operators"])
    with_relu = [
        stored[side]
        for side in "ab"
        if "Relu" in {node.op_type for node in onnx.load(mismatch / f"{side}.onnx").graph.node}
    ]
    assert with_relu == [stored["culprit"]]


def test_both_graphs_are_valid_different_and_equal_in_meaning(mismatch: Path) -> None:
    paths = mismatch / "a.onnx", mismatch / "b.onnx"
    for path in paths:
        onnx.checker.check_model(path, full_check=True)
    a, b = map(graph_files.load, paths)
    assert digest(a) != digest(b)
    assert a.input_types == b.input_types
    left, right = (ReferenceEvaluator(str(path)).run(None, feeds(mismatch, a)) for path in paths)
    for y, z, tolerance in zip(left, right, (1e-6, 0.02), strict=True):
        np.testing.assert_allclose(y.astype(float), z.astype(float), rtol=tolerance, atol=tolerance)


def test_the_reproducer_was_run_and_shows_the_bug_alone(mismatch: Path, tmp_path: Path) -> None:
    """The reproducer needs only NumPy and the framework, and no other file. Where the bug is fixed, it ends with 0."""
    assert record(mismatch)["repro_exit"] == 1
    for name in ("polyjuice", "onnx", "ml_dtypes", "egglog"):
        (tmp_path / f"{name}.py").write_text(f"raise AssertionError('{name} was imported')\n")
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "repro.py").write_text((mismatch / "repro.py").read_text())
    for wrong in (True, False):
        (tmp_path / "wrong_compiler_bug.py").write_text(f"WRONG = {wrong}\n")
        done = run("repro.py", env={"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}, cwd=alone)
        assert done.returncode == wrong, done.stdout + done.stderr
        assert f"differ at {'' if wrong else '0 of'}" in done.stdout
        assert (done.stdout.strip() in (mismatch / "report.md").read_text()) == wrong


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("torch", "raise ImportError('no torch')"),
        pytest.param("wrong_compiler_bug", "no_flag = 1", marks=pytest.mark.long),
    ],
)
def test_a_reproducer_ends_with_2_where_it_could_not_run(
    mismatch: Path, tmp_path: Path, site: Path, module: str, code: str
) -> None:
    (tmp_path / f"{module}.py").write_text(code)
    done = run(mismatch / "repro.py", env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{site}"})
    assert done.returncode == 2
    assert "no torch" in done.stderr or "WRONG" in done.stderr


def test_the_report_is_ready_for_an_issue(mismatch: Path) -> None:
    text = (mismatch / "report.md").read_text()
    stored = record(mismatch)
    wrong = f"Program {'A' if stored['culprit'] == stored['a'] else 'B'} is wrong."
    versions = [f"- {name}: {version}" for name, version in stored["versions"].items()]
    for part in ("gives wrong values", wrong, (mismatch / "repro.py").read_text(), *versions):
        assert part in text


def test_a_short_reproducer_that_fails_otherwise_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's call of the compiler can fail where the campaign's did not: its error must be the finding's."""
    texts = [f'import sys\nprint("the compiler failed: RuntimeError {e}")\nsys.exit(1)' for e in ("no such", "no Neg")]
    session = SimpleNamespace(conditions=SimpleNamespace(python=sys.executable, reproducer_s=30))
    for error, shown in (("RuntimeError: no Neg", texts[1]), ("RuntimeError: no such", texts[0]), ("", texts[0])):
        text, status, _ = _reproduced(tmp_path / "repro.py", texts, cast(Any, session), error, from_scratch=True)
        assert (text, status) == (shown, 1)


def test_replay_runs_the_reproducer_again(mismatch: Path, tmp_path: Path, site: Path) -> None:
    done = polyjuice("replay", mismatch, env=importing_from(site))
    assert done.returncode == 1
    assert "differ at" in done.stdout
    done = polyjuice("replay", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"polyjuice: {tmp_path} is neither a finding's folder (there is no repro.py)")


def test_the_summary_for_people_names_each_distinct_finding(campaign: tuple[Path, dict[str, Any]], site: Path) -> None:
    folder, summary = campaign
    done = polyjuice("fuzz", "--resume", folder, env=importing_from(site))
    assert done.returncode == 1
    assert done.stdout.count(f"{folder}/findings/") == summary["findings"]


def small_campaign(
    tmp_path: Path, code: str, *arguments: object, cases: int = 1, processes: bool = False
) -> tuple[int, dict[str, Any], Path]:
    """Cases of one small model. The condition `is_large` holds for its `max` variant."""
    model = save_model(tmp_path / "small.onnx")
    env = plugin(tmp_path / "site", LARGE + code)
    options = ["--compiler", "fake", "-n", cases, "--extract", "minmax", "--seeds", model, *ONE_RULE, *arguments]
    status, summary = fuzz(tmp_path / "c", *options, env=env, processes=processes)
    return status, summary, tmp_path / "c"


FAULTS = {
    "error": ("compile", "raise ValueError('no such loop')", "max does not compile: ValueError: no such loop"),
    "exit": ("compile", "import os; os._exit(3)", "max does not compile: the process exited with status 3"),
    "signal": ("compile", "import os; os.abort()", "max does not compile: the process was ended by SIGABRT"),
    "hang": ("run", "while True: pass", "max does not run: no end of run within 1 s"),
    "type": (
        "run",
        "import numpy as np; return [to_wire(np.float64(from_wire(y))) for y in control.run(program, inputs)]",
        "output 0 of max has element type float64, not float32",
    ),
}
KINDS = {"hang": "hang", "type": "mismatch"}


@pytest.mark.parametrize("fault", ["error", *in_the_long_run("exit"), "signal", *in_the_long_run("hang", "type")])
def test_a_fault_of_one_variant_is_a_finding_whose_reproducer_shows_it(tmp_path: Path, fault: str) -> None:
    stage, statement, message = FAULTS[fault]
    kind = KINDS.get(fault, "crash")
    spoilt = f"""
def {stage}(program, inputs):
    if is_large(program):
        {statement}
    return control.{stage}(program, inputs)
"""
    timeout, processes = 1 if fault == "hang" else 60, fault not in ("error", "type")
    status, summary, out = small_campaign(tmp_path, spoilt, "--timeout", timeout, processes=processes)
    assert (status, summary["by_kind"]) == (1, {kind: 1})
    (finding,) = findings(out)
    stored = record(finding)
    assert {path.name for path in finding.iterdir()} == {*FILES, "a.lowered.onnx", "b.lowered.onnx"}
    assert (stored["kind"], stored["culprit"], stored["repro_exit"]) == (kind, "max", 1)
    assert stored["message"].startswith(message)
    if kind == "crash":
        assert (stored["a"], stored["b"]) == ("max", "original")
        assert stored["message"].endswith(" (its equivalent original did not)")
    env = plugin(tmp_path / "site", LARGE)  # the bug is fixed
    script = finding / "repro.py"
    script.write_text(script.read_text().replace("timeout=2", "timeout=100"))  # enough for the slowest machine
    assert run("repro.py", env=env, cwd=finding).returncode == 0


def test_a_crash_of_all_programs_is_one_finding(tmp_path: Path) -> None:
    """The finding belongs to the first case, and the campaign goes on with the next."""
    spoilt = f"""
import os

def compile(program, inputs):
    if not os.path.exists({str(tmp_path / "c/raw/000000-0-crash/report.md")!r}):
        raise ValueError("no such loop")
    return control.compile(program, inputs)
"""
    status, summary, out = small_campaign(tmp_path, spoilt, "--oracle", "crash", cases=2)
    assert status == 1
    assert (summary["tested"], summary["raw_findings"], summary["findings"]) == (2, 1, 1), (out / "log").read_text()
    (finding,) = findings(out)
    assert (record(finding)["a"], record(finding)["b"]) == ("original", "")


def test_what_does_not_repeat_is_flaky_and_no_finding(tmp_path: Path) -> None:
    spoilt = f"""
from pathlib import Path

ran = Path({str(tmp_path / "ran")!r})

def run(compiled, inputs):
    outputs = control.run(compiled, inputs)
    if len(compiled.nodes) < 3 or ran.exists():  # few nodes: the compiler is asked whether it takes an operator
        return outputs
    ran.touch()
    return [(dtype, values + 1) for dtype, values in outputs]
"""
    status, summary, out = small_campaign(tmp_path, spoilt)
    assert (status, summary["by_kind"]) == (0, {"flaky": 1})
    assert (summary["tested"], summary["findings"], summary["raw_findings"]) == (1, 0, 0)
    assert findings(out) == []
    assert "flaky: output 0" in (out / "log").read_text()


def test_what_does_not_repeat_the_last_time_leaves_nothing(tmp_path: Path) -> None:
    """The reproducer has already run by then."""
    spoilt = f"""
import uuid
from pathlib import Path

ran = Path({str(tmp_path / "ran")!r})
mine = ran / uuid.uuid4().hex  # each worker and each reproducer loads this file anew

def run(compiled, inputs):
    ran.mkdir(exist_ok=True)
    outputs = control.run(compiled, inputs)
    if len(compiled.nodes) < 3 or len(set(ran.iterdir()) - {{mine}}) == 3:
        return outputs
    mine.touch()
    return [(dtype, values + 1) for dtype, values in outputs]
"""
    status, summary, out = small_campaign(tmp_path, spoilt, "--oracle", "differential")
    assert (status, summary["by_kind"]) == (0, {"flaky": 1})
    assert len(list((tmp_path / "ran").iterdir())) == 3
    assert list(out.glob("raw/*")) == []


def test_what_a_reproducer_prints_is_kept_without_colours(tmp_path: Path) -> None:
    (tmp_path / "repro.py").write_text("import sys; print('\\x1b[1;31mwrong\\x1b[m'); sys.exit(1)\n")
    assert run_reproducer(tmp_path, sys.executable, 10) == (1, "wrong")


def test_nothing_outlives_a_reproducer(tmp_path: Path) -> None:
    lives = Lifeline(tmp_path)
    (tmp_path / "repro.py").write_text(
        f"import subprocess\nheld = {lives.hold}\n"
        "subprocess.Popen(['sleep', '1000'], stdout=-3, stderr=-3, pass_fds=[held])\n"
        "print('begun')\nraise SystemExit(1)\n"
    )
    assert run_reproducer(tmp_path, sys.executable, HOPELESS_S) == (1, "begun")
    lives.wait_for_the_end()
