"""An ONNX model in a report: a listing of the whole model, and the operators that run.

Everything comes from the model itself: opsets, local functions, omitted operands (``""``), and attributes. Values whose
names are not identifiers get short names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import onnx.inliner
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.numpy_helper import to_array

from polyjuice.frameworks.expressions import DEEPEST, MOST, WIDTH, CallExpression, cut, elements, number, shortened
from polyjuice.frameworks.onnx.subgraphs import nested_nodes
from polyjuice.wording import quoted_in_markdown as code_text

#: How many operators of subgraphs a pattern names.
_HELD = 3

#: The attributes that hold the number of an element type.
_TYPES = {"Cast": ("to",), "EyeLike": ("dtype",), "SequenceEmpty": ("dtype",)}


@dataclass(frozen=True)
class OnnxProgram:
    """A serialized model."""

    source: bytes

    @cached_property
    def model(self) -> ModelProto:
        return onnx.load_from_string(self.source)

    @property
    def language(self) -> str:
        return "text"

    @property
    def listing(self) -> str:
        """Opsets, inputs, operators in order with the types of their results, outputs, local functions."""
        blocks = [_graph(self.model.graph, f"ONNX model, {', '.join(self._opsets)}")]
        blocks += [_function(function, self._opsets) for function in self.model.functions]
        return "\n\n".join(blocks)

    def pattern(self, output: int | None) -> str:
        """The computation of one output (None: of all outputs) as an expression of the operators that run.

        Local functions are expanded into their operators.
        """
        graph = self._expanded.graph
        calls = _Calls(graph)
        names = [value.name for value in graph.output]
        chosen = [names[output]] if output is not None and output < len(names) else names
        first, *others = calls.largest(chosen)
        text = shortened(first)
        return cut("; ".join([text, *map(shortened, others)]), max(len(text) + 5, WIDTH))

    @property
    def operators(self) -> Counter[str]:
        """How often each operator runs, counted separately for different attributes."""
        return Counter(_described(node) for node in _nodes(self._expanded.graph))

    @property
    def names(self) -> list[str]:
        """The operators that run, each once."""
        return list(dict.fromkeys(code_text(node.op_type) for node in _nodes(self._expanded.graph)))

    @property
    def facts(self) -> dict[str, str]:
        """Other possible differences between two models with the same operators, by name."""
        graph = self.model.graph
        constants = ["initializers"] if graph.initializer else []
        constants += ["`Constant` nodes"] if any(node.op_type == "Constant" for node in graph.node) else []
        return {
            "opset": ", ".join(self._opsets),
            "local functions": ", ".join(code_text(function.name) for function in self.model.functions) or "none",
            "inputs": ", ".join(map(_type, graph.input)) or "none",
            "outputs": ", ".join(map(_type, graph.output)),
            **({"constants": " and ".join(constants)} if constants else {}),
        }

    @property
    def _opsets(self) -> list[str]:
        return _opsets(self.model)

    @cached_property
    def _expanded(self) -> ModelProto:
        if not self.model.functions:
            return self.model
        try:
            return onnx.inliner.inline_local_functions(self.model)
        except (RuntimeError, TypeError, ValueError):  # the listing keeps calls that do not expand
            return self.model


class _Calls:
    """The expressions of a graph's values."""

    def __init__(self, graph: GraphProto) -> None:
        self._names = _names(graph)
        self._constants = _constants(graph)
        self._producers = {name: node for node in graph.node for name in node.output if name}

    def largest(self, outputs: Iterable[str]) -> list[CallExpression | str]:
        """The expressions of outputs that are not part of another output, the largest first; at most two."""
        calls = [(len(self._below(name)), self.of(name), name) for name in outputs]
        calls.sort(key=lambda one: -one[0])
        covered: set[str] = set()
        chosen = []
        for _, call, name in calls:
            if name not in covered:
                chosen.append(call)
            covered |= self._below(name)
        return chosen[:2]

    def of(self, name: str, depth: int = DEEPEST) -> CallExpression | str:
        """The expression of a value, cut below the depth that is ever shown."""
        if name in self._constants:
            array = self._constants[name]
            return _short_number(array.reshape(-1)[0]) if array.size == 1 else "constant"
        node = self._producers.get(name)
        if node is None:
            return self._names.get(name) or code_text(name) or '""'
        types = [_attribute(node, a) for a in node.attribute if a.name in _TYPES.get(node.op_type, ())]
        name = _operator(node) + (f"<{', '.join(types)}>" if types else "") + _held_operators(node)
        return CallExpression(name, tuple(self.of(x, depth - 1) for x in node.input) if depth else ())

    def _below(self, name: str) -> set[str]:
        found, left = set(), [name]
        while left:
            value = left.pop()
            if value in self._producers and value not in found:
                found.add(value)
                left.extend(self._producers[value].input)
        return found


def _held_operators(node: NodeProto) -> str:
    graphs = (attribute.g for attribute in node.attribute if attribute.type == AttributeProto.GRAPH)
    names = list(dict.fromkeys(_operator(inner) for graph in graphs for inner in _nodes(graph)))
    more = ", ..." if len(names) > _HELD else ""
    return f"{{{', '.join(names[:_HELD])}{more}}}" if names else ""


def _short_number(value: np.generic) -> str:
    text = number(value)
    return {"9223372036854775807": "INT64_MAX", "-9223372036854775808": "INT64_MIN"}.get(text, text)


def _nodes(graph: GraphProto) -> Iterator[NodeProto]:
    return (inner for node in graph.node for inner in nested_nodes(node))


def _constants(graph: GraphProto) -> dict[str, np.ndarray]:
    found = {tensor.name: to_array(tensor) for tensor in graph.initializer}
    for node in graph.node:
        value = next((a.t for a in node.attribute if node.op_type == "Constant" and a.name == "value"), None)
        if value is not None:
            found[node.output[0]] = to_array(value)
    return found


def _names(graph: GraphProto | FunctionProto, outer: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """A short identifier for each value whose name is not one, unlike the names of the values around a subgraph."""
    inner = [name for node in graph.node for name in node.output]
    ends = [*graph.input, *graph.output] if isinstance(graph, FunctionProto) else [v.name for v in graph.input]
    held = [] if isinstance(graph, FunctionProto) else [tensor.name for tensor in graph.initializer]
    every = dict.fromkeys([*ends, *held, *inner])
    names = {**outer, "": '""', **{name: name for name in every if name.isidentifier()}}
    for name in every:
        stem = "c" if name in held else "t"
        if name and name not in names:
            taken = set(names.values())
            names[name] = next(short for n in range(len(every) + len(taken)) if (short := f"{stem}{n}") not in taken)
    return names


def _opsets(holder: ModelProto | FunctionProto) -> list[str]:
    return [code_text(f"{o.domain + ' ' if o.domain else ''}opset {o.version}") for o in holder.opset_import]


def _graph(graph: GraphProto, title: str, outer: Mapping[str, str] = MappingProxyType({})) -> str:
    names = _names(graph, outer)
    types = {value.name: value for value in (*graph.value_info, *graph.output)}
    inline = {t.name: _inline(t) for t in graph.initializer}
    inputs = ", ".join(_value(value, names) for value in graph.input)
    lines = [title, *([f"input {inputs}"] if inputs else [])]
    lines += [f"constant {names[t.name]}: {_held(t)}" for t in graph.initializer if not inline[t.name]]
    shown = {**names, **{name: text for name, text in inline.items() if text}}
    lines += [line for node in graph.node for line in _node(node, shown, names, types)]
    lines += [f"output {', '.join(shown[value.name] for value in graph.output)}"]
    return "\n".join(lines)


def _function(function: FunctionProto, outer: list[str]) -> str:
    names = _names(function)
    own = ", ".join(opset for opset in _opsets(function) if opset not in outer)
    attributes = [*function.attribute, *(a.name for a in function.attribute_proto)]
    inputs = ", ".join([*(names[x] for x in function.input), *(f"{name}=" for name in attributes)])
    called = code_text(f"{function.domain}.{function.name}({inputs})")
    lines = [f"function {called}{f', {own}' if own else ''}"]
    lines += [f"    {line}" for node in function.node for line in _node(node, names, names, {})]
    return "\n".join([*lines, f"    return {', '.join(names[y] for y in function.output)}"])


def _node(
    node: NodeProto, operands: Mapping[str, str], names: Mapping[str, str], types: Mapping[str, ValueInfoProto]
) -> Iterator[str]:
    texts = [operands.get(x) or code_text(x) for x in node.input]
    texts += [f"{code_text(a.name)}={_attribute(node, a)}" for a in node.attribute if a.type != AttributeProto.GRAPH]
    results = ", ".join(names.get(y) or code_text(y) for y in node.output)
    made = [_type(types[y]) for y in node.output if y in types]
    comment = f"  # {', '.join(made)}" if made else ""
    yield f"{results} = {_operator(node)}({', '.join(texts)}){comment}"
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            yield from (
                f"    {line}" for line in _graph(attribute.g, f"{code_text(attribute.name)}:", operands).splitlines()
            )


def _operator(node: NodeProto) -> str:
    return code_text(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)


def _described(node: NodeProto) -> str:
    """An operator with its attributes and omitted operands, as Markdown."""
    plain = [f"{code_text(a.name)}={_attribute(node, a)}" for a in node.attribute if a.type != AttributeProto.GRAPH]
    absent = [str(i) for i, name in enumerate(node.input) if not name]
    without = f' with operand {" and ".join(absent)} left out (`""`)' if absent else ""
    attributes = f"({', '.join(sorted(plain))})" if plain else ""
    return f"`{_operator(node)}{attributes}`{without}"


def _attribute(node: NodeProto, attribute: AttributeProto) -> str:
    if attribute.ref_attr_name:
        return code_text(f"@{attribute.ref_attr_name}")
    value: Any = helper.get_attribute_value(attribute)
    if isinstance(value, TensorProto):
        return _held(value)
    if attribute.name in _TYPES.get(node.op_type, ()):
        return _type_name(value)
    if isinstance(value, bytes):
        return code_text(f'"{value.decode(errors="replace")}"')
    if isinstance(value, float):
        return number(np.float32(value))
    if isinstance(value, (list, tuple)) or hasattr(value, "__len__"):
        items = [number(np.float32(x)) if isinstance(x, float) else x for x in value]
        return (
            "["
            + ", ".join(code_text(f'"{x.decode(errors="replace")}"' if isinstance(x, bytes) else str(x)) for x in items)
            + "]"
        )
    return code_text(" ".join(str(value).split()))


def _inline(tensor: TensorProto) -> str:
    """The text that replaces a constant where it is used: for scalars, and short int64 lists such as shapes.

    "" where a line of its own says more.
    """
    if tensor.data_type == TensorProto.INT64 and len(tensor.dims) == 1 and tensor.dims[0] <= MOST:
        return elements(to_array(tensor))
    return "" if tensor.dims else f"{_type_name(tensor.data_type)}({elements(to_array(tensor))})"


def _held(tensor: TensorProto) -> str:
    array = to_array(tensor)
    return f"{_shaped(tensor.data_type, list(tensor.dims))} = {elements(array)}"


def _value(value: ValueInfoProto, names: Mapping[str, str]) -> str:
    return f"{names.get(value.name) or code_text(value.name)}: {_type(value)}"


def _type(value: ValueInfoProto) -> str:
    tensor = value.type.tensor_type
    if not tensor.elem_type:
        return "a value that is no tensor"
    dims = [dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?" for dim in tensor.shape.dim]
    return _shaped(tensor.elem_type, dims)


def _shaped(code: int, dims: list[Any]) -> str:
    return code_text(f"{_type_name(code)}[{', '.join(map(str, dims))}]")


def _type_name(code: int) -> str:
    return str(TensorProto.DataType.Name(code)).lower()
