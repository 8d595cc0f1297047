"""ONNX models in reproducers: small ones as calls of ``onnx.helper``, as a person would write them."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from polyjuice.frameworks.expressions import number
from polyjuice.frameworks.rendering import SMALL, Rendering, loaded_numpy, nested, written_numpy
from polyjuice.wording import visible

#: The most nodes of a model that is written out.
_NODES = 8

_SCALARS = (AttributeProto.FLOAT, AttributeProto.INT, AttributeProto.STRING)
_LISTS = (AttributeProto.FLOATS, AttributeProto.INTS, AttributeProto.STRINGS)


def written(models: Mapping[str, bytes], inputs: Sequence[str]) -> str | None:
    """The definitions of models by the names of their sides; None where one is too large or too unusual.

    ``inputs`` are the new names of the models' inputs.
    """
    sides = {side: _Side(ModelProto.FromString(source), inputs) for side, source in models.items()}
    if not all(side.plain for side in sides.values()) or len({side.frame for side in sides.values()}) > 1:
        return None
    frame = next(iter(sides.values())).frame
    return "\n\n\n".join([frame, "\n\n".join(f"{name} = {side.call}" for name, side in sides.items())])


@dataclass(frozen=True)
class _Side:
    model: ModelProto
    inputs: Sequence[str]

    @property
    def plain(self) -> bool:
        graph = self.model.graph
        constants = [*graph.initializer, *(a.t for node in graph.node for a in node.attribute if a.HasField("t"))]
        return (
            len(graph.node) <= _NODES
            and not self.model.functions
            and not graph.sparse_initializer
            and len(graph.input) == len(self.inputs)
            and all(0 < int(np.prod(tensor.dims)) <= SMALL for tensor in constants)
            and all(_is_plain(attribute) for node in graph.node for attribute in node.attribute)
        )

    @property
    def names(self) -> dict[str, str]:
        """The new names of values: ``inputs`` for inputs, y for outputs; others stay if they are identifiers."""
        graph = self.model.graph
        names = {"": "", **dict(zip((value.name for value in graph.input), self.inputs, strict=True))}
        outputs = [value.name for value in graph.output]
        names.update({name: "y" if len(outputs) == 1 else f"y{i}" for i, name in enumerate(outputs)})
        for stem, group in (
            ("c", [t.name for t in graph.initializer]),
            ("v", [name for node in graph.node for name in node.output]),
        ):
            for name in group:
                if name not in names:
                    names[name] = _fresh(name, stem, set(names.values()))
        return names

    @property
    def frame(self) -> str:
        """A function that makes a model from nodes and constants: the text that the sides share."""
        graph, names = self.model.graph, self.names
        opsets = ", ".join(f"helper.make_opsetid({_text(o.domain)}, {o.version})" for o in self.model.opset_import)
        return f'''\
def model(nodes, constants=()):
    """Return a serialized model of these nodes."""
    inputs = [{", ".join(_value(value, names) for value in graph.input)}]
    outputs = [{", ".join(_value(value, names) for value in graph.output)}]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[{opsets}], ir_version={self.model.ir_version})
    return made.SerializeToString()'''

    @property
    def call(self) -> str:
        nodes = [_node(node, self.names) for node in self.model.graph.node]
        constants = [_tensor(t, self.names[t.name]) for t in self.model.graph.initializer]
        lists = [_lines(nodes), *([_lines(constants)] if constants else [])]
        return f"model({', '.join(lists)})"


def _lines(items: Sequence[str]) -> str:
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def _is_plain(attribute: AttributeProto) -> bool:
    if not attribute.name.isidentifier() or keyword.iskeyword(attribute.name) or attribute.ref_attr_name:
        return False
    if not all(_is_text(text) for text in (attribute.s, *attribute.strings)):
        return False
    filled = bool(attribute.floats or attribute.ints or attribute.strings)
    return attribute.type in (*_SCALARS, AttributeProto.TENSOR) or (attribute.type in _LISTS and filled)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fresh(name: str, stem: str, taken: set[str]) -> str:
    if name.isidentifier() and name not in taken:
        return name
    count = 0
    while f"{stem}{count}" in taken:
        count += 1
    return f"{stem}{count}"


def _value(value: ValueInfoProto, names: Mapping[str, str]) -> str:
    tensor = value.type.tensor_type
    shape = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None for dim in tensor.shape.dim]
    return f'helper.make_tensor_value_info("{names[value.name]}", {_type(tensor.elem_type)}, {_text(shape)})'


def _type(code: int) -> str:
    return f"TensorProto.{TensorProto.DataType.Name(code)}"


def _node(node: NodeProto, names: Mapping[str, str]) -> str:
    parts = [_text(node.op_type), _text([names[x] for x in node.input]), _text([names[y] for y in node.output])]
    parts += [f"domain={_text(node.domain)}"] if node.domain else []
    parts += [f"{attribute.name}={_attribute(attribute)}" for attribute in node.attribute]
    return f"helper.make_node({', '.join(parts)})"


def _attribute(attribute: AttributeProto) -> str:
    value = helper.get_attribute_value(attribute)
    return _tensor(value, attribute.name) if isinstance(value, TensorProto) else _text(value)


def _text(value: Any) -> str:
    """A number, a string or a list of these as Python code; floats have single precision and stay floats."""
    match value:
        case bytes():
            return _text(value.decode())
        case str():
            return '"' + visible(value.replace("\\", "\\\\").replace('"', '\\"'), kept="") + '"'
        case float():
            text = number(np.float32(value))
            return f"{text}.0" if text.lstrip("-").isdigit() else text
        case int():
            return str(value)
        case _:
            return "[" + ", ".join(map(_text, value)) + "]"


def _tensor(tensor: TensorProto, name: str) -> str:
    values = nested(numpy_helper.to_array(tensor).reshape(-1))
    return f'helper.make_tensor("{name}", {_type(tensor.data_type)}, {list(tensor.dims)}, {values})'


RENDERING = Rendering(
    written=written_numpy,
    loaded=loaded_numpy,
    model="{side}",
    to_numpy="np.asarray({output})",
    to_single="np.asarray({output})",
    type_of="np.asarray({output}).dtype.name",
)
