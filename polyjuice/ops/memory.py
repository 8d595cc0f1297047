"""Operators that depend on a tensor's memory: its bits as another type, its elements at other strides."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import sampling, spec, unspecified
from polyjuice.ops.shapes import Dims, ShapeMismatch, fitting
from polyjuice.ops.spec import Call, ErrorContext, OfBits, Op, TemplatesFn, Unsupported, attributes, facts
from polyjuice.ops.structural import rearranged
from polyjuice.ops.text import called, spell

# --- BitCast: the same bits as another type of the same width --------------------------------------------------------

_WIDTHS = (
    ("float32", "int32"),
    ("float64", "int64"),
    ("int8", "uint8"),
    ("int16", "uint16"),
    ("float8e4m3fn", "uint8"),
    ("float8e5m2", "int8"),
)
"""Element types of the same width, the floating one first. (Half types are computed in another one.)

No pair has two floating types, or two integer types, because arrays of a wider type must tell which one is meant.
"""

_OTHERS: dict[str, tuple[str, ...]] = {}
for _pair in _WIDTHS:
    for _one, _other in (_pair, _pair[::-1]):
        _OTHERS[_one] = (*_OTHERS.get(_one, ()), _other)

_FLOATING = dtypes.FLOATS + dtypes.NARROW_FLOATS


def _bits(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The bits of numbers of a type of that width, as numbers of the type ``to``."""
    floating = x[0].dtype.kind not in "iu"
    if floating == (a["to"] in _FLOATING):  # its own type
        return x[0]
    source = next(other for other in _OTHERS[a["to"]] if (other in _FLOATING) == floating)
    held = x[0].astype(dtypes.to_numpy(source), copy=False)
    return np.ascontiguousarray(held).view(dtypes.to_numpy(a["to"])).reshape(x[0].shape)


def _bits_error(c: ErrorContext) -> np.ndarray:
    """No error for a number that is known exactly. NaN, and zeros with their sign, have unknown bits."""
    known = c.e[0] == 0
    if c.x[0].dtype.kind == "f":
        known &= (c.x[0] != 0) & ~np.isnan(c.x[0])
    return np.where(known, 0.0, np.inf)


_VIEWS = ("{0}.view(torch.{type})", "{0}.view(dtype=torch.{type})")


def _bits_tensorflow(c: Call) -> tuple[str, ...] | Unsupported:
    if any(t.dtype in dtypes.NARROW_FLOATS for t in (*c.types, *c.results)):
        return Unsupported("tf.bitcast takes no floating type of 8 bits")
    return ("tf.bitcast({0}, tf.{type})",)


# --- view.dtype: the same memory as more, or fewer, elements of another width ----------------------------------------

SEEN = ("float32", "float64", *dtypes.INTS)


def _width(dtype: str) -> int:
    return int(dtypes.to_numpy(dtype).itemsize)


def _seen_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims):
        if a.to not in SEEN:
            raise ShapeMismatch(f"view.dtype: nothing is seen as {a.to}")
        attrs = seen_as(TensorType(a.of, tuple(s[0])), a.to)
        if attrs is None:
            raise ShapeMismatch(f"view.dtype: {tuple(s[0])} of {a.of} cannot be seen as {a.to} of another width")
        if tuple(a.size) != attrs["size"]:
            raise ShapeMismatch(f"view.dtype: {tuple(s[0])} of {a.of}, seen as {a.to}, has the shape {attrs['size']}")
    return [a.size]


def _seen(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    held = np.ascontiguousarray(x[0].astype(dtypes.to_numpy(a["of"]), copy=False))
    return held.view(dtypes.to_numpy(a["to"])).reshape(a["size"])


def _seen_error(c: ErrorContext) -> np.ndarray:
    """An element is known if all of its bits are."""
    unknown, size = np.broadcast_to(_bits_error(c) > 0, c.x[0].shape), tuple(c.attrs["size"])
    of, to = _width(c.attrs["of"]), _width(c.attrs["to"])
    if to < of:
        unknown = np.repeat(unknown, of // to, axis=-1)
    return np.where(np.any(unknown.reshape(*size, max(to // of, 1)), axis=-1), np.inf, 0.0)


def _seen_torch(c: Call) -> tuple[str, ...]:
    """A view may begin anywhere, but wider elements need memory that begins at a multiple of their width."""
    wider = _width(c.attrs["to"]) > _width(c.attrs["of"])
    own = c.own[0] if c.own else False
    ordered = ".clone(memory_format=torch.contiguous_format)" if wider and not own else ".contiguous()"
    return tuple(view.replace("{0}", f"{{0}}{ordered}") for view in _VIEWS)


def _seen_as(cast: str, reshape: str) -> TemplatesFn:
    """Parts of the elements have a dimension of their own, before or after the template of a cast."""

    def text(c: Call) -> tuple[str, ...]:
        size, parts = tuple(c.attrs["size"]), _width(c.attrs["to"]) // _width(c.attrs["of"])
        if parts:
            return (cast.replace("{0}", reshape.replace("{size}", str((*size, parts)))),)
        return (reshape.replace("{0}", cast).replace("{size}", str(size)),)

    return text


def seen_as(t: TensorType, to: str) -> Attrs | None:
    """The attributes for seeing a tensor as elements of another width; None where that is impossible."""
    of, width = _width(t.dtype), _width(to)
    if of == width or not t.rank or t.shape[-1] * of % width:
        return None
    return {"of": t.dtype, "to": to, "size": (*t.shape[:-1], t.shape[-1] * of // width)}


# --- as_strided: elements at some place of the memory, and in some steps from there ----------------------------------


def _fits_strided(s: Sequence[Dims], a: Any) -> bool:
    last = a.storage_offset + sum((size - 1) * step for size, step in zip(a.size, a.stride, strict=True))
    return min(a.size, default=1) >= 1 and min(*a.stride, a.storage_offset, 0) >= 0 and last < prod(s[0])


def _places(a: Attrs) -> np.ndarray:
    """The place in memory of each element of the result."""
    places = np.full(a["size"], a["storage_offset"], np.int64)
    for axis, (size, step) in enumerate(zip(a["size"], a["stride"], strict=True)):
        places += (np.arange(size) * step).reshape([-1 if i == axis else 1 for i in range(len(a["size"]))])
    return places


def _strided_torch(c: Call) -> tuple[str, ...]:
    """as_strided of a contiguous tensor. A storage offset that is left out is the tensor's own."""
    offset = c.attrs["storage_offset"]
    tensor = "{0}.contiguous()" + (f".view(-1)[{offset}:]" if offset else "")
    return tuple(text.replace("{0}", tensor) for text in called("as_strided", "{size}, {stride}"))


def _draw_strided(rng: random.Random, first: TensorType) -> Attrs | None:
    if 0 in first.shape:
        return None
    size, stride = [], []
    offset = rng.randrange(first.size) if rng.random() < 0.5 else 0
    left = first.size - 1 - offset
    for _ in range(rng.randint(1, 3)):
        step = rng.choice((0, 1, 1, 2, 3, first.shape[-1] if first.rank else 1))
        count = rng.randint(1, min(6, left // step + 1 if step else 6))
        left -= step * (count - 1)
        size.append(count)
        stride.append(step)
    return {"size": tuple(size), "stride": tuple(stride), "storage_offset": offset}


OPS: tuple[Op, ...] = (
    Op(
        name="BitCast",
        inputs=("S",),
        types={"S": tuple(_OTHERS)},
        results=("@to",),
        shape=fitting(lambda s, a: a.to in _OTHERS),
        requires=lambda types, a: a["to"] in (types[0].dtype, *_OTHERS[types[0].dtype]),
        numpy=OfBits(_bits),
        error=_bits_error,
        text=spell(_VIEWS, _bits_tensorflow, "lax.bitcast_convert_type({0}, jnp.{type})"),
        sample=sampling.alone_with(lambda rng, first: {"to": rng.choice(_OTHERS[first.dtype])}),
        attrs=attributes(to="dtype"),
        unsettled=unspecified.sign_of_nan(0),
        **facts(since=26, elementwise=True, continuous=False, weight=0.5, fresh=False, view=spec.viewing),
    ),
    Op(
        name="view.dtype",
        inputs=("@of",),
        types={"@of": SEEN},
        results=("@to",),
        shape=_seen_shape,
        numpy=OfBits(_seen),
        error=_seen_error,
        text=spell(
            _seen_torch,
            _seen_as("tf.bitcast({0}, tf.{to})", "tf.reshape({0}, {size})"),
            _seen_as("lax.bitcast_convert_type({0}, jnp.{to})", "{0}.reshape({size})"),
        ),
        definition=Unsupported("BitCast keeps the width"),
        sample=sampling.alone_with(lambda rng, first: seen_as(first, rng.choice(SEEN))),
        attrs=attributes(of="dtype", to="dtype", size="ints"),
        view=lambda a, contiguous: contiguous and _width(a["to"]) < _width(a["of"]),
        **facts(continuous=False, weight=0.5),
    ),
    rearranged(
        "as_strided",
        lambda x, a: x.reshape(-1).then("Gather", x.constant(_places(a)), axis=0),
        spell(_strided_torch),
        sampling.alone_with(_draw_strided),
        attributes(size="ints", stride="ints", storage_offset=0),
        fitting(_fits_strided, lambda s, a: [a.size]),
        view=spec.viewing_contiguous,
    ),
)
