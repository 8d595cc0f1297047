"""Windows, images and quantized numbers in JAX's Python."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.ir import dtypes
from polyjuice.ops import Call, Texts, Unsupported, windows
from polyjuice.ops.grids import centring_pads
from polyjuice.ops.resizing import nearest_places

Pairs = tuple[tuple[int, int], ...]


def _pairs(pads: Sequence[int]) -> Pairs:
    """ONNX's pads, first all at the beginning, as a pair for each axis."""
    half = len(pads) // 2
    return tuple(zip(pads[:half], pads[half:], strict=True))


def per_channel(c: Call, i: int) -> str:
    """An operand of a number for each channel, in a shape that broadcasts to the first operand."""
    return f"{c.x[i]}.reshape({(-1, *[1] * (c.types[0].rank - 2))})"


def _missing(c: Call, sizes: Sequence[int]) -> Pairs:
    """The padding at the end that the last windows need beyond these sizes (ONNX's ``ceil_mode``)."""
    a = c.attrs
    parts = zip(c.results[0].shape[2:], a["strides"], a["dilations"], a["kernel_shape"], sizes, strict=True)
    return tuple((0, max((out - 1) * s + d * (k - 1) + 1 - size, 0)) for out, s, d, k, size in parts)


def _window(c: Call, x: str, start: str, function: str, pads: Pairs) -> str:
    a = c.attrs
    kernel, strides, dilations = ((1, 1, *a[name]) for name in ("kernel_shape", "strides", "dilations"))
    around = ((0, 0), (0, 0), *pads)
    start = f"jnp.array({start}, {jax_type(c.types[0].dtype)})"
    return f"lax.reduce_window({x}, {start}, {function}, {kernel}, {strides}, {around}, window_dilation={dilations})"


def _max_pool(c: Call) -> str:
    t, pads = c.types[0], _pairs(c.attrs["pads"])
    begun = [low + size for (low, _), size in zip(pads, t.shape[2:], strict=True)]
    around = tuple((low, more) for (low, _), (_, more) in zip(pads, _missing(c, begun), strict=True))
    lowest = "-jnp.inf" if dtypes.is_float(t.dtype) else str(np.iinfo(dtypes.to_numpy(t.dtype)).min)
    return _window(c, c.x[0], lowest, "lax.max", around)


def _padded_sums(c: Call, x: str) -> str:
    pads = _pairs(c.attrs["pads"])
    sizes = [low + size + high for (low, high), size in zip(pads, c.types[0].shape[2:], strict=True)]
    padded = f"jnp.pad({x}, {((0, 0), (0, 0), *pads)})"
    return _window(c, padded, "0.0", "lax.add", _missing(c, sizes))


def _average_pool(c: Call) -> str:
    t, pads = c.types[0], _pairs(c.attrs["pads"])
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


# --- images ----------------------------------------------------------------------------------------------------------


def _resize(c: Call) -> str | Unsupported:
    a, shape = c.attrs, c.types[0].shape
    by_centres = a["coordinate_transformation_mode"] == "half_pixel"
    if a["mode"] == "nearest":
        if by_centres and a["nearest_mode"] == "round_prefer_ceil" and not a["scales"] and c.draws.chance(0.5):
            return f'jax.image.resize({c.x[0]}, {tuple(a["sizes"])}, "nearest")'
        text = c.x[0]
        for axis, line in nearest_places(shape, a).items():
            text = f"jnp.take({text}, jnp.array({line}), axis={axis})"
        return text
    if a["mode"] != "linear" or not by_centres:
        return Unsupported("JAX's resizing is linear, and by pixel centres")
    if not a["scales"]:
        return f'jax.image.resize({c.x[0]}, {tuple(a["sizes"])}, "linear", antialias=False)'
    axes = tuple(axis for axis, scale in enumerate(a["scales"]) if scale != 1)
    scales = f"jnp.array({[a['scales'][axis] for axis in axes]}, {jax_type(c.types[0].dtype)})"
    places = f'{tuple(a["sizes"])}, {axes}, {scales}, jnp.zeros({len(axes)}), "linear"'
    return f"jax.image.scale_and_translate({c.x[0]}, {places}, antialias=False)"


def _grid_sample(c: Call) -> str | Unsupported:
    a = c.attrs
    if a["mode"] == "bicubic":
        return Unsupported("JAX samples images by the nearest element, or linearly")
    pixel = "({0} + 1) * {1} / 2" if a["align_corners"] else "(({0} + 1) * {1} - 1) / 2"
    sizes = [size - a["align_corners"] for size in c.types[0].shape[2:]]
    rows, columns = (pixel.format(f"{c.x[1]}[..., {i}]", size) for i, size in zip((1, 0), sizes, strict=True))
    style = f'order={int(a["mode"] != "nearest")}, mode="{"nearest" if a["padding_mode"] == "border" else "constant"}"'
    sampled = f"jax.scipy.ndimage.map_coordinates(local_plane_, local_places_, {style})"
    planes = f"lambda local_image_, *local_places_: jax.vmap(lambda local_plane_: {sampled})(local_image_)"
    return f"jax.vmap({planes})({c.x[0]}, {rows}, {columns})"


def _col2im(c: Call) -> str:
    """The transpose of the function that takes an image apart."""
    a, t = c.attrs, c.results[0]
    window = f"{tuple(a['block_shape'])}, {tuple(a['strides'])}, {_pairs(a['pads'])}"
    taken = f"lax.conv_general_dilated_patches(local_image_, {window}, rhs_dilation={tuple(a['dilations'])})"
    grid = windows.window_dims(a["image_shape"], a["block_shape"], a["strides"], a["pads"], a["dilations"])
    columns = f"{c.x[0]}.reshape({(*c.types[0].shape[:2], *grid)})"
    example = f"jax.ShapeDtypeStruct({t.shape}, {jax_type(t.dtype)})"
    return f"jax.linear_transpose(lambda local_image_: {taken}, {example})({columns})[0]"


def _max_pool_with_indices(c: Call) -> str:
    """Each window's elements, by their places in the padded image, and the place of the greatest one."""
    a, t = c.attrs, c.types[0]
    around, lines = [], []
    sizes = zip(t.shape[2:], c.results[0].shape[2:], a["kernel_size"], a["padding"], a["dilation"], strict=True)
    for (size, out, kernel, pad, dilation), stride in zip(sizes, a["stride"] or a["kernel_size"], strict=True):
        around.append((pad, max((out - 1) * stride + dilation * (kernel - 1) + 1 - size - pad, 0)))
        lines.append(f"jnp.arange({out})[:, None] * {stride} + jnp.arange({kernel}) * {dilation}")
    index = (
        f"[:, :, ({lines[0]})[:, None, :, None], ({lines[1]})[None, :, None, :]].reshape({(*c.results[0].shape, -1)})"
    )
    image = f"jnp.arange({t.shape[2] * t.shape[3]}).reshape({(1, 1, *t.shape[2:])})"
    padded = f"jnp.pad({c.x[0]}, {((0, 0), (0, 0), *around)}, constant_values=-jnp.inf)"
    places = f"jnp.pad(jnp.broadcast_to({image}, {t.shape}), {((0, 0), (0, 0), *around)})"
    elements = c.let(f"{padded}{index}")
    best = c.let(f"jnp.argmax({elements}, axis=-1, keepdims=True)")
    taken = "jnp.take_along_axis({0}, {1}, axis=-1)[..., 0]"
    return f"({taken.format(elements, best)}, {taken.format(f'{places}{index}', best)})"


def _matmul_integer(c: Call) -> str:
    rows = (-1, 1) if len(c.types) > 2 and c.types[2].rank == 1 and c.types[2].size > 1 else None
    x = [f"{text}.astype(jnp.int32)" for text in c.x]
    zeros = [f"{text}.reshape({rows})" if rows and i == 0 else text for i, text in enumerate(x[2:])]
    left, right = (f"({a} - {b})" if b else a for a, b in itertools.zip_longest(x[:2], zeros))
    return f"{left} @ {right}"


def _centre_crop_pad(c: Call) -> str:
    widths = tuple((low, high, 0) for low, high in _pairs(centring_pads(c.types[0].shape, c.attrs)))
    return f"lax.pad({c.x[0]}, jnp.array(0, {jax_type(c.types[0].dtype)}), {widths})"


WINDOWS: Mapping[str, Texts] = {
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "LpPool": lambda c: _root(_padded_sums(c, _power(c.x[0], c.attrs["p"])), c.attrs["p"]),
    "GlobalAveragePool": lambda c: f"jnp.mean({c.x[0]}, {_over_space(c)})",
    "GlobalMaxPool": lambda c: f"jnp.max({c.x[0]}, {_over_space(c)})",
    "GlobalLpPool": _global_lp_pool,
    "LRN": _lrn,
    "Resize": _resize,
    "GridSample": _grid_sample,
    "CenterCropPad": _centre_crop_pad,
    "Col2Im": _col2im,
    "aten.max_pool2d_with_indices": _max_pool_with_indices,
    "MatMulInteger": _matmul_integer,
}
"""The texts by the operator's qualified name."""
