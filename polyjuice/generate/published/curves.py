"""Plot how the metrics of a suite grew with its graphs. Only this module needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from polyjuice.generate.published.metrics import METRICS


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
