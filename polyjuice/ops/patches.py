"""Patches of images as columns, and back: Col2Im and im2col."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import errors, linear_adjoints, sampling, windows
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Op, Sample, Unsupported, attributes, facts
from polyjuice.ops.structural import moving, reshaped, torch_pads
from polyjuice.ops.text import spell
from polyjuice.ops.windows import channels_last, normal_window, pad_array, spatial_pads

# --- Col2Im ----------------------------------------------------------------------------------------------------------


def _grid(a: Attrs) -> tuple[int, ...]:
    """The number of blocks along each axis of the image."""
    return windows.window_dims(a["image_shape"], a["block_shape"], a["strides"], a["pads"], a["dilations"])


def _col2im_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    grid = windows.window_dims(a.image_shape, a.block_shape, a.strides, a.pads, a.dilations)
    block = sampling.total(a.block_shape)
    require(len(s[0]) == 3 and min(a.pads) >= 0 and s[0][1] % block == 0 and s[0][2] == sampling.total(grid))
    return [Dims((s[0][0], s[0][1] // block, *a.image_shape))]


def _block_places(a: Attrs) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place in a block, with its positions in the padded image for all blocks."""
    grid = _grid(a)
    for place in itertools.product(*map(range, a["block_shape"])):
        yield (
            place,
            tuple(
                slice(k * d, k * d + s * (n - 1) + 1, s)
                for k, d, s, n in zip(place, a["dilations"], a["strides"], grid, strict=True)
            ),
        )


def _col2im(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    r = len(a["image_shape"])
    block = sampling.total(a["block_shape"])
    columns = x[0].reshape(x[0].shape[0], x[0].shape[1] // block, *a["block_shape"], *_grid(a))
    sizes = [n + a["pads"][i] + a["pads"][r + i] for i, n in enumerate(a["image_shape"])]
    image = np.zeros((*columns.shape[:2], *sizes), x[0].dtype)
    whole: tuple[Any, ...] = (slice(None), slice(None))
    for place, spots in _block_places(a):
        image[whole + spots] += columns[whole + place]
    return pad_array(image, spatial_pads([-p for p in a["pads"]]), 0)


def _col2im_error(c: ErrorContext) -> np.ndarray:
    if not np.isfinite(c.x[0] + c.e[0]).all():  # some texts multiply by zeros
        return np.full(c.y[0].shape, np.inf)
    return errors.weighted_sum(c, _col2im, sampling.total(c.attrs["block_shape"]))


def _col2im_torch(c: Call) -> str | Unsupported:
    a = c.attrs
    if len(a["image_shape"]) != 2:
        return Unsupported("Torch folds into images of two dimensions")
    pads = tuple(a["pads"])
    rest = f"{tuple(a['block_shape'])}, dilation={tuple(a['dilations'])}"
    strides = f"stride={tuple(a['strides'])}"
    if windows.is_symmetric(pads):
        return f"F.fold({c.x[0]}, {tuple(a['image_shape'])}, {rest}, padding={pads[:2]}, {strides})"
    sizes = tuple(n + pads[i] + pads[2 + i] for i, n in enumerate(a["image_shape"]))
    return f"F.pad(F.fold({c.x[0]}, {sizes}, {rest}, {strides}), {torch_pads([-p for p in pads])})"


def _col2im_tensorflow(c: Call) -> str | Unsupported:
    """A transposed convolution whose weights put each column's element into its place."""
    a, t, r = c.attrs, c.types[0], len(c.attrs["image_shape"])
    if max(a["dilations"]) > 1 or r > 3:
        return Unsupported("TensorFlow's transposed convolutions have no dilations on CPU")
    block = sampling.total(a["block_shape"])
    channels = t.shape[1] // block
    sizes = [n + a["pads"][i] + a["pads"][r + i] for i, n in enumerate(a["image_shape"])]
    x = channels_last(f"tf.reshape({c.x[0]}, {[*t.shape[:2], *_grid(a)]})", r + 2)
    units = f"tf.reshape(tf.eye({t.shape[1]}, dtype=tf.{t.dtype}), {[channels, *a['block_shape'], t.shape[1]]})"
    weights = f"tf.transpose({units}, {[*range(1, 1 + r), 0, r + 1]})"
    shape = [t.shape[0], *sizes, channels]
    text = f'tf.nn.conv{r}d_transpose({x}, {weights}, {shape}, {list(a["strides"])}, "VALID")'
    text = windows.channels_first(text, r + 2)
    return windows.tensorflow_padded(text, spatial_pads([-p for p in a["pads"]])) if any(a["pads"]) else text


def _col2im_jax(c: Call) -> str:
    """The transpose of the function that takes an image apart."""
    a, t = c.attrs, c.results[0]
    window = f"{tuple(a['block_shape'])}, {tuple(a['strides'])}, {windows.pairs(a['pads'])}"
    taken = f"lax.conv_general_dilated_patches(local_image_, {window}, rhs_dilation={tuple(a['dilations'])})"
    columns = f"{c.x[0]}.reshape({(*c.types[0].shape[:2], *_grid(a))})"
    example = f"jax.ShapeDtypeStruct({t.shape}, jnp.{dtypes.framework_name(t.dtype)})"
    return f"jax.linear_transpose(lambda local_image_: {taken}, {example})({columns})[0]"


@sampling.of_rank(3, 3)
def _sample_col2im(rng: random.Random, first: TensorType) -> Sample:
    """An image for a number of columns: the blocks lie in a grid with as many places."""
    r = rng.choices((1, 2, 3), (1, 8, 1))[0]
    grid = [*sampling.shape_of_size(rng, first.shape[2], r)]
    grid = [1] * (r - len(grid)) + grid
    rest, block = first.shape[1], []
    for _ in range(r):
        block.append(rng.choice([f for f in sampling.factors(rest) if f <= 3]))
        rest //= block[-1]
    strides = tuple(rng.choice((1, 1, 2)) for _ in range(r))
    dilations = tuple(2 if rng.random() < 0.1 else 1 for _ in range(r))
    reach = [s * (n - 1) + d * (k - 1) + 1 for s, n, d, k in zip(strides, grid, dilations, block, strict=True)]
    starts = [rng.choice((0, 1)) if n > 2 and k > 1 else 0 for n, k in zip(reach, block, strict=True)]
    ends = [p if rng.random() < 0.7 else 0 for p in starts]
    image = tuple(n - p - q for n, p, q in zip(reach, starts, ends, strict=True))
    return Sample(
        (),
        {
            "image_shape": image,
            "block_shape": tuple(block),
            "strides": strides,
            "pads": (*starts, *ends),
            "dilations": dilations,
        },
    )


# --- im2col ----------------------------------------------------------------------------------------------------------


def _im2col_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(s[0]) == 4 and min(a.padding) >= 0)
    grid = windows.window_dims(s[0][2:], a.kernel_size, a.stride, (*a.padding, *a.padding), a.dilation)
    return [Dims((s[0][0], s[0][1] * sampling.total(a.kernel_size), sampling.total(grid)))]


def _im2col_error(c: ErrorContext) -> object:
    if not np.isfinite(c.x[0] + c.e[0]).all():
        return np.full(c.y[0].shape, np.inf)
    return errors.moved(c)


def _im2col_tensorflow(c: Call) -> str:
    """Image patches, whose channels stand behind the places in the patch."""
    a, shape = c.attrs, c.types[0].shape
    x = windows.tensorflow_padded(c.x[0], spatial_pads((*a["padding"], *a["padding"])))
    sizes, strides, rates = ([1, *a[name], 1] for name in ("kernel_size", "stride", "dilation"))
    text = f'tf.image.extract_patches({channels_last(x, 4)}, {sizes}, {strides}, {rates}, "VALID")'
    block, places = sampling.total(a["kernel_size"]), c.results[0].shape[2]
    text = f"tf.transpose(tf.reshape({text}, {[shape[0], places, block, shape[1]]}), [0, 3, 2, 1])"
    return f"tf.reshape({text}, {list(c.results[0].shape)})"


def _im2col_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    pads = spatial_pads((*a["padding"], *a["padding"]))
    data = b.op("Pad", x[0], pads=pads, value=0.0, mode="constant") if any(pads) else x[0]
    n, channels, *spatial = b.types[data].shape
    window = {
        "image_shape": tuple(spatial),
        "block_shape": a["kernel_size"],
        "strides": a["stride"],
        "pads": (0,) * 4,
        "dilations": a["dilation"],
    }
    parts = []
    for _, spots in _block_places(window):
        starts, ends, steps = zip(*((s.start, s.stop, s.step) for s in spots), strict=True)
        part = b.op("Slice", data, starts=starts, ends=ends, axes=(2, 3), steps=steps)
        parts.append(b.op("Unsqueeze", part, axes=(2,)))
    joined = b.op("Concat", *parts, axis=2) if len(parts) > 1 else parts[0]
    shape = (n, channels * sampling.total(a["kernel_size"]), sampling.total(_grid(window)))
    return reshaped(b, joined, shape)


OPS = (
    Op(
        name="Col2Im",
        shape=_col2im_shape,
        numpy=_col2im,
        error=_col2im_error,
        text=spell(_col2im_torch, tf=_col2im_tensorflow, jax=_col2im_jax),
        sample=_sample_col2im,
        attrs=(
            Attr("image_shape", "ints", as_input=True),
            Attr("block_shape", "ints", as_input=True),
            Attr("dilations", "ints"),
            Attr("pads", "ints"),
            Attr("strides", "ints"),
        ),
        partial=lambda x, a: _col2im([np.abs(x[0])], a),
        adjoint=linear_adjoints.col2im,
        normal=lambda a, x: normal_window(a, a["image_shape"], a["block_shape"]),
        **facts(integer_exact=True),
    ),
    moving(
        "im2col",
        _im2col_shape,
        spell(
            "F.unfold({0}, {kernel_size}, dilation={dilation}, padding={padding}, stride={stride})",
            tf=_im2col_tensorflow,
        ),
        sampling.alone_with(sampling.of_rank(4, 4)(lambda rng, first: windows.draw_aten_window(rng, first.shape[2:]))),
        attributes(kernel_size="ints", dilation="ints", padding="ints", stride="ints"),
        types={"T": FLOATS},
        definition=_im2col_definition,
        error=_im2col_error,
        why_not_derived="some frameworks gather patches by a convolution with zeros, which spreads infinities and NaN",
        filling="0.0",
    ),
)
