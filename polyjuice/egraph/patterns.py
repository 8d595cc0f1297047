"""Patterns in the e-graph: a constructor of its own for each, equal to the term that it stands for.

A pattern is matched when saturation has ended. An e-class that holds its term gets an e-node of its constructor, whose
children and arguments are the values of the pattern's variables. So extraction can write a graph with the pattern, and
decoding turns that e-node into the operators of the term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from polyjuice.egraph.language import constructors
from polyjuice.egraph.sexpr import Expr, heads, rendered

PREFIX = "pattern-"
"""The beginning of the names of patterns' constructors."""

IS_CONSTANT = "IsConstant"
"""The relation of the e-classes that hold a constant."""

DECLARATIONS = f"""
(relation {IS_CONSTANT} (Tensor))
(ruleset constants)
(rule ((= e (Const i))) (({IS_CONSTANT} e)) :ruleset constants)
(rule ((= e (Splat v s t))) (({IS_CONSTANT} e)) :ruleset constants)
(rule ((= e (Expand x s)) ({IS_CONSTANT} x)) (({IS_CONSTANT} e)) :ruleset constants)
"""
"""The program that declares what patterns need beside the language."""


@dataclass(frozen=True)
class Pattern:
    """A term of one ``part`` of a compiler, and the ``facts`` on which it matches.

    ``name`` is unique. ``variables`` are those of the term, with their sorts; tensors come first.
    """

    name: str
    part: str
    term: Expr
    facts: tuple[Expr, ...]
    variables: tuple[tuple[str, str], ...]

    @property
    def constructor(self) -> str:
        """The name of its constructor."""
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
        """The constructors of operators that it matches."""
        return frozenset(heads([self.term, *self.facts])) & {"Splat", *constructors()}

    @property
    def program(self) -> str:
        """The commands that declare its constructor, and the rule that matches it, in a ruleset of its own."""
        sorts = " ".join(sort for _, sort in self.variables)
        facts = " ".join([f"(= pattern-root {rendered(self.term)})", *map(rendered, self.facts)])
        made = f"({self.constructor} {' '.join(name for name, _ in self.variables)})"
        return (
            f"(constructor {self.constructor} ({sorts}) Tensor)\n(ruleset {self.ruleset})\n"
            f"(rule ({facts}) ((union pattern-root {made})) :ruleset {self.ruleset})"
        )

    def bound(self, tensors: Sequence[str], arguments: Sequence[Any]) -> Mapping[str, Any]:
        """The values of the variables in an e-node with these operands and other arguments."""
        return dict(zip((name for name, _ in self.variables), (*tensors, *arguments), strict=True))
