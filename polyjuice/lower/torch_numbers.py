"""Turn numbers in Torch source into arguments: people call ``f(x, 0.1, 3)`` and also write ``x * 0.1``.

With unknown sizes, Dynamo turns them into symbols (``SymInt``, and ``SymFloat`` through a float64 tensor). Symbols take
other lowerings than constants. With known sizes, Dynamo treats the arguments as constants.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from polyjuice.lower.choosers import Draws

_LEAST, _GREATEST = -(2**63), 2**63 - 1


def as_arguments(text: str, chance: float, draws: Draws, name: Callable[[np.ndarray], str]) -> str:
    """Return the text with some of its numbers, each by a chance, replaced by the names that ``name`` returns.

    ``name`` takes a number as an array of rank 0, of int64 or float64.
    """
    tree = ast.parse(text, mode="eval")
    replacing = _Replacing(lambda: draws.chance(chance, plain=False), name)
    changed = replacing.visit(tree)
    return ast.unparse(changed) if replacing.count else text


class _Replacing(ast.NodeTransformer):
    def __init__(self, wants: Callable[[], bool], name: Callable[[np.ndarray], str]) -> None:
        self._wants = wants
        self._name = name
        self.count = 0

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """Treat a negative number as one number."""
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return self._replaced(node, -value)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Replace a number."""
        return self._replaced(node, node.value)

    def _replaced(self, node: ast.expr, value: object) -> ast.expr:
        whole = type(value) is int and _LEAST <= value <= _GREATEST
        if not (whole or type(value) is float) or not self._wants():
            return node
        self.count += 1
        return ast.Name(self._name(np.asarray(value, np.int64 if whole else np.float64)), ast.Load())
