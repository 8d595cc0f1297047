"""Run the evaluation, as far as it has no results yet, and write its data and tables to `artifacts/evaluation`.

    python -m benchmarks.evaluation.run                    everything (a day on two cores); continues where it stopped
    python -m benchmarks.evaluation.run --only passes      one part alone
    python -m benchmarks.evaluation.run --compiler tvm     one compiler alone, in the parts that have several
    python -m benchmarks.evaluation.run --share 0.1        a tenth of the sizes

The parts are those of PolyJuice's evaluation: `bugs` is Table 3, `passes` Table 4 and Figure 11, `overhead` Table 5.
`coverage` is NNSmith's Figures 4 to 7. `planted` and `causes` ask the question of Figure 10, and `ablations` what each
choice is worth. Each says in its docstring what it measures. `docs/evaluation.md` tells the results, with the plots
that the last part draws.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

SEED_GRAPHS = {"tvm": 1000, "onnxruntime": 1000, "xla": 200, "inductor": 60}
"""The seed graphs whose passes are compared."""

CASES = {"tvm": 40, "onnxruntime": 100, "xla": 40, "inductor": 10}
"""The cases of each size of seed graphs whose time is measured."""

MINUTES = {"inductor": 10, "onnxruntime": 10, "tvm": 10}
"""The processor time of each arm whose coverage is measured."""

SECONDS = {"planted": 120, "ablations": 60, "causes": 120}
"""The length of a campaign in equal time."""

PARTS = ("bugs", "passes", "overhead", "planted", "ablations", "causes", "coverage", "plots")


def main() -> None:
    """Run each part, for each compiler."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--compiler", choices=SEED_GRAPHS, help="one compiler alone")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual sizes")
    options = parser.parse_args()
    for part in [options.only] if options.only else PARTS:
        for arguments in runs(part, options.share, options.compiler):
            module = "planted" if part == "ablations" else part
            subprocess.run([sys.executable, "-m", f"benchmarks.evaluation.{module}", *arguments], check=True)


def runs(part: str, share: float, compiler: str | None) -> list[list[str]]:
    """Return the arguments of each run of a part."""
    if part in SECONDS:
        changes = ["--ablations"] if part == "ablations" else []
        return [[*changes, "--time", str(max(round(share * SECONDS[part]), 1))]]
    sizes = {"passes": SEED_GRAPHS, "overhead": CASES, "coverage": MINUTES}.get(part)
    if sizes is None:
        return [[]]
    chosen = {name: size for name, size in sizes.items() if compiler in (None, name)}
    option = "--minutes" if part == "coverage" else "-n"
    return [["--compiler", name, option, str(max(round(share * size), 1))] for name, size in chosen.items()]


if __name__ == "__main__":
    main()
