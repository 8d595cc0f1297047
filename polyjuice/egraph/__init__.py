"""Equality saturation: the language, the rule files, saturation, extraction, and the way back to graphs."""

from polyjuice.egraph.decode import Classes, fold_broadcasts, operator_count
from polyjuice.egraph.rewriter import Rewriter, Rewriting, Variant, classes, distinct, fewest, is_searched
from polyjuice.egraph.rulefiles import Rule, RuleError, load, partners
from polyjuice.egraph.saturation import RULES_PER_GRAPH, Budget, Saturated
