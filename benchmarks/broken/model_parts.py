"""The parts of an ONNX model that a change breaks, those of its subgraphs and functions too."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

T = TypeVar("T")


class Inapplicable(Exception):
    """The model lacks what a change would change."""


def one_of(rng: random.Random, items: Sequence[T]) -> T:
    """One of the items, drawn. Raises Inapplicable where there is none."""
    if not len(items):
        raise Inapplicable
    return items[rng.randrange(len(items))]


def all_graphs(graph: GraphProto) -> list[GraphProto]:
    """The graph, and the subgraphs of its nodes."""
    inner = [a.g for n in graph.node for a in n.attribute if a.type == AttributeProto.GRAPH]
    return [graph, *(deeper for one in inner for deeper in all_graphs(one))]


def all_nodes(model: ModelProto) -> list[NodeProto]:
    functions = [node for function in model.functions for node in function.node]
    return [*(node for graph in all_graphs(model.graph) for node in graph.node), *functions]


def some_node(rng: random.Random, model: ModelProto) -> NodeProto:
    return one_of(rng, all_nodes(model))


def all_values(model: ModelProto) -> list[ValueInfoProto]:
    return [v for g in all_graphs(model.graph) for v in (*g.input, *g.output, *g.value_info)]


def all_tensors(model: ModelProto) -> list[TensorProto]:
    attributes = [a for node in all_nodes(model) for a in node.attribute]
    held = [a.t for a in attributes if a.type == AttributeProto.TENSOR]
    return [*(t for graph in all_graphs(model.graph) for t in graph.initializer), *held]


def all_names(model: ModelProto) -> list[str]:
    graph = model.graph
    computed = [name for node in graph.node for name in node.output]
    return [*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer), *computed]


def some_attribute(rng: random.Random, model: ModelProto) -> AttributeProto:
    return one_of(rng, [a for node in all_nodes(model) for a in node.attribute])
