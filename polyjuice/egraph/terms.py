"""The terms that a rule matches: its left side, and the conditions on its variables. And a graph's terms as text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from polyjuice.egraph.language import constructors, literal
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.sexpr import Expr, rendered
from polyjuice.ir import Graph, array_text
from polyjuice.ops import entry


def directions(rule: Rule) -> list[Rule]:
    """The rule itself, or the two one-way rules of a bidirectional rule."""
    if not rule.bidirectional:
        return [rule]
    _, left, right, *options = rule.expr
    found = []
    for sides, name in (([left, right], rule.names[0]), ([right, left], rule.names[1])):
        text = rendered(["rewrite", *sides, *options]).replace(f'"{rule.name}"', f'"{name}"')
        found.append(replace(rule, name=name, text=text))
    return found


@dataclass(frozen=True)
class LeftSide:
    """The left side of a rule: a term, or a variable that stands for any term, and the other conditions.

    ``equations`` are the conditions that define a variable, by its name; ``facts`` are all conditions.
    """

    term: Expr
    equations: dict[str, list[Expr]]
    facts: tuple[Expr, ...]


def left_side(rule: Rule) -> LeftSide:
    """The left side of a one-way rule."""
    head, first, second, *options = rule.expr
    if head == "rewrite":
        conditions = options[options.index(":when") + 1] if ":when" in options else []
        assert isinstance(conditions, list)
        return LeftSide(first, equations(conditions), tuple(conditions))
    assert isinstance(first, list)
    assert isinstance(second, list)
    defined = equations(first)
    united = [part for action in second if action[0] == "union" for part in action[1:]]
    variables = [part for part in united if isinstance(part, str)]
    roots = [variable for variable in variables if _term_of(variable, defined)]
    terms = [term for found in defined.values() for term in found if is_term(term)]
    root: Expr = next(iter((*roots, *variables, *terms)))
    return LeftSide(root, defined, tuple(first))


def is_term(expr: Expr) -> bool:
    """Whether an expression is an operator's term or a constant's."""
    return isinstance(expr, list) and bool(expr) and (expr[0] == "Splat" or expr[0] in constructors())


def _term_of(variable: str, equations: dict[str, list[Expr]]) -> bool:
    return any(is_term(expr) for expr in equations.get(variable, []))


def equations(facts: list[Expr]) -> dict[str, list[Expr]]:
    found: dict[str, list[Expr]] = {}
    for fact in facts:
        if isinstance(fact, list) and fact[0] == "=":
            for side, others in ((part, [p for p in fact[1:] if p is not part]) for part in fact[1:]):
                if isinstance(side, str) and _is_variable(side):
                    found.setdefault(side, []).extend(others)
    return found


def _is_variable(text: str) -> bool:
    return not (text.startswith('"') or text.lstrip("-").replace(".", "", 1).isdigit())


def term(graph: Graph, name: str) -> str:
    """The term that computes a value, in the language of the rules; constants of one value as numbers."""
    producer = {output: node for node in graph.nodes for output in node.outputs}
    if name in graph.constants:
        return array_text(graph.constants[name])
    if name not in producer:
        return name
    node = producer[name]
    op = entry(node)
    attrs = []
    for attr in op.attrs if op else ():
        try:
            attrs.append(literal(attr, node.attrs[attr.name]))
        except ValueError:
            attrs.append(str(node.attrs[attr.name]))
    index = [str(node.outputs.index(name))] if len(node.outputs) > 1 else []
    return f"({' '.join([node.qualified, *(term(graph, x) for x in node.inputs), *attrs, *index])})"
