"""Simulated faults show only if the values meet them. The tables of the budget. No compiler runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from polyjuice import compilers, pipeline
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks import budget
from benchmarks.simulated import Fault, exposed

COMPILER = compilers.find("numpy")
BY_NAME = {fault.name: fault for fault in budget.FAULTS}


def case_of(graph: Graph, *inputs: np.ndarray) -> Case:
    sets = [pipeline.input_set(graph, "normal", inputs, COMPILER)]
    artifact = pipeline.lower(graph, "key", pipeline.target_of(COMPILER))
    return Case(sets=sets, programs=[pipeline.prepare("original", graph, artifact, sets)])


def reduction(operator: str, x: np.ndarray, **attrs: object) -> Case:
    build = GraphBuilder()
    y = build.op(operator, build.input(TensorType(dtypes.of_array(x), x.shape)), **attrs)
    return case_of(build.build([y]), x)


def least(x: np.ndarray, *axes: int) -> Case:
    return reduction("ReduceMin", x, axes=axes, keepdims=1, noop_with_empty_axes=0)


def found(case: Case, *names: str) -> tuple[set[str], set[str]]:
    return exposed(case, [BY_NAME[name] for name in names], COMPILER)


ONES = np.ones((2, 16), np.uint8)


@pytest.mark.parametrize(
    ("case", "shows"),
    [
        (least(ONES, 1), True),
        (least(ONES, 0, 1), True),
        (least(ONES, 0), False),  # two elements that are not neighbours
        (least(ONES[:, :7], 1), False),
        (least(ONES * np.arange(16, dtype=np.uint8), 1), False),  # the minimum is 0
        (least(ONES.astype(np.int32), 1), False),
        (reduction("ArgMin", ONES, axis=1, keepdims=1, select_last_index=0), True),
        (reduction("ArgMax", ONES, axis=1, keepdims=1, select_last_index=0), False),
    ],
)
def test_a_lane_shows_where_values_have_one_sign(case: Case, shows: bool) -> None:
    met, exposes = found(case, "lane-min-uint8", "lane-arg-uint8")
    assert bool(met) == bool(exposes) == shows


def test_a_fault_that_is_met_may_be_hidden() -> None:
    """The wrong minimum is not an output, and the outputs that depend on it stay the same."""
    build = GraphBuilder()
    x = build.input(TensorType("uint8", (16,)))
    y = build.op("ReduceMin", x, axes=(0,), keepdims=1, noop_with_empty_axes=0)
    case = case_of(build.build([build.op("Mul", y, build.constant(np.zeros(1, np.uint8)))]), np.ones(16, np.uint8))
    assert found(case, "lane-min-uint8") == ({"lane-min-uint8"}, set())


def test_rounding_to_single_shows_in_double_alone() -> None:
    x = np.array([0.1, 2.5])
    assert found(reduction("Exp", x), "double-held-as-single")[1]
    assert not found(reduction("Exp", x.astype(np.float32)), "double-held-as-single")[1]


def test_an_output_is_overwritten_where_it_is_read() -> None:
    build = GraphBuilder()
    y = build.op("Abs", build.input(TensorType("float32", (4,))))
    case = case_of(build.build([y, build.op("Neg", y)]), np.arange(1, 5, dtype=np.float32))
    assert found(case, "in-place-over-output")[1] == {"in-place-over-output"}
    build = GraphBuilder()
    y = build.op("Abs", build.input(TensorType("float32", (4,))))
    case = case_of(build.build([build.op("Neg", y)]), np.arange(1, 5, dtype=np.float32))
    assert found(case, "in-place-over-output") == (set(), set())


def test_the_interpreter_without_faults_is_right() -> None:
    assert found(least(ONES, 1)) == (set(), set())


def test_faults_have_names_of_their_own_and_are_the_same_each_time() -> None:
    again: list[Fault] = [*budget.WRITTEN, *budget.drawn()]
    assert len(BY_NAME) == len(budget.FAULTS)
    assert [fault.name for fault in again] == [fault.name for fault in budget.FAULTS]


def test_what_so_many_cases_find() -> None:
    tried = {"cases": 4, "faults": {"a": 1, "b": 4}}
    assert budget.expected(tried, "faults", 2) == pytest.approx(1 - 0.75**2 + 1)


def test_the_table_counts_what_no_other_row_finds() -> None:
    run = {"cases": 60, "programs": 60, "seconds": 60, "wall_s": 60, "load": 1.0}
    row = {"run": run, "simulated": {"cases": 10, "faults": {"a": 10, "b": 10}, "published": {}}}
    other = {"run": run, "simulated": {"cases": 10, "faults": {"b": 10}, "published": {}}}
    text = budget.as_markdown({"inductor": {"small alone": row, "graphs of 5 alone": other}})
    assert "| small alone | 60 | 60 | 60 | 1.0 | 60 | 10 | 120 | 2.0 | 1 | 0.0 |" in text
    assert "| graphs of 5 alone | 60 | 60 | 60 | 1.0 | 60 | 10 | 60 | 1.0 | 0 | 0.0 |" in text


def test_rows_in_the_same_order_agree() -> None:
    assert budget.rank_correlation([1, 2, 3], [10, 20, 25]) == pytest.approx(1)
    assert budget.rank_correlation([1, 2, 3], [30, 20, 10]) == pytest.approx(-1)
    assert budget.rank_correlation([1, 1, 2], [1, 1, 5]) == pytest.approx(1)
