"""Programs and arrays on one line: nested expressions and lists, shortened where they are long."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

#: The most characters of an expression in a title.
WIDTH = 90

#: The most elements of an array that are written out.
MOST = 16

#: The deepest nesting of calls in an expression.
DEEPEST = 6

SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.USub: "-x", ast.Invert: "~x", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=",
}  # fmt: skip
"""Python's symbols for the operators of its syntax trees, those of one operand before it."""


@dataclass(frozen=True)
class CallExpression:
    """An operator with its operands: calls, or texts that are shown unchanged."""

    name: str
    operands: tuple[CallExpression | str, ...] = ()


def shortened(value: CallExpression | str, width: int = WIDTH) -> str:
    """The expression as text, as deep as fits into ``width`` characters."""
    texts = [_text(value, depth) for depth in range(DEEPEST, 0, -1)]
    return next((text for text in texts if len(text) <= width), cut(texts[-1], width))


def cut(text: str, width: int) -> str:
    """The text, shortened to at most ``width`` characters with "..." at its end."""
    return text if len(text) <= width else text[: width - 3].rstrip() + "..."


def number(value: np.generic) -> str:
    """The shortest Python expression whose value is the element."""
    if value.dtype.kind in "biu":
        return str(value)
    if value.dtype.kind == "c":
        real, imaginary = number(value.real), number(value.imag)
        return f"complex({real}, {imaginary})"
    wide = float(value)
    if not np.isfinite(wide):
        return {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}[str(wide)]
    if wide == int(wide) and abs(wide) < 1e6:
        return str(int(wide)) if wide or not np.signbit(wide) else "-0.0"
    short = str(value)
    return short if value.dtype.type(float(short)) == value else repr(wide)


def elements(array: np.ndarray) -> str:
    """The elements of an array as nested lists, for a large array only the first ones; a number for a scalar."""
    if array.ndim == 0:
        return _element(array.reshape(-1)[0])
    if array.size <= MOST:
        return "[" + ", ".join(elements(np.asarray(row)) for row in array) + "]"
    flat = array.reshape(-1)
    if (flat == flat[0]).all():
        return f"all {_element(flat[0])}"
    return f"[{', '.join(map(_element, flat[:MOST]))}, ...]"


def _element(value: object) -> str:
    """An element as text; in an array of objects it is a string."""
    if not isinstance(value, np.generic):
        return repr(value)
    return repr(value.item()) if value.dtype.kind in "SU" else number(value)


def _text(value: CallExpression | str, depth: int) -> str:
    if isinstance(value, str):
        return value
    if not depth:
        return "..."
    return f"{value.name}({', '.join(_text(operand, depth - 1) for operand in value.operands)})"
