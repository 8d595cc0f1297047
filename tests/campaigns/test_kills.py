"""A campaign that is killed at random moments, and resumed each time, ends as one that is left alone."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT
from tests.support.plugins import CONTROL_INFO, plugin, wrong_without
from tests.support.traces import Traces

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc"),
]

CRASH = """
def compile(program, inputs):
    if {"Sqrt", "Tanh"} <= {node.op for node in program.nodes}:
        raise RuntimeError("cannot fuse Sqrt with Tanh")
    return control.compile(program, inputs)

"""


OPERATORS = ("Relu", "Softplus", "Sqrt", "Tanh", "Add", "Mul", "Sub", "Exp", "Transpose", "Concat", "Abs", "Max")
FAILURES = ("crash", "hang")
"""Each process stores two of these findings with one signature, so their number depends on the processes."""

CASES, KILLS = 12, 5


class Campaign(Traces):
    """A campaign in a folder."""

    def __init__(self, folder: Path, workers: int) -> None:
        super().__init__(folder)
        self.out, self.workers = folder / "c", workers
        site = plugin(
            folder / "site",
            wrong_without("Relu", "Softplus") + CRASH,
            name="faulty",
            info={**CONTROL_INFO, "fast": True},
        )
        path = os.pathsep.join([site["PYTHONPATH"], str(ROOT)])
        self.env = {**os.environ, **self.env, "PYTHONPATH": path}

    def command(self) -> subprocess.Popen[str]:
        options = ["--resume", str(self.out)]
        if not (self.out / "campaign.sqlite").exists():
            options = ["--compiler", "faulty", "-n", str(CASES), "--seed", "5", "--nodes", "5", "--seeds", "default"]
            options += [text for operator in OPERATORS for text in ("--only-operator", operator)]
            options += ["--triage", "60s", "--workers", str(self.workers), "--out", str(self.out)]
        command = [sys.executable, "-m", "polyjuice", "--config", "none", "fuzz", *options, "--json"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=self.env, stdout=pipe, stderr=pipe, text=True, start_new_session=True)

    def rows(self, query: str) -> list[Any]:
        """Rows of the campaign's database; none before there is one."""
        path = self.out / "campaign.sqlite"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path, 60)) as db:
            return db.execute(query).fetchall()

    @property
    def progress(self) -> int:
        queries = "SELECT COUNT(*) FROM cases", "SELECT COUNT(*) FROM findings WHERE cause IS NOT NULL"
        return sum(count for query in queries for (count,) in self.rows(query))

    def cases(self) -> dict[int, Any]:
        """The stored cases by index, with the seconds that they took, except those that must run once more."""
        results = [json.loads(text) for (text,) in self.rows("SELECT result FROM cases")]
        fields = "index", "pairs", "skipped", "programs", "seconds"
        return {case["index"]: tuple(case[name] for name in fields) for case in results if not case["postponed"]}

    def results(self) -> dict[str, Any]:
        """The results that must not depend on interruptions."""
        kind = "json_extract(record, '$.kind')"
        found = self.rows(f"SELECT folder, {kind}, signature, cause FROM findings")
        published = [json.loads(path.read_text()) for path in (self.out / "findings").glob("*/finding.json")]
        return {
            "cases": {index: row[1:4] for index, row in self.cases().items()},
            "rules": dict(self.rows("SELECT name, cases FROM rules")),
            "wrong results": sorted(row for row in found if row[1] not in FAILURES),
            "failures": sorted({row[1:] for row in found if row[1] in FAILURES}),
            "causes": sorted({row[3] for row in found if row[3]}),
            "published": sorted(record["cause"] for record in published),
            "faults of Polyjuice": [
                (case["defect"], case["unsound"])
                for case in (json.loads(text) for (text,) in self.rows("SELECT result FROM cases"))
                if case["defect"] or case["unsound"]
            ],
        }

    def damage(self) -> Iterator[str]:
        """Yield what is wrong while no command runs: processes, files, findings that are not complete, the database."""
        yield from self.left()
        for path in [*(self.out / "raw").glob("[!.]*"), *(self.out / "findings").glob("[!.]*/")]:
            for name in ("finding.json", "a.onnx", "b.onnx", "inputs.npz", "repro.py", "report.md"):
                if path.is_dir() and not (path / name).is_file():
                    yield f"{path} has no {name}"
        yield from (
            name for (name,) in self.rows("SELECT folder FROM findings") if not (self.out / "raw" / name).is_dir()
        )
        yield from (answer for (answer,) in self.rows("PRAGMA integrity_check") if answer != "ok")


def wait_for_a_moment(campaign: Campaign, process: subprocess.Popen[str], draw: random.Random) -> bool:
    """Wait until soon after the start, or until there are some new results. Whether the command still runs then."""
    early, wanted = draw.random() < 1 / 4, campaign.progress + draw.randint(1, 8)
    while not early and campaign.progress < wanted and process.poll() is None:
        time.sleep(0.05)
    with suppress(subprocess.TimeoutExpired):
        process.wait(draw.uniform(0.3, 8.0) if early else draw.uniform(0.0, 2.0))
    return process.poll() is None


@pytest.mark.parametrize(
    ("workers", "number", "status"), [(1, signal.SIGKILL, -9), (2, signal.SIGKILL, -9), (2, signal.SIGTERM, 130)]
)
def test_a_killed_campaign_ends_as_one_that_is_left_alone(
    tmp_path: Path, workers: int, number: signal.Signals, status: int
) -> None:
    alone = Campaign(tmp_path / "alone", workers)
    _, errors = (process := alone.command()).communicate()
    assert process.returncode == 1, errors
    assert alone.results()["wrong results"]

    killed, draw, kills = Campaign(tmp_path / "killed", workers), random.Random(workers), 0
    stored: dict[int, Any] = {}
    while True:
        process = killed.command()
        if kills < KILLS and wait_for_a_moment(killed, process, draw):
            process.send_signal(number)
            kills += 1
        _, errors = process.communicate()
        assert [*killed.damage()] == []
        assert {index: killed.cases().get(index) for index in stored} == stored, "a case was lost, or ran twice"
        stored = killed.cases()
        if process.returncode != status:
            break
        if number != signal.SIGKILL:  # after which a process of Python's warns of what it cleans up
            assert "Traceback" not in errors
            assert "Warning" not in errors
    assert process.returncode == 1, errors
    assert kills > 0
    assert killed.results() == alone.results()
