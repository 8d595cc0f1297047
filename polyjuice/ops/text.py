"""Pieces of Python text that several families of operators share, and makers of an entry's texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from polyjuice.ir import dtypes
from polyjuice.ops.shapes import normalize_axis

if TYPE_CHECKING:
    from polyjuice.ops.spec import Call

T = TypeVar("T")
TextFn = Callable[["Call"], str]
"""A function that returns the text of any application, never Unsupported."""

Given = Any
"""A text as an entry gives it: a string, a sequence of strings, a function, or Unsupported."""

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


def spell(torch: Given = (), tf: Given = (), jax: Given = ()) -> Mapping[str, Given]:
    """An entry's texts in Torch, TensorFlow and JAX; where a framework is absent, the definition is written.

    A text is a template, or lists names: of functions (``torch.add``), methods (``.add_``), modules (``nn.ReLU``) and
    symbols (``+``), each of which is applied to all operands. A name that ends with a point is completed by that of
    the operator: ``torch.`` and ``nn.`` are ``torch.leaky_relu`` and ``nn.LeakyReLU``, and ``._`` is in place.

    A template has places for the operands, ``{0}``, for all of them, ``{all}``, and for all but the first,
    ``{others}``. It has places for attributes by name. Floating numbers are written as elements of the first operand's
    type, and ``{is_stable}`` is the attribute ``stable`` as a truth value. Further places are the ``{rank}`` of the
    first operand, and the result's ``{shape}`` and element ``{type}``.
    """
    given = {"torch": torch, "tensorflow": tf, "jax": jax}
    return {framework: _as_tuple(text) for framework, text in given.items() if text != ()}


def _as_tuple(text: Any) -> Any:
    return (text,) if isinstance(text, str) else tuple(text) if isinstance(text, Iterable) else text


def templates(text: Sequence[str], name: str, operands: int | None) -> tuple[str, ...]:
    """The templates that an entry's text lists, for an operator of that name with that number of operands if fixed."""
    unary = operands == 1
    listed = [
        one for part in text for one in ([part] if "{" in part else (_applied(n, name, unary) for n in part.split()))
    ]
    if operands is not None:
        places = [f"{{{i}}}" for i in range(operands)]
        listed = [one.replace("{all}", ", ".join(places)).replace("{others}", ", ".join(places[1:])) for one in listed]
    return tuple(listed)


def _applied(name: str, operator: str, unary: bool) -> str:
    if name.endswith((".", "._")):
        own = operator if name == "nn." else _snake(operator.rpartition(".")[2])
        name = f"{name.removesuffix('_')}{own}{'_' * name.endswith('_')}"
    if not any(map(str.isalnum, name)):
        return f"{name}{{0}}" if unary else f"{{0}} {name} {{1}}"
    if name.startswith("."):
        return f"{{0}}{name}({{others}})"
    return f"torch.{name}()({{all}})" if name.startswith("nn.") else f"{name}({{all}})"


def _snake(name: str) -> str:
    """``LeakyRelu`` as ``leaky_relu``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def applied(*text: str, operands: int = 1) -> tuple[str, ...]:
    """The templates of names and templates for a number of operands, where a function chooses between them."""
    return templates(text, "", operands)


class Places(dict[str, Any]):
    """What the places of a template with names stand for, in one application."""

    def __init__(self, c: Call) -> None:
        dtype = c.types[0].dtype if c.types else "float32"
        super().__init__((k, literal(v, dtype) if isinstance(v, float) else v) for k, v in c.attrs.items())
        self._call = c

    def __missing__(self, name: str) -> Any:
        c = self._call
        if name.startswith("is_"):
            return bool(c.attrs[name.removeprefix("is_")])
        given: dict[str, Callable[[], Any]] = {
            "all": lambda: ", ".join(c.x),
            "others": lambda: ", ".join(c.x[1:]),
            "rank": lambda: c.types[0].rank,
            "shape": lambda: c.results[0].shape,
            "type": lambda: dtypes.framework_name(c.results[0].dtype),
        }
        return given[name]()


def filled(c: Call, text: Any) -> Any:
    """The text of an application: one of the templates, or what a function returns, drawn and filled."""
    if callable(text):
        text = text(c)
    return c.fill(c.draws.choice(text)) if isinstance(text, tuple) else text


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
