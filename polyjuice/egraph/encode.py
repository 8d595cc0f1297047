"""Graph to e-graph: the egglog commands that load a graph, and the tables of everything outside the e-graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyjuice.egraph.bindings import bindings
from polyjuice.egraph.language import constructor_for, ints, literal, number
from polyjuice.egraph.rows import Row, insert
from polyjuice.ir import Graph, Node, TensorType, array_digest, attribute_texts, uniform_value
from polyjuice.ops import axes, entry, primitives

#: Nodes loaded by one rule's action: egglog's cost of an action grows faster than its length.
CHUNK = 50

#: An interval in which all values of an input lie.
Range = tuple[float, float]


@dataclass(kw_only=True)
class Tables:
    """The inputs, arrays and opaque nodes outside an e-graph, to which the numbers in its terms refer.

    ``constants`` are the arrays behind ``(Const i)``, ``others`` the nodes behind ``(Other i ...)`` with their result
    types. All graphs that share an e-graph share one such object, in which inputs and values have consecutive numbers.
    """

    inputs: int = 0
    values: int = 0
    programs: int = 0
    constants: list[np.ndarray] = field(default_factory=list)
    others: list[tuple[Node, tuple[TensorType | None, ...]]] = field(default_factory=list)
    constant_ids: dict[str, int] = field(default_factory=dict)
    other_ids: dict[str, int] = field(default_factory=dict)
    shapes: dict[tuple[int, ...], int] = field(default_factory=dict)
    inferred: dict[object, tuple[TensorType, ...]] = field(default_factory=dict)


@dataclass(kw_only=True)
class Encoding:
    """A graph in the e-graph's language: the program to run, the facts about its values, and the tables of its numbers.

    ``values`` numbers every value of the graph. ``(value i)`` is the e-class of value i. It exists for outputs, and for
    values that one rule of the program takes from another. ``(Input i)`` is this graph's input ``i - first_input``.
    """

    graph: Graph
    tables: Tables
    first_input: int
    program: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)

    @property
    def inputs(self) -> range:
        """The numbers of the graph's own inputs."""
        return range(self.first_input, self.first_input + len(self.graph.inputs))


def encode(
    graph: Graph,
    tables: Tables | None = None,
    words: Collection[str] | None = None,
    derived: Collection[str] = (),
    ranges: Mapping[str, Range] | None = None,
    sites: Mapping[str, Sequence[str]] | None = None,
) -> Encoding:
    """Encode a checked graph; broadcasting of elementwise operands becomes explicit ``Expand`` terms.

    ``tables`` are those of the graphs already in the same e-graph. ``words`` are the constructors to use (None: all);
    other applications become ``Other``. ``derived`` are the constructors whose terms' types the e-graph derives.
    ``ranges`` are the intervals in which inputs lie, by name. ``sites`` are the keys of the rules that may apply at a
    value, by its name.
    """
    encoder = _Encoder(graph, tables or Tables(), outputs_only=len(graph.types) <= CHUNK, sites=sites or {})
    for name in graph.inputs:
        encoder.define(name, f"(Input {encoder.tables.inputs})")
        encoder.bound(name, (ranges or {}).get(name))
        encoder.tables.inputs += 1
    for name, array in graph.constants.items():
        encoder.define(name, _constant(encoder.tables, array, graph.types[name]))
        encoder.bound(name, _range_of(array))
    for node in graph.nodes:
        encoder.begin_node()
        terms = _table_terms(graph, node, encoder.use, words) or _other_terms(encoder.tables, graph, node, encoder.use)
        typed = terms[0][1:].split(" ", 1)[0] in derived
        for name, term in zip(node.outputs, terms, strict=True):
            if name:
                encoder.define(name, term, typed)
    encoder.end_rule()
    return encoder.out


class _Encoder:
    """Writes the rules that load a graph, each with at most ``CHUNK`` values, and the facts about its values."""

    def __init__(self, graph: Graph, tables: Tables, *, outputs_only: bool, sites: Mapping[str, Sequence[str]]) -> None:
        """With ``outputs_only``, one rule loads the graph, so no value but an output needs a name in the e-graph."""
        self.tables = tables
        self.out = Encoding(graph=graph, tables=tables, first_input=tables.inputs)
        self._named = set(graph.outputs) if outputs_only else graph.types.keys()
        self._sites = sites
        self._actions: list[str] = []
        self._here: set[int] = set()
        """The values of the current rule."""
        self._earlier: set[int] = set()
        """The values of earlier rules that the current rule uses."""

    def define(self, name: str, term: str, typed: bool = False) -> None:
        """Give a value the next number and its term. ``typed`` terms get their types in the e-graph."""
        n = self.out.values[name] = self.tables.values
        self.tables.values += 1
        self._here.add(n)
        known = f"(set (value {n}) v{n}) " if name in self._named else ""
        self._actions.append(f"(let v{n} {term}) (set (numbered-value {n}) v{n}) {known}")
        rows = self.out.rows
        if not typed and self.out.graph.types[name].known:
            rows.append(Row("ShapeOf", (n, self._shape(name))))
        if not typed:
            rows.append(Row("DtypeOf", (n, self.out.graph.types[name].dtype)))
        rows.extend(Row("SiteOf", (key, n)) for key in self._sites.get(name, ()))

    def bound(self, name: str, range_: Range | None) -> None:
        if range_:
            self.out.rows.append(Row("RangeOf", (self.out.values[name], *range_)))

    def use(self, name: str) -> str:
        n = self.out.values[name]
        if n not in self._here:
            self._earlier.add(n)
        return f"v{n}"

    def begin_node(self) -> None:
        if len(self._here) >= CHUNK:
            self.end_rule()

    def end_rule(self) -> None:
        if not self._actions:
            return
        ruleset = f"load-{self.tables.programs}"
        self.tables.programs += 1
        known = " ".join(f"(= v{n} (value {n}))" for n in sorted(self._earlier))
        body = "\n".join(self._actions)
        rule = f"(rule ({known}) ({body}) :ruleset {ruleset})"
        self.out.program.append(f"(ruleset {ruleset})\n{rule}\n(run {ruleset} 1)")
        for collected in (self._actions, self._here, self._earlier):
            collected.clear()

    def _shape(self, name: str) -> int:
        sizes, shapes = self.out.graph.types[name].shape, self.tables.shapes
        if sizes not in shapes:
            shapes[sizes] = len(shapes)
            self.out.rows.append(Row("numbered-shape", (shapes[sizes], sizes)))
        return shapes[sizes]


def load(egraph: bindings.EGraph, encodings: Iterable[Encoding], facts: Iterable[Row] = ()) -> None:
    """Load encoded graphs into an e-graph that has their language, and state facts about their values and others."""
    rows = [*facts]
    for encoding in encodings:
        for program in encoding.program:
            egraph.run_program(*egraph.parse_program(program))
        rows += encoding.rows
    insert(egraph, rows)
    egraph.run_program(*egraph.parse_program("(run numbered 1)"))


def _range_of(array: np.ndarray) -> Range | None:
    if not array.size or array.dtype.kind == "c" or not np.all(np.isfinite(array)):
        return None
    return float(array.min()) + 0.0, float(array.max()) + 0.0  # no negative zero


def _constant(tables: Tables, array: np.ndarray, type: TensorType) -> str:
    value = uniform_value(array)
    if value is not None and math.isfinite(value) and int(value) == int(float(value)):
        return f'(Splat {number(value)} {ints(type.shape)} "{type.dtype}")'
    key = f"{type} {array_digest(array)}"
    if key not in tables.constant_ids:
        tables.constant_ids[key] = len(tables.constants)
        tables.constants.append(array)
    return f"(Const {tables.constant_ids[key]})"


def _table_terms(
    graph: Graph, node: Node, use: Callable[[str], str], words: Collection[str] | None
) -> list[str] | None:
    op = entry(node)
    if op is None or "" in node.inputs or not all(graph.types[x].known for x in (*node.inputs, *node.outputs) if x):
        return None
    constructor = constructor_for(op, len(node.inputs))
    if constructor is None or beyond_rules(node.op, [graph.types[name] for name in node.inputs]):
        return None
    if words is not None and constructor.name not in words:
        return None
    operands = [use(name) for name in node.inputs]
    result = graph.types[next(name for name in node.outputs if name)]
    if op.elementwise:
        operands = [
            text if graph.types[name].shape == result.shape else f"(Expand {text} {ints(result.shape)})"
            for name, text in zip(node.inputs, operands, strict=True)
        ]
    attrs = axes.from_the_front(node.op, node.attrs, graph.types[node.inputs[0]].rank, result.rank)
    if node.op in (primitives.RESHAPE, primitives.EXPAND):
        attrs["shape"] = result.shape
    if node.op == primitives.RESHAPE:  # a size of 0 in the result's shape means 0
        attrs["allowzero"] = int(0 in result.shape)
    try:
        body = " ".join([constructor.name, *operands, *(literal(a, attrs[a.name]) for a in op.attrs)])
    except ValueError:
        return None
    if constructor.multi_output:
        return [f"({body} {i})" for i in range(len(node.outputs))]
    return [f"({body})"]


def beyond_rules(op: str, operands: Sequence[TensorType]) -> bool:
    """Whether it is a MatMul of a vector: rules only handle matrices and batches of them."""
    return op == primitives.MATMUL and min(t.rank for t in operands) < 2


def _other_terms(tables: Tables, graph: Graph, node: Node, use: Callable[[str], str]) -> list[str]:
    """Equal operators with equal attributes share a number, so that congruence holds for them too."""
    types = tuple(graph.types[name] if name else None for name in node.outputs)
    absent = tuple(i for i, name in enumerate(node.inputs) if not name)
    key = repr((node.qualified, attribute_texts(node.attrs), node.identity, types, len(node.inputs), absent))
    number_ = tables.other_ids.setdefault(key, len(tables.others))
    if number_ == len(tables.others):
        tables.others.append((node, types))
    operands = [use(name) for name in node.inputs if name]
    vector = f"(vec-of {' '.join(operands)})" if operands else "(vec-empty)"
    return [f"(Other {number_} {vector} {i})" for i in range(len(node.outputs))]
