"""GenCoG's setting: how diverse graphs are of 22 operators and small shapes (paper 002, 6.1 and 6.3).

    python benchmarks/gencog.py [--strategy default] [--vertices 20000]

Ranks 1 to 5, sizes 1 to 4, 32 operators a graph, at most 20,000 in all; of GenCoG's own code vertex diversity reaches
0.200, 0.343 and 0.604 at 5,000, 10,000 and 20,000 vertices, and edge diversity 0.963. Its operators are Relay's; here
they are said in ONNX's: Conv is conv1d and conv2d, by its rank, Gemm dense, and Add of a constant bias_add. N_est of
each, and the attributes that tell its calls apart, are what that code computes.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from polyjuice.generate import STRATEGIES, Memory, generate
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.ops import TABLE, Op

NODES, MAX_SIZE, RANKS = 32, 4, range(1, 6)

SPACES = {
    "sigmoid": 1024, "add": 2048, "subtract": 2048, "multiply": 2048, "maximum": 2048, "minimum": 2048,
    "reshape": 9216, "transpose": 1024, "concatenate": 2048, "strided_slice": 1024, "relu": 1024, "leaky_relu": 1024,
    "prelu": 1024, "softmax": 1024, "conv1d": 576, "conv2d": 4608, "max_pool2d": 3840, "avg_pool2d": 4096, "pad": 512,
    "batch_norm": 3072, "dense": 48, "bias_add": 1024,
}  # fmt: skip
"""N_est of each operator."""

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
"""The attributes that tell calls apart."""

PARAMETERS = ("prelu", "conv1d", "conv2d", "pad", "batch_norm", "dense", "bias_add")
"""Operators of which the first operand's shape counts alone; of conv and dense the number of channels too."""

RANKED = {"conv1d": (3,), "conv2d": (4,), "max_pool2d": (4,), "avg_pool2d": (4,), "pad": (3, 4), "dense": (2,)}
"""The ranks of a first operand, where they are not all."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", choices=STRATEGIES, default="default")
    parser.add_argument("--vertices", type=int, default=20_000)
    arguments = parser.parse_args()
    calls: dict[str, set[Any]] = defaultdict(set)
    edges: set[tuple[str, str]] = set()
    memory = Memory()
    began, vertices, graphs = time.process_time(), 0, 0
    marks = [m for m in (5_000, 10_000, 20_000) if m < arguments.vertices] + [arguments.vertices]
    while marks:
        graph = generate(NODES, f"gencog {graphs}", accepts, None, arguments.strategy, memory, OPERATORS)
        graphs += 1
        vertices += len(graph.nodes)
        for name, call in named(graph):
            calls[name].add(call)
        edges |= pairs(graph)
        if vertices >= marks[0]:
            marks.pop(0)
            shares = [min(1.0, len(calls[name]) / space) for name, space in SPACES.items()]
            each = 1e3 * (time.process_time() - began) / graphs
            print(
                f"{vertices} vertices in {graphs} graphs, {each:.1f} ms each: vertex diversity "
                f"{sum(shares) / len(shares):.3f}, edge diversity {len(edges) / len(SPACES) ** 2:.3f}"
            )
    for name, space in SPACES.items():
        print(f"  {name:14} {len(calls[name]):5} of {space}")


def accepts(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether an application is in the setting."""
    types = (*operands, *results)
    if any(t.rank not in RANKS or not all(1 <= d <= MAX_SIZE for d in t.shape) for t in types if t.dtype != "int64"):
        return False
    rank = operands[0].rank
    name = {3: "conv1d", 4: "conv2d"}.get(rank, "") if op.name == "Conv" else NAMES[op.name]
    return operands[0].dtype == "float32" and bool(name) and rank in RANKED.get(name, RANKS)


def named(graph: Graph) -> Iterator[tuple[str, Any]]:
    """Every vertex: the operator, and what tells the call from others."""
    for node in graph.nodes:
        name = operator(graph, node)
        shapes = [graph.types[x].shape for x in node.inputs if x]
        told: tuple[Any, ...] = tuple(shapes[:1] if name in PARAMETERS else shapes)
        if name in ("conv1d", "conv2d"):
            told = (*told, shapes[1][0], shapes[1][2:])
        if name == "dense":
            told = (*told, graph.types[node.outputs[0]].shape[1])
        yield name, (told, *(str(node.attrs[attr]) for attr in ATTRIBUTES.get(name, ())))


def operator(graph: Graph, node: Node) -> str:
    """The name of a vertex among the 22."""
    name = NAMES[node.op]
    if name == "conv":
        return {3: "conv1d", 4: "conv2d"}[graph.types[node.inputs[0]].rank]
    return "bias_add" if name == "add" and any(x in graph.constants for x in node.inputs) else name


def pairs(graph: Graph) -> set[tuple[str, str]]:
    """The edges by their ends' operators."""
    producers = {name: operator(graph, node) for node in graph.nodes for name in node.outputs}
    return {(producers[x], operator(graph, node)) for node in graph.nodes for x in node.inputs if x in producers}


if __name__ == "__main__":
    main()
