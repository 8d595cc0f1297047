"""Pieces of Python text that several families of operators share, and makers of an entry's texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from polyjuice.ir import dtypes
from polyjuice.ops.shapes import normalize_axis

if TYPE_CHECKING:
    from polyjuice.ops.spec import Call

T = TypeVar("T")
TextFn = Callable[["Call"], str]
"""A function that returns the text of any application, never Unsupported."""

HALF_TO_SINGLE = {"float16": "float32", "bfloat16": "float32"}


def literal(value: float, dtype: str) -> str:
    """Return the Python text of a number of an element type: a bool, an int or a float."""
    if dtype == "bool":
        return str(bool(value))
    if dtypes.is_int(dtype):
        return str(int(value))
    return repr(written(float(value)))


class _NotFinite(float):
    """An infinity or NaN whose text is a Python expression."""

    def __repr__(self) -> str:
        return f'float("{float(self)}")'

    __str__ = __repr__


def written(value: T) -> T | _NotFinite:
    """Return the value of an attribute, whose text in a program is an expression: ``inf`` alone would be a name.

    Everything that writes a floating number into a program's source calls this function.
    """
    return _NotFinite(value) if isinstance(value, float) and not math.isfinite(value) else value


def subscript(rank: int, entries: Mapping[int, str]) -> str:
    """An index expression with entries for some axes, and ``:`` for the others: ``[:, 1:3]``."""
    entries = {normalize_axis(axis, rank): entry for axis, entry in entries.items()}
    last = max(entries, default=-1)
    return f"[{', '.join(entries.get(axis, ':') for axis in range(last + 1))}]" if last >= 0 and rank else "[...]"


# --- makers of texts -------------------------------------------------------------------------------------------------


def spell(*texts: str, operands: int = 1) -> tuple[str, ...]:
    """Templates. A text without a place for an operand lists names, each of which is applied to all operands.

    A name is that of a function (``torch.add``), a method (``.add_``), a module (``nn.ReLU``) or a symbol (``+``).
    """
    places = [f"{{{i}}}" for i in range(operands)]
    return tuple(
        template
        for text in texts
        for template in ([text] if "{" in text else [_applied(name, *places) for name in text.split()])
    )


def _applied(name: str, first: str, *others: str) -> str:
    operands = ", ".join((first, *others))
    if not any(map(str.isalnum, name)):
        return f"{first} {name} {others[0]}" if others else f"{name}{first}"
    if name.startswith("."):
        return f"{first}{name}({', '.join(others)})"
    return f"torch.{name}()({operands})" if name.startswith("nn.") else f"{name}({operands})"


def with_attrs(*templates: str) -> TextFn:
    """Templates with places for the attributes too, by name: floating numbers as elements of the operand's type.

    ``{all}`` is the list of the operands, and ``{is_stable}`` the attribute ``stable`` as a truth value.
    """

    def fill(c: Call) -> str:
        dtype = c.types[0].dtype
        attrs = {k: literal(v, dtype) if isinstance(v, float) else v for k, v in c.attrs.items()}
        attrs |= {f"is_{k}": bool(v) for k, v in c.attrs.items()}
        return c.draws.choice(templates).format(*c.x, all=", ".join(c.x), **attrs)

    return fill


def called(name: str, arguments: str) -> tuple[str, ...]:
    """Templates of a function of Torch, and of a tensor's method, with these arguments behind the tensor."""
    return f"torch.{name}({{0}}, {arguments})", f"{{0}}.{name}({arguments})"


def folded(*templates: str) -> TextFn:
    """Templates of two operands, applied from the left."""

    def fold(c: Call) -> str:
        template = c.draws.choice(templates)
        out = c.x[0]
        for other in c.x[1:]:
            out = template.format(out, other)
        return out

    return fold


def by_type(dtypes: Sequence[str], those: Sequence[str], others: Sequence[str]) -> TextFn:
    """Templates for first operands of some types, and templates for the rest."""
    return lambda c: c.draws.choice(those if c.types[0].dtype in dtypes else others).format(*c.x)


def cast_around(wide: Mapping[str, str], *templates: str) -> TextFn:
    """TensorFlow templates, with a cast to a wider type around some element types without a kernel."""

    def widened(c: Call) -> str:
        dtype = c.types[0].dtype
        template = c.draws.choice(templates)
        if dtype not in wide:
            return template.format(*c.x)
        casts = [f"tf.cast({x}, tf.{wide[dtype]})" for x in c.x]
        return f"tf.cast({template.format(*casts)}, tf.{c.results[0].dtype})"

    return widened
