"""Forms of windows, axes, shapes and bounds: some are left out, written in another order, or left to the operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from onnx import NodeProto

from polyjuice.frameworks.onnx.forms.rule import (
    FormRule,
    FormSite,
    NodeView,
    Shows,
    Write,
    attribute,
    become,
    cut_inputs,
    drop,
    give,
    has_input,
    kernel_shape,
    lacks,
    observed,
    schemas,
    set_input,
    states,
    value,
    within,
)
from polyjuice.frameworks.onnx.versions import ONE_AXIS_OPSET
from polyjuice.ops import TABLE
from polyjuice.ops.windows import auto_pads, drops_windows, window_dims

# --- windows ----------------------------------------------------------------------------------------------------------


def _windows() -> Iterator[FormRule]:
    for op, schema in schemas():
        transposed = "output_shape" in schema.attributes
        for mode, chance in (("VALID", 0.3), ("SAME_UPPER", 0.4), ("SAME_LOWER", 0.7)):
            if "auto_pad" in schema.attributes and (mode == "VALID" or not transposed):
                yield FormRule(f"auto_pad {mode}", (op.name,), chance, _auto_pad(mode), _has_auto_pad(mode))
        if transposed:
            yield FormRule("output_shape given", (op.name,), 0.5, _output_shape, states("output_shape"))
    yield FormRule("ceil_mode without effect", ("MaxPool", "AveragePool"), 0.2, _ceil_mode)


def _has_auto_pad(mode: str) -> Shows:
    return lambda view: value(view.node, "auto_pad") == mode.encode()


def _window(node: NodeProto, site: FormSite) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
    spatial = list(site.operand(node).shape[2:])
    kernel = value(node, "kernel_shape") or kernel_shape(node, site)
    rank = len(spatial)
    plain = (("strides", [1] * rank), ("pads", [0] * (2 * rank)), ("dilations", [1] * rank))
    strides, pads, dilations = (value(node, name, default) for name, default in plain)
    return spatial, kernel, strides, pads, dilations


def _auto_pad(mode: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        spatial, kernel, strides, pads, dilations = _window(node, site)
        if value(node, "ceil_mode", 0) or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
            return False
        if tuple(pads) != auto_pads(mode, spatial, kernel, strides, dilations):
            return False
        if mode != "VALID" and max(dilations) > 1:  # ONNX Runtime and the documentation differ here
            return False
        reach = [d * (k - 1) for k, d in zip(kernel, dilations, strict=True)]
        if mode != "VALID" and any((n - 1) % s > r for n, s, r in zip(spatial, strides, reach, strict=True)):
            return False  # ONNX Runtime refuses a window that is shorter than its stride
        drop(node, "pads")
        give(node, "auto_pad", mode)
        return True

    return write


def _output_shape(node: NodeProto, site: FormSite) -> bool:
    """Write the result's sizes instead of pads, if both ends have the same; frameworks differ on unequal ends.

    ONNX allows no size that is smaller than the operand's.
    """
    spatial, _, _, pads, _ = _window(node, site)
    half = len(pads) // 2
    sizes = site.result(node).shape[2:]
    if any(size < before for size, before in zip(sizes, spatial, strict=True)):
        return False
    if pads[:half] != pads[half:] or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
        return False
    drop(node, "pads")
    give(node, "output_shape", sizes)
    return True


def _ceil_mode(node: NodeProto, site: FormSite) -> bool:
    spatial, kernel, strides, pads, dilations = _window(node, site)
    if value(node, "ceil_mode", 0) or value(node, "auto_pad", b"NOTSET") != b"NOTSET":
        return False
    attrs = {"kernel_shape": kernel, "strides": strides, "pads": pads, "dilations": dilations}
    up, down = (window_dims(spatial, kernel, strides, pads, dilations, ceil) for ceil in (1, 0))
    if list(up) != list(down) or drops_windows(spatial, attrs):
        return False
    give(node, "ceil_mode", 1)
    return True


# --- axes, shapes and bounds ------------------------------------------------------------------------------------------

REDUCTIONS = tuple(name for domain, name in TABLE if not domain and name.startswith("Reduce"))

_HUGE = (np.iinfo(np.int64).max, np.iinfo(np.int32).max)
"""The numbers that exporters write for "to the end"."""

_NUM_OUTPUTS_OPSET = 18
"""The opset that gave Split the attribute num_outputs, and most reductions their axes as an input."""


def rules() -> Iterator[FormRule]:
    yield from _windows()
    listed = (*REDUCTIONS, "Squeeze", "Unsqueeze")
    yield observed(
        "axes as attribute",
        listed,
        lambda node, site: attribute(node, "axes") is not None,
        lambda view: attribute(view.node, "axes") is not None,
    )
    yield observed("all axes", REDUCTIONS, _all_axes)
    yield FormRule("axes absent", (*REDUCTIONS, "Squeeze"), 0.5, _axes_absent, lacks("axes"))
    yield FormRule(
        "axes empty", REDUCTIONS, 0.2, _axes_empty, lambda view: (axes := view.array(1)) is not None and not axes.size
    )
    yield FormRule("axes out of order", listed, 0.3, _out_of_order)
    yield FormRule("axes absent", ("Slice",), 0.5, _slice_axes_absent, lacks("axes"))
    yield FormRule("steps absent", ("Slice",), 0.5, _steps_absent, lacks("steps"))
    yield FormRule(
        "ends beyond the size",
        ("Slice",),
        0.3,
        _ends_beyond,
        lambda view: max(view.integers(2), default=0) >= min(_HUGE),
    )
    yield FormRule(
        "bounds from the end", ("Slice",), 0.2, _bounds_from_the_end, lambda view: min(view.integers(1), default=0) < 0
    )
    yield FormRule("bounds of int32", ("Slice",), 0.1, _bounds_of_int32, _is_int32)
    yield FormRule("axes given", ("Pad",), 0.2, _pad_axes, states("axes"))
    yield FormRule("axes absent", ("CenterCropPad",), 0.5, _crop_axes_absent, lacks("axes"))
    yield FormRule("split absent", ("Split",), 0.5, _split_absent, lacks("split"))
    yield FormRule("0 for a kept size", ("Reshape",), 0.3, _zero_for_kept, lambda view: 0 in view.integers(1))
    yield FormRule("-1 for one size", ("Reshape",), 0.3, _one_unknown, lambda view: -1 in view.integers(1))
    yield FormRule("1 for a kept size", ("Expand",), 0.3, _one_for_kept)
    yield FormRule("shape of fewer axes", ("Expand",), 0.3, _fewer_axes)
    yield FormRule("axis of int32", ("CumSum",), 0.2, _axis_of_int32, _is_int32)
    yield observed(
        "over flattened axes", ("Softmax", "LogSoftmax", "Hardmax"), lambda node, site: site.opset < ONE_AXIS_OPSET
    )
    yield FormRule("axis before sizes of one", ("Softmax", "LogSoftmax"), 0.8, _flattened_axis)
    yield FormRule("as Flatten", ("Reshape",), 0.1, _as_flatten)


def _is_int32(view: NodeView) -> bool:
    array = view.array(1)
    return array is not None and array.dtype == np.int32


def _axes(node: NodeProto, site: FormSite) -> list[int] | None:
    array = site.array(node, 1)
    return value(node, "axes") if array is None else array.ravel().tolist()


def _set_axes(node: NodeProto, site: FormSite, axes: list[int]) -> None:
    if attribute(node, "axes"):
        give(node, "axes", axes)
    else:
        set_input(node, 1, site.integers(axes))


def _from_the_front(axes: Iterable[int], rank: int) -> list[int]:
    """Return the axes, counted from the front. An axis that does not exist stays one that does not exist."""
    return [int(axis) + rank if axis < 0 else int(axis) for axis in axes]


def _all_axes(node: NodeProto, site: FormSite) -> bool:
    """Return whether a reduction names every axis, and at least one (``noop_with_empty_axes`` matters for none)."""
    axes, rank = _axes(node, site), site.operand(node).rank
    return bool(axes) and axes is not None and sorted(_from_the_front(axes, rank)) == list(range(rank))


def _axes_absent(node: NodeProto, site: FormSite) -> bool:
    if node.op_type == "Squeeze":
        axes, t = _axes(node, site), site.operand(node)
        ones = [i for i, n in enumerate(t.shape) if n == 1]
        meant = axes is not None and sorted(_from_the_front(axes, t.rank)) == ones
    else:
        meant = _all_axes(node, site) and not value(node, "noop_with_empty_axes", 0)
    if meant:
        drop(node, "axes")
        del node.input[1:]
    return meant


def _axes_empty(node: NodeProto, site: FormSite) -> bool:
    if not has_input(node, 1) or not _all_axes(node, site) or value(node, "noop_with_empty_axes", 0):
        return False
    set_input(node, 1, site.integers([]))
    return True


def _out_of_order(node: NodeProto, site: FormSite) -> bool:
    axes = _axes(node, site)
    if axes is None or len(axes) < 2:
        return False
    _set_axes(node, site, site.draws.sample(axes, len(axes)) if len(axes) > 2 else axes[::-1])
    return True


def _slice_axes_absent(node: NodeProto, site: FormSite) -> bool:
    axes, rank = site.array(node, 3), site.operand(node).rank
    if axes is None or _from_the_front(axes, rank) != list(range(len(axes))):
        return False
    node.input[3] = ""
    cut_inputs(node)
    return True


def _steps_absent(node: NodeProto, site: FormSite) -> bool:
    steps = site.array(node, 4)
    if steps is None or (steps != 1).any():
        return False
    del node.input[4:]
    cut_inputs(node)
    return True


def _cut(node: NodeProto, site: FormSite) -> list[tuple[int, int, int, int]] | None:
    arrays = [site.array(node, position) for position in range(1, 5)]
    if any(array is None and has_input(node, place) for place, array in enumerate(arrays, 1)):
        return None
    starts, ends = (np.asarray(a).tolist() for a in arrays[:2])
    axes = range(len(starts)) if arrays[2] is None else arrays[2].tolist()
    steps = [1] * len(starts) if arrays[3] is None else arrays[3].tolist()
    shape = site.operand(node).shape
    return [(s, e, step, shape[axis]) for s, e, step, axis in zip(starts, ends, steps, axes, strict=True)]


def _ends_beyond(node: NodeProto, site: FormSite) -> bool:
    cuts = _cut(node, site)
    if not cuts or not any(end == size and step > 0 for _, end, step, size in cuts):
        return False
    ends = [site.draws.choice(_HUGE) if end == size and step > 0 else end for _, end, step, size in cuts]
    node.input[2] = site.integers(ends)
    return True


def _bounds_from_the_end(node: NodeProto, site: FormSite) -> bool:
    cuts = _cut(node, site)
    if not cuts or not any(0 <= start < size for start, _, _, size in cuts):
        return False
    node.input[1] = site.integers([start - size if 0 <= start < size else start for start, _, _, size in cuts])
    node.input[2] = site.integers([end - size if 0 <= end < size else end for _, end, _, size in cuts])
    return True


def _bounds_of_int32(node: NodeProto, site: FormSite) -> bool:
    arrays = [site.array(node, position) for position in range(1, len(node.input))]
    for position, array in enumerate(arrays, 1):
        if node.input[position] and (array is None or not within(array, _HUGE[1])):
            return False
    for position, array in enumerate(arrays, 1):
        if array is not None:
            node.input[position] = site.constant(array.astype(np.int32))
    return True


def _pad_axes(node: NodeProto, site: FormSite) -> bool:
    pads, rank = site.array(node, 1), site.operand(node).rank
    if pads is None or has_input(node, 3) or site.opset < _NUM_OUTPUTS_OPSET:
        return False
    ends = pads.reshape(2, rank)
    axes = [axis for axis in range(rank) if ends[:, axis].any()] or [0][:rank]
    if len(axes) == rank:
        return False
    node.input[1] = site.integers(ends[:, axes].ravel().tolist())
    set_input(node, 3, site.integers([a - rank if site.draws.chance(0.5) else a for a in axes]))
    return True


def _crop_axes_absent(node: NodeProto, site: FormSite) -> bool:
    axes, rank = value(node, "axes"), site.operand(node).rank
    if axes is None or _from_the_front(axes, rank) != list(range(rank)):
        return False
    drop(node, "axes")
    return True


def _split_absent(node: NodeProto, site: FormSite) -> bool:
    """Leave out equal parts. From opset 18 on, the number of parts is stated, and the last part may be smaller."""
    array = site.array(node, 1)
    parts = value(node, "split") if array is None else array.tolist()
    if not parts or parts[0] == 0:
        return False
    whole = -(-sum(parts) // len(parts))
    even = all(part == whole for part in parts[:-1]) and 0 < parts[-1] <= whole
    if not even or (parts[-1] < whole and site.opset < _NUM_OUTPUTS_OPSET):
        return False
    drop(node, "split")
    del node.input[1:]
    if site.opset >= _NUM_OUTPUTS_OPSET:
        give(node, "num_outputs", len(parts))
    return True


def _target(node: NodeProto, site: FormSite) -> list[int] | None:
    """Return the shape that a Reshape asks for, if all its numbers are above 0."""
    shape = site.array(node, 1)
    if node.op_type != "Reshape" or shape is None or (shape <= 0).any() or value(node, "allowzero", 0):
        return None
    found: list[int] = shape.tolist()
    return found


def _zero_for_kept(node: NodeProto, site: FormSite) -> bool:
    shape, before = _target(node, site), site.operand(node).shape
    kept = [i for i, (n, m) in enumerate(zip(shape or (), before, strict=False)) if n == m]
    if not shape or not kept:
        return False
    zeros = set(site.draws.sample(kept, site.draws.randrange(1, len(kept) + 1)))
    node.input[1] = site.integers([0 if i in zeros else n for i, n in enumerate(shape)])
    return True


def _one_unknown(node: NodeProto, site: FormSite) -> bool:
    """Write -1 for any size that is not written as 0, which stands for the operand's size."""
    shape = site.array(node, 1)
    if shape is None or (shape < 0).any() or 0 in site.result(node).shape or value(node, "allowzero", 0):
        return False
    known = [i for i, n in enumerate(shape.tolist()) if n]
    if not known:
        return False
    unknown = site.draws.choice(known)
    node.input[1] = site.integers([-1 if i == unknown else n for i, n in enumerate(shape.tolist())])
    return True


def _one_for_kept(node: NodeProto, site: FormSite) -> bool:
    shape, before = site.array(node, 1), site.operand(node).shape
    if shape is None:
        return False
    offset = len(shape) - len(before)
    ones = [n == before[i - offset] and n != 1 if i >= offset else False for i, n in enumerate(shape)]
    if not any(ones):
        return False
    node.input[1] = site.integers([1 if one else n for one, n in zip(ones, shape, strict=True)])
    return True


def _fewer_axes(node: NodeProto, site: FormSite) -> bool:
    """Leave out leading axes that are the operand's own."""
    shape, before = site.array(node, 1), site.operand(node).shape
    if shape is None or len(shape) != len(before) or not before or shape[0] != before[0]:
        return False
    kept = next((i for i, n in enumerate(shape) if n != before[i]), len(shape) - 1)
    node.input[1] = site.integers(shape[kept:].tolist())
    return True


def _axis_of_int32(node: NodeProto, site: FormSite) -> bool:
    axis = site.array(node, 1)
    if axis is None:
        return False
    node.input[1] = site.constant(axis.astype(np.int32))
    return True


def _flattened_axis(node: NodeProto, site: FormSite) -> bool:
    """Before opset 13: the axis may change past sizes of one, because it and all later axes are flattened."""
    axis, shape = value(node, "axis"), site.operand(node).shape
    if site.opset >= ONE_AXIS_OPSET or axis is None:
        return False
    axis %= len(shape)
    first = next((i + 1 for i in reversed(range(axis)) if shape[i] != 1), 0)
    if first == axis:
        return bool(axis + 1 < len(shape))
    give(node, "axis", site.draws.randrange(first, axis))
    return True


def _as_flatten(node: NodeProto, site: FormSite) -> bool:
    t, result = site.operand(node), site.result(node).shape
    if len(result) != 2 or 0 in result:
        return False
    axes = [axis for axis in range(t.rank + 1) if np.prod(t.shape[:axis], dtype=int) == result[0]]
    if not axes:
        return False
    become(node, "Flatten", node.input[:1], axis=site.draws.choice(axes))
    return True
