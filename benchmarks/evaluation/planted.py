"""Compare techniques in equal time on compilers with planted faults (PolyJuice, section 6.2, Figure 10).

    python -m benchmarks.evaluation.planted --compiler onnxruntime --time 300      continues where it stopped
    python -m benchmarks.evaluation.planted --table                  writes the table of all stored results

The time is that of preparing, compiling, running and judging programs, on a compiler with all faults that the campaign
has not yet detected. What finds out which fault it was does not count. A fault is detected when an oracle of the
technique reports a verdict that it does not report on the sound compiler (`benchmarks/mutants/detection.py`).

The test of significance is the sign test on the faults and seeds that one of two techniques detects and the other does
not: two-sided, with the technique that detects most.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from benchmarks.evaluation.techniques import TECHNIQUES, config, rewriting
from benchmarks.mutants.detection import MET, FaultySession, judged, mutants, planting, spoken
from polyjuice.campaign.preparation import Skip, Unsound
from polyjuice.campaign.processes import end_with_parent
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation" / "planted.json"

Run = Mapping[str, Any]
"""A campaign: its ``seconds``, ``cases`` and ``programs``, and the seconds until each fault was ``detected``."""


def main() -> None:
    """Run the campaigns without a result, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="onnxruntime")
    parser.add_argument("--time", type=float, default=300.0, help="seconds of each campaign")
    parser.add_argument("--seeds", type=int, default=3, help="campaigns of each technique")
    parser.add_argument("--techniques", default=",".join(TECHNIQUES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the stored results; the table lies beside them")
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    known = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
    if not options.table:
        measure(options, known)
    text = table(known)
    options.results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def measure(options: argparse.Namespace, known: dict[str, Any]) -> None:
    """Run the campaigns without a result, seed by seed, and store each when it ends."""
    with planting(), ProcessPoolExecutor(options.workers, max_tasks_per_child=1, initializer=end_with_parent) as pool:
        jobs: dict[tuple[str, str], Future[Run]] = {}
        stored = known.setdefault(options.compiler, {})
        for seed in map(str, range(options.seeds)):
            for technique in options.techniques.split(","):
                if seed not in stored.setdefault(technique, {}):
                    jobs[technique, seed] = pool.submit(campaign, technique, options.compiler, int(seed), options.time)
        for (technique, seed), job in jobs.items():
            stored[technique][seed] = job.result()
            options.results.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def campaign(technique: str, compiler: str, seed: int, seconds: float) -> Run:
    """Run a technique for some seconds on a compiler with planted faults."""
    options = config(technique, compiler, seed)
    names = mutants(f"{compiler}/*")
    detected: dict[str, float] = {}
    spent, cases, programs = 0.0, 0, 0
    with (
        tempfile.TemporaryDirectory() as folder,
        FaultySession(options.conditions, find(compiler)) as session,
        rewriting(technique),
    ):
        runner = Runner(options, Path(folder), load(), session)
        for index in count():
            session.faults = [name for name in names if name not in detected]
            if not session.faults or spent >= seconds:
                break
            began, probed = time.perf_counter(), runner.probe_s
            try:
                case = runner.execute(index)
                judged(options.oracles, case, session)
            except (Skip, Unsound):
                case = None
            spent += time.perf_counter() - began - (runner.probe_s - probed)
            if case:
                cases, programs = cases + 1, programs + len(case.programs)
                for name, events in spoken(options.oracles, session, case).items():
                    if events - {MET}:
                        detected[name] = round(spent, 1)
                        print(f"{technique} {seed}: {name} after {spent:.0f} s", file=sys.stderr)
    return {"seconds": round(spent), "cases": cases, "programs": programs, "detected": detected}


# --- the table --------------------------------------------------------------------------------------------------------


def table(known: Mapping[str, Mapping[str, Mapping[str, Run]]]) -> str:
    """Return the tables in Markdown."""
    lines = [
        "# Planted faults that techniques detect in equal time",
        "",
        "Written by `benchmarks/evaluation/planted.py`, which says how it counts. *Detected* has each seed's number, and",
        "*any seed* the faults of all seeds. *Alone* are those that no other technique here detects.",
        "",
    ]
    for compiler, runs in known.items():
        seconds = max(run["seconds"] for seeds in runs.values() for run in seeds.values())
        lines += [f"## {compiler}: {len(mutants(compiler + '/*'))} faults, {seconds} s for each seed", ""]
        lines += ["| technique | programs | detected | any seed | alone | sign test |", "|---|---|---|---|---|---|"]
        lines += [f"| {' | '.join(row(technique, runs))} |" for technique in runs]
        lines += ["", _saturation(runs), ""]
    return "\n".join(lines)


def row(technique: str, runs: Mapping[str, Mapping[str, Run]]) -> Sequence[str]:
    """Return the cells of one technique."""
    seeds = runs[technique].values()
    best = max(runs, key=lambda name: len(_each(runs[name])))
    others = set[str]().union(*(_any(runs[name]) for name in runs if name not in (technique, *_BOTH)))
    alone = sorted(_any(runs[technique]) - others)
    return [
        technique,
        str(sum(run["programs"] for run in seeds)),
        ", ".join(str(len(run["detected"])) for run in seeds),
        str(len(_any(runs[technique]))),
        "" if technique in _BOTH else ", ".join(name.partition("/")[2] for name in alone) or "none",
        "" if technique == best else f"p = {significance(runs[technique], runs[best]):.2g}",
    ]


_BOTH = ("minmax and differential", "campaign")
"""The techniques that include others: they do not count where a fault is one technique's alone."""


def significance(a: Mapping[str, Run], b: Mapping[str, Run]) -> float:
    """Return the p value of the sign test on the seeds that both techniques have."""
    common = a.keys() & b.keys()
    mine, theirs = ({one for one in _each(runs) if one[0] in common} for runs in (a, b))
    only = len(mine - theirs), len(theirs - mine)
    return float(binomtest(only[0], sum(only)).pvalue) if sum(only) else 1.0


def _each(runs: Mapping[str, Run]) -> set[tuple[str, str]]:
    return {(seed, name) for seed, run in runs.items() for name in run["detected"]}


def _any(runs: Mapping[str, Run]) -> set[str]:
    return {name for run in runs.values() for name in run["detected"]}


def _saturation(runs: Mapping[str, Mapping[str, Run]]) -> str:
    """Return a sentence on the faults that only techniques with equality saturation detect."""
    alone = [name for name in runs if name not in _BOTH]
    with_it = set[str]().union(*(_any(runs[name]) for name in alone if TECHNIQUES[name].saturates))
    without = set[str]().union(*(_any(runs[name]) for name in alone if not TECHNIQUES[name].saturates))
    only, found = sorted(with_it - without), with_it | without
    named = f": {', '.join(name.partition('/')[2] for name in only)}" if only else ""
    return f"Of {len(found)} faults, {len(only)} are detected with equality saturation alone{named}."


if __name__ == "__main__":
    main()
