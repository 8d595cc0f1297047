"""Makers of entries for elementwise operators, which differ mostly in their function and their texts."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS, NUMERIC, UNSIGNED
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.spec import NOT_WRITTEN, Attr, Call, ErrorFn, Op, Sample, Texts, by_definition
from polyjuice.ops.text import literal

TextFn = Callable[[Call], str]
"""A function that returns the text of any application, never Unsupported."""

HALF_TO_SINGLE = {"float16": "float32", "bfloat16": "float32"}

SMALL_TO_INT32 = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32"}


def broadcast_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    out = s[0]
    for shape in s[1:]:
        out = out.broadcast(shape)
    return [out]


def elementwise(
    name: str,
    numpy: Callable[[Sequence[Any], Attrs], Any],
    torch: Texts,
    tensorflow: Texts,
    error: ErrorFn,
    dtypes: tuple[str, ...],
    operands: int = 1,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of some operands of one type, which broadcast."""
    settings: dict[str, Any] = {"sample": sampling.same_type(operands - 1), **properties}
    return Op(
        name=name,
        inputs=("T",) * operands,
        types={"T": dtypes},
        results=(result,),
        shape=broadcast_shape,
        numpy=numpy,
        error=error,
        torch=torch,
        tensorflow=tensorflow,
        elementwise=True,
        **settings,
    )


def defined(
    name: str,
    definition: Callable[..., Term],
    torch: Texts,
    tensorflow: Texts = NOT_WRITTEN,
    dtypes: tuple[str, ...] = FLOATS,
    operands: int = 1,
    widen: bool = True,
    **properties: Any,
) -> Op:
    """An operator of some operands of one type that a term of them says, from which its meaning and errors follow."""
    settings: dict[str, Any] = {"numpy": by_definition, "error": by_definition, **properties}
    built = onnx_term(definition, widen)
    return elementwise(
        name, torch=torch, tensorflow=tensorflow, dtypes=dtypes, operands=operands, definition=built, **settings
    )


def unary(
    name: str,
    function: Callable[[Any], Any],
    torch: Texts,
    tensorflow: Texts,
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of one operand without attributes."""
    settings: dict[str, Any] = {"sample": sampling.alone, **properties}
    return elementwise(name, lambda x, a: function(x[0]), torch, tensorflow, error, dtypes, 1, result, **settings)


def parametric(
    name: str,
    function: Callable[[Any, Attrs], Any],
    attrs: Sequence[tuple[str, float | None, Sequence[float | None]]],
    torch: Texts,
    tensorflow: Texts,
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    **properties: Any,
) -> Op:
    """An operator of one operand with floating attributes (:func:`parameters`)."""
    settings: dict[str, Any] = {**parameters(attrs), **properties}
    return elementwise(name, lambda x, a: function(x[0], a), torch, tensorflow, error, dtypes, **settings)


def parameters(attrs: Sequence[tuple[str, float | None, Sequence[float | None]]]) -> dict[str, Any]:
    """The fields of an entry with floating attributes: their names, defaults, and the sampled values.

    For integers, only the integers among those values are sampled, and only non-negative ones for an unsigned type.
    """

    def draw(rng: random.Random, first: TensorType) -> Attrs:
        return {name: rng.choice(suitable(values, first.dtype)) for name, _, values in attrs}

    return {
        "sample": sampling.alone_with(draw),
        "attrs": tuple(Attr(name, "float", default) for name, default, _ in attrs),
    }


def suitable(values: Sequence[float | None], dtype: str) -> list[float | None]:
    if dtype in FLOATS:
        return list(values)
    whole = [v for v in values if v is not None and v == int(v)]
    return [v for v in whole if v >= 0] if dtype in UNSIGNED else list(whole)


def binary(
    name: str,
    function: Callable[[Any, Any], Any],
    torch: Texts,
    tensorflow: Texts,
    error: ErrorFn,
    dtypes: tuple[str, ...] = NUMERIC,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of two operands of one type, which broadcast, without attributes."""
    return elementwise(
        name, lambda x, a: function(x[0], x[1]), torch, tensorflow, error, dtypes, 2, result, **properties
    )


def variadic(
    name: str,
    function: Callable[[Sequence[np.ndarray]], np.ndarray],
    torch: Texts,
    tensorflow: Texts,
    error: ErrorFn,
    dtypes: tuple[str, ...],
    **properties: Any,
) -> Op:
    """An operator of any number of operands of one type, which broadcast."""
    settings: dict[str, Any] = {"sample": _further_operands, "variadic": True, **properties}
    return elementwise(name, lambda x, a: function(x), torch, tensorflow, error, dtypes, **settings)


def _further_operands(rng: random.Random, first: TensorType) -> Sample:
    return sampling.same_type(rng.choice((1, 1, 2, 3)))(rng, first) or Sample()


# --- texts -----------------------------------------------------------------------------------------------------------


def folded(*templates: str) -> TextFn:
    """Templates of two operands, applied from the left."""

    def spell(c: Call) -> str:
        template = c.draws.choice(templates)
        out = c.x[0]
        for other in c.x[1:]:
            out = template.format(out, other)
        return out

    return spell


def with_attrs(*templates: str) -> TextFn:
    """Templates with places for the attributes too, by name: numbers as elements of the first operand's type."""

    def spell(c: Call) -> str:
        numbers = {k: v if v is None else literal(v, c.types[0].dtype) for k, v in c.attrs.items()}
        return c.draws.choice(templates).format(*c.x, **numbers)

    return spell


def by_type(dtypes: Sequence[str], those: Sequence[str], others: Sequence[str]) -> TextFn:
    """Templates for first operands of some types, and templates for the rest."""
    return lambda c: c.draws.choice(those if c.types[0].dtype in dtypes else others).format(*c.x)


def cast_around(wide: Mapping[str, str], *templates: str) -> TextFn:
    """TensorFlow templates, with a cast to a wider type around some element types without a kernel."""

    def spell(c: Call) -> str:
        dtype = c.types[0].dtype
        template = c.draws.choice(templates)
        if dtype not in wide:
            return template.format(*c.x)
        casts = [f"tf.cast({x}, tf.{wide[dtype]})" for x in c.x]
        return f"tf.cast({template.format(*casts)}, tf.{c.results[0].dtype})"

    return spell
