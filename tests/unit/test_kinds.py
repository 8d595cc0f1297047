"""The kind of case at each index of a campaign."""

from __future__ import annotations

from collections import Counter

import pytest

from polyjuice.campaign.schedule import GENERATING, MIXED, Kind, Kinds
from polyjuice.campaign.seeds import Seeds
from polyjuice.generate import SMALL_STRATEGIES, STRATEGIES


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("period", [1, 16])
@pytest.mark.parametrize("strategy", GENERATING)
def test_the_cases_of_a_strategy_are_numbered_without_a_gap(strategy: str, period: int, slow: bool) -> None:
    """Every due combination has its turn, whichever cases belong to another strategy."""
    kinds = Kinds(strategy=strategy, period=period, slow=slow)
    numbers: Counter[str] = Counter()
    for index in range(1000):
        kind = kinds.of(index)
        assert kinds.number(index) == numbers[kind.strategy]
        numbers[kind.strategy] += 1


def test_as_many_cases_in_a_row_as_share_an_e_graph_are_of_one_kind() -> None:
    kinds = Kinds(strategy=MIXED, period=16)
    assert all(len({kinds.of(16 * batch + i) for i in range(16)}) == 1 for batch in range(20))
    assert len({kinds.of(16 * batch) for batch in range(20)}) > 2


def test_most_cases_of_a_mixed_campaign_are_small_programs_and_most_of_those_are_alone() -> None:
    found = Counter(Kinds(strategy=MIXED).of(index) for index in range(1600))
    small = {alone: found[Kind("small", alone)] for alone in (True, False)}
    large = {alone: found[Kind("default", alone)] for alone in (True, False)}
    assert small[True] + small[False] > large[True] + large[False]
    assert small[True] >= small[False] > 0
    assert large[True] >= large[False] > 0


def test_larger_graphs_are_rarer_where_a_compilation_takes_seconds() -> None:
    found, slow = (
        Counter(Kinds(strategy=MIXED, slow=slow).of(index) for index in range(640)) for slow in (False, True)
    )
    assert (found[Kind("default")], slow[Kind("default")]) == (40, 10)
    assert (found[Kind("small", alone=True)], slow[Kind("small", alone=True)]) == (360, 480)


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s not in SMALL_STRATEGIES])
def test_other_strategies_have_one_kind(strategy: str) -> None:
    assert {Kinds(strategy=strategy).of(index) for index in range(20)} == {Kind(strategy)}


def test_mixed_seeds_are_those_of_the_strategies_that_take_turns() -> None:
    seeds = Seeds([MIXED], 12, 0)
    sizes: dict[str, list[int]] = {"small": [], "default": []}
    for index in range(16):
        sizes[seeds.kind(index).strategy].append(len(seeds.graph(index, 0).nodes))
    assert max(sizes["small"]) <= 6
    assert min(sizes["default"]) > 6
