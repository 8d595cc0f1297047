"""Operators that pass a value on unchanged, as people and exporters leave them in models. A few are inserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Write, becomes
from polyjuice.frameworks.onnx.tensors import code_of
from polyjuice.frameworks.onnx.versions import takes
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

Make = Callable[[FormSite, TensorType], NodeProto | None]
"""Returns the operator that passes on a value of a type; None if the opset has none."""

Suits = Callable[[TensorType], bool]


def rules() -> Iterator[FormRule]:
    for name, (suits, make) in _WAYS.items():
        shows = becomes(name) if name in _SHOWN else None
        yield FormRule(f"through {name}", (VALUE,), _CHANCE, _through(suits, make), shows)


def _through(suits: Suits, make: Make) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        place = next(i for i, name in enumerate(node.output) if name)
        t = site.types[node.output[place]]
        count = len(site.before)
        passed = make(site, t) if suits(t) else None
        if passed is None or not takes(passed.op_type, (t.dtype,), (), site.opset):
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


def _simple(op: str) -> Make:
    return lambda site, t: _node(op)


def _of(*dtypes: str) -> Suits:
    return lambda t: t.dtype in dtypes


def _ranked(t: TensorType) -> bool:
    return t.rank > 0


def _full(t: TensorType) -> bool:
    return t.rank > 0 and 0 not in t.shape


def _common(t: TensorType) -> bool:
    return t.rank > 0 and t.dtype in _COMMON


def _slice(site: FormSite, t: TensorType) -> NodeProto:
    starts, ends = [0] * t.rank, [np.iinfo(np.int64).max] * t.rank
    return _node("Slice", site.integers(starts), site.integers(ends), site.integers(range(t.rank)))


def _split(site: FormSite, t: TensorType) -> NodeProto:
    """Return a Split into one part. A Split of opset 18 must state its parts."""
    axis = site.draws.choice([axis for axis, size in enumerate(t.shape) if size])
    if site.opset < 13:
        return _node("Split", axis=axis, split=[t.shape[axis]])
    return _node("Split", site.integers([t.shape[axis]]), axis=axis)


def _reduction(site: FormSite, t: TensorType) -> NodeProto | None:
    return _node("ReduceSum", site.integers([]), noop_with_empty_axes=1) if site.opset >= 13 else None


_WAYS: Mapping[str, tuple[Suits, Make]] = {
    "Identity": (lambda t: True, _simple("Identity")),
    "Dropout": (_of(*_FLOATS), _simple("Dropout")),
    "Transpose by the identity": (_ranked, lambda site, t: _node("Transpose", perm=list(range(t.rank)))),
    "Reshape to the same shape": (_full, lambda site, t: _node("Reshape", site.integers(t.shape))),
    "Reshape by zeros": (_ranked, lambda site, t: _node("Reshape", site.integers([0] * t.rank))),
    "Reshape by zeros and -1": (
        _full,
        lambda site, t: _node("Reshape", site.integers([0] * (t.rank - 1) + [-1])),
    ),
    "Cast to the same type": (
        lambda t: t.dtype not in NARROW,
        lambda site, t: _node("Cast", to=code_of(t.dtype)),
    ),
    "Expand to the same shape": (
        _ranked,
        lambda site, t: _node("Expand", site.integers(site.draws.choice((t.shape, (1,) * t.rank)))),
    ),
    "Slice of everything": (_ranked, _slice),
    "Concat of one": (_ranked, lambda site, t: _node("Concat", axis=site.draws.randrange(-t.rank, t.rank))),
    "Pad of nothing": (_common, lambda site, t: _node("Pad", site.integers([0] * (2 * t.rank)))),
    "Tile once": (_common, lambda site, t: _node("Tile", site.integers([1] * t.rank))),
    "Split of one part": (lambda t: _common(t) and any(t.shape), _split),
    "ReduceSum of no axes": (_of(*_COMMON), _reduction),
    "Sum of one": (_of(*_FLOATS), _simple("Sum")),
    "Mean of one": (_of("float32"), _simple("Mean")),
    "Max of one": (_of(*_FLOATS), _simple("Max")),
    "Min of one": (_of(*_FLOATS), _simple("Min")),
    "Mean of one float64": (_of("float64"), _simple("Mean")),
}
"""Mean has two forms, because some runtimes support only float32 and each form is probed by itself."""
