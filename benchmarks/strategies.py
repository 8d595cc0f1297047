"""Compare the generation strategies on the same work: time, validity, diversity, numeric validity.

    python benchmarks/strategies.py [--small 1000] [--large 200]

Each strategy makes graphs of 10 and of 100 operators, on one core, in one run. A graph is valid if it is well typed and
the interpreter runs it. It is plain if it has no NaN or infinity on normal random inputs. It is finite if a search
finds inputs without NaN and infinity; the search runs for one graph of four. Times are processor time of the generation
alone, comparable within one run. The table goes to artifacts/strategies.md.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from polyjuice.generate import METRICS, STRATEGIES, Memory, Suite, generate
from polyjuice.inputs import finite_everywhere, is_finite, settle
from polyjuice.inputs.random_values import normal
from polyjuice.ir import Graph, GraphError

TABLE = Path(__file__).resolve().parents[1] / "artifacts" / "strategies.md"
SMALL, LARGE = 10, 100
SHARES = ("valid", "plain", "finite")
SEARCHED = 4
"""Inputs are searched for one graph in this many: the search takes far longer than the generation."""


def main() -> None:
    """Measure all strategies, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=1000, help=f"graphs of {SMALL} operators")
    parser.add_argument("--large", type=int, default=200, help=f"graphs of {LARGE} operators")
    parser.add_argument("--table", type=Path, default=TABLE)
    arguments = parser.parse_args()
    sections = [section(nodes, count) for nodes, count in ((SMALL, arguments.small), (LARGE, arguments.large))]
    command = f"python benchmarks/strategies.py --small {arguments.small} --large {arguments.large}"
    text = f"# Generation strategies on the same work\n\nMade by `{command}`.\n" + "".join(sections)
    arguments.table.write_text(text, encoding="utf-8")
    print(text)


def section(nodes: int, count: int) -> str:
    """Return the table for graphs of one size."""
    measured = {strategy: measure(strategy, nodes, count) for strategy in STRATEGIES}
    lines = ["", f"## {count} graphs of {nodes} operators", "", "| | " + " | ".join(STRATEGIES) + " |"]
    lines.append("|---" * (len(STRATEGIES) + 1) + "|")
    shares = {metric.name for metric in METRICS if metric.share} | set(SHARES)
    for name in next(iter(measured.values())):
        cells = [f"{100 * m[name]:.3g} %" if name in shares else f"{m[name]:.4g}" for m in measured.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def measure(strategy: str, nodes: int, count: int) -> dict[str, float]:
    """Return the figures of one strategy, by name."""
    memory, suite = Memory(), Suite()
    seconds = 0.0
    counts = dict.fromkeys(SHARES, 0)
    generate(nodes, "warm", strategy=strategy, memory=Memory())
    for number in range(count):
        key = f"strategies {number}"
        began = time.process_time()
        graph = generate(nodes, key, strategy=strategy, memory=memory)
        seconds += time.process_time() - began
        suite.add(graph)
        counts["valid"] += is_valid(graph, key)
        counts["plain"] += finite_everywhere(graph, random_inputs(graph, number))
        if number % SEARCHED == 0:
            counts["finite"] += is_finite(settle(graph, key), key)
    shares = {name: value / count for name, value in counts.items()}
    shares["finite"] = counts["finite"] / len(range(0, count, SEARCHED))
    return {"ms per graph": 1e3 * seconds / count, **shares, **suite.values()}


def random_inputs(graph: Graph, seed: int) -> list[np.ndarray]:
    """Return normal random inputs for a graph."""
    rng = np.random.default_rng(seed)
    return [normal(t, rng) for t in graph.input_types]


def is_valid(graph: Graph, key: str) -> bool:
    """Whether the interpreter runs a graph without a type error."""
    try:
        is_finite(graph, key)
    except GraphError:
        return False
    return True


if __name__ == "__main__":
    main()
