"""Convolutions and their transposes, over one to three spatial dimensions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import errors, linear_adjoints, sampling, windows
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Call, ErrorContext, NumpyFn, Op, Sample, Unsupported, attributes, facts
from polyjuice.ops.structural import torch_pads
from polyjuice.ops.text import spell, subscript
from polyjuice.ops.windows import conv, normal_conv

# --- Conv ------------------------------------------------------------------------------------------------------------


def conv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, w = s[0], s[1]
    require(2 < len(x) == len(w) and x[1] == w[1] * a.group and w[0] % a.group == 0)
    require(all(bias == (w[0],) for bias in s[2:]))
    return [Dims((x[0], w[0], *windows.window_dims(x[2:], w[2:], a.strides, a.pads, a.dilations)))]


def _conv_error(c: ErrorContext, apply: NumpyFn, terms: int) -> np.ndarray:
    """The bound of sums of ``terms`` products and a bias. An unknown weight counts even where it meets padding."""
    bound = errors.multilinear(c, lambda x: apply(x, c.attrs), terms + 1)
    return errors.infinite_if(np.isinf(c.e[1]).any(), bound)


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
    dilated_volume = r == 3 and max(dilations) > 1
    padding = '"VALID"'
    if pads == windows.same_pads(spatial, shape[2:], strides, dilations) and not dilated_volume:
        padding = '"SAME"'
    elif r == 2 and any(pads) and min(pads) >= 0 and c.draws.chance(0.5):
        padding = str([[0, 0], *map(list, windows.pairs(pads)), [0, 0]])
    elif any(pads):
        x = windows.tensorflow_padded(x, windows.spatial_pads(pads))
    x = windows.channels_last(x, r + 2)
    weight = f"tf.transpose({weight}, {[*range(2, 2 + r), 1, 0]})"
    simple = min(max(strides), max(dilations)) == 1
    if groups > 1 and shape[1] == 1 and r == 2 and strides[0] == strides[1] and simple and c.draws.chance(0.6):
        filters = f"tf.reshape({weight}, {[*shape[2:], groups, shape[0] // groups]})"
        text = f"tf.nn.depthwise_conv2d({x}, {filters}, {[1, *strides, 1]}, {padding}, dilations={dilations})"
    else:
        one = f"tf.nn.conv{r}d({{0}}, {{1}}, {[1, *strides, 1]}, {padding}, dilations={[1, *dilations, 1]})"
        if dilated_volume:  # tf.nn.conv3d has no dilations on a CPU, and tf.nn.convolution none together with strides
            one = windows.subsampled(f"tf.nn.convolution({{0}}, {{1}}, 1, {padding}, dilations={dilations})", strides)
        text = _by_groups(c, one, x, weight) if r == 3 else one.format(x, weight)
    text = f"tf.nn.bias_add({text}, {bias[0]})" if bias else text
    return windows.channels_first(text, r + 2)


def _by_groups(c: Call, one: str, x: str, weight: str) -> str:
    """TensorFlow, channels last: the text ``one`` of each group, joined."""
    groups = c.attrs["group"]
    if groups == 1:
        return one.format(x, weight)
    xs, ws = (c.let(f"tf.split({v}, {groups}, axis=-1)") for v in (x, weight))
    return f"tf.concat([{', '.join(one.format(f'{xs}[{g}]', f'{ws}[{g}]') for g in range(groups))}], axis=-1)"


def conv_jax(c: Call, operands: Sequence[str], spatial: Sequence[int], shape: Sequence[int]) -> str:
    """The JAX text, as :func:`conv_torch`."""
    return _jax(c, operands, f"{tuple(c.attrs['strides'])}, {windows.pairs(c.attrs['pads'])}")


def _jax(c: Call, operands: Sequence[str], window: str) -> str:
    (x, weight, *bias), a = operands, c.attrs
    rest = f"rhs_dilation={tuple(a['dilations'])}, feature_group_count={a['group']}"
    text = f"lax.conv_general_dilated({x}, {weight}, {window}, {rest})"
    return f"({text} + {bias[0]}.reshape({(-1, *[1] * len(a['strides']))}))" if bias else text


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


def full_sizes(spatial: Sequence[int], kernel: Sequence[int], a: Attrs) -> tuple[int, ...]:
    """The sizes of the area that the windows of all input elements cover."""
    return tuple(
        s * (n - 1) + d * (k - 1) + 1 for n, k, s, d in zip(spatial, kernel, a["strides"], a["dilations"], strict=True)
    )


def _transposed_sizes(spatial: Sequence[int], kernel: Sequence[int], a: Attrs) -> list[int]:
    full, pads = full_sizes(spatial, kernel, a), windows.pairs(a["pads"])
    return [n + more - sum(pair) for n, more, pair in zip(full, a["output_padding"], pads, strict=True)]


_TRANSPOSED = ("strides", "dilations", "pads", "output_padding")


def _transpose_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, w = s[0], s[1]
    r = len(x) - 2
    require(r > 0 and len(w) == len(x) and x[1] == w[0] and x[1] % a.group == 0)
    require(min((*w[2:], *a.strides, *a.dilations), default=1) > 0)
    require(len(a.strides) == len(a.dilations) == len(a.output_padding) == r and len(a.pads) == 2 * r)
    require(all(0 <= p < max(t, d) for p, t, d in zip(a.output_padding, a.strides, a.dilations, strict=True)))
    require(all(bias == (w[1] * a.group,) for bias in s[2:]))
    out = _transposed_sizes(x[2:], w[2:], {name: getattr(a, name) for name in _TRANSPOSED})
    require(min(out) > 0 and min(a.pads) >= 0)
    return [Dims((x[0], w[1] * a.group, *out))]


def _conv_transpose(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """Each element's product with the weights is added up at the places of its window in the result."""
    data, weight, groups = x[0], x[1], a["group"]
    kernel, spatial = weight.shape[2:], data.shape[2:]
    r, inner = len(kernel), weight.shape[0] // groups
    parts = [
        np.moveaxis(np.tensordot(data[:, start : start + inner], weight[start : start + inner], ([1], [0])), 1 + r, 1)
        for start in range(0, weight.shape[0], inner)
    ]
    shape = (data.shape[0], weight.shape[1] * groups, *_transposed_sizes(spatial, kernel, a))
    places = windows.flat_places(shape, kernel, a)[(slice(None), slice(None), *map(slice, spatial))]
    out = windows.added_up(shape, places, np.concatenate(parts, axis=1))
    return out + x[2].reshape(-1, *[1] * r) if len(x) > 2 else out


def _transpose_error(c: ErrorContext) -> np.ndarray:
    """As Conv's; unknown with infinite operands, because some texts multiply them by zeros between the elements."""
    if not all(np.isfinite(v).all() for v in (*c.x, *c.e)):
        return np.full(np.shape(c.y[0]), np.inf)
    return _conv_error(c, _conv_transpose, c.x[1][:, 0].size // c.attrs["group"])


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


def _transpose_tensorflow(c: Call) -> str | Unsupported:
    a, t, w = c.attrs, c.types[0], c.types[1]
    if max(a["dilations"]) > 1:
        return Unsupported("TensorFlow's transposed convolutions have no dilations on CPU")
    r = t.rank - 2
    full = full_sizes(t.shape[2:], w.shape[2:], a)
    shape = [t.shape[0], *(n + p for n, p in zip(full, a["output_padding"], strict=True)), w.shape[1]]
    x = windows.channels_last(c.x[0], t.rank)
    weight = f"tf.transpose({c.x[1]}, {[*range(2, 2 + r), 1, 0]})"
    one = f'tf.nn.conv{r}d_transpose({{0}}, {{1}}, {shape}, {list(a["strides"])}, "VALID")'
    text = _by_groups(c, one, x, weight)
    crop = {1 + i: windows.cropped(*pair) for i, pair in enumerate(windows.pairs(a["pads"]))}
    text = f"{text}{subscript(t.rank, crop)}" if any(a["pads"]) else text
    text = f"tf.nn.bias_add({text}, {c.x[2]})" if len(c.x) > 2 else text
    return windows.channels_first(text, t.rank)


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
    starts = [min(rng.choice((0, 1)), (n - 1) // 2) for n in full_sizes(first.shape[2:], kernel, attrs)]
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
        error=lambda c: _conv_error(c, conv, sampling.total(c.x[1].shape[1:])),
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
