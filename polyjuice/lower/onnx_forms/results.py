"""Results that nobody reads: optional ones that are asked for, and any of them as a further output of the model.

BatchNormalization has no such form: to ask for its further results is to train, which changes its first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from onnx import NodeProto

from polyjuice.ir import TensorType
from polyjuice.lower.onnx_forms.rule import Rule, Site, Write, value

_ASKED_FOR, _SHOWN = 0.2, 0.3

_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "MaxPool": ("Indices",),
    "Dropout": ("mask",),
    "LayerNormalization": ("Mean", "InvStdDev"),
}
"""Operators with optional results, and what these are called, from the second result on."""

_PAIR = ("Values", "Indices")
"""The results of TopK, of which one may have no reader."""


def rules() -> Iterator[Rule]:
    for operator, names in _OPTIONAL.items():
        for place, name in enumerate(names, 1):
            yield Rule(f"{name} asked for", (operator,), _ASKED_FOR, _asked_for(place))
        for place, name in enumerate(names, 1):
            yield Rule(f"{name} as an output", (operator,), _SHOWN, _as_an_output(place))
    for place, name in enumerate(_PAIR):
        yield Rule(f"{name} as an output", ("TopK",), _SHOWN, _unread_as_an_output(place))


def _asked_for(place: int) -> Write:
    """An optional result that is absent, and would be the next one, or stands behind one that stays absent."""

    def write(node: NodeProto, site: Site) -> bool:
        if len(node.output) > place:
            return False
        node.output.extend("" for _ in range(place - len(node.output)))
        node.output.append(site.fresh())
        return True

    return write


def _as_an_output(place: int) -> Write:
    """An optional result that is asked for becomes an output of the model."""

    def write(node: NodeProto, site: Site) -> bool:
        name = node.output[place] if place < len(node.output) else ""
        t = _type(node, site, place)
        if not name or t is None or site.shown is None:
            return False
        site.types[name] = t
        site.shown.append(name)
        return True

    return write


def _unread_as_an_output(place: int) -> Write:
    """The result of TopK that has no type in the graph, since nobody reads it, becomes an output of the model."""

    def write(node: NodeProto, site: Site) -> bool:
        name, other = node.output[place], node.output[1 - place]
        if name in site.types or other not in site.types or site.shown is None:
            return False
        dtype = "int64" if place else site.operand(node).dtype
        site.types[name] = TensorType(dtype, site.types[other].shape)
        site.shown.append(name)
        return True

    return write


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
