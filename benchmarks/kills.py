"""Kill campaigns at random moments, continue them, and compare the results with a campaign that was left alone.

    python benchmarks/kills.py                      50 kills; writes artifacts/interruptions.md
    python benchmarks/kills.py --kills 6 --seed 3   fewer kills, at other moments
    python benchmarks/kills.py --signal TERM --out sigterm.md
                                                    interrupts, which must also print a summary and leave no file

The compiler is the `numpy` control with three faults: two make wrong results, and each vanishes without one part of the
compiler, as triage finds out; the third is a crash. A campaign's main process gets SIGKILL. Its other processes must
then end by themselves. `polyjuice fuzz --resume` continues the campaign until the next kill, and so on to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyjuice.wording import counted

ROOT = Path(__file__).resolve().parents[1]
ARTIFACT = ROOT / "artifacts" / "interruptions.md"

COMPILER = '''
from polyjuice.compilers import numpy as control
from polyjuice.compilers.numpy import *
from polyjuice.execution.protocol import from_wire, to_wire

INFO = {
    "format": "onnx",
    "needs": "this file",
    "fast": True,
    "lacks": ["functions", "symbolic sizes", "constant nodes"],
    "repro_imports": "import faulty_compiler as compiler",
    "repro": """
def prepare(model, inputs):
    arrays = [compiler.to_wire(array) for array in inputs]
    compiled = compiler.compile(compiler.load({"source": model, "arrays": {}}), arrays)
    return lambda: [compiler.from_wire(array) for array in compiler.run(compiled, arrays)]
""",
}
_disabled = set()

def start(options):
    _disabled.update(options.get("disable", ()))

def knobs():
    return ["no-relu", "no-softplus", "other"]

def compile(program, inputs):
    if {"Sqrt", "Tanh"} <= {node.op for node in program.nodes}:
        raise RuntimeError("cannot fuse Sqrt with Tanh")
    return control.compile(program, inputs)

def run(compiled, inputs):
    names = {node.op for node in compiled.nodes}
    wrong = sum(op in names and "no-" + op.lower() not in _disabled for op in ("Relu", "Softplus"))
    return [(dtype, values + values.dtype.type(wrong)) for dtype, values in control.run(compiled, inputs)]
'''
"""The faulty compiler: a file, as a package would bring it."""

OPERATORS = ("Relu", "Softplus", "Sqrt", "Tanh", "Add", "Mul", "Sub", "Exp", "Transpose", "Concat", "Abs", "Max")
"""The operators of the programs: a part of them meets a fault."""

FAILURES = ("crash", "hang")
"""Kinds of findings of which each process stores two of a signature: how many there are depends on the processes."""

_FOR_GOOD_S = 120.0
"""Seconds after which a process that still runs is left behind."""

_START_S = 0.3, 8.0
"""A quarter of the kills come in this interval after the start of the command, in seconds."""

_RESULTS, _AFTER_S = 8, 2.0
"""The others come after at most this number of new results, and within these seconds after that."""


@dataclass
class Campaign:
    """A campaign in a folder, with the environment of its processes; ``mark`` finds them."""

    folder: Path
    workers: int
    cases: int
    mark: str = field(default_factory=lambda: f"POLYJUICE_KILLS={uuid.uuid4()}")

    @property
    def out(self) -> Path:
        """The campaign's folder."""
        return self.folder / "c"

    def command(self) -> subprocess.Popen[str]:
        """Begin or continue the campaign."""
        (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
        if (self.out / "campaign.sqlite").exists():
            options = ["--resume", str(self.out)]
        else:
            chosen = [text for operator in OPERATORS for text in ("--only-operator", operator)]
            options = ["--compiler", "faulty", "-n", str(self.cases), "--seed", "5", "--nodes", "5", *chosen]
            options += ["--seeds", "default", "--triage", "60s", "--workers", str(self.workers), "--out", str(self.out)]
        name, value = self.mark.split("=")
        path = os.pathsep.join([str(_installed(self.folder)), str(ROOT), os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-m", "polyjuice", "--config", "none", "fuzz", *options, "--json"],
            env={**os.environ, name: value, "PYTHONPATH": path, "TMPDIR": str(self.folder / "tmp")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def processes(self) -> list[str]:
        """The command lines of the campaign's processes that run now."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:  # it has ended, or belongs to somebody else
                continue
        return found

    def rows(self, query: str) -> list[Any]:
        """Rows of the campaign's database; none before there is one."""
        path = self.out / "campaign.sqlite"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path, 60)) as db:
            return db.execute(query).fetchall()

    def stored(self) -> dict[int, Any]:
        """The stored cases by index, with the seconds that they took, except those that must run once more."""
        once_more = {index for (index,) in self.rows("SELECT \"index\" FROM notes WHERE kind = 'postponed'")}
        rows = self.rows('SELECT "index", pairs, skipped, programs, seconds FROM cases')
        return {row[0]: row for row in rows if row[0] not in once_more}

    def results(self) -> dict[str, Any]:
        """The results that must not depend on interruptions."""
        found = self.rows(
            "SELECT f.folder, f.kind, f.signature, t.signature FROM findings f LEFT JOIN triaged t USING (folder)"
        )
        published = [json.loads(path.read_text()) for path in (self.out / "findings").glob("*/finding.json")]
        return {
            "cases": {index: row[1:4] for index, row in self.stored().items()},
            "rules": dict(self.rows("SELECT name, cases FROM rules")),
            "wrong results": sorted(row for row in found if row[1] not in FAILURES),
            "failures": sorted({row[1:] for row in found if row[1] in FAILURES}),
            "causes": sorted({row[3] for row in found if row[3]}),
            "published": sorted(record["cause"] for record in published),
            "faults of Polyjuice": self.rows("SELECT kind, text FROM notes WHERE kind IN ('defect', 'unsound')"),
        }

    @property
    def progress(self) -> int:
        """How many results are stored: of cases, and of triage."""
        tables = ("cases", "triaged", "sorted")
        return sum(count for table in tables for (count,) in self.rows(f"SELECT COUNT(*) FROM {table}"))

    @property
    def stage(self) -> str:
        """The state of the campaign so far."""
        done = len(self.stored())
        if not done:
            return "starting"
        return "cases" if done < self.cases else "triage alone"


def _installed(folder: Path) -> Path:
    """Write the faulty compiler as an installed package, and return the folder to import it from."""
    site = folder / "site"
    info = site / "polyjuice_faulty-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (site / "faulty_compiler.py").write_text(COMPILER)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: polyjuice-faulty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[polyjuice.compilers]\nfaulty = faulty_compiler\n")
    return site


def left_behind(campaign: Campaign) -> list[str]:
    """Processes and scratch folders that the killed campaign leaves behind for good."""
    end = time.monotonic() + _FOR_GOOD_S
    while True:
        found = [*campaign.processes(), *map(str, (campaign.folder / "tmp").glob("polyjuice-*"))]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.1)


def half_written(campaign: Campaign) -> Iterator[str]:
    """The damage in the campaign's folder: findings that are not whole, rows without a folder, the database."""
    for path in [*(campaign.out / "raw").glob("[!.]*"), *(campaign.out / "findings").glob("[!.]*/")]:
        for name in ("finding.json", "a.onnx", "b.onnx", "inputs.npz", "repro.py", "report.md"):
            if path.is_dir() and not (path / name).is_file():
                yield f"{path.relative_to(campaign.out)} has no {name}"
    for (name,) in campaign.rows("SELECT folder FROM findings"):
        if not (campaign.out / "raw" / name).is_dir():
            yield f"{name} has no folder"
    for (answer,) in campaign.rows("PRAGMA integrity_check"):
        if answer != "ok":
            yield f"the database: {answer}"


@dataclass
class Survived:
    """A campaign that was killed again and again, and how its end differs from that of the one left alone."""

    workers: int
    cases: int
    kills: Counter[str]
    raw: int
    causes: int
    problems: list[str]


def left_alone(folder: Path, workers: int, cases: int) -> tuple[dict[str, Any], float]:
    """The results of a campaign without a kill, and the seconds that it took."""
    campaign, began = Campaign(folder, workers, cases), time.monotonic()
    _, errors = (process := campaign.command()).communicate()
    if process.returncode != 1 or left_behind(campaign) or [*half_written(campaign)]:
        raise SystemExit(f"the campaign that was left alone ended with {process.returncode}: {errors}")
    return campaign.results(), time.monotonic() - began


def survive(
    folder: Path,
    workers: int,
    cases: int,
    kills: int,
    draw: random.Random,
    alone: dict[str, Any],
    number: signal.Signals = signal.SIGKILL,
) -> Survived:
    """Kill one campaign up to ``kills`` times, each time some seconds after it was begun or continued.

    With another ``number`` than that of SIGKILL, the command must end as after an interrupt.
    """
    expected = -signal.SIGKILL if number == signal.SIGKILL else 130
    campaign, stages, problems = Campaign(folder, workers, cases), Counter[str](), list[str]()
    before: dict[int, Any] = {}
    while True:
        progress, process, ended = campaign.progress, campaign.command(), False
        if stages.total() < kills:
            ended = not _reached(campaign, process, draw)
            if not ended:
                process.send_signal(number)
                stages[campaign.stage] += 1
        output, errors = process.communicate()
        ended = ended or process.returncode != expected
        if process.returncode == 130:
            problems += _untidy(campaign, output, errors, began=campaign.progress > progress)
        problems += [f"left behind: {one}" for one in left_behind(campaign)]
        problems += half_written(campaign)
        now = campaign.stored()
        problems += [f"case {index} was lost, or ran twice" for index, row in before.items() if now.get(index) != row]
        before = now
        if ended:
            break
    if process.returncode != 1:
        problems.append(f"the last command ended with {process.returncode}: {errors}")
    results = campaign.results()
    problems += [
        f"other {name}: {difference(alone[name], results[name])}" for name in alone if alone[name] != results[name]
    ]
    return Survived(
        workers, cases, stages, len(campaign.rows("SELECT 1 FROM findings")), len(results["causes"]), problems
    )


def _untidy(campaign: Campaign, output: str, errors: str, *, began: bool) -> Iterator[str]:
    """The faults of an interrupted command: files that it leaves, warnings, and no summary after it ``began``."""
    yield from (f"left behind: {path}" for path in (campaign.folder / "tmp").iterdir())
    if "Warning" in errors or "Traceback" in errors:
        yield f"it printed {errors}"
    if began and "tested" not in json.loads(output or "{}"):
        yield "it printed no summary"


def _reached(campaign: Campaign, process: subprocess.Popen[str], draw: random.Random) -> bool:
    """Wait for the random moment of a kill; whether the command still runs then."""
    early, wanted = draw.random() < 1 / 4, campaign.progress + draw.randint(1, _RESULTS)
    pause_s = draw.uniform(*_START_S) if early else draw.uniform(0.0, _AFTER_S)
    while not early and campaign.progress < wanted:
        if process.poll() is not None:
            return False
        time.sleep(0.05)
    try:
        process.wait(pause_s)
    except subprocess.TimeoutExpired:
        return True
    return False


def difference(alone: Any, killed: Any) -> str:
    """The first items that only one of two results has."""
    first, second = ([*(one.items() if isinstance(one, dict) else one)] for one in (alone, killed))
    lost, new = [one for one in first if one not in second], [one for one in second if one not in first]
    return f"{len(lost)} lost {lost[:2]}, {len(new)} new {new[:2]}"


def measure(
    folder: Path, kills: int, seed: int, cases: int, workers: Sequence[int], number: signal.Signals
) -> list[Survived]:
    """Spend the kills on campaigns of one process and of several in turn."""
    draw, found = random.Random(seed), list[Survived]()
    for count in workers:
        alone, seconds = left_alone(folder / f"alone-{count}", count, cases)
        share, campaigns = kills // len(workers), 0
        print(f"{count} workers: left alone {seconds:.0f} s, {len(alone['wrong results'])} wrong results", flush=True)
        while share > 0:
            one = survive(folder / f"{count}-{campaigns}", count, cases, share, draw, alone, number)
            found.append(one)
            share, campaigns = share - one.kills.total(), campaigns + 1
            print(one, flush=True)
    return found


def page(found: Sequence[Survived], command: str, number: signal.Signals = signal.SIGKILL) -> str:
    """The artifact."""
    total = sum((one.kills for one in found), Counter[str]())
    bad = sum(bool(one.problems) for one in found)
    lines = [
        "# Campaigns that were killed",
        "",
        f"`{command}` sent {number.name} to the main process of a campaign {total.total()} times, at random moments. "
        f"It continued the campaign with `--resume` each time. {bad or 'None'} of {len(found)} campaigns ended "
        "otherwise than one that was left alone.",
        "",
        "After each kill it checked that every process of the campaign and every scratch folder was gone. It checked "
        "that each finding was whole, and that the stored cases stayed as they were. At the end it compared all cases, "
        "how often each rule fired, all findings of wrong results with their causes, and the kinds of failures.",
        "",
        "| processes | cases | killed while starting | while cases ran | in triage alone "
        "| findings | causes | problems |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        stages = " | ".join(str(one.kills[name]) for name in ("starting", "cases", "triage alone"))
        lines.append(f"| {one.workers} | {one.cases} | {stages} | {one.raw} | {one.causes} | {len(one.problems)} |")
    lines += ["", *(f"- {counted(one.workers, 'process')}: {problem}" for one in found for problem in one.problems)]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Measure, and write the artifact."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--signal", default="KILL", choices=["KILL", "TERM", "INT", "HUP"])
    parser.add_argument("--out", type=Path, default=ARTIFACT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        number = signal.Signals[f"SIG{options.signal}"]
        found = measure(Path(folder), options.kills, options.seed, options.cases, options.workers, number)
    shown = "" if sys.argv[1:] == [] else " " + " ".join(sys.argv[1:])
    options.out.write_text(page(found, f"python benchmarks/kills.py{shown}", number), "utf-8")
    sys.exit(any(one.problems for one in found))


if __name__ == "__main__":
    main()
