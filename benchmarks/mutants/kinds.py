"""Which kind of case finds most: planted faults that each kind of a mixed campaign detects in the same time.

    python benchmarks/mutants/kinds.py                              ONNX Runtime and Inductor, three minutes a kind
    python benchmarks/mutants/kinds.py --compilers inductor --minutes 5

A small program alone, a small program with variants, and a larger graph with variants: one campaign of each (see
``polyjuice/campaign/kinds.py``), on a compiler with all faults that are not yet detected, as in ``run.py``. It writes
``artifacts/kinds.md``; the rows of other compilers stay.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent))
from run import HERE, MET, FaultySession, environment, mutants, spoken, write

from polyjuice.campaign import kinds
from polyjuice.campaign.case import Runner
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import MIXED, Kind
from polyjuice.campaign.preparation import Skip, Unsound
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.inputs import usual_profiles

RESULTS = HERE.parents[1] / "artifacts" / "kinds.json"

KINDS = {
    "small, alone": Kind("small", alone=True),
    "small, with variants": Kind("small"),
    "larger, with variants": Kind("default"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compilers", default="onnxruntime,inductor")
    parser.add_argument("--minutes", type=float, default=3, help="for each kind")
    arguments = parser.parse_args()
    known: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with (
        tempfile.TemporaryDirectory() as cache,
        environment(PYTHONPATH=str(HERE / "site"), POLYJUICE_MUTANT="by-program"),
        environment(CXX=str(HERE / "cached-g++"), CXX_CACHE=cache),
    ):
        for compiler in arguments.compilers.split(","):
            known[compiler] = {"minutes": arguments.minutes}
            for name, kind in KINDS.items():
                known[compiler][name] = detected(compiler, kind, 60 * arguments.minutes)
                write(RESULTS, known)
    RESULTS.with_suffix(".md").write_text(table(known), encoding="utf-8")
    print(table(known))


def detected(compiler: str, kind: Kind, seconds: float) -> dict[str, Any]:
    """How many cases of a kind were run in this time, and after how many of these seconds each fault was detected."""
    info = find(compiler)
    oracles = ("metamorphic", "crash", "differential")
    config = Config(compiler, (MIXED,), nodes=info.nodes, profiles=usual_profiles(info), oracles=oracles)
    faults: dict[str, int] = {}
    began = time.monotonic()
    with (
        patch.dict(vars(kinds), _TURNS={MIXED: (kind,)}),
        tempfile.TemporaryDirectory() as folder,
        FaultySession(config.conditions, info) as session,
    ):
        runner = Runner(config, Path(folder), load(), session)
        for index in count():
            session.faults = [name for name in mutants(f"{compiler}/*") if name not in faults]
            spent = time.monotonic() - began
            if spent > seconds or not session.faults:
                return {"cases": index, "faults": faults}
            try:
                case = runner.execute(index)
            except (Skip, Unsound):
                continue
            for name, events in spoken(oracles, session, case).items():
                if events - {MET}:
                    faults[name] = round(time.monotonic() - began)
    raise AssertionError("cases do not end")


def table(known: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        "# Which kind of case detects most planted faults",
        "",
        "Made by `benchmarks/mutants/kinds.py`: faults that campaigns of one kind of case detected in the same time,",
        "and how many of them no other kind detected.",
        "",
        "| compiler | kind | cases | faults detected | by no other kind |",
        "|---|---|---|---|---|",
    ]
    for compiler, row in known.items():
        planted = len(mutants(f"{compiler}/*"))
        for name in KINDS:
            lines.append(f"| {compiler}, {row['minutes']:g} min | {name} | {cells(row, name, planted)} |")
    return "\n".join(lines) + "\n"


def cells(row: dict[str, Any], name: str, planted: int) -> str:
    faults = set(row[name]["faults"])
    alone = faults.difference(*others(row, name))
    return f"{row[name]['cases']} | {len(faults)} of {planted} | {len(alone)}"


def others(row: dict[str, Any], name: str) -> Sequence[dict[str, int]]:
    """The faults that each other kind detected."""
    return [row[other]["faults"] for other in KINDS if other != name]


if __name__ == "__main__":
    main()
