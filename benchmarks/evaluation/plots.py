"""Draw the plots of `docs/evaluation.md` from the stored results.

python -m benchmarks.evaluation.plots
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.evaluation import coverage, passes
from benchmarks.evaluation.overhead import COLUMNS
from benchmarks.evaluation.techniques import TECHNIQUES

RESULTS = passes.RESULTS
IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"

_COMPILER = "onnxruntime"
"""The compiler of the planted faults that are drawn."""


def main() -> None:
    """Draw all plots."""
    mpl.rcParams.update({"svg.hashsalt": "polyjuice", "svg.fonttype": "none", "font.size": 9})
    draw("evaluation-passes", improvements, passes.stored(), label="improvement, in %")
    planted = json.loads((RESULTS / "planted.json").read_text(encoding="utf-8"))[_COMPILER]
    draw("evaluation-planted", detections, planted, label="detected faults, mean of seeds")
    overhead = json.loads((RESULTS / "overhead.json").read_text(encoding="utf-8"))
    draw("evaluation-overhead", shares, overhead, label="share of a case's time, in %")
    pair = json.loads((RESULTS / "visits.json").read_text(encoding="utf-8"))
    draw("evaluation-visits", visits, pair, label="times that it changed the program")
    draw("evaluation-coverage", curves, *coverage.stored().items(), label="")


def draw(name: str, plot: Callable[[Axes, Any], None], *results: Any, label: str) -> None:
    """Write one plot of each result, one beside the other, as SVG."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    for axes, result in zip(figure.subplots(1, len(results), squeeze=False)[0], results, strict=True):
        plot(axes, result)
        axes.set_ylabel(label)
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})


def improvements(axes: Axes, results: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Draw the improvement of the LCS difference of passes that changed the program, with its standard error."""
    strategies = [name for name in passes.STRATEGIES if name != passes.BASELINE]
    for number, strategy in enumerate(strategies):
        found = [passes.improvement(rows, strategy, 0) for rows in results.values()]
        means, errors = [100 * mean for mean, _, _ in found], [100 * error for _, error, _ in found]
        places = [place + 0.25 * number for place in range(len(results))]
        axes.bar(places, means, 0.22, label=strategy, yerr=errors)
    axes.set_xticks([place + 0.25 for place in range(len(results))], list(results))


def detections(axes: Axes, runs: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw the faults that each technique has detected after each second."""
    for technique in (name for name in TECHNIQUES if name in runs):
        seeds = list(runs[technique].values())
        times = sorted({0.0, *(time for run in seeds for time in run["detected"].values())})
        means = [statistics.mean(sum(t <= time for t in run["detected"].values()) for run in seeds) for time in times]
        axes.step(times, means, where="post", label=technique)
    axes.set_xlabel("seconds")


def shares(axes: Axes, results: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw the share of rewriting with extraction, and of judging, against the size of the seed graph."""
    for compiler, sizes in results.items():
        for activity, style in (("rewrite", "-"), ("judge", "--")):
            seconds = [size["seconds"] for size in sizes.values()]
            values = [100 * one[activity] / sum(one[name] for name in COLUMNS) for one in seconds]
            axes.plot([int(size) for size in sizes], values, style, label=f"{compiler}, {activity}")
    axes.set_xscale("log")
    axes.set_xlabel("operators of the seed graph")


def visits(axes: Axes, pair: Mapping[str, Any]) -> None:
    """Draw how often each pass changed the two programs of a pair."""
    numbers = range(len(pair["visits"]))
    for label, shift, counts in zip(
        ("fewest", "most"), (-0.2, 0.2), zip(*pair["visits"].values(), strict=True), strict=True
    ):
        axes.bar([number + shift for number in numbers], counts, 0.4, label=f"{label} operators")
    axes.set_xlabel(f"entries of the trace of {pair['compiler']}, by name")


def curves(axes: Axes, results: tuple[str, Sequence[Mapping[str, Any]]]) -> None:
    """Draw how much of a compiler each arm has reached after each second of processor time."""
    compiler, arms = results
    measure = next(iter(arms[0]["rows"][-1][2]))
    for arm in arms:
        points = [(0, 0), *((seconds, counts.get(measure, 0)) for seconds, _, counts in arm["rows"])]
        axes.plot(*zip(*points, strict=True), label=arm["arm"])
    axes.set_title(f"{measure}, {compiler}")
    axes.set_xlabel("seconds")


if __name__ == "__main__":
    main()
