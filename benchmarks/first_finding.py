"""Measure how soon a user sees a true finding: short campaigns with random seeds, as `make fuzz` runs them.

    python benchmarks/first_finding.py --folder FOLDER                     ten seeds of TorchInductor
    python benchmarks/first_finding.py --folder FOLDER --compilers tvm,xla --seeds 5
    python benchmarks/first_finding.py --folder FOLDER --table             write the table, and run nothing

It continues where it stopped. The clock runs from the command to the first finding that it prints. A finding counts as
true here if it shows a known bug. Others need a look by hand: the table names them.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.hunt.run import ENDED, records_in, signature
from benchmarks.hunt.table import markdown

ROOT = Path(__file__).resolve().parents[1]
ROWS, PAGE = ROOT / "artifacts" / "first-finding.json", ROOT / "artifacts" / "first-finding.md"

OPTIONS = ("--time", "110s", "--show-known")
"""The options of `make fuzz`."""

_SHOWN = re.compile(r"(?:finding|known bug \S+) (\d{6}-\S+):")

Row = dict[str, Any]
"""``compiler``, ``version``, ``seed``, ``programs``, ``first_s`` (None without a finding), and ``causes``.

Each cause has its ``text``, and the URL of the ``known`` bug or "".
"""


def main() -> None:
    """Run the campaigns that are missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for campaigns, outside of the repository")
    parser.add_argument("--compilers", default="inductor", help="separated by commas")
    parser.add_argument("--seeds", type=int, default=10, help="the number of campaigns of each compiler")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    rows: list[Row] = json.loads(ROWS.read_text("utf-8")) if ROWS.exists() else []
    for compiler in [] if options.table else options.compilers.split(","):
        for _ in range(options.seeds - sum(row["compiler"] == compiler for row in rows)):
            rows.append(measured(compiler, secrets.randbits(31), options.folder.resolve()))
            rows.sort(key=lambda row: (row["compiler"], row["seed"]))
            ROWS.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    PAGE.write_text(table(rows), "utf-8")


def measured(compiler: str, seed: int, folder: Path) -> Row:
    """Run a campaign, and return its row. Raises SystemExit with the campaign's last line if it cannot run."""
    campaign = folder / f"{compiler}-{seed}"
    command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", compiler, "--seed", str(seed), *OPTIONS]
    command += ["--json", "--out", str(campaign)]
    begin, first, line = time.monotonic(), None, ""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr or ():
            if first is None and _SHOWN.match(line):
                first = round(time.monotonic() - begin, 1)
        printed = process.stdout.read() if process.stdout else ""
    if process.returncode not in ENDED:
        raise SystemExit(f"polyjuice fuzz ended with status {process.returncode}: {line.strip()}")
    summary = json.loads(printed)
    row = {"compiler": compiler, "version": summary["version"], "seed": seed, "programs": summary["programs"]}
    causes = [{"text": signature(record), "known": record["known"]} for record in records_in(campaign)]
    return {**row, "first_s": first, "causes": causes}


def table(rows: Sequence[Row]) -> str:
    """Return the page in Markdown. ``rows`` are sorted by compiler."""
    lines = [
        "# How soon a user sees a finding\n",
        "Written by `benchmarks/first_finding.py`, which says how it counts. Each campaign has another seed, chosen at",
        "random.\n",
    ]
    counts, unlisted = [], []
    for (compiler, version), group in groupby(rows, key=lambda row: (row["compiler"], row["version"])):
        of = list(group)
        shown = [row["first_s"] for row in of if row["first_s"] is not None]
        listed = sum(any(cause["known"] for cause in row["causes"]) for row in of)
        soon = f"{median(shown):.0f}" if shown else ""
        causes = f"{median(len(row['causes']) for row in of):g}"
        counts.append([f"{compiler} {version}", len(of), len(shown), listed, soon, causes])
        unlisted += [(row, cause["text"]) for row in of for cause in row["causes"] if not cause["known"]]
    head = [
        "compiler",
        "campaigns",
        "with a finding",
        "with a known bug",
        "median seconds to the first",
        "median causes",
    ]
    lines += [*markdown(head, counts), "\n## Causes that are not known\n"]
    lines += [f"- {row['compiler']}, seed {row['seed']}: {text}" for row, text in unlisted]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
