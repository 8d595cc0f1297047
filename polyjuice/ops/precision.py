"""A graph in another precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from polyjuice.ir import Attrs, Graph, GraphError, Node, TensorType, dtypes
from polyjuice.ops.build import check


def in_float64(graph: Graph) -> Graph:
    """The same graph with float64 in place of every floating type.

    Raises GraphError where an operator does not take that, or is opaque.
    """
    types = {name: _wide(t) for name, t in graph.types.items()}
    constants: Mapping[str, np.ndarray] = {
        name: a.astype(dtypes.to_numpy(types[name].dtype)) for name, a in graph.constants.items()
    }
    return check(replace(graph, nodes=tuple(map(_node, graph.nodes)), constants=constants, types=types))


def _wide(t: TensorType) -> TensorType:
    return replace(t, dtype="float64") if dtypes.is_float(t.dtype) else t


def _node(node: Node) -> Node:
    if node.opaque:
        raise GraphError(f"node {node}: an opaque operator has no other precision")
    return replace(node, attrs=_attrs(node.attrs))


def _attrs(attrs: Attrs) -> Attrs:
    return {
        name: "float64" if value in dtypes.FLOATS else in_float64(value) if isinstance(value, Graph) else value
        for name, value in attrs.items()
    }
