"""Measure the oracles on compilers with planted faults: the pairs that it takes until each fault is detected.

    python benchmarks/mutants/run.py                   everything (hours on two cores); continues where it stopped
    python benchmarks/mutants/run.py --only 'tvm/*'    some faults, by name
    python benchmarks/mutants/run.py --table           the table of stored results; nothing runs

Every case of a campaign is prepared once, and runs on a compiler with all faults that are not yet detected. If an
oracle reports a verdict, the case also runs on the sound compiler. Then it runs with ever smaller sets of the faults
that it met, until each fault that changes an outcome is alone. A fault is detected if an oracle reports a verdict on
the compiler with this fault that it does not report on the sound one. With the extraction strategy `original`, only
seed graphs run: differential testing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from itertools import count
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Skip, Unsound
from polyjuice.campaign.processes import end_with_parent
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.oracles import Case, Program
from polyjuice.session import CompilerSession

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "artifacts" / "mutants.json"
TABLE = RESULTS.with_suffix(".md")

STRATEGIES = ("minmax", "steps", "random", SEED_GRAPH)
NODES = {"onnxruntime": 60, "tvm": 20, "inductor": 100}
"""Operators in a seed graph: more for a faster compiler."""

PAIRS = {"onnxruntime": 500, "tvm": 500, "inductor": 60}
EQUIVALENCE = ("metamorphic", "crash")
DIFFERENTIAL = ("differential", "crash")

_RETRIES = 5

MET = "met"

Detected = dict[str, int]
"""The number of pairs until each oracle first detected the fault, and (MET) until a program first met it."""


def main() -> None:
    """Measure the faults without a result, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="a pattern for names such as onnxruntime/clip-of-relu")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--pairs", type=int, help=f"pairs per fault ({per_compiler(PAIRS)})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--nodes", type=int, help=f"operators in a seed graph ({per_compiler(NODES)})")
    parser.add_argument("--input-sets", type=int, default=1, help="sets of inputs of each profile")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="the stored results (JSON); the table lies beside it"
    )
    parser.add_argument("--table", action="store_true", help="only write the table of stored results")
    arguments = parser.parse_args()
    known = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
    if not arguments.table:
        measure(arguments, known)
    text = table(known)
    arguments.results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def per_compiler(values: dict[str, int]) -> str:
    """Return the values as text, with their compilers."""
    return ", ".join(f"{compiler} {value}" for compiler, value in values.items())


def mutants(pattern: str = "*") -> list[str]:
    """Return the names of the planted faults that match a pattern: COMPILER/NAME."""
    names = (f"{path.parent.name}/{path.stem}" for path in sorted((HERE / "faults").glob("*/*.py")))
    return [name for name in names if fnmatch(name, pattern)]


def measure(arguments: argparse.Namespace, known: dict[str, Any]) -> None:
    """Measure the faults without a result, and write the results, strategy by strategy.

    While a strategy runs, its progress is in `mutants-COMPILER-STRATEGY.json`, beside the results.
    """
    with (
        tempfile.TemporaryDirectory() as cache,
        environment(PYTHONPATH=str(HERE / "site"), POLYJUICE_MUTANT="by-program"),
        environment(CXX=str(HERE / "cached-g++"), CXX_CACHE=cache),
        ProcessPoolExecutor(arguments.workers, max_tasks_per_child=1, initializer=end_with_parent) as pool,
    ):
        jobs: dict[Future[dict[str, Detected]], tuple[str, Path]] = {}
        for strategy in arguments.strategies.split(","):
            for compiler in PAIRS:
                chosen = mutants(arguments.only)
                missing = [m for m in chosen if m.startswith(compiler + "/") and strategy not in known.get(m, {})]
                if missing:
                    oracles = DIFFERENTIAL if strategy == SEED_GRAPH else (*EQUIVALENCE, "differential")
                    config = Config(
                        compiler=compiler,
                        seed=arguments.seed,
                        nodes=arguments.nodes or NODES[compiler],
                        extract=strategy,
                        oracles=oracles,
                        input_sets=arguments.input_sets,
                    )
                    progress = arguments.results.with_name(f"{arguments.results.stem}-{compiler}-{strategy}.json")
                    job = pool.submit(detect, config, missing, arguments.pairs or PAIRS[compiler], progress)
                    jobs[job] = strategy, progress
        for job, (strategy, progress) in jobs.items():
            for name, detected in job.result().items():
                known.setdefault(name, {})[strategy] = detected
            write(arguments.results, known)
            progress.unlink()


def write(path: Path, value: Any) -> None:
    """Write a value as a JSON file, and make its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def detect(config: Config, names: Sequence[str], pairs: int, progress: Path) -> dict[str, Detected]:
    """Run a campaign of this many pairs; return which oracles detect each fault, and after how many pairs.

    The file ``progress`` has the state, from which an interrupted campaign continues. A fault is missed if other
    faults undo it, or keep programs from meeting it.
    """
    enough = set(config.oracles) - ({"differential"} if "metamorphic" in config.oracles else set())
    state = {"cases": 0, "pairs": 0, "detected": {name: {} for name in names}}
    if progress.exists():
        state = json.loads(progress.read_text())
    detected: dict[str, Detected] = state["detected"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, FaultySession(config.conditions, find(config.compiler)) as session:
        runner = Runner(config, Path(folder), load(), session)
        for index in count(state["cases"]):
            left = [name for name in names if not detected[name].keys() & enough]
            if not left or state["pairs"] >= pairs:
                break
            session.faults = left
            state["cases"] += 1
            try:
                case = runner.execute(index)
            except (Skip, Unsound):
                continue
            state["pairs"] += comb(len(case.ran), min(len(case.programs), 2))
            for name, events in spoken(config.oracles, session, case).items():
                for event in events - detected[name].keys():
                    detected[name][event] = max(state["pairs"], 1)
                    print(f"{config.compiler} {config.extract}: {name} {event}", file=sys.stderr)
            write(progress, state)
            print(
                f"{config.compiler} {config.extract}: {state['pairs']} pairs, "
                f"{sum(bool(detected[name].keys() & enough) for name in names)} of {len(names)} detected, "
                f"{time.monotonic() - began:.0f} s",
                file=sys.stderr,
            )
    write(progress, state)
    return detected


def spoken(oracles: Sequence[str], session: FaultySession, case: Case) -> dict[str, set[str]]:
    """Return, for each fault that a case met (`MET`), the oracles with a verdict that the sound compiler lacks."""
    met = [session.met(program.outcome) for program in case.programs]
    candidates = sorted(set().union(*met))
    found = {name: {MET} if any(name in p.outcome.trace for p in case.programs) else set() for name in candidates}
    if not candidates or not judged(oracles, case, session):
        return found
    sound = [session.planted([], program, case) for program in case.programs]
    if all(alike(program.outcome, outcome) for program, outcome in zip(case.programs, sound, strict=True)):
        return found
    before = judged(oracles, ended(case, sound), session)
    by_chance: bool | None = None  # tested only if needed: it takes many compilations
    for name, outcomes in effects(session, case, met, sound, candidates, [p.outcome for p in case.programs]):
        verdicts = judged(oracles, ended(case, outcomes), session) - before
        failed = any(kind in ("crash", "hang") for _, kind, _, _ in verdicts)
        if failed and by_chance is None:
            by_chance = fails_by_chance(session, case)
        if not (failed and by_chance):
            found[name] |= {verdict[0] for verdict in verdicts}
    return found


def ended(case: Case, outcomes: Sequence[Outcome]) -> Case:
    """Return the case with other outcomes of its programs."""
    programs = [replace(program, outcome=outcome) for program, outcome in zip(case.programs, outcomes, strict=True)]
    return replace(case, programs=programs)


def effects(
    session: FaultySession,
    case: Case,
    met: Sequence[set[str]],
    sound: Sequence[Outcome],
    names: Sequence[str],
    outcomes: Sequence[Outcome],
) -> Iterator[tuple[str, Sequence[Outcome]]]:
    """Yield each fault that changes a program's outcome, with the outcomes under this fault alone.

    The search halves the set of faults, since most faults that a case meets change nothing. ``outcomes`` are those with
    all faults of ``names``, ``sound`` those without.
    """
    changed = [not alike(outcome, right) for outcome, right in zip(outcomes, sound, strict=True)]
    if not any(changed):
        return
    if len(names) == 1:
        yield names[0], outcomes
        return
    for half in (names[: len(names) // 2], names[len(names) // 2 :]):
        part = list(sound)
        for i, program in enumerate(case.programs):
            if changed[i] and met[i].intersection(half):
                alone = met[i].isdisjoint(set(names).difference(half))
                left = sorted(met[i].intersection(half))
                part[i] = outcomes[i] if alone else session.planted(left, program, case)
        yield from effects(session, case, met, sound, half, part)


class FaultySession(CompilerSession):
    """A session whose compiler has planted faults, which may differ for each program."""

    faults: Sequence[str] = ()

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        """Execute an artifact on the compiler with the session's ``faults``."""
        planted = replace(artifact, setup={**artifact.setup, "faults": self.faults})
        return super().execute(planted, inputs, level=level, compile=compile)

    def planted(self, faults: Sequence[str], program: Program, case: Case) -> Outcome:
        """Set the faults, execute one program of a case, and return its outcome."""
        self.faults = faults
        return self.execute(program.artifact, case.inputs)

    def met(self, outcome: Outcome) -> set[str]:
        """Return the faults that a program met. A process that died reports none, and may have met any."""
        ended = outcome.status not in ("crash", "hang")
        return set(self.faults) & set(outcome.trace) if ended else set(self.faults)


def fails_by_chance(session: FaultySession, case: Case) -> bool:
    """Whether the sound compiler sometimes fails too, on programs that it has just compiled."""
    outcomes = (session.planted([], program, case) for _ in range(_RETRIES) for program in case.programs)
    return any(outcome.status != "ok" for outcome in outcomes)


def judged(oracles: Sequence[str], case: Case, session: CompilerSession) -> set[tuple[str, str, str, int]]:
    """Return the verdicts of oracles on a case, without their messages."""
    return {(v.oracle, v.kind, v.a, v.output) for v in pipeline.judge(case, session, oracles)}


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set environment variables inside the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def alike(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes are the same: the same status and stage, and outputs equal bit for bit."""
    if (a.status, a.stage) != (b.status, b.stage):
        return False
    arrays = zip((y for one in a.outputs for y in one), (y for one in b.outputs for y in one), strict=True)
    return all(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in arrays)


# --- the table --------------------------------------------------------------------------------------------------------


def table(known: dict[str, dict[str, Detected]]) -> str:
    """Return the results as Markdown: shares and medians by strategy and oracle, then every fault."""
    rows = [
        (f"{strategy}: {title}", strategy, oracles)
        for strategy in STRATEGIES
        for title, oracles in (
            ("met", (MET,)),
            *(
                (("seed graphs alone, differential and crash", DIFFERENTIAL),)
                if strategy == SEED_GRAPH
                else (("metamorphic and crash", EQUIVALENCE), ("differential too", (*EQUIVALENCE, "differential")))
            ),
        )
    ]
    compilers = [c for c in PAIRS if any(name.startswith(c + "/") for name in known)]
    titles = [f"{c}, {PAIRS[c]} pairs, seed graphs of {NODES[c]}" for c in compilers]
    lines = [
        "# Planted faults: which are detected, and after how many pairs",
        "",
        "Made by `make mutants`. Each cell says how many of the planted faults are detected. In brackets is the",
        "median number of pairs until then. A fault is *met* when a program has what the fault makes wrong, whether it",
        "shows or not. A fault is tried until the metamorphic or the crash oracle detects it.",
        "",
        "| extraction and oracles | " + " | ".join([*titles, "all"]) + " |",
        "|---" * (len(compilers) + 2) + "|",
    ]
    for title, strategy, oracles in rows:
        cells = [cell(known, c + "/", strategy, oracles) for c in compilers] + [cell(known, "", strategy, oracles)]
        lines.append("| " + " | ".join([title, *cells]) + " |")
    lines += ["", "| fault | " + " | ".join(title for title, _, _ in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    for name in sorted(known):
        cells = [str(first(known[name], s, o) or "-") if s in known[name] else "" for _, s, o in rows]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines) + "\n"


def cell(known: dict[str, dict[str, Detected]], prefix: str, strategy: str, oracles: Sequence[str]) -> str:
    """Return how many faults with a prefix the oracles detect, and the median number of pairs."""
    measured = [known[name] for name in known if name.startswith(prefix) and strategy in known[name]]
    if not measured:
        return ""
    found = [n for results in measured if (n := first(results, strategy, oracles))]
    return f"{len(found)} of {len(measured)}" + (f" ({median(found):.0f})" if found else "")


def first(results: dict[str, Detected], strategy: str, oracles: Sequence[str]) -> int:
    """Return the pairs until the first of some oracles detected the fault; 0 if none did."""
    return min((n for oracle, n in results.get(strategy, {}).items() if oracle in oracles), default=0)


if __name__ == "__main__":
    main()
