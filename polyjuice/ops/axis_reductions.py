"""Shared parts of operators along axes: their attributes, their sampling, and their texts in the frameworks."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.shapes import Dims, normalize_axis
from polyjuice.ops.spec import Call, DecomposeFn, ErrorFn, Op, SampleFn, SpellFn, Texts, Unsupported, attributes

DIMS = attributes(dim=(), keepdim=0)
"""The attributes of ATen's reductions over several dimensions."""

WIDE = (*FLOATS, "int32", "int64", "uint32", "uint64")
"""The types of ONNX's summing operators and products."""

# Chances of writing a reduction in an unusual way, where there is one.
_OTHER_RANK = 0.2
_SPECIAL_FORM = 0.5
_TYPE_LEFT_OUT = 0.6

_OWN_TYPE = (*FLOATS, "int64")
"""The types in which Torch sums and multiplies by default."""


def axes(a: Attrs, rank: int) -> tuple[int, ...]:
    """The axes of a reduction by ONNX's or ATen's attributes: all if none are listed (unless that means none)."""
    listed = a["dim"] if "dim" in a else a["axes"]
    listed = (listed,) if isinstance(listed, int) else tuple(listed)
    if not listed and not a.get("noop_with_empty_axes", 0):
        return tuple(range(rank))
    return tuple(normalize_axis(axis, rank) for axis in listed)


def keeps(a: Attrs) -> bool:
    return bool(a.get("keepdim", 0) or a.get("keepdims", 0))


def terms(a: Attrs, shape: Sequence[int]) -> int:
    return sampling.total(shape[axis] for axis in axes(a, len(shape)))


def reduced_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The result shape of ONNX's reductions: ``axes``, ``keepdims``."""
    listed = a.axes
    if isinstance(s[0], Dims):
        listed = axes({"axes": a.axes, "noop_with_empty_axes": a.noop_with_empty_axes}, len(s[0]))
    return [s[0].reduced(listed, a.keepdims)]


def dims_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The result shape of ATen's reductions over several dimensions: ``dim``, ``keepdim``."""
    listed = axes({"dim": a.dim}, len(s[0])) if isinstance(s[0], Dims) else a.dim
    return [s[0].reduced(listed, a.keepdim)]


def first_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The first operand's shape; the attribute for an axis must name one of its axes."""
    if isinstance(s[0], Dims):
        normalize_axis(a.dim if hasattr(a, "dim") else a.axis, len(s[0]))
    return [s[0]]


def some_axes(**further: Callable[[random.Random], Any]) -> SampleFn:
    """Draw several axes by ATen's names, and further attributes."""

    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        if first.rank == 0 or 0 in first.shape:
            return None
        drawn = {"dim": sampling.some_axes(rng, first.rank), "keepdim": rng.randint(0, 1)}
        return {**drawn, **{name: value(rng) for name, value in further.items()}}

    return sampling.alone_with(draw)


def one_axis(name: str, **further: Callable[[random.Random], Any]) -> SampleFn:
    """Draw one axis, in the attribute ``name``, and further attributes."""

    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        if first.rank == 0 or 0 in first.shape:
            return None
        return {name: rng.randrange(first.rank), **{key: value(rng) for key, value in further.items()}}

    return sampling.alone_with(draw)


def either(rng: random.Random) -> int:
    return rng.randint(0, 1)


# --- text ------------------------------------------------------------------------------------------------------------


def torch(*forms: str, single: Sequence[str] = (), full: Sequence[str] = ()) -> SpellFn:
    """The Torch text of a reduction, from templates with the places ``{x}``, ``{dim}``, ``{keep}`` and ``{dtype}``.

    ``single`` forms reduce one axis, whose number is ``dim``; ``full`` ones reduce all axes. Where the type is the
    default, the text sometimes leaves it out. A form without places lists functions (``torch.sum``) and methods.
    """
    changes = ("{y}.squeeze({dim})", "{y}.reshape({shape})", "{x}.clone()")
    spelled = _spelled(_called(forms, "dim={dim}, keepdim={keep}"), single, _called(full, ""), str, changes)

    def spell(c: Call) -> str | Unsupported:
        text = spelled(c)
        return without_type(c, text) if isinstance(text, str) else text

    return spell


def without_type(c: Call, text: str) -> str:
    """The text of a sum or a product, sometimes without the type where that is the default."""
    dtype = c.types[0].dtype
    if dtype not in _OWN_TYPE or not c.draws.chance(_TYPE_LEFT_OUT):
        return text
    return text.replace(f", dtype=torch.{dtype}", "").replace(f"(dtype=torch.{dtype})", "()")


def tensorflow(*forms: str, single: Sequence[str] = (), full: Sequence[str] = ()) -> SpellFn:
    """The TensorFlow text of a reduction, from the same templates."""
    changes = ("tf.squeeze({y}, axis={dim})", "tf.reshape({y}, {shape})", "tf.identity({x})")
    called = _called(forms, "axis={dim}, keepdims={keep}")
    return _spelled(called, single, _called(full, ""), lambda over: str(list(over)), changes)


def _called(forms: Sequence[str], arguments: str) -> list[str]:
    """The templates, where names stand for functions and methods with these arguments."""

    def call(name: str) -> str:
        given = ", ".join(filter(None, ["" if name.startswith(".") else "{x}", arguments]))
        return f"{{x}}{name}({given})" if name.startswith(".") else f"{name}({given})"

    return [one for form in forms for one in ([form] if "{" in form else map(call, form.split()))]


def _spelled(
    forms: Sequence[str],
    single: Sequence[str],
    full: Sequence[str],
    listing: Callable[[tuple[int, ...]], str],
    changes: tuple[str, str, str],
) -> SpellFn:
    """The text of a reduction; sometimes it keeps or drops the dimensions after the reduction, not in it."""
    squeezed, reshaped, unchanged = changes

    def spell(c: Call) -> str:
        over, keep, rank = axes(c.attrs, c.types[0].rank), keeps(c.attrs), c.types[0].rank
        if not over and rank:
            return unchanged.format(x=c.x[0])
        everything = {"x": c.x[0], "dtype": c.results[0].dtype, "shape": c.results[0].shape}
        listed = listing(over)
        if full and len(over) == rank and (not keep or c.draws.chance(_OTHER_RANK)) and c.draws.chance(_SPECIAL_FORM):
            text = c.draws.choice(full).format(**everything)
            return reshaped.format(y=text, **everything) if keep else text
        other = bool(over) and c.draws.chance(_OTHER_RANK)
        if len(over) == 1 and single and (not forms or c.draws.chance(_SPECIAL_FORM)):
            text = c.draws.choice(single).format(dim=over[0], keep=keep != other, **everything)
        else:
            text = c.draws.choice(forms).format(dim=listed, keep=keep != other, **everything)
        if not other:
            return text
        return (reshaped if keep else squeezed).format(y=text, dim=listed, **everything)

    return spell


def reduction(
    name: str, definition: DecomposeFn, text: Mapping[str, Texts], types: tuple[str, ...] = FLOATS, **more: Any
) -> Op:
    """One of ATen's reductions: over several dimensions, unless ``more`` says otherwise."""
    defaults = {"results": ("T",), "shape": dims_shape, "sample": some_axes(), "attrs": DIMS, "weight": 0.6}
    return Op(name=name, types={"T": types}, definition=definition, text=text, **{**defaults, **more})


def along_axis(
    name: str, numpy: Any, error: ErrorFn, text: Mapping[str, Texts], types: tuple[str, ...] = FLOATS, **more: Any
) -> Op:
    """The entry of an operator on the lines of one axis, which keeps the shape unless ``more`` says otherwise."""
    return Op(
        name=name,
        types={"T": types},
        numpy=numpy,
        error=error,
        text=text,
        **{"shape": first_shape, "sample": one_axis("axis"), "attrs": attributes(axis=-1), **more},
    )
