"""How much less time does Inductor take where kernels of several programs are compiled together?

    python benchmarks/inductor_speed.py [-n CASES]

Runs the same cases with and without ``--plain``, each in a campaign of its own of one worker, in turns; prints pairs a
second of both, their ratio, and whether both found the same. Confirming findings takes the same time either way.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROUNDS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=32, help="cases of each campaign")
    cases = parser.parse_args().n
    seconds = {"together": 0.0, "plain": 0.0}
    for seed in range(ROUNDS):
        found = {}
        for how in seconds:
            found[how], spent = _campaign(cases, seed, ["--plain"] if how == "plain" else [])
            seconds[how] += spent
        same = "the same findings" if found["plain"] == found["together"] else f"other findings: {found}"
        print(f"seed {seed}: {same}", flush=True)
    for how, spent in seconds.items():
        print(f"{how}: {ROUNDS * cases / spent:.3f} cases a second in compilation and runs")
    print(f"{seconds['plain'] / seconds['together']:.2f} times as fast together")


def _campaign(cases: int, seed: int, options: list[str]) -> tuple[list[Any], float]:
    """What a campaign finds, and the seconds of all but confirming that."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", "inductor", "--workers", "1", "--json"]
        how = ["--triage", "0s", "-n", str(cases), "--seed", str(seed), "--out", f"{folder}/campaign", *options]
        done = subprocess.run([*command, *how], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        log = Path(folder, "campaign", "log").read_text(encoding="utf-8")
        raw = sorted(path.name for path in Path(folder, "campaign", "raw").iterdir())
    counts = json.loads(done.stdout)
    spent = [word.split("=") for line in log.splitlines() if line.startswith("case") for word in line.split()[3:]]
    return [counts["pairs"], raw], sum(float(value) for name, value in spent if name != "other")


if __name__ == "__main__":
    main()
