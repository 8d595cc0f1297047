"""Compare ways to choose inputs and constants by how often a generated graph has no NaN and no infinity.

This is the experiment of NNSmith's figure 11 (paper 001, section 5.3) on this project's graphs. They have several sizes
and at least one vulnerable operator each. For each way it measures the processor time for one graph. It also measures
the share of graphs whose values are all finite, in their own element types. The ways are

- sampling of inputs, uniformly from [1, 9] (the paper's baseline) or normally;
- gradient search as in the paper's algorithm 3, over inputs and floating constants. It starts from the same uniform
  samples, and from new ones after each descent, without and with proxy derivatives;
- ours: gradients and ranges for the inputs alone; then also for the constants when the graph is made; and then with
  new inputs instead of operands that no values make finite. The search for inputs starts from other samples than the
  search for constants.

Some graphs have no finite values at all, such as log(x - x). "Any of the above" is a lower bound on those that do.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from polyjuice.generate import generate
from polyjuice.inputs import finite_everywhere, make_inputs, settle
from polyjuice.inputs.descent import descend
from polyjuice.inputs.domains import vulnerable
from polyjuice.inputs.random_values import normal
from polyjuice.ir import Graph, dtypes

#: The most descents from new samples, and iterations of each, in the paper's searches.
_RESTARTS = 8
_ITERATIONS = 24

Way = Callable[[Graph, int], bool]
"""A way to choose values by a seed: whether all values of the graph are then finite."""


def uniform(graph: Graph, rng: np.random.Generator) -> list[np.ndarray]:
    """Return inputs drawn uniformly from [1, 9]."""
    arrays = [rng.uniform(1, 9, t.shape) if dtypes.is_float(t.dtype) else normal(t, rng) for t in graph.input_types]
    return [np.asarray(a).astype(dtypes.to_numpy(t.dtype)) for a, t in zip(arrays, graph.input_types, strict=True)]


def sampled_uniformly(graph: Graph, seed: int) -> bool:
    """Whether uniform samples make all values finite."""
    return finite_everywhere(graph, uniform(graph, np.random.default_rng(seed)))


def sampled_normally(graph: Graph, seed: int) -> bool:
    """Whether normal samples make all values finite."""
    rng = np.random.default_rng(seed)
    return finite_everywhere(graph, [normal(t, rng) for t in graph.input_types])


def gradient_search(proxy: bool) -> Way:
    """Return the paper's gradient search, with or without proxy derivatives."""

    def search(graph: Graph, seed: int) -> bool:
        rng = np.random.default_rng(seed)
        sources = [name for name in (*graph.inputs, *graph.constants) if dtypes.is_float(graph.types[name].dtype)]
        for _ in range(_RESTARTS):
            start = dict(zip(graph.inputs, uniform(graph, rng), strict=True)) | dict(graph.constants)
            if descend(graph, start, sources, _ITERATIONS, proxy).finite:
                return True
        return False

    return search


def ours_for_inputs(graph: Graph, seed: int) -> bool:
    """Whether this project's search finds inputs that make all values finite."""
    return finite_everywhere(graph, make_inputs(graph, "normal", seed))


def ours(new_inputs: bool) -> Way:
    """Return this project's search for inputs and constants, with or without new inputs."""
    return lambda graph, seed: ours_for_inputs(settle(graph, seed, new_inputs), seed)


WAYS: Mapping[str, Way] = {
    "sampling, uniform in [1, 9]": sampled_uniformly,
    "sampling, normal": sampled_normally,
    "gradient": gradient_search(proxy=False),
    "gradient, proxy derivatives": gradient_search(proxy=True),
    "ours, inputs": ours_for_inputs,
    "ours, inputs and constants": ours(new_inputs=False),
}

SETTLED = "ours, and new inputs"
POSSIBLE = "any of the above"


def has_vulnerable(graph: Graph) -> bool:
    """Whether a graph has an operator that can make NaN or infinity of finite operands."""
    return any(vulnerable(node, [graph.types[name] for name in node.outputs if name]) for node in graph.nodes)


def graphs_of(size: int, count: int) -> list[Graph]:
    """Return the first generated graphs with a vulnerable operator."""
    graphs = (generate(size, f"input search {number}") for number in itertools.count())
    return list(itertools.islice(filter(has_vulnerable, graphs), count))


def measure(graphs: Sequence[Graph]) -> dict[str, dict[str, float]]:
    """Return, for each way, the share of graphs without NaN and infinity, and the milliseconds for one graph."""
    figures: dict[str, dict[str, float]] = {}
    possible = np.zeros(len(graphs), bool)
    for name, way in {**WAYS, SETTLED: ours(new_inputs=True)}.items():
        if name == SETTLED:
            figures[POSSIBLE] = {"finite": float(possible.mean())}
        began = time.process_time()
        finite = np.array([way(graph, seed) for seed, graph in enumerate(graphs)])
        figures[name] = {"finite": float(finite.mean()), "ms": 1e3 * (time.process_time() - began) / len(graphs)}
        possible |= finite
    return figures


def main() -> None:
    """Measure all ways on graphs of each size, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=200, help="graphs of each size")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 20, 30], help="operators of a graph")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()

    shown = Table(f"{arguments.n} graphs of each size", box=None)
    for size in arguments.sizes:
        shown.add_column(f"{size} operators: finite", justify="right")
        shown.add_column("ms", justify="right")
    figures = {size: measure(graphs_of(size, arguments.n)) for size in arguments.sizes}
    for name in (*WAYS, POSSIBLE, SETTLED):
        cells: list[str] = []
        for by_way in figures.values():
            ms = by_way[name].get("ms")
            cells += [f"{100 * by_way[name]['finite']:.1f} %", "" if ms is None else f"{ms:.1f}"]
        shown.add_row(name, *cells)
    Console(width=130).print(shown)
    if arguments.json:
        arguments.json.write_text(json.dumps({"graphs": arguments.n, "by_size": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
