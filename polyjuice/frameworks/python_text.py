"""Python source as lines: functions, classes, and identifiers for the values of a graph."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from polyjuice.ir import Graph, array_digest, dtypes


def array_key(array: np.ndarray) -> str:
    """Return the name under which a program finds an array. Equal arrays have the same name."""
    return f"w_{array_digest(array)}_{'x'.join(map(str, array.shape)) or 'scalar'}_{dtypes.dtype_of(array)}"


def indented(lines: Iterable[str]) -> list[str]:
    """Return the lines one level deeper; empty lines stay empty."""
    return [f"    {line}" if line else "" for line in lines]


def function(name: str, parameters: Sequence[str], body: Iterable[str], decorator: str = "") -> list[str]:
    return [*filter(None, [decorator]), f"def {name}({', '.join(parameters)}):", *indented(body)]


def model_class(name: str, base: str, setup: Iterable[str], members: Iterable[Sequence[str]]) -> list[str]:
    """Return a class whose constructor takes ``arrays`` and runs ``setup``. The other members follow it."""
    constructor = function("__init__", ["self", "arrays"], ["super().__init__()", *setup])
    rest = (line for member in members for line in ("", *member))
    return [f"class {name}({base}):", *indented([*constructor, *rest])]


def identifiers(graph: Graph, reserved: Iterable[str]) -> dict[str, str]:
    """Return an identifier for every value: its own name if that is valid, else a cleaned and numbered one."""
    taken = {"self", "arrays", "_", "", *reserved}
    names: dict[str, str] = {}
    for name in graph.types:
        clean = re.sub(r"\W", "_", name, flags=re.ASCII)
        if not clean.isidentifier() or keyword.iskeyword(clean) or clean.startswith("local_"):
            clean = f"v_{clean}"
        candidate, number = clean, 1
        while candidate in taken:
            number += 1
            candidate = f"{clean}_{number}"
        taken.add(candidate)
        names[name] = candidate
    return names


class Renamed(ast.NodeTransformer):
    """Replaces names, and attributes of names such as ``self.x``, by the expressions of a mapping."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._other(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._other(node) or ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def _other(self, node: ast.Name | ast.Attribute) -> ast.expr | None:
        text = self._names.get(ast.unparse(node))
        if text is None:
            return None
        expression = ast.parse(text, mode="eval").body
        if isinstance(expression, ast.Name | ast.Attribute):
            expression.ctx = node.ctx
        return expression
