"""Decompose operators that ONNX lacks, or lacks at an opset (by the ``onnx`` field of the table's entries)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.ir import Attrs, Graph, GraphError, Node, TensorType
from polyjuice.ir.names import renamed_node
from polyjuice.ops.build import infer_node
from polyjuice.ops.definitions import Undefined, definition
from polyjuice.ops.inference import TRIED
from polyjuice.ops.registry import entry
from polyjuice.ops.spec import Op, Texts, Unsupported


class NoDecomposition(ValueError):
    """An operator that ONNX's operators cannot express; the message names the node and the reason."""


def is_native(node: Node, opset: int) -> bool:
    """Whether ONNX has the operator at this opset (an opaque node always counts as such)."""
    op = entry(node)
    return op is None or (not op.domain and op.since <= opset)


def body(node: Node, types: Mapping[str, TensorType]) -> Graph:
    """One application of a table operator as a graph of ONNX's operators, whose inputs are the node's operands.

    Raises NoDecomposition where there is none (an ill-typed application has none), GraphError where the entry's
    decomposition has other types.
    """
    op = entry(node)
    assert op is not None
    try:
        infer_node(node, types)
    except GraphError as error:
        raise NoDecomposition(str(error)) from None
    operands = [types[name] if name else None for name in node.inputs]
    try:
        graph = definition(op, operands, node.attrs) if _all_known(operands) else _of_any_size(op, operands, node.attrs)
    except Undefined as reason:
        raise NoDecomposition(f"node {node}: {reason}") from None
    wanted = [types[name] if name else None for name in node.outputs]
    for made, declared in zip(graph.output_types, wanted, strict=True):
        if declared and made != declared:
            if not _all_known(operands):
                raise NoDecomposition(f"node {node}: its definition leaves other sizes unknown")
            raise GraphError(f"node {node}: its decomposition has the type {made}, not {declared}")
    return graph


def _all_known(operands: Sequence[TensorType | None]) -> bool:
    return all(t.known for t in operands if t)


def _of_any_size(op: Op, operands: Sequence[TensorType | None], attrs: Attrs) -> Graph:
    """The graph that an application means, if unknown sizes do not matter to it. Raises Undefined."""
    sized = [[t and t.with_size(size) for t in operands] for size in TRIED]
    try:
        graph, *others = (definition(op, types, attrs) for types in (operands, *sized))
    except (ValueError, LookupError):  # Undefined, GraphError, an array of a negative size, a place in an empty one
        others = []
    if not others or not all(_alike(graph, other) for other in others):
        raise Undefined("its definition depends on a size that only a run tells")
    return graph


def _alike(a: Graph, b: Graph) -> bool:
    """Whether two graphs differ in types alone."""
    same = (a.nodes, a.inputs, a.outputs, a.constants.keys()) == (b.nodes, b.inputs, b.outputs, b.constants.keys())
    return same and all(np.array_equal(array, b.constants[name]) for name, array in a.constants.items())


def decompose(graph: Graph, opset: int, kept: Collection[str] = ()) -> Graph:
    """An equal graph in which every operator is ONNX's at this opset, or opaque, or has one of the results ``kept``.

    Raises NoDecomposition.
    """
    return expanded(graph, lambda node: is_native(node, opset) or not {*node.outputs}.isdisjoint(kept))


def expanded(graph: Graph, native: Callable[[Node], bool]) -> Graph:
    """An equal graph in which every operator is ``native``. Raises NoDecomposition where there is none."""
    if all(map(native, graph.nodes)):
        return graph
    types = dict(graph.types)
    constants = dict(graph.constants)
    fresh = (name for number in itertools.count() if (name := f"d{number}") not in graph.types)
    renamed: dict[str, str] = {}

    def replaced(node: Node) -> list[Node]:
        """The nodes that replace one node, in the graph's names; results that are operands are added to ``renamed``."""
        if native(node):
            return [node]
        inner = body(node, types)
        names = {"": "", **dict(zip(inner.inputs, node.inputs, strict=True))}
        for outer, result in zip(node.outputs, inner.outputs, strict=True):
            if outer and result in names:  # an operand, or the value of an earlier result
                renamed[outer] = names[result]
            elif outer:
                names[result] = outer
        for name in inner.types:
            if name not in names:
                names[name] = next(fresh)
                types[names[name]] = inner.types[name]
        constants.update((names[name], array) for name, array in inner.constants.items())
        return [made for part in inner.nodes for made in replaced(renamed_node(part, names))]

    nodes: list[Node] = []
    for node in graph.nodes:
        nodes += replaced(replace(node, inputs=tuple(renamed.get(name, name) for name in node.inputs)))
    outputs = tuple(renamed.get(name, name) for name in graph.outputs)
    values = {*graph.inputs, *constants, *(name for node in nodes for name in node.outputs if name)}
    return replace(
        graph,
        constants=constants,
        nodes=tuple(nodes),
        outputs=outputs,
        types={name: t for name, t in types.items() if name in values},
    )


def with_texts(graph: Graph, texts: Callable[[Op], Texts]) -> Graph:
    """An equal graph in which operators without a text are written by their definitions, where they have them.

    Raises NoDecomposition.
    """

    def native(node: Node) -> bool:
        op = entry(node)
        return op is None or not isinstance(texts(op), Unsupported) or not callable(op.definition)

    return expanded(graph, native)
