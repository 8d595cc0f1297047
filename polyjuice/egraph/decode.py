"""Extracted terms back to a graph, with the seed graph's signature, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyjuice.egraph import conditions
from polyjuice.egraph.encode import Encoding
from polyjuice.egraph.extract import Extractor, Selection, State
from polyjuice.egraph.language import constructors
from polyjuice.egraph.patterns import BROADCAST, PREFIX, Pattern
from polyjuice.egraph.sexpr import Expr
from polyjuice.egraph.view import EGraphView, ENode
from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes, prune
from polyjuice.ops import TABLE, Accepts, Op, check, entry, infer_node, numbers, primitives
from polyjuice.ops.shapes import ShapeMismatch, broadcast


def decode(encoding: Encoding, selection: Selection, patterns: Iterable[Pattern] = ()) -> Graph:
    """The graph of a selection. Raises GraphError where it is ill typed (a rule is wrong).

    ``patterns`` are those that the selection may hold.
    """
    seed = encoding.graph
    decoder = _Decoder(encoding)
    decoder.patterns = {pattern.relation: pattern for pattern in patterns}
    names: dict[State, str] = {}
    for state, node, children in selection.postorder():
        try:
            names[state] = decoder.add(node, [names[child] for child in children])
        except (KeyError, IndexError) as error:
            raise GraphError(f"the term {node} means nothing: {error}") from None
    outputs = tuple(names[root] for root in selection.roots)
    nodes = tuple(decoder.nodes)
    graph = Graph(seed.inputs, decoder.constants, nodes, outputs, decoder.types, seed.opsets, seed.updates)
    return check(_renamed(_folded(graph), seed.outputs))


def extractor(encoding: Encoding, view: EGraphView, roots: Sequence[int]) -> Extractor:
    """An extractor that leaves out ill-typed terms.

    Rules assume element types that operators compute with. On a value of a narrow type they may make a term whose
    operator does not accept that type. The extractor leaves such terms out.
    """
    found = Extractor(view, roots, encoding.inputs)
    if any(node.name == primitives.CAST and node.arguments[0] in dtypes.NARROW for node in found.enodes()) or any(
        t.dtype in dtypes.NARROW for t in encoding.graph.types.values()
    ):
        return Extractor(view, roots, encoding.inputs, _meaningless(encoding, found))
    return found


def _meaningless(encoding: Encoding, extractor: Extractor) -> frozenset[ENode]:
    """The e-nodes whose operator does not accept their operands, or with an operand that only such e-nodes make."""
    decoder = _Decoder(encoding)
    names: dict[int, str] = {}
    found = set()
    waiting = [(eclass, node) for eclass, nodes in extractor.classes().items() for node in nodes]
    count = -1
    while len(waiting) != count:
        count = len(waiting)
        later = []
        for eclass, node in waiting:
            if not names.keys() >= set(node.children):
                later.append((eclass, node))
                continue
            try:
                names.setdefault(eclass, decoder.add(node, [names[child] for child in node.children]))
            except (GraphError, KeyError, IndexError):
                found.add(node)
        waiting = later
    return frozenset(found | {node for _, node in waiting})


def refused(encoding: Encoding, extractor: Extractor, accepts: Accepts | None) -> frozenset[ENode]:
    """The e-nodes whose operator ``accepts`` refuses, or whose attributes no ONNX file can hold.

    The result also has the e-nodes that the extractor already leaves out. An e-class has the type of its smallest term.
    """
    decoder = _Decoder(encoding)
    names: dict[int, str] = {}
    for (eclass, _), node, children in extractor.smallest().postorder():
        names[eclass] = decoder.add(node, [names[child] for child, _ in children])
    found = set(extractor.without)
    for node in extractor.enodes():
        if node.counted and node.name in constructors() and names.keys() >= set(node.children):
            op = constructors()[node.name].op
            operands = [names[child] for child in node.children]
            attrs = attributes(op, node.arguments)
            types = [decoder.types[name] for name in operands]
            if not writable(attrs) or (accepts and not accepts(op, types, decoder.infer(op, operands, attrs))):
                found.add(node)
    return frozenset(found)


def writable(attrs: Mapping[str, Any]) -> bool:
    """Whether an ONNX file can hold the values of attributes, which it stores in single precision.

    A sound rule may take an attribute from a float64 constant, whose value single precision may lack.
    """
    return all(_single(value) for value in attrs.values() if isinstance(value, float))


def _single(value: float) -> bool:
    with np.errstate(over="ignore"):
        return math.isnan(value) or float(np.float32(value)) == value


@dataclass(frozen=True)
class Classes:
    """The terms that an e-graph holds to be equal.

    ``graph`` computes the terms of all e-classes; each of ``groups`` names the values of one e-class. ``ill_typed``
    describes the e-nodes without a meaning in the table, and why they have none.
    """

    graph: Graph
    groups: tuple[tuple[str, ...], ...]
    ill_typed: tuple[str, ...]


def decode_classes(encoding: Encoding, extractor: Extractor) -> Classes:
    """Every e-node of every e-class of two or more, applied to the smallest terms of its operands."""
    seed = encoding.graph
    decoder = _Decoder(encoding)
    names: dict[int, str] = {}
    ill_typed: list[str] = []

    def add(node: ENode, children: Sequence[int]) -> str | None:
        if not names.keys() >= set(children):
            return None
        try:
            return decoder.add(node, [names[child] for child in children])
        except (GraphError, KeyError, IndexError) as error:
            operands = ", ".join(str(decoder.types[names[child]]) for child in children)
            ill_typed.append(f"{node.name} of {operands}: {str(error).rpartition('): ')[2]}")
            return None

    for (eclass, _), node, children in extractor.smallest().postorder():
        if name := add(node, [child for child, _ in children]):
            names[eclass] = name
    groups = []
    for eclass, nodes in extractor.classes().items():
        group = {names[eclass]: None} if eclass in names else {}
        if len(nodes) > 1:
            group |= {name: None for node in nodes if (name := add(node, node.children))}
        if len(group) > 1:
            groups.append(tuple(group))
    outputs = tuple(dict.fromkeys(name for group in groups for name in group))
    graph = Graph(seed.inputs, decoder.constants, tuple(decoder.nodes), outputs, decoder.types, seed.opsets)
    return Classes(prune(graph), tuple(groups), tuple(ill_typed))


def attributes(op: Op, arguments: Sequence[Any]) -> dict[str, Any]:
    """An e-node's arguments by the names of the operator's attributes, without the output index at the end.

    Rules write the shape of a Reshape as it is, so a size of 0 in it means 0, as in `encode`.
    """
    found = dict(zip((a.name for a in op.attrs), arguments, strict=False))
    if op.name == primitives.RESHAPE:
        found["allowzero"] = int(0 in found["shape"])
    return found


class _Decoder:
    """Turns e-nodes into nodes; equal applications of equal operands become one node."""

    def __init__(self, encoding: Encoding) -> None:
        seed = encoding.graph
        self.nodes: list[Node] = []
        self.constants: dict[str, np.ndarray] = {}
        self.types: dict[str, TensorType] = {name: seed.types[name] for name in seed.inputs}
        self._encoding = encoding
        self.patterns: Mapping[str, Pattern] = {}
        self._made: dict[object, tuple[str, ...]] = {}
        self._taken = {*seed.inputs, *seed.outputs}

    def add(self, node: ENode, operands: Sequence[str]) -> str:
        """A node with an identity of its own (a stateful one) occurs once, for all terms of its operands."""
        once = node.name == "Other" and self._encoding.tables.others[node.arguments[0]][0].identity
        key = (node.application, () if once else tuple(operands))
        if key not in self._made:
            self._made[key] = self._make(node, operands)
        return self._made[key][node.arguments[-1] if node.multi_output else 0]

    def _make(self, node: ENode, operands: Sequence[str]) -> tuple[str, ...]:
        match node.name:
            case "Input":
                return (self._encoding.graph.inputs[node.arguments[0] - self._encoding.first_input],)
            case "Const":
                return (self._constant(self._encoding.tables.constants[node.arguments[0]]),)
            case "Splat":
                value, shape, dtype = node.arguments
                return (self._expanded(self._constant(numbers.element(value, dtype)), shape),)
            case "Other":
                return self._other(node, operands)
            case name if name.startswith(PREFIX):
                pattern = self.patterns[name]
                return (self._instance(pattern.term, pattern.bound(operands, node.arguments)),)
            case name:
                return self._apply(constructors()[name].op, operands, node.arguments)

    def _instance(self, term: Expr, known: Mapping[str, Any]) -> str:
        """The value of a pattern's term, given those of its variables."""
        if isinstance(term, str):
            return str(known[term])
        if term[0] == BROADCAST:
            return self._expanded(self._instance(term[1], known), conditions.value(term[2], known, {}))
        if term[0] == "Splat":
            value, _, dtype = (conditions.value(part, known, {}) for part in term[1:])
            return self._constant(numbers.element(value, dtype))
        c = constructors()[str(term[0])]
        operands = [self._instance(part, known) for part in term[1 : c.operands + 1]]
        arguments = [conditions.value(part, known, {}) for part in term[c.operands + 1 :]]
        return self.add(ENode(c.name, (), tuple(arguments)), operands)

    def _expanded(self, name: str, shape: tuple[int, ...]) -> str:
        same = self.types[name].shape == shape
        return name if same else self._apply(TABLE["", primitives.EXPAND], (name,), (shape,))[0]

    def _constant(self, array: np.ndarray) -> str:
        name = self._fresh("c")
        self.constants[name] = array
        self.types[name] = TensorType(dtypes.dtype_of(array), array.shape)
        return name

    def _apply(self, op: Op, operands: Sequence[str], arguments: Sequence[Any]) -> tuple[str, ...]:
        attrs = attributes(op, arguments)
        results = self.infer(op, operands, attrs)
        names = tuple([self._fresh("v") for _ in results])
        self.types.update(zip(names, results, strict=True))
        self.nodes.append(Node(op.name, tuple(operands), names, attrs, op.domain))
        return names

    def infer(self, op: Op, operands: Sequence[str], attrs: Mapping[str, Any]) -> tuple[TensorType, ...]:
        """The result types, each inferred once, because graphs that share an e-graph share most applications."""
        known = self._encoding.tables.inferred
        key = (op.qualified, *attrs.values(), *[self.types[name] for name in operands])
        if key not in known:
            known[key] = infer_node(Node(op.name, tuple(operands), (), attrs, op.domain), self.types)
        return known[key]

    def _other(self, node: ENode, operands: Sequence[str]) -> tuple[str, ...]:
        original, types = self._encoding.tables.others[node.arguments[0]]
        rest = iter(operands)
        inputs = tuple(next(rest) if name else "" for name in original.inputs)
        names = tuple(self._fresh("v") for _ in types)
        outputs = tuple(name if type else "" for name, type in zip(names, types, strict=True))
        self.types.update((name, type) for name, type in zip(names, types, strict=True) if type)
        self.nodes.append(replace(original, inputs=inputs, outputs=outputs))
        return names

    def _fresh(self, stem: str) -> str:
        """A name that neither another value nor the seed's signature uses."""
        number = len(self.types)
        while f"{stem}{number}" in self.types or f"{stem}{number}" in self._taken:
            number += 1
        self._taken.add(f"{stem}{number}")
        return f"{stem}{number}"


def operator_count(graph: Graph) -> int:
    """The number of operators without Expand, which only makes broadcasting explicit."""
    return sum(node.op != primitives.EXPAND or node.opaque for node in graph.nodes)


def fold_broadcasts(graph: Graph) -> Graph:
    """Drop each Expand that an elementwise operator's implicit broadcasting can replace.

    An expanded constant that remains becomes a constant. The operators computed stay the same.
    """
    return check(_folded(graph))


def _folded(graph: Graph) -> Graph:
    source = {n.outputs[0]: n for n in graph.nodes if n.op == primitives.EXPAND and not n.opaque}
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
    return prune(replace(graph, nodes=tuple(kept), constants=constants, types=types))


def _implicit(node: Node, source: Mapping[str, Node], types: Mapping[str, TensorType]) -> Node:
    """The node with the unexpanded values as operands, where the result keeps its shape."""
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
    """Give the outputs these names, except an output that is no node's result or repeats an earlier output."""
    return check(_renamed(graph, names))


def _renamed(graph: Graph, names: Sequence[str]) -> Graph:
    produced = {name for node in graph.nodes for name in node.outputs}
    mapping: dict[str, str] = {}
    for old, new in zip(graph.outputs, names, strict=True):
        if old in produced and old not in mapping and new not in graph.types:
            mapping[old] = new

    def new_names(old: Sequence[str]) -> tuple[str, ...]:
        return tuple([mapping.get(name, name) for name in old])

    nodes = tuple(
        n
        if mapping.keys().isdisjoint((*n.inputs, *n.outputs))
        else replace(n, inputs=new_names(n.inputs), outputs=new_names(n.outputs))
        for n in graph.nodes
    )
    types = {mapping.get(name, name): type for name, type in graph.types.items()}
    return replace(graph, nodes=nodes, outputs=new_names(graph.outputs), types=types)
