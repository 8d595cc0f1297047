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
from benchmarks.hunt import run, table
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

    means = {"program": "near miss", "oracle": "differential", "sides": "one program", "profile": "edge"}
    cause = {"signature": "mismatch by X[1]", "raw": 2, "title": "a|b", "found": means}
    found |= {"causes": [cause], "known": {"artifacts/bugs/001": 4}, "elapsed_s": 3600}
    other = {**found, "seed": found["seed"] + 1, "causes": [{**cause, "raw": 3}], "ended": found["ended"] + 1}
    known = run.merged(run.merged([found], [other]), [found])  # a campaign counts once, and a cause of two is one cause
    assert known == [found, other]
    verdicts = tmp_path / "verdicts.toml"
    verdicts.write_text('[[verdict]]\ncompiler = "numpy"\ncause = "mismatch by X[[]*"\nis = "bug 295"\n')
    page = table.text(known, table.Verdicts(verdicts))
    seeds = f"small {found['seed']}, small {other['seed']}"
    assert f"| mismatch by X[1] | bug 295 | 5 | {seeds} | a\\|b |" in page
    assert f"| numpy {found['version']} | 2 | 2.00 | 4 | 1 | 0 | 1 | 1 | 0 | 0 | 0 | 0 |" in page
    assert f"| numpy {found['version']} | 0 | 0 | 2 | 2 |" in page  # after a quarter, half, one and two hours
    assert "near miss 1" in page


def test_the_committed_page_is_that_of_the_committed_results() -> None:
    folder = ROOT / "artifacts/hunt"
    page = table.text(json.loads((folder / "hunt.json").read_text("utf-8")), table.Verdicts(folder / "verdicts.toml"))
    assert page == (folder / "README.md").read_text("utf-8")


def test_what_found_a_cause_is_read_from_its_finding_and_case() -> None:
    record = {"b": "max", "oracle": "metamorphic", "profile": "wrap"}
    found = run.means(record, {"part": "EliminateSlice", "changes": ["another axis"]})
    assert found == {"program": "near miss", "oracle": "metamorphic", "sides": "pair", "profile": "wrap"}
    assert run.means(record, {"part": "EliminateSlice", "changes": []})["program"] == "pattern"
    assert run.means(record, {"part": "", "changes": []})["program"] == "no part"


@pytest.mark.parametrize("named", ["inductor", "inductor=", "no-such=python"])
def test_an_interpreter_is_named_for_a_compiler(named: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run.parsed(["--python", named])
    assert ended.value.code == 2
    assert f"{named}: give COMPILER=PATH" in capsys.readouterr().err
