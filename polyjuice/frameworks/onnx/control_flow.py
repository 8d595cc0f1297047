"""Convert If, Loop and Scan between Graph and ONNX.

In a Graph a subgraph takes the operands as inputs. In ONNX it captures outer values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper

from polyjuice.frameworks.limits import extent, read_limits
from polyjuice.frameworks.onnx.subgraphs import RESERVED, close, reopen
from polyjuice.frameworks.onnx.tensors import to_value_info
from polyjuice.ir import Graph, Node, TensorType, prune
from polyjuice.ops import Op
from polyjuice.ops.control import ITERATION, scanned, trips
from polyjuice.ops.normal import NotCovered
from polyjuice.ops.shapes import normalize_axis

_CONDITION = f"{RESERVED}condition"
_TRUTH = TensorType("bool", ())


def complete(proto: NodeProto, node: Node, write: Callable[[Graph], GraphProto], true: Callable[[], str]) -> None:
    """Give the NodeProto of a control-flow node its subgraphs, and the inputs that ONNX requires.

    ``write`` makes the GraphProto of a subgraph whose inputs are the operands. ``true`` names a constant ``True``.
    """
    own = 1
    if node.op == "Loop":
        own = len(node.attrs["body"].outputs)
        proto.input[:] = [proto.input[0], true(), *node.inputs[:own]]
    else:
        own = scanned(node.attrs).stop if node.op == "Scan" else 1
        proto.input[:] = node.inputs[:own]
    for name, graph in node.attrs.items():
        if isinstance(graph, Graph):
            inner = write(graph)
            parameters: list[Any] = _loop_parameters(inner, own) if node.op == "Loop" else []
            parameters = list(inner.input[:own]) if node.op == "Scan" else parameters
            del inner.input[:]
            inner.input.extend(parameters)
            attribute = AttributeProto(name=name, type=AttributeProto.GRAPH, g=inner)
            closed, captured = close(NodeProto(attribute=[attribute]))
            reopen(closed, [node.inputs[graph.inputs.index(value)] for value in captured])
            proto.attribute.extend(closed.attribute)


def _loop_parameters(inner: GraphProto, carried: int) -> list[Any]:
    """The inputs of a Loop's body: the iteration's number, a condition that it passes on, and the carried values."""
    condition, passed = to_value_info(_CONDITION, _TRUTH), to_value_info(f"{_CONDITION}:out", _TRUTH)
    outputs = [passed, *inner.output]
    inner.node.append(NodeProto(op_type="Identity", input=[condition.name], output=[passed.name]))
    del inner.output[:]
    inner.output.extend(outputs)
    return [inner.input[len(inner.input) - 1], condition, *inner.input[:carried]]


def operands_and_graphs(
    op: Op,
    proto: NodeProto,
    types: Mapping[str, TensorType],
    read: Callable[[GraphProto], Graph],
    value_of: Callable[[str], np.ndarray | None],
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The operands and attributes of a control-flow node.

    ``read`` makes the Graph of a GraphProto. ``value_of`` is a value's array, None if unknown. Raises NotCovered.
    """
    closed, captured = close(proto)
    graphs = {a.name: a.g for a in closed.attribute if a.type == AttributeProto.GRAPH}
    if any(name not in types for name in captured):
        raise NotCovered("a captured value that is not defined")
    if not proto.input or graphs.keys() != {attr.name for attr in op.attrs if attr.kind == "graph"}:
        raise NotCovered("a control-flow operator without its condition, its number of iterations or its graphs")
    outer = [to_value_info(f"{RESERVED}captured:{i}", types[name]) for i, name in enumerate(captured)]
    if proto.op_type == "If":
        condition = to_value_info(_CONDITION, types[proto.input[0]])
        return (proto.input[0], *captured), {
            name: _read(graph, [condition, *outer], read) for name, graph in graphs.items()
        }
    body = graphs["body"]
    if proto.op_type == "Scan":
        return _scan(proto, body, types, captured, outer, read)
    carried = tuple(proto.input[2:])
    count, condition_known = value_of(proto.input[0]), True
    if len(proto.input) > 1 and proto.input[1]:
        value = value_of(proto.input[1])
        condition_known = value is not None and bool(value.all())
    if count is None or count.size != 1 or not condition_known or "" in carried:
        raise NotCovered("a loop whose number of iterations is not constant")
    if len(body.input) != 2 + len(carried) or len(body.output) != 1 + len(carried):
        raise NotCovered("a loop that collects the values of its iterations")
    names = [info.name for info in body.input]
    inputs = [to_value_info(inner, types[name]) for inner, name in zip(names[2:], carried, strict=True)]
    inputs += [*outer, to_value_info(names[0], ITERATION), to_value_info(names[1], _TRUTH)]
    graph = _without_condition(_read(body, inputs, read))
    return (*carried, *captured), {"M": int(count.reshape(())), "body": graph}


def _scan(
    proto: NodeProto,
    body: GraphProto,
    types: Mapping[str, TensorType],
    captured: Sequence[str],
    outer: Sequence[Any],
    read: Callable[[GraphProto], Graph],
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The operands and attributes of a Scan, all axes counted from the front."""
    given = {a.name: helper.get_attribute_value(a) for a in proto.attribute if a.type != AttributeProto.GRAPH}
    count, own = given["num_scan_inputs"], tuple(proto.input)
    carried, results = len(own) - count, len(body.output) - (len(own) - count)
    if "" in own or carried < 0 or results < 0 or count < 1 or len(body.input) != len(own):
        raise NotCovered("a scan whose body has other inputs")
    axes = {"input": given.get("scan_input_axes", [0] * count), "output": given.get("scan_output_axes", [0] * results)}
    slices = []
    for i, (name, axis) in enumerate(zip(own[carried:], axes["input"], strict=True)):
        shape = list(types[name].shape)
        axes["input"][i] = normalize_axis(axis, len(shape))
        del shape[axes["input"][i]]
        slices.append(TensorType(types[name].dtype, tuple(shape)))
    inner = [types[name] for name in own[:carried]] + slices
    inputs = [to_value_info(info.name, t) for info, t in zip(body.input, inner, strict=True)]
    graph = _read(body, [*inputs, *outer], read)
    ranks = [t.rank + 1 for t in graph.output_types[carried:]]
    axes["output"] = [normalize_axis(axis, rank) for axis, rank in zip(axes["output"], ranks, strict=True)]
    attrs: dict[str, Any] = {"num_scan_inputs": count, "body": graph}
    for name, found in axes.items():
        attrs[f"scan_{name}_axes"] = tuple(found)
        attrs[f"scan_{name}_directions"] = tuple(given.get(f"scan_{name}_directions", [0] * len(found)))
    check_iterations({"body": graph, "M": trips(attrs, [types[name].shape for name in own])})
    return (*own, *captured), attrs


def check_iterations(attrs: Mapping[str, Any]) -> None:
    """Raise NotCovered for a loop that has more nodes or elements than the limits once it is unrolled."""
    body, count = attrs.get("body"), max(attrs.get("M", 1), 1)
    if body is None:
        return
    limits = read_limits()
    if count * _unrolled(body) > limits.nodes:
        raise NotCovered("a loop of too many iterations")
    if count * sum(extent(type.shape) for type in body.types.values()) > limits.all_elements:
        raise NotCovered("a loop of too many elements")


def _unrolled(graph: Graph) -> int:
    """The number of nodes of a graph once its loops are unrolled, at least one."""
    count = 1
    for node in graph.nodes:
        inner = sum(_unrolled(value) for value in node.attrs.values() if isinstance(value, Graph))
        shapes = [graph.types[name].shape for name in node.inputs if name]
        count += 1 + max(trips(node.attrs, shapes), 1) * inner if inner else 1
    return count


def _read(graph: GraphProto, inputs: Sequence[Any], read: Callable[[GraphProto], Graph]) -> Graph:
    """The Graph of a subgraph with these inputs. Raises NotCovered where the table lacks an operator in it."""
    whole = GraphProto()
    whole.CopyFrom(graph)
    del whole.input[:]
    whole.input.extend(inputs)
    result = read(whole)
    if any(node.opaque for node in result.nodes):
        raise NotCovered("an operator that the table lacks")
    return result


def _without_condition(body: Graph) -> Graph:
    """The body without the condition, its last input and first output. Raises NotCovered where it may be false."""
    condition, passed = body.inputs[-1], body.outputs[0]
    copies = {condition}
    for node in body.nodes:
        if node.qualified == "Identity" and node.inputs[0] in copies:
            copies.add(node.outputs[0])
    constant = passed in body.constants and bool(body.constants[passed].all())
    rest = prune(replace(body, inputs=body.inputs[:-1], outputs=body.outputs[1:]))
    read = {name for node in rest.nodes for name in node.inputs}.union(rest.outputs)
    if not (constant or passed in copies) or condition in read:
        raise NotCovered("a loop that may end early")
    return rest
