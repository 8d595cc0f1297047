"""A hunt runs compilers in turn, continues after a stop, and merges its findings."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.hunt import run
from tests.support.commands import ONE_RULE, PLAIN, ROOT, polyjuice


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[object]]:
    """Campaigns run in this process, without rewriting or triage. The list receives their options."""
    asked: list[Sequence[object]] = []

    def fuzz(arguments: Sequence[object]) -> tuple[int, str]:
        asked.append(arguments)
        plain = () if "--resume" in arguments else (*PLAIN, *ONE_RULE, "--nodes", 2, "--triage", "0s")
        done = polyjuice("fuzz", *arguments, *plain, "--json")
        return done.returncode, done.stdout

    monkeypatch.setattr(run, "fuzz", fuzz)
    return asked


def options(folder: Path, *more: str) -> argparse.Namespace:
    where = ["--folder", str(folder / "hunt"), "--results", str(folder / "results")]
    return run.parsed([*where, "--compilers", "numpy", "--seeds", "small,default", "-n", "2", *more])


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_hunt_goes_on_after_a_stop_and_merges_its_findings(tmp_path: Path, here: list[Sequence[object]]) -> None:
    path, results = tmp_path / "hunt" / "hunt.json", tmp_path / "results" / "hunt.json"
    run.hunt(options(tmp_path, "--turns", "1", "-n", "1"))
    (turn,) = read(path)
    del turn["result"]  # as if the hunt had been killed after one case of two
    path.write_text(json.dumps([{**turn, "reach": ["-n", "2"]}]))
    run.hunt(options(tmp_path, "--turns", "2", "--compilers", "no-such,numpy"))
    resumed, absent = read(path)[:2]
    assert here[1][0] == "--resume"
    assert (resumed["seed"], resumed["result"]["tested"]) == (turn["seed"], 2)
    assert "status 2" in absent["problem"]
    (found,) = read(results)
    assert (found["tested"], found["raw_findings"]) == (2, 0)
    assert f"| numpy {found['version']} | 1 |" in (tmp_path / "results" / "README.md").read_text()

    found["causes"] = [{"signature": "mismatch by X", "raw": 2, "title": "a|b"}]
    other = {**found, "seed": found["seed"] + 1, "causes": [{"signature": "mismatch by X", "raw": 3, "title": "a|b"}]}
    known = run.merged(run.merged([found], [other]), [found])  # a campaign counts once, and a cause of two is one cause
    assert known == [found, other]
    assert f"| mismatch by X | 5 | small {found['seed']}, small {other['seed']} | a\\|b |" in run.table(known)


def test_the_committed_table_is_that_of_the_committed_results() -> None:
    folder = ROOT / "artifacts/hunt"
    assert run.table(json.loads((folder / "hunt.json").read_text("utf-8"))) == (folder / "README.md").read_text("utf-8")
