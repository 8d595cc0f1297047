"""Compare techniques in equal time on a real release: the causes that they tell (PolyJuice, section 6.2, Figure 10).

    python -m benchmarks.evaluation.causes --release 1.22.1 --time 120      continues where it stopped
    python -m benchmarks.evaluation.causes --table                          writes the table of all stored results

A campaign is one of `polyjuice fuzz` with one worker, from which triage makes causes. Its time is that of the cases.
Known bugs count, too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.evaluation import compare
from benchmarks.evaluation.compare import Run, Runs
from benchmarks.evaluation.techniques import TECHNIQUES
from benchmarks.hunt import run as hunt
from benchmarks.published import environments
from polyjuice.__main__ import main as polyjuice
from polyjuice.campaign import processes
from polyjuice.campaign.config import Config

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation" / "causes.json"

_PROCESS = ExitStack()
"""What holds as long as a process of a campaign."""


def main() -> None:
    """Run the campaigns without a result, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="onnxruntime")
    parser.add_argument("--release", default="1.22.1")
    parser.add_argument("--environments", type=Path, default=Path(".old"), help="where old releases are kept")
    parser.add_argument("--time", type=float, default=120.0, help="seconds of each campaign")
    parser.add_argument("--seeds", type=int, default=3, help="campaigns of each technique")
    parser.add_argument("--techniques", default=",".join(TECHNIQUES))
    parser.add_argument("--results", type=Path, default=RESULTS, help="the stored results; the table lies beside them")
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    known = json.loads(options.results.read_text(encoding="utf-8")) if options.results.exists() else {}
    if not options.table:
        stored = known.setdefault(f"{options.compiler} {options.release}", {})
        for seed in map(str, range(options.seeds)):
            for technique in options.techniques.split(","):
                if seed not in stored.setdefault(technique, {}):
                    stored[technique][seed] = campaign(technique, seed, options)
                    options.results.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    text = table(known)
    options.results.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def campaign(technique: str, seed: str, options: argparse.Namespace) -> Run:
    """Run a campaign in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "campaign"
        python = environments.interpreter(options.compiler, options.release, options.environments)
        arguments = ["--compiler", options.compiler, "--python", str(python), "--seed", seed, "--workers", "1"]
        arguments += ["--time", f"{options.time:.0f}s", "--triage", f"{2 * options.time:.0f}s", "--known", "none"]
        arguments += ["--out", str(out), "--json", *_arguments(TECHNIQUES[technique].options)]
        process = multiprocessing.get_context("spawn").Process(target=_fuzz, args=(technique, arguments, f"{out}.json"))
        process.start()
        process.join()
        if process.exitcode not in hunt.ENDED:
            raise SystemExit(f"the campaign of {technique} ended with status {process.exitcode}")
        summary = json.loads(Path(f"{out}.json").read_text(encoding="utf-8"))
        causes = {cause["signature"]: cause["title"] for cause in hunt.causes_in(out)}
    return {"seconds": options.time, "programs": summary["programs"], "detected": causes}


def _arguments(options: Mapping[str, Any]) -> Sequence[str]:
    """Return the fields of a configuration as options of the command line."""
    flags = {field.name: field.metadata["option"].flag for field in fields(Config)}
    values = {name: value if isinstance(value, str) else ",".join(value) for name, value in options.items()}
    return [text for name, value in values.items() for text in (flags[name], value)]


def _fuzz(technique: str, arguments: Sequence[str], output: str) -> None:
    """Run ``polyjuice fuzz`` in this process; those that it starts make variants as the technique does."""
    sys.argv = ["polyjuice", "fuzz", *arguments]
    begin = patch.object(processes, "initialize", partial(_initialize, technique))
    with open(output, "w", encoding="utf-8") as sys.stdout, begin:
        polyjuice()


def _initialize(technique: str, *arguments: Any) -> None:
    """Begin a process of the campaign, which makes variants as the technique does until it ends."""
    _PROCESS.enter_context(TECHNIQUES[technique].applied())
    processes.initialize(*arguments)


def table(known: Mapping[str, Runs]) -> str:
    """Return the tables in Markdown."""
    return compare.document("Causes that techniques tell in equal time", "causes", known, compare.table)


if __name__ == "__main__":
    main()
