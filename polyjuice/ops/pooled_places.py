"""ATen's max pooling with the index of each maximum."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling, windows
from polyjuice.ops.pooling import greatest_error, pool_windows
from polyjuice.ops.reductions import extreme_unsure
from polyjuice.ops.shapes import Dims, ShapeMismatch
from polyjuice.ops.spec import Attr, Call, ErrorContext, Op, SpecialValues, Unsupported

_RANK = 2


def _window(a: Mapping[str, Any]) -> dict[str, Any]:
    """ONNX's attributes of the window; without strides the windows lie side by side."""
    return {
        "kernel_shape": tuple(a["kernel_size"]),
        "strides": tuple(a["stride"]) or tuple(a["kernel_size"]),
        "pads": (*a["padding"], *a["padding"]),
        "dilations": tuple(a["dilation"]),
        "ceil_mode": a["ceil_mode"],
    }


def _shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    names = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    w = _window({name: getattr(a, name) for name in names})
    if len(s[0]) != _RANK + 2 or any(not 0 <= 2 * p <= k for p, k in zip(a.padding, a.kernel_size, strict=True)):
        raise ShapeMismatch(f"max_pool2d_with_indices of {tuple(s[0])} with padding {tuple(a.padding)}")
    sizes = windows.window_dims(s[0][2:], w["kernel_shape"], w["strides"], w["pads"], w["dilations"], w["ceil_mode"])
    return [Dims((*s[0][:2], *sizes))] * 2


def _flat_windows(x: np.ndarray, a: Attrs, value: float) -> np.ndarray:
    """The elements of each window along the last axis; the padding has ``value``."""
    found = pool_windows(x, _window(a), value)
    return found.reshape(*found.shape[:-_RANK], -1)


def _pooled(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray]:
    elements = _flat_windows(x[0], a, -np.inf)
    places = np.arange(x[0].shape[2] * x[0].shape[3]).reshape(1, 1, *x[0].shape[2:])
    at = np.argmax(elements, axis=-1, keepdims=True)
    index = np.take_along_axis(np.broadcast_to(_flat_windows(places, a, -1), elements.shape), at, -1)
    return np.take_along_axis(elements, at, -1)[..., 0], index[..., 0]


def _error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """The greatest error in a window. The index is open among equal elements, because ATen does not define it."""
    value = greatest_error(c, lambda x, a: _pooled(x, a)[0])
    elements = _flat_windows(np.asarray(c.x[0], np.float64), c.attrs, -np.inf)
    moved = _flat_windows(np.broadcast_to(c.e[0], c.x[0].shape).astype(np.float64), c.attrs, 0.0)
    return value, np.where(extreme_unsure(elements, moved, -1, False, False), np.inf, 0.0)


def _torch(c: Call) -> str:
    a = c.attrs
    stride = tuple(a["stride"]) or tuple(a["kernel_size"])
    window = f"{tuple(a['kernel_size'])}, stride={stride}, padding={tuple(a['padding'])}, "
    window += f"dilation={tuple(a['dilation'])}, ceil_mode={bool(a['ceil_mode'])}"
    forms = (
        f"F.max_pool2d({c.x[0]}, {window}, return_indices=True)",
        f"F.max_pool2d_with_indices({c.x[0]}, {window})",
        f"torch.nn.MaxPool2d({window}, return_indices=True)({c.x[0]})",
    )
    return c.draws.choice(forms)


def _draw(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank != _RANK + 2 or 0 in first.shape:
        return None
    drawn = windows.draw_window(rng, first.shape[2:], dilate=True)
    ceil = rng.random() < 0.5 and not windows.drops_windows(first.shape[2:], {**drawn, "pads": drawn["pads"][:2] * 2})
    return {
        "kernel_size": drawn["kernel_shape"],
        "stride": drawn["strides"],
        "padding": drawn["pads"][:2],
        "dilation": drawn["dilations"],
        "ceil_mode": int(ceil),
    }


OPS = (
    Op(
        name="max_pool2d_with_indices",
        results=("T", "int64"),
        shape=_shape,
        numpy=_pooled,
        error=_error,
        torch=_torch,
        tensorflow=Unsupported("TensorFlow's indices count through the channels"),
        definition=Unsupported("ONNX's indices count through the batch and the channels"),
        sample=sampling.alone_with(_draw),
        attrs=(
            Attr("kernel_size", "ints"),
            Attr("stride", "ints", ()),
            Attr("padding", "ints", (0, 0)),
            Attr("dilation", "ints", (1, 1)),
            Attr("ceil_mode", "int", 0),
        ),
        integer_exact=True,
        continuous=False,
        ties="unspecified",
        limits=SpecialValues.NOWHERE,
        weight=0.8,
        picks=True,
    ),
)
