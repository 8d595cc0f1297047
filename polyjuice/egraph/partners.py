"""The operators that rules match next to each other, so that generators can make graphs worth rewriting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from polyjuice.egraph.language import constructors
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.sexpr import Expr


def partners(rules: Iterable[Rule]) -> dict[str, tuple[str, ...]]:
    """For each operator, those that take its result as first operand in a term that a rule matches; qualified names."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules:
        _, first, *others = rule.expr
        matched = [first, others[0]] if rule.bidirectional else [first]
        terms = {fact[1]: fact[2] for fact in _equations(first)} if rule.expr[0] == "rule" else {}
        for part in matched:
            for consumer, producer in _edges(part, terms):
                found.setdefault(producer, {})[consumer] = None
    return {producer: tuple(consumers) for producer, consumers in sorted(found.items())}


def _equations(facts: Expr) -> Iterator[tuple[str, str, Expr]]:
    """The conditions (= variable term)."""
    for fact in facts if isinstance(facts, list) else ():
        match fact:
            case ["=", str() as variable, [str() as head, *_] as term] if head in constructors():
                yield "=", variable, term


def _edges(expr: Expr, terms: dict[str, Expr]) -> Iterator[tuple[str, str]]:
    """The pairs of operators in nested terms: the outer one, and the one of its first operand."""
    if not isinstance(expr, list):
        return
    outer = constructors().get(expr[0]) if expr and isinstance(expr[0], str) else None
    if outer and outer.operands:
        operand = expr[1]
        operand = terms.get(operand, operand) if isinstance(operand, str) else operand
        inner = constructors().get(str(operand[0])) if isinstance(operand, list) else None
        if inner:
            yield outer.op.qualified, inner.op.qualified
    for part in expr:
        yield from _edges(part, terms)
