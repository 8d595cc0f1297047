"""The evaluation's measures, and its committed tables."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluation import bugs, causes, compare, coverage, overhead, passes, planted
from benchmarks.evaluation.compare import Runs
from benchmarks.evaluation.techniques import RandomRewriting, with_dead_code
from polyjuice.egraph import load
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import digest
from scripts import bug_list
from tests.support.graphs import graph


def test_traces_are_compared_as_all_passes_and_as_those_that_changed_the_program() -> None:
    a, b = ["Fuse", "Fold: no change", "Fuse"], ["Fuse", "Lower"]
    assert passes.distances(a, b) == [2, 1, 3, 2]
    assert passes.distances(a, a) == [0, 0, 0, 0]
    assert passes.visits(a, b) == {"Fuse": [2, 1], "Lower": [0, 1]}


def test_the_committed_table_is_that_of_the_committed_results() -> None:
    assert passes.table(passes.stored()) == (passes.RESULTS / "passes.md").read_text("utf-8")
    assert coverage.table(coverage.stored()) == (passes.RESULTS / "coverage.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("planted", planted.table),
        ("ablations", partial(planted.table, ablations=True)),
        ("causes", causes.table),
        ("overhead", overhead.table),
    ],
)
def test_each_committed_table_is_that_of_its_results(name: str, table: Callable[[Any], str]) -> None:
    results = json.loads((passes.RESULTS / f"{name}.json").read_text("utf-8"))
    assert table(results) == (passes.RESULTS / f"{name}.md").read_text("utf-8")


def test_the_committed_table_of_bugs_is_that_of_the_list() -> None:
    assert bugs.tables(bug_list.read()) == (passes.RESULTS / "bugs.md").read_text("utf-8")


def test_dead_code_changes_no_result() -> None:
    changed = 0
    for key in range(20):
        seed = generate(6, f"dead code {key}")
        guarded = with_dead_code(seed, random.Random(key))
        inputs = make_inputs(seed, "normal", key)
        changed += len(guarded.nodes) > len(seed.nodes)
        for one, other in zip(evaluate(seed, inputs), evaluate(guarded, inputs), strict=True):
            assert one.tobytes() == other.tobytes()
    assert changed > 10


def test_random_rewriting_keeps_the_seed_graph_and_changes_another() -> None:
    seed = graph("float32[2,3] x y", "Relu(Add(Mul(x, y), Neg(x)))")
    rewriter = RandomRewriting([rule for rule in load() if rule.name.startswith(("add-", "mul-", "neg-"))])
    saturated = rewriter.saturate([seed], 0)
    original, rewritten = rewriter.extract(saturated, 0, 0).variants
    assert digest(original.graph) == digest(saturated.graphs[0])
    assert digest(rewritten.graph) != digest(original.graph)


def test_a_technique_detects_alone_what_no_other_technique_detects() -> None:
    runs: Runs = {
        "differential": {"0": {"programs": 9, "detected": {"a": 1, "b": 2}}},
        "minmax": {"0": {"programs": 8, "detected": {"b": 3, "c": 4}}},
        "campaign": {"0": {"programs": 7, "detected": {"c": 1}}},
    }
    assert compare.row("minmax", runs)[2:5] == ["2", "2", "1"]
    assert compare.row("campaign", runs)[4] == ""
    assert "Of 3 faults, 1 (33%) are detected only by" in compare.saturation(runs)
    assert compare.significance(runs["minmax"], runs["differential"]) == 1.0


def test_steps_between_lines_become_branches_and_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("coverage")
    (tmp_path / "ir.py").write_text("def f(x):\n    if x:\n        return g(\n            1)\n    return 2\n")
    monkeypatch.setattr(coverage, "_package", lambda: tmp_path)
    coverage.possible.cache_clear()
    found = coverage.branches_and_lines(["ir.py:-1>2", "ir.py:2>3", "ir.py:3>4", "ir.py:4>-1"])
    assert found == {"branches": {"ir.py:2>3"}, "lines": {"ir.py:2", "ir.py:3"}}
    assert coverage.names(coverage.by_file(found["branches"])) == found["branches"]
    assert coverage.possible("ir.py")[1] == {(2, 3), (2, 5)}
    coverage.possible.cache_clear()


def test_coverage_tells_what_an_arm_alone_reached_and_what_the_campaign_missed() -> None:
    reached = {"nnsmith": ["Fold", "Fuse"], "campaign": ["Fold", "Pad"]}
    arms = [
        {"arm": arm, "version": "1", "load": [1, 2], "totals": {}, "rows": [[9.8, 7, {"passes": 2}]]}
        | {"found": {"passes": names}}
        for arm, names in reached.items()
    ]
    text = coverage.table({"tvm": arms})
    assert "| nnsmith | 10 | 7 | 2 (1 alone) | 1, 2 |" in text
    assert "- 1 passes that another arm reached and the campaign did not: `Fuse`" in text


def test_an_arm_keeps_the_passes_that_acted_and_stops_when_its_time_is_up() -> None:
    arm = coverage.measured("onnxruntime", "nnsmith", 2.0)
    seconds, programs, counts = arm["rows"][-1]
    assert 2.0 <= seconds < 20.0
    assert programs >= 1
    assert counts["passes"] == len(arm["found"]["passes"]) >= counts["parts"] >= 1
    assert not any(passes.UNCHANGED in name for name in arm["found"]["passes"])
