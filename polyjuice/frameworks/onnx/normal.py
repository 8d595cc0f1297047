"""The normal form of an operator's attributes: all explicit, axes counted from the front, shapes concrete.

ONNX has many ways to write the same application. Graphs from foreign files all use one, so that a rule need not know
the others.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import defs, helper

from polyjuice.frameworks.onnx.versions import schema_of
from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import TABLE, AttrView, Dims, Op, complete_attrs
from polyjuice.ops.inference import TRIED
from polyjuice.ops.resizing import TRANSFORMATIONS, scaled_size
from polyjuice.ops.shapes import normalize_axis, slice_bounds


class NotCovered(Exception):
    """The operator's entry does not cover this use of it; the node stays opaque."""


_Attrs = dict[str, Any]
_Types = Sequence[TensorType]

#: A rule rewrites attributes in place, for operands of known types.
_Rule = Callable[[_Attrs, _Types], None]


def normal_attrs(op: Op, attrs: Mapping[str, Any], operands: Sequence[TensorType], results: int) -> Attrs:
    """The normal form of ``attrs``, which has ONNX's attributes and constant inputs by name.

    Raises NotCovered where the entry does not cover this use, or the form depends on an unknown size. Raises
    TypeMismatch or ShapeMismatch where it is ill-typed.
    """
    if all(t.known for t in operands):
        return _normal_attrs(op, attrs, operands, results)
    form, other = (_normal_attrs(op, attrs, [t.with_size(size) for t in operands], results) for size in TRIED)
    _demand(dict(form) == dict(other), "an attribute depends on an unknown size")
    return form


def _normal_attrs(op: Op, attrs: Mapping[str, Any], operands: Sequence[TensorType], results: int) -> Attrs:
    present = {name: value for name, value in attrs.items() if value is not None and not _is_spare(op, name, value)}
    if is_normalized(op):
        try:
            for name, usual in _IGNORED.get(op.qualified, {}).items():
                value = present.pop(name, usual)
                _demand(usual is None or value == usual, f"another {name} than {usual}")
            if op.qualified in _AXES:
                rank = operands[0].rank + (op.name == "OneHot")
                present["axis"] = normalize_axis(present.get("axis", _AXES[op.name]), rank)
            if op.qualified == "Split":
                present.setdefault("num_outputs", results)
            if op.qualified in _RULES:
                _RULES[op.qualified](present, operands)
        except IndexError:
            raise NotCovered("an operand lacks a dimension") from None
        except KeyError as error:
            raise NotCovered(f"there is no attribute {error}") from None
    return complete_attrs(op, present)


def _is_spare(op: Op, name: str, value: Any) -> bool:
    """Whether the entry lacks an attribute that has ONNX's default, with which the operator means the entry's."""
    schema = None if op.domain else schema_of(op.name, defs.onnx_opset_version())
    if schema is None or name not in schema.attributes or any(attr.name == name for attr in op.attrs):
        return False
    default = schema.attributes[name].default_value
    usual = helper.get_attribute_value(default) if default.name else None
    return bool(value == (usual.decode() if isinstance(usual, bytes) else usual))


SATURATES = {"float8e4m3fn": 1, "float8e5m2": 0}
"""The value of ``saturate`` with which ONNX's Cast means the same as the table's."""


def _demand(condition: bool, why: str) -> None:
    if not condition:
        raise NotCovered(why)


def _flatten(a: _Attrs, x: _Types) -> None:
    axis = a.get("axis", 1)
    a["axis"] = axis if axis == x[0].rank else normalize_axis(axis, x[0].rank)


def _reshape(a: _Attrs, x: _Types) -> None:
    a.setdefault("allowzero", 0)
    a["shape"] = tuple(TABLE["", "Reshape"].shape([Dims(x[0].shape)], AttrView(a))[0])
    a["allowzero"] = int(0 in a["shape"])


def _expand(a: _Attrs, x: _Types) -> None:
    a["shape"] = tuple(Dims(x[0].shape).broadcast(Dims(a["shape"])))


def _squeeze(a: _Attrs, x: _Types) -> None:
    axes = a.get("axes", [i for i, size in enumerate(x[0].shape) if size == 1])
    a["axes"] = _sorted_axes(axes, x[0].rank)


def _sorted_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple(sorted({normalize_axis(axis, rank) for axis in axes}))


def _reduce(a: _Attrs, x: _Types) -> None:
    axes = a.get("axes", ())
    if axes or not a.get("noop_with_empty_axes", 0):
        a["noop_with_empty_axes"] = 0
        a["axes"] = _sorted_axes(axes or range(x[0].rank), x[0].rank)


def _split(a: _Attrs, x: _Types) -> None:
    """``num_outputs`` parts of equal size; the last may be smaller."""
    count = a.pop("num_outputs")
    if "split" not in a:
        size = x[0].shape[a["axis"]]
        part = -(-size // count)
        _demand(part * (count - 1) <= size, "more outputs than elements")
        a["split"] = (*(part for _ in range(count - 1)), size - part * (count - 1))


def _slice(a: _Attrs, x: _Types) -> None:
    """Axes in order, bounds inside the axis (a backward slice through the first element ends at -size-1)."""
    starts, ends = a.get("starts", ()), a.get("ends", ())
    axes = [normalize_axis(axis, x[0].rank) for axis in a.get("axes", range(len(starts)))]
    steps = a.get("steps", (1,) * len(starts))
    _demand(len(starts) == len(ends) == len(axes) == len(steps), "bounds of different lengths")
    _demand(len(set(axes)) == len(axes), "an axis occurs twice")
    cuts = []
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        size = x[0].shape[axis]
        first, stop, step = slice_bounds(start, end, step, size)
        if not range(first, stop, step):
            first = stop = 0
        cuts.append((axis, first, -size - 1 if stop < 0 else stop, step))
    cuts.sort()
    for i, name in enumerate(("axes", "starts", "ends", "steps")):
        a[name] = tuple(cut[i] for cut in cuts)


def _pad(a: _Attrs, x: _Types) -> None:
    mode = a.setdefault("mode", "constant")
    _demand(mode in ("constant", "reflect", "edge", "wrap"), f"the padding mode {mode}")
    if mode != "constant":
        a["value"] = 0.0
    rank = x[0].rank
    axes = [normalize_axis(axis, rank) for axis in a.pop("axes", range(rank))]
    _demand(len(a["pads"]) == 2 * len(axes) and len(set(axes)) == len(axes), "pads that do not fit the axes")
    pads = [0] * (2 * rank)
    for i, axis in enumerate(axes):
        pads[axis], pads[rank + axis] = a["pads"][i], a["pads"][len(axes) + i]
    a["pads"] = tuple(pads)


def _cast(a: _Attrs, x: _Types) -> None:
    """Drop rounding modes, which concern a type that the IR lacks. Saturation matters only for 8-bit floating types."""
    saturates = int(a.pop("saturate", 1))
    _demand(saturates == SATURATES.get(a["to"], saturates), "a cast with another treatment of large numbers")


def _conv(a: _Attrs, x: _Types) -> None:
    kernel = x[1].shape[2:]
    _demand(a.pop("kernel_shape", kernel) == kernel, "a kernel shape that is not the weights'")
    _window(a, x[0].shape[2:], kernel)


def _conv_transpose(a: _Attrs, x: _Types) -> None:
    """Pads computed from the size of the result, where the file has that size instead of pads."""
    spatial, kernel = x[0].shape[2:], x[1].shape[2:]
    padding = a.setdefault("output_padding", (0,) * len(spatial))
    sizes, auto_pad = a.pop("output_shape", None), a.get("auto_pad", "NOTSET")
    if sizes or auto_pad.startswith("SAME"):
        a.pop("auto_pad", None)
        a.pop("pads", None)
    _conv(a, x)
    if auto_pad.startswith("SAME") and not sizes:
        sizes = [n * s for n, s in zip(spatial, a["strides"], strict=True)]
    if not sizes:
        return
    _demand(len(sizes) == len(padding) == len(spatial), "an output shape of another rank")
    excess = [
        s * (n - 1) + p + d * (k - 1) + 1 - size
        for n, s, p, d, k, size in zip(spatial, a["strides"], padding, a["dilations"], kernel, sizes, strict=True)
    ]
    if min(excess) < 0:
        a["output_padding"] = tuple(p + max(-n, 0) for p, n in zip(padding, excess, strict=True))
        excess = [max(n, 0) for n in excess]
    less, more = [n // 2 for n in excess], [n - n // 2 for n in excess]
    a["pads"] = (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


def _col2im(a: _Attrs, x: _Types) -> None:
    rank = len(a["image_shape"])
    for name, count, value in (("dilations", rank, 1), ("pads", 2 * rank, 0), ("strides", rank, 1)):
        a.setdefault(name, (value,) * count)


def _average_pool(a: _Attrs, x: _Types) -> None:
    """ONNX's versions define the divisor differently where a window is rounded up."""
    _demand(a.get("ceil_mode", 0) == 0, "ceil_mode")
    _window(a, x[0].shape[2:], a["kernel_shape"])


def _window(a: dict[str, Any], spatial: Sequence[int], kernel: Sequence[int]) -> None:
    """Explicit strides, dilations and pads, instead of defaults and ``auto_pad``."""
    rank = len(spatial)
    strides = a.setdefault("strides", (1,) * rank)
    dilations = a.setdefault("dilations", (1,) * rank)
    _demand(len(kernel) == len(strides) == len(dilations) == rank, "a window of another rank")
    auto_pad = a.pop("auto_pad", "NOTSET")
    pads = a.setdefault("pads", (0,) * (2 * rank))
    if auto_pad == "NOTSET":
        return
    _demand(auto_pad in ("VALID", "SAME_UPPER", "SAME_LOWER"), f"auto_pad {auto_pad}")
    _demand(not any(pads) and not a.get("ceil_mode", 0), "auto_pad beside pads or ceil_mode")
    if auto_pad != "VALID":
        missing = [
            max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
            for size, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
        ]
        less, more = [m // 2 for m in missing], [m - m // 2 for m in missing]
        a["pads"] = (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


def _scaled(a: _Attrs, x: _Types) -> None:
    """Quantization: the axis matters only where each place along it has a scale."""
    a["axis"] = normalize_axis(a.get("axis", 1), x[0].rank) if x[1].size > 1 else 1


def _resize(a: _Attrs, x: _Types) -> None:
    """The sizes of all axes, and their scales where those differ from the ratios of the sizes."""
    shape, rank = x[0].shape, x[0].rank
    axes = [normalize_axis(axis, rank) for axis in a.pop("axes", range(rank))]
    scales, sizes = a.pop("scales", ()), a.get("sizes", ())
    _demand(len(scales or sizes) == len(axes), "neither sizes nor scales")
    if scales:
        sizes = [scaled_size(shape[axis], s) for axis, s in zip(axes, scales, strict=True)]
        _demand(None not in sizes, "scales that lead to no certain size")
        ratios = [np.float32(size / shape[axis]) for axis, size in zip(axes, sizes, strict=True) if shape[axis]]
        if ratios != [np.float32(s) for s in scales]:
            _demand(a.get("coordinate_transformation_mode") != "align_corners", "corners aligned by scales")
            a["scales"] = tuple(dict(zip(axes, scales, strict=True)).get(axis, 1.0) for axis in range(rank))
    a["sizes"] = tuple(dict(zip(axes, sizes, strict=True)).get(axis, size) for axis, size in enumerate(shape))
    transformation = a.setdefault("coordinate_transformation_mode", "half_pixel")
    if transformation == "pytorch_half_pixel":
        _demand(all(n > 1 or n == size for n, size in zip(a["sizes"], shape, strict=True)), "an axis of one element")
        a["coordinate_transformation_mode"] = transformation = "half_pixel"
    _demand(transformation in TRANSFORMATIONS, f"the coordinate transformation {transformation}")
    mode = a.setdefault("mode", "nearest")
    _demand(mode in ("nearest", "linear", "cubic"), f"the mode {mode}")
    if mode != "nearest":
        a.pop("nearest_mode", None)
    if mode != "cubic":
        a.pop("cubic_coeff_a", None)
        _demand(a.get("exclude_outside", 0) == 0, "edges excluded in another mode than cubic")


def _grid_sample(a: _Attrs, x: _Types) -> None:
    mode = a.setdefault("mode", "bilinear")
    a["mode"] = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)  # their names from opset 20 on
    _demand(a.get("padding_mode", "zeros") in ("zeros", "border"), "reflection at the border")


def _center_crop_pad(a: _Attrs, x: _Types) -> None:
    a["axes"] = tuple(normalize_axis(axis, x[0].rank) for axis in a.get("axes", range(x[0].rank)))
    _demand(len(set(a["axes"])) == len(a["axes"]), "an axis occurs twice")


def _eye_like(a: _Attrs, x: _Types) -> None:
    _demand(a.setdefault("dtype", x[0].dtype) != "bfloat16", "a type that opset 18 lacks")


def _scatter_nd(a: _Attrs, x: _Types) -> None:
    _demand(a.get("reduction", "none") == "none" or x[0].dtype != "bool", "a reduction of truth values")


def _lp_normalization(a: _Attrs, x: _Types) -> None:
    _demand(a.get("p", 2) in (1, 2), f"the norm of order {a.get('p')}")


def _einsum(a: _Attrs, x: _Types) -> None:
    """The explicit form, without spaces, with an index for each dimension behind an ellipsis."""
    inputs, arrow, output = str(a["equation"]).replace(" ", "").partition("->")
    terms = inputs.split(",")
    _demand(len(terms) == len(x), "another number of operands than the equation has")
    letters = inputs.replace("...", "").replace(",", "")
    if not arrow:
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        output = ("..." if "..." in inputs else "") + "".join(once)
    if "..." in inputs:
        shapes = {_behind_ellipsis(term, t) for term, t in zip(terms, x, strict=True) if "..." in term}
        _demand(len(shapes) == 1, "dimensions behind an ellipsis that broadcast")
        free = [letter for letter in string.ascii_letters if letter not in letters]
        named = "".join(free[: len(shapes.pop())])
        terms, output = [term.replace("...", named) for term in terms], output.replace("...", named)
    a["equation"] = f"{','.join(terms)}->{output}"


def _behind_ellipsis(term: str, t: TensorType) -> tuple[int, ...]:
    """The sizes of the dimensions that the ellipsis of a term stands for."""
    before, _, after = term.partition("...")
    _demand(len(before) + len(after) <= t.rank, "more indices than dimensions")
    return t.shape[len(before) : t.rank - len(after)]


def _dft(a: _Attrs, x: _Types) -> None:
    size = x[0].shape[a["axis"]]
    a.setdefault("dft_length", 2 * (size - 1) if a.get("inverse") and a.get("onesided") else size)


def _mod(a: _Attrs, x: _Types) -> None:
    floating = dtypes.is_float(x[0].dtype)
    _demand(not floating or a.get("fmod", 0) == 1, "a floating remainder with the sign of the divisor")
    a["fmod"] = int(a.get("fmod", 0) != 0)


def _shrink(a: _Attrs, x: _Types) -> None:
    whole = all(float(a.get(name, default)).is_integer() for name, default in (("bias", 0.0), ("lambd", 0.5)))
    _demand(whole or dtypes.is_float(x[0].dtype), "integers beside a limit that is none")


def _is_inf(a: _Attrs, x: _Types) -> None:
    for name in ("detect_negative", "detect_positive"):
        a[name] = int(a.get(name, 1) != 0)


_AXES = {
    **dict.fromkeys(("ArgMax", "ArgMin", "Concat", "Gather", "GatherElements", "ScatterElements", "Split"), 0),
    **dict.fromkeys(("Hardmax", "LayerNormalization", "LogSoftmax", "LpNormalization", "OneHot"), -1),
    **dict.fromkeys(("RMSNormalization", "Softmax", "TopK"), -1),
    **dict.fromkeys(("DFT", "TensorScatter"), -2),
}
"""The default of the attribute axis, by operator."""

_IGNORED: Mapping[str, Mapping[str, Any]] = {
    "BatchNormalization": {"momentum": None},
    "Cast": {"round_mode": None},
    "Dropout": {"seed": None},
    "Resize": {"roi": None, "extrapolation_value": None},
}
"""Attributes that entries lack, and the only value of each that they cover beside ONNX's default (None: any)."""

_RULES: dict[str, _Rule] = {
    "AveragePool": _average_pool,
    "Cast": _cast,
    "CenterCropPad": _center_crop_pad,
    "Col2Im": _col2im,
    "Conv": _conv,
    "ConvInteger": _conv,
    "ConvTranspose": _conv_transpose,
    "DeformConv": _conv,
    **dict.fromkeys(("CumProd", "CumSum"), lambda a, x: a.update(axis=normalize_axis(a["axis"], x[0].rank))),
    "DFT": _dft,
    "Einsum": _einsum,
    "DequantizeLinear": _scaled,
    "Expand": _expand,
    "Flatten": _flatten,
    "EyeLike": _eye_like,
    "IsInf": _is_inf,
    "GridSample": _grid_sample,
    "LpNormalization": _lp_normalization,
    "LpPool": lambda a, x: _window(a, x[0].shape[2:], a["kernel_shape"]),
    "MaxPool": lambda a, x: _window(a, x[0].shape[2:], a["kernel_shape"]),
    "MaxUnpool": lambda a, x: a.update(
        strides=a.get("strides", (1,) * (x[0].rank - 2)), pads=a.get("pads", (0,) * (2 * x[0].rank - 4))
    ),
    "MeanVarianceNormalization": lambda a, x: a.update(axes=_sorted_axes(a.get("axes", (0, 2, 3)), x[0].rank)),
    "Mod": _mod,
    "Pad": _pad,
    "QLinearConv": lambda a, x: _conv(a, [x[0], x[3]]),
    "QuantizeLinear": _scaled,
    "Reshape": _reshape,
    "Resize": _resize,
    "ScatterElements": _scatter_nd,
    "ScatterND": _scatter_nd,
    "Shrink": _shrink,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "STFT": lambda a, x: a.update(frame_length=a.get("frame_length", x[1].shape[0] if len(x) > 1 else x[0].shape[1])),
    "Transpose": lambda a, x: a.update(perm=a.get("perm", tuple(reversed(range(x[0].rank))))),
    "Unsqueeze": lambda a, x: a.update(axes=_sorted_axes(a["axes"], x[0].rank + len(a["axes"]))),
    "com.microsoft.FusedConv": _conv,
    "com.microsoft.ConvTransposeWithDynamicPads": _conv_transpose,
    "com.microsoft.NhwcMaxPool": lambda a, x: _window(a, x[0].shape[1:-1], a["kernel_shape"]),
    "com.microsoft.QLinearAveragePool": _average_pool,
    **{name: _reduce for domain, name in TABLE if not domain and name.startswith("Reduce")},
}


def is_normalized(op: Op) -> bool:
    """Whether the operator's attributes have a normal form other than ONNX's with all defaults."""
    return op.qualified in _RULES or op.qualified in _AXES or op.qualified in _IGNORED
