"""How much of a campaign on ONNX Runtime is ONNX Runtime: what Polyjuice itself costs where the compiler is fast.

    python benchmarks/onnxruntime_speed.py              # as many cores as there are
    taskset -c 0 python benchmarks/onnxruntime_speed.py # all processes on one core
    python benchmarks/onnxruntime_speed.py --variants 6 --extract steps  # fifteen pairs of each seed graph

Runs the cases of a campaign with default settings, one after another, and prints the pairs of variants per second,
and where the time of a pair goes. Then it compiles and runs the very same models on the same inputs in this process,
with nothing else around them, and prints that time and the ratio of the two. Take the ratio, which both halves of one
run give, for comparisons; the times alone depend on the machine. What starts once for a whole campaign (reading rules,
the first e-graph, the worker, asking the compiler for the operators that it takes) is done before, and printed apart.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice.campaign.case import Runner
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import BATCH
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome, Worker
from polyjuice.execution.protocol import to_wire

Job = tuple[Artifact, Sequence[Sequence[np.ndarray]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=480, help="cases (default: 480)")
    parser.add_argument("--seed", type=int, default=0, help="the campaign's seed (default: 0)")
    parser.add_argument("--variants", type=int, default=2, help="variants of each seed graph (default: 2)")
    parser.add_argument("--extract", default="minmax", help="minmax (default), steps or random")
    arguments = parser.parse_args()
    config = Config("onnxruntime", seed=arguments.seed, variants=arguments.variants, extract=arguments.extract)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        runner = Runner(config, Path(folder), load())
        try:
            for index in range(arguments.n, arguments.n + 2 * BATCH):
                runner.run(index)
            started = time.perf_counter()
            jobs, pairs, spent = campaign(runner, arguments.n)
            campaign_s = time.perf_counter() - started
        finally:
            runner.close()
    bare(jobs[:50])
    bare_s = bare(jobs)
    print(f"start and warm-up      {started - began:8.2f} s")
    print(f"pairs                  {pairs:8d} of {arguments.n} cases")
    print(f"pairs per second       {pairs / campaign_s:8.1f}")
    for activity, seconds in spent.items():
        print(f"  {activity:20s} {1000 * seconds / pairs:8.2f} ms a pair")
    print(f"campaign               {1000 * campaign_s / pairs:8.2f} ms a pair")
    print(f"bare ONNX Runtime      {1000 * bare_s / pairs:8.2f} ms a pair")
    print(f"campaign / bare        {campaign_s / bare_s:8.2f}")


def campaign(runner: Runner, cases: int) -> tuple[list[Job], int, Counter[str]]:
    """Run the cases; what the compiler was given, the number of pairs, and the seconds by activity."""
    jobs: list[Job] = []
    execute = Worker.execute

    def recorded(worker: Worker, artifact: Artifact, inputs: Any, **options: Any) -> Outcome:
        outcome = execute(worker, artifact, inputs, **options)
        if outcome.status == "ok":
            jobs.append((artifact, inputs))
        return outcome

    pairs, spent = 0, Counter[str]()
    Worker.execute = recorded  # type: ignore[method-assign]
    try:
        for index in range(cases):
            result = runner.run(index)
            pairs += result.pairs
            spent.update(result.seconds)
    finally:
        Worker.execute = execute  # type: ignore[method-assign]
    return jobs, pairs, spent


def bare(jobs: Sequence[Job]) -> float:
    """The seconds that ONNX Runtime takes for these models on these inputs, in this process."""
    compiler = importlib.import_module("polyjuice.compilers.onnxruntime")
    compiler.start({})
    seconds = 0.0
    for artifact, inputs in jobs:
        arguments = [to_wire(artifact.arrays[name]) for name in artifact.arguments]
        sets = [[*map(to_wire, one), *arguments] for one in inputs]
        source = {"source": artifact.source, "arrays": dict(artifact.arrays), "setup": artifact.setup}
        began = time.perf_counter()
        compiled = compiler.compile(compiler.load(source), sets[0])
        for one in sets:
            compiler.run(compiled, one)
        del compiled
        seconds += time.perf_counter() - began
    return seconds


if __name__ == "__main__":
    main()
