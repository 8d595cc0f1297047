"""Measure how the cost of rewriting grows with the number of rules and with the size of the graph.

For each point it prints the e-nodes of a saturated e-graph and the milliseconds to saturate and extract one graph. It
also prints the difference in operators between the largest and the smallest variant. Times are also ratios to the first
point of the same run. Each graph is saturated alone, except in the last table, which batches graphs.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from rich.console import Console
from rich.table import Table

from polyjuice.egraph import Budget, Rewriter, Rewriting, Rule, distinct, graph_windows, load, partners
from polyjuice.generate import generate
from polyjuice.inputs import REAL_PROFILES, ranges
from polyjuice.ir import Graph

SIZES = (10, 20, 50, 100, 200, 500)
BATCHES = (1, 4, 16)


@dataclass(frozen=True)
class Point:
    """Means over some graphs; ``gap`` is the difference in operators of the largest and the smallest variant."""

    enodes: float
    ms: float
    gap: float
    variants: float


def point(rewriter: Rewriter, graphs: Sequence[Graph]) -> Point:
    """Rewrite each graph alone, and return the means."""
    rewriter.rewrite(graphs[0], "warm")
    done: list[Rewriting] = []
    seconds = []
    for number, graph in enumerate(graphs):
        began = time.process_time()
        done.append(graph_windows.rewrite(rewriter, graph, number, ranges=ranges(graph, REAL_PROFILES)))
        seconds.append(time.process_time() - began)
    return Point(
        mean(r.enodes for r in done),
        1e3 * mean(seconds),
        mean(r.variants[-1].operators - r.variants[0].operators for r in done),
        mean(len(distinct(r.variants)) for r in done),
    )


def batched(rewriter: Rewriter, graphs: Sequence[Graph], size: int) -> float:
    """Return the milliseconds for one graph if ``size`` graphs share an e-graph."""
    began = time.process_time()
    for start in range(0, len(graphs), size):
        some = graphs[start : start + size]
        saturated = rewriter.saturate(some, start, [ranges(graph, REAL_PROFILES) for graph in some])
        for k in range(len(some)):
            rewriter.extract(saturated, k, k)
    return 1e3 * (time.process_time() - began) / len(graphs)


def chosen(rules: Sequence[Rule], count: int) -> list[Rule]:
    """Return a fixed random sample of the rules."""
    return random.Random("rules").sample(rules, count)


def table(title: str, points: dict[str, Point]) -> Table:
    """Return the table of some points; ratios are to the first one."""
    shown = Table(title, "e-nodes", "ms", "ms, ratio", "gap in operators", "distinct of 2", box=None)
    first = next(iter(points.values()))
    for name, p in points.items():
        row = (f"{p.enodes:.0f}", f"{p.ms:.1f}", f"{p.ms / first.ms:.2f}", f"{p.gap:.1f}", f"{p.variants:.2f}")
        shown.add_row(name, *row)
    return shown


def main() -> None:
    """Measure all points, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=32, help="graphs for each point")
    arguments = parser.parse_args()
    rules = load()
    wanted = partners(rules)
    console = Console(width=110)

    small = [generate(10, f"growth {i}", partners=wanted) for i in range(arguments.n)]
    counts = [n for n in (20, 50, 100, 200, 400) if n < len(rules)] + [len(rules)]
    console.print(table("rules in the files", {f"{n}": point(Rewriter(chosen(rules, n)), small) for n in counts}))
    enabled = {"40": 40, "80": 80, "160": 160, "all that can match": None}
    console.print(
        table("rules enabled", {name: point(Rewriter(rules, Budget(rules=n)), small) for name, n in enabled.items()})
    )
    by_size = {
        f"{size}": point(
            Rewriter(rules),
            [generate(size, f"growth {i}", partners=wanted) for i in range(max(2, 10 * arguments.n // size))],
        )
        for size in SIZES
    }
    shown = table("operators in the graph", by_size)
    console.print(shown)
    per_operator = {size: by_size[f"{size}"].ms / size for size in SIZES}
    ratios = ", ".join(f"{size}: {ms / per_operator[SIZES[0]]:.2f}" for size, ms in per_operator.items())
    console.print(f"time per operator, as a ratio to that at {SIZES[0]}: {ratios}")

    rewriter = Rewriter(rules)
    batched(rewriter, small[:16], 16)
    console.print(
        "ms a graph of 10 operators, saturated and extracted, by the number of graphs in one e-graph: "
        + ", ".join(f"{size}: {batched(rewriter, small, size):.1f}" for size in BATCHES)
    )


if __name__ == "__main__":
    main()
