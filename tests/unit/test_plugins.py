"""Operators and rule files of other packages, which declare them by entry points."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from polyjuice.egraph import RuleError, load
from polyjuice.ops.table import register_further
from tests.support.commands import polyjuice_alone
from tests.support.plugins import declared

CUBE = """
from polyjuice.ops import errors
from polyjuice.ops.pointwise import unary

OPS = [
    unary(
        "cube",
        lambda x: x * x * x,
        ("{0} * {0} * {0}",),
        ("{0} * {0} * {0}",),
        lambda c: ((abs(c.x[0]) + c.e[0]) ** 3 - abs(c.x[0]) ** 3),
        definition=lambda b, x, a: b.op("Mul", b.op("Mul", x[0], x[0]), x[0]),
        ulps=2,
    )
]
"""

PRODUCTS = '(rewrite (aten.cube x) (Mul (Mul x x) x) :ruleset real :name "cube-as-products") ; x^3 = x x x\n'


def with_rule(site: Path, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare a module with a rule file beside it, and let this process find it."""
    declared(site, "polyjuice.rules", "ours", "raise AssertionError('it is only located')")
    if rule:
        (site / "ours_plugin.egg").write_text(rule)
    monkeypatch.syspath_prepend(str(site))


def test_an_operator_of_another_package_is_tested_as_any_other(tmp_path: Path) -> None:
    """It is generated, lowered, run and judged, and rules may name it."""
    env = declared(tmp_path / "site", "polyjuice.operators", "cube", CUBE)
    rules = tmp_path / "cube.egg"
    rules.write_text(PRODUCTS)
    chosen = ["--only-operator", "aten.cube", "--rules", rules, "--only-rule", "cube-as-products"]
    options = ["-n", 3, "--workers", 1, *chosen]
    done = polyjuice_alone("fuzz", "--compiler", "numpy", *options, "--out", tmp_path / "c", "--json", env=env)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["tested"] + summary["skipped"], summary["findings"]) == (3, 0)
    assert summary["coverage"]["type"]["covered"] >= 1  # of aten.cube, the only operator


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "import nothing_of_this_name",
            "cannot be loaded: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("", "the module has no OPS"),
        ("OPS = ['cube']", "OPS must be a list of operators (Op)"),
        ("from polyjuice.ops import TABLE\nOPS = [TABLE['', 'Relu']]", "the operator Relu has two entries"),
    ],
    ids=["no such import", "no operators", "a text", "an operator that exists"],
)
def test_a_wrong_operator_is_named_with_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    declared(tmp_path, "polyjuice.operators", "cube", code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cube_plugin", raising=False)
    (problem,) = register_further()
    assert problem.startswith("the entry point cube = cube_plugin of polyjuice.operators")
    assert words in problem


def test_commands_refuse_to_run_without_an_operator_of_another_package(tmp_path: Path) -> None:
    done = polyjuice_alone("ops", env=declared(tmp_path, "polyjuice.operators", "cube", ""))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "cube_plugin" in done.stderr


def test_the_rule_file_of_another_package_is_read_and_its_code_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_rule(
        tmp_path, '(rewrite (Neg (Neg (Neg x))) (Neg x) :ruleset exact :name "thrice") ; -(-(-x)) = -x\n', monkeypatch
    )
    (rule,) = load(only=["thrice"])
    assert (rule.added, rule.file) == (True, tmp_path / "ours_plugin.egg")
    assert "thrice" not in {
        rule.name for rule in load([tmp_path / "ours_plugin.egg"], defaults=False) if not rule.added
    }


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("", "the entry point ours = ours_plugin of polyjuice.rules: there is no rule file"),
        ('(rewrite (Neg x) x :ruleset exact :name "mul-by-one")\n', "rename one"),
        ("(rewrite (Neg x) x)\n", "ours_plugin.egg:1"),
    ],
    ids=["none", "a name that is taken", "a mistake"],
)
def test_a_wrong_rule_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, words: str) -> None:
    taken = next(one.name for one in load())
    with_rule(tmp_path, rule.replace("mul-by-one", taken), monkeypatch)
    with pytest.raises(RuleError, match=r"ours") as problem:
        load()
    assert words in str(problem.value)
