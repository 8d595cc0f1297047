"""The faults of benchmarks/mutants: a worker plants each, its demonstration shows it, and others lack it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Outcome, Worker
from polyjuice.frameworks.lowering import lower
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, digest
from tests.support.compilers import usable
from tests.support.mutants import MUTANTS, SITE, demos

COMPILERS = ("inductor", "onnxruntime", "tvm")
FAULTS = {c: sorted(path.stem for path in (MUTANTS / "faults" / c).glob("*.py")) for c in COMPILERS}

TELLING = ("onnxruntime/result-buffer-unwritten", "onnxruntime/split-uneven")
"""Faults of memory and of a lowering. The long tests try the others."""

OTHERS = 3
"""The most demonstrations of other faults on which a fault may show. A fault with more would not be conditional."""

SPELLINGS = 8
"""How many plain lowerings of a demonstration are tried."""

LIMITS = Limits(compile_s=120)


@pytest.fixture
def by_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers plant the faults that a program names. One server forks all workers of a compiler."""
    monkeypatch.setenv("PYTHONPATH", str(SITE))
    monkeypatch.setenv("POLYJUICE_MUTANT", "by-program")


def documentation(compiler: str, fault: str) -> str:
    return ast.get_docstring(ast.parse((MUTANTS / "faults" / compiler / f"{fault}.py").read_text())) or ""


PLAIN: dict[tuple[str, str], tuple[list[Artifact], Iterator[int]]] = {}
"""By compiler and graph: the plain lowerings of a demonstration so far, and the seeds for further ones."""


def plain(graph: Graph, info: CompilerInfo, number: int = 0) -> Artifact:
    """A plain lowering of the graph. A demonstration tests the fault, and not its dependence on idioms."""
    found, seeds = PLAIN.setdefault((info.name, digest(graph)), ([], iter(range(200))))
    while len(found) <= number and (seed := next(seeds, None)) is not None:
        artifact = lower(graph, info.format, seed, lacks=(*info.lacks, "forms"))
        if not artifact.idioms and all(artifact.source != other.source for other in found):
            found.append(artifact)
    return found[number % len(found)]


def agrees(outcome: Outcome, graph: Graph, inputs: list[np.ndarray]) -> bool:
    """Whether the values are the interpreter's. Types and shapes must be."""
    assert outcome.status == "ok", outcome.message + outcome.traceback
    pairs = list(zip(outcome.outputs[0], evaluate(graph, inputs), strict=True))
    assert all((got.dtype, got.shape) == (expected.dtype, expected.shape) for got, expected in pairs)
    return all(np.array_equal(got, expected) for got, expected in pairs)


def shows(
    worker: Worker, info: CompilerInfo, faults: list[str], demo: tuple[Graph, list[np.ndarray]], number: int = 0
) -> bool:
    """Whether a program with these faults fails, or differs from the interpreter."""
    artifact = plain(demo[0], info, number)
    artifact = replace(artifact, setup={**artifact.setup, "faults": faults})
    outcome = worker.execute(artifact, [demo[1]], reference=False)
    crashes = any(documentation(*name.split("/")).partition("\n")[0].endswith("(a crash).") for name in faults)
    shown = outcome.status in ("error", "crash") if crashes else not agrees(outcome, *demo)
    assert not shown or set(faults) <= set(outcome.trace)  # the trace names each fault
    return shown


@pytest.mark.parametrize(
    ("compiler", "fault"),
    [
        pytest.param(compiler, fault, marks=() if f"{compiler}/{fault}" in TELLING else pytest.mark.long)
        for compiler in COMPILERS
        for fault in FAULTS[compiler]
    ],
)
@pytest.mark.usefixtures("by_program")
def test_a_fault_shows_on_its_demonstration(compiler: str, fault: str) -> None:
    """A fault shows only if it is planted. Where running all demonstrations is quick, few others show it."""
    info = usable(compiler)
    name = f"{compiler}/{fault}"
    table = demos(compiler).DEMOS
    demo = table[fault]()
    with Worker(info, limits=LIMITS) as worker:
        assert any(shows(worker, info, [name], demo, number) for number in range(SPELLINGS))  # a pattern may need one
        assert not shows(worker, info, [], demo)
        others = [other() for key, other in table.items() if key != fault and info.fast]
        assert sum(shows(worker, info, [name], other) for other in others) <= OTHERS


@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_fault_says_what_it_does_and_where_it_is_from(compiler: str) -> None:
    assert set(demos(compiler).DEMOS) == set(FAULTS[compiler])
    for fault in FAULTS[compiler]:
        text = documentation(compiler, fault)
        assert text.partition("\n")[0].endswith("."), fault
        assert "\nTriggers " in text, fault
        assert re.search(r"\nModelled on: (Isra|NNSmith|GenCoG|HirGen|PolyJuice)", text), fault


def test_a_name_that_no_fault_has_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SITE))
    monkeypatch.setenv("POLYJUICE_MUTANT", "onnxruntime/none-such")
    with pytest.raises(EnvironmentProblem, match="no fault is called 'onnxruntime/none-such'"):
        Worker(find("numpy")).start()


def test_the_readme_lists_the_faults_as_they_are() -> None:
    done = subprocess.run([sys.executable, MUTANTS / "list.py"], capture_output=True, text=True, check=True)
    assert done.stdout in (MUTANTS / "README.md").read_text(), "put what list.py prints into README.md"


@pytest.mark.long
@pytest.mark.parametrize(("strategy", "pairs"), [("original", 2), ("minmax", 6)])
def test_the_benchmark_finds_a_common_fault_among_others_and_writes_it_down(
    strategy: str, pairs: int, tmp_path: Path
) -> None:
    usable("onnxruntime")
    results = tmp_path / "mutants.json"
    campaign = ["--strategies", strategy, "--pairs", str(pairs), "--nodes", "40", "--workers", "1"]
    command = [sys.executable, MUTANTS / "run.py", "--only", "onnxruntime/s[pu]*", *campaign, "--results", results]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    known = json.loads(results.read_text())
    assert set(known) == {f"onnxruntime/{name}" for name in FAULTS["onnxruntime"] if name[:2] in ("sp", "su")}
    assert 1 <= min(known["onnxruntime/split-uneven"][strategy].values()) <= pairs
    assert results.with_suffix(".md").read_text() == done.stdout.removesuffix("\n")
