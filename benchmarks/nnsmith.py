"""Measure attribute binning and the input search of the strategy nnsmith, each on and off (NNSmith, section 5.3).

    python -m benchmarks.nnsmith [--graphs 1000] [--models 100] [--faults 60]

Times are processor time. *Binning*: an instance is an operator with its input types and attributes. Off, the solver's
own values are the sizes. *Search*: the models have a vulnerable operator. Each method starts from the same values, and
again from others until all values of the model are finite or its time is over. The last column has searches that end
later, too. *Faults*: campaigns on ONNX Runtime with planted faults, as in ``benchmarks/evaluation/planted.py``. The
tables go to artifacts/nnsmith.md.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import gencog
from benchmarks.evaluation.planted import detection
from benchmarks.evaluation.techniques import NNSMITH
from benchmarks.mutants.detection import planting
from polyjuice.generate import Suite
from polyjuice.generate.published import nnsmith
from polyjuice.inputs import finite_everywhere, make_inputs, settle
from polyjuice.inputs.descent import descend, run
from polyjuice.inputs.domains import vulnerable
from polyjuice.inputs.random_values import normal
from polyjuice.ir import Graph, TensorType, dtypes

ARTIFACT = Path(__file__).resolve().parents[1] / "artifacts" / "nnsmith.md"

NODES = 10
"""Operators in a graph (section 5.1)."""

SIZES = (10, 20, 30)
"""Operators in the models whose inputs are searched (figure 11)."""

BUDGETS_MS = (4, 8, 16, 32, 64, 128)
"""The times for one model. The paper has 8 to 64 ms."""

LOW, HIGH = 1.0, 9.0
"""The range of sampled values that served the paper best."""

ITERATIONS = 24
"""Steps of one descent before it begins at other values."""

SEEDS = 2
"""Campaigns of each technique."""

Values = Mapping[str, np.ndarray]
Method = Callable[[Graph, Values], bool]


def main() -> None:
    """Measure all three, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=1000, help="graphs with binning, and without")
    parser.add_argument("--models", type=int, default=100, help="models of each size whose inputs are searched")
    parser.add_argument("--faults", type=float, default=60.0, help="seconds of each campaign; 0: none")
    options = parser.parse_args()
    command = f"python -m benchmarks.nnsmith --graphs {options.graphs} --models {options.models}"
    text = f"# Parts of the strategy nnsmith, on and off\n\nMade by `{command} --faults {options.faults:g}`.\n"
    for section, amount in ((binning, options.graphs), (searches, options.models), (faults, options.faults)):
        text += (made := section(amount))
        print(made, flush=True)
    ARTIFACT.write_text(text, encoding="utf-8")


# --- binning ---------------------------------------------------------------------------------------------------------


def binning(graphs: int) -> str:
    """Return the table of operator instances with and without binning, on as many graphs and in the same time."""
    text = f"\n## Operator instances, graphs of {NODES} operators\n\n"
    text += gencog.head("operators, graphs", ["binning", "without", "ratio", "ratio in the same time"])
    settings: Mapping[str, Mapping[str, Any]] = {
        "all": {},
        "GenCoG's 22 on float32": {"operators": gencog.OPERATORS, "accepts": lambda op, x, y: x[0].dtype == "float32"},
    }
    for name, setting in settings.items():
        grown = {binned: growth(graphs, binned=binned, **setting) for binned in (True, False)}
        least = min(seconds[-1] for seconds, _ in grown.values())
        reached = {b: max(n for s, n in zip(*one, strict=True) if s <= least) for b, one in grown.items()}
        with_it, without = grown[True][1][-1], grown[False][1][-1]
        ratios = f"{with_it / without:.2f} | {reached[True] / reached[False]:.2f}"
        text += f"| {name}, {graphs:,} | {with_it:,} | {without:,} | {ratios} |\n"
    return text + "\nThe paper has a ratio of 2.07 after four hours (figure 9).\n"


def growth(graphs: int, **setting: Any) -> tuple[list[float], list[int]]:
    """Return the seconds and the instances after each graph."""
    suite, seconds, instances = Suite(), [0.0], [0]
    for number in range(graphs):
        began = time.process_time()
        graph = nnsmith.generate(NODES, f"nnsmith {number}", **setting)
        seconds.append(seconds[-1] + time.process_time() - began)
        suite.add(graph)
        instances.append(sum(suite.instances().values()))
    return seconds, instances


# --- input search ----------------------------------------------------------------------------------------------------


def searches(models: int) -> str:
    """Return the tables of the share of models with finite values, by method, size and time."""
    text = "\n## Models with inputs and weights under which all values are finite\n"
    for nodes in SIZES:
        graphs = list(islice(vulnerable_models(nodes), models))
        text += f"\n{len(graphs)} models of {nodes} operators:\n\n"
        text += gencog.head("method", [*(f"{ms} ms" for ms in BUDGETS_MS), "ms a model, if found"])
        for name, method in METHODS.items():
            needed = [1e3 * seconds_until_finite(graph, method, n) for n, graph in enumerate(graphs)]
            shares = [sum(ms <= budget for ms in needed) / len(needed) for budget in BUDGETS_MS]
            found = [ms for ms in needed if ms < math.inf]
            mean = f"{sum(found) / len(found):.1f}" if found else "-"
            text += f"| {name} | " + " | ".join(f"{100 * share:.1f} %" for share in shares) + f" | {mean} |\n"
    text += "\nIn the paper, the search finds values for 1.16 to 1.34 times as many models as sampling (figure 11).\n"
    return text + "It succeeds for 98 % of models of 10 operators in 3.5 ms.\n"


def vulnerable_models(nodes: int) -> Iterator[Graph]:
    """Yield models with a vulnerable operator."""
    for number in count():
        graph = nnsmith.generate(nodes, f"search {number}")
        results = [[graph.types[name] if name else None for name in node.outputs] for node in graph.nodes]
        if any(map(vulnerable, graph.nodes, results)):
            yield graph


def seconds_until_finite(graph: Graph, method: Method, seed: int) -> float:
    """Return how long a method needs, or infinity."""
    rng = np.random.default_rng(seed)
    began = time.process_time()
    while time.process_time() - began < max(BUDGETS_MS) / 1e3:
        if method(graph, {**graph.constants, **{name: sampled(graph.types[name], rng) for name in graph.inputs}}):
            return time.process_time() - began
    return math.inf


def sampled(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Return random values: floating ones in the paper's range."""
    if not dtypes.is_float(t.dtype):
        return normal(t, rng)
    return np.asarray(rng.uniform(LOW, HIGH, t.shape)).astype(dtypes.to_numpy(t.dtype))


def descends(proxies: bool) -> Method:
    """Return NNSmith's search, with or without proxy derivatives."""

    def method(graph: Graph, values: Values) -> bool:
        floating = [name for name in (*graph.inputs, *graph.constants) if dtypes.is_float(graph.types[name].dtype)]
        return descend(graph, values, floating, ITERATIONS, proxies=proxies).finite

    return method


def settles(graph: Graph, values: Values) -> bool:
    """Whether a campaign's search finds inputs. It draws its own, and may replace operands by new inputs."""
    settled = settle(graph, key := str(values))
    return finite_everywhere(settled, make_inputs(settled, "normal", key))


METHODS: Mapping[str, Method] = {
    "sampling": lambda graph, values: run(graph, dict(values)) == len(graph.nodes),
    "gradient": descends(proxies=False),
    "gradient with proxy derivatives": descends(proxies=True),
    "a campaign's search, which may change the graph": settles,
}


# --- faults ----------------------------------------------------------------------------------------------------------


def faults(seconds: float) -> str:
    """Return the table of planted faults that each technique detects; "" if there is no time for it."""
    if not seconds:
        return ""
    text = f"\n## Planted faults detected in {seconds:g} s\n\n" + gencog.head("", ["programs", "faults", "any seed"])
    with planting():
        for name, technique in NNSMITH.items():
            runs = [detection(technique, name, "onnxruntime", seed, seconds) for seed in range(SEEDS)]
            programs = ", ".join(str(one["programs"]) for one in runs)
            met = ", ".join(str(len(one["detected"])) for one in runs)
            text += f"| {name} | {programs} | {met} | {len({f for one in runs for f in one['detected']})} |\n"
    return text


if __name__ == "__main__":
    main()
