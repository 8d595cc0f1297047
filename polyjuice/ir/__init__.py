"""The intermediate representation: graphs of operators over typed tensors."""

from polyjuice.ir.arrays import array_digest, array_text, uniform_value
from polyjuice.ir.graph import (
    Attrs,
    Graph,
    GraphError,
    Node,
    TensorType,
    attribute_texts,
    check_structure,
    digest,
    prune,
    releases,
)
from polyjuice.ir.parts import Part, connected, cut, random_order

__all__ = [
    "Attrs",
    "Graph",
    "GraphError",
    "Node",
    "Part",
    "TensorType",
    "array_digest",
    "array_text",
    "attribute_texts",
    "check_structure",
    "connected",
    "cut",
    "digest",
    "prune",
    "random_order",
    "releases",
    "uniform_value",
]
