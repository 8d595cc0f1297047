"""Measure the diversity of graphs in GenCoG's setting: 22 operators and small shapes (GenCoG, 6.1 and 6.3).

    python benchmarks/gencog.py [--vertices 20000]

Inputs are float32 of ranks 1 to 5 and sizes 1 to 4, and a graph has 32 operators. As in GenCoG's code, results may have
larger sizes. The last table is stricter: no value has a size above 4. It includes nnsmith, whose solver chooses the
sizes of inputs itself. It lacks hirgen, which soon finds nothing new there.

GenCoG's operators are Relay's, here replaced by ONNX's: Conv is conv1d or conv2d, by its rank, Gemm is dense, and Add
of a constant is bias_add. N_est of each operator, and the attributes that distinguish its calls, are those of GenCoG's
code, which they direct. They also direct the default strategy here. Times are processor time, comparable within one
run. The tables go to artifacts/gencog.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyjuice.generate import SMALL_STRATEGIES, STRATEGIES, InputTypes, Memory, generate
from polyjuice.generate.call_space import CallSpace
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.ops import TABLE, Accepts, Op

NODES, MAX_SIZE, RANKS = 32, 4, range(1, 6)

SPACES = {
    "sigmoid": 1024, "add": 2048, "subtract": 2048, "multiply": 2048, "maximum": 2048, "minimum": 2048,
    "reshape": 9216, "transpose": 1024, "concatenate": 2048, "strided_slice": 1024, "relu": 1024, "leaky_relu": 1024,
    "prelu": 1024, "softmax": 1024, "conv1d": 576, "conv2d": 4608, "max_pool2d": 3840, "avg_pool2d": 4096, "pad": 512,
    "batch_norm": 3072, "dense": 48, "bias_add": 1024,
}  # fmt: skip
"""N_est, the estimated number of different calls, of each operator."""

NAMES = {
    "Sigmoid": "sigmoid", "Add": "add", "Sub": "subtract", "Mul": "multiply", "Max": "maximum", "Min": "minimum",
    "Reshape": "reshape", "Transpose": "transpose", "Concat": "concatenate", "Slice": "strided_slice", "Relu": "relu",
    "LeakyRelu": "leaky_relu", "PRelu": "prelu", "Softmax": "softmax", "Conv": "conv", "MaxPool": "max_pool2d",
    "AveragePool": "avg_pool2d", "Pad": "pad", "BatchNormalization": "batch_norm", "Gemm": "dense",
}  # fmt: skip

OPERATORS = [TABLE["", name] for name in NAMES]

ATTRIBUTES = {
    "reshape": ("shape",),
    "conv1d": ("strides", "pads", "dilations"),
    "conv2d": ("strides", "pads", "dilations", "group"),
    "max_pool2d": ("kernel_shape", "strides", "pads", "dilations", "ceil_mode"),
    "avg_pool2d": ("kernel_shape", "strides", "pads", "dilations", "ceil_mode", "count_include_pad"),
    "pad": ("mode",),
}
"""The attributes that distinguish calls."""

PARAMETERS = ("prelu", "conv1d", "conv2d", "pad", "batch_norm", "dense", "bias_add")
"""Operators whose calls differ by the first operand's shape alone; for conv and dense, also by the channels."""

RANKED = {"conv1d": (3,), "conv2d": (4,), "max_pool2d": (4,), "avg_pool2d": (4,), "pad": (3, 4), "dense": (2,)}
"""The ranks of a first operand, for operators that do not take all."""


INPUTS = InputTypes(("float32",), RANKS, range(1, MAX_SIZE + 1))

ARTIFACT = Path(__file__).resolve().parents[1] / "artifacts" / "gencog.md"

MARKS = (1_000, 5_000, 10_000, 20_000)
"""The numbers of vertices at which diversity is measured."""

OWN = "0.200 / 0.959 at 5,000 vertices, 0.343 / 0.961 at 10,000, 0.604 / 0.963 at 20,000"
"""What GenCoG's own code reaches (the last: table 3)."""

FREE = [strategy for strategy in STRATEGIES if not strategy.startswith("nnsmith") and strategy not in SMALL_STRATEGIES]
"""The strategies that make graphs of ``NODES`` operators, with inputs of the types in ``INPUTS``."""

BOUNDED = ("default", "isra", "nnsmith", "gencog")
"""The strategies that are measured without sizes above ``MAX_SIZE``."""


@dataclass
class Covered:
    """The different calls, by operator, and edges in the graphs of a strategy so far."""

    calls: dict[str, set[Any]] = field(default_factory=lambda: {name: set() for name in SPACES})
    edges: set[tuple[str, str]] = field(default_factory=set)
    graphs: int = 0
    vertices: int = 0

    def add(self, graph: Graph) -> None:
        """Count a graph."""
        self.graphs += 1
        self.vertices += len(graph.nodes)
        self.edges |= pairs(graph)
        for name, call in named(graph):
            self.calls[name].add(call)

    def vertex_diversity(self) -> float:
        """Return the mean share of N_est that the operators' different calls reach."""
        return sum(min(1.0, len(self.calls[name]) / size) for name, size in SPACES.items()) / len(SPACES)

    def edge_diversity(self) -> float:
        """Return the share of all pairs of operators that occur as an edge."""
        return len(self.edges) / len(SPACES) ** 2


def main() -> None:
    """Measure all strategies, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vertices", type=int, default=max(MARKS), help="how many, at most")
    parser.add_argument("--table", type=Path, default=ARTIFACT)
    arguments = parser.parse_args()
    marks = [mark for mark in MARKS if mark <= arguments.vertices]
    text = "# Diversity in GenCoG's setting\n\nMade by `python benchmarks/gencog.py`: vertex and edge diversity.\n\n"
    table, calls = measured(FREE, accepts, marks)
    text += table + f"\nGenCoG's own code: {OWN}.\n\nDifferent calls of each operator, of N_est possible ones:\n\n"
    text += head("operator", ["N_est", *FREE])
    for name, size in SPACES.items():
        text += f"| {name} | {size} | " + " | ".join(str(len(calls[s][name])) for s in FREE) + " |\n"
    text += f"\nWithout sizes above {MAX_SIZE} in results:\n\n" + measured(BOUNDED, accepts_small, marks)[0]
    arguments.table.write_text(text, encoding="utf-8")
    print(text)


def measured(
    strategies: Sequence[str], allowed: Accepts, marks: Sequence[int]
) -> tuple[str, dict[str, dict[str, set[Any]]]]:
    """Return a table of the strategies' diversities, and their calls by operator."""
    rows = {mark: f"| {mark:,} |" for mark in marks}
    times, calls = "| ms per graph |", {}
    for strategy in strategies:
        covered, memory, seconds = Covered(), Memory(space), 0.0
        for mark in marks:
            while covered.vertices < mark:
                began = time.process_time()
                key = f"gencog {covered.graphs}"
                graph = generate(NODES, key, allowed, None, strategy, memory, OPERATORS, INPUTS)
                seconds += time.process_time() - began
                covered.add(graph)
            rows[mark] += f" {covered.vertex_diversity():.3f} / {covered.edge_diversity():.3f} |"
        times += f" {1e3 * seconds / covered.graphs:.1f} |"
        calls[strategy] = covered.calls
    return head("vertices", strategies) + "\n".join([*rows.values(), times]) + "\n", calls


def head(first: str, columns: Sequence[str]) -> str:
    """Return the first two lines of a Markdown table."""
    return f"| {first} | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|\n"


def space(name: str) -> CallSpace:
    """Return N_est of an ONNX operator and what distinguishes its calls; for Conv and Add, of both Relay operators."""
    names = {"Conv": ("conv2d", "conv1d"), "Add": ("add", "bias_add")}.get(name, (NAMES[name],))
    inputs = 1 if names[0] in PARAMETERS else None
    return CallSpace(sum(SPACES[each] for each in names), inputs, frozenset(ATTRIBUTES.get(names[0], ())))


def accepts(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether GenCoG's setting has this application of an operator."""
    if any(t.rank not in RANKS or 0 in t.shape for t in (*operands, *results) if t.dtype != "int64"):
        return False
    rank = operands[0].rank
    name = {3: "conv1d", 4: "conv2d"}.get(rank, "") if op.name == "Conv" else NAMES[op.name]
    return operands[0].dtype == "float32" and bool(name) and rank in RANKED.get(name, RANKS)


def accepts_small(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether GenCoG's setting has this application of an operator, and no size is too large."""
    sizes = [d for t in (*operands, *results) if t.dtype != "int64" for d in t.shape]
    return accepts(op, operands, results) and max(sizes) <= MAX_SIZE


def named(graph: Graph) -> Iterator[tuple[str, Any]]:
    """Yield, for every vertex, the operator and the key that distinguishes its call."""
    for node in graph.nodes:
        name = operator(graph, node)
        shapes = [graph.types[x].shape for x in node.inputs if x]
        kinds: tuple[Any, ...] = tuple(shapes[:1] if name in PARAMETERS else shapes)
        if name in ("conv1d", "conv2d"):
            kinds = (*kinds, shapes[1][0], shapes[1][2:])
        if name == "dense":
            kinds = (*kinds, graph.types[node.outputs[0]].shape[1])
        yield name, (kinds, *(str(node.attrs[attr]) for attr in ATTRIBUTES.get(name, ())))


def operator(graph: Graph, node: Node) -> str:
    """Return the name of a vertex's operator among the 22."""
    name = NAMES[node.op]
    if name == "conv":
        return {3: "conv1d", 4: "conv2d"}[graph.types[node.inputs[0]].rank]
    return "bias_add" if name == "add" and any(x in graph.constants for x in node.inputs) else name


def pairs(graph: Graph) -> set[tuple[str, str]]:
    """Return the edges of a graph, as pairs of operators."""
    producers = {name: operator(graph, node) for node in graph.nodes for name in node.outputs}
    return {(producers[x], operator(graph, node)) for node in graph.nodes for x in node.inputs if x in producers}


if __name__ == "__main__":
    main()
