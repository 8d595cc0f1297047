"""Hunt for bugs for hours: one compiler after another, one worker, at the lowest priority.

    python benchmarks/hunt/run.py                            until you interrupt it; continues where it stopped
    python benchmarks/hunt/run.py --turns 2 --minutes 10     two turns of ten minutes
    python benchmarks/hunt/run.py --turns 0                  write the stored results, and run nothing
    python benchmarks/hunt/run.py --compilers inductor --python inductor=PATH
                                                             an interpreter that has another release

A turn is a campaign of ``polyjuice fuzz`` with its own seed. Known bugs are counted, not reported. Next comes the pair
of a compiler and a strategy of ``--seeds`` with the fewest turns. Campaigns stay in a folder outside of the repository,
beside ``hunt.json``, which lists the turns. An interrupted turn continues before another begins. An ended turn is never
repeated. Several hunts may run at once, each in a ``--folder`` of its own.

Each turn merges its findings into ``artifacts/hunt/hunt.json``, and writes ``README.md`` there. ``verdicts.toml`` there
says what a person found out about causes.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import count, product
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from benchmarks.background import run_in_background
from benchmarks.hunt import table
from benchmarks.hunt.table import Result
from polyjuice import compilers
from polyjuice.campaign.kinds import MIXED
from polyjuice.execution import probe

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "artifacts" / "hunt"

ENDED = (0, 1, 3)
"""The exit statuses of ``polyjuice fuzz`` after a campaign that ran to its end."""

USAGE = 2

Turn = dict[str, Any]
"""``compiler``, ``seeds``, ``seed``, ``reach`` and ``python`` (options); in the end ``result`` or ``problem``."""


def main() -> None:
    """Hunt, until the end or an interrupt, at the lowest priority."""
    options = parsed(sys.argv[1:])
    run_in_background()
    try:
        hunt(options)
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command continues")


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=data / "polyjuice" / "hunt", help="where campaigns are kept")
    parser.add_argument("--compilers", help="separated by commas (default: all that are installed)")
    parser.add_argument("--seeds", default=MIXED, help="strategies that make seed graphs, taken in turn")
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        type=interpreter,
        metavar="COMPILER=PATH",
        help="an interpreter that has the compiler",
    )
    parser.add_argument("--minutes", type=float, default=10, help="the time for cases in a turn")
    parser.add_argument("-n", type=int, dest="cases", help="the number of cases in a turn, instead of a time")
    parser.add_argument("--turns", type=int, help="how many turns to run (default: without end)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for the findings")
    return parser.parse_args(arguments)


def interpreter(text: str) -> tuple[str, str]:
    """Return the compiler and the path of ``COMPILER=PATH``. Raises ArgumentTypeError."""
    compiler, _, path = text.partition("=")
    if compiler not in compilers.names() or not path:
        names = ", ".join(compilers.names())
        raise argparse.ArgumentTypeError(f"{text}: give COMPILER=PATH, where COMPILER is one of {names}")
    return compiler, path


def hunt(options: argparse.Namespace) -> None:
    """Take turns, and write all results after each."""
    options.folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(options.folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SystemExit(f"{options.folder}: another process hunts there") from None
    with lock:
        path = options.folder / "hunt.json"
        turns: list[Turn] = read(path, [])
        write_results(options.results, turns)
        taking = options.compilers.split(",") if options.compilers else installed(dict(options.python))
        for _ in count() if options.turns is None else range(options.turns):
            if not turns or has_ended(turns[-1]):
                if not taking:
                    raise SystemExit("no compiler is left that can run")
                turns.append(next_turn(turns, taking, options))
                write(path, turns)
            take(turns[-1], options.folder)
            write(path, turns)
            write_results(options.results, turns)
            if "problem" in turns[-1]:
                taking = [name for name in taking if name != turns[-1]["compiler"]]


def installed(pythons: Mapping[str, str]) -> list[str]:
    """Return the compilers that can be used here or in their interpreters, without the controls."""
    names = [name for name in compilers.names() if not compilers.find(name).control]
    return [name for name in names if probe(name, pythons.get(name, sys.executable))["available"]]


def next_turn(turns: Sequence[Turn], taking: Sequence[str], options: argparse.Namespace) -> Turn:
    """Return a turn for the compiler and source of seed graphs with the fewest turns so far."""
    had = [(turn["seeds"], turn["compiler"]) for turn in turns]
    seeds, compiler = min(product(options.seeds.split(","), taking), key=had.count)
    reach = ["-n", str(options.cases)] if options.cases else ["--time", f"{options.minutes * 60:.0f}s"]
    path = dict(options.python).get(compiler)
    turn = {"compiler": compiler, "seeds": seeds, "seed": secrets.randbits(31), "reach": reach}
    return {**turn, "python": ["--python", path] if path else []}


def has_ended(turn: Turn) -> bool:
    """Whether a turn has ended, with a result or a problem."""
    return "result" in turn or "problem" in turn


def take(turn: Turn, folder: Path) -> None:
    """Begin or continue the turn's campaign. The turn gets a ``result``, or a ``problem`` if it cannot run."""
    campaign = folder / f"{turn['compiler']}-{turn['seeds']}-{turn['seed']}"
    if (campaign / "campaign.sqlite").exists():
        with FileLock(campaign / "lock"):  # wait: if only the hunt was killed, the campaign still runs
            pass
        arguments = ["--resume", campaign, *turn["reach"]]
    else:
        fixed = ["--compiler", turn["compiler"], "--seeds", turn["seeds"], "--seed", turn["seed"], "--workers", 1]
        arguments = [*fixed, *turn["python"], *turn["reach"], "--out", campaign]
    print(f"polyjuice fuzz {' '.join(map(str, arguments))}", file=sys.stderr, flush=True)
    status, summary = fuzz(arguments)
    if status in ENDED or (status == USAGE and summary):
        turn["result"] = result(turn, json.loads(summary), campaign)
    elif status == USAGE:
        turn["problem"] = "polyjuice fuzz did not begin: it ended with status 2"
    else:
        raise SystemExit(f"polyjuice fuzz ended with status {status}; the same command continues")


def fuzz(arguments: Sequence[object]) -> tuple[int, str]:
    """Run ``polyjuice fuzz``; return its status and output. An interrupt of the hunt also interrupts it."""
    command = [sys.executable, "-m", "polyjuice", "fuzz", *map(str, arguments), "--json"]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    env = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, process_group=0)
    try:
        output, _ = process.communicate()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    return process.returncode, output


def result(turn: Turn, summary: dict[str, Any], campaign: Path) -> Result:
    """Return the result of an ended campaign."""
    return {
        **{name: turn[name] for name in ("compiler", "seeds", "seed")},
        **{name: summary[name] for name in ("version", "known", *table.COUNTS)},
        "ended": round(time.time()),
        "causes": causes_in(campaign),
    }


def causes_in(campaign: Path) -> list[dict[str, Any]]:
    """Return each cause in a campaign's folder: its ``signature``, raw findings, ``title``, and what ``found`` it."""
    with closing(sqlite3.connect(campaign / "campaign.sqlite")) as store:
        cases = dict(store.execute('SELECT "index", result FROM cases'))
    return [
        {
            "signature": signature(record),
            "raw": 1 + record["more"],
            "title": record["message"].splitlines()[0],
            "found": means(record, json.loads(cases[record["index"]])),
        }
        for record in records_in(campaign)
    ]


def records_in(campaign: Path) -> list[dict[str, Any]]:
    """Return the records of a campaign's findings, one for each cause."""
    return [read(path, {}) for path in sorted((campaign / "findings").glob("*/finding.json"))]


def signature(record: dict[str, Any]) -> str:
    """Return what findings with one cause have in common: the cause, where triage found it, or else the signature."""
    common: str = record["cause"] or record["signature"]
    return common


def means(record: dict[str, Any], case: dict[str, Any]) -> dict[str, str]:
    """Return what found a cause, from a finding's record and its case: see the page's section."""
    aimed = "near miss" if case["changes"] else "pattern" if case["part"] else "no part"
    sides = "pair" if record["b"] else "one program"
    return {"program": aimed, "oracle": record["oracle"], "sides": sides, "profile": record["profile"]}


# --- what was found ---------------------------------------------------------------------------------------------------


def write_results(folder: Path, turns: Iterable[Turn]) -> None:
    """Merge the turns' results into those of the folder, and write its page."""
    path = folder / "hunt.json"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # of another hunt
        known = merged(read(path, []), [turn["result"] for turn in turns if "result" in turn])
        if known:
            write(path, known)
            (folder / "README.md").write_text(
                table.text(known, table.Verdicts(folder / "verdicts.toml")), encoding="utf-8"
            )


def merged(before: Iterable[Result], anew: Iterable[Result]) -> list[Result]:
    """Return the results of all campaigns, sorted, each campaign once; the later result counts."""
    once = {table.identity(result): result for result in (*before, *anew)}
    return sorted(once.values(), key=table.identity)


def read(path: Path, default: Any) -> Any:
    """Return the JSON value in a file, or the default if there is no file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else default


def write(path: Path, value: Any) -> None:
    """Write a value as a JSON file, completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}")
    staged.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    staged.replace(path)


if __name__ == "__main__":
    main()
