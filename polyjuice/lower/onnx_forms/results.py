"""Results that nobody reads: optional ones that are asked for, and any of them as a further output of the model.

BatchNormalization has no such form: to ask for its further results is to train, which changes its first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx import NodeProto, helper

from polyjuice.ir import TensorType
from polyjuice.lower.onnx_forms.rule import Rule, Site, Write, become, value

_ASKED_FOR, _SHOWN, _TOP_K = 0.2, 0.1, 0.3

_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "MaxPool": ("Indices",),
    "Dropout": ("mask",),
    "LayerNormalization": ("Mean", "InvStdDev"),
}
"""Operators with optional results, and what these are called, from the second result on."""

_RANKED = ("int32", "int64")

_AXES_OPSET = 13
"""The version of ONNX that made the axes of Squeeze an input."""


def rules() -> Iterator[Rule]:
    for operator, names in _OPTIONAL.items():
        for place, name in enumerate(names, 1):
            yield Rule(f"{name} asked for", (operator,), _ASKED_FOR, _asked_for(place))
        for place, name in enumerate(names, 1):
            yield Rule(f"{name} as an output", (operator,), _SHOWN, _as_an_output(place))
    yield Rule("as TopK", ("ReduceMax", "ReduceMin"), _TOP_K, _as_top_k)


def _asked_for(place: int) -> Write:
    """An optional result that is absent, and would be the next one, or stands behind one that stays absent."""

    def write(node: NodeProto, site: Site) -> bool:
        if len(node.output) > place:
            return False
        _ask_for(node, site, place)
        return True

    return write


def _ask_for(node: NodeProto, site: Site, place: int) -> str:
    """The name of an optional result, which the node has from now on."""
    node.output.extend("" for _ in range(place + 1 - len(node.output)))
    name: str = node.output[place] or site.fresh()
    node.output[place] = name
    return name


def _as_an_output(place: int) -> Write:
    """An optional result becomes an output of the model."""

    def write(node: NodeProto, site: Site) -> bool:
        t = _type(node, site, place)
        if t is None or site.shown is None:
            return False
        name = _ask_for(node, site, place)
        site.types[name] = t
        site.shown.append(name)
        return True

    return write


def _as_top_k(node: NodeProto, site: Site) -> bool:
    """The greatest or least integer along one axis; nobody reads where it is. (Runtimes disagree on NaN in TopK.)"""
    x, result = site.operand(node), node.output[0]
    along = value(node, "axes")
    if along is None and (array := site.array(node, 1)) is not None:
        along = array.tolist()
    if x.dtype not in _RANKED or along is None or len(along) != 1 or not x.shape[along[0]]:
        return False
    kept, largest = value(node, "keepdims", 1), int(node.op_type == "ReduceMax")
    become(node, "TopK", [node.input[0], site.integers([1])], axis=along[0], largest=largest)
    node.output[:] = [result if kept else site.fresh(), site.fresh()]
    if not kept:
        shape = tuple(1 if i == along[0] % x.rank else n for i, n in enumerate(x.shape))
        site.types[node.output[0]] = TensorType(x.dtype, shape)
        site.after.insert(0, _squeeze(node.output[0], along, result, site))
    return True


def _squeeze(name: str, axes: Sequence[int], result: str, site: Site) -> NodeProto:
    if site.opset < _AXES_OPSET:
        return helper.make_node("Squeeze", [name], [result], axes=axes)
    return helper.make_node("Squeeze", [name, site.integers(axes)], [result])


def _type(node: NodeProto, site: Site, place: int) -> TensorType | None:
    """The type of an optional result; None where ONNX and its runtimes do not agree on it."""
    x, y = site.operand(node), site.types[node.output[0]]
    match node.op_type:
        case "MaxPool":
            return TensorType("int64", y.shape)
        case "Dropout":
            return TensorType("bool", y.shape)
        case _ if x.dtype == "float32":
            axis = value(node, "axis", -1) % x.rank
            return TensorType("float32", (*x.shape[:axis], *[1] * (x.rank - axis)))
        case _:
            return None
