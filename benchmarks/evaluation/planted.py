"""Compare techniques in equal time on compilers with planted faults (PolyJuice, section 6.2, Figure 10).

    python -m benchmarks.evaluation.planted --compiler onnxruntime --time 300      continues where it stopped
    python -m benchmarks.evaluation.planted --ablations --time 60                  the same for single changes
    python -m benchmarks.evaluation.planted --table                  writes the tables of all stored results

The time is processor time: that of preparing, compiling, running and judging programs, on a compiler with all faults
that the campaign has not yet detected. What finds out which fault it was does not count. A fault is detected when an
oracle of the technique reports a verdict that it does not report on the sound compiler
(`benchmarks/mutants/detection.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import psutil

from benchmarks.evaluation import compare
from benchmarks.evaluation.compare import Run, Runs
from benchmarks.evaluation.techniques import ABLATIONS, TECHNIQUES, Technique
from benchmarks.mutants.detection import MET, FaultySession, judged, mutants, planting, spoken
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Skip, Unsound
from polyjuice.campaign.processes import end_with_parent
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation"


def main() -> None:
    """Run the campaigns without a result, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="onnxruntime")
    parser.add_argument("--time", type=float, default=300.0, help="seconds of processor time of each campaign")
    parser.add_argument("--seeds", type=int, default=3, help="campaigns of each technique")
    parser.add_argument("--ablations", action="store_true", help="compare single changes, not techniques")
    parser.add_argument("--only", help="some techniques, with commas")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of the results")
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    path = options.results / ("ablations.json" if options.ablations else "planted.json")
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not options.table:
        measure(options, known, path)
    text = table(known, ablations=options.ablations)
    path.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def measure(options: argparse.Namespace, known: dict[str, Any], path: Path) -> None:
    """Run the campaigns without a result, seed by seed, and store each when it ends."""
    with planting(), ProcessPoolExecutor(options.workers, max_tasks_per_child=1, initializer=end_with_parent) as pool:
        jobs: dict[tuple[str, str], Future[Run]] = {}
        stored = known.setdefault(options.compiler, {})
        for seed in map(str, range(options.seeds)):
            for name in options.only.split(",") if options.only else all_of(options.ablations):
                if seed not in stored.setdefault(name, {}):
                    arguments = (name, options.ablations, options.compiler, int(seed), options.time)
                    jobs[name, seed] = pool.submit(campaign, *arguments)
        for (name, seed), job in jobs.items():
            stored[name][seed] = job.result()
            path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def all_of(ablations: bool) -> Mapping[str, Technique]:
    """Return the ablations, or the techniques."""
    return ABLATIONS if ablations else TECHNIQUES


def campaign(name: str, ablations: bool, compiler: str, seed: int, seconds: float) -> Run:
    """Run a technique for some seconds on a compiler with planted faults."""
    return detection(all_of(ablations)[name], name, compiler, seed, seconds)


def detection(technique: Technique, name: str, compiler: str, seed: int, seconds: float) -> Run:
    """Return the faults that a technique detects in some seconds, and when."""
    options = Config(compiler=compiler, seed=seed, **technique.options)
    faults = mutants(f"{compiler}/*")
    detected: dict[str, float] = {}
    spent, cases, programs = 0.0, 0, 0
    with (
        tempfile.TemporaryDirectory() as folder,
        FaultySession(options.conditions, find(compiler)) as session,
        technique.applied(),
    ):
        runner = Runner(options, Path(folder), list(filter(technique.rules, load())), session)
        for index in count():
            session.faults = [fault for fault in faults if fault not in detected]
            if not session.faults or spent >= seconds:
                break
            began = processor_time()
            try:
                case = runner.execute(index)
                verdicts = judged(options.oracles, case, session)
            except (Skip, Unsound):
                case = None
            spent += processor_time() - began
            if case:
                cases, programs = cases + 1, programs + len(case.programs)
                for fault, events in spoken(options.oracles, session, case).items() if verdicts else ():
                    if events - {MET}:
                        detected[fault] = round(spent, 1)
                        print(f"{name} {seed}: {fault} after {spent:.0f} s", file=sys.stderr)
    return {"seconds": round(spent), "cases": cases, "programs": programs, "detected": detected}


def processor_time() -> float:
    """Return the seconds of processor time of this process, of those that it started, and of all that have ended."""
    total = sum(os.times()[:4])
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])
    return total


def table(known: Mapping[str, Runs], *, ablations: bool = False) -> str:
    """Return the tables in Markdown."""
    title = f"Planted faults that {'single changes' if ablations else 'techniques'} detect in equal time"
    about = f"{len(mutants(next(iter(known), '') + '/*'))} faults, "
    return compare.document(title, "planted", known, compare.changes if ablations else compare.table, about)


if __name__ == "__main__":
    main()
