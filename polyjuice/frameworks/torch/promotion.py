"""The casts that Torch makes by itself: for operands of mixed types, and for operators that are told a type.

``x_half + y_single`` and ``x_half.sum(dtype=torch.float32)`` cast their operands, as a program can also write it.
Compilers do it in other places than those that lower the written cast.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from polyjuice.ir import Node, TensorType, dtypes

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

_OPERATORS = """
    Add Sub Mul Equal Greater GreaterOrEqual Less LessOrEqual Max Min Where Concat
    BitwiseAnd BitwiseOr BitwiseXor aten.bitwise_left_shift aten.bitwise_right_shift
    aten.addcdiv aten.addcmul aten.atan2 aten.copysign aten.fmax aten.fmin aten.fmod aten.gcd aten.hypot
    aten.remainder aten.rsub aten.xlogy
"""
_PROMOTING = frozenset(_OPERATORS.split())

_OF_THREE = frozenset(("aten.addcdiv", "aten.addcmul"))
"""Those that promote a tensor of rank 0 as any other, and refuse integers in a quotient."""

_DIFFERENCES = frozenset(("Sub", "aten.rsub"))
"""Those that refuse booleans, although they would promote them."""

_TYPED = frozenset(("sum", "mean", "prod", "cumsum", "cumprod", "softmax", "log_softmax"))
"""Functions, and methods of tensors, with the argument ``dtype``."""

_CONVERTING = frozenset(("ReduceSum", "ReduceMean", "ReduceProd", "CumSum", "aten.cumprod", "Softmax", "LogSoftmax"))

_CONVERTED = frozenset(("bool", "uint8", "int8", "int16", "int32", "int64", *dtypes.FLOATS))


def promotes(node: Node, cast: TensorType, other: TensorType) -> bool:
    """Return whether a node computes in the type of the operand ``other``, as if ``cast`` were cast to it."""
    name = node.qualified
    if name in _DIFFERENCES and cast.dtype == "bool":
        return False
    if name in _OF_THREE and (bool(cast.rank) != bool(other.rank) or cast.dtype not in dtypes.FLOATS):
        return False
    return name in _PROMOTING and promoted(cast, other)


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


def converts(node: Node, cast: TensorType) -> bool:
    """Return whether a node can take the type to which its first operand is to be cast."""
    return node.qualified in _CONVERTING and cast.dtype in _CONVERTED


def typed(text: str, operand: str, dtype: str) -> str:
    """Return the text of a node that casts its first ``operand``: by ``dtype=``, or by a cast where it cannot be so."""
    tree = ast.parse(text, mode="eval")
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TYPED
    ]
    element_type = ast.parse(f"torch.{dtype}", mode="eval").body
    for call in calls:
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "dtype"]
        call.keywords.append(ast.keyword("dtype", element_type))
    return ast.unparse(tree if calls else _Casting(operand, dtype).visit(tree))


class _Casting(ast.NodeTransformer):
    def __init__(self, operand: str, dtype: str) -> None:
        self._operand = operand
        self._dtype = dtype

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(f"{node.id}.to(torch.{self._dtype})", mode="eval").body if node.id == self._operand else node
