"""The options that `--resume` takes once more, and how many cases a campaign may skip."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.config import OPTIONS, Config, Usage
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import Store
from polyjuice.cli import summary
from tests.support.commands import ROOT

BEGUN = Config(compiler="numpy", cases=3, seed=7, rules=("/r.egg",))


def refused(**given: Any) -> str:
    with pytest.raises(Usage) as error:
        BEGUN.refuse_changes(given, Path("c"))
    return str(error.value)


def test_equal_options_are_taken_and_different_ones_are_named() -> None:
    BEGUN.refuse_changes({"compiler": "numpy", "seed": 7, "rules": [Path("/r.egg")], "pack": "auto"}, Path("c"))
    message = refused(seed=8)
    assert "--seed: the campaign in c began with 7, not 8" in message
    assert "(what --resume may change: --time, -n, --python, --workers, --known, --triage, --max-skipped)" in message
    assert "--rules: the campaign in c began with /r.egg, not /s.egg" in refused(rules=[Path("/s.egg")])
    assert "--level: the campaign in c began with the default, not O1" in refused(level="O1")


def test_an_option_that_may_change_replaces_the_value() -> None:
    assert BEGUN.changed({"time_s": "2m"}) == replace(BEGUN, cases=None, time_s=120.0)
    assert BEGUN.changed({"cases": 9, "workers": 2}) == replace(BEGUN, cases=9, workers=2)
    assert BEGUN.changed({"triage_s": "0s", "max_skipped": 0.0}) == replace(BEGUN, triage_s=0.0, max_skipped=0.0)


@pytest.mark.parametrize(
    ("page", "begin", "options"),
    [
        (
            "docs/howto/campaigns.md",
            "These options may change:",
            {option.flag for option in OPTIONS.values() if option.resumable},
        ),
        (
            "docs/settings.md",
            "The file cannot set these options of one campaign:",
            {option.flag for option in OPTIONS.values() if not option.in_file} - {"--python"}
            | {"--out", "--resume", "--json"},
        ),
        (
            "docs/settings.md",
            "Other commands take these options, too, where they have them:",
            {option.flag for option in OPTIONS.values() if option.shared} | {"--known"},
        ),
    ],
)
def test_a_page_lists_the_options_that_the_table_has(page: str, begin: str, options: set[str]) -> None:
    _, rest = " ".join((ROOT / page).read_text().split()).split(begin)
    assert set(re.findall("`(-[^`]+)`", rest.split(". ")[0])) == options


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
    assert bool(summary.finished(store, config)) == is_finished
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
    answer = summary.too_little(store.summary(), store, config)
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
