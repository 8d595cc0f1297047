"""The leaves of a pair's graphs: inputs and constants. A leaf that both sides share changes on both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.ir import Node, TensorType, array_digest, dtypes
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rebuild import rebuild

Leaf = tuple[tuple[int, str], ...]
"""The names of one input, or of equal constants, each with the index of the graph that has this name."""


def leaves(pair: Pair) -> dict[Leaf, np.ndarray]:
    """The pair's inputs and constants with their values."""
    found: dict[Leaf, np.ndarray] = {}
    for position, array in enumerate(pair.inputs):
        found[tuple((side, graph.inputs[position]) for side, graph in enumerate(pair.graphs))] = array
    constants: dict[tuple[TensorType, str], list[tuple[int, str]]] = {}
    for side, graph in enumerate(pair.graphs):
        for name, array in graph.constants.items():
            constants.setdefault((graph.types[name], array_digest(array)), []).append((side, name))
    found.update({tuple(names): pair.graphs[names[0][0]].constants[names[0][1]] for names in constants.values()})
    return found


def array_of(pair: Pair, leaf: Leaf) -> np.ndarray | None:
    """The value of a leaf; None where earlier edits have removed it."""
    for side, name in leaf:
        graph = pair.graphs[side]
        if name in graph.constants:
            return graph.constants[name]
        if name in graph.inputs:
            return pair.inputs[graph.inputs.index(name)]
    return None


def with_leaves(pair: Pair, arrays: Mapping[Leaf, np.ndarray], nodes: Sequence[Sequence[Node]] = ()) -> Pair:
    """The pair with other nodes, and other values of some leaves, perhaps of other types. Raises GraphError."""
    values = {place: array for leaf, array in arrays.items() for place in leaf}
    graphs, inputs = [], pair.inputs
    for side, graph in enumerate(pair.graphs):
        new = {name: array for (number, name), array in values.items() if number == side}
        graphs.append(
            rebuild(
                graph,
                inputs={
                    name: TensorType(dtypes.of_array(a), a.shape) for name, a in new.items() if name in graph.inputs
                },
                constants={name: array for name, array in new.items() if name in graph.constants},
                nodes=nodes[side] if nodes else None,
            )
        )
        inputs = tuple(new.get(name, array) for name, array in zip(graph.inputs, inputs, strict=True))
    return replace(pair, graphs=tuple(graphs), inputs=inputs)
