"""Numbers in Torch programs: the casts that Torch does by itself, and numbers as arguments.

Like a Python number, a tensor of rank 0 decides the kind of a result (boolean, integer or floating), but not its width.
For example, ``x + z`` with a ``z`` of rank 0 and type int64 is int8 if ``x`` is int8, and float32 if ``x`` is float32.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

import numpy as np

from polyjuice.frameworks.choosers import Draws
from polyjuice.ir import TensorType, dtypes

PROMOTIONS: Mapping[str, tuple[str, ...]] = {
    "bool": tuple(t for t in dtypes.NUMERIC if t not in dtypes.WIDER_UNSIGNED),
    **dict.fromkeys(dtypes.WIDER_UNSIGNED, dtypes.FLOATS),
    "uint8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int16": ("int32", "int64", *dtypes.FLOATS),
    "int32": ("int64", *dtypes.FLOATS),
    "int64": dtypes.FLOATS,
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
}
"""For each type, the types that stay as they are next to it; both tensors have rank 0, or neither has.

Torch has no promotion between the wider unsigned types and other integers.
"""

_KINDS = (("bool",), dtypes.INTS, dtypes.FLOATS)

_SMALL = ("bool", "int8", "uint8")
"""Types whose values half types can represent."""

_ARGUMENT = 0.15
"""How often a number becomes an argument if sizes are unknown."""

_LEAST, _GREATEST = -(2**63), 2**63 - 1


def promoted(cast: TensorType, other: TensorType) -> bool:
    """Return whether operators on these two compute in the type of ``other``, as if ``cast`` were cast to it.

    A half type would round the value of a tensor of rank 0, and Torch may use it unrounded, so such pairs do not count.
    Torch promotes no 8-bit floating types.
    """
    if cast.dtype == other.dtype or not {cast.dtype, other.dtype}.isdisjoint(dtypes.NARROW):
        return False
    if bool(cast.rank) == bool(other.rank):
        return other.dtype in PROMOTIONS.get(cast.dtype, ())
    kind, against = (next(i for i, kind in enumerate(_KINDS) if t.dtype in kind) for t in (cast, other))
    if cast.rank:
        return kind < against and not (kind == 0 and other.dtype in dtypes.WIDER_UNSIGNED)
    if against < 2:
        return kind <= against
    if kind == 2:
        return other.dtype in PROMOTIONS.get(cast.dtype, ())
    return other.dtype in ("float32", "float64") or cast.dtype in _SMALL


def as_arguments(text: str, draws: Draws, name: Callable[[np.ndarray], str]) -> str:
    """Return the text with some of its numbers replaced by the names that ``name`` returns.

    With unknown sizes, Dynamo turns such arguments into symbols: ``SymInt``, and ``SymFloat`` through a float64 tensor.
    Symbols take other lowerings than constants. ``name`` takes a number as an array of rank 0, of int64 or float64.
    """
    tree = ast.parse(text, mode="eval")
    replacing = _Replacing(lambda: draws.chance(_ARGUMENT, plain=False), name)
    changed = replacing.visit(tree)
    return ast.unparse(changed) if replacing.count else text


class _Replacing(ast.NodeTransformer):
    def __init__(self, wants: Callable[[], bool], name: Callable[[np.ndarray], str]) -> None:
        self._wants = wants
        self._name = name
        self.count = 0

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return self._replaced(node, -value)
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._replaced(node, node.value)

    def _replaced(self, node: ast.expr, value: object) -> ast.expr:
        whole = type(value) is int and _LEAST <= value <= _GREATEST
        if not (whole or type(value) is float) or not self._wants():
            return node
        self.count += 1
        return ast.Name(self._name(np.asarray(value, np.int64 if whole else np.float64)), ast.Load())
