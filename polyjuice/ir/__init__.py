"""The intermediate representation: graphs of operators over typed tensors."""

from polyjuice.ir.arrays import array_digest, uniform_value
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

__all__ = [
    "Attrs",
    "Graph",
    "GraphError",
    "Node",
    "TensorType",
    "array_digest",
    "attribute_texts",
    "check_structure",
    "digest",
    "prune",
    "releases",
    "uniform_value",
]
