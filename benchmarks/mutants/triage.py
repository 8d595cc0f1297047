"""Measure how campaigns triage planted faults: the findings that they report, and the parts that they blame.

    python benchmarks/mutants/triage.py                     all faults of the list; minutes each on two cores
    python benchmarks/mutants/triage.py --only 'tvm/*'      some of them; the others' rows stay as they are

For each fault, run a campaign on the compiler with it. A finding belongs to the fault if its reproducer ends with 1,
and with 0 without the fault. There should be one such finding, small, with the right part to blame. A finding whose
reproducer ends with 1 either way is the compiler's own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import median
from typing import Any

from polyjuice import formats
from polyjuice.generate import generate
from polyjuice.ir import Graph, TensorType, numbered, renamed, union
from polyjuice.ops import Op, matching

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[1] / "artifacts" / "triage.json"
TABLE = RESULTS.with_suffix(".md")

TOGETHER = (
    "onnxruntime/split-uneven",
    "onnxruntime/negated-comparison",
    "onnxruntime/transpose-behind-binary",
    "onnxruntime/reduce-l1-of-reshape",
)
"""Faults that are planted at once in one more campaign, which should name each as a cause."""

COMPILERS = ("onnxruntime", "tvm", "inductor")

OPERATORS = ("Add", "Mul", "Sub", "Relu", "Tanh", "Abs", "Transpose", "Concat", "Slice", "MatMul", "ReduceSum", "Where")
BESIDE = 15
"""The size of the generated graph beside a fault's demonstration, in OPERATORS, which all compilers take.

The demonstration meets the fault at once. The other operators give the reducer as much work as in any finding.
"""


@dataclass(frozen=True)
class Row:
    """How many findings of a fault a campaign met and told, what the first is like, and how many others there were.

    ``seconds`` is how long each finding took that was reduced, and bisected.
    """

    fault: str
    raw: int
    told: int
    operators: tuple[int, ...]
    blame: tuple[str, ...]
    others: int
    elapsed_s: float
    seconds: tuple[float, ...]


def main() -> None:
    """Run the campaigns, and write their table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="a pattern for names such as onnxruntime/clip-of-relu")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=3, help="how often each demonstration is tested, written anew")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--triage", default="3m", help="how long a finding is reduced, and bisected, at most")
    parser.add_argument("--out", type=Path, help="a folder for the campaigns, which are kept there")
    arguments = parser.parse_args()
    rows: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as temporary:
        for fault in faults():
            if fnmatch(fault, arguments.only):
                out = (arguments.out or Path(temporary)) / fault.replace(",", "+")
                rows[fault] = asdict(row(fault, out, arguments))
                RESULTS.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")
                TABLE.write_text(table(rows), encoding="utf-8")
                print(json.dumps(rows[fault]))


def faults() -> list[str]:
    """The names of all faults, and of those that are planted together."""
    names = [f"{one}/{path.stem}" for one in COMPILERS for path in sorted((HERE / "faults" / one).glob("*.py"))]
    return [*names, ",".join(TOGETHER)]


def model(fault: str, seed: int) -> Graph:
    """The demonstration of a fault, beside a generated graph."""
    compiler, name = fault.split("/")
    demo, _ = importlib.import_module(f"benchmarks.mutants.demos.{compiler}").DEMOS[name]()
    beside = generate(BESIDE, f"{fault} {seed}", accepts=_usual, operators=matching(OPERATORS))
    return union([renamed(graph, numbered(graph, n)) for n, graph in enumerate((demo, beside))])


def _usual(_: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether all types are taken by every compiler, and no array is large."""
    types = (*operands, *results)
    return all(t.dtype in ("float32", "bool") and 0 < math.prod(t.shape) < 200 for t in types)


def row(fault: str, out: Path, arguments: argparse.Namespace) -> Row:
    """Run the campaign on a fault, or on several with commas between them, in the folder ``out``."""
    compiler, models = fault.partition("/")[0], fault.split(",")
    out.parent.mkdir(parents=True, exist_ok=True)
    paths = [out.with_name(f"{out.name}-{number}.onnx") for number in range(len(models))]
    for name, path in zip(models, paths, strict=True):
        formats.save(model(name, arguments.seed), path)
    planted = {**os.environ, "PYTHONPATH": str(HERE / "site"), "POLYJUICE_MUTANT": fault}
    sound = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "POLYJUICE_MUTANT")}
    options = ["--compiler", compiler, "-n", len(paths) * arguments.cases, "--seed", arguments.seed, "--out", out]
    options += [option for path in paths for option in ("--seeds", path)]
    options += ["--oracle", "metamorphic,crash,differential", "--workers", arguments.workers]
    options += ["--triage", arguments.triage, "--json"]
    command = [sys.executable, "-m", "polyjuice", "fuzz", *map(str, options)]
    done = subprocess.run(command, env=planted, stdout=subprocess.PIPE, text=True, cwd=HERE.parents[1])
    summary = json.loads(done.stdout)
    records, others = [], 0
    for folder in sorted(path.parent for path in (out / "findings").glob("*/finding.json")):
        if (shows(folder, planted), shows(folder, sound)) == (1, 0):
            records.append(json.loads((folder / "finding.json").read_text(encoding="utf-8")))
        else:
            others += 1
    first = records[0] if records else {"operators": {}, "blame": []}
    return Row(
        fault,
        sum(1 + record["more"] for record in records),
        len(records),
        tuple(first["operators"].values()),
        tuple(sorted({name for record in records for name in record["blame"]})),
        others,
        summary["elapsed_s"],
        tuple(float(match[1]) for match in _REDUCED.finditer((out / "log").read_text(encoding="utf-8"))),
    )


_REDUCED = re.compile(r"^triage .* operators left, .* (\d+\.\d) s$", re.MULTILINE)
"""How the log says that a finding was triaged, and in what time."""


def shows(finding: Path, environment: dict[str, str]) -> int:
    """How a reproducer ends."""
    command = [sys.executable, "repro.py"]
    return subprocess.run(command, cwd=finding, env=environment, capture_output=True, timeout=600).returncode


def table(rows: dict[str, Any]) -> str:
    """The results, in Markdown."""
    lines = [
        "# Campaigns on planted faults",
        "",
        "Made by `python benchmarks/mutants/triage.py`. Each row is a campaign on a compiler with planted faults, from",
        f"their demonstrations beside {BESIDE} other operators. A finding belongs to the fault if its reproducer ends",
        "with 1, and with 0 without the fault. *Met* counts these before triage, *told* after it. Other columns are",
        "about the first reported finding. *Seconds* is the median time to reduce and bisect a finding.",
        "",
        *(f"{_median(rows, compiler)}" for compiler in ("onnxruntime", "tvm", "inductor")),
        "",
        "| fault | met | told | operators a side | to blame | compiler's own | minutes | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for fault, r in sorted(rows.items()):
        blame = ", ".join(f"`{name}`" for name in r["blame"]) or "-"
        sides = " and ".join(map(str, r["operators"])) or "-"
        seconds = f"{median(r['seconds']):.1f}" if r.get("seconds") else "-"
        cells = [fault.replace(",", ", "), r["raw"], r["told"], sides, blame, r["others"]]
        cells += [f"{r['elapsed_s'] / 60:.1f}", seconds]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _median(rows: dict[str, Any], compiler: str) -> str:
    """How long a finding of a compiler takes, over all of its faults."""
    seconds = [s for fault, row in rows.items() if fault.startswith(compiler) for s in row.get("seconds", ())]
    return f"- {compiler}: {median(seconds):.1f} s a finding, {len(seconds)} findings" if seconds else ""


if __name__ == "__main__":
    main()
