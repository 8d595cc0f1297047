"""The workflows in docs/ci: their steps are bash, and findings become issues and entries of known.toml."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from polyjuice.triage import known_list
from tests.support.commands import ROOT

yaml = pytest.importorskip("yaml")

BUG = next(ROOT.glob("artifacts/bugs/069-*"))
SHIMS = {
    "polyjuice": f'exec "{sys.executable}" -m polyjuice "$@"',
    # gh issue create --label polyjuice --title TITLE --body-file REPORT
    "gh": 'echo "$1 $2 $4 $6 $8" >> "$ISSUES"; test -s "$8"; echo https://github.com/OWNER/compiler/issues/1',
}
"""Programs that a step calls: ``gh`` writes down its arguments, and prints the address of the issue."""


def scripts(workflow: str) -> list[str]:
    jobs = yaml.safe_load((ROOT / "docs/ci" / workflow).read_text(encoding="utf-8"))["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("workflow", ["compiler.yml", "model-owner.yml"])
def test_steps_are_bash(workflow: str) -> None:
    for script in scripts(workflow):
        assert subprocess.run(["bash", "-n", "-c", re.sub(r"\$\{\{.*?\}\}", "1", script)]).returncode == 0, script


def test_a_finding_becomes_an_issue_and_an_entry_of_known_toml(tmp_path: Path) -> None:
    """In a checkout with a remote repository, as in the nightly job after its campaign."""
    programs, checkout, issues = tmp_path / "programs", tmp_path / "checkout", tmp_path / "issues"
    programs.mkdir()
    for name, script in SHIMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "ISSUES": str(issues)}
    env["GIT_CONFIG_GLOBAL"] = "/dev/null"

    def bash(script: str) -> str:
        done = subprocess.run(["bash", "-e", "-c", script], cwd=checkout, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    checkout.mkdir()
    bash("git init -q --bare -b main ../remote.git && git init -q -b main . && git remote add origin ../remote.git")
    bash("echo night > .gitignore && git add . && git -c user.name=a -c user.email=a@b commit -qm Begin")
    bash("git push -qu origin main")
    new = checkout / "night/findings/000007-0-crash"
    shutil.copytree(BUG / "finding", new)
    shutil.copy(BUG / "report.md", new)
    record = json.loads((new / "finding.json").read_text())
    (new / "finding.json").write_text(json.dumps({**record, "signature": "crash run loop", "cause": "", "blame": []}))

    *_, opening, keeping = scripts("compiler.yml")
    for script in (opening, keeping):
        bash(script)
    title = "Crash: DequantizeLinear, Transpose"
    assert issues.read_text() == f"issue create polyjuice {title} night/findings/000007-0-crash/report.md\n"
    (bug,) = known_list.read(checkout / "known.toml")
    assert (bug.url, bug.title) == ("https://github.com/OWNER/compiler/issues/1", title)
    assert bug.explains(known_list.read_finding(new))
    assert bash("git status --porcelain") == ""
    assert bash("git log --format=%s origin/main").splitlines() == ["Add the findings of a night", "Begin"]
