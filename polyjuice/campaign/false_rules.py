"""Which of the user's rules is to blame where a variant is not equal to its seed graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from polyjuice.egraph import Rule
from polyjuice.rulecheck import soundness
from polyjuice.rulecheck.terms import directions

_TRIALS = 100
"""Instances on which each rule is tried: of those that are false, nearly all are refuted by one of the first."""


def refuted(rules: Sequence[Rule], fired: Collection[str]) -> list[str]:
    """Those of the user's rules that fired and are false, each with its file and line, and a counterexample."""
    found: list[str] = []
    for rule in rules:
        if rule.added and rule.name in fired:
            examples = (soundness.check(direction, _TRIALS).counterexample for direction in directions(rule))
            if example := next(filter(None, examples), None):
                found.append(f"the rule {rule.name} ({rule.file}:{rule.line}) is false: {example}")
    return found
