"""Shared parts of operators along axes: their attributes, their sampling, and their texts in the frameworks."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.shapes import Dims, normalize_axis
from polyjuice.ops.spec import Call, ErrorFn, Op, SampleFn, Texts, attributes
from polyjuice.ops.text import Given, TextFn, spell

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


def dims_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The result shape of a reduction by ONNX's or ATen's attributes."""
    listed, keep = (a.dim, a.keepdim) if hasattr(a, "dim") else (a.axes, a.keepdims)
    if isinstance(s[0], Dims):
        listed = axes({"dim": listed, "noop_with_empty_axes": getattr(a, "noop_with_empty_axes", 0)}, len(s[0]))
    return [s[0].reduced(listed, keep)]


def first_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The first operand's shape; the attribute for an axis must name one of its axes."""
    if isinstance(s[0], Dims):
        normalize_axis(a.dim if hasattr(a, "dim") else a.axis, len(s[0]))
    return [s[0]]


def some_axes(names: tuple[str, str] = ("dim", "keepdim"), **further: Callable[[random.Random], Any]) -> SampleFn:
    """Draw several axes and whether to keep them, by ATen's names unless given, and further attributes."""

    def draw(rng: random.Random, first: TensorType) -> Attrs:
        return dict(zip(names, (sampling.some_axes(rng, first.rank), either(rng)), strict=True))

    return _drawing(draw, further)


def one_axis(name: str, **further: Callable[[random.Random], Any]) -> SampleFn:
    """Draw one axis, in the attribute ``name``, and further attributes."""
    return _drawing(lambda rng, first: {name: rng.randrange(first.rank)}, further)


def _drawing(draw: Callable[[random.Random, TensorType], Attrs], further: Mapping[str, Any]) -> SampleFn:
    @sampling.of_rank(1)
    def drawn(rng: random.Random, first: TensorType) -> Attrs:
        return {**draw(rng, first), **{name: value(rng) for name, value in further.items()}}

    return sampling.alone_with(drawn)


def either(rng: random.Random) -> int:
    return rng.randint(0, 1)


# --- text ------------------------------------------------------------------------------------------------------------


class Python(NamedTuple):
    """A framework's Python: what ``...`` stands for, a list of axes, and how to change dimensions afterwards."""

    arguments: str
    listing: Callable[[tuple[int, ...]], str]
    squeezed: str
    reshaped: str
    unchanged: str


_TORCH = Python("dim={dim}, keepdim={keep}", str, "{y}.squeeze({dim})", "{y}.reshape({shape})", "{x}.clone()")
_TENSORFLOW = Python(
    "axis={dim}, keepdims={keep}",
    lambda over: str(list(over)),
    "tf.squeeze({y}, axis={dim})",
    "tf.reshape({y}, {shape})",
    "tf.identity({x})",
)
_JAX = Python(_TENSORFLOW.arguments, str, "jnp.squeeze({y}, {dim})", "jnp.reshape({y}, {shape})", "jnp.copy({x})")


def texts(torch: Given, tf: Given = (), jax: Given = ()) -> Mapping[str, Given]:
    """The texts of a reduction, from functions, or templates with ``{x}``, ``{keep}``, ``{dtype}`` and attributes.

    ``{dim}`` stands for the axes, and ``{axis}`` for the number of the only one, in a template for one axis. ``...``
    stands for all arguments about axes, and is left out where all are reduced. A template with none of these reduces
    all axes. Names of functions (``torch.sum``) and methods get all those arguments.
    """
    languages = zip((_TORCH, _TENSORFLOW, _JAX), (torch, tf, jax), strict=True)
    return spell(
        *(given if callable(given) or not given else written(language, given) for language, given in languages)
    )


def torch(*forms: str) -> TextFn:
    """The Torch text of a reduction, from templates of :func:`texts`."""
    return written(_TORCH, forms)


def tensorflow(*forms: str) -> TextFn:
    return written(_TENSORFLOW, forms)


def without_type(c: Call, text: str) -> str:
    """The text of a sum or a product, sometimes without the type where that is the default."""
    dtype = c.types[0].dtype
    if dtype not in _OWN_TYPE or not c.draws.chance(_TYPE_LEFT_OUT):
        return text
    return text.replace(f", dtype=torch.{dtype}", "").replace(f"(dtype=torch.{dtype})", "()")


def one_by_one(*forms: str, nothing: str = "{x}.clone()") -> TextFn:
    """The Torch text of a reduction along one axis at a time: the last first, so that the others keep their numbers.

    The templates are those of :func:`texts`, and ``nothing`` is the text over no axes.
    """
    full = _full(forms)
    steps = [form.replace("...", "dim={axis}, keepdim={keep}") for form in forms if "..." in form or "{axis}" in form]

    def spell(c: Call) -> str:
        over, keep, rank = axes(c.attrs, c.types[0].rank), keeps(c.attrs), c.types[0].rank
        text, dtype = c.x[0], c.types[0].dtype
        if len(over) == rank and not keep and c.draws.chance(_SPECIAL_FORM):
            return without_type(c, c.draws.choice(full).format(x=text, dtype=dtype))
        for axis in sorted(over, reverse=True):
            text = c.draws.choice(steps).format(x=text, axis=axis, keep=keep, dtype=dtype)
        return without_type(c, text) if over else nothing.format(x=text)

    return spell


def written(language: Python, given: str | Sequence[str]) -> TextFn:
    """The text of a reduction; sometimes it keeps or drops the dimensions after the reduction, not in it."""
    listed = [given] if isinstance(given, str) else given
    every = [one for form in listed for one in ([form] if "{" in form else map(_called, form.split()))]
    full, single = _full(every), [form for form in every if "{axis}" in form]
    forms = [form.replace("...", language.arguments) for form in every if "..." in form or "{dim}" in form]

    def spell(c: Call) -> str:
        over, keep, rank = axes(c.attrs, c.types[0].rank), keeps(c.attrs), c.types[0].rank
        places = {**c.attrs, "x": c.x[0], "dtype": c.results[0].dtype, "shape": c.results[0].shape}
        if not over and rank:
            return language.unchanged.format(**places)
        if full and len(over) == rank and (not keep or c.draws.chance(_OTHER_RANK)) and c.draws.chance(_SPECIAL_FORM):
            text = c.draws.choice(full).format(**places)
            return language.reshaped.format(y=text, **places) if keep else text
        one = len(over) == 1 and single and (not forms or c.draws.chance(_SPECIAL_FORM))
        form = c.draws.choice(single if one else forms)
        other = bool(over) and "{keep}" in form and c.draws.chance(_OTHER_RANK)
        places |= {"axis": over[0] if over else None, "dim": language.listing(over)}
        text = form.format(**{**places, "keep": keep != other})
        return (language.reshaped if keep else language.squeezed).format(y=text, **places) if other else text

    return (lambda c: without_type(c, spell(c))) if language is _TORCH else spell


def _called(name: str) -> str:
    return f"{{x}}{name}(...)" if name.startswith(".") else f"{name}({{x}}, ...)"


def _full(forms: Sequence[str]) -> list[str]:
    """The templates that reduce all axes, without arguments about them."""
    whole = [form for form in forms if not ("{dim}" in form or "{axis}" in form)]
    return [form.replace("..., ", "").replace(", ...", "").replace("...", "") for form in whole]


def reduction(
    name: str,
    definition: Callable[[Term, Attrs], Term | Sequence[Term]],
    text: Mapping[str, Given],
    types: tuple[str, ...] = FLOATS,
    **more: Any,
) -> Op:
    """One of ATen's reductions: over several dimensions, unless ``more`` says otherwise."""
    defaults = {"types": {"T": types}, "shape": dims_shape, "sample": some_axes(), "attrs": DIMS, "weight": 0.6}
    return Op(name=name, definition=onnx_term(definition, widen=False), text=text, **{**defaults, **more})


def reduced(x: Term, op: str, a: Attrs) -> Term:
    """A reduction of ONNX, as ``Sum``, over the axes of the attributes."""
    return x.reduce(op, *axes(a, x.rank), keepdims=keeps(a))


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
