"""Operators that pass a value on unchanged, as people and exporters leave them in models. A few are inserted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Write, becomes, element_code, takes
from polyjuice.ir import TensorType
from polyjuice.ir.dtypes import NARROW

VALUE = "any value"
"""The operator name in forms that concern a result, whatever operator computes it."""

_CHANCE = 0.008

FOLLOWED = 0.2
"""How often a value passes through an operator if some value of the seed model does."""

_SHOWN = ("Identity", "Dropout")
"""Operators that pass a value on wherever they stand in a model. The others do so with some operands alone."""

_COMMON = ("float32", "float64", "int32", "int64")
_FLOATS = ("float32", "float64")

Make = Callable[[FormSite, TensorType, str], NodeProto | None]
"""Returns the operator that passes on a named value of a type; None if there is none."""


def rules() -> Iterator[FormRule]:
    """Yield a form for each such operator."""
    for name, make in _WAYS.items():
        yield FormRule(f"through {name}", (VALUE,), _CHANCE, _through(make), becomes(name) if name in _SHOWN else None)


def _through(make: Make) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        place = next(i for i, name in enumerate(node.output) if name)
        t = site.types[node.output[place]]
        count = len(site.before)
        passed = make(site, t, node.output[place])
        if passed is None or not takes(passed.op_type, t.dtype, site.opset):
            del site.before[count:]
            return False
        hidden = site.fresh()
        site.types[hidden] = t
        passed.input[0] = hidden
        passed.output[0] = node.output[place]
        node.output[place] = hidden
        site.after.insert(0, passed)
        return True

    return write


def _node(op: str, *further: str, **attributes: Any) -> NodeProto:
    return helper.make_node(op, ["", *further], [""], **attributes)


def _simple(op: str, **attributes: Any) -> Make:
    return lambda site, t, name: _node(op, **attributes)


def _of_floats(op: str, dtypes: Collection[str] = _FLOATS) -> Make:
    return lambda site, t, name: _node(op) if t.dtype in dtypes else None


def _transpose(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Transpose", perm=list(range(t.rank))) if t.rank else None


def _reshape(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Reshape", site.integers(t.shape)) if t.rank and 0 not in t.shape else None


def _reshape_by_zeros(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Reshape", site.integers([0] * t.rank)) if t.rank else None


def _reshape_by_minus_one(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Reshape", site.integers([0] * (t.rank - 1) + [-1])) if t.rank and 0 not in t.shape else None


def _cast(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Cast", to=element_code(t.dtype)) if t.dtype not in NARROW else None


def _expand(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Expand", site.integers(site.draws.choice((t.shape, (1,) * t.rank)))) if t.rank else None


def _slice(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    if not t.rank:
        return None
    starts, ends = [0] * t.rank, [np.iinfo(np.int64).max] * t.rank
    return _node("Slice", site.integers(starts), site.integers(ends), site.integers(range(t.rank)))


def _concat(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Concat", axis=site.draws.randrange(-t.rank, t.rank)) if t.rank else None


def _pad(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Pad", site.integers([0] * (2 * t.rank))) if t.rank and t.dtype in _COMMON else None


def _tile(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    return _node("Tile", site.integers([1] * t.rank)) if t.rank and t.dtype in _COMMON else None


def _split(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    """Return a Split into one part. A Split of opset 18 must state its parts."""
    axes = [axis for axis, size in enumerate(t.shape) if size]
    if not axes or t.dtype not in _COMMON:
        return None
    axis = site.draws.choice(axes)
    if site.opset < 13:
        return _node("Split", axis=axis, split=[t.shape[axis]])
    return _node("Split", site.integers([t.shape[axis]]), axis=axis)


def _reduction(site: FormSite, t: TensorType, name: str) -> NodeProto | None:
    """Return a sum over no axes, with an empty list of axes."""
    if t.dtype not in _COMMON or site.opset < 13:
        return None
    return _node("ReduceSum", site.integers([]), noop_with_empty_axes=1)


_WAYS: Mapping[str, Make] = {
    "Identity": _simple("Identity"),
    "Dropout": _of_floats("Dropout"),
    "Transpose by the identity": _transpose,
    "Reshape to the same shape": _reshape,
    "Reshape by zeros": _reshape_by_zeros,
    "Reshape by zeros and -1": _reshape_by_minus_one,
    "Cast to the same type": _cast,
    "Expand to the same shape": _expand,
    "Slice of everything": _slice,
    "Concat of one": _concat,
    "Pad of nothing": _pad,
    "Tile once": _tile,
    "Split of one part": _split,
    "ReduceSum of no axes": _reduction,
    "Sum of one": _of_floats("Sum"),
    "Mean of one": _of_floats("Mean", ("float32",)),
    "Max of one": _of_floats("Max"),
    "Min of one": _of_floats("Min"),
    "Mean of one float64": _of_floats("Mean", ("float64",)),
}
"""Mean has two forms, because some runtimes support only float32 and each form is probed by itself."""
