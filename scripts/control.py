"""Campaigns on the two controls, which compile nothing: each finding would be a fault of Polyjuice.

Run with ``make control``. Each campaign has its own strategy and a fixed seed, and takes inputs of all profiles. The
campaigns must end with status 0, without a finding, an unsound variant or a defect. Otherwise the script keeps the
campaign's folder, prints what its log says about the fault, and ends with status 1.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

CAMPAIGNS = {
    "numpy": {"mixed": 800, "small": 350, "default": 250, "isra": 150, "nnsmith": 150, "gencog": 150, "hirgen": 150},
    "eager": {
        "mixed": 110,
        "statements": 110,
        "complex": 110,
        "small": 40,
        "default": 30,
        "isra": 25,
        "nnsmith": 25,
        "gencog": 25,
        "hirgen": 25,
    },
}
"""The number of cases of each strategy on each control: 2,000 and 500 in all."""

ORACLES = {
    "numpy": "metamorphic,crash,differential,determinism",
    "eager": "metamorphic,crash,differential,alias,strides,determinism,gradient",
}

TARGETS = sorted((Path(__file__).parents[1] / "rules" / "targets").glob("*.egg"))
"""The patterns that pairs of programs differ in: those of all compilers, because the controls have none."""

MUST_BE_ZERO = ("raw_findings", "unsound_variants", "defects", "died", "disturbed")

_ORDINARY = re.compile(r"case \d+ (programs=|skipped)")
"""The log's line about a case without anything special."""


def main() -> int:
    """Run all campaigns, and say how many cases they had. Return 1 if a control found something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=int, default=1, metavar="N", help="run one N-th of the cases")
    parser.add_argument("--workers", type=int, help="how many processes run (default: one per core)")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    wrong, began = 0, time.monotonic()
    for compiler, strategies in CAMPAIGNS.items():
        for seed, (strategy, cases) in enumerate(strategies.items(), 1):
            summary, problem = campaign(compiler, strategy, -(-cases // options.part), seed, options.workers)
            total += Counter({name: summary.get(name, 0) for name in ("tested", "skipped", *MUST_BE_ZERO)})
            wrong += bool(problem)
            print(f"{compiler:6} {strategy:11} seed {seed}: {told(summary)}{problem}", flush=True)
    print(f"controls: {told({**total, 'elapsed_s': time.monotonic() - began})}")
    return 1 if wrong else 0


def campaign(compiler: str, strategy: str, cases: int, seed: int, workers: int | None) -> tuple[dict[str, Any], str]:
    """Run one campaign. Return its summary and, if there is a fault, what its log says."""
    folder = Path(tempfile.mkdtemp(prefix=f"control-{compiler}-{strategy}-"))
    command = [sys.executable, "-m", "polyjuice", "--config", "none", "fuzz", "--compiler", compiler, "--json"]
    command += ["--seeds", strategy, "-n", str(cases), "--seed", str(seed), "--out", str(folder / "campaign")]
    command += ["--profile", "exact,normal,wrap,edge", "--oracle", ORACLES[compiler], "--triage", "0s"]
    command += [part for file in TARGETS for part in ("--targets", str(file))]
    command += ["--workers", str(workers)] if workers else []
    done = subprocess.run(command, capture_output=True, text=True)
    summary: dict[str, Any] = json.loads(done.stdout or "{}")
    if done.returncode == 0 and not any(summary[name] for name in MUST_BE_ZERO):
        shutil.rmtree(folder)
        return summary, ""
    log = folder / "campaign/log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.is_file() else done.stderr.splitlines()
    special = [line for line in lines if not _ORDINARY.match(line)]
    return summary, "\n    ".join([f"\n    status {done.returncode}, see {log}", *special[:60]])


def told(summary: dict[str, Any]) -> str:
    """The counts of a summary in one line."""
    counts = f"{summary.get('tested', 0)} cases tested, {summary.get('skipped', 0)} skipped"
    zeros = ", ".join(f"{summary.get(name, 0)} {name.replace('_', ' ')}" for name in MUST_BE_ZERO[:3])
    return f"{counts}, {zeros}, {summary.get('elapsed_s', 0):.0f} s"


if __name__ == "__main__":
    sys.exit(main())
