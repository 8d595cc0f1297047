"""ATen's products, attention, convolutions, pooling and normalization, in the table's operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyjuice.frameworks.torch.aten.application import DOMAIN, AtenCall, Rules, ValueName, demand, registering, shaped
from polyjuice.ops import TABLE

RULES: Rules = {}
_says = registering(RULES)

# --- products, convolutions, pooling, normalization -------------------------------------------------------------------


@_says("mm.default", "bmm.default")
def _mm(c: AtenCall) -> ValueName:
    return c.op("MatMul", c["self"], c["mat2"])


@_says("mv.default")
def _mv(c: AtenCall) -> ValueName:
    return c.op("MatMul", c["self"], c["vec"])


@_says("addmm.default")
def _addmm(c: AtenCall) -> ValueName:
    return c.op("Gemm", c["mat1"], c["mat2"], c["self"], alpha=float(c["alpha"]), beta=float(c["beta"]))


@_says("baddbmm.default")
def _baddbmm(c: AtenCall) -> ValueName:
    demand(c["alpha"] == c["beta"] == 1, "a factor")
    return c.op("Add", c.op("MatMul", c["batch1"], c["batch2"]), c["self"])


@_says("scaled_dot_product_attention.default")
def _attention_under_mask(c: AtenCall) -> ValueName:
    """Attention with a boolean mask, which the table has as a term added to the scores."""
    mask = c["attn_mask"]
    demand(c["dropout_p"] == 0 and mask is not None and c.type(mask).dtype == "bool", "dropout")
    dtype = c.result.dtype
    if mask in c.arrays:
        added = c.constant(np.where(c.arrays[mask], 0.0, -np.inf), dtype)
    else:
        added = c.op("Where", mask, c.constant(0, dtype), c.constant(-np.inf, dtype))
    operands = (c["query"], c["key"], c["value"], added)
    attrs = {"is_causal": int(c["is_causal"]), "scale": c["scale"]}
    return c.multi("scaled_dot_product_attention", *operands, domain=DOMAIN, **attrs)[0]


def _sized(value: Any, rank: int) -> tuple[int, ...]:
    values = [value] if isinstance(value, int) else list(value)
    return tuple(values * rank if len(values) == 1 else values)


@_says("convolution.default")
def _convolution(c: AtenCall) -> ValueName:
    rank = c.type(c["input"]).rank - 2
    names = {"strides": "stride", "dilations": "dilation"}
    attrs: dict[str, Any] = {name: _sized(c[of], rank) for name, of in names.items()}
    attrs |= {"pads": 2 * _sized(c["padding"], rank), "group": c["groups"]}
    operands = [v for v in (c["input"], c["weight"], c["bias"]) if v is not None]
    if c["transposed"]:
        return c.op("ConvTranspose", *operands, **attrs, output_padding=_sized(c["output_padding"], rank))
    return c.op("Conv", *operands, **attrs)


def _pool(c: AtenCall, op: str, **attrs: Any) -> ValueName:
    rank = len(c["kernel_size"]) if isinstance(c["kernel_size"], list) else c.type(c["self"]).rank - 2
    demand(c.type(c["self"]).rank == rank + 2, "no batch")
    kernel = _sized(c["kernel_size"], rank)
    return c.op(
        op,
        c["self"],
        kernel_shape=kernel,
        strides=_sized(c["stride"] or kernel, rank),
        pads=2 * _sized(c["padding"], rank),
        dilations=_sized(c.args.get("dilation", 1), rank),
        ceil_mode=int(c["ceil_mode"]),
        **attrs,
    )


@_says("max_pool2d_with_indices.default", "max_pool3d_with_indices.default")
def _max_pool(c: AtenCall) -> ValueName:
    demand(c.used <= {0}, "indices of maxima")
    return _pool(c, "MaxPool")


@_says("avg_pool1d.default", "avg_pool2d.default", "avg_pool3d.default")
def _avg_pool(c: AtenCall) -> ValueName:
    demand(c.args.get("divisor_override") is None, "a divisor")
    return _pool(c, "AveragePool", count_include_pad=int(c["count_include_pad"]))


@_says("_adaptive_avg_pool2d.default", "_adaptive_avg_pool3d.default")
def _adaptive_avg_pool(c: AtenCall) -> ValueName:
    sizes, wanted = c.type(c["self"]).shape[2:], c["output_size"]
    demand(len(sizes) == len(wanted), "no batch")
    if set(wanted) == {1}:
        return c.op("GlobalAveragePool", c["self"])
    demand(all(size % number == 0 for size, number in zip(sizes, wanted, strict=True)), "unequal windows")
    kernel = tuple(size // number for size, number in zip(sizes, wanted, strict=True))
    return c.op("AveragePool", c["self"], kernel_shape=kernel, strides=kernel)


@_says("_native_batch_norm_legit_no_training.default", "native_batch_norm.default", "_native_batch_norm_legit.default")
def _batch_norm(c: AtenCall) -> ValueName:
    demand(not c.args.get("training", False) and c.used <= {0}, "training")
    x, mean, dtype = c["input"], c["running_mean"], c.result.dtype
    size = c.type(mean).shape
    scale = c.constant(np.ones(size), dtype) if c["weight"] is None else c["weight"]
    bias = c.constant(np.zeros(size), dtype) if c["bias"] is None else c["bias"]
    return c.op("BatchNormalization", x, scale, bias, mean, c["running_var"], epsilon=float(c["eps"]))


def _normalized(c: AtenCall, x: ValueName, axes: tuple[int, ...], eps: float) -> ValueName:
    centred = c.op("Sub", x, c.op("ReduceMean", x, axes=axes, keepdims=1))
    variance = c.op("ReduceMean", c.op("Mul", centred, centred), axes=axes, keepdims=1)
    return c.op("Div", centred, c.op("Sqrt", c.op("Add", variance, c.constant(eps, c.type(x).dtype))))


def _scaled(c: AtenCall, x: ValueName, weight: ValueName | None, bias: ValueName | None) -> ValueName:
    x = x if weight is None else c.op("Mul", x, weight)
    return x if bias is None else c.op("Add", x, bias)


@_says("native_layer_norm.default")
def _layer_norm(c: AtenCall) -> ValueName:
    demand(c.used <= {0}, "mean and deviation")
    x, weight, bias = c["input"], c["weight"], c["bias"]
    rank = c.type(x).rank
    first = rank - len(c["normalized_shape"])
    if ("", "LayerNormalization") in TABLE and weight is not None:
        operands = [v for v in (x, weight, bias) if v is not None]
        return c.op("LayerNormalization", *operands, axis=first, epsilon=float(c["eps"]))
    return _scaled(c, _normalized(c, x, tuple(range(first, rank)), c["eps"]), weight, bias)


@_says("native_group_norm.default")
def _group_norm(c: AtenCall) -> ValueName:
    demand(c.used <= {0}, "mean and deviation")
    shape = c.type(c["input"]).shape
    grouped = c.op("Reshape", c["input"], shape=(c["N"], c["group"], -1))
    x = shaped(c, _normalized(c, grouped, (2,), c["eps"]), shape)
    per_channel = (shape[1], *[1] * (len(shape) - 2))
    weight, bias = (v if v is None else shaped(c, v, per_channel) for v in (c["weight"], c["bias"]))
    return _scaled(c, x, weight, bias)
