"""Measure how diverse a suite of graphs is: the metrics of Isra, GenCoG, HirGen and NNSmith, in one pass.

The definitions are from Isra (section IV-C), GenCoG (5.1), HirGen (3.1.3) and NNSmith (5.3). Where a paper is silent,
its published implementation decides. docs/metrics.md states all definitions.

An operator's type is its qualified name, so an operator with a local function of its own is a type of its own. A node
with subgraphs is one operator, with the subgraphs as attributes. Absent operands do not count. Constants count as
inputs, but an edge connects two operators. The corpus is the set of types that metrics are averaged over. Types of the
graphs that it lacks are added to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyjuice.generate.call_space import OPS, Vertex, call_space
from polyjuice.ir import Graph, Node, TensorType, attribute_texts, dtypes

TABLE_OPERATORS = tuple(OPS)
"""The operator types of the table."""

_MOST_INPUTS, _LARGEST_OUT_DEGREE = 5, 12
"""Isra's limits: an operator with more inputs or more consumers counts as one at the limit."""


@dataclass(frozen=True)
class Metric:
    """A number that measures a suite.

    ``per`` names the divisor of a suite's total, in ``_DIVISORS``. A ``share`` is between 0 and 1.
    """

    name: str
    meaning: str
    source: str
    per: str
    share: bool = False


_DIVISORS: Mapping[str, Callable[[int, int], int]] = {
    "suite": lambda graphs, operators: 1,
    "graph": lambda graphs, operators: graphs,
    "operator": lambda graphs, operators: operators,
    "pair": lambda graphs, operators: operators**2,
    "triple": lambda graphs, operators: operators**3,
    "operator and type": lambda graphs, operators: operators * len(dtypes.ALL),
}

_ISRA, _GENCOG = "Isra, IV-C", "GenCoG, 5.1"
_HIRGEN, _NNSMITH = "HirGen, 3.1.3", "NNSmith, 5.3"

METRICS = (
    Metric("NOO", "operators in a graph", _ISRA, "graph"),
    Metric("NOT", "operator types in a graph", _ISRA, "graph"),
    Metric("NOP", "pairs of types (A, B) with an edge A -> B in a graph", _ISRA, "graph"),
    Metric("NTR", "triples of types (A, B, C) with a path A -> B -> C in a graph", _ISRA, "graph"),
    Metric("NSA", "input shapes in a graph, and attribute lists that no graph before it has", _ISRA, "graph"),
    Metric("OTC", "operator types that occur", _ISRA, "operator", share=True),
    Metric("IDC", "numbers of inputs, of those that the operator can have", _ISRA, "operator", share=True),
    Metric("ODC", "different numbers of consumers of an operator", _ISRA, "operator"),
    Metric("SEC", "pairs of types with an edge", _ISRA, "pair", share=True),
    Metric("DEC", "triples of types with a path", _ISRA, "triple", share=True),
    Metric("SAC", "different input shapes and attribute lists of an operator", _ISRA, "operator"),
    Metric("vertex_diversity", "calls with different input shapes and attributes", _GENCOG, "operator", share=True),
    Metric("typed_vertex_diversity", "the same, with element types", _GENCOG, "operator", share=True),
    Metric("edge_diversity", "pairs of types with an edge", _GENCOG, "pair", share=True),
    Metric("operator_datatype", "pairs of operator and element type of an input", _HIRGEN, "operator and type", True),
    Metric("operator_shape", "number of pairs of operator and shape of a result", _HIRGEN, "suite"),
    Metric("operator_edge", "pairs of types with an edge", _HIRGEN, "pair", share=True),
    Metric("operator_instances", "calls with different input types and attributes", _NNSMITH, "suite"),
    Metric("instances_per_operator", "the same, of an operator", _NNSMITH, "operator"),
)
"""All metrics, in the order in which they are shown."""


_Pair = tuple[str, str]
_Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Totals:
    """The totals of a suite of some graphs, by metric, before any division."""

    graphs: int
    totals: Mapping[str, float]

    def values(self, operators: int) -> dict[str, float]:
        """Return the metrics over a corpus of ``operators`` operator types."""
        return {m.name: self.totals[m.name] / max(1, _DIVISORS[m.per](self.graphs, operators)) for m in METRICS}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The metrics of a suite, and how they grew.

    ``operators`` counts the corpus with its added members, whose names are ``outside``. ``growth`` holds the metrics
    after 1, 2, 5, 10, 20, 50 ... graphs and after the last, all over the same corpus. ``instances`` counts, for each
    operator type, the calls that differ in their input types or attributes.
    """

    graphs: int
    operators: int
    outside: tuple[str, ...]
    metrics: Mapping[str, float]
    growth: Sequence[tuple[int, Mapping[str, float]]]
    instances: Mapping[str, int]


def measure(graphs: Iterable[Graph], corpus: Iterable[str] = TABLE_OPERATORS) -> Measured:
    """Return the metrics of a suite over a corpus. If it is empty, the corpus is the operator types of the suite."""
    suite = Suite(corpus)
    steps: list[Totals] = []
    for graph in graphs:
        suite.add(graph)
        if str(suite.graphs).rstrip("0") in ("1", "2", "5"):
            steps.append(suite.totals())
    if not steps or steps[-1].graphs < suite.graphs:
        steps.append(suite.totals())
    growth = [(step.graphs, step.values(suite.operators)) for step in steps]
    return Measured(
        graphs=suite.graphs,
        operators=suite.operators,
        outside=suite.outside,
        metrics=growth[-1][1],
        growth=growth,
        instances=suite.instances(),
    )


class Suite:
    """Collects statistics of graphs. Their order matters only for NSA, which counts new attribute lists."""

    def __init__(self, corpus: Iterable[str] = TABLE_OPERATORS) -> None:
        self.graphs = 0
        self._corpus = frozenset(corpus)
        self._per_graph: Counter[str] = Counter()
        self._seen: dict[str, _Seen] = {}
        self._pairs: set[_Pair] = set()
        self._triples: set[_Triple] = set()

    @property
    def operators(self) -> int:
        """The number of operator types in the corpus and in the graphs."""
        return len(self._corpus.union(self._seen))

    @property
    def outside(self) -> tuple[str, ...]:
        """The operator types of the graphs that the given corpus lacks; empty if no corpus was given."""
        return tuple(sorted(set(self._seen) - self._corpus)) if self._corpus else ()

    def instances(self) -> dict[str, int]:
        """Return, for each operator type, how many calls differ in the types of their inputs or in their attributes."""
        return {name: len(seen.instances) for name, seen in sorted(self._seen.items())}

    def add(self, graph: Graph) -> None:
        """Add a graph to the statistics."""
        uses = Counter(name for node in graph.nodes for name in node.inputs if name)
        shapes: set[tuple[int, ...]] = set()
        new_attributes = 0
        for node in graph.nodes:
            operands = [graph.types[name] for name in node.inputs if name]
            results = [graph.types[name] for name in node.outputs if name]
            degree = sum(max(1, uses[name]) for name in node.outputs)
            new_attributes += self._seen.setdefault(node.qualified, _Seen()).add(node, operands, results, degree)
            shapes.update(t.shape for t in operands)
        pairs, triples = paths(graph)
        self._pairs |= pairs
        self._triples |= triples
        self.graphs += 1
        self._per_graph.update(
            NOO=len(graph.nodes),
            NOT=len({node.qualified for node in graph.nodes}),
            NOP=len(pairs),
            NTR=len(triples),
            NSA=len(shapes) + new_attributes,
        )

    def totals(self) -> Totals:
        """Return the totals of the graphs so far."""
        seen = self._seen.items()
        instances = sum(len(s.instances) for _, s in seen)
        totals = {
            **{name: self._per_graph[name] for name in ("NOO", "NOT", "NOP", "NTR", "NSA")},
            "OTC": len(seen),
            "IDC": sum(min(1, len(s.input_counts) / possible_input_counts(name)) for name, s in seen),
            "ODC": sum(len(s.out_degrees) for _, s in seen),
            "SEC": len(self._pairs),
            "DEC": len(self._triples),
            "SAC": sum(len(s.shapes) + len(s.attribute_lists) for _, s in seen),
            "vertex_diversity": sum(min(1, len(s.calls) / call_space(name).size) for name, s in seen),
            "typed_vertex_diversity": sum(min(1, len(s.typed_calls) / call_space(name).size) for name, s in seen),
            "edge_diversity": len(self._pairs),
            "operator_datatype": sum(len(s.datatypes) for _, s in seen),
            "operator_shape": sum(len(s.result_shapes) for _, s in seen),
            "operator_edge": len(self._pairs),
            "operator_instances": instances,
            "instances_per_operator": instances,
        }
        return Totals(self.graphs, totals)

    def values(self) -> dict[str, float]:
        """Return the metrics so far, by name."""
        return self.totals().values(self.operators)


_Attributes = tuple[tuple[str, str], ...]


@dataclass(slots=True, kw_only=True)
class _Seen:
    input_counts: set[int] = field(default_factory=set)
    out_degrees: set[int] = field(default_factory=set)
    shapes: set[tuple[int, ...]] = field(default_factory=set)
    attribute_lists: set[_Attributes] = field(default_factory=set)
    calls: set[Vertex] = field(default_factory=set)
    typed_calls: set[tuple[tuple[str, ...], Vertex]] = field(default_factory=set)
    instances: set[tuple[tuple[TensorType, ...], _Attributes]] = field(default_factory=set)
    datatypes: set[str] = field(default_factory=set)
    result_shapes: set[tuple[int, ...]] = field(default_factory=set)

    def add(self, node: Node, operands: Sequence[TensorType], results: Sequence[TensorType], degree: int) -> bool:
        attributes = tuple(attribute_texts(node.attrs))
        new = bool(attributes) and attributes not in self.attribute_lists
        if new:
            self.attribute_lists.add(attributes)
        self.input_counts.add(min(len(operands), _MOST_INPUTS))
        self.out_degrees.add(min(degree, _LARGEST_OUT_DEGREE))
        self.shapes.update(t.shape for t in operands)
        space = call_space(node.qualified)
        vertex = space.vertex(operands, attributes)
        self.calls.add(vertex)
        self.typed_calls.add((tuple(t.dtype for t in operands[: space.data_inputs]), vertex))
        self.instances.add((tuple(operands), attributes))
        self.datatypes.update(t.dtype for t in operands)
        self.result_shapes.update(t.shape for t in results)
        return new


def possible_input_counts(name: str) -> int:
    """Return how many different numbers of inputs an operator can have; 1 if the table lacks it.

    All numbers above five count as five.
    """
    if name not in OPS:
        return 1
    least, greatest = OPS[name].arity
    return min(greatest or _MOST_INPUTS, _MOST_INPUTS) - min(least, _MOST_INPUTS) + 1


def paths(graph: Graph) -> tuple[set[_Pair], set[_Triple]]:
    """Return the types (A, B) of operators on edges A -> B of a graph, and the types (A, B, C) on paths A -> B -> C."""
    producers = {name: number for number, node in enumerate(graph.nodes) for name in node.outputs if name}
    edges = {
        (producers[name], number)
        for number, node in enumerate(graph.nodes)
        for name in node.inputs
        if name in producers
    }
    types = [node.qualified for node in graph.nodes]
    following: list[set[str]] = [set() for _ in types]
    for source, target in edges:
        following[source].add(types[target])
    pairs = {(a, b) for a, after in zip(types, following, strict=True) for b in after}
    triples = {(types[a], types[b], c) for a, b in edges for c in following[b]}
    return pairs, triples


def draw(growth: Sequence[tuple[int, Mapping[str, float]]], path: Path) -> None:
    """Write the curves to a file whose suffix names the format: shares on the left, counts on the right.

    Averages over graphs are left out. Raises ImportError without matplotlib, and ValueError for an unknown format.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 5), layout="constrained")
    shares, counts = figure.subplots(1, 2)
    numbers = [graphs for graphs, _ in growth]
    for metric in METRICS:
        if metric.per != "graph":
            axes = shares if metric.share else counts
            axes.plot(numbers, [values[metric.name] for _, values in growth], marker=".", label=metric.name)
    for axes, label in ((shares, "share"), (counts, "count")):
        axes.set(xlabel="graphs", ylabel=label, xscale="log", yscale="log")
        axes.legend()
    figure.savefig(path)
