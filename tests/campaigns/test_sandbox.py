"""The user's code runs in a process of its own. If it ends that process, one case is lost, and the error names the
model.
"""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

from polyjuice.compilers import find
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks.sandbox import Ended, Sandbox
from polyjuice.frameworks.split import split_program
from polyjuice.oracles import Verdict
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage.reduction.trial import Pair, Trial
from tests.support.commands import PLAIN, polyjuice, save_model

OWNERS = """
import os

import numpy as np

def aborts(): os.abort()
def eats_memory(): return [np.empty(1 << 30, "uint8") for _ in range(64)]
def leaves(): raise SystemExit(7)
def never_ends():
    while True: pass
"""

ENDS = {
    "mine:aborts": "was ended by SIGABRT",
    "mine:eats_memory": "ran out of memory",
    "mine:leaves": "exited with status 7",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OWNERS)
    save_model(tmp_path / "good.onnx")
    return tmp_path


def problem(source: str, end: str) -> str:
    return f"{source} was run in a process of its own, which {end}"


def reasons(campaign: Path) -> list[str]:
    """For each case, the reason for skipping it, or ""."""
    with sqlite3.connect(campaign / "campaign.sqlite") as db:
        return [json.loads(text)["skipped"] for (text,) in db.execute('SELECT result FROM cases ORDER BY "index"')]


@pytest.mark.parametrize("ends", [["mine:aborts"], pytest.param([*ENDS], marks=pytest.mark.long)], ids=["one", "all"])
def test_a_model_that_ends_its_process_costs_one_case_and_is_named(ends: list[str], folder: Path) -> None:
    """The other models take turns. A resumed campaign remembers the problem, and does not import the module again."""
    seeds = [word for source in (*ends, "good.onnx") for word in ("--seeds", source)]
    count = len(ends) + 2
    options = ["-n", count, "--workers", 1, "--out", folder / "c", *PLAIN]
    done = polyjuice("fuzz", "--compiler", "numpy", *seeds, *options, "--json", cwd=folder, processes=True)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["tested"], summary["skipped_reasons"]) == (2, {"not loaded": len(ends)})
    problems = [problem(source, ENDS[source]) for source in ends]
    assert summary["not_loaded"] == problems
    assert reasons(folder / "c") == [*(f"not loaded: {one}" for one in problems), "", ""]
    assert [line for line in done.stderr.splitlines() if "mine:" in line] == [f"polyjuice: {one}" for one in problems]
    (folder / "mine.py").unlink()
    done = polyjuice("fuzz", "--resume", folder / "c", "-n", count + 1, "--json", cwd=folder, processes=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tested"] == 3


@pytest.mark.long
def test_a_model_that_never_ends_costs_one_case_and_is_named(folder: Path) -> None:
    options = ["--timeout", 5, "-n", 2, "--workers", 1, "--out", folder / "c"]
    seeds = ["--seeds", "mine:never_ends", "--seeds", "good.onnx"]
    done = polyjuice("fuzz", "--compiler", "numpy", *seeds, *options, cwd=folder, processes=True)
    assert done.returncode == 0, done.stderr
    assert reasons(folder / "c") == [f"not loaded: {problem('mine:never_ends', 'did not end within 5 s')}", ""]


def test_where_no_model_is_left_it_is_a_usage_error_in_one_line(folder: Path) -> None:
    seeds = ["--seeds", "mine:never_ends", "-n", 1, "--timeout", 2, "--out", folder / "c"]
    done = polyjuice("fuzz", "--compiler", "numpy", *seeds, cwd=folder, processes=True)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == f"polyjuice: {problem('mine:never_ends', 'did not end within 2 s')}"
    assert not (folder / "c").exists()


PICKY = """import torch


class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x):
        y = torch.tanh(x)
        z = y if y.any() else __import__("os").abort()
        return (z,)
"""


def test_what_ends_the_process_is_no_smaller_program() -> None:
    """The program ends its process if its input is zero."""
    pytest.importorskip("torch")
    ones, zeros = np.ones(3, np.float32), np.zeros(3, np.float32)
    artifact = Artifact(format="torch", source=PICKY)
    verdict = Verdict(oracle="differential", kind="mismatch", a="original", b="", message="", signature="")
    with CompilerSession(Conditions(), find("eager")) as session:
        split = session.sandbox.call("original", split_program, artifact, (ones,))
        assert [node.outputs for node in split.graph.nodes] == [("y",), ("z",)]
        stored: Any = SimpleNamespace(
            graphs={"original": split.graph}, inputs=(ones,), verdict=verdict, record=SimpleNamespace(profile="given")
        )
        trial = Trial(stored=stored, session=session, split=split)
        assert not trial.shows(Pair(graphs=(split.graph,), inputs=(zeros,), output=0, choices=(LoweringChoices(),)))
        assert trial.counts.candidates == 1
        assert trial.counts.programs == 0, "the compiler under test was given it"
        assert session.sandbox.call("original", split_program, artifact, (ones,)).graph == split.graph, (
            "another process"
        )
        with pytest.raises(Ended, match="original was run in a process of its own, which was ended by SIGABRT"):
            session.sandbox.call("original", split_program, artifact, (zeros,))


def test_a_model_over_which_the_reference_evaluator_does_not_end_is_tried_once() -> None:
    text = """<ir_version: 8, opset_import: ["" : 17]> g (float[2] x, int64 n) => (float[2] y)
        <bool yes = {1}> {
            y = Loop(n, yes, x) <body = b (int64 i, bool on, float[2] v) => (bool go, float[2] w)
                { go = Identity(on) w = Neg(v) }>
        }"""
    model = parser.parse_model(text).SerializeToString()
    x = np.float32([1, 2])
    with Sandbox(3) as sandbox:
        (y,) = sandbox.uncompiled(model, [x, np.array(3)]) or ()
        np.testing.assert_array_equal(y, -x)
        assert sandbox.uncompiled(model, [x, np.array(1 << 60)]) is None
        assert sandbox.uncompiled(model, [x, np.array(3)]) is None
        assert sandbox.call("another", os.getpid) != os.getpid()
        invalid = onnx.ModelProto().SerializeToString()
        assert sandbox.uncompiled(invalid, [x]) is None
