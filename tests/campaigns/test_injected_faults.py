"""A campaign survives every fault of its compiler: it records the fault, which costs one case, and leaves nothing."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import faults
from tests.support.commands import ROOT
from tests.support.faults import FAULTS, QUICK, Fault
from tests.support.traces import Traces
from tests.support.workers import HOPELESS_S, Lifeline

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the faults need Linux")

ONCE = faults.CAMPAIGN_KILLED
SKIPPED = ("crash", "hang")
"""Without the oracle that judges them, these faults are reasons for skipping."""


@dataclass
class Done:
    """A campaign that has ended: its exit status, its summary, its errors, and what the database says of each case."""

    status: int
    summary: dict[str, Any]
    stderr: str
    cases: dict[int, tuple[int, str]]
    notes: dict[int, list[tuple[str, str]]]
    findings: dict[int, list[tuple[str, str]]]


class Field(Traces):
    """A folder with the compiler, its models and the campaign, and all processes of that campaign."""

    def __init__(self, folder: Path, operators: Mapping[str, str] | None = None, *, batches: bool = False) -> None:
        super().__init__(folder)
        self.folder = folder
        self.lives = Lifeline(folder)
        self._site = faults.compiler(folder / "compiler", str(folder / "lifeline"), operators, batches)

    def run(self, names: list[str], *arguments: object) -> Done:
        """Run a campaign with one case for each fault; the fault "" is none."""
        models = faults.models(self.folder / "models", names)
        seeds = [part for model in models for part in ("--seeds", model)]
        return self.campaign("-n", len(names), *seeds, *arguments)

    def campaign(self, *arguments: object) -> Done:
        """Run a campaign without variants and triage."""
        out = self.folder / "c"
        command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", "fake", "--out", out]
        command += ["--extract", "original", "--triage", "0s", "--timeout", 1, "--json", *arguments]
        done = subprocess.run(
            [*map(str, command)],
            env={**os.environ, **self._site, **self.env, "PYTHONPATH": f"{ROOT}:{self._site['PYTHONPATH']}"},
            capture_output=True,
            text=True,
            timeout=2 * HOPELESS_S,
        )
        assert done.stdout, done.stderr
        with sqlite3.connect(out / "campaign.sqlite") as db:
            results = [json.loads(text) for (text,) in db.execute("SELECT result FROM cases")]
            cases = {case["index"]: (case["programs"], case["skipped"]) for case in results}
            listed = ("known", "flaky", "duplicates", "unsound", "disturbed")
            notes = {
                case["index"]: [
                    *((kind, text) for kind in listed for text in case[kind]),
                    *((kind, case[kind]) for kind in ("accepted", "sizes", "defect") if case[kind]),
                ]
                for case in results
            }
            found: dict[int, list[tuple[str, str]]] = {}
            for index, text in db.execute('SELECT "index", record FROM findings'):
                record = json.loads(text)
                found.setdefault(index, []).append((record["kind"], record["message"]))
        return Done(done.returncode, json.loads(done.stdout), done.stderr, cases, notes, found)


def assert_is_recorded(done: Done, index: int, fault: Fault, *, judged: bool) -> None:
    """The case has the record that its fault must have, and no other. ``judged``: by the oracle ``crash``, too."""
    programs, skipped = done.cases[index]
    notes, found = done.notes.get(index, []), done.findings.get(index, [])
    fails = fault.kind in SKIPPED or "SIGKILL" in fault.note
    if fails and not judged:
        assert (programs, notes, found) == (0, [], [])
        assert skipped.startswith("failed to ")
        assert fault.message[:180] in skipped
        assert fault.note in skipped
        return
    assert (programs, skipped) == (1, "")
    if fault.kind and not found:  # each process confirms a failure with one signature twice at most
        assert [kind for kind, _ in notes] == ["duplicates"]
        return
    assert [kind for kind, _ in found] == [fault.kind] * bool(fault.kind)
    assert all(fault.message in message for _, message in found)
    if fault.note and fault.note in "".join(text for _, text in notes):
        assert [kind for kind, _ in notes] == ["flaky" if "SIGKILL" in fault.note else "disturbed"]
    else:
        assert (fault.note, notes) == ("", [])


def assert_survives(done: Done, names: list[str], *, judged: bool) -> None:
    assert sorted(done.cases) == [*range(len(names))]
    for index, name in enumerate(names):
        try:
            assert_is_recorded(done, index, FAULTS[name] if name else Fault(), judged=judged)
        except AssertionError as error:
            raise AssertionError(f"case {index} ({name}): {error}") from error
    summary = done.summary
    assert done.summary["died"] == (ONCE in names)
    assert summary["died"] == (ONCE in names)
    assert summary["disturbed"] == sum("SIGKILL" not in FAULTS[name].note != "" for name in names if name)
    assert summary["defects"] == summary["unsound_variants"] == 0
    assert summary["tested"] + summary["skipped"] == len(names)
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr


def test_a_campaign_survives_faults(tmp_path: Path) -> None:
    field = Field(tmp_path)
    done = field.run(QUICK, "--workers", 2, "--oracle", "differential")
    assert done.status == 1
    assert_survives(done, QUICK, judged=False)
    field.lives.wait_for_the_end()
    assert field.left("*") == []


def test_a_fault_in_a_pack_costs_one_case(tmp_path: Path) -> None:
    """Packs that fail are halved until each program with a fault is alone, and all others run."""
    arguments, names = faults.generated(faults.PACKED, 16)
    field = Field(tmp_path, faults.PACKED)
    done = field.campaign("--pack", 4, "--workers", 1, "--oracle", "differential", *arguments)
    assert_survives(done, names, judged=False)
    assert done.summary["packs"] > 0
    assert field.left("*") == []


@pytest.mark.long
@pytest.mark.parametrize("batches", [False, True])
def test_a_fault_in_a_pack_is_confirmed_alone(tmp_path: Path, batches: bool) -> None:
    arguments, names = faults.generated(faults.PACKED, 16)
    field = Field(tmp_path, faults.PACKED, batches=batches)
    done = field.campaign("--pack", 8, "--oracle", "crash,differential", *arguments)
    assert done.status == 1
    assert_survives(done, names, judged=True)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_campaign_survives_all_faults_and_confirms_them(tmp_path: Path, workers: int) -> None:
    """After each fault comes a case without one."""
    names = [ONCE, *(one for name in FAULTS if name != ONCE for one in (name, ""))]
    field = Field(tmp_path)
    done = field.run(names, "--workers", workers, "--oracle", "crash,differential")
    assert done.status == 1
    assert_survives(done, names, judged=True)
    hangs = sum(kind == "hang" for found in done.findings.values() for kind, _ in found)
    assert hangs == done.summary["by_kind"]["hang"] >= 2
    field.lives.wait_for_the_end()
    assert field.left("*") == []


def test_a_case_that_kills_its_process_each_time_is_given_up(tmp_path: Path) -> None:
    names = ["", "", faults.HOPELESS, ""]
    field = Field(tmp_path)
    done = field.run(names, "--workers", 1, "--oracle", "differential")
    assert done.status == 3
    assert {index: programs for index, (programs, _) in done.cases.items()} == {0: 1, 1: 1, 2: 0, 3: 1}
    assert [kind for kind, _ in done.notes[2]] == ["defect"]
    assert "the process that ran it died twice" in done.notes[2][0][1]
    assert done.summary["died"] >= 2
    assert field.left("*") == []
