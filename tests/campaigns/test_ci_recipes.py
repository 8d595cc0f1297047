"""The workflows in docs/ci do what they say: tests run their commands, with a stand-in for ``gh``.

Four things differ from GitHub's runners. The steps that install something do not run. A campaign has a number of cases
instead of a time. ``under-test`` is this environment. ``gh`` writes down its arguments, and answers as GitHub would.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.frameworks.onnx import graph_files
from polyjuice.suite import adding
from polyjuice.triage import known_list
from tests.support.commands import ONE_RULE, ROOT, save_model
from tests.support.mutants import SITE, demos
from tests.support.plugins import plugin

yaml = pytest.importorskip("yaml")

COMPILER, OWNER = (ROOT / "docs/ci" / name for name in ("compiler.yml", "model-owner.yml"))

GH = """#!{python}
import json, os, sys
from pathlib import Path

calls = Path(os.environ["GH_CALLS"])
earlier = calls.read_text().splitlines() if calls.exists() else []
arguments = dict(zip(sys.argv[3::2], sys.argv[4::2]))
arguments["--body-file"] = Path(arguments["--body-file"]).read_text()
with calls.open("a") as file:
    file.write(json.dumps([*sys.argv[1:3], arguments]) + "\\n")
print("https://github.com/OWNER/compiler/issues/%d" % (len(earlier) + 1))
"""
"""A stand-in for GitHub's command line: it keeps each issue, and prints its address."""

CRASHES = "def compile(program, inputs): raise ValueError('no such loop')\n"
CRASHES_OTHERWISE = "def compile(program, inputs): raise KeyError('no such pass')\n"


@dataclass
class Runner:
    """A checkout on a machine of CI, in which jobs run."""

    folder: Path
    numbers: dict[str, str] = field(default_factory=dict)
    edits: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        programs = self.folder.parent / "programs"
        programs.mkdir()
        self.folder.mkdir()
        for name, call in {
            "python": "",
            "polyjuice": "-m polyjuice",
            "pytest": "-m pytest -p no:cacheprovider",
        }.items():
            self._executable(programs / name, f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
        self._executable(programs / "gh", GH.format(python=sys.executable))
        (self.folder / "under-test/bin").mkdir(parents=True)
        self._executable(self.folder / "under-test/bin/python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.env |= {"PATH": f"{programs}:{os.environ['PATH']}", "GH_CALLS": str(self.folder.parent / "calls")}
        self.env |= {"PYTEST_ADDOPTS": "", "GIT_CONFIG_GLOBAL": "/dev/null"}
        remote = self.folder.parent / "remote.git"
        for command in (
            f"git init -q --bare -b main {remote}",
            "git init -q -b main .",
            f"git remote add origin {remote}",
            "printf 'night\\nunder-test\\nfound\\n' > .gitignore",
            "git add .gitignore",
            "git -c user.name=a -c user.email=a@b commit -qm Begin",
            "git push -q -u origin main",
        ):
            assert self.bash(command).returncode == 0

    @staticmethod
    def _executable(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    @property
    def issues(self) -> list[dict[str, str]]:
        """The options of each ``gh issue create``."""
        calls = self.folder.parent / "calls"
        rows = [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []
        assert [row[:2] for row in rows] == [["issue", "create"]] * len(rows)
        return [row[2] for row in rows]

    def bash(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a step as GitHub does: bash, which ends at the first error."""
        return subprocess.run(
            ["bash", "-e", "-c", script],
            cwd=self.folder,
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            timeout=600,
        )

    def job(self, workflow: Path, name: str, event: str = "push") -> str:
        """Run the steps of a job that an event starts. Return the step that failed, with its output, or ""."""
        failed = ""
        for step in steps(workflow, name):
            always = step.get("if") == "always()"
            if step.get("if") == "github.event_name == 'schedule'" and event != "schedule":
                continue
            if "run" not in step or (failed and not always) or is_installation(step["run"]):
                continue
            script = re.sub(r"\$\{\{ *(.*?) *\}\}", lambda name: self.numbers[name[1]], step["run"])
            for old, new in self.edits.items():
                script = script.replace(old, new)
            done = self.bash(script)
            if done.returncode:
                failed = f"{script}\n{done.stdout}{done.stderr}"
        return failed


def steps(workflow: Path, name: str) -> list[Mapping[str, Any]]:
    """The steps of a job."""
    found: list[Mapping[str, Any]] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"][name]["steps"]
    return found


def is_installation(script: str) -> bool:
    """Whether a step installs something."""
    return re.match(r"(\S*/)?pip install |python -m venv ", script) is not None


def scripts(workflow: Path) -> list[str]:
    """The commands of all steps of a workflow."""
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("workflow", [COMPILER, OWNER], ids=lambda path: path.stem)
def test_steps_are_bash_and_install_what_they_call(workflow: Path) -> None:
    everything = scripts(workflow)
    for script in everything:
        plain = re.sub(r"\$\{\{.*?\}\}", "1", script)
        assert subprocess.run(["bash", "-n", "-c", plain]).returncode == 0, script
    installed = " ".join(script for script in everything if is_installation(script))
    assert "pytest" in installed
    assert "onnxruntime" in installed
    assert '"$POLYJUICE"' in installed
    assert [script for script in everything if "upload" in script] == []


def night(runner: Runner, number: int, code: str) -> str:
    """Run the nightly job of a compiler's repository on a compiler that fails."""
    runner.env |= plugin(runner.folder.parent / "site", code)
    runner.numbers["github.run_number"] = str(number)
    runner.bash("git fetch -q && git reset -q --hard origin/main")
    shutil.rmtree(runner.folder / "night", ignore_errors=True)
    return runner.job(COMPILER, "fuzz", "schedule")


def test_a_finding_becomes_an_issue_and_an_entry_of_known_toml(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "checkout")
    (finding,) = ROOT.glob("artifacts/bugs/069-*/finding")
    new = runner.folder / "night/findings/000007-0-crash"
    shutil.copytree(finding, new)
    record = json.loads((new / "finding.json").read_text())
    (new / "finding.json").write_text(json.dumps({**record, "signature": "crash run loop", "cause": "", "blame": []}))
    *_, opening, keeping = scripts(COMPILER)
    assert [runner.bash(script).returncode for script in (opening, keeping)] == [0, 0]
    (issue,) = runner.issues
    title = "Crash: DequantizeLinear, Transpose"
    body = (finding / "report.md").read_text()
    assert issue == {"--label": "polyjuice", "--title": title, "--body-file": body}
    (bug,) = known_list.read(runner.folder / "known.toml")
    assert (bug.url, bug.title) == ("https://github.com/OWNER/compiler/issues/1", title)
    assert bug.explains(known_list.read_finding(new))
    assert runner.bash("git status --porcelain && git log --format=%s origin/main").stdout.splitlines() == [
        "Add the findings of a night",
        "Begin",
    ]


@pytest.mark.long
def test_a_night_opens_one_issue_for_each_new_finding(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "checkout")
    runner.edits |= {
        "--compiler onnxruntime": "--compiler fake",
        "--time 30m": "-n 1 --seeds model.onnx " + " ".join(ONE_RULE),
    }
    save_model(runner.folder / "model.onnx")
    assert night(runner, 1, CRASHES) == ""
    (issue,) = runner.issues
    assert issue["--label"] == "polyjuice"
    assert "no such loop" in issue["--title"]
    assert "-->" not in issue["--title"]
    assert issue["--body-file"].startswith("<!-- Title: ")
    assert night(runner, 2, CRASHES) == ""
    assert len(runner.issues) == 1, "the second night opens a duplicate"
    assert night(runner, 3, CRASHES_OTHERWISE) == ""
    assert ["no such pass" in issue["--title"] for issue in runner.issues] == [False, True]
    log = runner.bash("git log --format=%s origin/main").stdout.splitlines()
    assert log == ["Add the findings of a night", "Add the findings of a night", "Begin"]
    known = runner.bash("git show origin/main:known.toml").stdout
    assert [f"issues/{number}" in known for number in (1, 2, 3)] == [True, True, False]


@pytest.mark.long
def test_a_night_without_findings_opens_no_issue(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "checkout")
    runner.edits |= {"--compiler onnxruntime": "--compiler numpy", "--time 30m": "-n 1"}
    assert night(runner, 1, "") == ""
    assert runner.issues == []
    assert runner.bash("git log --format=%s origin/main").stdout.splitlines() == ["Begin"]


def test_a_night_whose_campaign_cannot_run_fails(tmp_path: Path) -> None:
    runner = Runner(tmp_path / "checkout")
    runner.edits |= {"--compiler onnxruntime": "--compiler absent", "--time 30m": "-n 1"}
    assert "no compiler is called 'absent'" in night(runner, 1, "")
    assert runner.issues == []


def plant(runner: Runner, fault: str) -> None:
    """Plant a fault of ONNX Runtime in the processes of the runner; "" for none."""
    runner.env |= {"PYTHONPATH": f"{SITE}:{ROOT}" if fault else str(ROOT), "POLYJUICE_MUTANT": fault}


@pytest.mark.long
def test_a_fault_of_onnxruntime_becomes_one_issue_in_three_nights(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    runner = Runner(tmp_path / "checkout")
    runner.edits["--time 30m"] = "-n 2 --seeds model.onnx"
    for number, (fault, issues) in enumerate(
        [("split-uneven", 1), ("split-uneven", 1), ("where-not-broadcast", 2), ("where-not-broadcast", 2)]
    ):
        graph, _ = demos("onnxruntime").DEMOS[fault]()
        graph_files.save(graph, runner.folder / "model.onnx")
        plant(runner, f"onnxruntime/{fault}")
        runner.numbers["github.run_number"] = str(number)
        shutil.rmtree(runner.folder / "night", ignore_errors=True)
        assert runner.job(COMPILER, "fuzz", "schedule") == ""
        assert len(runner.issues) == issues
    assert ["split-uneven" in issue["--title"] for issue in runner.issues] == [True, False]
    assert ["where-not-broadcast" in issue["--title"] for issue in runner.issues] == [False, True]


@pytest.mark.long
def test_the_suite_fails_on_a_regression_alone(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    runner = Runner(tmp_path / "checkout")
    suite = runner.folder / "tests/equivalent-programs"
    adding.add(ROOT / "tests/findings/split-uneven", suite)
    adding.add(ROOT / "tests/findings/negated-comparison", suite)
    plant(runner, "")
    assert runner.job(COMPILER, "suite") == ""
    assert (runner.folder / "suite.xml").is_file()
    plant(runner, "onnxruntime/split-uneven")
    assert "1 failed, 1 passed" in runner.job(COMPILER, "suite")


OWNERS_TEST = """
import numpy as np


def test_the_model(polyjuice):
    inputs = dict(np.load("inputs.npz"))
    polyjuice.check("model.onnx", inputs, compiler="onnxruntime", variants=2)
"""


@pytest.mark.long
def test_the_models_of_an_owner_are_checked_on_each_commit_and_for_longer_each_week(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    runner = Runner(tmp_path / "checkout")
    runner.edits["--time 10m"] = "-n 2"
    graph, inputs = demos("onnxruntime").DEMOS["split-uneven"]()
    graph_files.save(graph, runner.folder / "model.onnx")
    np.savez(runner.folder / "inputs.npz", **dict(zip(graph.inputs, inputs, strict=True)))
    (runner.folder / "tests").mkdir()
    (runner.folder / "tests/test_models.py").write_text(OWNERS_TEST)
    plant(runner, "")
    assert runner.job(OWNER, "models") == ""
    assert not (runner.folder / "found/fuzz").exists()
    assert runner.job(OWNER, "models", "schedule") == ""
    assert (runner.folder / "found/fuzz/campaign.sqlite").is_file()
    assert (runner.folder / "models.xml").is_file()
    shutil.rmtree(runner.folder / "found")
    plant(runner, "onnxruntime/split-uneven")
    assert "1 failed" in runner.job(OWNER, "models")
    assert list((runner.folder / "found").rglob("finding.json"))
