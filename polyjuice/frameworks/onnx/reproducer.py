"""Small ONNX models in reproducers: in ONNX's textual syntax, with regular constants as NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    load_model_from_string,
    numpy_helper,
    parser,
)

from polyjuice.execution import Artifact
from polyjuice.frameworks.expressions import number
from polyjuice.frameworks.rendering import NUMPY, SMALL, Rendering, loaded_numpy, written_numpy
from polyjuice.ir import dtypes

#: The most nodes of a model that is written out.
_NODES = 8

#: The most elements of a constant within the textual syntax, and its types: the syntax has bits for other floats.
_ELEMENTS = 8
_TYPES = ("float32", "float64", "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool")

#: The most characters of a line.
_WIDEST = 160


def has_functions(artifact: Artifact) -> bool:
    """Whether an artifact is a model with local functions."""
    return isinstance(artifact.source, bytes) and bool(load_model_from_string(artifact.source).functions)


def written(models: Mapping[str, bytes], inputs: Sequence[str]) -> str | None:
    """The definitions of models by the names of their sides; None where one is too large or too unusual.

    ``inputs`` are the new names of the models' inputs.
    """
    sides = {name: _Side(ModelProto.FromString(source), inputs) for name, source in models.items()}
    if not all(side.is_exact for side in sides.values()):
        return None
    return "\n\n".join(side.definition(name) for name, side in sides.items())


@dataclass(frozen=True)
class _Side:
    model: ModelProto
    inputs: Sequence[str]

    @property
    def is_exact(self) -> bool:
        """Whether the text is short, and makes this model."""
        graph = self.model.graph
        if len(graph.node) > _NODES or self.model.functions or graph.sparse_initializer:
            return False
        if len(graph.input) != len(self.inputs) or not all(map(_is_short, self._arrays.values())):
            return False
        try:
            made = parser.parse_model(self.text)
            made.graph.initializer.extend(numpy_helper.from_array(x, name) for name, x in self._appended.items())
            same = _content(made, {}) == _content(self.model, self._names)
        except (parser.ParseError, TypeError, UnicodeError, ValueError):
            return False
        lines = self.text.split("\n")
        quotable = all(map(str.isprintable, lines)) and "\\" not in self.text and '"""' not in self.text
        return same and quotable and max(map(len, lines)) <= _WIDEST

    def definition(self, name: str) -> str:
        """Statements that bind a name to the serialized model."""
        text = f'{name} = onnx.parser.parse_model("""\n{self.text}\n""")'
        if not self._appended:
            return f"{text}.SerializeToString()"
        made = (f'onnx.numpy_helper.from_array({written_numpy(x)}, "{key}")' for key, x in self._appended.items())
        lines = [f"{name}.graph.initializer.append({constant})" for constant in made]
        return "\n".join([text, *lines, f"{name} = {name}.SerializeToString()"])

    @cached_property
    def text(self) -> str:
        """The model in ONNX's textual syntax, but for the constants that are appended."""
        graph, names = self.model.graph, self._names
        opsets = ", ".join(f'"{o.domain}" : {o.version}' for o in self.model.opset_import)
        inputs, outputs = (", ".join(_declared(v, names) for v in values) for values in (graph.input, graph.output))
        listed = [t for t in graph.initializer if names[t.name] not in self._appended]
        constants = ", ".join(f"{_type(t)} {names[t.name]} = {_elements(t)}" for t in listed)
        return "\n".join(
            [
                f"    <ir_version: {self.model.ir_version}, opset_import: [{opsets}]>",
                f"    model ({inputs}) => ({outputs}){f' <{constants}>' if constants else ''} {{",
                *(f"        {_statement(node, names)}" for node in graph.node),
                "    }",
            ]
        )

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        return {self._names[t.name]: numpy_helper.to_array(t) for t in self.model.graph.initializer}

    @cached_property
    def _appended(self) -> dict[str, np.ndarray]:
        """The constants that the textual syntax lacks, or that are long in it."""
        return {k: x for k, x in self._arrays.items() if x.size > _ELEMENTS or dtypes.dtype_of(x) not in _TYPES}

    @cached_property
    def _names(self) -> dict[str, str]:
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


def _is_short(array: np.ndarray) -> bool:
    return array.size <= SMALL or NUMPY.written(array, "") is not None


def _fresh(name: str, stem: str, taken: set[str]) -> str:
    if name.isidentifier() and name not in taken:
        return name
    count = 0
    while f"{stem}{count}" in taken:
        count += 1
    return f"{stem}{count}"


def _declared(value: ValueInfoProto, names: Mapping[str, str]) -> str:
    tensor = value.type.tensor_type
    sizes = [str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in tensor.shape.dim]
    return f"{_named(tensor.elem_type, sizes)} {names[value.name]}"


def _type(tensor: TensorProto) -> str:
    return _named(tensor.data_type, [*map(str, tensor.dims)])


def _named(code: int, sizes: Sequence[str]) -> str:
    return str(TensorProto.DataType.Name(code)).lower() + (f"[{', '.join(sizes)}]" if sizes else "")


def _elements(tensor: TensorProto) -> str:
    values = numpy_helper.to_array(tensor).reshape(-1)
    texts = (str(int(x)) if x.dtype.kind == "b" else number(x).removeprefix("np.").replace("-np.", "-") for x in values)
    return "{" + ", ".join(texts) + "}"


def _statement(node: NodeProto, names: Mapping[str, str]) -> str:
    attributes = ", ".join(f"{a.name} = {_attribute(a)}" for a in node.attribute)
    operands = ", ".join(names[x] or '""' for x in node.input)
    name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    return f"{', '.join(names[y] for y in node.output)} = {name}{f' <{attributes}>' if attributes else ''} ({operands})"


def _attribute(attribute: AttributeProto) -> str:
    value = helper.get_attribute_value(attribute)
    return f"{_type(value)} {_elements(value)}" if isinstance(value, TensorProto) else _text(value)


def _text(value: Any) -> str:
    """A number, a string or a list of these in the textual syntax; floats have single precision and stay floats."""
    match value:
        case bytes():
            return f'"{value.decode()}"'
        case float():
            text = number(np.float32(value))
            return f"{text}.0" if text.lstrip("-").isdigit() else text
        case int():
            return str(value)
        case _:
            return "[" + ", ".join(map(_text, value)) + "]"


def _content(model: ModelProto, names: Mapping[str, str]) -> tuple[object, ...]:
    """What a model computes, as a value to compare; values are called by their new ``names``."""

    def attribute(a: AttributeProto) -> object:
        value = helper.get_attribute_value(a)
        return (a.name, a.type, array(value) if isinstance(value, TensorProto) else value)

    def array(t: TensorProto) -> object:
        return t.data_type, [*t.dims], numpy_helper.to_array(t).tobytes()

    def renamed(found: Sequence[str]) -> list[str]:
        return [names.get(name, name) for name in found]

    graph = model.graph
    return (
        model.ir_version,
        [(o.domain, o.version) for o in model.opset_import],
        [(*renamed([v.name]), v.type.SerializeToString()) for v in (*graph.input, *graph.output)],
        {names.get(t.name, t.name): array(t) for t in graph.initializer},
        [
            (n.op_type, n.domain, renamed(n.input), renamed(n.output), [*map(attribute, n.attribute)])
            for n in graph.node
        ],
    )


RENDERING = Rendering(
    written=written_numpy,
    loaded=loaded_numpy,
    model="{side}",
    to_numpy="np.asarray({output})",
    to_single="np.asarray({output})",
    type_of="np.asarray({output}).dtype.name",
)
