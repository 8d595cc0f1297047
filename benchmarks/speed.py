"""Measure the processor time of a campaign over that of the bare compiler, on the same programs and inputs.

Also its memory, which must not grow with the number of cases.

    python benchmarks/speed.py                                        ONNX Runtime
    python benchmarks/speed.py --compiler tvm --compiler xla -n 32    others, with fewer cases
    python benchmarks/speed.py --only small --json
    python benchmarks/speed.py --memory 100 2000                      also the memory after 100 and 2,000 cases

Runs the first cases of a campaign with the usual settings and one worker; all processes share one core. It has three
parts: ``whole`` graphs (``--seeds default``), ``small_with_variants`` and ``small`` programs alone (two kinds of
``--seeds mixed``). This process then compiles and runs the same programs directly. The ratio of a part is the
campaign's processor time, with its workers, over that of the direct run. The start of a campaign and of the compiler
does not count. It also prints the programs a second, and the share of each activity.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from polyjuice.campaign import kinds
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import BATCH, LARGE, MIXED, SMALL, Kind
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome, Worker
from polyjuice.execution.protocol import to_wire
from polyjuice.inputs import usual_profiles

Job = tuple[Artifact, Sequence[Sequence[np.ndarray]]]

PARTS = {"whole": Kind(LARGE), "small_with_variants": Kind(SMALL), "small": Kind(SMALL, alone=True)}
"""The kind of all cases of each part."""


def main() -> None:
    """Measure each compiler, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="onnxruntime, or others")
    parser.add_argument("-n", type=int, default=192, help="cases of each part")
    parser.add_argument("--seed", type=int, default=0, help="the campaign's seed")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument(
        "--memory", type=int, nargs="*", default=[], metavar="CASES", help="also the memory after these cases"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object for each compiler, and nothing else")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # workers inherit it
    for name in options.compiler or ["onnxruntime"]:
        ratios = {}
        for part in [options.only] if options.only else PARTS:
            ratios[part], text = measured(find(name), PARTS[part], options.n, options.seed)
            if not options.json:
                print(f"{name}, {part}: {text}", flush=True)
        memory = memory_after(find(name), options.memory, options.seed) if options.memory else {}
        if options.json:
            found = {"compiler": name, "cases": options.n, "seed": options.seed, "ratio": ratios, "memory_mib": memory}
            print(json.dumps(found), flush=True)
        for cases, mib in {} if options.json else memory.items():
            print(f"{name}: {mib:.0f} MiB after {cases} cases", flush=True)


def measured(compiler: CompilerInfo, kind: Kind, cases: int, seed: int) -> tuple[float, str]:
    """Run the cases of a part, then their programs alone. Return the ratio, and the figures in words."""
    jobs: list[Job] = []
    execute = Worker.execute

    def recorded(worker: Worker, artifact: Artifact, inputs: Any, **options: Any) -> Outcome:
        outcome = execute(worker, artifact, inputs, **options)
        if outcome.status == "ok" and worker.compiler is runner.session.compiler:  # other workers run uncompiled code
            jobs.append((artifact, inputs))
        return outcome

    with tempfile.TemporaryDirectory() as folder, patch.object(kinds.Kinds, "_cycle", (kind,)):
        runner = Runner(config_of(compiler, seed), Path(folder), load())
        try:
            for _ in runner.run(range(cases, cases + 2 * BATCH)):
                pass  # later cases, to warm up
            spent, programs = Counter[str](), 0
            with patch.object(Worker, "execute", recorded):
                began, clock = processor_s(), time.monotonic()
                for result in runner.run(range(cases)):
                    programs += result.programs
                    spent.update(result.seconds)
                used, wall = processor_s() - began, time.monotonic() - clock
        finally:
            runner.close()
    shares = ", ".join(f"{name} {seconds / spent.total():.0%}" for name, seconds in spent.most_common())
    direct = bare(compiler, jobs)
    text = f"{used / direct:.1f} times the bare compiler ({1000 * direct / programs:.1f} ms a program); "
    return used / direct, f"{text}{programs} programs, {programs / wall:.1f} a second; {shares}"


def config_of(compiler: CompilerInfo, seed: int) -> Config:
    """Return the usual configuration of a campaign."""
    profiles = usual_profiles(compiler)
    return Config(compiler=compiler.name, seeds=(MIXED,), seed=seed, nodes=compiler.nodes, profiles=profiles)


def memory_after(compiler: CompilerInfo, counts: Sequence[int], seed: int) -> dict[int, float]:
    """Return the memory in MiB that a campaign's process and its workers hold after each number of mixed cases."""
    found: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(config_of(compiler, seed), Path(folder), load())
        try:
            done = 0
            for count in sorted(counts):
                for start in range(done, count, BATCH):
                    for _ in runner.run(range(start, min(start + BATCH, count))):
                        pass
                done, found[count] = count, sum(pages for _, pages in family()) * os.sysconf("SC_PAGE_SIZE") / 2**20
        finally:
            runner.close()
    return found


def bare(compiler: CompilerInfo, jobs: Sequence[Job]) -> float:
    """Return the processor time that a compiler takes in this process for these programs on these inputs."""
    module = importlib.import_module(f"polyjuice.compilers.{compiler.name}")
    folder = tempfile.TemporaryDirectory()
    module.start(dict.fromkeys(("scratch", "toolchain", "compiled"), folder.name))
    wired = []
    for artifact, inputs in jobs:
        arrays = {name: to_wire(array) for name, array in artifact.arrays.items()}
        arguments = [arrays[name] for name in artifact.arguments]
        source = {"source": artifact.source, "arrays": arrays, "setup": artifact.setup}
        wired.append((source, [[*map(to_wire, one), *arguments] for one in inputs]))
    began = 0.0
    for some in (wired[:20], wired):  # the first ones warm up
        began = processor_s()
        for source, sets in some:
            compiled = module.compile(module.load(source), sets[0])
            for one in sets:
                module.run(compiled, one)
            del compiled
    return processor_s() - began


def processor_s() -> float:
    """Return the processor seconds of this process and all its descendants, those that have ended included."""
    return sum(ticks for ticks, _ in family()) / os.sysconf("SC_CLK_TCK")


def family() -> list[tuple[int, int]]:
    """Return the processor ticks and the pages in memory of this process and each descendant (Linux)."""
    spent, children = {}, dict[int, list[int]]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # the process has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
        spent[int(path.parent.name)] = sum(map(int, fields[11:15])), int(fields[21])
    found = [os.getpid()]
    for one in found:  # which grows meanwhile
        found += children.get(one, [])
    return [spent[one] for one in found if one in spent]


if __name__ == "__main__":
    main()
