"""Convolution, pooling and normalisation (in inference form), over any number of spatial dimensions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, ShapeMismatch
from polyjuice.ops.spec import Attr, ErrorContext, Op, Operand, Sample, TorchCall
from polyjuice.ops.structural import pad_array, torch_pads

_FLOATS = ("float16", "float32", "float64")
"""ONNX has no bfloat16 convolution or pooling at opset 18."""


# --- windows ---------------------------------------------------------------------------------------------------------


def _window_dims(
    spatial: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: int = 0,
) -> tuple[int, ...]:
    """Output sizes of a sliding window (ONNX Conv and MaxPool); no window starts in the padding at the end."""
    r = len(spatial)
    if not (len(kernel) == len(strides) == len(dilations) == r and len(pads) == 2 * r):
        raise ShapeMismatch(f"kernel, strides, dilations and pads do not fit {r} spatial dimensions")
    out = []
    for i, size in enumerate(spatial):
        room = size + pads[i] + pads[r + i] - (dilations[i] * (kernel[i] - 1) + 1)
        if room < 0:
            raise ShapeMismatch(f"the window does not fit the spatial size {size}")
        count = (-(-room // strides[i]) if ceil_mode else room // strides[i]) + 1
        if ceil_mode and (count - 1) * strides[i] >= size + pads[i]:
            count -= 1
        out.append(count)
    return tuple(out)


def _windows(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> np.ndarray:
    """All windows of an already padded ``[N, C, spatial...]`` array: ``[N, C, out..., kernel...]``."""
    r = len(kernel)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
    view = sliding_window_view(x, reach, axis=tuple(range(2, 2 + r)))
    index = [slice(None), slice(None), *(slice(None, None, step) for step in (*strides, *dilations))]
    return view[tuple(index)]


def _spatial_pads(pads: Sequence[int]) -> tuple[int, ...]:
    """Pads of the spatial axes as pads of all axes."""
    r = len(pads) // 2
    return (0, 0, *pads[:r], 0, 0, *pads[r:])


def _is_symmetric(pads: Sequence[int]) -> bool:
    r = len(pads) // 2
    return tuple(pads[:r]) == tuple(pads[r:])


# --- Conv ------------------------------------------------------------------------------------------------------------


def _conv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, w = s[0], s[1]
    if len(x) < 3 or len(w) != len(x) or x[1] != w[1] * a.group or w[0] % a.group:
        raise ShapeMismatch(f"Conv of {tuple(x)} with weights {tuple(w)} in {a.group} groups")
    if len(s) > 2 and s[2] != (w[0],):
        raise ShapeMismatch(f"Conv bias {tuple(s[2])} for {w[0]} channels")
    return [Dims((x[0], w[0], *_window_dims(x[2:], w[2:], a.strides, a.pads, a.dilations)))]


def _conv(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    data, weight = pad_array(x[0], _spatial_pads(a["pads"]), 0), x[1]
    groups, kernel = a["group"], weight.shape[2:]
    r = len(kernel)
    windows = _windows(data, kernel, a["strides"], a["dilations"])
    inner, outer = weight.shape[1], weight.shape[0] // groups
    contract = ([1, *range(2 + r, 2 + 2 * r)], [1, *range(2, 2 + r)])
    parts = [
        np.tensordot(windows[:, g * inner : (g + 1) * inner], weight[g * outer : (g + 1) * outer], contract)
        for g in range(groups)
    ]
    out = np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)
    return out + x[2].reshape(-1, *[1] * r) if len(x) > 2 else out


def _conv_error(c: ErrorContext) -> np.ndarray:
    full = [np.broadcast_to(e, np.shape(x)) for e, x in zip(c.e, c.x, strict=True)]
    unknown = any(np.isinf(e).any() for e in full)
    ex, ew = (np.where(np.isinf(e), 0, e) for e in full[:2])
    x, w = np.abs(c.x[0]), np.abs(c.x[1])
    spread, size = _conv([x, ew], c.attrs) + _conv([ex, w + ew], c.attrs), _conv([x, w], c.attrs)
    if len(c.x) > 2:
        bias = [-1, *[1] * (x.ndim - 2)]
        spread, size = spread + full[2].reshape(bias), size + np.abs(c.x[2]).reshape(bias)
    bound = errors.summed(w[0].size + 1, c, spread, size)
    if unknown:
        hit = _conv([np.isinf(full[0]).astype(float), np.ones_like(w)], c.attrs) > 0
        bound = np.where(hit | np.isinf(full[1]).any(), np.inf, bound)
    return np.asarray(bound)


def _conv_torch(c: TorchCall) -> str:
    a, x = c.attrs, c.x[0]
    pads, r = tuple(a["pads"]), len(a["strides"])
    padding: tuple[int, ...] = (0,) * r
    if _is_symmetric(pads) and min(pads) >= 0:
        padding = pads[:r]
    elif any(pads):
        x = f"F.pad({x}, {torch_pads(pads)})"
    rest = f"stride={tuple(a['strides'])}, padding={padding}, dilation={tuple(a['dilations'])}, groups={a['group']}"
    bias = c.x[2] if len(c.x) > 2 else "None"
    return f"F.conv{r}d({x}, {c.x[1]}, {bias}, {rest})"


def _draw_window(rng: random.Random, spatial: Sequence[int], dilate: bool) -> dict[str, tuple[int, ...]]:
    kernel, strides, dilations, starts, ends = [], [], [], [], []
    for size in spatial:
        k = rng.choice([k for k in (1, 2, 3, 5) if k <= size])
        d = rng.choice([d for d in (1, 1, 1, 2) if d * (k - 1) < size]) if dilate else 1
        most = min(k // 2, 2)
        start = rng.randint(0, most)
        kernel.append(k)
        dilations.append(d)
        strides.append(rng.choice((1, 1, 2, 3)))
        starts.append(start)
        ends.append(start if rng.random() < 0.8 else rng.randint(0, most))
    return {
        "kernel_shape": tuple(kernel),
        "strides": tuple(strides),
        "pads": (*starts, *ends),
        "dilations": tuple(dilations),
    }


def _has_windows(first: TensorType) -> bool:
    return 3 <= first.rank <= 5 and 0 not in first.shape


def _sample_conv(rng: random.Random, first: TensorType) -> Sample | None:
    if not _has_windows(first):
        return None
    channels = first.shape[1]
    groups = rng.choice(sampling.factors(channels)) if rng.random() < 0.4 else 1
    out = groups * rng.choice((1, 2, 3, 8))
    window = _draw_window(rng, first.shape[2:], dilate=True)
    kernel = window.pop("kernel_shape")
    weight = TensorType(first.dtype, (out, channels // groups, *kernel))
    operands = [Operand(weight)]
    if rng.random() < 0.5:
        operands.append(Operand(TensorType(first.dtype, (out,))))
    return Sample(tuple(operands), {**window, "group": groups})


# --- pooling ---------------------------------------------------------------------------------------------------------


def _pool_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x = s[0]
    if len(x) < 3:
        raise ShapeMismatch(f"pooling of {tuple(x)}, which has no spatial dimension")
    return [Dims((x[0], x[1], *_window_dims(x[2:], a.kernel_shape, a.strides, a.pads, a.dilations, a.ceil_mode)))]


def _covering_pads(spatial: Sequence[int], a: Attrs) -> tuple[int, ...]:
    """The pads with which the floor formula gives as many windows as ``ceil_mode`` does."""
    r = len(spatial)
    sizes = _window_dims(spatial, a["kernel_shape"], a["strides"], a["pads"], a["dilations"], a["ceil_mode"])
    ends = []
    for i, size in enumerate(spatial):
        reach = (sizes[i] - 1) * a["strides"][i] + a["dilations"][i] * (a["kernel_shape"][i] - 1) + 1
        ends.append(max(a["pads"][r + i], reach - size - a["pads"][i]))
    return (*a["pads"][:r], *ends)


def _lowest(dtype: np.dtype) -> float:
    return -np.inf if np.issubdtype(dtype, np.floating) else float(np.iinfo(dtype).min)


def _pool_windows(x: np.ndarray, a: Attrs, value: float) -> np.ndarray:
    pads = _spatial_pads(_covering_pads(x.shape[2:], a))
    return _windows(pad_array(x, pads, value), a["kernel_shape"], a["strides"], a["dilations"])


def _kernel_axes(a: Attrs) -> tuple[int, ...]:
    return tuple(range(-len(a["kernel_shape"]), 0))


def _max_pool(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.max(_pool_windows(x[0], a, _lowest(x[0].dtype)), axis=_kernel_axes(a)))


def _max_pool_error(c: ErrorContext) -> object:
    return _max_pool([np.broadcast_to(c.e[0], c.x[0].shape)], c.attrs)


def _max_pool_torch(c: TorchCall) -> str:
    a, x = c.attrs, c.x[0]
    r, pads = len(a["kernel_shape"]), _covering_pads(c.types[0].shape[2:], a)
    padding: tuple[int, ...] = (0,) * r
    if _is_symmetric(pads) and all(p <= k // 2 for p, k in zip(pads[:r], a["kernel_shape"], strict=True)):
        padding = pads[:r]
    elif any(pads):
        lowest = "float('-inf')" if c.types[0].dtype in FLOATS else f"torch.iinfo(torch.{c.types[0].dtype}).min"
        x = f"F.pad({x}, {torch_pads(pads)}, value={lowest})"
    rest = f"stride={tuple(a['strides'])}, padding={padding}, dilation={tuple(a['dilations'])}"
    return f"F.max_pool{r}d({x}, {tuple(a['kernel_shape'])}, {rest})"


def _average_pool(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    total = np.sum(_pool_windows(x[0], a, 0), axis=_kernel_axes(a))
    ones = np.ones_like(x[0])
    counted = np.ones_like(pad_array(ones, _spatial_pads(a["pads"]), 0)) if a["count_include_pad"] else ones
    inner = {**a, "pads": (0,) * len(a["pads"])} if a["count_include_pad"] else a
    count = np.sum(_pool_windows(counted, inner, 0), axis=_kernel_axes(a))
    return np.asarray(total / count)


def _average_pool_error(c: ErrorContext) -> np.ndarray:
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    terms = sampling.total(c.attrs["kernel_shape"]) + 2
    return errors.summed(terms, c, _average_pool([e], c.attrs), _average_pool([np.abs(c.x[0])], c.attrs))


def _average_pool_torch(c: TorchCall) -> str:
    a, x = c.attrs, c.x[0]
    r, pads = len(a["kernel_shape"]), tuple(a["pads"])
    window = f"{tuple(a['kernel_shape'])}, stride={tuple(a['strides'])}"
    include = bool(a["count_include_pad"])
    if _is_symmetric(pads) and all(p <= k // 2 for p, k in zip(pads[:r], a["kernel_shape"], strict=True)):
        return f"F.avg_pool{r}d({x}, {window}, padding={pads[:r]}, count_include_pad={include})"
    total = f"F.avg_pool{r}d(F.pad({x}, {torch_pads(pads)}), {window})"
    if include:
        return total
    return f"{total} / F.avg_pool{r}d(F.pad(torch.ones_like({x}), {torch_pads(pads)}), {window})"


def _draw_pool(rng: random.Random, first: TensorType) -> dict[str, Any] | None:
    if not _has_windows(first):
        return None
    return {**_draw_window(rng, first.shape[2:], dilate=False), "ceil_mode": 0}


def _draw_average_pool(rng: random.Random, first: TensorType) -> Attrs | None:
    attrs = _draw_pool(rng, first)
    return attrs and {**attrs, "count_include_pad": rng.randint(0, 1)}


def _global_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if len(s[0]) < 3:
        raise ShapeMismatch(f"pooling of {tuple(s[0])}, which has no spatial dimension")
    return [Dims((*s[0][:2], *(1 for _ in s[0][2:])))]


def _global_average(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.mean(x[0], axis=tuple(range(2, x[0].ndim)), keepdims=True))


def _global_average_error(c: ErrorContext) -> np.ndarray:
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    terms = sampling.total(c.x[0].shape[2:]) + 2
    return errors.summed(terms, c, _global_average([e], {}), _global_average([np.abs(c.x[0])], {}))


# --- normalisation ---------------------------------------------------------------------------------------------------


def _batch_norm_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if not isinstance(s[0], Dims):
        return [s[0]]
    if len(s[0]) < 2 or any(p != (s[0][1],) for p in s[1:]):
        raise ShapeMismatch(
            f"BatchNormalization of {tuple(s[0])} with parameters {', '.join(str(tuple(p)) for p in s[1:])}"
        )
    return [s[0]]


def _per_channel(parameter: np.ndarray, rank: int) -> np.ndarray:
    return parameter.reshape(-1, *[1] * (rank - 2))


def _batch_norm(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    scale, bias, mean, var = (_per_channel(p, x[0].ndim) for p in x[1:])
    return np.asarray((x[0] - mean) * (scale / np.sqrt(var + np.asarray(a["epsilon"], var.dtype))) + bias)


def _batch_norm_error(c: ErrorContext) -> np.ndarray:
    """As (x - mean) r + bias with r = scale / sqrt(var + eps); magnitudes also cover x r + (bias - mean r)."""
    x, rank = c.x[0], c.x[0].ndim
    scale, bias, mean, var = (_per_channel(p, rank) for p in c.x[1:])
    e_scale, e_bias, e_mean, e_var = (
        _per_channel(np.broadcast_to(e, p.shape), rank) for e, p in zip(c.e[1:], c.x[1:], strict=True)
    )
    eps = c.attrs["epsilon"]
    low = var + eps - e_var
    safe = np.where(low > 0, low, 1.0)
    r = np.abs(scale) / np.sqrt(np.where(var + eps > 0, var + eps, 1.0))
    e_r = np.where(low > 0, (np.abs(scale) + e_scale) / np.sqrt(safe) - r, np.inf)
    e_t = c.e[0] + e_mean
    spread = r * e_t + (np.abs(x - mean) + e_t) * e_r + e_bias
    return np.asarray(spread + 8 * c.unit * ((np.abs(x) + np.abs(mean)) * r + np.abs(bias) + spread))


def _sample_batch_norm(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank < 2 or 0 in first.shape:
        return None
    parameter = TensorType(first.dtype, (first.shape[1],))
    variance = Operand(parameter, (1, 4))
    return Sample((Operand(parameter), Operand(parameter), Operand(parameter), variance), {"epsilon": 1e-5})


def _lrn_denominator(x: np.ndarray, a: Attrs) -> np.ndarray:
    """k + alpha / size * (sum of squares over ``size`` neighbouring channels)."""
    size, channels = a["size"], x.shape[1]
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    squares = np.square(x)
    total = np.zeros_like(x)
    for c in range(channels):
        total[:, c] = squares[:, max(c - before, 0) : c + after + 1].sum(axis=1)
    return np.asarray(a["bias"] + a["alpha"] / size * total)


def _lrn(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(x[0] / _lrn_denominator(x[0], a) ** np.asarray(a["beta"], x[0].dtype))


def _lrn_error(c: ErrorContext) -> np.ndarray:
    """x / d^beta at the ends of the intervals of x and d (beta is positive and d at least its bias)."""
    x, beta = np.abs(c.x[0]), c.attrs["beta"]
    e = np.broadcast_to(c.e[0], x.shape)
    least = _lrn_denominator(np.maximum(x - e, 0), c.attrs)
    most = _lrn_denominator(x + e, c.attrs)
    high, low = (x + e) / least**beta, np.maximum(x - e, 0) / most**beta
    bound = np.maximum(high - np.abs(c.y[0]), np.abs(c.y[0]) - low)
    bound = bound + (c.attrs["size"] + 16) * c.unit * np.abs(c.y[0])
    return np.where(np.isnan(bound), np.inf, bound)


OPS = (
    Op(
        name="Conv",
        inputs=("T", "T", "T"),
        min_inputs=2,
        types={"T": _FLOATS},
        results=("T",),
        shape=_conv_shape,
        numpy=_conv,
        error=_conv_error,
        torch=_conv_torch,
        sample=_sample_conv,
        attrs=(
            Attr("strides", "ints"),
            Attr("pads", "ints"),
            Attr("dilations", "ints"),
            Attr("group", "int", 1),
        ),
        exact=True,
        partial=lambda x, a: _conv([np.abs(v) for v in x], a),
        weight=3,
    ),
    Op(
        name="MaxPool",
        inputs=("T",),
        types={"T": (*_FLOATS, "int8", "uint8")},
        results=("T",),
        shape=_pool_shape,
        numpy=_max_pool,
        error=_max_pool_error,
        torch=_max_pool_torch,
        sample=sampling.alone_with(_draw_pool),
        attrs=(
            Attr("kernel_shape", "ints"),
            Attr("strides", "ints"),
            Attr("pads", "ints"),
            Attr("dilations", "ints"),
            Attr("ceil_mode", "int", 0),
        ),
        exact=True,
        weight=2,
    ),
    Op(
        name="AveragePool",
        inputs=("T",),
        types={"T": _FLOATS},
        results=("T",),
        shape=_pool_shape,
        numpy=_average_pool,
        error=_average_pool_error,
        torch=_average_pool_torch,
        sample=sampling.alone_with(_draw_average_pool),
        attrs=(
            Attr("kernel_shape", "ints"),
            Attr("strides", "ints"),
            Attr("pads", "ints"),
            Attr("dilations", "ints"),
            Attr("ceil_mode", "int", 0),
            Attr("count_include_pad", "int", 0),
        ),
        ulps=2,
        weight=2,
    ),
    Op(
        name="GlobalAveragePool",
        inputs=("T",),
        types={"T": _FLOATS},
        results=("T",),
        shape=_global_shape,
        numpy=_global_average,
        error=_global_average_error,
        torch=lambda c: f"torch.mean({c.x[0]}, dim={tuple(range(2, c.types[0].rank))}, keepdim=True)",
        sample=sampling.alone_with(lambda rng, first: {} if _has_windows(first) else None),
        weight=0.5,
    ),
    Op(
        name="BatchNormalization",
        inputs=("T", "T", "T", "T", "T"),
        types={"T": FLOATS},
        results=("T",),
        shape=_batch_norm_shape,
        numpy=_batch_norm,
        error=_batch_norm_error,
        torch=lambda c: f"F.batch_norm({c.x[0]}, {c.x[3]}, {c.x[4]}, {c.x[1]}, {c.x[2]}, eps={c.attrs['epsilon']})",
        sample=_sample_batch_norm,
        attrs=(Attr("epsilon", "float", 1e-5),),
    ),
    Op(
        name="LRN",
        inputs=("T",),
        types={"T": FLOATS},
        results=("T",),
        shape=lambda s, a: [s[0]],
        numpy=_lrn,
        error=_lrn_error,
        torch=lambda c: (
            f"F.local_response_norm({c.x[0]}, {c.attrs['size']}, alpha={c.attrs['alpha']}, "
            f"beta={c.attrs['beta']}, k={c.attrs['bias']})"
        ),
        sample=sampling.alone_with(
            lambda rng, first: (
                {"size": rng.choice((1, 3, 5)), "alpha": 0.5, "beta": 0.75, "bias": 1.0}
                if first.rank == 4 and 0 not in first.shape
                else None
            )
        ),
        attrs=(
            Attr("size", "int"),
            Attr("alpha", "float", 1e-4),
            Attr("beta", "float", 0.75),
            Attr("bias", "float", 1.0),
        ),
        weight=0.3,
    ),
)
