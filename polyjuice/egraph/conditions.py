"""The conditions of rules, evaluated in Python as far as possible before there is an e-graph.

This only saves work. An instance that a condition refutes need not be tried. A variable that a condition defines need
not be guessed. egglog has the last word on whether a rule matches.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from polyjuice.egraph.sexpr import Expr
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import numbers


class Unknown(Exception):
    """The expression depends on a variable without a value so far, or on a fact of the e-graph."""


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        raise IndexError
    return a / b if isinstance(a, float) else math.trunc(a / b)


def _get(v: Sequence[int], i: int) -> int:
    if not 0 <= i < len(v):
        raise IndexError
    return v[i]


def _without(v: tuple[int, ...], i: int) -> tuple[int, ...]:
    _get(v, i)
    return v[:i] + v[i + 1 :]


def _with(v: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    _get(v, i)
    return (*v[:i], value, *v[i + 1 :])


_PRIMITIVES: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": lambda a, b: math.fmod(a, b) if isinstance(a, float) else int(math.fmod(a, b)),
    "^": operator.pow,
    "min": min,
    "max": max,
    "abs": abs,
    "neg": operator.neg,
    "to-f64": float,
    "to-i64": int,
    "vec-of": lambda *parts: tuple(parts),
    "vec-empty": lambda: (),
    "vec-get": _get,
    "vec-set": _with,
    "vec-push": lambda v, x: (*v, x),
    "vec-pop": lambda v: _without(v, len(v) - 1),
    "vec-remove": _without,
    "vec-append": lambda *vs: sum(vs, ()),
    "vec-length": len,
    "vec-range": lambda n: tuple(range(n)),
    "number": lambda text: float(numbers.parse(text)),
}

_RELATIONS: dict[str, Callable[..., bool]] = {
    "=": lambda *parts: all(part == parts[0] for part in parts),
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "vec-contains": lambda v, x: x in v,
    "vec-not-contains": lambda v, x: x not in v,
    "Single": lambda text: numbers.single(numbers.parse(text)),
    "Held": lambda text, dtype: numbers.held(numbers.parse(text), dtype),
}

KINDS: dict[str, Callable[[str], bool]] = {
    "Float": dtypes.is_float,
    "Integer": lambda t: t in dtypes.INTS,
    "Signed": lambda t: t in dtypes.SIGNED + dtypes.FLOATS,
    "Unsigned": lambda t: t in dtypes.UNSIGNED,
    "Number": lambda t: t in dtypes.NUMERIC,
    "Bool": lambda t: t == "bool",
}
"""The relations that test an element type."""


def value(expr: Expr, known: Mapping[str, Any], types: Mapping[str, TensorType]) -> Any:
    """The value of an expression of numbers, vectors and texts.

    ``known`` has the values of variables; for a tensor that is a name, whose type is in ``types``. Raises Unknown, and
    IndexError where a primitive fails (a rule then does not match).
    """
    if isinstance(expr, str):
        return _atom(expr, known)
    head, *parts = expr
    if head in ("shape", "dtype"):
        if not isinstance(parts[0], str) or known.get(parts[0]) not in types:
            raise Unknown
        t = types[known[parts[0]]]
        return t.shape if head == "shape" else t.dtype
    if head == "unstable-vec-map":
        function, vector = parts
        assert isinstance(function, list)
        bound = [value(part, known, types) for part in function[2:]]
        name = str(function[1]).strip('"')
        if name not in _PRIMITIVES:
            raise Unknown
        return tuple(_mapped(lambda i: _PRIMITIVES[name](*bound, i), value(vector, known, types)))
    if head not in _PRIMITIVES:
        raise Unknown
    return _PRIMITIVES[str(head)](*(value(part, known, types) for part in parts))


def _mapped(function: Callable[[int], Any], vector: Sequence[int]) -> Iterator[Any]:
    """The function's values, without elements on which it fails, as in egglog."""
    for i in vector:
        with suppress(IndexError):
            yield function(i)


def _atom(text: str, known: Mapping[str, Any]) -> Any:
    if text in known:
        return known[text]
    if text.startswith('"'):
        return text.strip('"')
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise Unknown from None


def refuted(fact: Expr, known: Mapping[str, Any], types: Mapping[str, TensorType]) -> bool:
    """Whether a condition is known not to hold."""
    if isinstance(fact, str):
        return False
    head, *parts = fact
    try:
        if head in KINDS:
            return isinstance(parts[0], str) and not KINDS[str(head)](types[_atom(parts[0], known)].dtype)
        if head in _RELATIONS:
            return not _RELATIONS[str(head)](*(value(part, known, types) for part in parts))
        value(fact, known, types)
    except (Unknown, KeyError):
        return False
    except (IndexError, TypeError, ValueError, OverflowError):
        return True
    return False
