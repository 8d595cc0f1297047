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
from tests.support.commands import ONE_RULE, PLAIN, polyjuice


def result(compiler: str, seed: int, *causes: tuple[str, int]) -> run.Result:
    counts = {"tested": 3, "pairs": 2, "raw_findings": 1, "defects": 0, "unsound_variants": 0, "elapsed_s": 1800.0}
    found = [{"signature": signature, "raw": raw, "title": f"a|b {seed}"} for signature, raw in causes]
    return {"compiler": compiler, "version": "1.0", "seeds": "small", "seed": seed, **counts, "causes": found}


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


def test_a_hunt_continues_with_what_is_next(tmp_path: Path, here: list[Sequence[object]]) -> None:
    run.hunt(options(tmp_path, "--turns", "1"))
    run.hunt(options(tmp_path, "--turns", "1"))
    run.hunt(options(tmp_path, "--turns", "0"))
    turns, found = read(tmp_path / "hunt" / "hunt.json"), read(tmp_path / "results" / "hunt.json")
    assert [turn["seeds"] for turn in turns] == ["small", "default"]
    assert turns[0]["seed"] != turns[1]["seed"]
    assert len(here) == 2
    assert sorted((r["tested"], r["raw_findings"]) for r in found) == [(2, 0), (2, 0)]
    assert f"| numpy {found[0]['version']} | 2 |" in (tmp_path / "results" / "README.md").read_text()


def test_a_turn_that_was_stopped_is_continued(tmp_path: Path, here: list[Sequence[object]]) -> None:
    """The hunt was killed: the campaign has one case of two, and the list of turns has no result."""
    run.hunt(options(tmp_path, "--turns", "1", "-n", "1"))
    path = tmp_path / "hunt" / "hunt.json"
    (turn,) = read(path)
    del turn["result"]
    path.write_text(json.dumps([{**turn, "reach": ["-n", "2"]}]))
    run.hunt(options(tmp_path, "--turns", "1"))
    assert here[1][0] == "--resume"
    (again,) = read(path)
    assert (again["seed"], again["result"]["tested"]) == (turn["seed"], 2)
    assert [r["tested"] for r in read(tmp_path / "results" / "hunt.json")] == [2]


def test_a_compiler_that_cannot_run_does_not_end_the_hunt(tmp_path: Path, here: list[Sequence[object]]) -> None:
    run.hunt(options(tmp_path, "--compilers", "no-such,numpy", "--turns", "2"))
    first, second = read(tmp_path / "hunt" / "hunt.json")
    assert "status 2" in first["problem"]
    assert second["result"]["compiler"] == "numpy"
    with pytest.raises(SystemExit, match="no compiler is left"):
        run.hunt(options(tmp_path, "--compilers", "no-such"))


def test_an_interrupted_turn_has_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "fuzz", lambda arguments: (130, '{"tested": 1}'))
    with pytest.raises(SystemExit, match="status 130"):
        run.hunt(options(tmp_path))
    (turn,) = read(tmp_path / "hunt" / "hunt.json")
    assert not run.has_ended(turn)


def test_results_of_two_hunts_are_merged() -> None:
    """A campaign counts once, even if it is merged again. A root cause in two campaigns is one cause."""
    a, b, other = result("tvm", 1, ("mismatch by X", 2)), result("tvm", 2, ("mismatch by X", 3)), result("xla", 1)
    known = run.merged(run.merged([b], [other]), [a, b])
    assert known == [a, b, other]
    assert run.causes([a, b]) == [("mismatch by X", 5, "small 1, small 2", "a|b 1")]
    text = run.table(known)
    assert "| tvm 1.0 | 2 | 1.00 | 6 | 4 | 2 | 1 | 0 |" in text
    assert "| xla 1.0 | 1 | 0.50 | 3 | 2 | 1 | 0 | 0 |" in text
    assert "| mismatch by X | 5 | small 1, small 2 | a\\|b 1 |" in text
    assert "## xla" not in text
