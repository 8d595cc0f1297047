"""Find the forms that an existing model has, so that programs derived from it can be written alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from onnx import ModelProto, NodeProto, defs

from polyjuice.formats.subgraphs import nested_nodes
from polyjuice.formats.tensors import to_array
from polyjuice.formats.versions import default_version, is_default
from polyjuice.lower.forms import Form
from polyjuice.lower.onnx_forms.identities import VALUE
from polyjuice.lower.onnx_forms.rule import attribute, has_input, value
from polyjuice.lower.onnx_forms.writing import FORMS

_CREATORS = ("ConstantOfShape", "Range", "EyeLike", "Shape")
_PASSING = ("Identity", "Dropout")

_ABSENT, _GIVEN, _COMPUTED, _ASKED_FOR = " absent", " given", " computed", " asked for"


def forms_of(model: ModelProto) -> tuple[Form, ...]:
    """Return the forms that nodes of a model have, each once, as far as single nodes show them."""
    nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    known = {t.name: to_array(t, t.name) for t in model.graph.initializer if t.name}
    for node in nodes:
        held = attribute(node, "value") if node.op_type == "Constant" else None
        if held is not None:
            known[node.output[0]] = to_array(held.t, node.output[0])
    opset = default_version(model)
    found = {
        form
        for node in nodes
        for inner in nested_nodes(node)
        if is_default(inner.domain)
        for form in _forms(inner, known, opset)
    }
    return tuple(sorted(found & FORMS))


def _forms(node: NodeProto, known: Mapping[str, np.ndarray], opset: int) -> Iterator[Form]:
    """Yield the forms of a node, and names that are not forms."""
    op = node.op_type
    try:
        schema = defs.get_schema(op, opset)
    except defs.SchemaError:
        return
    there = {a.name for a in node.attribute}
    for name in schema.attributes:
        yield op, f"{name}{_GIVEN if name in there else _ABSENT}"
    for place, formal in enumerate(schema.inputs):
        if not has_input(node, place):
            yield op, f"{formal.name}{_ABSENT}"
        elif node.input[place] not in known:
            yield op, f"{formal.name}{_COMPUTED}"
    for formal in schema.outputs[1 : len(node.output)]:
        yield op, f"{formal.name}{_ASKED_FOR}"
    if node.input and not node.input[-1]:
        yield op, "absent input named"
    for name, has in _SIGNS.items():
        if has(node, known):
            yield op, name
    if op in _PASSING:
        yield VALUE, f"through {op}"
    if op in _CREATORS:
        yield "Constant", f"as {op}"


def _numbers(node: NodeProto, place: int, known: Mapping[str, np.ndarray]) -> list[float]:
    array = known.get(node.input[place]) if place < len(node.input) else None
    return [] if array is None or array.dtype.kind not in "iu" else array.ravel().tolist()


Sign = Callable[[NodeProto, Mapping[str, np.ndarray]], bool]

_SIGNS: Mapping[str, Sign] = {
    "axes as attribute": lambda node, known: attribute(node, "axes") is not None,
    "axes empty": lambda node, known: has_input(node, 1) and known.get(node.input[1], np.ones(1)).size == 0,
    "split absent": lambda node, known: not has_input(node, 1) and attribute(node, "split") is None,
    "0 for a kept size": lambda node, known: 0 in _numbers(node, 1, known),
    "-1 for one size": lambda node, known: -1 in _numbers(node, 1, known),
    "ends beyond the size": lambda node, known: max(_numbers(node, 2, known), default=0) >= np.iinfo(np.int32).max,
    "bounds from the end": lambda node, known: min(_numbers(node, 1, known), default=0) < 0,
    "bounds of int32": lambda node, known: has_input(node, 1) and _is_int32(node, known),
    "axis of int32": lambda node, known: has_input(node, 1) and _is_int32(node, known),
    **{
        f"auto_pad {mode}": lambda node, known, mode=mode: value(node, "auto_pad") == mode.encode()  # type: ignore[misc]
        for mode in ("VALID", "SAME_UPPER", "SAME_LOWER")
    },
    **{
        name: lambda node, known, name=name: attribute(node, name) is not None  # type: ignore[misc]
        for name in ("value_int", "value_ints", "value_float", "value_floats")
    },
}
"""Predicates that recognise a form, beyond present and absent attributes, operands and results."""


def _is_int32(node: NodeProto, known: Mapping[str, np.ndarray]) -> bool:
    return known.get(node.input[1], np.ones(0)).dtype == np.int32
