"""Images in JAX's Python: their sizes, samples, patches and places."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.frameworks.jax.windows import pairs
from polyjuice.ops import Call, Texts, Unsupported, windows
from polyjuice.ops.grids import centring_pads
from polyjuice.ops.resizing import nearest_places


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


def _centre_crop_pad(c: Call) -> str:
    widths = tuple((low, high, 0) for low, high in pairs(centring_pads(c.types[0].shape, c.attrs)))
    return f"lax.pad({c.x[0]}, jnp.array(0, {jax_type(c.types[0].dtype)}), {widths})"


def _col2im(c: Call) -> str:
    """The transpose of the function that takes an image apart."""
    a, t = c.attrs, c.results[0]
    window = f"{tuple(a['block_shape'])}, {tuple(a['strides'])}, {pairs(a['pads'])}"
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


IMAGES: Mapping[str, Texts] = {
    "Resize": _resize,
    "GridSample": _grid_sample,
    "CenterCropPad": _centre_crop_pad,
    "Col2Im": _col2im,
    "aten.max_pool2d_with_indices": _max_pool_with_indices,
}
"""The texts by the operator's qualified name."""
