"""A campaign on a compiler with planted faults, and what must not depend on who runs it, and how often it is killed."""

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

from tests.support.commands import ROOT
from tests.support.plugins import CONTROL_INFO, plugin, wrong_without
from tests.support.traces import Traces
from tests.support.workers import HOPELESS_S

CRASH = """
def compile(program, inputs):
    if {"Sqrt", "Tanh"} <= {node.op for node in program.nodes}:
        raise RuntimeError("cannot fuse Sqrt with Tanh")
    return control.compile(program, inputs)

"""


VERSION = """
def version():
    import os
    return os.environ.get("FAULTY_VERSION", "1.0")

"""

OPERATORS = ("Relu", "Softplus", "Sqrt", "Tanh", "Add", "Mul", "Sub", "Exp", "Transpose", "Concat", "Abs", "Max")
FAILURES = ("crash", "hang")
"""At most two of these findings with one signature are stored. Which ones depends on the processes."""


class Campaign(Traces):
    """A campaign in a folder, of ``cases`` cases; ``where`` are the options that say where its processes run."""

    def __init__(self, folder: Path, cases: int, *where: object) -> None:
        super().__init__(folder)
        self.out, self.cases_asked, self.where = folder / "c", cases, [*map(str, where)]
        site = plugin(
            folder / "site",
            wrong_without("Relu", "Softplus") + CRASH + VERSION,
            name="faulty",
            info={**CONTROL_INFO, "fast": True},
        )
        path = os.pathsep.join([site["PYTHONPATH"], str(ROOT)])
        self.env = {**os.environ, **self.env, "PYTHONPATH": path}

    def command(self) -> subprocess.Popen[str]:
        options = ["--resume", str(self.out)]
        if not (self.out / "campaign.sqlite").exists():
            options = [
                "--compiler",
                "faulty",
                "-n",
                str(self.cases_asked),
                "--seed",
                "5",
                "--nodes",
                "5",
                "--seeds",
                "default",
            ]
            options += [text for operator in OPERATORS for text in ("--only-operator", operator)]
            options += ["--triage", "60s", "--out", str(self.out)]
        command = [sys.executable, "-m", "polyjuice", "--config", "none", "fuzz", *options, *self.where, "--json"]
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
            "failures": sorted(row[1:] for row in found if row[1] in FAILURES),
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


def kill_at_random_moments(
    campaign: Campaign, kills: int, number: signal.Signals, status: int, draw: random.Random
) -> None:
    """Run a campaign to its end. Each of at most ``kills`` signals ends it with ``status``; then it is resumed."""
    stored: dict[int, Any] = {}
    killed = 0
    while True:
        process = campaign.command()
        if killed < kills and wait_for_a_moment(campaign, process, draw):
            process.send_signal(number)
            killed += 1
        _, errors = process.communicate(timeout=HOPELESS_S)
        assert [*campaign.damage()] == []
        assert {index: campaign.cases().get(index) for index in stored} == stored, "a case was lost, or ran twice"
        stored = campaign.cases()
        if process.returncode != status:
            break
        if number != signal.SIGKILL:  # after which a process of Python's warns of what it cleans up
            assert "Traceback" not in errors
            assert "Warning" not in errors
    assert process.returncode == 1, errors
    assert killed > 0
