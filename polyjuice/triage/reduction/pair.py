"""The object of reduction: a pair of equivalent graphs with one set of inputs, and a total order by size."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from polyjuice.execution import LoweringChoices
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import (
    Graph,
    Node,
    TensorType,
    array_digest,
    attribute_texts,
    complexes,
    digest,
    dtypes,
    renamed,
)
from polyjuice.ops import entry
from polyjuice.ops.spec import REQUIRED

_WIDEST = ("float32", "int64", "int32", "bool", "float64", "float16", "int8", "int16", "uint8", "bfloat16")
#: Element types from the plainest to the most special.
PLAINEST = (*_WIDEST, *dtypes.WIDER_UNSIGNED, *dtypes.NARROW, *dtypes.COMPLEX)

_FRACTION = 32
_EXTREME = 64
"""The cost of values that are not small integers: ``_FRACTION`` for fractions, ``_EXTREME`` for large or non-finite
ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Graphs on the same inputs with equal outputs; a single graph where the oracle judges one program.

    ``inputs`` are arrays in the order of the graphs' inputs. ``output`` is the index of the result that shows the
    fault. ``choices`` are the lowering choices of each graph.
    """

    graphs: tuple[Graph, ...]
    inputs: tuple[np.ndarray, ...]
    output: int
    choices: tuple[LoweringChoices, ...]

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the fault may depend on, except names."""
        parts = [str(self.output), *(digest(graph) for graph in self.graphs), *map(str, self.graphs[0].input_types)]
        parts += [array_digest(array) for array in self.inputs]
        sides = zip(self.graphs, self.choices, strict=True)
        parts += [str(choices.renamed(plain_names(graph)).taken) for graph, choices in sides]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def size(self) -> tuple[int, ...]:
        """The rank in the total order, with the most important number first."""
        graphs = self.graphs
        types = [t for graph in graphs for t in graph.types.values()]
        return (
            len(graphs[0].outputs),
            sum(map(len, graphs)),
            sum(bool(node.domain) for graph in graphs for node in graph.nodes),
            unshared(graphs),
            len(graphs[0].inputs) + sum(len(graph.constants) for graph in graphs),
            sum(t.size for graph in graphs for t in (*graph.input_types, *_constant_types(graph))),
            sum(t.size for t in types),
            sum(t.rank for t in types),
            sum(PLAINEST.index(t.dtype) for t in types),
            len({(node.qualified, *attribute_texts(node.attrs)) for graph in graphs for node in graph.nodes}),
            sum(attribute_cost(node, name) for graph in graphs for node in graph.nodes for name in node.attrs),
            sum(choices.cost for choices in self.choices),
            sum(array_cost(array) for graph in graphs for array in graph.constants.values()),
            sum(array_cost(array) for array in self.inputs),
        )

    @cached_property
    def has_values(self) -> bool:
        """Whether the graphs have values on these inputs: for example, no index is out of range."""
        try:
            for graph in self.graphs:
                evaluate(graph, self.inputs)
        except EvaluationError:
            return False
        return True

    @property
    def operators(self) -> tuple[int, ...]:
        """How many operators each graph has."""
        return tuple(map(len, self.graphs))

    def with_graphs(self, graphs: Sequence[Graph]) -> Pair:
        """The pair with other graphs."""
        return replace(self, graphs=tuple(graphs))


def plain_names(graph: Graph) -> dict[str, str]:
    """Conventional names for a graph's values: x0, x1, ... for inputs, c for constants, v for results."""
    made = [name for node in graph.nodes for name in node.outputs if name]
    stems = zip("xcv", (graph.inputs, graph.constants, made), strict=True)
    return {"": ""} | {name: f"{stem}{n}" for stem, group in stems for n, name in enumerate(group)}


def _constant_types(graph: Graph) -> list[TensorType]:
    return [graph.types[name] for name in graph.constants]


def unshared(graphs: Sequence[Graph]) -> int:
    """How many operators only one of two graphs applies to the same operands: the size of the rewriting.

    0 for a single graph.
    """
    if len(graphs) < 2:
        return 0
    first, second = (Counter(_applications(graph)) for graph in graphs)
    return (first - second).total() + (second - first).total()


def _applications(graph: Graph) -> Iterator[str]:
    """A hash of each node that does not depend on names."""
    keys = {name: f"input {position}" for position, name in enumerate(graph.inputs)}
    keys.update({name: f"const {graph.types[name]} {array_digest(array)}" for name, array in graph.constants.items()})
    for node in graph.nodes:
        text = repr((node.qualified, attribute_texts(node.attrs), node.identity, [keys.get(x) for x in node.inputs]))
        key = hashlib.sha256(text.encode()).hexdigest()
        keys.update((name, f"{key}:{position}") for position, name in enumerate(node.outputs))
        yield key


def attribute_cost(node: Node, name: str) -> int:
    """0 for an attribute at its default, and more for larger or less round numbers."""
    default = defaults(node).get(name, REQUIRED)
    value = node.attrs[name]
    if default is not REQUIRED and value == default:
        return 0
    values = value if isinstance(value, tuple | list) else [value]
    return 1 + sum(1 + _number_cost(v) if isinstance(v, int | float) else 1 for v in values)


def defaults(node: Node) -> Mapping[str, Any]:
    """The defaults of a node's attributes, REQUIRED where there is none."""
    op = entry(node)
    return {attr.name: attr.default for attr in op.attrs} if op else {}


def _number_cost(value: float) -> int:
    if not np.isfinite(value) or abs(value) > _FRACTION:
        return _EXTREME
    return int(abs(value)) * 2 + (value < 0) if value == int(value) else _FRACTION


def array_cost(array: np.ndarray) -> int:
    """0 for zeros, and more for larger or less round elements; an array of one repeated value costs less."""
    if complexes.is_complex(array):
        return sum(map(array_cost, complexes.parts(array)))
    wide = np.asarray(array, np.float64).ravel()
    with np.errstate(all="ignore"):
        magnitude = np.abs(wide)
        whole = wide == np.rint(wide)
        cost = np.where(whole & (magnitude <= _FRACTION / 2), 2 * magnitude + (wide < 0), float(_FRACTION))
    cost = np.where(np.isfinite(wide) & (magnitude <= _EXTREME), cost, float(_EXTREME))
    uneven = wide.size > 1 and not bool(np.all(wide == wide[0]))
    return int(cost.sum()) + uneven


def cast(array: np.ndarray, dtype: str) -> np.ndarray:
    """The array in another element type, rounded or truncated as necessary."""
    with np.errstate(all="ignore"):
        return (array if dtypes.is_complex(dtype) else array.real).astype(dtypes.to_numpy(dtype))


def with_plain_names(pair: Pair) -> Pair:
    """The same pair with conventional names of values (see :func:`plain_names`)."""
    names = list(map(plain_names, pair.graphs))
    choices = tuple(choices.renamed(to) for choices, to in zip(pair.choices, names, strict=True))
    return replace(pair, graphs=tuple(map(renamed, pair.graphs, names)), choices=choices)
