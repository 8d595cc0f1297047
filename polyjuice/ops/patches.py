"""Patches of images as columns, and back: Col2Im and im2col."""

from __future__ import annotations

import random

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import convolution, errors, sampling, windows
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import require
from polyjuice.ops.spec import Attr, Call, ErrorContext, Sample, Unsupported, attributes, by_definition
from polyjuice.ops.structural import rearranged, torch_pads
from polyjuice.ops.text import spell
from polyjuice.ops.windows import channels_last, normal_window, spatial_pads

# --- Col2Im ----------------------------------------------------------------------------------------------------------


def _grid(a: Attrs) -> tuple[int, ...]:
    """The number of blocks along each axis of the image."""
    return windows.window_dims(a["image_shape"], a["block_shape"], a["strides"], a["pads"], a["dilations"])


def _col2im(x: Term, a: Attrs) -> Term:
    """A transposed convolution, whose weights put each element of a column into its place in the block."""
    grid, block = _grid(a), tuple(a["block_shape"])
    rows, size = x.shape[1], sampling.total(block)
    require(x.rank == 3 and min(a["pads"]) >= 0 and rows % size == 0 and x.shape[2] == sampling.total(grid))
    weights = np.eye(rows).reshape(rows, rows // size, *block).astype(dtypes.to_numpy(x.dtype))
    window = {name: tuple(a[name]) for name in ("strides", "pads", "dilations")}
    covered = convolution.full_sizes(grid, block, a)
    sides = zip(a["image_shape"], windows.pairs(a["pads"]), covered, strict=True)
    more = tuple(n + sum(pads) - reach for n, pads, reach in sides)
    images = x.reshape(*x.shape[:2], *grid)
    return images.then("ConvTranspose", x.constant(weights), **window, output_padding=more, group=1)


def _col2im_error(c: ErrorContext) -> np.ndarray:
    if not np.isfinite(c.x[0] + c.e[0]).all():  # some texts multiply by zeros
        return np.full(c.y[0].shape, np.inf)
    return errors.weighted_sum(c, c.numpy, sampling.total(c.attrs["block_shape"]))


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
    attrs = {"block_shape": tuple(block), "strides": strides, "pads": (*starts, *ends), "dilations": dilations}
    return sampling.operands(first, image_shape=image, **attrs)


# --- im2col ----------------------------------------------------------------------------------------------------------


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


def _im2col(x: Term, a: Attrs) -> Term:
    elements = windows.gathered(x, *windows.aten_places(x, a), 0.0)
    n, channels, *grid, block = elements.shape
    return elements.permute(0, 1, 4, 2, 3).reshape(n, channels * block, sampling.total(grid))


OPS = (
    composed(
        "Col2Im",
        _col2im,
        spell(_col2im_torch),
        _sample_col2im,
        error=_col2im_error,
        why_not_derived="the zeros among the weights count as terms",
        attrs=(
            Attr("image_shape", "ints", as_input=True),
            Attr("block_shape", "ints", as_input=True),
            Attr("dilations", "ints"),
            Attr("pads", "ints"),
            Attr("strides", "ints"),
        ),
        normal=lambda a, x: normal_window(a, a["image_shape"], a["block_shape"]),
        widen=False,
        partial=by_definition,
        integer_exact=True,
    ),
    rearranged(
        "im2col",
        _im2col,
        spell(
            "F.unfold({0}, {kernel_size}, dilation={dilation}, padding={padding}, stride={stride})",
            tf=_im2col_tensorflow,
        ),
        sampling.alone_with(sampling.of_rank(4, 4)(lambda rng, first: windows.draw_aten_window(rng, first.shape[2:]))),
        attributes(kernel_size="ints", dilation="ints", padding="ints", stride="ints"),
        types={"T": FLOATS},
        error=_im2col_error,
        why_not_derived="some frameworks gather patches by a convolution with zeros, which spreads infinities and NaN",
        filling="0.0",
    ),
)
