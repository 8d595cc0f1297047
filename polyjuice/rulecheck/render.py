"""Terms as short text."""

from __future__ import annotations

from polyjuice.egraph.language import literal
from polyjuice.ir import Graph, array_text
from polyjuice.ops import entry


def term(graph: Graph, name: str) -> str:
    """The term that computes a value, in the language of the rules; constants of one value as numbers."""
    producer = {output: node for node in graph.nodes for output in node.outputs}
    if name in graph.constants:
        return array_text(graph.constants[name])
    if name not in producer:
        return name
    node = producer[name]
    op = entry(node)
    attrs = []
    for attr in op.attrs if op else ():
        try:
            attrs.append(literal(attr, node.attrs[attr.name]))
        except ValueError:
            attrs.append(str(node.attrs[attr.name]))
    index = [str(node.outputs.index(name))] if len(node.outputs) > 1 else []
    return f"({' '.join([node.qualified, *(term(graph, x) for x in node.inputs), *attrs, *index])})"
