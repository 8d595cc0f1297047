"""Measure how many published bugs Polyjuice finds: from the program that triggers each (given), and without it (blind).

    python benchmarks/published/run.py                       everything (hours on two cores); continues where it stopped
    python benchmarks/published/run.py --only inductor       some entries, by name; --part given: one part alone
    python benchmarks/published/run.py --part blind --releases 'onnxruntime-1.22.1' --blind-minutes 5
                                                             some releases, shorter; other results stay
    python benchmarks/published/run.py --again               forget the entries that were not found; try them again
    python benchmarks/published/run.py --table               write the table of stored results; nothing runs

Each entry is tested in the last release in which it is wrong, with the default options of ``polyjuice fuzz``. Earlier
results of entries that this run does not measure, perhaps in another ``--folder``, stay in the table.

*Given*: the trigger is the seed (``--seeds``), with the inputs that show its bug, for a fixed number of cases. *Blind*:
one campaign from generated seeds for each release, of ten minutes and one worker. It serves all entries of that
release, and confirms its postponed cases afterwards.

A wrong result counts as the entry's bug if its reduced finding no longer shows in the first later release that is
right. If no release has fixed the bug, the trigger itself must be wrong, or the reduced finding must have the entry's
cause. The cause is the entry's operators, by their ONNX or ATen names, or its part of the compiler. Every finding of a
blind campaign must have the cause, and its reduced programs at most six operators.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from packaging.version import Version

from polyjuice.campaign.kinds import MIXED
from polyjuice.frameworks.user_model import SEED_GRAPH

sys.path.insert(0, str(Path(__file__).parent))
import entry as entries
import environments
import table
from entry import Entry

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "artifacts" / "published.json"

CASES = {"inductor": 8, "tvm": 20, "xla": 20, "onnxruntime": 30}
"""The number of cases for each trigger."""

FIRST_CASES = 2
"""The number of cases after which findings are first checked: most triggers need no more."""

BLIND_MINUTES = 10.0

CONTINUED = 2
"""How often a blind campaign is resumed to confirm postponed cases: each time half as long, without new cases."""

REDUCTION_TIME = "60s"

REMAINS, GONE = 1, 0
"""The exit statuses of ``polyjuice replay`` if a finding shows, and if it does not."""


def main() -> None:
    """Measure the chosen entries without a result, and write the results and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="a pattern for names such as inductor/max_of_views, or a compiler")
    parser.add_argument("--half", choices=table.HALVES, help="one half of the entries alone")
    parser.add_argument("--part", choices=("given", "blind"), help="one part of the measurement alone")
    parser.add_argument("--releases", default="*", help="a pattern for releases such as onnxruntime-1.22.1")
    parser.add_argument(
        "--blind-minutes", type=float, default=BLIND_MINUTES, help="how long a blind campaign generates"
    )
    parser.add_argument("--seeds", default=MIXED, help="the strategy of the blind campaigns (polyjuice fuzz --seeds)")
    parser.add_argument("--again", action="store_true", help="forget the entries that were not found")
    parser.add_argument("--table", action="store_true", help="only write the table of stored results")
    parser.add_argument("--workers", type=int, default=2, help="campaigns at a time, each of one worker")
    parser.add_argument("--folder", type=Path, default=Path(".published"), help="where the campaigns are kept")
    parser.add_argument("--environments", type=Path, default=Path(".old"), help="where old releases are kept")
    options = parser.parse_args()
    chosen = [
        e
        for e in entries.read_all()
        if is_named(e, options.only) and options.half in (None, e.half) and fnmatch(release_of(e), options.releases)
    ]
    folders = options.folder.absolute(), options.environments.absolute()
    measurements = Measurements(*folders, options.blind_minutes, options.seeds)
    if options.again:
        measurements.forget(chosen)
    if not options.table:
        measure(measurements, chosen, options.part, options.workers)
    before = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    known = joined(before, {e.key: measurements.known(e) for e in entries.read_all()})
    RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    text = table.text(entries.read_all(), known)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def is_named(entry: Entry, pattern: str) -> bool:
    """Whether an entry's name matches a pattern such as ``inductor/*``; ``inductor`` means the same."""
    return fnmatch(entry.key, pattern) or entry.compiler == pattern


def release_of(entry: Entry) -> str:
    """Return the compiler and the release in which an entry is tested, such as ``xla-2.21.0``."""
    return f"{entry.compiler}-{entry.wrong[-1]}"


def joined(before: table.Known, anew: table.Known) -> dict[str, dict[str, Any]]:
    """Return the results of the entries in ``anew``, part by part: the new result, or else the earlier one."""
    return {key: {**before.get(key, {}), **values} for key, values in anew.items()}


def measure(measurements: Measurements, chosen: Sequence[Entry], part: str | None, workers: int) -> None:
    """Measure the chosen entries without a result, and write each result at once."""
    jobs: list[Callable[[], None]] = []
    if part != "blind":
        jobs += [partial(measurements.given, entry) for entry in chosen if "given" not in measurements.known(entry)]
    if part != "given":
        for release in sorted({release_of(entry) for entry in chosen}):
            served = [e for e in chosen if release_of(e) == release and "blind" not in measurements.known(e)]
            if served:
                jobs.append(partial(measurements.blind, served))
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()


@dataclass(frozen=True)
class Measurements:
    """The folder of the campaigns and their results for each entry, and the folder of old releases.

    ``minutes`` and ``seeds`` are the time in which a blind campaign generates seeds, and its strategy.
    """

    folder: Path
    environments: Path
    minutes: float = BLIND_MINUTES
    seeds: str = MIXED

    def known(self, entry: Entry) -> dict[str, Any]:
        """Return the results of an entry: under ``given`` and ``blind``, whether it was found, and how."""
        path = self._result(entry)
        known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return known

    def forget(self, chosen: Sequence[Entry]) -> None:
        """Delete the results and campaigns of entries that were not found from their trigger."""
        for entry in chosen:
            known = self.known(entry)
            if not known.get("given", {"found": True})["found"]:
                shutil.rmtree(self._given(entry), ignore_errors=True)
                self._result(entry).write_text(json.dumps({k: v for k, v in known.items() if k != "given"}))

    def given(self, entry: Entry) -> None:
        """Fuzz with the trigger as the seed until its bug is found, and store the result."""
        campaign = self._given(entry)
        python = environments.interpreter(entry.compiler, entry.wrong[-1], self.environments)
        seeds, path = self._seed(entry)
        seen: set[str] = set()
        for count in (FIRST_CASES, CASES[entry.compiler]):
            done = _fuzz(campaign, python, entry.compiler, "-n", str(count), "--seeds", seeds, path=path)
            if done not in (0, 1, 3):
                self._learn(entry, "given", {"found": False, "problem": f"polyjuice fuzz ended with status {done}"})
                return
            for finding in _raw(campaign, seen):
                if self._is_of(finding, entry, needs_operators=not entry.right):
                    self._learn(entry, "given", {"found": True, **_reported(campaign, finding)})
                    return
        self._learn(entry, "given", {"found": False, "raw_findings": len(seen), **_defects(campaign)})

    def blind(self, served: Sequence[Entry]) -> None:
        """Fuzz a release from generated seeds, look for its entries' bugs among the findings, and store the results."""
        entry = served[0]
        campaign = self.folder / "blind" / release_of(entry)
        python = environments.interpreter(entry.compiler, entry.wrong[-1], self.environments)
        _fuzz(campaign, python, entry.compiler, "--time", f"{self.minutes:g}m", "--seeds", self.seeds)
        for _ in range(CONTINUED):
            if _with(campaign, "postponed"):
                _polyjuice("fuzz", "--resume", campaign)
        how = {"minutes": self.minutes, "seeds": self.seeds}
        missing = list(served)
        for finding in _raw(campaign, set()):
            for entry in list(missing):
                if holds(entry, finding) and self._is_of(finding, entry, blind=True):
                    self._learn(entry, "blind", {"found": True, **how, **_reported(campaign, finding)})
                    missing.remove(entry)
        for entry in missing:
            self._learn(entry, "blind", {"found": False, **how})

    def _is_of(self, finding: Path, entry: Entry, needs_operators: bool = False, blind: bool = False) -> bool:
        """Whether a finding and its reduced finding are of this entry's bug.

        With ``needs_operators``, the trigger must be the wrong side, or the reduced finding must have the entry's
        cause. A finding of a ``blind`` campaign must have the cause, and be small.
        """
        if _record(finding)["kind"] != "mismatch" or self._later(finding, entry) == REMAINS:
            return False
        reduced = finding / "reduced"
        if not reduced.exists():
            _polyjuice("reduce", finding, "--time", REDUCTION_TIME)
        smallest = reduced if (reduced / "finding.json").exists() else finding
        if self._later(smallest, entry) != GONE:
            return False
        record = _record(smallest)
        if blind:
            return table.is_small(record["operators"]) and has_cause(entry, smallest)
        return not needs_operators or record["culprit"] == SEED_GRAPH or has_cause(entry, smallest)

    def _later(self, finding: Path, entry: Entry) -> int:
        """Replay a finding in the release that fixed the bug: REMAINS or GONE. Without such a release, return GONE.

        Another status means that the release cannot run the program, perhaps because of another bug.
        """
        if not entry.right:
            return GONE
        later = [release for release in entry.right if Version(release) > Version(entry.wrong[-1])]
        python = environments.interpreter(entry.compiler, (later or entry.right)[0], self.environments)
        return _polyjuice("replay", finding, "--python", python)

    def _seed(self, entry: Entry) -> tuple[str, Path]:
        """Return the argument of ``--seeds`` for an entry, and the folder of the module, if it names one."""
        if entry.format == "torch":
            return f"{entry.path.stem}:program", entry.path.parent
        if entry.format == "tensorflow":
            return f"in_tensorflow:{entry.name}", Path(__file__).parent / "seeds"
        trigger = entries.load_trigger(entry.path)
        file = self.folder / "models" / entry.key / "model.onnx"
        data = file.parent / "test_data_set_0"
        data.mkdir(parents=True, exist_ok=True)
        model, arrays = trigger.model(), trigger.inputs()
        onnx.save(model, file)
        constants = {tensor.name for tensor in model.graph.initializer}
        for number, name in enumerate(i.name for i in model.graph.input if i.name not in constants):
            onnx.save_tensor(numpy_helper.from_array(np.asarray(arrays[name]), name), data / f"input_{number}.pb")
        return str(file), entry.path.parent

    def _learn(self, entry: Entry, part: str, values: Mapping[str, Any]) -> None:
        path = self._result(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**self.known(entry), part: values}, indent=1), encoding="utf-8")
        print(f"{entry.key}, {part}: {json.dumps(values)}", flush=True)

    def _result(self, entry: Entry) -> Path:
        return self.folder / "results" / f"{entry.key}.json"

    def _given(self, entry: Entry) -> Path:
        return self.folder / "given" / entry.key


def _fuzz(campaign: Path, python: Path, compiler: str, *options: str, path: Path | None = None) -> int:
    """Begin or resume a campaign; return the exit status. ``path`` is the folder of a seed's module."""
    reach = options[:2]
    if (campaign / "campaign.sqlite").exists():
        return _polyjuice("fuzz", "--resume", campaign, *reach, path=path)
    fixed = ["--compiler", compiler, "--python", python, "--workers", "1", "--triage", "0s", "--known", "none"]
    fixed += ["--out", campaign]
    return _polyjuice("fuzz", *options, *fixed, path=path)


def _polyjuice(*arguments: object, path: Path | None = None) -> int:
    """Run the command and return its exit status. Print its message if it fails."""
    command = [sys.executable, "-m", "polyjuice", *map(str, arguments)]
    found = [str(ROOT), *([str(path)] if path else []), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(found), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode not in (GONE, REMAINS):
        print(f"polyjuice {' '.join(map(str, arguments))}: {done.stderr.strip()[-2000:]}", file=sys.stderr, flush=True)
    return done.returncode


def _with(campaign: Path, field: str) -> int:
    """Return how many cases of a campaign have a value of a field of their results."""
    with closing(sqlite3.connect(campaign / "campaign.sqlite")) as database:
        return sum(bool(json.loads(text)[field]) for (text,) in database.execute("SELECT result FROM cases"))


def _raw(campaign: Path, seen: set[str]) -> Iterator[Path]:
    """Yield the findings that are not in ``seen``, in the order of their cases, and add them to it."""
    for folder in sorted((campaign / "raw").iterdir()):
        if folder.name not in seen and (folder / "finding.json").exists():
            seen.add(folder.name)
            yield folder


def _record(finding: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((finding / "finding.json").read_text(encoding="utf-8"))
    return record


def has_cause(entry: Entry, finding: Path) -> bool:
    """Whether a finding has an entry's operators, or the entry's part of the compiler is the culprit."""
    return entry.part in _record(finding)["blame"] or holds(entry, finding)


def holds(entry: Entry, finding: Path) -> bool:
    """Whether the programs of a finding have an entry's operators, by their ONNX or ATen names.

    A model has each ATen operator as a function, whose body consists of ONNX operators. A constant of a model may be an
    expression in the compiled program: its operators count too.
    """
    found: set[str] = set()
    constants: set[str] = set()
    for model in map(onnx.load, finding.glob("*.onnx")):
        nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
        found |= {_plain(node.op_type) for node in nodes}
        constants |= {array.name for array in model.graph.initializer}
    found |= {_plain(name) for name in _computed(finding / "repro.py", constants)}
    return {_plain(name) for name in entry.operators} <= found


def _computed(reproducer: Path, constants: Collection[str]) -> Iterator[str]:
    """Yield the functions and operators by which a reproducer's programs compute some constants."""
    statements = ast.walk(ast.parse(reproducer.read_text("utf-8"))) if reproducer.exists() else ()
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(name)], value=value) if name in constants:
                for part in ast.walk(value):
                    match part:
                        case ast.BinOp(op=operator) if type(operator) in _ARITHMETIC:
                            yield _ARITHMETIC[type(operator)]
                        case ast.Call(func=ast.Attribute(attr=function)):
                            yield function


_ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div"}


def _plain(operator: str) -> str:
    """Return the common form of names such as ``ArgMax`` and ``argmax``."""
    return operator.replace("_", "").lower()


def _reported(campaign: Path, finding: Path) -> dict[str, Any]:
    """Return the facts about a finding that the table shows."""
    record = _record(finding)
    smallest = _record(finding / "reduced") if (finding / "reduced" / "finding.json").exists() else record
    with closing(sqlite3.connect(campaign / "campaign.sqlite")) as database:
        before = database.execute('SELECT result FROM cases WHERE "index" <= ?', (record["index"],)).fetchall()
    return {
        "comparisons": sum(_comparisons(json.loads(text)) for (text,) in before),
        "oracle": record["oracle"],
        "kind": record["kind"],
        "sides": [record["a"], record["b"]],
        "operators": smallest["operators"],
        "message": smallest["message"].splitlines()[0],
    }


def _comparisons(result: Mapping[str, Any]) -> int:
    """Return the pairs that a case compared; a program alone is compared once, with its uncompiled run."""
    return result["pairs"] or int(result["programs"] > 0)


def _defects(campaign: Path) -> dict[str, Any]:
    """Return the number of Polyjuice's own defects in a campaign, if there are any."""
    count = _with(campaign, "defect")
    return {"defects": count} if count else {}


if __name__ == "__main__":
    main()
