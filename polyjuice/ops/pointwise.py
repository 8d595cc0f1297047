"""Makers of entries for elementwise operators, which differ mostly in their function and their texts.

A text that is a string is one of :func:`polyjuice.ops.text.spell`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS, NUMERIC, UNSIGNED
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.spec import Attr, ErrorFn, Op, Sample, SampleFn, Texts, by_definition

DECIDES: dict[str, Any] = {"integer_exact": True, "continuous": False}
"""The operator decides something, and jumps where the decision turns over."""


def broadcast_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    out = s[0]
    for shape in s[1:]:
        out = out.broadcast(shape)
    return [out]


def elementwise(
    name: str,
    numpy: Callable[[Sequence[Any], Attrs], Any],
    text: Mapping[str, Texts],
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    operands: int = 1,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of some operands of one type, which broadcast."""
    return Op(
        name=name,
        inputs=("T",) * operands,
        types={"T": dtypes},
        results=(result,),
        shape=broadcast_shape,
        numpy=numpy,
        error=error,
        text=text,
        elementwise=True,
        **{"sample": sampling.same_type(operands - 1), **properties},
    )


def defined(
    name: str,
    definition: Callable[..., Term],
    text: Mapping[str, Texts],
    dtypes: tuple[str, ...] = FLOATS,
    operands: int = 1,
    widen: bool = True,
    **properties: Any,
) -> Op:
    """An operator of some operands of one type that a term of them says, from which its meaning and errors follow."""
    settings: dict[str, Any] = {"numpy": by_definition, "error": by_definition, **properties}
    built = onnx_term(definition, widen)
    return elementwise(name, text=text, dtypes=dtypes, operands=operands, definition=built, **settings)


def composed(
    name: str,
    definition: Callable[..., Term | Sequence[Term]],
    text: Mapping[str, Texts],
    sample: SampleFn,
    dtypes: tuple[str, ...] = FLOATS,
    operands: int = 1,
    widen: bool = True,
    **properties: Any,
) -> Op:
    """An operator of some operands of one type that a term of them says, from which everything else follows.

    Unlike that of :func:`defined`, it need not be elementwise. ``widen`` computes half types in float32.
    """
    settings: dict[str, Any] = {"inputs": ("T",) * operands, "types": {"T": dtypes}, **properties}
    return Op(name=name, definition=onnx_term(definition, widen), text=text, sample=sample, **settings)


def unary(
    name: str,
    function: Callable[[Any], Any],
    text: Mapping[str, Texts],
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of one operand without attributes."""
    settings: dict[str, Any] = {"sample": sampling.alone, **properties}
    return elementwise(name, lambda x, a: function(x[0]), text, error, dtypes, 1, result, **settings)


def parametric(
    name: str,
    function: Callable[[Any, Attrs], Any],
    attrs: Sequence[tuple[str, float | None, Sequence[float | None]]],
    text: Mapping[str, Texts],
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    **properties: Any,
) -> Op:
    """An operator of one operand with floating attributes (:func:`parameters`)."""
    settings: dict[str, Any] = {**parameters(attrs), **properties}
    return elementwise(name, lambda x, a: function(x[0], a), text, error, dtypes, **settings)


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
    text: Mapping[str, Texts],
    error: ErrorFn,
    dtypes: tuple[str, ...] = NUMERIC,
    result: str = "T",
    **properties: Any,
) -> Op:
    """An operator of two operands of one type, which broadcast, without attributes."""
    return elementwise(name, lambda x, a: function(*x), text, error, dtypes, 2, result, **properties)


def variadic(
    name: str,
    function: Callable[[Sequence[np.ndarray]], np.ndarray],
    text: Mapping[str, Texts],
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    **properties: Any,
) -> Op:
    """An operator of any number of operands of one type, which broadcast. The sign of a zero depends on their order."""

    def sample(rng: random.Random, first: TensorType) -> Sample:
        return sampling.same_type(rng.choice((1, 1, 2, 3)))(rng, first) or Sample()

    settings: dict[str, Any] = {"sample": sample, "variadic": "operands", "signed_zeros": False, **properties}
    return elementwise(name, lambda x, a: function(x), text, error, dtypes, **settings)
