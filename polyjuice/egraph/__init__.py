"""Equality saturation: the language, the rule files, saturation, extraction, and the way back to graphs."""

from polyjuice.egraph.decode import fold_broadcasts, operator_count
from polyjuice.egraph.rewriter import Budget, Rewriter, Rewriting, Saturated, Variant, distinct
from polyjuice.egraph.rulefiles import Rule, RuleError, load

__all__ = [
    "Budget",
    "Rewriter",
    "Rewriting",
    "Rule",
    "RuleError",
    "Saturated",
    "Variant",
    "distinct",
    "fold_broadcasts",
    "load",
    "operator_count",
]
