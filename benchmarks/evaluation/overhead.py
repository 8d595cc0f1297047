"""Measure where the time of a case goes, against the size of its seed graph (PolyJuice, section 6.4, Table 5).

    python -m benchmarks.evaluation.overhead --compiler tvm -n 16       continues where it stopped
    python -m benchmarks.evaluation.overhead --table                    writes the table of all stored results

Each size has a campaign of one worker, of which the first cases only warm up. The *overhead* is what equality
saturation costs (rewriting with extraction, the equivalence check and judging) over all other activities.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import BATCH, LARGE
from polyjuice.campaign.runner import Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.inputs import usual_profiles

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation" / "overhead.json"

SIZES = (5, 10, 20, 50, 100, 200)
"""The numbers of operators of seed graphs."""

OWN = ("rewrite", "judge")
COLUMNS = ("generate", "rewrite", "judge", "lower", "compile", "run", "other")
"""The activities in the table. Probing and confirming are left out: they depend on what a campaign meets."""


def main() -> None:
    """Measure the sizes without a result, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="tvm")
    parser.add_argument("-n", type=int, default=16, help="cases of each size")
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    known: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for size in () if options.table else SIZES:
        if str(size) not in known.setdefault(options.compiler, {}):
            known[options.compiler][str(size)] = measured(options.compiler, size, options.n)
            RESULTS.parent.mkdir(parents=True, exist_ok=True)
            RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    text = table(known)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def measured(compiler_name: str, size: int, cases: int) -> dict[str, Any]:
    """Run cases with seed graphs of a size. Return how many were tested, and the seconds of each activity a case."""
    compiler = find(compiler_name)
    config = Config(
        compiler=compiler.name,
        seeds=(LARGE,),
        nodes=size,
        profiles=usual_profiles(compiler),
        oracles=("metamorphic",),
    )
    spent, tested = Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(config, Path(folder), load())
        try:
            for _ in runner.run(range(cases, cases + BATCH // 4)):
                pass  # later cases, to warm up
            for result in runner.run(range(cases)):
                if result.tested:
                    tested += 1
                    spent.update(result.seconds)
        finally:
            runner.close()
    return {"cases": tested, "seconds": {name: round(spent[name] / max(tested, 1), 4) for name in COLUMNS}}


def table(known: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return the tables in Markdown."""
    lines = [
        "# Where the time of a case goes",
        "",
        "Written by `benchmarks/evaluation/overhead.py`, which says how. Milliseconds for a case of two programs.",
        "",
    ]
    for compiler, sizes in known.items():
        lines += [f"## {compiler}", "", f"| operators | cases | {' | '.join(COLUMNS)} | overhead |"]
        lines += [f"|{'---|' * (len(COLUMNS) + 3)}"]
        lines += [row(size, result["cases"], result["seconds"]) for size, result in sizes.items()] + [""]
    return "\n".join(lines)


def row(size: str, cases: int, seconds: Mapping[str, float]) -> str:
    """Return a row of a table."""
    own = sum(seconds[name] for name in OWN)
    others = sum(seconds.values()) - own
    cells: Sequence[object] = [size, cases, *(f"{1000 * seconds[name]:.0f}" for name in COLUMNS)]
    return f"| {' | '.join(map(str, cells))} | {own / others if others else 0:.0%} |"


if __name__ == "__main__":
    main()
