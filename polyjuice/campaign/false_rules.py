"""Find the user's rules that are false, when a variant is not equal to its seed graph."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from polyjuice.egraph import Rule
from polyjuice.rulecheck import soundness
from polyjuice.rulecheck.terms import directions

_TRIALS = 100
"""The number of instances that each rule is tested on: the first few refute nearly all false rules."""


def refuted(rules: Sequence[Rule], fired: Collection[str]) -> list[str]:
    """Return one line for each false rule of the user's that fired: its file and line, and a counterexample."""
    found: list[str] = []
    for rule in rules:
        if rule.added and rule.name in fired:
            examples = (soundness.check(direction, _TRIALS).counterexample for direction in directions(rule))
            if example := next(filter(None, examples), None):
                found.append(f"the rule {rule.name} ({rule.file}:{rule.line}) is false: {example}")
    return found
