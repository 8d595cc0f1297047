"""ATen's extremes: both at once, one with its place, and the place of one among all elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from polyjuice.ir import Attrs
from polyjuice.ir.dtypes import NUMERIC
from polyjuice.ops import axis_reductions, sampling
from polyjuice.ops.shapes import Dims, ShapeMismatch, normalize_axis
from polyjuice.ops.spec import (
    NOT_WRITTEN,
    Attr,
    Builder,
    Call,
    DecomposeFn,
    Op,
    SpecialValues,
    SpellFn,
)

_op = partial(axis_reductions.reduction, types=NUMERIC, integer_exact=True, limits=SpecialValues.INFINITY, weight=0.4)
"""The entry of an operator that selects extremes, or their places."""


_SHORT = ("int16", "uint16")
"""Element types for which ONNX has no extremes."""


def _reduced(b: Builder, op: str, x: str, a: Attrs) -> str:
    return b.op(op, x, axes=(a["dim"],), keepdims=a["keepdim"])


# --- both extremes ---------------------------------------------------------------------------------------------------


def _extremes_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if s[0][normalize_axis(a.dim, len(s[0]))] == 0:
        raise ShapeMismatch("the extremes of no elements")
    return [s[0].reduced((a.dim,), a.keepdim)] * 2


def _extremes(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    dtype = b.types[x[0]].dtype
    wide = b.op("Cast", x[0], to="int32") if dtype in _SHORT else x[0]
    found = [_reduced(b, op, wide, a) for op in ("ReduceMin", "ReduceMax")]
    return [b.op("Cast", name, to=dtype) for name in found] if dtype in _SHORT else found


# --- an extreme and its place -----------------------------------------------------------------------------------------


def _extreme_and_place_torch(name: str) -> SpellFn:
    def spell(c: Call) -> str:
        arguments = f"dim={c.attrs['dim']}, keepdim={bool(c.attrs['keepdim'])}"
        return c.draws.choice((f"torch.{name}({c.x[0]}, {arguments})", f"{c.x[0]}.{name}({arguments})"))

    return spell


def _extreme_and_place(name: str) -> DecomposeFn:
    def build(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
        dtype = b.types[x[0]].dtype
        value = _reduced(b, f"Reduce{name}", b.op("Cast", x[0], to="int32") if dtype in _SHORT else x[0], a)
        place = b.op(f"Arg{name}", x[0], axis=a["dim"], keepdims=a["keepdim"], select_last_index=0)
        return b.op("Cast", value, to=dtype) if dtype in _SHORT else value, place

    return build


def _along_dim(name: str) -> Op:
    """ATen's max.dim and min.dim: the extreme along a dimension, and its first place."""
    return _op(
        name,
        _extreme_and_place(name.title()),
        _extreme_and_place_torch(name),
        NOT_WRITTEN,
        results=("T", "int64"),
        shape=_extremes_shape,
        sample=axis_reductions.one_axis("dim", keepdim=axis_reductions.either),
        attrs=(Attr("dim", "int"), Attr("keepdim", "int", 0)),
        continuous=False,
        ties="first",
        extreme=1 if name == "max" else -1,
        picks=True,
    )


# --- the place of an extreme of all elements --------------------------------------------------------------------------


def _place_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if isinstance(s[0], Dims) and 0 in s[0]:
        raise ShapeMismatch("the place of an extreme of no elements")
    return [s[0].batch(len(s[0]))]


def _place(op: str) -> DecomposeFn:
    def build(b: Builder, x: Sequence[str], a: Attrs) -> str:
        flat = b.op("Reshape", x[0], shape=(b.types[x[0]].size,), allowzero=0)
        return b.op(op, flat, axis=0, keepdims=0, select_last_index=0)

    return build


def _of_all(name: str) -> Op:
    """ATen's argmax and argmin without a dimension: an index into the flattened elements."""
    return _op(
        name,
        _place(f"Arg{name[3:].title()}"),
        lambda c: c.draws.choice(
            (f"torch.{name}({{0}})", f"{{0}}.{name}()", f"torch.{name}({{0}}, dim=None)", f"{{0}}.flatten().{name}(0)")
        ).format(c.x[0]),
        lambda c: f"tf.{name}(tf.reshape({c.x[0]}, [-1]), output_type=tf.int64)",
        results=("int64",),
        shape=_place_shape,
        sample=sampling.alone_with(lambda rng, first: None if 0 in first.shape else {}),
        attrs=(),
        continuous=False,
        ties="first",
        extreme=1 if name == "argmax" else -1,
    )


OPS = (
    _op(
        "aminmax",
        _extremes,
        lambda c: f"torch.aminmax({c.x[0]}, dim={c.attrs['dim']}, keepdim={axis_reductions.keeps(c.attrs)})",
        NOT_WRITTEN,
        results=("T", "T"),
        shape=_extremes_shape,
        sample=axis_reductions.one_axis("dim", keepdim=axis_reductions.either),
        attrs=(Attr("dim", "int"), Attr("keepdim", "int", 0)),
        picks=True,
    ),
    _along_dim("max"),
    _along_dim("min"),
    _of_all("argmax"),
    _of_all("argmin"),
)
