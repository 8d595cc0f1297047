"""The types of an operator's results, from those of its operands and its attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from polyjuice.ir import UNKNOWN, Attrs, Graph, TensorType, dtypes
from polyjuice.ops.shapes import Dims, ShapeMismatch
from polyjuice.ops.spec import ANY, PROMOTED, Op

Accepts = Callable[[Op, Sequence[TensorType], Sequence[TensorType]], bool]
"""Whether an operator may be applied to operands of some types, with results of some types."""


class TypeMismatch(ValueError):
    """Operand types or attributes that the operator does not accept."""


class SizeInDoubt(ArithmeticError):
    """An error rule cannot tell the size of a result, because errors of the operands may change it."""


TRIED = 11, 13
"""The sizes that stand for unknown ones when results are inferred."""

_SMALL = 0, 1, 2, 3, 5
"""Further ones, with which an application may be ill typed: a slice up to 7 has seven elements, or fewer."""


def infer(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    """The result types of an application. Raises TypeMismatch or ShapeMismatch where it is not well typed.

    With unknown sizes, sizes of results are known where all sizes tried in their place give the same.
    """
    if all(t.known for t in operands):
        return _infer(op, operands, attrs)
    found = [_infer(op, [t.with_size(size) for t in operands], attrs) for size in TRIED]
    for size in _SMALL:
        with suppress(ValueError, IndexError):
            found.append(_infer(op, [t.with_size(size) for t in operands], attrs))
    if len({tuple(t.rank for t in results) for results in found}) > 1:
        raise ShapeMismatch(f"{op.name}: the number or rank of results depends on an unknown size")
    return tuple(map(_common, zip(*found, strict=True)))


def _common(types: Sequence[TensorType]) -> TensorType:
    """The type of results of which each may have one of these types, of one rank."""
    sizes = zip(*(t.shape for t in types), strict=True)
    return TensorType(types[0].dtype, tuple(of[0] if len({*of}) == 1 else UNKNOWN for of in sizes))


def _infer(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    least, greatest = op.arity
    if len(operands) < least or (greatest is not None and len(operands) > greatest):
        raise TypeMismatch(f"{op.name} takes {least} to {greatest} operands, not {len(operands)}")
    bound: dict[str, str] = {}
    for position, operand in enumerate(operands):
        variable = op.variable(position)
        if bound.setdefault(variable, operand.dtype) != operand.dtype and variable != ANY:
            raise TypeMismatch(f"{op.name}: operands of types {bound[variable]} and {operand.dtype}")
        if not op.accepts(position, operand.dtype):
            raise TypeMismatch(f"{op.name} does not take {operand.dtype}")
    for attr in op.attrs:
        if attr.name not in attrs:
            raise TypeMismatch(f"{op.name}: the attribute {attr.name!r} is missing")
        if (
            attr.kind == "graph"
            and not op.requires
            and attrs[attr.name].input_types[: len(operands)] != tuple(operands)
        ):
            raise TypeMismatch(f"{op.name}: the graph {attr.name!r} takes operands of other types")
        any_number = op.any_number and dtypes.is_inexact(operands[0].dtype)
        if attr.kind == "float" and not (any_number or math.isfinite(attrs[attr.name] or 0.0)):
            raise TypeMismatch(f"{op.name}: the attribute {attr.name!r} is {attrs[attr.name]}")
    for position, operand in enumerate(operands):
        variable = op.variable(position)
        if variable.startswith("@") and (dtype := attrs[variable[1:]]) != operand.dtype:
            raise TypeMismatch(f"{op.name}: an operand of {operand.dtype} is given as {dtype}")
    if op.requires and not op.requires(operands, attrs):
        raise TypeMismatch(_refusal(op, operands, attrs))
    try:
        if isinstance(op.shape, partial):
            shapes = op.shape(operands, attrs)
        else:
            shapes = op.shape([Dims(t.shape) for t in operands], AttrView(attrs))
    except (ArithmeticError, IndexError, ValueError) as error:  # 0 groups, no such dimension, unequal lengths
        raise ShapeMismatch(str(error) or _refusal(op, operands, attrs)) from None
    count = len(shapes) if "results" in op.variadic else len(op.results)
    if op.promotes:
        bound = {**bound, PROMOTED: op.promotes(operands, attrs)}
    results = [result_dtype(op.results[min(i, len(op.results) - 1)], bound, attrs, i) for i in range(count)]
    return tuple(TensorType(d, tuple(s)) for d, s in zip(results, shapes, strict=True))


def _refusal(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> str:
    given = ", ".join(f"{attr.name}={attrs[attr.name]}" for attr in op.attrs)
    return f"{op.name} does not take {', '.join(map(str, operands))}{f' with {given}' if given else ''}"


def result_dtype(result: str, bound: Mapping[str, str], attrs: Attrs, output: int = 0) -> str:
    """The element type that an entry of ``Op.results`` stands for."""
    if result.startswith("@"):
        value = attrs[result[1:]]
        return value.output_types[output].dtype if isinstance(value, Graph) else str(value)
    if result in dtypes.EVERY:
        return result
    return bound[result]


class AttrView:
    """Attributes read as fields, the form in which shape signatures read them."""

    def __init__(self, attrs: Attrs) -> None:
        self._attrs = attrs

    def __getattr__(self, name: str) -> Any:
        try:
            return self._attrs[name]
        except KeyError:
            raise AttributeError(name) from None
