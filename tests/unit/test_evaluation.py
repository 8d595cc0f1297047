"""The evaluation's measures, and its committed tables."""

from __future__ import annotations

from benchmarks.evaluation import passes


def test_traces_are_compared_as_all_passes_and_as_those_that_changed_the_program() -> None:
    a, b = ["Fuse", "Fold: no change", "Fuse"], ["Fuse", "Lower"]
    assert passes.distances(a, b) == [2, 1, 3, 2]
    assert passes.distances(a, a) == [0, 0, 0, 0]


def test_the_committed_table_is_that_of_the_committed_results() -> None:
    assert passes.table(passes.stored()) == (passes.RESULTS / "passes.md").read_text("utf-8")
