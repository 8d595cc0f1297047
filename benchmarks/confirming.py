"""Measure the time of confirming and storing a finding, by part.

    python benchmarks/confirming.py                                    # Inductor and ONNX Runtime
    python benchmarks/confirming.py --compiler onnxruntime --findings 40

Plants faults in a compiler (see benchmarks/mutants) and runs the cases of a campaign, one after another, until enough
findings are stored. Prints, for each case with a finding, the seconds from the verdicts to the last stored finding, and
the median for each finding. Three parts are wall-clock time: ``repeats``, ``reproducer`` (the wait for it after the
repeats, beside which it runs) and ``writing`` (the rest). Writing before the repeats end counts as ``repeats``. The
parts ``start`` (fresh processes), ``compile``, ``run`` and ``other`` are the times of all fresh workers.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from polyjuice import pipeline
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirming
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.session import CompilerSession
from polyjuice.triage.finding import Draft

SITE = Path(__file__).resolve().parent / "mutants" / "site"

FAULTS = {
    "inductor": (
        "cast-to-bool-truncates",
        "in-place-over-output",
        "integer-sum-tail-short",
        "max-tail-unmasked",
        "nested-clip-reordered",
        "strided-slice-of-slice",
        "vector-narrowing-saturates",
        "where-inverted-twice",
        "zero-minuend",
    ),
    "onnxruntime": (
        "cast-chain-through-integer",
        "clip-of-relu",
        "keepdims-left-to-broadcasting",
        "negated-comparison",
        "relu-of-sum-dropped",
        "slice-of-strided-slice",
        "softmax-before-transpose",
        "sqrt-of-square",
        "subtract-doubled",
        "transpose-behind-binary",
    ),
}

WALL = ("repeats", "reproducer", "writing")
WORKERS = ("start", "compile", "run", "other")


def main() -> None:
    """Measure each compiler that the options name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", choices=FAULTS, action="append", help="(default: each of them)")
    parser.add_argument("--findings", type=int, default=12, help="findings to be stored (default: 12)")
    parser.add_argument("--seed", type=int, default=0, help="the campaign's seed (default: 0)")
    parser.add_argument("--out", type=Path, help="where the findings are to stay (default: nowhere)")
    arguments = parser.parse_args()
    for compiler in arguments.compiler or FAULTS:
        names = ",".join(f"{compiler}/{name}" for name in FAULTS[compiler])
        os.environ.update(PYTHONPATH=str(SITE), POLYJUICE_MUTANT=names)
        with tempfile.TemporaryDirectory() as folder:
            out = (arguments.out or Path(folder)) / compiler
            report(compiler, list(confirmed(compiler, arguments.seed, arguments.findings, out)))


def confirmed(compiler: str, seed: int, findings: int, out: Path) -> Iterator[Counter[str]]:
    """Run cases until enough findings are stored. Yield each such case's number of findings, and seconds by part."""
    runner = Runner(Config(compiler=compiler, seed=seed, nodes=find(compiler).nodes), out, load())
    index = stored = 0
    try:
        while stored < findings:
            with measured() as spent:
                (result,) = runner.run([index])
            spent["findings"], spent["flaky"] = len(result.findings), len(result.flaky)
            if result.findings:
                kinds = " ".join(record.kind for record in result.findings)
                print(f"{compiler} case {index}: {kinds}: {text(spent)}", flush=True)
                yield spent
            stored += len(result.findings)
            index += 1
    finally:
        runner.close()


@contextmanager
def measured() -> Iterator[Counter[str]]:
    """Count the seconds, by part, that are spent on confirming inside the block."""
    spent: Counter[str] = Counter()
    fresh = CompilerSession.fresh

    def recorded(session: CompilerSession, *args: Any) -> CompilerSession:
        made = fresh(session, *args)
        close = made.close

        def closed() -> None:
            spent.update(made.seconds)
            close()

        made.close = closed  # type: ignore[method-assign]
        return made

    def timed(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                spent[name] += time.perf_counter() - began

        return run

    with (
        patch.object(CompilerSession, "fresh", recorded),
        patch.object(Confirming, "confirm", timed("all", Confirming.confirm)),
        patch.object(pipeline, "repeating", timed("repeats", pipeline.repeating)),
        patch.object(Draft, "_reproduced", timed("reproducer", Draft._reproduced)),
    ):
        yield spent
    spent["writing"] = spent["all"] - spent["repeats"] - spent["reproducer"]


def report(compiler: str, cases: list[Counter[str]]) -> None:
    """Print the median times (s) of a compiler's findings and cases."""
    each = [spent["all"] / spent["findings"] for spent in cases for _ in range(int(spent["findings"]))]
    print(f"{compiler}: {len(each)} findings, median {median(each):.2f} s, largest {max(each):.2f} s, each confirmed")
    parts = {name: median(spent[name] for spent in cases) for name in ("all", *WALL, *WORKERS)}
    print(f"{compiler}: medians of a case: {text(parts)}")


def text(spent: Mapping[str, float]) -> str:
    """Return the seconds of all parts as text."""
    return " ".join(f"{name}={spent[name]:.2f}" for name in ("all", *WALL, *WORKERS))


if __name__ == "__main__":
    sys.exit(main())
