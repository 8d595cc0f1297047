"""Pooling: windowed and global."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import adjoints, errors, linear_adjoints, sampling, spec, value_bounds, windows
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import composed
from polyjuice.ops.reductions import extreme_unsure, greatest_error
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Op, SpecialValues, Unsupported, attributes, facts
from polyjuice.ops.structural import torch_pads
from polyjuice.ops.text import spell
from polyjuice.ops.windows import (
    channels_first,
    channels_last,
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


def _covering_pads(spatial: Sequence[int], a: Attrs) -> tuple[int, ...]:
    """The pads with which the floor formula gives as many windows as ``ceil_mode`` does."""
    sizes = windows.window_dims(spatial, a["kernel_shape"], a["strides"], a["pads"], a["dilations"], a["ceil_mode"])
    axes = zip(sizes, spatial, windows.pairs(a["pads"]), a["strides"], a["dilations"], a["kernel_shape"], strict=True)
    ends = (max(end, (out - 1) * s + d * (k - 1) + 1 - n - start) for out, n, (start, end), s, d, k in axes)
    return (*a["pads"][: len(spatial)], *ends)


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if np.issubdtype(dtype, np.floating) else float(np.iinfo(dtype).min)


def pool_windows(x: np.ndarray, a: Attrs, value: float) -> np.ndarray:
    """The windows of a pooling, ``[N, C, out..., kernel...]``; the padding has ``value``."""
    pads = spatial_pads(_covering_pads(x.shape[2:], a))
    return windows.windows(pad_array(x, pads, value), a["kernel_shape"], a["strides"], a["dilations"])


def _kernel_axes(a: Attrs) -> tuple[int, ...]:
    return tuple(range(-len(a["kernel_shape"]), 0))


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
    return np.asarray(np.max(pool_windows(x[0], a, _lowest(x[0].dtype)), axis=_kernel_axes(a)))


def _ceils(spatial: Sequence[int], result: Sequence[int], a: Attrs) -> bool:
    """Whether Torch's ``ceil_mode`` gives these windows, with the same pads."""
    pads = tuple(a["pads"])
    if not _fits_torch(pads, a):
        return False
    return windows.window_dims(spatial, a["kernel_shape"], a["strides"], pads, a["dilations"], 1) == tuple(result)


def _max_pool_torch(c: Call) -> str:
    a, x = c.attrs, c.x[0]
    r, pads = len(a["kernel_shape"]), _covering_pads(c.types[0].shape[2:], a)
    padding: tuple[int, ...] = (0,) * r
    ceil = _ceils(c.types[0].shape[2:], c.results[0].shape[2:], a) and (not _fits_torch(pads, a) or c.draws.chance(0.5))
    if ceil:
        padding = tuple(a["pads"][:r])
    elif _fits_torch(pads, a):
        padding = pads[:r]
    elif any(pads):
        lowest = "float('-inf')" if c.types[0].dtype in FLOATS else f"torch.iinfo(torch.{c.types[0].dtype}).min"
        x = f"F.pad({x}, {torch_pads(pads)}, value={lowest})"
    rest = f"stride={tuple(a['strides'])}, padding={padding}, dilation={tuple(a['dilations'])}, ceil_mode={ceil}"
    window = f"{tuple(a['kernel_shape'])}, {rest}"
    if c.draws.chance(0.2):
        return f"torch.nn.MaxPool{r}d({window})({x})"
    return f"{c.draws.choice(('F', 'torch'))}.max_pool{r}d({x}, {window})"


def _max_pool_tensorflow(c: Call) -> str:
    a, x, t = c.attrs, c.x[0], c.types[0]
    pads = _covering_pads(t.shape[2:], a)
    same = _is_same(t.shape[2:], pads, a)
    if not same and any(pads):
        lowest = 'float("-inf")' if t.dtype in FLOATS else f"tf.{t.dtype}.min"
        x = windows.tensorflow_padded(x, spatial_pads(pads), lowest)
    x = channels_last(x, t.rank)
    if t.rank == 5 and t.dtype in ("float16", "int8", "uint8"):  # the CPU kernel takes none of them
        wide = _pooled_tensorflow(f"tf.cast({x}, tf.float32)", "max", a, same)
        return channels_first(f"tf.cast({wide}, tf.{t.dtype})", t.rank)
    return channels_first(_pooled_tensorflow(x, "max", a, same), t.rank)


def _window_jax(c: Call, x: str, start: str, function: str, pads: Sequence[int]) -> str:
    kernel, strides, dilations = ((1, 1, *c.attrs[name]) for name in ("kernel_shape", "strides", "dilations"))
    start = f"jnp.array({start}, jnp.{dtypes.framework_name(c.types[0].dtype)})"
    around = f"{windows.pairs(spatial_pads(pads))}, window_dilation={dilations}"
    return f"lax.reduce_window({x}, {start}, {function}, {kernel}, {strides}, {around})"


def _max_pool_jax(c: Call) -> str:
    t = c.types[0]
    lowest = "-jnp.inf" if t.dtype in FLOATS else str(dtypes.exact_integers(t.dtype)[0])
    return _window_jax(c, c.x[0], lowest, "lax.max", _covering_pads(t.shape[2:], c.attrs))


# --- AveragePool -----------------------------------------------------------------------------------------------------


def _average_pool(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    total = np.sum(pool_windows(x[0], a, 0), axis=_kernel_axes(a))
    ones = np.ones_like(x[0])
    counted = np.ones_like(pad_array(ones, spatial_pads(a["pads"]), 0)) if a["count_include_pad"] else ones
    inner = {**a, "pads": (0,) * len(a["pads"])} if a["count_include_pad"] else a
    count = np.sum(pool_windows(counted, inner, 0), axis=_kernel_axes(a))
    return np.asarray(total / count)


def _average_pool_error(c: ErrorContext) -> np.ndarray:
    return errors.weighted_sum(c, _average_pool, sampling.total(c.attrs["kernel_shape"]) + 2)


_UNEVEN = Unsupported("its last windows, which ceil_mode cuts, have a divisor of their own")


def _average_pool_torch(c: Call) -> str | Unsupported:
    a, x = c.attrs, c.x[0]
    if a["ceil_mode"]:
        return _UNEVEN
    if max(a["dilations"]) > 1:
        return Unsupported("Torch's average pooling has no dilations")
    r, pads = len(a["kernel_shape"]), tuple(a["pads"])
    window = f"{tuple(a['kernel_shape'])}, stride={tuple(a['strides'])}"
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
        return _UNEVEN
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


def _average_pool_jax(c: Call) -> str:
    """The sums of the windows, divided by those of ones."""
    a, spatial = c.attrs, c.types[0].shape[2:]
    pads = _covering_pads(spatial, a)
    shape, around = (1, 1, *spatial), pads
    if a["count_include_pad"]:
        shape = (1, 1, *(n + sum(pair) for n, pair in zip(spatial, windows.pairs(a["pads"]), strict=True)))
        around = tuple(p - q for p, q in zip(pads, a["pads"], strict=True))
    ones = f"jnp.ones({shape}, jnp.{dtypes.framework_name(c.types[0].dtype)})"
    sums, counts = (_window_jax(c, x, "0.0", "lax.add", p) for x, p in ((c.x[0], pads), (ones, around)))
    return f"{sums} / {counts}"


# --- avg_pool2d with a divisor of its own ----------------------------------------------------------------------------


def _as_onnx_window(a: Attrs) -> dict[str, Any]:
    """ONNX's attributes for the window of ATen's poolings; without strides the windows lie side by side."""
    return {
        "kernel_shape": tuple(a["kernel_size"]),
        "strides": tuple(a["stride"]) or tuple(a["kernel_size"]),
        "pads": (*a["padding"], *a["padding"]),
        "dilations": tuple(a.get("dilation", (1, 1))),
        "ceil_mode": a["ceil_mode"],
    }


def _aten_shape(s: Sequence[Dims], a: Any) -> list[Dims]:
    require(len(s[0]) == 4 and all(0 <= 2 * p <= k for p, k in zip(a.padding, a.kernel_size, strict=True)))
    pads, dilations = (*a.padding, *a.padding), getattr(a, "dilation", (1, 1))
    sizes = windows.window_dims(s[0][2:], a.kernel_size, a.stride or a.kernel_size, pads, dilations, a.ceil_mode)
    return [Dims((*s[0][:2], *sizes))]


def _window_sums(x: np.ndarray, a: Attrs) -> np.ndarray:
    window = _as_onnx_window(a)
    return np.asarray(np.sum(pool_windows(x, window, 0), axis=_kernel_axes(window)))


def _avg_pool2d(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The average, rounded towards 0 for integers."""
    total, divisor = _window_sums(x[0], a), np.asarray(a["divisor_override"], x[0].dtype)
    if total.dtype.kind == "i":
        return np.asarray(np.sign(total) * (np.abs(total) // divisor))
    return np.asarray(total / divisor)


def _avg_pool2d_error(c: ErrorContext) -> np.ndarray:
    if c.x[0].dtype.kind == "i":  # some frameworks average in float64
        inexact = _window_sums(np.abs(c.x[0].astype(np.float64)), c.attrs) > 2.0**53
        carried = _window_sums(np.broadcast_to(c.e[0], c.x[0].shape), c.attrs)
        return errors.infinite_if(inexact | (carried > 0), np.zeros(c.y[0].shape))
    return errors.weighted_sum(c, _avg_pool2d, sampling.total(c.attrs["kernel_size"]) + 4)


def _avg_pool2d_torch(c: Call) -> tuple[str, ...]:
    a = c.attrs
    usual = a["divisor_override"] == sampling.total(a["kernel_size"]) and not any(a["padding"]) and not a["ceil_mode"]
    text = "F.avg_pool2d({0}, {kernel_size}, stride={stride}, padding={padding}, ceil_mode={is_ceil_mode}, "
    text += "count_include_pad={is_count_include_pad}"
    return (f"{text}, divisor_override={{divisor_override}})", *[f"{text})"] * usual)


def _avg_pool2d_tensorflow(c: Call) -> str:
    a, window = c.attrs, _as_onnx_window(c.attrs)
    pads = spatial_pads(_covering_pads(c.types[0].shape[2:], window))
    x = channels_last(windows.tensorflow_padded(c.x[0], pads), 4)
    factor = sampling.total(a["kernel_size"]) / a["divisor_override"]
    return f"{channels_first(_pooled_tensorflow(x, 'avg', window), 4)} * {factor}"


def _avg_pool2d_definition(b: Builder, x: Sequence[str], a: Attrs) -> str | Unsupported:
    t = b.types[x[0]]
    if t.dtype == "int64":
        return Unsupported("ONNX averages no integers")
    window = _as_onnx_window(a)
    pads = spatial_pads(_covering_pads(t.shape[2:], window))
    data = b.op("Pad", x[0], pads=pads, value=0.0, mode="constant") if any(pads) else x[0]
    window |= {"pads": (0,) * 4, "ceil_mode": 0}
    mean = b.op("AveragePool", data, **window, count_include_pad=0)
    count, divisor = (
        b.constant(np.asarray(n).astype(dtypes.to_numpy(t.dtype)))
        for n in (sampling.total(a["kernel_size"]), a["divisor_override"])
    )
    return b.op("Div", b.op("Mul", mean, count), divisor)


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
    window = {**a, "pads": _covering_pads(x.shape[2:], a), "ceil_mode": 0, "count_include_pad": 1}
    mean = _powers(x, window.pop("p")).then("AveragePool", **window)
    return _root(mean * float(sampling.total(a["kernel_shape"])), a["p"])


def _lp_pool_torch(c: Call) -> str | Unsupported:
    a, p = c.attrs, c.attrs["p"]
    if max(a["dilations"]) > 1:
        return Unsupported("Torch's pooling by norms has no dilations")
    r, pads = len(a["kernel_shape"]), _covering_pads(c.types[0].shape[2:], a)
    x = f"F.pad({c.x[0]}, {torch_pads(pads)})" if any(pads) else c.x[0]
    kernel, strides = tuple(a["kernel_shape"]), tuple(a["strides"])
    if r < 3 and c.draws.chance(0.7):
        window = (kernel, strides) if r == 2 else (kernel[0], strides[0])
        return f"F.lp_pool{r}d({f'torch.abs({x})' if p % 2 else x}, {p}, {window[0]}, {window[1]})"
    total = f"F.avg_pool{r}d(torch.abs({x}) ** {p}, {kernel}, {strides}) * {sampling.total(kernel)}"
    return total if p == 1 else f"torch.sqrt({total})" if p == 2 else f"({total}) ** {1 / p!r}"


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


def _flat_windows(x: np.ndarray, a: Attrs, value: float) -> np.ndarray:
    """The elements of each window along the last axis; the padding has ``value``."""
    found = pool_windows(x, _as_onnx_window(a), value)
    return found.reshape(*found.shape[:-2], -1)


def _indexed_pool(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray]:
    elements = _flat_windows(x[0], a, -np.inf)
    places = np.arange(x[0].shape[2] * x[0].shape[3]).reshape(1, 1, *x[0].shape[2:])
    at = np.argmax(elements, axis=-1, keepdims=True)
    index = np.take_along_axis(np.broadcast_to(_flat_windows(places, a, -1), elements.shape), at, -1)
    return np.take_along_axis(elements, at, -1)[..., 0], index[..., 0]


def _indexed_error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """The greatest error in a window. The index is open among equal elements, because ATen does not define it."""
    value = greatest_error(c, lambda x, a: _indexed_pool(x, a)[0])
    elements = _flat_windows(np.asarray(c.x[0], np.float64), c.attrs, -np.inf)
    moved = _flat_windows(np.broadcast_to(c.e[0], c.x[0].shape).astype(np.float64), c.attrs, 0.0)
    return value, np.where(extreme_unsure(elements, moved, -1, False, False), np.inf, 0.0)


def _indexed_jax(c: Call) -> str:
    """Each window's elements, by their places in the padded image, and the place of the greatest one."""
    a, t, out = _as_onnx_window(c.attrs), c.types[0], c.results[0].shape
    around = windows.pairs(spatial_pads(_covering_pads(t.shape[2:], a)))
    rows, columns = (
        f"(jnp.arange({n})[:, None] * {s} + jnp.arange({k}) * {d})"
        for n, s, k, d in zip(out[2:], a["strides"], a["kernel_shape"], a["dilations"], strict=True)
    )
    index = f"[:, :, {rows}[:, None, :, None], {columns}[None, :, None, :]].reshape({(*out, -1)})"
    image = f"jnp.arange({t.shape[2] * t.shape[3]}).reshape({(1, 1, *t.shape[2:])})"
    elements = c.let(f"jnp.pad({c.x[0]}, {around}, constant_values=-jnp.inf){index}")
    best = c.let(f"jnp.argmax({elements}, axis=-1, keepdims=True)")
    places = f"jnp.pad(jnp.broadcast_to({image}, {t.shape}), {around}){index}"
    taken = "jnp.take_along_axis({0}, {1}, axis=-1)[..., 0]"
    return f"({taken.format(elements, best)}, {taken.format(places, best)})"


def _draw_indexed(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank != 4 or 0 in first.shape:
        return None
    a = {**windows.draw_aten_window(rng, first.shape[2:]), "ceil_mode": 0}
    ceil = rng.random() < 0.5 and not windows.drops_windows(first.shape[2:], _as_onnx_window(a))
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
    Op(
        name="AveragePool",
        shape=_pool_shape,
        numpy=_average_pool,
        error=_average_pool_error,
        text=spell(_average_pool_torch, tf=_average_pool_tensorflow, jax=_average_pool_jax),
        sample=sampling.alone_with(_draw_pool(count_include_pad=(0, 1))),
        attrs=(*_WINDOW, Attr("count_include_pad", "int", 0)),
        adjoint=linear_adjoints.pooled(linear_adjoints.average_slope),
        normal=normal_average,
        **facts(ulps=2, weight=2, fresh=True, followers="Conv Add Concat Reshape AveragePool"),
    ),
    composed(
        "LpPool",
        _lp_pool,
        spell(_lp_pool_torch),
        sampling.alone_with(_draw_pool(p=(1, 2, 2, 3))),
        error=lambda c: _norm_error(c, sampling.total(c.attrs["kernel_shape"])),
        attrs=(*_WINDOW, Attr("p", "int", 2)),
        adjoint=linear_adjoints.pooled(adjoints.lp_slope),
        widen=False,
        normal=normal_pool,
        **_NORM,
    ),
    Op(
        name="avg_pool2d",
        types={"T": (*FLOATS, "int64")},
        shape=_aten_shape,
        numpy=_avg_pool2d,
        error=_avg_pool2d_error,
        text=spell(_avg_pool2d_torch, tf=_avg_pool2d_tensorflow),
        definition=_avg_pool2d_definition,
        why_not_derived="ONNX averages no integers",
        sample=sampling.alone_with(_draw_avg_pool2d),
        attrs=attributes(
            kernel_size="ints", stride="ints", padding="ints", ceil_mode=0, count_include_pad=1, divisor_override="int"
        ),
        weight=0.4,
    ),
    _global_pool(
        "GlobalAveragePool",
        lambda x, axes, a: x.reduce("Mean", *axes),
        spell(_over_spatial("torch.mean({0}, dim=AXES, keepdim=True)", "F.adaptive_avg_poolNd({0}, 1)")),
        adjoint=adjoints.over_spatial(lambda attrs: lambda x, y, n: 1.0 / n),
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
            ),
            tf=_over_spatial(
                "tf.reduce_sum(tf.pow(tf.abs({0}), {p}), axis=AXES, keepdims=True) ** (1 / {p})",
                "tf.reshape(tf.norm(tf.reshape({0}, [*{0}.shape[:2], -1]), ord={p}, axis=-1), {shape})",
            ),
        ),
        error=lambda c: _norm_error(c, sampling.total(c.x[0].shape[2:])),
        sample=sampling.alone_with(lambda rng, first: {"p": rng.choice((1, 2, 2, 3))} if has_windows(first) else None),
        attrs=attributes(p=2),
        adjoint=adjoints.over_spatial(lambda attrs: adjoints.norm_slope(attrs["p"])),
        **_NORM,
    ),
    Op(
        name="max_pool2d_with_indices",
        results=("T", "int64"),
        shape=lambda s, a: _aten_shape(s, a) * 2,
        numpy=_indexed_pool,
        error=_indexed_error,
        text=spell(
            (
                f"F.max_pool2d({{0}}, {_INDEXED}, return_indices=True)",
                f"F.max_pool2d_with_indices({{0}}, {_INDEXED})",
                f"torch.nn.MaxPool2d({_INDEXED}, return_indices=True)({{0}})",
            ),
            tf=Unsupported("TensorFlow's indices count through the channels"),
            jax=_indexed_jax,
        ),
        definition=Unsupported("ONNX's indices count through the batch and the channels"),
        sample=sampling.alone_with(_draw_indexed),
        attrs=attributes(kernel_size="ints", stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=0),
        **facts(weight=0.8, picks=True, continuous=False, ties="unspecified"),
    ),
)
