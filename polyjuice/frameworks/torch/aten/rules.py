"""The overloads of ATen that the operator table can express under other names than ATen's, with a rule for each.

They are those that ``torch.export`` leaves after its own decompositions. A rule raises NotCovered for a call that the
table cannot express.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polyjuice.frameworks.torch.aten.application import DOMAIN, AtenCall, Rule, Rules, ValueName, shaped
from polyjuice.ir import dtypes
from polyjuice.ops import numbers
from polyjuice.ops.memory import SEEN
from polyjuice.ops.normal import demand
from polyjuice.ops.shapes import normalize_axis

_LAST = 2**63 - 1
"""A slice to this end goes to the end of the axis in ONNX."""

# --- elementwise ------------------------------------------------------------------------------------------------------

_REDUCTIONS = """
    sum.dim_IntList:ReduceSum mean.default:ReduceMean mean.dim:ReduceMean amax.default:ReduceMax amin.default:ReduceMin
    max.default:ReduceMax min.default:ReduceMin prod.default:ReduceProd prod.dim_int:ReduceProd
"""

_HIGHEST_PRODUCT = 8
"""The highest power of an integer that is written as a product."""


def _power(c: AtenCall) -> ValueName:
    """ATen computes the second and third power as products, which are the powers of integers, too."""
    x, exponent = c.x(), c["exponent"]
    if exponent not in (2, 3) and not (dtypes.is_int(c.result.dtype) and exponent in range(2, _HIGHEST_PRODUCT + 1)):
        return c.op("Pow", x, c.constant(exponent, c.result.dtype))
    power = x
    for _ in range(int(exponent) - 1):
        power = c.op("Mul", power, x)
    return power


def _clamp(c: AtenCall) -> ValueName:
    x = c.x()
    bounds = {k: float(c[k]) for k in ("min", "max") if c[k] is not None}
    if c.result.dtype == "float64" and not all(numbers.held(v, "float32") for v in bounds.values()):
        for k in bounds:  # Clip's attributes are of single precision
            x = c.multi(f"clamp_{k}.default", x, domain=DOMAIN, **{k: numbers.text(c[k])})[0]
        return x
    return c.op("Clip", x, **bounds)


def _clamp_to_tensors(c: AtenCall) -> ValueName:
    x = c.x()
    for op, bound in (("Max", c["min"]), ("Min", c["max"])):
        x = x if bound is None else c.op(op, x, c.tensor(bound, c.result.dtype))
    return x


def _dropout(c: AtenCall) -> ValueName:
    demand(c["train"] is False and c.used <= {0}, "a random mask")
    return c.op("Dropout", c["input"])


def _rounded_quotient(c: AtenCall) -> ValueName:
    demand(c["rounding_mode"] == "floor", "a quotient rounded another way")
    return c.multi("floor_divide", c.x(), c.tensor(c["other"], c.result.dtype), domain=DOMAIN)[0]


# --- reductions -------------------------------------------------------------------------------------------------------


def _reduction(op: str) -> Rule:
    return lambda c: c.op(op, c.x(), axes=c.axes(), keepdims=int(c.args.get("keepdim", False)))


def _place(op: str) -> Rule:
    def rule(c: AtenCall) -> ValueName:
        x = c["self"]
        if c["dim"] is not None:
            return c.op(op, x, axis=c.axis(), keepdims=int(c["keepdim"]))
        place = c.op(op, c.op("Reshape", x, shape=(c.type(x).size,)), axis=0, keepdims=0)
        return shaped(c, place, c.result.shape)

    return rule


# --- shapes and places of elements ------------------------------------------------------------------------------------


def _view_as_type(c: AtenCall) -> ValueName:
    t, to = c.type(c["self"]), c.result.dtype
    if t.dtype == to:
        return c.op("Identity", c["self"])
    if c.result.shape == t.shape:
        return c.op("BitCast", c["self"], to=to)
    demand(t.dtype in SEEN and to in SEEN, f"{t.dtype} as {to}")
    return c.multi("view.dtype", c["self"], domain=DOMAIN, of=t.dtype, to=to, size=c.result.shape)[0]


def _copied(c: AtenCall) -> ValueName:
    """The source in the type and the shape of the destination, whose values are lost."""
    value = c.tensor(c["src"], c.result.dtype)
    if c.type(value).shape != c.result.shape:
        return c.op("Expand", value, shape=c.result.shape)
    return c.op("Identity", value)


def _permute(c: AtenCall) -> ValueName:
    rank = c.type(c["self"]).rank
    return c.op("Transpose", c["self"], perm=tuple(normalize_axis(axis, rank) for axis in c["dims"]))


def _squeeze(c: AtenCall) -> ValueName:
    shape = c.type(c["self"]).shape
    axes = tuple(axis for axis in c.axes() if shape[axis] == 1)
    return c.op("Squeeze", c["self"], axes=axes) if axes else c.op("Identity", c["self"])


def _cat(c: AtenCall) -> ValueName:
    """Concatenate all but the empty vectors, which ATen joins to anything."""
    parts = [v for v in c["tensors"] if c.type(v).shape != (0,)]
    demand(bool(parts), "nothing to join")
    axis = normalize_axis(c["dim"], c.type(parts[0]).rank)
    return c.op("Concat", *(c.tensor(v, c.result.dtype) for v in parts), axis=axis)


def _slice(c: AtenCall) -> ValueName:
    start, end = (0 if c["start"] is None else c["start"]), (_LAST if c["end"] is None else c["end"])
    return c.op("Slice", c["self"], axes=(c.axis(),), starts=(start,), ends=(end,), steps=(c["step"],))


def _repeat(c: AtenCall) -> ValueName:
    shape, repeats = c.type(c["self"]).shape, tuple(c["repeats"])
    wide = shaped(c, c["self"], (1,) * (len(repeats) - len(shape)) + shape)
    return c.op("Tile", wide, repeats=repeats)


def _pad(c: AtenCall) -> ValueName:
    """ATen counts the pads from the last axis, before and after in pairs."""
    pads, rank = c["pad"], c.type(c["self"]).rank
    demand(all(p >= 0 for p in pads), "a negative pad")
    before, after = [0] * rank, [0] * rank
    for k in range(len(pads) // 2):
        before[rank - 1 - k], after[rank - 1 - k] = pads[2 * k], pads[2 * k + 1]
    return c.op("Pad", c["self"], pads=(*before, *after), value=float(c["value"]))


def _index(c: AtenCall) -> ValueName:
    """A mask of all elements selects them; one tensor of indices is a Gather.

    Several are a GatherND, after their axes are brought to the front.
    """
    x, rank = c["self"], c.type(c["self"]).rank
    found = [(axis, v) for axis, v in enumerate(c["indices"]) if v is not None]
    axes = [axis for axis, _ in found]
    if c.type(found[0][1]).dtype == "bool" and c.type(found[0][1]).shape == c.type(x).shape:
        return c.op("masked_select", x, found[0][1], domain=DOMAIN)
    demand(all(c.type(v).dtype in ("int64", "int32") for _, v in found), "a mask of some axes as an index")
    if len(found) == 1:
        return c.op("Gather", x, found[0][1], axis=axes[0])
    shape = np.broadcast_shapes(*(c.type(v).shape for _, v in found))
    columns = [c.tensor(v, "int64") for _, v in found]
    columns = [v if c.type(v).shape == shape else c.op("Expand", v, shape=shape) for v in columns]
    indices = c.op("Concat", *(c.op("Unsqueeze", v, axes=(len(shape),)) for v in columns), axis=len(shape))
    rest = [axis for axis in range(rank) if axis not in axes]
    if axes != list(range(len(axes))):
        x = c.op("Transpose", x, perm=(*axes, *rest))
    picked = c.op("GatherND", x, indices, batch_dims=0)
    adjacent = axes == list(range(axes[0], axes[-1] + 1))
    if not adjacent or axes[0] == 0:
        return picked
    before, places = axes[0], len(shape)
    perm = [*range(places, places + before), *range(places), *range(places + before, places + len(rest))]
    return c.op("Transpose", picked, perm=tuple(perm))


# --- attention, convolutions, pooling, normalization ------------------------------------------------------------------


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


def _max_pool(c: AtenCall) -> ValueName:
    demand(c.used <= {0}, "indices of maxima")
    return _pool(c, "MaxPool")


def _avg_pool(c: AtenCall) -> ValueName:
    demand(c.args.get("divisor_override") is None, "a divisor")
    return _pool(c, "AveragePool", count_include_pad=int(c["count_include_pad"]))


def _adaptive_avg_pool(c: AtenCall) -> ValueName:
    sizes, wanted = c.type(c["self"]).shape[2:], c["output_size"]
    demand(len(sizes) == len(wanted), "no batch")
    if set(wanted) == {1}:
        return c.op("GlobalAveragePool", c["self"])
    demand(all(size % number == 0 for size, number in zip(sizes, wanted, strict=True)), "unequal windows")
    kernel = tuple(size // number for size, number in zip(sizes, wanted, strict=True))
    return c.op("AveragePool", c["self"], kernel_shape=kernel, strides=kernel)


def _batch_norm(c: AtenCall) -> ValueName:
    demand(c.used <= {0}, "training")
    x, mean, dtype = c["input"], c["running_mean"], c.result.dtype
    size = c.type(mean).shape
    scale = c.constant(np.ones(size), dtype) if c["weight"] is None else c["weight"]
    bias = c.constant(np.zeros(size), dtype) if c["bias"] is None else c["bias"]
    return c.op("BatchNormalization", x, scale, bias, mean, c["running_var"], epsilon=float(c["eps"]))


def _layer_norm(c: AtenCall) -> ValueName:
    """The table's operator lacks float64, and needs a weight."""
    demand(c.used <= {0}, "mean and deviation")
    x, weight, bias, t = c["input"], c["weight"], c["bias"], c.type(c["input"])
    axes = tuple(range(t.rank - len(c["normalized_shape"]), t.rank))
    if weight is not None and t.dtype != "float64":
        return c.op("LayerNormalization", x, weight, *([bias] if bias else []), axis=axes[0], epsilon=float(c["eps"]))
    centred = c.op("Sub", x, c.op("ReduceMean", x, axes=axes, keepdims=1))
    variance = c.op("ReduceMean", c.op("Mul", centred, centred), axes=axes, keepdims=1)
    x = c.op("Div", centred, c.op("Sqrt", c.op("Add", variance, c.constant(c["eps"], t.dtype))))
    x = c.op("Mul", x, weight) if weight else x
    return c.op("Add", x, bias) if bias else x


NAMED = {"div": "Div", "maximum": "Max", "minimum": "Min"}
"""The operators of functions that no entry's text only calls."""

# --- all rules --------------------------------------------------------------------------------------------------------

_OTHERS: Rules = {
    "pow.Tensor_Scalar": _power,
    "div.Tensor_mode div.Scalar_mode": _rounded_quotient,
    "clamp.default": _clamp,
    "clamp.Tensor": _clamp_to_tensors,
    "gelu.default": lambda c: c.op("Gelu", c.x(), approximate=c["approximate"]),
    "_to_copy.default": lambda c: c.op("Cast", c["self"], to=c.result.dtype),
    "alias.default": lambda c: c.op("Identity", c["self"]),
    "native_dropout.default": _dropout,
    "argmax.default": _place("ArgMax"),
    "argmin.default": _place("ArgMin"),
    "cumsum.default": lambda c: c.op("CumSum", c.x(), axis=c.axis()),
    "_softmax.default": lambda c: c.op("Softmax", c.x(), axis=c.axis()),
    "_log_softmax.default": lambda c: c.op("LogSoftmax", c.x(), axis=c.axis()),
    "full_like.default": lambda c: c.constant(np.full(c.result.shape, c["fill_value"]), c.result.dtype),
    "view.default": lambda c: c.op("Reshape", c["self"], shape=c.result.shape, allowzero=int(0 in c.result.shape)),
    "view.dtype": _view_as_type,
    "expand.default": lambda c: c.op("Expand", c["self"], shape=c.result.shape),
    "copy.default": _copied,
    "permute.default": _permute,
    "unsqueeze.default": lambda c: c.op("Unsqueeze", c["self"], axes=(c["dim"],)),
    "squeeze.dims": _squeeze,
    "cat.default": _cat,
    "split_with_sizes.default": lambda c: c.multi("Split", c["self"], axis=c.axis(), split=tuple(c["split_sizes"])),
    "slice.Tensor": _slice,
    "repeat.default": _repeat,
    "constant_pad_nd.default": _pad,
    "embedding.default": lambda c: c.op("Gather", c["weight"], c["indices"], axis=0),
    "gather.default": lambda c: c.op("GatherElements", c["self"], c["index"], axis=c.axis()),
    "index.Tensor": _index,
    "mm.default bmm.default": lambda c: c.op("MatMul", c["self"], c["mat2"]),
    "scaled_dot_product_attention.default": _attention_under_mask,
    "convolution.default": _convolution,
    "max_pool2d_with_indices.default max_pool3d_with_indices.default": _max_pool,
    "avg_pool2d.default avg_pool3d.default": _avg_pool,
    "_adaptive_avg_pool2d.default _adaptive_avg_pool3d.default": _adaptive_avg_pool,
    "_native_batch_norm_legit_no_training.default": _batch_norm,
    "native_layer_norm.default": _layer_norm,
}
"""The rules of the other operators, by the overloads that each covers."""

RULES: Rules = {
    **{name: _reduction(op) for name, op in (pair.split(":") for pair in _REDUCTIONS.split())},
    **{overload: rule for overloads, rule in _OTHERS.items() for overload in overloads.split()},
}
"""The rules of all overloads, by name (``add.Tensor``)."""
