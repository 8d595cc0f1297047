"""Subgraphs of control-flow nodes: close them over the outer values that they capture, and open them again.

In a Graph a captured value is an ordinary (trailing) input of the opaque node, and the names inside the subgraph are
numbered. So values may be renamed and rewired outside, and equal subgraphs have equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from onnx import AttributeProto, GraphProto, NodeProto

#: The prefix of all names that this package makes up; no value of a Graph may have it.
RESERVED = "polyjuice:"


def graphs_of(attribute: AttributeProto) -> list[GraphProto]:
    return [attribute.g] if attribute.type == AttributeProto.GRAPH else list(attribute.graphs)


def nested_nodes(node: NodeProto) -> Iterator[NodeProto]:
    """The node itself and all nodes in its subgraphs, at any depth."""
    yield node
    for attribute in node.attribute:
        for graph in graphs_of(attribute):
            for inner in graph.node:
                yield from nested_nodes(inner)


def close(node: NodeProto) -> tuple[NodeProto, list[str]]:
    """The node with numbered names in its subgraphs, and the outer values they capture, by first use."""
    captured: dict[str, str] = {}
    count = 0

    def rename(graph: GraphProto, outer: Mapping[str, str]) -> None:
        nonlocal count
        scope = dict(outer)
        for name in _defined(graph):
            scope[name] = f"{RESERVED}inner:{count}"
            count += 1

        def resolve(name: str) -> str:
            if not name:
                return ""
            return scope.get(name) or captured.setdefault(name, f"{RESERVED}captured:{len(captured)}")

        _rename(graph, resolve)
        for inner in _inner_graphs(graph):
            rename(inner, scope)

    closed = NodeProto()
    closed.CopyFrom(node)
    for attribute in closed.attribute:
        for graph in graphs_of(attribute):
            rename(graph, {})
    return closed, list(captured)


def reopen(node: NodeProto, captured: list[str]) -> None:
    """Undo :func:`close` in place, for outer values that may have other names now."""
    names = {f"{RESERVED}captured:{i}": name for i, name in enumerate(captured)}

    def restore(graph: GraphProto) -> None:
        _rename(graph, lambda name: names.get(name, name))
        for inner in _inner_graphs(graph):
            restore(inner)

    for attribute in node.attribute:
        for graph in graphs_of(attribute):
            restore(graph)


def _inner_graphs(graph: GraphProto) -> list[GraphProto]:
    return [inner for node in graph.node for attribute in node.attribute for inner in graphs_of(attribute)]


def _defined(graph: GraphProto) -> list[str]:
    """The names that a subgraph defines itself, each once, in order."""
    names = [value.name for value in graph.input]
    names += [tensor.name for tensor in graph.initializer]
    names += [sparse.values.name for sparse in graph.sparse_initializer]
    names += [name for node in graph.node for name in node.output if name]
    return list(dict.fromkeys(names))


def _rename(graph: GraphProto, resolve: Callable[[str], str]) -> None:
    """Rename the values of one subgraph without its nested subgraphs, and drop its annotations."""
    del graph.value_info[:]
    del graph.quantization_annotation[:]
    for value in (*graph.input, *graph.output, *graph.initializer):
        value.name = resolve(value.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = resolve(sparse.values.name)
    for node in graph.node:
        node.input[:] = [resolve(name) for name in node.input]
        node.output[:] = [resolve(name) for name in node.output]
