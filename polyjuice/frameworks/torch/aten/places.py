"""ATen's operators on shapes and places of elements, in the table's operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.frameworks.torch.aten.application import (
    DOMAIN,
    AtenCall,
    Rule,
    Rules,
    ValueName,
    demand,
    registering,
    shaped,
)
from polyjuice.ops.memory import SEEN
from polyjuice.ops.shapes import normalize_axis

RULES: Rules = {}
_says = registering(RULES)

_LAST = 2**63 - 1
"""A slice to this end goes to the end of the axis in ONNX."""


OF_SHAPES: dict[str, int | None] = {
    "full_like.default": None, "new_full.default": None, "zeros_like.default": 0, "new_zeros.default": 0,
    "ones_like.default": 1, "new_ones.default": 1,
}  # fmt: skip
"""Operators that use only the shape of their operand, and the fill value (None: from their argument)."""


def _filled(value: int | None) -> Rule:
    def rule(c: AtenCall) -> ValueName:
        return c.constant(np.full(c.result.shape, c["fill_value"] if value is None else value), c.result.dtype)

    return rule


RULES.update({overload: _filled(value) for overload, value in OF_SHAPES.items()})


@_says("view.default", "_unsafe_view.default", "reshape.default")
def _view(c: AtenCall) -> ValueName:
    return c.op("Reshape", c["self"], shape=c.result.shape, allowzero=int(0 in c.result.shape))


@_says("view.dtype")
def _view_as_type(c: AtenCall) -> ValueName:
    t, to = c.type(c["self"]), c.result.dtype
    if t.dtype == to:
        return c.op("Identity", c["self"])
    if c.result.shape == t.shape:
        return c.op("BitCast", c["self"], to=to)
    demand(t.dtype in SEEN and to in SEEN, f"{t.dtype} as {to}")
    return c.multi("view.dtype", c["self"], domain=DOMAIN, of=t.dtype, to=to, size=c.result.shape)[0]


@_says("expand.default")
def _expand(c: AtenCall) -> ValueName:
    return c.op("Expand", c["self"], shape=c.result.shape)


@_says("copy.default")
def _copied(c: AtenCall) -> ValueName:
    """The source in the type and the shape of the destination, whose values are lost."""
    value = c["src"]
    if c.type(value).dtype != c.result.dtype:
        value = c.op("Cast", value, to=c.result.dtype)
    if c.type(value).shape != c.result.shape:
        return c.op("Expand", value, shape=c.result.shape)
    return c.op("Identity", value)


@_says("permute.default")
def _permute(c: AtenCall) -> ValueName:
    rank = c.type(c["self"]).rank
    return c.op("Transpose", c["self"], perm=tuple(normalize_axis(axis, rank) for axis in c["dims"]))


@_says("transpose.int")
def _transpose(c: AtenCall) -> ValueName:
    perm = list(range(c.type(c["self"]).rank))
    i, j = c.axis("dim0"), c.axis("dim1")
    perm[i], perm[j] = perm[j], perm[i]
    return c.op("Transpose", c["self"], perm=tuple(perm))


@_says("t.default")
def _t(c: AtenCall) -> ValueName:
    return c.op("Transpose", c["self"])


@_says("unsqueeze.default")
def _unsqueeze(c: AtenCall) -> ValueName:
    return c.op("Unsqueeze", c["self"], axes=(c["dim"],))


@_says("squeeze.default", "squeeze.dim", "squeeze.dims")
def _squeeze(c: AtenCall) -> ValueName:
    shape = c.type(c["self"]).shape
    axes = tuple(axis for axis in c.axes() if shape[axis] == 1)
    return c.op("Squeeze", c["self"], axes=axes) if axes else c.op("Identity", c["self"])


@_says("cat.default")
def _cat(c: AtenCall) -> ValueName:
    """Concatenate all but the empty vectors, which ATen joins to anything."""
    parts = [v for v in c["tensors"] if c.type(v).shape != (0,)]
    demand(bool(parts), "nothing to join")
    axis = normalize_axis(c["dim"], c.type(parts[0]).rank)
    return c.op("Concat", *(c.tensor(v, c.result.dtype) for v in parts), axis=axis)


@_says("split_with_sizes.default")
def _split_with_sizes(c: AtenCall) -> Sequence[ValueName]:
    return c.multi("Split", c["self"], axis=c.axis(), split=tuple(c["split_sizes"]))


@_says("split.Tensor")
def _split(c: AtenCall) -> Sequence[ValueName]:
    size, part = c.type(c["self"]).shape[c.axis()], c["split_size"]
    parts = tuple(min(part, size - start) for start in range(0, size, part))
    return c.multi("Split", c["self"], axis=c.axis(), split=parts)


@_says("slice.Tensor")
def _slice(c: AtenCall) -> ValueName:
    start, end = (0 if c["start"] is None else c["start"]), (_LAST if c["end"] is None else c["end"])
    return c.op("Slice", c["self"], axes=(c.axis(),), starts=(start,), ends=(end,), steps=(c["step"],))


@_says("select.int")
def _select(c: AtenCall) -> ValueName:
    return c.op("Gather", c["self"], c.constant(c["index"], "int64"), axis=c.axis())


@_says("repeat.default")
def _repeat(c: AtenCall) -> ValueName:
    shape, repeats = c.type(c["self"]).shape, tuple(c["repeats"])
    wide = shaped(c, c["self"], (1,) * (len(repeats) - len(shape)) + shape)
    return c.op("Tile", wide, repeats=repeats)


@_says("constant_pad_nd.default")
def _pad(c: AtenCall) -> ValueName:
    """ATen counts the pads from the last axis, before and after in pairs."""
    pads, rank = c["pad"], c.type(c["self"]).rank
    demand(all(p >= 0 for p in pads), "a negative pad")
    before, after = [0] * rank, [0] * rank
    for k in range(len(pads) // 2):
        before[rank - 1 - k], after[rank - 1 - k] = pads[2 * k], pads[2 * k + 1]
    return c.op("Pad", c["self"], pads=(*before, *after), value=float(c["value"]))


@_says("tril.default")
def _tril(c: AtenCall) -> ValueName:
    return c.op("Trilu", c["self"], k=c["diagonal"], upper=0)


@_says("triu.default")
def _triu(c: AtenCall) -> ValueName:
    return c.op("Trilu", c["self"], k=c["diagonal"], upper=1)


@_says("pixel_shuffle.default")
def _pixel_shuffle(c: AtenCall) -> ValueName:
    return c.op("DepthToSpace", c["self"], blocksize=c["upscale_factor"], mode="CRD")


@_says("embedding.default")
def _embedding(c: AtenCall) -> ValueName:
    return c.op("Gather", c["weight"], c["indices"], axis=0)


@_says("index_select.default")
def _index_select(c: AtenCall) -> ValueName:
    return c.op("Gather", c["self"], c["index"], axis=c.axis())


@_says("gather.default")
def _gather(c: AtenCall) -> ValueName:
    return c.op("GatherElements", c["self"], c["index"], axis=c.axis())


@_says("index.Tensor")
def _index(c: AtenCall) -> ValueName:
    """One tensor of indices is a Gather. Several are a GatherND, after their axes are brought to the front."""
    x, rank = c["self"], c.type(c["self"]).rank
    found = [(axis, v) for axis, v in enumerate(c["indices"]) if v is not None]
    demand(all(c.type(v).dtype in ("int64", "int32") for _, v in found), "a mask as an index")
    axes = [axis for axis, _ in found]
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
