"""Graph to an ONNX model, serialized.

Operators that ONNX lacks at the opset are said in those it has. The spelling is chosen by the seed: broadcasting
implicit or by Expand, constants as initializers, Constant nodes or inputs, static or symbolic sizes, a part of the
graph in a local function, an intermediate value as a further output. Every choice that was made is named in the
artifact.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, OperatorSetIdProto

from polyjuice import formats
from polyjuice.execution import Artifact
from polyjuice.formats import aten_calls
from polyjuice.formats.tensors import constant_node
from polyjuice.formats.versions import OPSET
from polyjuice.ir import Graph, GraphError, Node, TensorType
from polyjuice.lower.idioms import named
from polyjuice.lower.problem import Unlowerable
from polyjuice.ops import entry
from polyjuice.ops.decompose import NoDecomposition, decompose

FUNCTIONS, SYMBOLIC, CONSTANT_NODES = "functions", "symbolic sizes", "constant nodes"
"""Idioms that an importer may lack (``LACKS`` of a compiler file)."""

# Chances of the idioms, each where it is possible at all.
_EXPLICIT_BROADCAST = 0.05
_ARGUMENT = 0.05
_CONSTANT_NODES = 0.1
_FUNCTION = 0.08
_SYMBOLIC = 0.08
_FURTHER_RESULT = 0.08

_DOMAIN = "model"


def lower(graph: Graph, rng: random.Random, opset: int = OPSET, lacks: Sequence[str] = ()) -> Artifact:
    """The model of a graph. Raises Unlowerable naming the node."""
    idioms: Counter[str] = Counter()
    try:
        graph = decompose(replace(graph, opsets={**graph.opsets, "": max(opset, graph.opsets.get("", 0))}), opset)
    except NoDecomposition as error:
        raise Unlowerable(f"{error} (no ONNX at opset {opset})") from None
    for node in graph.nodes:
        if aten_calls.from_node(node):
            raise Unlowerable(f"node {node}: ONNX cannot say this call of ATen's; a Torch compiler can run it")
    results = len(graph.outputs)
    graph = _explicit_broadcasts(graph, rng, idioms)
    graph, arguments = _constants_as_inputs(graph, rng, idioms)
    graph = _further_result(graph, rng, idioms)
    try:
        model = formats.to_model(graph)
    except (formats.FormatError, GraphError) as error:
        raise Unlowerable(str(error)) from None
    if CONSTANT_NODES not in lacks and rng.random() < _CONSTANT_NODES:
        _constant_nodes(model, rng, idioms)
    if FUNCTIONS not in lacks and rng.random() < _FUNCTION:
        _outline(model, rng, idioms)
    if SYMBOLIC not in lacks and rng.random() < _SYMBOLIC:
        _symbolic(model, idioms)
    return Artifact(
        "onnx",
        model.SerializeToString(deterministic=True),
        dict(arguments),
        arguments=tuple(name for name, _ in arguments),
        results=results,
        idioms=named(idioms),
    )


def _explicit_broadcasts(graph: Graph, rng: random.Random, idioms: Counter[str]) -> Graph:
    """Here and there an Expand before an elementwise operator that would broadcast by itself."""
    types = dict(graph.types)
    nodes: list[Node] = []
    for node in graph.nodes:
        op = entry(node)
        inputs = list(node.inputs)
        shape = types[node.outputs[0]].shape if node.outputs[0] else ()
        for position, name in enumerate(inputs if op and op.elementwise else ()):
            if not name or types[name].shape == shape or rng.random() >= _EXPLICIT_BROADCAST:
                continue
            inputs[position] = f"expanded{len(types)}"
            types[inputs[position]] = TensorType(types[name].dtype, shape)
            nodes.append(Node("Expand", (name,), (inputs[position],), {"shape": shape}))
            idioms["explicit broadcast"] += 1
        nodes.append(replace(node, inputs=tuple(inputs)))
    return replace(graph, nodes=tuple(nodes), types=types)


def _constants_as_inputs(
    graph: Graph, rng: random.Random, idioms: Counter[str]
) -> tuple[Graph, list[tuple[str, np.ndarray]]]:
    """Here and there a constant becomes an input; their names and values."""
    moved = [(name, array) for name, array in graph.constants.items() if rng.random() < _ARGUMENT]
    if not moved:
        return graph, []
    idioms["a constant as an argument"] += len(moved)
    names = [name for name, _ in moved]
    constants = {name: array for name, array in graph.constants.items() if name not in names}
    return replace(graph, inputs=(*graph.inputs, *names), constants=constants), moved


def _further_result(graph: Graph, rng: random.Random, idioms: Counter[str]) -> Graph:
    """Sometimes an intermediate value becomes a further output."""
    made = [name for node in graph.nodes for name in node.outputs if name and name not in graph.outputs]
    if not made or rng.random() >= _FURTHER_RESULT:
        return graph
    idioms["an intermediate value as a result"] += 1
    return replace(graph, outputs=(*graph.outputs, rng.choice(made)))


def _constant_nodes(model: ModelProto, rng: random.Random, idioms: Counter[str]) -> None:
    """Some initializers become Constant nodes."""
    kept, constants = [], []
    for tensor in model.graph.initializer:
        if rng.random() < 0.5:
            kept.append(tensor)
            continue
        idioms["constant nodes"] += 1
        constants.append(constant_node(tensor))
    nodes = [*constants, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)


def _outline(model: ModelProto, rng: random.Random, idioms: Counter[str]) -> None:
    """A run of nodes becomes a local function and its call."""
    nodes = list(model.graph.node)
    if len(nodes) < 3 or any(a.HasField("g") for node in nodes for a in node.attribute):
        return
    length = rng.randint(2, len(nodes) - 1)
    start = rng.randint(0, len(nodes) - length)
    inside, outside = nodes[start : start + length], [*nodes[:start], *nodes[start + length :]]
    made = [name for node in inside for name in node.output if name]
    read = {name for node in outside for name in node.input}.union(info.name for info in model.graph.output)
    results = [name for name in made if name in read]
    operands = list(dict.fromkeys(n for node in inside for n in node.input if n and n not in made))
    if not results:
        return
    function = FunctionProto(name="part", domain=_DOMAIN)
    function.input.extend(operands)
    function.output.extend(results)
    function.node.extend(inside)
    function.opset_import.extend(model.opset_import)
    call = NodeProto(op_type="part", domain=_DOMAIN, input=operands, output=results)
    hidden = set(made).difference(results)
    shown = [info for info in model.graph.value_info if info.name not in hidden]
    del model.graph.node[:], model.graph.value_info[:]
    model.graph.node.extend([*nodes[:start], call, *nodes[start + length :]])
    model.graph.value_info.extend(shown)
    model.functions.append(function)
    model.opset_import.append(OperatorSetIdProto(domain=_DOMAIN, version=1))
    idioms["a function of its own"] += 1


def _symbolic(model: ModelProto, idioms: Counter[str]) -> None:
    """The sizes of all inputs become symbols, equal ones the same; other declarations go."""
    count = 0
    for info in model.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_value > 1:
                dim.dim_param = f"n{dim.dim_value}"
                count += 1
    del model.graph.value_info[:]
    if count:
        idioms["symbolic sizes"] += 1
