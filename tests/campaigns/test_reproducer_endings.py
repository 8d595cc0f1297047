"""The findings of each oracle show again: in the reproducer as long as the bug exists, and in all later commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import ONE_RULE, fuzz, polyjuice, run, save_model
from tests.support.shares import in_the_long_run
from tests.support.spoilt import FAULTS, KINDS, oracle_of, spoilt


def found(folder: Path, fault: str, triage: str) -> tuple[Path, dict[str, str]]:
    """A campaign that finds a fault, and the environment whose compiler has the fault."""
    env = spoilt(folder / "site", fault)
    options = ["--compiler", "fake", "-n", 1, "--seeds", save_model(folder / "small.onnx"), *ONE_RULE]
    status, summary = fuzz(folder / "c", *options, "--oracle", oracle_of(fault), "--triage", triage, env=env)
    assert status == 1, summary
    assert set(summary["by_kind"]) == {KINDS[fault]}
    return folder / "c", env


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_reproducer_ends_with_1_as_long_as_the_bug_is_there(tmp_path: Path, fault: str) -> None:
    campaign, env = found(tmp_path, fault, "0s")
    finding = next((campaign / "findings").iterdir())
    assert json.loads((finding / "finding.json").read_text())["repro_exit"] == 1
    done = run("repro.py", env=env, cwd=finding)
    assert done.returncode == 1, done.stderr
    spoilt(tmp_path / "site", "")
    done = run("repro.py", env=env, cwd=finding)
    assert done.returncode == 0, done.stdout


QUICK = ("optlevel", "determinism")
"""The faults of the usual tests. Performance needs many runs, and other tests triage faults of the other oracles."""


@pytest.mark.parametrize("fault", [*QUICK, *in_the_long_run(*(fault for fault in FAULTS if fault not in QUICK))])
def test_what_was_triaged_shows_again(tmp_path: Path, fault: str) -> None:
    campaign, env = found(tmp_path, fault, "30s")
    done = polyjuice("replay", campaign, "--json", env=env)
    assert done.returncode == 1, done.stderr
    summary = json.loads(done.stdout)
    reported, *others = sorted(path.parent for path in (campaign / "findings").glob("*/finding.json"))
    assert (summary["shows"], summary["changed"], summary["fixed"], summary["not_run"]) == (1 + len(others), 0, 0, 0), (
        summary
    )
    for finding in (reported, campaign / "raw" / reported.name):
        done = polyjuice("reduce", finding, "--time", "1s", "--out", tmp_path / finding.parent.name, env=env)
        assert done.returncode == 1, done.stdout + done.stderr
        done = polyjuice("bisect", finding, env=env)
        assert done.returncode == 2, "the control has nothing that can be switched off"
        assert done.stderr == "polyjuice: fake has no knobs, so no part of it can be switched off\n"
