"""Extracted terms back to a graph, with the seed graph's signature, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyjuice.egraph.encode import Encoding
from polyjuice.egraph.extract import Selection, State
from polyjuice.egraph.language import constructors
from polyjuice.egraph.view import ENode
from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes, prune
from polyjuice.ops import GraphBuilder, check, entry, infer_node
from polyjuice.ops.shapes import ShapeMismatch, broadcast


def decode(encoding: Encoding, selection: Selection) -> Graph:
    """The graph of a selection. Raises GraphError where it is ill typed (a rule is wrong)."""
    seed = encoding.graph
    builder = GraphBuilder(seed.opsets)
    for name, type in zip(seed.inputs, seed.input_types, strict=True):
        builder.input(type, name)
    decoder = _Decoder(encoding, builder)
    names: dict[State, str] = {}
    for state, node, children in selection.postorder():
        try:
            names[state] = decoder.add(node, [names[child] for child in children])
        except (KeyError, IndexError) as error:
            raise GraphError(f"the term {node} means nothing: {error}") from None
    graph = builder.build([names[root] for root in selection.roots])
    return rename_outputs(fold_broadcasts(graph), seed.outputs)


class _Decoder:
    """Turns e-nodes into nodes; equal applications of equal operands become one node."""

    def __init__(self, encoding: Encoding, builder: GraphBuilder) -> None:
        self._encoding = encoding
        self._builder = builder
        self._made: dict[object, tuple[str, ...]] = {}
        self._taken = {*encoding.graph.inputs, *encoding.graph.outputs}

    def add(self, node: ENode, operands: Sequence[str]) -> str:
        """The name of the value of an e-node applied to named operands."""
        key = (node.application, tuple(operands))
        output = node.arguments[-1] if node.application[1] != node.arguments else 0
        if key not in self._made:
            self._made[key] = self._make(node, operands)
        return self._made[key][output]

    def _make(self, node: ENode, operands: Sequence[str]) -> tuple[str, ...]:
        match node.name:
            case "Input":
                return (self._encoding.graph.inputs[node.arguments[0]],)
            case "Const":
                return (self._builder.constant(self._encoding.constants[node.arguments[0]], self._fresh("c")),)
            case "Splat":
                value, shape, dtype = node.arguments
                scalar = np.full((), value).astype(dtypes.to_numpy(dtype))
                name = self._builder.constant(scalar, self._fresh("c"))
                return self._apply("Expand", (name,), {"shape": shape}) if shape else (name,)
            case "Other":
                return self._other(node, operands)
            case name:
                constructor = constructors()[name]
                attrs = dict(zip((a.name for a in constructor.op.attrs), node.arguments, strict=False))
                return self._apply(constructor.op.name, operands, attrs)

    def _apply(self, op: str, operands: Sequence[str], attrs: Mapping[str, Any]) -> tuple[str, ...]:
        results = infer_node(Node(op, tuple(operands), (), attrs), self._builder.types)
        names = tuple(self._fresh("v") for _ in results)
        self._builder.append(Node(op, tuple(operands), names, attrs), results)
        return names

    def _other(self, node: ENode, operands: Sequence[str]) -> tuple[str, ...]:
        original, types = self._encoding.others[node.arguments[0]]
        rest = iter(operands)
        inputs = tuple(next(rest) if name else "" for name in original.inputs)
        names = tuple(self._fresh("v") for _ in types)
        outputs = tuple(name if type else "" for name, type in zip(names, types, strict=True))
        self._builder.append(
            replace(original, inputs=inputs, outputs=outputs), [t or TensorType("bool", ()) for t in types]
        )
        return names

    def _fresh(self, stem: str) -> str:
        """A name that neither the builder nor the seed's signature uses."""
        number = len(self._builder.types)
        while f"{stem}{number}" in self._builder.types or f"{stem}{number}" in self._taken:
            number += 1
        self._taken.add(f"{stem}{number}")
        return f"{stem}{number}"


def operator_count(graph: Graph) -> int:
    """The number of operators; Expand, which only makes broadcasting explicit, does not count."""
    return sum(node.op != "Expand" or node.opaque for node in graph.nodes)


def fold_broadcasts(graph: Graph) -> Graph:
    """Drop each Expand that an elementwise operator's implicit broadcasting does as well.

    What is left of an expanded constant becomes a constant. The operators computed stay the same.
    """
    source = {n.outputs[0]: n for n in graph.nodes if n.op == "Expand" and not n.opaque}
    constants = dict(graph.constants)
    types = dict(graph.types)
    nodes = []
    for node in graph.nodes:
        op = entry(node)
        if op and op.elementwise and any(name in source for name in node.inputs):
            node = _implicit(node, source, types)
        nodes.append(node)
    used = {name for node in nodes for name in node.inputs} | set(graph.outputs)
    kept = []
    for node in nodes:
        if source.get(node.outputs[0]) is node and node.inputs[0] in constants and node.outputs[0] in used:
            shape = types[node.outputs[0]].shape
            constants[node.outputs[0]] = np.ascontiguousarray(np.broadcast_to(constants[node.inputs[0]], shape))
        else:
            kept.append(node)
    return check(prune(replace(graph, nodes=tuple(kept), constants=constants, types=types)))


def _implicit(node: Node, source: Mapping[str, Node], types: Mapping[str, TensorType]) -> Node:
    """The node with operands replaced by what they expand, as far as the result keeps its shape."""
    inputs = list(node.inputs)
    shape = types[node.outputs[0]].shape
    for i in range(len(inputs)):
        while inputs[i] in source:
            narrow = [*inputs[:i], source[inputs[i]].inputs[0], *inputs[i + 1 :]]
            try:
                fits = broadcast(*(types[n].shape for n in narrow)) == shape
            except ShapeMismatch:
                fits = False
            if not fits:
                break
            inputs = narrow
    return replace(node, inputs=tuple(inputs))


def rename_outputs(graph: Graph, names: Sequence[str]) -> Graph:
    """Give the outputs the wanted names where they are values of nodes and each is output once."""
    produced = {name for node in graph.nodes for name in node.outputs}
    mapping: dict[str, str] = {}
    for old, new in zip(graph.outputs, names, strict=True):
        if old in produced and old not in mapping and new not in graph.types:
            mapping[old] = new

    def new_name(name: str) -> str:
        return mapping.get(name, name)

    nodes = tuple(
        replace(n, inputs=tuple(map(new_name, n.inputs)), outputs=tuple(map(new_name, n.outputs))) for n in graph.nodes
    )
    types = {new_name(name): type for name, type in graph.types.items()}
    return check(replace(graph, nodes=nodes, outputs=tuple(map(new_name, graph.outputs)), types=types))
