"""Optional results that nothing reads, and the same as further outputs of the model.

BatchNormalization has no such form. Its further results exist only in training, which changes the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from onnx import NodeProto, helper

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Shows, Write, become, value
from polyjuice.ir import TensorType

_ASKED_FOR, _SHOWN, _TOP_K = 0.2, 0.1, 0.3

_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "MaxPool": ("Indices",),
    "Dropout": ("mask",),
    "LayerNormalization": ("Mean", "InvStdDev"),
}
"""Operators with optional results, and the names of these, from the second result on."""

_RANKED = ("int32", "int64")

_AXES_OPSET = 13
"""The opset that made the axes of Squeeze an input."""


def rules() -> Iterator[FormRule]:
    for operator, names in _OPTIONAL.items():
        for place, name in enumerate(names, 1):
            yield FormRule(f"{name} asked for", (operator,), _ASKED_FOR, _asked_for(place), _has_result(place))
        for place, name in enumerate(names, 1):
            yield FormRule(f"{name} as an output", (operator,), _SHOWN, _as_an_output(place))
    yield FormRule("as TopK", ("ReduceMax", "ReduceMin"), _TOP_K, _as_top_k)


def _has_result(place: int) -> Shows:
    return lambda view: len(view.node.output) > place


def _asked_for(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        if len(node.output) > place:
            return False
        _ask_for(node, site, place)
        return True

    return write


def _ask_for(node: NodeProto, site: FormSite, place: int) -> str:
    node.output.extend("" for _ in range(place + 1 - len(node.output)))
    name: str = node.output[place] or site.fresh()
    node.output[place] = name
    return name


def _as_an_output(place: int) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        t = _type(node, site, place)
        if t is None or site.shown is None:
            return False
        name = _ask_for(node, site, place)
        site.types[name] = t
        site.shown.append(name)
        return True

    return write


def _as_top_k(node: NodeProto, site: FormSite) -> bool:
    """Compute the greatest or least integer along one axis by TopK. (Runtimes differ on NaN, so not for floats.)"""
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


def _squeeze(name: str, axes: Sequence[int], result: str, site: FormSite) -> NodeProto:
    if site.opset < _AXES_OPSET:
        return helper.make_node("Squeeze", [name], [result], axes=axes)
    return helper.make_node("Squeeze", [name, site.integers(axes)], [result])


def _type(node: NodeProto, site: FormSite, place: int) -> TensorType | None:
    """Return the type of an optional result; None if ONNX and its runtimes disagree on it."""
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
