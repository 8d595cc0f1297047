"""The options that `--resume` takes once more, and how many cases a campaign may skip."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import Store
from polyjuice.cli import advice, resuming
from polyjuice.cli.common import Usage

BEGUN = Config(compiler="numpy", cases=3, seed=7, rules=("/r.egg",))


def refused(*named: str, asked: Config = BEGUN, out: Path | None = None) -> str:
    with pytest.raises(Usage) as error:
        resuming.refuse_changes({*named, "--resume", "--json"}, Path("c"), out, BEGUN, lambda: asked)
    return str(error.value)


def test_equal_options_are_taken_and_different_ones_are_named() -> None:
    everything = {*resuming._FIELDS, *resuming.CHANGEABLE, "--out"}
    resuming.refuse_changes(everything, Path("c"), Path("./c"), BEGUN, lambda: BEGUN)
    assert "--seed: the campaign in c began with 7, not 8" in refused("--seed", asked=Config(compiler="numpy", seed=8))
    assert "--rules: the campaign in c began with /r.egg, not none" in refused(
        "--rules", asked=Config(compiler="numpy")
    )
    assert "--level: the campaign in c began with the default, not O1" in refused(
        "--level", asked=Config(compiler="numpy", level="O1")
    )
    assert "--out d: " in refused("--out", out=Path("d"))


def test_every_option_of_a_campaign_is_changeable_or_compared() -> None:
    from polyjuice.cli import command

    options = {parameter.opts[0] for parameter in command().commands["fuzz"].params}
    elsewhere = {"--resume", "--json", "--help-all", "--out"}
    assert options - elsewhere == {*resuming._FIELDS, *resuming.CHANGEABLE}


@pytest.mark.parametrize(
    ("results", "config", "is_finished"),
    [
        ([CaseResult(index=0, pairs=1), CaseResult(index=1, pairs=1)], Config(compiler="numpy", cases=2), True),
        ([CaseResult(index=0, pairs=1)], Config(compiler="numpy", cases=2), False),
        (
            [CaseResult(index=0, pairs=1), CaseResult(index=1, pairs=1, postponed=[1])],
            Config(compiler="numpy", cases=2),
            False,
        ),
        ([CaseResult(index=0, pairs=1)], Config(compiler="numpy", time_s=10.0), True),
        ([CaseResult(index=0, pairs=1)], Config(compiler="numpy", time_s=60.0), False),
    ],
)
def test_a_campaign_is_finished_once_nothing_is_left(
    tmp_path: Path, results: list[CaseResult], config: Config, is_finished: bool
) -> None:
    store = Store.create(tmp_path, config)
    for result in results:
        store.add(result, 20.0, cases_s=20.0)
    assert bool(resuming.finished(store, config)) == is_finished
    store.close()


@pytest.mark.parametrize(
    ("cases", "config", "allowed"),
    [
        (3, Config(compiler="numpy"), 1),
        (100, Config(compiler="numpy"), 20),
        (100, Config(compiler="numpy", max_skipped=0.0), 0),
        (100, Config(compiler="numpy", only_rules=("r",)), 100),
        (100, Config(compiler="numpy", only_rules=("r",), max_skipped=5.0), 5),
    ],
)
def test_the_cases_that_may_be_skipped_are_rounded_up(cases: int, config: Config, allowed: int) -> None:
    assert config.may_skip(cases) == allowed


def why(tmp_path: Path, skipped: list[str], tested: int) -> str:
    config = Config(compiler="numpy")
    store = Store.create(tmp_path, config)
    for index, reason in enumerate([*skipped, *[""] * tested]):
        store.add(CaseResult(index=index, pairs=0 if reason else 1, skipped=reason), 1.0)
    answer = advice.too_little(store.summary(), store, config)
    store.close()
    return answer


def test_a_campaign_that_tested_too_little_says_the_three_most_frequent_reasons(tmp_path: Path) -> None:
    reasons = ["unsupported: no Erf", "unsupported: no Erf", "unsupported: no Cos", *["no value: NaN"] * 2]
    reasons += ["identical: all variants are the same graph", *["late"] * 2]
    answer = why(tmp_path, reasons, 20)
    assert answer.startswith("8 of 28 cases were skipped, more than --max-skipped allows (6): ")
    assert "3 unsupported (no Erf), 2 late, 2 no value (NaN); the log is " in answer


def test_a_campaign_that_tested_enough_says_nothing(tmp_path: Path) -> None:
    assert why(tmp_path, ["unsupported: no Erf"], 2) == ""


def test_a_campaign_without_a_case_tested_nothing(tmp_path: Path) -> None:
    assert "tested nothing: no case ended" in why(tmp_path, [], 0)
