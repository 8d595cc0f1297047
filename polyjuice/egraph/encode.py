"""Graph to e-graph: the egglog commands that load a graph, and the tables of what stays outside the e-graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from polyjuice.egraph.language import constructor_for, ints, literal, number
from polyjuice.ir import Graph, Node, TensorType, array_digest, uniform_value
from polyjuice.ops import entry

#: Nodes loaded by one rule's action: egglog's cost of an action grows faster than its length.
CHUNK = 50


@dataclass
class Encoding:
    """A graph in the e-graph's language: the program to run, and what its numbers refer to.

    ``values`` numbers every value of the graph (``(value i)`` is its e-class). ``constants`` are the arrays behind
    ``(Const i)``, ``others`` the nodes behind ``(Other i ...)`` with their result types.
    """

    graph: Graph
    program: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    constants: list[np.ndarray] = field(default_factory=list)
    others: list[tuple[Node, tuple[TensorType | None, ...]]] = field(default_factory=list)


def encode(graph: Graph) -> Encoding:
    """Encode a checked graph; broadcasting of elementwise operands becomes explicit ``Expand`` terms."""
    out = Encoding(graph)
    other_ids: dict[str, int] = {}
    const_ids: dict[str, int] = {}
    actions: list[str] = []
    here: set[int] = set()
    earlier: set[int] = set()

    def define(name: str, term: str) -> None:
        number_ = out.values[name] = len(out.values)
        here.add(number_)
        t = graph.types[name]
        actions.append(
            f"(let v{number_} {term}) (set (value {number_}) v{number_})"
            f' (set (shape v{number_}) {ints(t.shape)}) (set (dtype v{number_}) "{t.dtype}")'
        )

    def use(name: str) -> str:
        if out.values[name] not in here:
            earlier.add(out.values[name])
        return f"v{out.values[name]}"

    def flush() -> None:
        if actions:
            ruleset = f"load-{len(out.program)}"
            known = " ".join(f"(= v{n} (value {n}))" for n in sorted(earlier))
            body = "\n".join(actions)
            out.program.append(f"(ruleset {ruleset})\n(rule ({known}) ({body}) :ruleset {ruleset})\n(run {ruleset} 1)")
            for collected in (actions, here, earlier):
                collected.clear()

    for i, name in enumerate(graph.inputs):
        define(name, f"(Input {i})")
    for name, array in graph.constants.items():
        define(name, _constant(out, const_ids, array, graph.types[name]))
    for node in graph.nodes:
        if len(actions) >= CHUNK:
            flush()
        terms = _table_terms(graph, node, use) or _other_terms(out, other_ids, graph, node, use)
        for name, term in zip(node.outputs, terms, strict=True):
            if name:
                define(name, term)
    flush()
    return out


def _constant(out: Encoding, ids: dict[str, int], array: np.ndarray, type: TensorType) -> str:
    value = uniform_value(array)
    if value is not None and math.isfinite(value) and int(value) == int(float(value)):
        return f'(Splat {number(value)} {ints(type.shape)} "{type.dtype}")'
    key = f"{type} {array_digest(array)}"
    if key not in ids:
        ids[key] = len(out.constants)
        out.constants.append(array)
    return f"(Const {ids[key]})"


def _table_terms(graph: Graph, node: Node, use: Callable[[str], str]) -> list[str] | None:
    """The terms of a node's results, or None where no constructor says this application."""
    op = entry(node)
    if op is None or "" in node.inputs:
        return None
    constructor = constructor_for(op, len(node.inputs))
    if constructor is None or _beyond_rules(graph, node):
        return None
    operands = [use(name) for name in node.inputs]
    result = graph.types[next(name for name in node.outputs if name)]
    if op.elementwise:
        operands = [
            text if graph.types[name].shape == result.shape else f"(Expand {text} {ints(result.shape)})"
            for name, text in zip(node.inputs, operands, strict=True)
        ]
    attrs = _from_the_front(node, graph.types[node.inputs[0]].rank, result.rank)
    if node.op in ("Reshape", "Expand"):
        attrs["shape"] = result.shape
    if node.op == "Reshape":  # a size of 0 in the result's shape means 0
        attrs["allowzero"] = int(0 in result.shape)
    try:
        body = " ".join([constructor.name, *operands, *(literal(a, attrs[a.name]) for a in op.attrs)])
    except ValueError:
        return None
    if constructor.multi_output:
        return [f"({body} {i})" for i in range(len(node.outputs))]
    return [f"({body})"]


def _from_the_front(node: Node, rank: int, result_rank: int) -> dict[str, Any]:
    """The attributes with axes counted from the front, so that rules can compare and use them."""
    rank = result_rank if node.op == "Unsqueeze" else rank

    def front(axis: int) -> int:
        return axis + rank if axis < 0 else axis

    attrs = dict(node.attrs)
    if "axis" in attrs:
        attrs["axis"] = front(attrs["axis"])
    if attrs.get("axes"):
        attrs["axes"] = tuple(map(front, attrs["axes"]))
    return attrs


def _beyond_rules(graph: Graph, node: Node) -> bool:
    """MatMul of a vector: the rules speak of matrices and batches of them."""
    return node.op == "MatMul" and min(graph.types[name].rank for name in node.inputs) < 2


def _other_terms(out: Encoding, ids: dict[str, int], graph: Graph, node: Node, use: Callable[[str], str]) -> list[str]:
    """Equal operators with equal attributes share a number, so that congruence holds for them too."""
    types = tuple(graph.types[name] if name else None for name in node.outputs)
    absent = tuple(i for i, name in enumerate(node.inputs) if not name)
    key = repr((node.qualified, sorted(node.attrs.items()), node.identity, types, absent))
    if key not in ids:
        ids[key] = len(out.others)
        out.others.append((node, types))
    operands = [use(name) for name in node.inputs if name]
    vector = f"(vec-of {' '.join(operands)})" if operands else "(vec-empty)"
    return [f"(Other {ids[key]} {vector} {i})" for i in range(len(node.outputs))]
