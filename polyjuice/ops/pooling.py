"""Pooling: windowed and global."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import errors, sampling, spec, value_bounds, windows
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import composed
from polyjuice.ops.reductions import greatest_error
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Attr, Call, ErrorContext, Op, SpecialValues, Unsupported, attributes, facts
from polyjuice.ops.structural import torch_pads
from polyjuice.ops.text import spell
from polyjuice.ops.windows import (
    channels_first,
    channels_last,
    covering_pads,
    has_windows,
    is_symmetric,
    normal_average,
    normal_pool,
    pad_array,
    spatial_pads,
)

# --- windows ---------------------------------------------------------------------------------------------------------


def _pool_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x = s[0]
    require(len(x) > 2)
    sizes = windows.window_dims(x[2:], a.kernel_shape, a.strides, a.pads, a.dilations, a.ceil_mode)
    return [Dims((x[0], x[1], *sizes))]


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if np.issubdtype(dtype, np.floating) else float(np.iinfo(dtype).min)


def _fits_torch(pads: Sequence[int], a: Attrs) -> bool:
    return is_symmetric(pads) and all(p <= k // 2 for p, k in zip(pads, a["kernel_shape"], strict=False))


def _pooled_tensorflow(x: str, kind: str, a: Attrs, same: bool = False) -> str:
    """Windows of a tensor that is padded already, or with the padding SAME; channels last."""
    kernel, strides, r = list(a["kernel_shape"]), list(a["strides"]), len(a["strides"])
    if max(a["dilations"]) > 1:
        text = f'tf.nn.pool({x}, {kernel}, "{kind.upper()}", padding="VALID", dilations={list(a["dilations"])})'
        return windows.subsampled(text, strides)
    return f'tf.nn.{kind}_pool{r}d({x}, {kernel}, {strides}, "{"SAME" if same else "VALID"}")'


def _is_same(spatial: Sequence[int], pads: Sequence[int], a: Attrs) -> bool:
    undilated = max(a["dilations"]) == 1
    return undilated and tuple(pads) == windows.same_pads(spatial, a["kernel_shape"], a["strides"], a["dilations"])


def _draw_pool(dilate: bool = False, ceil: bool = False, **choices: Sequence[Any]) -> Any:
    """A function that draws a window's attributes, and one of the choices for each further attribute."""

    def draw(rng: random.Random, first: TensorType) -> dict[str, Any] | None:
        if not has_windows(first):
            return None
        attrs: dict[str, Any] = dict(windows.draw_window(rng, first.shape[2:], dilate))
        attrs["ceil_mode"] = int(ceil and rng.random() < 0.2 and not windows.drops_windows(first.shape[2:], attrs))
        return {**attrs, **{name: rng.choice(values) for name, values in choices.items()}}

    return draw


_WINDOW = attributes(kernel_shape="ints", strides="ints", pads="ints", dilations="ints", ceil_mode=0)

# --- MaxPool ---------------------------------------------------------------------------------------------------------


def _max_pool(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    image = pad_array(x[0], spatial_pads(covering_pads(x[0].shape[2:], a)), _lowest(x[0].dtype))
    elements = windows.windows(image, a["kernel_shape"], a["strides"], a["dilations"])
    return np.asarray(np.max(elements, axis=tuple(range(x[0].ndim, elements.ndim))))


def _max_pool_torch(c: Call) -> tuple[str, ...]:
    a, r = c.attrs, len(c.attrs["kernel_shape"])
    x, padding, ceil = "{0}", (0,) * r, False
    if _fits_torch(a["pads"], a):
        padding, ceil = tuple(a["pads"][:r]), bool(a["ceil_mode"])
    else:
        lowest = "float('-inf')" if c.types[0].dtype in FLOATS else f"torch.iinfo(torch.{c.types[0].dtype}).min"
        x = f"F.pad({{0}}, {torch_pads(covering_pads(c.types[0].shape[2:], a))}, value={lowest})"
    window = f"{{kernel_shape}}, stride={{strides}}, padding={padding}, dilation={{dilations}}, ceil_mode={ceil}"
    call = f"max_pool{r}d({x}, {window})"
    return f"F.{call}", f"torch.{call}", f"torch.nn.MaxPool{r}d({window})({x})"


def _max_pool_tensorflow(c: Call) -> str:
    a, x, t = c.attrs, c.x[0], c.types[0]
    pads = covering_pads(t.shape[2:], a)
    same = _is_same(t.shape[2:], pads, a)
    if not same and any(pads):
        lowest = 'float("-inf")' if t.dtype in FLOATS else f"tf.{t.dtype}.min"
        x = windows.tensorflow_padded(x, spatial_pads(pads), lowest)
    x = channels_last(x, t.rank)
    if t.rank == 5 and t.dtype in ("float16", "int8", "uint8"):  # the CPU kernel takes none of them
        wide = _pooled_tensorflow(f"tf.cast({x}, tf.float32)", "max", a, same)
        return channels_first(f"tf.cast({wide}, tf.{t.dtype})", t.rank)
    return channels_first(_pooled_tensorflow(x, "max", a, same), t.rank)


def _max_pool_jax(c: Call) -> str:
    t, pads = c.types[0], spatial_pads(covering_pads(c.types[0].shape[2:], c.attrs))
    lowest = "-jnp.inf" if t.dtype in FLOATS else str(dtypes.exact_integers(t.dtype)[0])
    start = f"jnp.array({lowest}, jnp.{dtypes.framework_name(t.dtype)})"
    kernel, strides, dilations = ((1, 1, *c.attrs[name]) for name in ("kernel_shape", "strides", "dilations"))
    around = f"{windows.pairs(pads)}, window_dilation={dilations}"
    return f"lax.reduce_window({c.x[0]}, {start}, lax.max, {kernel}, {strides}, {around})"


# --- AveragePool -----------------------------------------------------------------------------------------------------


def _average_pool(x: Term, a: Attrs) -> Term:
    """The sums of the windows, divided by the numbers of elements that they count."""
    pads, sides = covering_pads(x.shape[2:], a), windows.pairs(a["pads"])
    sizes = [n + sum(pair) for n, pair in zip(x.shape[2:], windows.pairs(pads), strict=True)]
    places, counts = windows.window_places(sizes, a), []
    for along, n, (start, end) in zip(places, x.shape[2:], sides, strict=True):
        low, high = (0, n + start + end) if a["count_include_pad"] else (start, start + n)
        counts.append(np.sum((along >= low) & (along < high), axis=1))
    count = np.prod(np.broadcast_arrays(*np.ix_(*counts)), axis=0)
    total = windows.gathered(x, places, pads, 0.0).reduce("Sum", x.rank, keepdims=False)
    return total / x.constant(count.astype(dtypes.to_numpy(x.dtype)))


def _average_pool_torch(c: Call) -> str | Unsupported:
    a, x = c.attrs, c.x[0]
    if max(a["dilations"]) > 1:
        return Unsupported("Torch's average pooling has no dilations")
    r, pads = len(a["kernel_shape"]), tuple(a["pads"])
    window = f"{tuple(a['kernel_shape'])}, stride={tuple(a['strides'])}" + ", ceil_mode=True" * a["ceil_mode"]
    include = bool(a["count_include_pad"])
    if _fits_torch(pads, a):
        window = f"{window}, padding={pads[:r]}, count_include_pad={include}"
        return c.draws.choice((f"F.avg_pool{r}d({x}, {window})", f"torch.nn.AvgPool{r}d({window})({x})"))
    total = f"F.avg_pool{r}d(F.pad({x}, {torch_pads(pads)}), {window})"
    if include:
        return total
    return f"{total} / F.avg_pool{r}d(F.pad(torch.ones_like({x}), {torch_pads(pads)}), {window})"


def _average_pool_tensorflow(c: Call) -> str | Unsupported:
    a, t = c.attrs, c.types[0]
    if a["ceil_mode"]:
        return Unsupported("its last windows, which ceil_mode cuts, have a divisor of their own")
    pads, x = tuple(a["pads"]), channels_last(c.x[0], t.rank)
    include = bool(a["count_include_pad"])
    if _is_same(t.shape[2:], pads, a) and not (include and any(pads)):
        return channels_first(_pooled_tensorflow(x, "avg", a, same=True), t.rank)
    r = t.rank - 2
    around = (0, *pads[:r], 0, 0, *pads[r:], 0)
    text = _pooled_tensorflow(windows.tensorflow_padded(x, around), "avg", a)
    if not include and any(pads):
        share = windows.tensorflow_padded(f"tf.ones_like({x})", around)
        text = f"({text} / {_pooled_tensorflow(share, 'avg', a)})"
    return channels_first(text, t.rank)


# --- avg_pool2d with a divisor of its own ----------------------------------------------------------------------------


def _avg_pool2d(x: Term, a: Attrs) -> Term:
    """The average, rounded towards 0 for integers."""
    require(all(2 * p <= k for p, k in zip(a["padding"], a["kernel_size"], strict=True)))
    total = windows.gathered(x, *windows.aten_places(x, a), 0.0).reduce("Sum", 4, keepdims=False)
    return total / float(a["divisor_override"])


def _avg_pool2d_error(c: ErrorContext) -> np.ndarray:
    def sums(x: np.ndarray) -> np.ndarray:
        return np.asarray(c.numpy([np.broadcast_to(x, c.x[0].shape)], {**c.attrs, "divisor_override": 1}))

    if c.x[0].dtype.kind == "i":  # some frameworks average in float64
        return errors.infinite_if((sums(np.abs(c.x[0])) > 2**53) | (sums(c.e[0]) > 0), np.zeros(c.y[0].shape))
    return errors.weighted_sum(c, c.numpy, sampling.total(c.attrs["kernel_size"]) + 4)


def _avg_pool2d_torch(c: Call) -> tuple[str, ...]:
    a = c.attrs
    usual = a["divisor_override"] == sampling.total(a["kernel_size"]) and not any(a["padding"]) and not a["ceil_mode"]
    text = "F.avg_pool2d({0}, {kernel_size}, stride={stride}, padding={padding}, ceil_mode={is_ceil_mode}, "
    text += "count_include_pad={is_count_include_pad}"
    return (f"{text}, divisor_override={{divisor_override}})", *[f"{text})"] * usual)


@sampling.of_rank(4, 4)
def _draw_avg_pool2d(rng: random.Random, first: TensorType) -> Attrs:
    drawn = windows.draw_aten_window(rng, first.shape[2:], dilate=False)
    del drawn["dilation"]
    return {
        **drawn,
        "ceil_mode": int(rng.random() < 0.4),
        "count_include_pad": rng.randint(0, 1),
        "divisor_override": rng.choice((1, 2, 3, 4, 10, *[sampling.total(drawn["kernel_size"])] * 3)),
    }


# --- norms -----------------------------------------------------------------------------------------------------------


def _norm_error(c: ErrorContext, terms: int) -> np.ndarray:
    """The bound of a p-norm over ``terms`` terms: by Minkowski's inequality at most the norm of the operand's errors.

    Kernels may hold powers in the element type, in which small ones vanish and large ones overflow.
    """
    carried = c.numpy([np.broadcast_to(c.e[0], c.x[0].shape)], c.attrs)
    held, p, size = errors.held(c), c.attrs["p"], c.y[0] + carried
    lost = (terms * dtypes.smallest_normal(held)) ** (1 / p) if p > 1 else 0.0
    bound = carried + (terms + 4 * p + 8) * c.unit * size + lost
    return np.where((c.y[0] + bound) ** p > dtypes.largest_finite(held), np.inf, bound)


_NORM: dict[str, Any] = {"why_not_derived": "kernels may hold powers in the element type", "weight": 0.8}


def _powers(x: Term, p: int) -> Term:
    return abs(x) if p == 1 else x * x if p == 2 else abs(x).then("Pow", float(p))


def _root(x: Term, p: int) -> Term:
    return x if p == 1 else x.then("Sqrt") if p == 2 else x.then("Pow", 1 / p)


def _lp_pool(x: Term, a: Attrs) -> Term:
    window = {**a, "pads": covering_pads(x.shape[2:], a), "ceil_mode": 0, "count_include_pad": 1}
    mean = _powers(x, window.pop("p")).then("AveragePool", **window)
    return _root(mean * float(sampling.total(a["kernel_shape"])), a["p"])


# --- global pooling --------------------------------------------------------------------------------------------------


def _over_spatial(*templates: str) -> spec.TemplatesFn:
    """Templates with the spatial axes as ``AXES``, and their number as ``N``."""

    def fitting(c: Call) -> tuple[str, ...]:
        axes = list(range(2, c.types[0].rank))
        listed = templates if len(axes) <= 3 else [t for t in templates if "N" not in t]
        return tuple(t.replace("AXES", str(axes)).replace("N", str(len(axes))) for t in listed)

    return fitting


def _global_pool(name: str, definition: Callable[..., Term], text: Mapping[str, Any], **properties: Any) -> Op:
    """The entry of a reduction over the spatial axes, which are ``axes`` of the definition."""

    def over_space(x: Term, a: Attrs) -> Term:
        return definition(x, tuple(range(2, max(x.rank, 3))), a)

    suiting = sampling.alone_with(lambda rng, first: {} if has_windows(first) else None)
    return composed(name, over_space, text, **{"sample": suiting, "weight": 0.5, "widen": False, **properties})


# --- max_pool2d_with_indices -----------------------------------------------------------------------------------------


def _indexed(x: Term, a: Attrs) -> list[Term]:
    require(all(2 * p <= k for p, k in zip(a["padding"], a["kernel_size"], strict=True)))
    return windows.greatest(x, *windows.aten_places(x, a), a["dilation"])


def _draw_indexed(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank != 4 or 0 in first.shape:
        return None
    a = {**windows.draw_aten_window(rng, first.shape[2:]), "ceil_mode": 0}
    ceil = rng.random() < 0.5 and not windows.drops_windows(first.shape[2:], windows.as_onnx_window(a))
    return {**a, "ceil_mode": int(ceil)}


_INDEXED = "{kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={is_ceil_mode}"

OPS = (
    Op(
        name="MaxPool",
        types={"T": (*FLOATS, "int8", "uint8")},
        shape=_pool_shape,
        numpy=_max_pool,
        error=lambda c: greatest_error(c, _max_pool),
        text=spell(_max_pool_torch, tf=_max_pool_tensorflow, jax=_max_pool_jax),
        sample=sampling.alone_with(_draw_pool(ceil=True, dilate=True)),
        attrs=_WINDOW,
        followers="Relu MaxPool Conv Concat Reshape Transpose",
        bounds=value_bounds.SAME,
        normal=normal_pool,
        **facts(integer_exact=True, weight=2, limits=SpecialValues.INFINITY, picks=True, fresh=True),
    ),
    composed(
        "AveragePool",
        _average_pool,
        spell(_average_pool_torch, tf=_average_pool_tensorflow),
        sampling.alone_with(_draw_pool(count_include_pad=(0, 1))),
        shape=_pool_shape,
        attrs=(*_WINDOW, Attr("count_include_pad", "int", 0)),
        widen=False,
        normal=normal_average,
        **facts(ulps=2, weight=2, fresh=True, followers="Conv Add Concat Reshape AveragePool"),
    ),
    composed(
        "LpPool",
        _lp_pool,
        spell(),
        sampling.alone_with(_draw_pool(p=(1, 2, 2, 3))),
        error=lambda c: _norm_error(c, sampling.total(c.attrs["kernel_shape"])),
        attrs=(*_WINDOW, Attr("p", "int", 2)),
        widen=False,
        normal=normal_pool,
        **_NORM,
    ),
    composed(
        "avg_pool2d",
        _avg_pool2d,
        spell(_avg_pool2d_torch),
        sampling.alone_with(_draw_avg_pool2d),
        (*FLOATS, "int64"),
        error=_avg_pool2d_error,
        why_not_derived="some frameworks average integers in float64",
        attrs=attributes(
            kernel_size="ints", stride="ints", padding="ints", ceil_mode=0, count_include_pad=1, divisor_override="int"
        ),
        widen=False,
        weight=0.4,
    ),
    _global_pool(
        "GlobalAveragePool",
        lambda x, axes, a: x.reduce("Mean", *axes),
        spell(_over_spatial("torch.mean({0}, dim=AXES, keepdim=True)", "F.adaptive_avg_poolNd({0}, 1)")),
        **facts(fresh=True, bounds=value_bounds.SAME),
    ),
    _global_pool(
        "GlobalMaxPool",
        lambda x, axes, a: x.reduce("Max", *axes),
        spell(_over_spatial("torch.amax({0}, dim=AXES, keepdim=True)", "F.adaptive_max_poolNd({0}, 1)")),
        **facts(integer_exact=True, limits=SpecialValues.INFINITY, picks=True, bounds=value_bounds.SAME),
    ),
    _global_pool(
        "GlobalLpPool",
        lambda x, axes, a: _root(_powers(x, a["p"]).reduce("Sum", *axes), a["p"]),
        spell(
            _over_spatial(
                "torch.linalg.vector_norm({0}, ord={p}, dim=AXES, keepdim=True)",
                "torch.norm({0}, p={p}, dim=AXES, keepdim=True)",
            )
        ),
        error=lambda c: _norm_error(c, sampling.total(c.x[0].shape[2:])),
        sample=sampling.alone_with(lambda rng, first: {"p": rng.choice((1, 2, 2, 3))} if has_windows(first) else None),
        attrs=attributes(p=2),
        **_NORM,
    ),
    composed(
        "max_pool2d_with_indices",
        _indexed,
        spell(
            (
                f"F.max_pool2d({{0}}, {_INDEXED}, return_indices=True)",
                f"F.max_pool2d_with_indices({{0}}, {_INDEXED})",
                f"torch.nn.MaxPool2d({_INDEXED}, return_indices=True)({{0}})",
            )
        ),
        sampling.alone_with(_draw_indexed),
        results=("T", "int64"),
        attrs=attributes(kernel_size="ints", stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=0),
        widen=False,
        **facts(weight=0.8, picks=True, continuous=False, ties="unspecified"),
    ),
)
