"""Patterns in the e-graph: a relation of its own for each, of the e-classes that hold its term.

A pattern is matched when saturation has ended. A row of its relation has an e-class that holds the term, and the values
of the pattern's variables there. So extraction can write a graph with the pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from polyjuice.egraph.language import constructors
from polyjuice.egraph.sexpr import Expr, heads, rendered
from polyjuice.ops import primitives

PREFIX = "pattern-"
"""The beginning of the names of patterns' relations."""

ROOT = "pattern-root"
"""The variable for the e-class that a pattern matches."""

IS_CONSTANT = "IsConstant"
"""The relation of the e-classes that hold a constant."""

BROADCAST = "Broadcast"
"""The relation of each e-class with itself, and with those of which it is an expanded form."""

PREPARATION = "patterns-prepared"
"""The ruleset that fills these relations."""

DECLARATIONS = f"""
(relation {IS_CONSTANT} (Tensor))
(relation {BROADCAST} (Tensor Tensor))
(ruleset {PREPARATION})
(rule ((= e (Const i))) (({IS_CONSTANT} e)) :ruleset {PREPARATION})
(rule ((= e (Expand x s)) ({IS_CONSTANT} x)) (({IS_CONSTANT} e)) :ruleset {PREPARATION})
(rule ((= s (shape e))) (({BROADCAST} e e)) :ruleset {PREPARATION})
(rule ((= e (Expand x s))) (({BROADCAST} e x)) :ruleset {PREPARATION})
(rule ((= e (Splat v s t))) (({IS_CONSTANT} e) ({BROADCAST} e (Splat v (vec-empty) t))) :ruleset {PREPARATION})
(rule ((= e (Splat v s t)) (> (vec-length s) 0)) (({BROADCAST} e (Splat v (vec-of 1) t))) :ruleset {PREPARATION})
"""
"""The program that declares what patterns need beside the language."""


@dataclass(frozen=True)
class Pattern:
    """A term of one ``part`` of a compiler, and the ``facts`` on which it matches the e-class `ROOT`.

    Operands of the term broadcast: ``(Broadcast TERM SHAPE)`` is a term with the shape that its result must have. In
    the facts they have that shape already, as in the e-graph. ``name`` is unique. ``variables`` are those of the term,
    with their sorts; tensors come first.
    """

    name: str
    part: str
    term: Expr
    facts: tuple[Expr, ...]
    variables: tuple[tuple[str, str], ...]

    @property
    def relation(self) -> str:
        """The name of its relation."""
        return PREFIX + self.name

    @property
    def ruleset(self) -> str:
        """The name of the ruleset that matches it."""
        return f"match-{self.name}"

    @property
    def tensors(self) -> int:
        """How many of the variables are tensors."""
        return sum(sort == "Tensor" for _, sort in self.variables)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The constructors that it matches, with that of expanded operands."""
        return frozenset({primitives.EXPAND, *heads(list(self.facts))}) & {"Splat", *constructors()}

    @property
    def program(self) -> str:
        """The commands that declare its relation, and the rule that matches it, in a ruleset of its own."""
        sorts = " ".join(sort for _, sort in self.variables)
        facts = " ".join(map(rendered, self.facts))
        row = f"({self.relation} {ROOT} {' '.join(name for name, _ in self.variables)})"
        return (
            f"(relation {self.relation} (Tensor {sorts}))\n(ruleset {self.ruleset})\n"
            f"(rule ({facts}) ({row}) :ruleset {self.ruleset})"
        )

    def bound(self, tensors: Sequence[Any], arguments: Sequence[Any]) -> Mapping[str, Any]:
        """The values of the variables in a row with these tensors and other values."""
        return dict(zip((name for name, _ in self.variables), (*tensors, *arguments), strict=True))
