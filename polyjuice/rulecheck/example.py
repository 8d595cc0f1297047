"""A small example of a rule: a term before and after."""

from __future__ import annotations

import random
from dataclasses import dataclass

from polyjuice.egraph import Budget, Rewriter, Rule, classes
from polyjuice.ir import GraphError, dtypes
from polyjuice.rulecheck.render import term
from polyjuice.rulecheck.rule_instances import NoInstance, draw

_DRAWS = 300
_PREFERRED = ("float32", "int32", "bool", *dtypes.ALL)


@dataclass(frozen=True)
class Example:
    """A term, a term that a rule makes of it, and the types of its inputs."""

    before: str
    after: str
    types: dict[str, str]


def example(rule: Rule) -> Example | None:
    """The shortest example among some instances of a one-way rule; None where no instance could be drawn."""
    rewriter = Rewriter([rule], Budget(rules=None, iterations=1))
    found: list[Example] = []
    for number in range(_DRAWS):
        dtype = _PREFERRED[number % 3] if number < _DRAWS // 2 else _PREFERRED[number % len(_PREFERRED)]
        try:
            instance = draw(rule, random.Random(f"example {rule.name} {number}"), dtype)
            saturated = rewriter.saturate([instance.graph], number, [instance.ranges])
        except (NoInstance, GraphError):
            continue
        known = classes(saturated, 0) if saturated.rules else None
        before = term(instance.graph, instance.graph.outputs[0])
        for group in known.groups if known else ():
            terms = [term(known.graph, name) for name in group] if known else []
            others = [text for text in terms if text != before]
            if before in terms and others:
                types = {name: str(instance.graph.types[name]) for name in instance.graph.inputs}
                found.append(Example(before, others[0], types))
        if len(found) >= 5:
            break
    return min(found, key=lambda e: len(e.before) + len(e.after), default=None)
