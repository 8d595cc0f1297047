"""Measure the oracles on compilers with planted faults: the pairs that it takes until each fault is detected.

    python -m benchmarks.mutants.run                   everything (hours on two cores); continues where it stopped
    python -m benchmarks.mutants.run --only 'tvm/*'    some faults, by name
    python -m benchmarks.mutants.run --table           the table of stored results; nothing runs

`detection.py` says when a fault is detected. With the extraction strategy `original`, only seed graphs run:
differential testing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import count
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.mutants.detection import DIFFERENTIAL, EQUIVALENCE, MET, FaultySession, mutants, planting, spoken
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Skip, Unsound
from polyjuice.campaign.processes import end_with_parent
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.frameworks.user_model import SEED_GRAPH

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "mutants.json"
TABLE = RESULTS.with_suffix(".md")

STRATEGIES = ("minmax", "steps", "random", SEED_GRAPH)
NODES = {"onnxruntime": 60, "tvm": 20, "inductor": 100}
"""Operators in a seed graph: more for a faster compiler."""

PAIRS = {"onnxruntime": 500, "tvm": 500, "inductor": 60}
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


def measure(arguments: argparse.Namespace, known: dict[str, Any]) -> None:
    """Measure the faults without a result, and write the results, strategy by strategy.

    While a strategy runs, its progress is in `mutants-COMPILER-STRATEGY.json`, beside the results.
    """
    with (
        planting(),
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
