"""Write a Graph as an ONNX model: opset 18 and IR version 9, later only where a node needs it.

ATen's operators get their meaning as local functions, where ONNX can express it. The final values of updated
inputs are further outputs, which the metadata name (``UPDATES``). Every value is declared with its type.

Attributes that ONNX takes as inputs become shared initializers. Floats are rounded to ONNX's precision: single
precision, or the operand's type for such inputs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import EncodeError
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, defs, helper

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import control_flow, opaque
from polyjuice.frameworks.onnx.read import OUTPUT_MARK, PRODUCER, UNUSED_MARK, UPDATES
from polyjuice.frameworks.onnx.subgraphs import RESERVED
from polyjuice.frameworks.onnx.tensors import code_of, constant_node, to_tensor, to_value_info
from polyjuice.frameworks.onnx.versions import IR_VERSION, OPSET, ir_version, schema_of, taking_version
from polyjuice.ir import Graph, Node, TensorType, array_digest, dtypes
from polyjuice.ops import Attr, Op, entry
from polyjuice.ops.decompose import NoDecomposition, body, decompose
from polyjuice.ops.grids import LATER_MODES
from polyjuice.ops.selection import SATURATES

_GRID_MODES_OPSET = 20
"""The version of ONNX in which GridSample's modes have other names."""

_DILATED_AVERAGE_OPSET = 19
"""The first version of ONNX in which AveragePool has dilations."""

_OVERLOADS_IR_VERSION = 10
"""The version of the file format in which functions of one name may differ."""

_WRAPPING_PAD_OPSET = 19
"""The first version of ONNX in which Pad has the mode wrap."""


def save(graph: Graph, path: str | Path, name: str = "polyjuice") -> None:
    """Write a Graph to an ONNX file; equal graphs make equal bytes. Raises FormatError."""
    model = to_model(graph, name)
    try:
        data = model.SerializeToString(deterministic=True)
    except (EncodeError, ValueError) as error:
        raise FormatError(f"{path}: cannot be written ({error}); an ONNX file holds at most 2 GB") from None
    Path(path).write_bytes(data)


def to_model(graph: Graph, name: str = "polyjuice") -> ModelProto:
    """The ONNX model of a checked Graph. Raises FormatError."""
    for value in graph.types:
        if value.startswith(RESERVED):
            raise FormatError(f"the value {value!r} has a reserved name; rename it")
    return _Writer(graph).model(name)


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.proto = GraphProto()
        self.shared: dict[tuple[str, tuple[int, ...], str], str] = {}
        self.unused = 0
        self.opset = graph.opsets.get("", OPSET)

    def graph_proto(self) -> GraphProto:
        return self.model("body").graph

    def model(self, name: str) -> ModelProto:
        graph, proto = self.graph, self.proto
        proto.name = name
        proto.input.extend(to_value_info(value, graph.types[value]) for value in graph.inputs)
        proto.initializer.extend(to_tensor(array, value) for value, array in graph.constants.items())
        written = [opaque.to_proto(node) if node.opaque else self.table_node(node) for node in graph.nodes]
        foreign = [(n, p) for n, p in zip(graph.nodes, written, strict=True) if n.domain == "aten" and not n.opaque]
        functions = _local_functions(foreign, graph.types)
        self.opset = max((self.opset, *(function.opset_import[0].version for function in functions)))
        for node in written:
            if self.opset >= _GRID_MODES_OPSET and node.op_type == "GridSample" and not node.domain:
                _rename_mode(node)
        proto.node.extend(written)
        self.outputs()
        model = ModelProto(ir_version=IR_VERSION, producer_name=PRODUCER, graph=proto)
        domains = {node.domain: 1 for node in graph.nodes if node.domain}
        opsets = {**domains, **graph.opsets, "": self.opset}
        model.functions.extend(functions)
        if graph.updates:
            model.metadata_props.add(key=UPDATES, value=json.dumps(dict(graph.updates)))
        overloaded = any(function.overload for function in functions)
        model.ir_version = max(ir_version(opsets), _OVERLOADS_IR_VERSION if overloaded else 0)
        model.opset_import.extend(OperatorSetIdProto(domain=d, version=v) for d, v in sorted(opsets.items()))
        return model

    def outputs(self) -> None:
        """Declare outputs (behind an Identity where a value cannot be one itself) and all other results."""
        graph, proto = self.graph, self.proto
        computed = [name for node in graph.nodes for name in node.outputs if name]
        direct = set(computed)
        for i, value in enumerate(graph.outputs):
            name = value
            if value not in direct:
                name = f"{OUTPUT_MARK}{i}"
                proto.node.append(NodeProto(op_type="Identity", name=name, input=[value], output=[name]))
                held = (graph.types[value].dtype,)
                self.opset = taking_version("Identity", held, held, self.opset)
            direct.discard(value)
            proto.output.append(to_value_info(name, graph.types[value]))
        outputs = set(graph.outputs)
        proto.value_info.extend(to_value_info(value, graph.types[value]) for value in computed if value not in outputs)

    def table_node(self, node: Node) -> NodeProto:
        op = entry(node)
        assert op is not None
        self.raise_opset(node, op)
        attributes = [attr for attr in op.attrs if not attr.as_input and attr.kind != "graph"]
        if node.qualified == "AveragePool" and self.opset < _DILATED_AVERAGE_OPSET:
            attributes = [attr for attr in attributes if attr.name != "dilations"]
        proto = NodeProto(op_type=node.op, domain=node.domain)
        proto.output.extend(name or self.unused_name() for name in node.outputs)
        given = {attr: node.attrs[attr.name] for attr in attributes}
        proto.attribute.extend(_attribute(attr, v) for attr, v in given.items() if not _is_absent(op, attr, v))
        if node.qualified == "Cast" and SATURATES.get(node.attrs["to"]) == 0:
            proto.attribute.append(AttributeProto(name="saturate", type=AttributeProto.INT, i=0))
        self.write_inputs(proto, node, op)
        if op.unrolled:
            control_flow.complete(proto, node, self.subgraph, lambda: self.initializer(np.array(True)))
        return proto

    def raise_opset(self, node: Node, op: Op) -> None:
        if not node.domain:
            types, inputs = self.graph.types, list(node.inputs)
            for attr in op.attrs:
                if attr.place is not None:
                    inputs.insert(attr.place, "")
            operands = tuple(types[n].dtype if n else None for n in inputs)
            results = tuple(types[n].dtype if n else None for n in node.outputs)
            self.opset = taking_version(node.op, operands, results, max(self.opset, op.since))
        if node.qualified == "AveragePool" and any(d != 1 for d in node.attrs["dilations"]):
            self.opset = max(self.opset, _DILATED_AVERAGE_OPSET)
        if node.qualified == "Pad" and node.attrs["mode"] == "wrap":
            self.opset = max(self.opset, _WRAPPING_PAD_OPSET)

    def write_inputs(self, proto: NodeProto, node: Node, op: Op) -> None:
        proto.input.extend(node.inputs)
        by_scales = node.op == "Resize" and node.attrs["scales"]  # ONNX takes no sizes beside them
        as_inputs = [attr for attr in op.attrs if attr.as_input and not (by_scales and attr.name == "sizes")]
        constants = list(self.constant_inputs(node, [attr for attr in as_inputs if attr.place is None]))
        while constants and not constants[-1]:
            constants.pop()
        if constants:
            proto.input.extend("" for _ in range(len(op.inputs) - len(node.inputs)))
            proto.input.extend(constants)
        for attr in as_inputs:
            if attr.place is not None:
                proto.input.extend("" for _ in range(attr.place - len(proto.input)))
                proto.input.insert(attr.place, *self.constant_inputs(node, [attr]))
        while proto.input and not proto.input[-1]:
            proto.input.pop()

    def subgraph(self, graph: Graph) -> GraphProto:
        inner = _Writer(graph)
        proto = inner.graph_proto()
        self.opset = max(self.opset, inner.opset)
        return proto

    def unused_name(self) -> str:
        self.unused += 1
        return f"{UNUSED_MARK}{self.unused}"

    def constant_inputs(self, node: Node, attrs: list[Attr]) -> Iterator[str]:
        for attr in attrs:
            value = node.attrs[attr.name]
            dtype = self.graph.types[node.inputs[0]].dtype if attr.like_operand else "int64"
            if attr.place is not None and attr.default == ():
                value = value or None
            if attr.kind == "floats":
                dtype = "float32"
            elif attr.place is not None and not self.takes_int64(node.op, attr.place):
                dtype = "int32"
            if attr.kind == "int" and not attr.scalar:
                value = (value,)
            yield "" if value is None else self.initializer(_as_array(value, dtype))

    def takes_int64(self, op: str, place: int) -> bool:
        schema = schema_of(op, self.opset)
        return schema is None or "tensor(int64)" in schema.inputs[place].types

    def initializer(self, array: np.ndarray) -> str:
        key = (str(array.dtype), array.shape, array_digest(array))
        if key not in self.shared:
            self.shared[key] = f"{RESERVED}constant:{len(self.shared)}"
            self.proto.initializer.append(to_tensor(array, self.shared[key]))
        return self.shared[key]


def _local_functions(nodes: Iterable[tuple[Node, NodeProto]], types: Mapping[str, TensorType]) -> list[FunctionProto]:
    """A function for every node that has a body in ONNX's operators.

    Equal bodies are shared. Nodes of one operator with different bodies get overloads (``NodeProto.overload``).
    """
    found: dict[tuple[str, str], list[bytes]] = {}
    functions: list[FunctionProto] = []
    for node, proto in nodes:
        try:
            inner = decompose(body(node, types), OPSET)
        except NoDecomposition:
            continue
        function = _function(node, proto, _Writer(inner))
        text = function.SerializeToString(deterministic=True)
        known = found.setdefault((node.domain, node.op), [])
        if text not in known:
            known.append(text)
            function.overload = _overload(len(known) - 1)
            functions.append(function)
        proto.overload = _overload(known.index(text))
    return functions


def _overload(number: int) -> str:
    return str(number) if number else ""


def _function(node: Node, proto: NodeProto, writer: _Writer) -> FunctionProto:
    inner = writer.graph_proto()
    function = FunctionProto(name=node.op, domain=node.domain)
    function.input.extend(info.name for info in inner.input)
    function.output.extend(info.name for info in inner.output)
    function.attribute.extend(sorted(attribute.name for attribute in proto.attribute))
    for tensor in inner.initializer:
        function.node.append(constant_node(tensor))
    function.node.extend(inner.node)
    function.opset_import.append(OperatorSetIdProto(domain="", version=writer.opset))
    return function


def _rename_mode(node: NodeProto) -> None:
    for attribute in node.attribute:
        if attribute.name == "mode":
            mode = attribute.s.decode()
            attribute.s = LATER_MODES.get(mode, mode).encode()


def _as_array(value: Any, dtype: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(dtypes.to_numpy(dtype))


_KINDS: Mapping[str, tuple[AttributeProto.AttributeType, Callable[[Any], Any]]] = {
    "int": (AttributeProto.INT, int),
    "ints": (AttributeProto.INTS, list),
    "float": (AttributeProto.FLOAT, float),
    "floats": (AttributeProto.FLOATS, lambda values: [float(value) for value in values]),
    "string": (AttributeProto.STRING, str),
    "dtype": (AttributeProto.INT, code_of),
}


def _is_absent(op: Op, attr: Attr, value: Any) -> bool:
    """Whether an attribute is absent: it is None, or 0 where ONNX has no number for that, as for heads of attention."""
    if value is None or op.domain or attr.kind != "int" or value != 0 or attr.default != 0:
        return value is None
    declared = defs.get_schema(op.name, op.since).attributes[attr.name]
    return not declared.required and declared.default_value.type == AttributeProto.UNDEFINED


def _attribute(attr: Attr, value: Any) -> AttributeProto:
    type, convert = _KINDS[attr.kind]
    return helper.make_attribute(attr.name, convert(value), attr_type=type)
