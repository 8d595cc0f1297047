"""Run the evaluation, as far as it has no results yet, and write its data and tables to `artifacts/evaluation`.

    python benchmarks/evaluation/run.py                    everything (hours on two cores); continues where it stopped
    python benchmarks/evaluation/run.py --compiler tvm     one compiler alone
    python benchmarks/evaluation/run.py --share 0.1        a tenth of the sizes

`passes.py` is Table 4 of PolyJuice, and `overhead.py` Table 5. Each says in its docstring what it measures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

GRAPHS = {"tvm": 1000, "onnxruntime": 1000, "xla": 200, "inductor": 60}
"""The seed graphs whose passes are compared."""

CASES = {"tvm": 40, "onnxruntime": 100, "xla": 40, "inductor": 10}
"""The cases of each size of seed graphs whose time is measured."""


def main() -> None:
    """Run each part for each compiler."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", choices=GRAPHS, help="one compiler alone")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual sizes")
    options = parser.parse_args()
    for part, sizes in (("passes.py", GRAPHS), ("overhead.py", CASES)):
        for compiler, size in sizes.items():
            if options.compiler in (None, compiler):
                count = str(max(round(options.share * size), 1))
                subprocess.run([sys.executable, HERE / part, "--compiler", compiler, "-n", count], check=True)


if __name__ == "__main__":
    main()
