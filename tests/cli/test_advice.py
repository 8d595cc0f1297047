"""The end of a campaign's output: coverage of the user's models and rules, and advice on the next command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.cli.summary import covered_models, model_lines, next_steps, unfired, warning
from polyjuice.egraph import load
from tests.support.commands import polyjuice, save_model

CONFIG = Config(compiler="onnxruntime", seeds=("mixed",), time_s=120.0)
NOTHING: dict[str, Any] = {"findings": 0, "known": {}, "out": "campaigns/my one"}


def commands(summary: dict[str, Any], config: Config, generated: bool = True) -> list[str]:
    return [command for command, _ in next_steps(summary, config, generated)]


def test_without_a_finding_the_next_step_is_more_time_other_oracles_or_a_model() -> None:
    assert commands(NOTHING, CONFIG) == [
        "polyjuice fuzz --resume 'campaigns/my one' --time 20m",
        "polyjuice fuzz --compiler onnxruntime --oracle optlevel,determinism",
        "polyjuice fuzz --compiler onnxruntime --seeds MODEL.onnx",
    ]


@pytest.mark.parametrize(
    ("changes", "longer"),
    [({"time_s": 3600.0}, "--time 10h"), ({"cases": 20, "time_s": None}, "-n 200"), ({"time_s": 3.0}, "--time 1m")],
)
def test_the_next_campaign_is_ten_times_as_long(changes: dict[str, Any], longer: str) -> None:
    assert commands(NOTHING, replace(CONFIG, **changes))[0].endswith(longer)


def test_known_bugs_that_were_met_can_be_shown() -> None:
    met = {**NOTHING, "known": {"https://bug": 3}}
    assert "polyjuice fuzz --compiler onnxruntime --known none" in commands(met, CONFIG)


def test_the_next_step_keeps_the_models() -> None:
    config = replace(CONFIG, compiler="inductor", seeds=("a b.pt2", "m:f"), oracles=("determinism",))
    assert commands({**NOTHING, "known": {"https://bug": 1}}, config, generated=False)[1:] == [
        "polyjuice fuzz --compiler inductor --seeds 'a b.pt2' --seeds m:f --oracle optlevel",
        "polyjuice fuzz --compiler inductor --seeds 'a b.pt2' --seeds m:f --known none",
    ]


def test_with_findings_the_next_step_is_to_look_at_them() -> None:
    assert commands({**NOTHING, "findings": 2}, CONFIG) == ["polyjuice report 'campaigns/my one'"]


def test_rules_that_were_named_or_brought_and_never_fired_are_told(tmp_path: Path) -> None:
    mine = tmp_path / "mine.egg"
    mine.write_text('(rewrite (Neg (Neg x)) x :ruleset exact :name "mine") ; --x = x\n')
    rules = load([mine])
    assert unfired(rules, CONFIG, {"add-commutative": 3}) == ["mine"]
    named = replace(CONFIG, only_rules=("relu-*",))
    chosen = load([mine], ["relu-as-*", "mine"])
    assert unfired(chosen, named, {"mine": 1, "relu-as-half-sum": 2}) == [
        rule.name for rule in chosen if rule.name not in ("mine", "relu-as-half-sum")
    ]
    many = warning([f"r{i}" for i in range(7)], 20)
    assert many.startswith(
        "7 rules of yours never fired in 20 cases, so they tested nothing: r0, r1, r2, r3, r4, ... ("
    )


def test_a_campaign_warns_of_a_rule_that_never_fires_and_tells_what_of_a_model_it_covered(tmp_path: Path) -> None:
    model = save_model(tmp_path / "m.onnx")
    rules = ("--only-rule", "relu-as-half-sum", "--only-rule", "split-concat-first")
    command = ("fuzz", "--compiler", "numpy", "--workers", 1, "-n", 2, "--seeds", model, *rules)
    done = polyjuice(*command, "--out", tmp_path / "c")
    assert done.returncode == 0
    warned = "polyjuice: 1 rule of yours never fired in 2 cases, so it tested nothing: split-concat-first ("
    assert done.stderr.count(warned) == 1
    assert f"model     {model}" in done.stdout
    assert "3 operators of 3 kinds, as you wrote it, and rewritten by 1 rule: 5 programs in 2 cases" in done.stdout


def test_each_model_has_its_own_cases(tmp_path: Path) -> None:
    paths = [str(save_model(tmp_path / f"{name}.onnx")) for name in "ab"]
    cases = [(0, 1, 3), (1, 0, 0), (2, 1, 2), (3, 1, 5)]
    first, second = covered_models(Seeds(paths, 10, 0), cases, compilers.find("inductor"), 4)
    assert first == {
        "source": paths[0],
        "operators": 3,
        "kinds": 3,
        "opaque": [],
        "read": True,
        "user_program": False,
        "large": False,
        "cases": 2,
        "programs": 5,
        "rules": 4,
    }
    assert (second["source"], second["cases"], second["programs"]) == (paths[1], 1, 5)


def test_what_is_not_covered_of_a_model_is_said() -> None:
    row: dict[str, Any] = {"source": "m", "operators": 812, "kinds": 9, "opaque": ["NonZero"], "read": True}
    row |= {"user_program": False, "large": True, "cases": 1, "programs": 2, "rules": 30}
    assert model_lines(row, "inductor") == [
        "812 operators of 9 kinds, rewritten by 30 rules: 2 programs in 1 case",
        "inductor does not read this format: Polyjuice translated the model's graph for it",
        "each case rewrites parts of at most 200 operators; further cases take other parts",
        "no rule rewrites NonZero; results that depend on it are not compared with float64",
    ]
    assert model_lines({**row, "read": False}, "inductor") == [
        "1 case of it as you wrote it, each compared with its uncompiled run",
        "Polyjuice cannot read it, so it has no variants and is not compared with float64",
    ]
