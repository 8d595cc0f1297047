"""A full disk stops a campaign with one line, and ``--resume`` continues it without loss once there is space.

The small disk is a tmpfs in a user namespace of its own. It vanishes with the process that ran there, so all runs are
those of one script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ROOT
from tests.support.plugins import plugin

NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")

SCRIPT = """
import json, os, re, sqlite3, subprocess, sys
from pathlib import Path

small, out, left, command = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", small], check=True)
fill = small / "fill"


def state(arguments):
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    if not (out / "campaign.sqlite").exists():
        return {"status": done.returncode, "stderr": done.stderr, "there": out.exists()}
    with sqlite3.connect(out / "campaign.sqlite") as db:
        results = [json.loads(text) for (text,) in db.execute('SELECT result FROM cases ORDER BY "index"')]
        findings = db.execute('SELECT folder FROM findings ORDER BY folder').fetchall()
    cases = [(case["index"], case["programs"], case["skipped"]) for case in results]
    notes = [kind for case in results for kind in ("defect", "unsound", "flaky") if case[kind]]
    log = (out / "log").read_text()
    raw = [folder for folder in os.listdir(out / "raw") if not (out / "raw" / folder / "report.md").exists()]
    return {
        "status": done.returncode, "stderr": done.stderr, "stdout": done.stdout, "cases": cases, "notes": notes,
        "findings": findings, "logged": [int(n) for n in re.findall("^case ([0-9]+) ", log, re.M)],
        "half": raw, "whole": log.endswith("\\n") or not log,
    }


free = os.statvfs(small)
fill.write_bytes(bytes(free.f_bavail * free.f_frsize - left * 1024))
begin = ["--out", str(out), *sys.argv[5:]]
results = [state(begin)]
fill.unlink()
results.append(state(["--resume", str(out)] if (out / "campaign.sqlite").exists() else begin))
print(json.dumps(results))
"""

WRONG = """
import os, tempfile

def run(compiled, inputs):
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes({size}))
        file.flush()
    return [(dtype, values + values.dtype.type({off})) for dtype, values in control.run(compiled, inputs)]
"""


def namespaces() -> bool:
    try:
        return not subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not namespaces(), reason="an unprivileged process can mount nothing here")


def stopped_and_resumed(
    folder: Path, full: str, left: int, *, size: int = 0, off: int = 0, cases: int = 12
) -> list[dict[str, Any]]:
    """Run a campaign with this many KiB free in the campaign's folder (``out``), or in that of a variable.

    Then resume it with enough space. Return the states after both runs.
    """
    small, large = folder / "small", folder / "large"
    small.mkdir()
    large.mkdir()
    env = {**os.environ, **plugin(folder / "site", WRONG.format(size=size, off=off))}
    env["PYTHONPATH"] = f"{ROOT}:{env['PYTHONPATH']}"
    env |= {"TMPDIR": str(large), "XDG_CACHE_HOME": str(large)} | ({full: str(small)} if full != "out" else {})
    out = (small if full == "out" else large) / "c"
    command = [sys.executable, "-m", "polyjuice", "fuzz"]
    more = ["--compiler", "fake", "-n", cases, "--seed", 3, "--workers", 1, "--triage", "0s"]
    more += ["--extract", "original", "--oracle", "crash,differential"]
    done = subprocess.run(
        [*NAMESPACE, sys.executable, "-c", SCRIPT, small, out, str(left), json.dumps(command), *map(str, more)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stdout, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def assert_loses_nothing(folder: Path, full: str, **how: int) -> None:
    first, second = stopped_and_resumed(folder, full, **how)
    where = folder / "small" if full == "TMPDIR" else folder / "small" / "c"
    out = folder / "large/c" if full == "TMPDIR" else where
    assert first["status"] == 2, first
    assert "Traceback" not in first["stderr"]
    assert [line for line in first["stderr"].splitlines() if line.startswith("polyjuice: ")] == [
        f"polyjuice: no space left in {where}; free some and continue with: polyjuice fuzz --resume {out}"
    ]
    count = how.get("cases", 12)
    assert len(first["cases"]) < count
    assert second["status"] == (1 if how.get("off") else 0), second
    assert [index for index, *_ in second["cases"]] == [*range(count)]
    assert first["cases"] == [row for row in second["cases"] if row in first["cases"]]
    assert {*second["logged"]} == {*range(count)}  # a postponed case has two lines
    assert second["whole"]
    for state in (first, second):
        assert not state["notes"]
    assert second["half"] == []
    assert bool(second["findings"]) == bool(how.get("off"))
    assert not [row for row in second["cases"] if "No space" in row[2]]


def test_the_campaigns_folder_is_full(tmp_path: Path) -> None:
    assert_loses_nothing(tmp_path, "out", left=84, cases=60)


@pytest.mark.long
@pytest.mark.parametrize("left", range(84, 165, 10))
def test_the_campaigns_folder_is_full_of_findings(tmp_path: Path, left: int) -> None:
    """The disk is full at another moment each time: while a finding, the database or the log is written."""
    assert_loses_nothing(tmp_path, "out", left=left, off=1, cases=20)


@pytest.mark.long
def test_the_compiler_finds_the_folder_of_temporary_files_full(tmp_path: Path) -> None:
    assert_loses_nothing(tmp_path, "TMPDIR", left=64, size=2**17)


@pytest.mark.long
@pytest.mark.parametrize("left", [0, 8, 40])
def test_a_campaign_that_cannot_begin_leaves_nothing_in_the_way(tmp_path: Path, left: int) -> None:
    first, second = stopped_and_resumed(tmp_path, "out", left)
    assert (first["status"], first.get("there")) == (2, False), first
    assert first["stderr"].startswith("polyjuice: no space left in ")
    assert first["stderr"].count("\n") == 1
    assert (second["status"], len(second["cases"])) == (0, 12)


@pytest.mark.long
def test_a_full_cache_costs_time_alone(tmp_path: Path) -> None:
    first, second = stopped_and_resumed(tmp_path, "XDG_CACHE_HOME", 0)
    assert first["status"] == second["status"] == 0
    assert len(first["cases"]) == 12
