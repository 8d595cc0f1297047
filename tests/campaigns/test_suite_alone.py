"""Pytest runs a suite without Polyjuice, and each planted fault fails exactly the right cases."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import xml.etree.ElementTree as ElementTree
from importlib import metadata
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from polyjuice.suite import cases, running
from polyjuice.suite.cases import SuiteError, case_folders
from tests.support.commands import polyjuice
from tests.support.mutants import SPLIT_UNEVEN

pytest.importorskip("onnxruntime")

ROOT = Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "tests/findings"

DEADLY = """
import os, signal
import onnxruntime

whole = onnxruntime.InferenceSession

def dying(model, *arguments, **options):
    if b"Sqrt" in model:
        os.kill(os.getpid(), signal.SIGSEGV)
    return whole(model, *arguments, **options)

onnxruntime.InferenceSession = dying
"""
"""A site hook: loading a model with a Sqrt ends the process."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of findings that ONNX Runtime does not show without a planted fault."""
    folder = tmp_path_factory.mktemp("suite") / "s"
    for name in ("negated-comparison", "split-uneven", "sqrt-of-square", "where-not-broadcast"):
        cases.add(FINDINGS / name, folder)
    return folder


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with ONNX Runtime, NumPy, pytest and their dependencies, but without Polyjuice."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    (packages,) = (folder / "lib").glob("python*/site-packages")
    names = "numpy onnxruntime flatbuffers protobuf pytest pluggy iniconfig packaging pygments"
    for name in names.split():
        files = metadata.files(name) or []
        for top in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(metadata.distribution(name).locate_file(top)))
            if not (packages / top).exists():
                (packages / top).symlink_to(source)
    return folder / "bin/python"


def run_alone(python: Path, suite: Path, *arguments: object, **env: str) -> tuple[int, str, dict[str, str]]:
    """Pytest's exit status, its output, and the result of each case, from its JUnit XML."""
    report = suite / "junit.xml"
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", suite, "--compiler", "onnxruntime"]
    done = subprocess.run(
        [*command, "--junitxml", report, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTEST_ADDOPTS": "", "PYTHONPATH": "", **env},
        cwd=suite.parent,
    )
    if not report.exists():
        return done.returncode, done.stdout + done.stderr, {}
    became = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {"failure": "failed", "skipped": case.find("skipped") is not None and case.find("skipped").get("type")}
        found = [kinds[child.tag] for child in case if child.tag in kinds]
        became[case.get("name", "")[len("test_case[") : -1]] = found[0] if found else "passed"
    report.unlink()
    return done.returncode, done.stdout + done.stderr, became


def splits_unevenly(model: Path) -> bool:
    """Whether the fault takes parts of a Split from wrong places. The fault sees only constant sizes."""
    graph = onnx.load(model).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    lengths = [node.input[1] for node in graph.node if node.op_type == "Split" and len(node.input) > 1]
    sizes = [constants[name] for name in lengths if name in constants]  # a form computes the other sizes
    starts = [(np.cumsum(s) - s, np.minimum(np.arange(len(s)) * s, s.sum() - s)) for s in sizes]
    return any((right != wrong).any() for right, wrong in starts)


def test_a_suite_runs_without_polyjuice(bare: Path, suite: Path) -> None:
    elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [bare, "-c", "import polyjuice"]
    missing = subprocess.run(command, capture_output=True, text=True, cwd=suite.parent, env=elsewhere)
    assert "No module named 'polyjuice'" in missing.stderr
    status, output, became = run_alone(bare, suite)
    assert status == 0, output
    assert became == dict.fromkeys([folder.name for folder in case_folders(suite)], "passed")
    with pytest.raises(SuiteError, match=f"is in the suite already: {case_folders(suite)[1]}"):
        cases.add(FINDINGS / "split-uneven", suite)


def test_a_planted_fault_fails_exactly_the_cases_that_meet_it(suite: Path) -> None:
    right = {f.name for f in case_folders(suite) if any(map(splits_unevenly, f.glob("*.onnx")))}
    assert 0 < len(right) < len(case_folders(suite))
    status, output, became = run_alone(Path(sys.executable), suite, **SPLIT_UNEVEN)
    assert status == 1
    assert {name for name, what in became.items() if what == "failed"} == right
    assert "a, its equivalent, is right" in output
    with pytest.MonkeyPatch.context() as patch:
        for name, value in SPLIT_UNEVEN.items():
            patch.setenv(name, value)
        _, results = running.run(suite, sys.executable, 60, "onnxruntime", workers=2)
        assert {result.case for result in results if result.status == "failed"} == right


def test_a_crash_fails_its_case_alone(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(DEADLY)
    right = {f.name for f in case_folders(suite) if any(b"Sqrt" in model.read_bytes() for model in f.glob("*.onnx"))}
    assert 0 < len(right) < len(case_folders(suite))
    status, output, became = run_alone(Path(sys.executable), suite, PYTHONPATH=str(tmp_path))
    assert (status, {name for name, what in became.items() if what == "failed"}) == (1, right)
    assert "the process was ended by SIGSEGV" in output


def test_expected_failures_and_unexpected_passes_are_reported(suite: Path, tmp_path: Path) -> None:
    entry = '[[xfail]]\ncase = "{}"\ncompiler = "onnxruntime"\nurl = "https://example.org/{}"\n'
    before = (suite / "xfail.toml").read_text()
    try:
        (suite / "xfail.toml").write_text(entry.format("case-00001", 1) + entry.format("case-00003", 3))
        status, output, became = run_alone(Path(sys.executable), suite, "-rx", **SPLIT_UNEVEN)
        _, results = running.run(suite, sys.executable, 60, "onnxruntime")
        answers = {result.case: (result.status, result.message) for result in results}
    finally:
        (suite / "xfail.toml").write_text(before)
    assert status == 1
    assert became["case-00001"] == "pytest.xfail"
    assert became["case-00003"] == "failed"
    assert "[XPASS(strict)] https://example.org/3" in output
    assert "https://example.org/1" in output
    passes = "it is expected to fail: https://example.org/"
    assert answers["case-00003"] == (running.UNEXPECTED_PASS, passes + "3")
    assert answers["case-00000"] == ("passed", "")


def test_a_compiler_that_is_not_there_is_reported(bare: Path, suite: Path) -> None:
    status, output, _ = run_alone(bare, suite, "--compiler", "nobody")
    assert status == 4
    assert "no compiler is called 'nobody': --compiler is one of eager, inductor" in output


@pytest.mark.long
@pytest.mark.parametrize("compiler", ["inductor", "onnxruntime", "tvm", "xla"])
def test_a_suite_of_twelve_runs_in_all_compilers(compiler: str, tmp_path: Path) -> None:
    """Pytest and ``polyjuice suite run`` both run a suite of twelve cases."""
    suite = tmp_path / "suite"
    built = polyjuice("suite", "build", "--count", 12, "--seed", 2026, "--compiler", compiler, "--out", suite)
    assert built.returncode == 0, built.stderr
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", suite, "--compiler", compiler]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout
    _, results = running.run(suite, sys.executable, 300, compiler, workers=2)
    assert not [result for result in results if result.status in running.WRONG]
