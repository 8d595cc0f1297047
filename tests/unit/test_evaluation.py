"""The evaluation's measures, and its committed tables."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from benchmarks.evaluation import bugs, causes, compare, overhead, passes, planted
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


def test_the_committed_table_is_that_of_the_committed_results() -> None:
    assert passes.table(passes.stored()) == (passes.RESULTS / "passes.md").read_text("utf-8")


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
