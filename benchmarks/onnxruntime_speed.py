"""Measure how many cases a second a campaign tests on a fast compiler, and where the time goes.

    python benchmarks/onnxruntime_speed.py                   # ONNX Runtime: whole graphs, and small programs
    python benchmarks/onnxruntime_speed.py --compiler tvm -n 32
    python benchmarks/onnxruntime_speed.py --only "whole graphs" --variants 6 --extract steps

Runs the first cases of a campaign with the usual settings, one after another, with one worker; all processes share one
core. It has three parts: whole graphs (``--seeds default``), small programs (``--seeds small``, which rewrites every
second batch of programs), and small programs alone (those of ``--seeds mixed`` without variants). For each part it
prints the pairs, programs and cases a second, the share of each activity, and this process's processor time a case. It
also prints the slowest cases, and how many seed graphs were prepared (a case that could not use its first took more).
Then, for ONNX Runtime, it compiles and runs the same models on the same inputs directly, and prints the ratio.

Seconds depend on the machine's other work: compare processor times, and runs that take turns. The start of a campaign
(rules, the first e-graph, the worker, probing the compiler) happens before, and does not count.
"""

from __future__ import annotations

import argparse
import importlib
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from polyjuice.campaign import kinds
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import BATCH, Preparation
from polyjuice.campaign.runner import Runner
from polyjuice.campaign.schedule import LARGE, MIXED, SMALL, Kind
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome, Worker
from polyjuice.execution.protocol import to_wire
from polyjuice.inputs import usual_profiles
from polyjuice.oracles import Case

Job = tuple[Artifact, Sequence[Sequence[np.ndarray]]]

PARTS = {
    "whole graphs": (LARGE, None),
    "small programs": (SMALL, None),
    "small programs alone": (MIXED, Kind(SMALL, alone=True)),
}
"""The strategy of each part, and the kind of all its cases, if that is not the strategy's own."""

_SLOWEST = 5


@dataclass
class Measured:
    """The cost of some cases: ``cpu_s`` of this process for each, and ``spent`` seconds by activity, with workers."""

    jobs: list[Job] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    spent: Counter[str] = field(default_factory=Counter)
    pairs: int = 0
    programs: int = 0
    prepared: int = 0
    seconds: float = 0.0


def main() -> None:
    """Measure each part on one core, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="onnxruntime", help="onnxruntime (default), or another")
    parser.add_argument("-n", type=int, default=192, help="cases of each part (default: 192)")
    parser.add_argument("--seed", type=int, default=0, help="the campaign's seed (default: 0)")
    parser.add_argument("--variants", type=int, default=2, help="variants of each seed graph (default: 2)")
    parser.add_argument("--extract", default="minmax", help="minmax (default), steps or random")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--core", type=int, help="which core (default: the first that may be used)")
    arguments = parser.parse_args()
    core = min(os.sched_getaffinity(0)) if arguments.core is None else arguments.core
    os.sched_setaffinity(0, {core})  # the worker inherits it
    for part in [arguments.only] if arguments.only else PARTS:
        strategy, kind = PARTS[part]
        compiler = find(arguments.compiler)
        config = Config(
            compiler=compiler.name,
            seeds=(strategy,),
            seed=arguments.seed,
            nodes=compiler.nodes,
            variants=arguments.variants,
            extract=arguments.extract,
            profiles=usual_profiles(compiler),
        )
        turns = {**kinds._TURNS, **({strategy: (kind,)} if kind else {})}
        with patch.object(kinds, "_TURNS", turns):
            report(part, measured(config, arguments.n), arguments.compiler == "onnxruntime")


def measured(config: Config, cases: int) -> Measured:
    """Run the first cases of a campaign, after other cases that warm up. Return their cost."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(config, Path(folder), load())
        try:
            for _ in runner.run(range(cases, cases + 2 * BATCH)):
                pass
            return campaign(runner, cases)
        finally:
            runner.close()


def campaign(runner: Runner, cases: int) -> Measured:
    """Run the cases, and return their cost."""
    found = Measured()
    execute, prepare = Worker.execute, Preparation.case

    def recorded(worker: Worker, artifact: Artifact, inputs: Any, **options: Any) -> Outcome:
        outcome = execute(worker, artifact, inputs, **options)
        if outcome.status == "ok" and worker.compiler is runner.session.compiler:  # other workers run uncompiled code
            found.jobs.append((artifact, inputs))
        return outcome

    def counted(preparation: Preparation, *arguments: Any) -> Case:
        found.prepared += 1
        return prepare(preparation, *arguments)

    with patch.object(Worker, "execute", recorded), patch.object(Preparation, "case", counted):
        began = time.perf_counter()
        for index in range(cases):
            before = time.process_time()
            (result,) = runner.run([index])
            found.cpu_s.append(time.process_time() - before)
            found.pairs += result.pairs
            found.programs += result.programs
            found.spent.update(result.seconds)
        found.seconds = time.perf_counter() - began
    return found


def report(part: str, found: Measured, is_bare: bool) -> None:
    """Print the cost of some cases."""
    cases = len(found.cpu_s)
    counts = {"pairs": found.pairs, "programs": found.programs, "cases": cases}
    print(f"{part}: {', '.join(f'{n / found.seconds:.1f} {name}' for name, n in counts.items())} a second")
    shares = [f"{name} {seconds / found.seconds:.0%}" for name, seconds in found.spent.items() if seconds]
    print(f"  {1000 * found.seconds / cases:.1f} ms a case: {', '.join(shares)}")
    slowest = sorted(((s, index) for index, s in enumerate(found.cpu_s)), reverse=True)[:_SLOWEST]
    print(
        f"  processor {1000 * sum(found.cpu_s) / cases:.1f} ms a case, the median "
        f"{1000 * float(np.median(found.cpu_s)):.1f}; slowest: "
        + ", ".join(f"case {index} {1000 * s:.0f} ms" for s, index in slowest)
    )
    print(f"  prepared {found.prepared} seed graphs for {cases} cases")
    if is_bare and found.jobs:
        bare(found.jobs[:50])
        seconds = bare(found.jobs)
        times = found.seconds / seconds
        print(f"  bare ONNX Runtime {1000 * seconds / cases:.1f} ms a case; the campaign takes {times:.1f} times that")
    print(f"  the machine's load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)


def bare(jobs: Sequence[Job]) -> float:
    """Return the seconds that ONNX Runtime takes for these models on these inputs, in this process."""
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
