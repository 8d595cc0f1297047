"""Convolutions and pooling in JAX's Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.ir import dtypes
from polyjuice.ops import Call, Texts, Unsupported

Pairs = tuple[tuple[int, int], ...]


def pairs(pads: Sequence[int]) -> Pairs:
    """ONNX's pads, first all at the beginning, as a pair for each axis."""
    half = len(pads) // 2
    return tuple(zip(pads[:half], pads[half:], strict=True))


def convolved(c: Call, x: str, weight: str) -> str:
    a = c.attrs
    return (
        f"lax.conv_general_dilated({x}, {weight}, {tuple(a['strides'])}, {pairs(a['pads'])}, "
        f"rhs_dilation={tuple(a['dilations'])}, feature_group_count={a['group']})"
    )


def _with_bias(c: Call, text: str) -> str:
    return f"{text} + {c.x[2]}.reshape({(-1, *[1] * (c.types[0].rank - 2))})" if len(c.x) > 2 else text


def _conv(c: Call) -> str:
    return _with_bias(c, convolved(c, c.x[0], c.x[1]))


def _conv_transpose(c: Call) -> str:
    a, weight = c.attrs, c.types[1].shape
    group, spatial = a["group"], weight[2:]
    inner = tuple(range(2, len(weight)))
    kernel = f"jnp.flip({c.x[1]}, {inner})"
    # From (inputs, outputs of a group) to (all outputs, inputs of a group).
    parts = (group, weight[0] // group, weight[1], *spatial)
    moved = f"jnp.swapaxes(jnp.reshape({kernel}, {parts}), 1, 2)"
    shape = (group * weight[1], weight[0] // group, *spatial)
    sizes = zip(spatial, a["dilations"], pairs(a["pads"]), a["output_padding"], strict=True)
    pads = tuple((d * (k - 1) - low, d * (k - 1) - high + more) for k, d, (low, high), more in sizes)
    text = (
        f"lax.conv_general_dilated({c.x[0]}, jnp.reshape({moved}, {shape}), {(1,) * len(spatial)}, {pads}, "
        f"lhs_dilation={tuple(a['strides'])}, rhs_dilation={tuple(a['dilations'])}, feature_group_count={group})"
    )
    return _with_bias(c, text)


def _conv_integer(c: Call) -> str:
    x, weight = (f"{text}.astype(jnp.int32)" for text in c.x[:2])
    if len(c.x) > 2:
        x = f"({x} - {c.x[2]}.astype(jnp.int32))"
    if len(c.x) > 3:
        zero = f"{c.x[3]}.astype(jnp.int32)"
        weight = f"({weight} - {zero}.reshape({(-1, *[1] * (c.types[1].rank - 1))}))"
    return convolved(c, x, weight)


def _missing(c: Call, sizes: Sequence[int]) -> Pairs:
    """The padding at the end that the last windows need beyond these sizes (ONNX's ``ceil_mode``)."""
    a = c.attrs
    windows = zip(c.results[0].shape[2:], a["strides"], a["dilations"], a["kernel_shape"], sizes, strict=True)
    return tuple((0, max((out - 1) * s + d * (k - 1) + 1 - size, 0)) for out, s, d, k, size in windows)


def _window(c: Call, x: str, start: str, function: str, pads: Pairs) -> str:
    a = c.attrs
    kernel, strides, dilations = ((1, 1, *a[name]) for name in ("kernel_shape", "strides", "dilations"))
    around = ((0, 0), (0, 0), *pads)
    start = f"jnp.array({start}, {jax_type(c.types[0].dtype)})"
    return f"lax.reduce_window({x}, {start}, {function}, {kernel}, {strides}, {around}, window_dilation={dilations})"


def _max_pool(c: Call) -> str:
    t, pads = c.types[0], pairs(c.attrs["pads"])
    begun = [low + size for (low, _), size in zip(pads, t.shape[2:], strict=True)]
    around = tuple((low, more) for (low, _), (_, more) in zip(pads, _missing(c, begun), strict=True))
    lowest = "-jnp.inf" if dtypes.is_float(t.dtype) else str(np.iinfo(dtypes.to_numpy(t.dtype)).min)
    return _window(c, c.x[0], lowest, "lax.max", around)


def _padded_sums(c: Call, x: str) -> str:
    pads = pairs(c.attrs["pads"])
    sizes = [low + size + high for (low, high), size in zip(pads, c.types[0].shape[2:], strict=True)]
    padded = f"jnp.pad({x}, {((0, 0), (0, 0), *pads)})"
    return _window(c, padded, "0.0", "lax.add", _missing(c, sizes))


def _average_pool(c: Call) -> str:
    t, pads = c.types[0], pairs(c.attrs["pads"])
    sizes = [low + size + high for (low, high), size in zip(pads, t.shape[2:], strict=True)]
    ones = f"jnp.ones({(1, 1, *t.shape[2:])}, {jax_type(t.dtype)})"
    filler = 1 if c.attrs["count_include_pad"] else 0
    counted = f"jnp.pad({ones}, {((0, 0), (0, 0), *pads)}, constant_values={filler})"
    count = _window(c, counted, "0.0", "lax.add", _missing(c, sizes))
    return f"{_padded_sums(c, c.x[0])} / {count}"


def _root(text: str, p: int) -> str:
    return text if p == 1 else f"jnp.sqrt({text})" if p == 2 else f"jnp.power({text}, {1 / p})"


def _power(x: str, p: int) -> str:
    return f"jnp.abs({x})" if p == 1 else f"jnp.square({x})" if p == 2 else f"jnp.power(jnp.abs({x}), {p})"


def _lp_pool(c: Call) -> str:
    return _root(_padded_sums(c, _power(c.x[0], c.attrs["p"])), c.attrs["p"])


def _over_space(c: Call) -> str:
    return f"axis={tuple(range(2, c.types[0].rank))}, keepdims=True"


def _global_lp_pool(c: Call) -> str:
    p = c.attrs["p"]
    return _root(f"jnp.sum({_power(c.x[0], p)}, {_over_space(c)})", p)


def _lrn(c: Call) -> str | Unsupported:
    a, rank = c.attrs, c.types[0].rank
    size = a["size"]
    window = (1, size, *[1] * (rank - 2))
    pads = ((0, 0), ((size - 1) // 2, size - 1 - (size - 1) // 2), *[(0, 0)] * (rank - 2))
    zero = f"jnp.array(0, {jax_type(c.types[0].dtype)})"
    sums = f"lax.reduce_window(jnp.square({c.x[0]}), {zero}, lax.add, {window}, {(1,) * rank}, {pads})"
    return f"{c.x[0]} / jnp.power({a['bias']} + {a['alpha'] / size} * {sums}, {a['beta']})"


WINDOWS: Mapping[str, Texts] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "ConvInteger": _conv_integer,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "LpPool": _lp_pool,
    "GlobalAveragePool": lambda c: f"jnp.mean({c.x[0]}, {_over_space(c)})",
    "GlobalMaxPool": lambda c: f"jnp.max({c.x[0]}, {_over_space(c)})",
    "GlobalLpPool": _global_lp_pool,
    "LRN": _lrn,
}
"""The texts by the operator's qualified name."""
