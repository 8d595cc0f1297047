"""Convolutions and their transposes, over one to three spatial dimensions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import errors, linear_adjoints, sampling, windows
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.shapes import Dims, ShapeMismatch, require
from polyjuice.ops.spec import Call, ErrorContext, NumpyFn, Op, Sample, attributes, facts
from polyjuice.ops.structural import torch_pads
from polyjuice.ops.text import spell, subscript
from polyjuice.ops.windows import conv, normal_conv, pad_array


def linear_error(c: ErrorContext, apply: NumpyFn, terms: int) -> np.ndarray:
    """The bound of an operator ``apply`` that is linear in each of two operands; the third, if any, is a bias.

    The two operands' elements meet in ``terms`` products. The bias belongs to axis 1 of the result.
    """
    full = [np.broadcast_to(e, np.shape(x)) for e, x in zip(c.e, c.x, strict=True)]
    unknown = any(np.isinf(e).any() for e in full)
    ex, ew = (np.where(np.isinf(e), 0, e) for e in full[:2])
    x, w = np.abs(c.x[0]), np.abs(c.x[1])
    spread = apply([x, ew], c.attrs) + apply([ex, w + ew], c.attrs)
    size = apply([x, w], c.attrs)
    if len(c.x) > 2:
        bias = [-1, *[1] * (size.ndim - 2)]
        spread, size = spread + full[2].reshape(bias), size + np.abs(c.x[2]).reshape(bias)
    bound = errors.summed(terms + 1, c, spread, size)
    if unknown:
        hit = apply([np.isinf(full[0]).astype(float), np.ones_like(w)], c.attrs) > 0
        bound = np.where(hit | np.isinf(full[1]).any(), np.inf, bound)
    return np.asarray(bound)


# --- Conv ------------------------------------------------------------------------------------------------------------


def conv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, w = s[0], s[1]
    require(2 < len(x) == len(w) and x[1] == w[1] * a.group and w[0] % a.group == 0)
    require(all(bias == (w[0],) for bias in s[2:]))
    return [Dims((x[0], w[0], *windows.window_dims(x[2:], w[2:], a.strides, a.pads, a.dilations)))]


def conv_torch(c: Call, operands: Sequence[str], spatial: Sequence[int], shape: Sequence[int]) -> str:
    """The Torch text of a convolution of these expressions with the attributes of Conv.

    ``spatial`` are the data's sizes, ``shape`` is that of the weights.
    """
    (x, weight, *bias), a, kernel = operands, c.attrs, shape[2:]
    pads, r = tuple(a["pads"]), len(a["strides"])
    strides, dilations = tuple(a["strides"]), tuple(a["dilations"])
    padding: object = (0,) * r
    if windows.is_symmetric(pads) and min(pads) >= 0:
        padding = pads[:r]
        if not any(pads) and c.draws.chance(0.3):
            padding = "'valid'"
        elif pads == windows.same_pads(spatial, kernel, strides, dilations) and max(strides) == 1:
            padding = c.draws.choice((padding, "'same'"))
    elif any(pads):
        x = f"F.pad({x}, {torch_pads(pads)})"
    rest = f"stride={strides}, padding={padding}, dilation={dilations}, groups={a['group']}"
    return f"{c.draws.choice(('F', 'torch'))}.conv{r}d({x}, {weight}, {[*bias, None][0]}, {rest})"


def conv_tensorflow(c: Call, operands: Sequence[str], spatial: Sequence[int], shape: Sequence[int]) -> str:
    """The TensorFlow text, as :func:`conv_torch`."""
    (x, weight, *bias), a, r = operands, c.attrs, len(spatial)
    strides, dilations, pads, groups = list(a["strides"]), list(a["dilations"]), tuple(a["pads"]), a["group"]
    padding = '"VALID"'
    if pads == windows.same_pads(spatial, shape[2:], strides, dilations) and not (r == 3 and max(dilations) > 1):
        padding = '"SAME"'
    elif r == 2 and any(pads) and min(pads) >= 0 and c.draws.chance(0.5):
        padding = str([[0, 0], *([pads[i], pads[r + i]] for i in range(r)), [0, 0]])
    elif any(pads):
        x = windows.tensorflow_padded(x, windows.spatial_pads(pads))
    x = windows.channels_last(x, r + 2)
    weight = f"tf.transpose({weight}, {[*range(2, 2 + r), 1, 0]})"
    depthwise = shape[1] == 1 and r == 2 and strides[0] == strides[1] and min(max(strides), max(dilations)) == 1
    if depthwise and groups > 1 and c.draws.chance(0.6):
        filters = f"tf.reshape({weight}, {[*shape[2:], groups, shape[0] // groups]})"
        text = f"tf.nn.depthwise_conv2d({x}, {filters}, {[1, *strides, 1]}, {padding}, dilations={dilations})"
    elif groups > 1 and (r == 3 or c.draws.chance(0.3)):
        xs, ws = (c.let(f"tf.split({v}, {groups}, axis=-1)") for v in (x, weight))
        parts = (_convolved(c, f"{xs}[{g}]", f"{ws}[{g}]", padding) for g in range(groups))
        text = f"tf.concat([{', '.join(parts)}], axis=-1)"
    else:
        text = _convolved(c, x, weight, padding)
    if bias:
        text = c.draws.choice(("tf.nn.bias_add({0}, {1})", "({0} + {1})")).format(text, *bias)
    return windows.channels_first(text, r + 2)


def conv_jax(c: Call, operands: Sequence[str], spatial: Sequence[int], shape: Sequence[int]) -> str:
    """The JAX text, as :func:`conv_torch`."""
    return _jax(c, operands, f"{tuple(c.attrs['strides'])}, {windows.pairs(c.attrs['pads'])}")


def _jax(c: Call, operands: Sequence[str], window: str) -> str:
    (x, weight, *bias), a = operands, c.attrs
    rest = f"rhs_dilation={tuple(a['dilations'])}, feature_group_count={a['group']}"
    text = f"lax.conv_general_dilated({x}, {weight}, {window}, {rest})"
    return f"({text} + {bias[0]}.reshape({(-1, *[1] * len(a['strides']))}))" if bias else text


def _convolved(c: Call, x: str, weight: str, padding: str) -> str:
    """One group, channels last. conv3d has no dilations on a CPU, tf.nn.convolution none together with strides."""
    strides, dilations = list(c.attrs["strides"]), list(c.attrs["dilations"])
    r = len(strides)
    if r == 3 and max(dilations) > 1:
        text = f"tf.nn.convolution({x}, {weight}, 1, {padding}, dilations={dilations})"
        return windows.subsampled(text, strides)
    if min(max(strides), max(dilations)) == 1 and padding.startswith('"') and c.draws.chance(0.3):
        return f"tf.nn.convolution({x}, {weight}, strides={strides}, padding={padding}, dilations={dilations})"
    dilated = f", dilations={[1, *dilations, 1]}" if max(dilations) > 1 else ""
    return f"tf.nn.conv{r}d({x}, {weight}, {[1, *strides, 1]}, {padding}{dilated})"


def _sample_conv(rng: random.Random, first: TensorType) -> Sample | None:
    if not windows.has_windows(first):
        return None
    channels = first.shape[1]
    groups = rng.choice(sampling.factors(channels)) if rng.random() < 0.4 else 1
    out = groups * sampling.size(rng, (1, 2, 3, 8)) if groups > 1 else sampling.size(rng, first.shape[1:])
    window = windows.draw_window(rng, first.shape[2:], dilate=True)
    kernel = window.pop("kernel_shape")
    bias = [(out,)] if rng.random() < 0.5 else []
    return sampling.operands(first, (out, channels // groups, *kernel), *bias, **window, group=groups)


# --- ConvTranspose ---------------------------------------------------------------------------------------------------


def _full_sizes(spatial: Sequence[int], kernel: Sequence[int], a: Attrs) -> tuple[int, ...]:
    """The sizes of the area that the windows of all input elements cover."""
    return tuple(
        s * (n - 1) + d * (k - 1) + 1 for n, k, s, d in zip(spatial, kernel, a["strides"], a["dilations"], strict=True)
    )


def _transpose_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, w = s[0], s[1]
    r = len(x) - 2
    require(r > 0 and len(w) == len(x) and x[1] == w[0] and x[1] % a.group == 0)
    if min((*w[2:], *a.strides, *a.dilations), default=1) < 1:
        raise ShapeMismatch("kernels, strides and dilations are at least 1")
    if not (len(a.strides) == len(a.dilations) == len(a.output_padding) == r and len(a.pads) == 2 * r):
        raise ShapeMismatch(f"strides, dilations and pads do not fit {r} spatial dimensions")
    if any(not 0 <= p < max(t, d) for p, t, d in zip(a.output_padding, a.strides, a.dilations, strict=True)):
        raise ShapeMismatch(f"output_padding {tuple(a.output_padding)} must be less than strides or dilations")
    require(all(bias == (w[1] * a.group,) for bias in s[2:]))
    full = _full_sizes(x[2:], w[2:], {"strides": a.strides, "dilations": a.dilations})
    out = [n + a.output_padding[i] - a.pads[i] - a.pads[r + i] for i, n in enumerate(full)]
    require(min(out) > 0 and min(a.pads) >= 0)
    return [Dims((x[0], w[1] * a.group, *out))]


def _conv_transpose(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    data, weight, groups = x[0], x[1], a["group"]
    kernel, spatial = weight.shape[2:], data.shape[2:]
    r, inner, outer = len(kernel), weight.shape[0] // groups, weight.shape[1]
    full = np.zeros((data.shape[0], outer * groups, *_full_sizes(spatial, kernel, a)), data.dtype)
    for g in range(groups):
        lines = slice(g * inner, (g + 1) * inner)
        parts = np.moveaxis(np.tensordot(data[:, lines], weight[lines], ([1], [0])), 1 + r, 1)
        for place in itertools.product(*map(range, kernel)):
            spots: list[Any] = [
                slice(k * d, k * d + s * (n - 1) + 1, s)
                for k, d, s, n in zip(place, a["dilations"], a["strides"], spatial, strict=True)
            ]
            full[(slice(None), slice(g * outer, (g + 1) * outer), *spots)] += parts[cast(Any, (..., *place))]
    ends = [p - a["pads"][r + i] for i, p in enumerate(a["output_padding"])]
    out = pad_array(full, windows.spatial_pads([*(-p for p in a["pads"][:r]), *ends]), 0)
    return out + x[2].reshape(-1, *[1] * r) if len(x) > 2 else out


def _transpose_error(c: ErrorContext) -> np.ndarray:
    """As Conv's; unknown with infinite operands, because some texts multiply them by zeros between the elements."""
    if not all(np.isfinite(v).all() for v in (*c.x, *c.e)):
        return np.full(np.shape(c.y[0]), np.inf)
    return linear_error(c, _conv_transpose, c.x[1][:, 0].size // c.attrs["group"])


def _transpose_torch(c: Call) -> str:
    a = c.attrs
    pads, r = tuple(a["pads"]), len(a["strides"])
    symmetric = windows.is_symmetric(pads)
    padding = pads[:r] if symmetric else (0,) * r
    bias = c.x[2] if len(c.x) > 2 else "None"
    text = (
        f"{c.draws.choice(('F', 'torch'))}.conv_transpose{r}d({c.x[0]}, {c.x[1]}, {bias}, "
        f"stride={tuple(a['strides'])}, padding={padding}, output_padding={tuple(a['output_padding'])}, "
        f"groups={a['group']}, dilation={tuple(a['dilations'])})"
    )
    return text if symmetric else f"F.pad({text}, {torch_pads([-p for p in pads])})"


def _transpose_jax(c: Call) -> str:
    """A convolution with the flipped weights, from (inputs, outputs of a group) to (all outputs, inputs of a group)."""
    a, weight = c.attrs, c.types[1].shape
    group, spatial = a["group"], weight[2:]
    kernel = f"jnp.flip({c.x[1]}, {tuple(range(2, len(weight)))})"
    moved = f"jnp.swapaxes(jnp.reshape({kernel}, {(group, weight[0] // group, *weight[1:])}), 1, 2)"
    kernel = f"jnp.reshape({moved}, {(group * weight[1], weight[0] // group, *spatial)})"
    reach = [d * (k - 1) for d, k in zip(a["dilations"], spatial, strict=True)]
    sizes = zip(reach, windows.pairs(a["pads"]), a["output_padding"], strict=True)
    pads = tuple((n - low, n - high + more) for n, (low, high), more in sizes)
    window = f"{(1,) * len(spatial)}, {pads}, lhs_dilation={tuple(a['strides'])}"
    return _jax(c, [c.x[0], kernel, *c.x[2:]], window)


def _transpose_tensorflow(c: Call) -> str:
    a, t, w = c.attrs, c.types[0], c.types[1]
    r, groups = t.rank - 2, a["group"]
    x = windows.channels_last(c.x[0], t.rank)
    weight = f"tf.transpose({c.x[1]}, {[*range(2, 2 + r), 1, 0]})"
    if groups > 1:
        xs = c.let(f"tf.split({x}, {groups}, axis=-1)")
        ws = c.let(f"tf.split({weight}, {groups}, axis=-1)")
        parts = [_transposed(c, f"{xs}[{g}]", f"{ws}[{g}]", t.shape, w.shape) for g in range(groups)]
        text = f"tf.concat([{', '.join(parts)}], axis=-1)"
    else:
        text = _transposed(c, x, weight, t.shape, w.shape)
    crop = {1 + i: windows.cropped(a["pads"][i], a["pads"][r + i]) for i in range(r)}
    text = f"{text}{subscript(t.rank, crop)}" if any(a["pads"]) else text
    if len(c.x) > 2:
        text = c.draws.choice(("tf.nn.bias_add({0}, {1})", "({0} + {1})")).format(text, c.x[2])
    return windows.channels_first(text, t.rank)


def _transposed(c: Call, x: str, weight: str, data: Sequence[int], weights: Sequence[int]) -> str:
    """One group, channels last, before the pads are cut off."""
    a, r = c.attrs, len(data) - 2
    full = _full_sizes(data[2:], weights[2:], a)
    if max(a["dilations"]) == 1:
        shape = [data[0], *(n + p for n, p in zip(full, a["output_padding"], strict=True)), weights[1]]
        return f'tf.nn.conv{r}d_transpose({x}, {weight}, {shape}, {list(a["strides"])}, "VALID")'
    # The CPU kernels of the gradients have no dilations: a convolution over the input with zeros between its elements.
    reach = [d * (k - 1) for d, k in zip(a["dilations"], weights[2:], strict=True)]
    x = _interleaved(x, (data[0], *data[2:], data[1] // a["group"]), a["strides"])
    x = windows.tensorflow_padded(
        x, (0, *reach, 0, 0, *(n + p for n, p in zip(reach, a["output_padding"], strict=True)), 0)
    )
    flipped = f"tf.reverse(tf.transpose({weight}, {[*range(r), r + 1, r]}), {list(range(r))})"
    return f'tf.nn.convolution({x}, {flipped}, 1, "VALID", dilations={list(a["dilations"])})'


def _interleaved(x: str, shape: Sequence[int], strides: Sequence[int]) -> str:
    """Channels last: put zeros between the elements of the spatial axes, one axis after the other."""
    sizes = list(shape)
    for axis, stride in enumerate(strides, start=1):
        if stride > 1:
            widths = [[0, stride - 1 if i == axis + 1 else 0] for i in range(len(sizes) + 1)]
            reach, sizes[axis] = stride * (sizes[axis] - 1) + 1, stride * sizes[axis]
            wide = f"tf.reshape(tf.pad(tf.expand_dims({x}, {axis + 1}), {widths}), {sizes})"
            x, sizes[axis] = f"{wide}{subscript(len(sizes), {axis: f':{reach}'})}", reach
    return x


def _sample_transpose(rng: random.Random, first: TensorType) -> Sample | None:
    if not windows.has_windows(first):
        return None
    channels, r = first.shape[1], first.rank - 2
    groups = rng.choice(sampling.factors(channels)) if rng.random() < 0.4 else 1
    kernel = [rng.choice((1, 2, 3)) for _ in range(r)]
    attrs: dict[str, Any] = {
        "strides": tuple(rng.choice((1, 1, 2, 3)) for _ in range(r)),
        "dilations": tuple(rng.choice((1, 1, 1, 1, 2)) for _ in range(r)),
        "group": groups,
    }
    attrs["output_padding"] = tuple(rng.choice((0, 0, s - 1)) for s in attrs["strides"])
    starts = [min(rng.choice((0, 1)), (n - 1) // 2) for n in _full_sizes(first.shape[2:], kernel, attrs)]
    attrs["pads"] = (*starts, *(rng.choice((p, 0)) for p in starts))
    outer = rng.choice((1, 2, 3))
    bias = [(outer * groups,)] if rng.random() < 0.5 else []
    return sampling.operands(first, (channels, outer, *kernel), *bias, **attrs)


def normal_transpose(a: GivenAttrs, x: Types) -> None:
    """Pads computed from the size of the result, where the file has that size instead of pads."""
    spatial, kernel = x[0].shape[2:], x[1].shape[2:]
    padding = a.setdefault("output_padding", (0,) * len(spatial))
    sizes, auto_pad = a.pop("output_shape", None), a.get("auto_pad", "NOTSET")
    if sizes or auto_pad.startswith("SAME"):
        a.pop("auto_pad", None)
        a.pop("pads", None)
    normal_conv(a, x)
    if auto_pad.startswith("SAME") and not sizes:
        sizes = [n * s for n, s in zip(spatial, a["strides"], strict=True)]
    if not sizes:
        return
    demand(len(sizes) == len(padding) == len(spatial), "an output shape of another rank")
    excess = [
        s * (n - 1) + p + d * (k - 1) + 1 - size
        for n, s, p, d, k, size in zip(spatial, a["strides"], padding, a["dilations"], kernel, sizes, strict=True)
    ]
    if min(excess) < 0:
        a["output_padding"] = tuple(p + max(-n, 0) for p, n in zip(padding, excess, strict=True))
        excess = [max(n, 0) for n in excess]
    less, more = [n // 2 for n in excess], [n - n // 2 for n in excess]
    a["pads"] = (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


CONV_ATTRS = attributes(strides="ints", pads="ints", dilations="ints", group=1)

OPS = (
    Op(
        name="Conv",
        inputs=("T", "T", "T"),
        shape=conv_shape,
        numpy=conv,
        error=lambda c: linear_error(c, conv, int(np.prod(c.x[1].shape[1:]))),
        text=spell(
            lambda c: conv_torch(c, c.x, c.types[0].shape[2:], c.types[1].shape),
            tf=lambda c: conv_tensorflow(c, c.x, c.types[0].shape[2:], c.types[1].shape),
            jax=lambda c: conv_jax(c, c.x, c.types[0].shape[2:], c.types[1].shape),
        ),
        sample=_sample_conv,
        attrs=CONV_ATTRS,
        partial=lambda x, a: conv([np.abs(v) for v in x], a),
        adjoint=linear_adjoints.convolution,
        followers="BatchNormalization Add Mul Relu Clip Sigmoid LeakyRelu PRelu Concat Conv MaxPool Slice Reshape",
        normal=normal_conv,
        **facts(min_inputs=2, integer_exact=True, weight=3, fresh=True, data_inputs=1),
    ),
    Op(
        name="ConvTranspose",
        inputs=("T", "T", "T"),
        shape=_transpose_shape,
        numpy=_conv_transpose,
        error=_transpose_error,
        text=spell(_transpose_torch, tf=_transpose_tensorflow, jax=_transpose_jax),
        sample=_sample_transpose,
        attrs=attributes(strides="ints", pads="ints", output_padding="ints", dilations="ints", group=1),
        partial=lambda x, a: _conv_transpose([np.abs(v) for v in x], a),
        adjoint=linear_adjoints.convolution_transpose,
        followers="BatchNormalization Add Relu",
        normal=normal_transpose,
        **facts(min_inputs=2, integer_exact=True, weight=0.7, fresh=True, data_inputs=1),
    ),
)
