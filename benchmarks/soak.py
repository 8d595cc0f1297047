"""Run long campaigns by turns for hours, and watch what they need: memory, processes, temporary files, the disk.

    python benchmarks/soak.py --folder FOLDER              until there are eight hours; continues where it stopped
    python benchmarks/soak.py --folder FOLDER --table      write the table of what there is, and run nothing

Each compiler has one campaign in the folder. A turn continues it and ends it by an interrupt. A sample is taken each
half minute. ``artifacts/soak.json`` has a row for each compiler and hour, ``artifacts/soak.md`` the table.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import groupby
from pathlib import Path
from statistics import median_high
from typing import Any

import psutil

from benchmarks.background import run_in_background

RESULTS = Path(__file__).resolve().parents[1] / "artifacts"
COMPILERS = ("onnxruntime", "inductor")
TURN_S, SAMPLE_S, HOUR_S = 1800.0, 30.0, 3600.0
ENDING_S = 600.0
"""The seconds that an interrupted campaign has to end."""

_MIB = 2**20

Sample = dict[str, Any]
"""``compiler``, ``seed``, ``at`` (the seconds for which its campaign has run), and what `measured` returns."""


def main() -> None:
    """Take turns, at the lowest priority, until the hours are over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="for campaigns, outside of the repository")
    parser.add_argument("--hours", type=float, default=8.0, help="of all compilers together")
    parser.add_argument("--table", action="store_true", help="run nothing")
    options = parser.parse_args()
    run_in_background()
    rows = _by_key(stored())
    with suppress(KeyboardInterrupt):
        while not options.table and sum(row["minutes"] for row in rows.values()) < 60 * options.hours:
            spent = {
                name: sum(row["minutes"] for row in rows.values() if row["compiler"] == name) for name in COMPILERS
            }
            compiler = min(COMPILERS, key=spent.__getitem__)
            try:
                for _ in turn(options.folder.resolve(), compiler):
                    rows |= _by_key(by_hour(options.folder))
            finally:
                write([*rows.values()])
    write([*rows.values()])


def turn(folder: Path, compiler: str) -> Iterator[Sample]:
    """Continue the campaign of a compiler for a turn; yield samples, which are stored in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    campaign, samples = folder / compiler, folder / f"{compiler}.jsonl"
    there = (campaign / "campaign.sqlite").exists()
    options = ["--resume", campaign] if there else [*_BEGIN, "--compiler", compiler, "--out", campaign]
    earlier = [json.loads(line) for line in samples.read_text().splitlines()] if samples.exists() else []
    seed = earlier[0]["seed"] if earlier else secrets.randbelow(2**31)
    options += [] if there else ["--seed", seed]
    before = earlier[-1]["at"] if earlier else 0.0
    command = [sys.executable, "-m", "polyjuice", "--config", "none", "fuzz", *map(str, options)]
    with open(folder / f"{compiler}.log", "a", encoding="utf-8") as log:
        process = psutil.Popen(
            command, stdout=log, stderr=log, cwd=folder, env={**os.environ, "TMPDIR": str(temporary)}
        )
    began = time.monotonic()
    try:
        while process.poll() is None and time.monotonic() - began < TURN_S:
            time.sleep(SAMPLE_S)
            sample = {"compiler": compiler, "seed": seed, "at": round(before + time.monotonic() - began)}
            sample |= measured(process, campaign, temporary)
            with samples.open("a") as file:
                file.write(json.dumps(sample) + "\n")
            yield sample
    finally:
        with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
            process.send_signal(signal.SIGINT)
            process.wait(ENDING_S)
        with suppress(psutil.NoSuchProcess):
            process.kill()


_BEGIN = ("--time", "1000h", "--workers", "1")


def measured(process: psutil.Process, campaign: Path, temporary: Path) -> Sample:
    """What a campaign needs now, and what it has done so far."""
    processes = []
    with suppress(psutil.Error):
        processes = [process, *process.children(recursive=True)]
    sizes = []
    for one in processes:
        with suppress(psutil.Error):
            sizes.append(round(one.memory_full_info().pss / _MIB))
    count, size = _files(temporary)
    cases, programs, causes, died = _counts(campaign / "campaign.sqlite")
    return {
        "memory_mib": sum(sizes),
        "driver_mib": sizes[0] if sizes else 0,
        "largest_mib": max(sizes[1:], default=0),
        "processes": len(processes),
        "temporary_files": count,
        "temporary_mib": round(size / _MIB),
        "disk_mib": round(_files(campaign)[1] / _MIB),
        "cases": cases,
        "programs": programs,
        "causes": causes,
        "died": died,
    }


def _files(folder: Path) -> tuple[int, int]:
    """The number of files in a folder, and their bytes."""
    sizes = []
    for inner, _, names in os.walk(folder):  # which passes over folders that vanish
        for name in names:
            with suppress(OSError):
                sizes.append((Path(inner) / name).lstat().st_size)
    return len(sizes), sum(sizes)


def _counts(database: Path) -> tuple[int, int, int, int]:
    """The cases, programs, causes, and deaths of processes so far."""
    if not database.exists():
        return 0, 0, 0, 0
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=60)) as db:
        cases, programs = db.execute("SELECT COUNT(*), SUM(json_extract(result, '$.programs')) FROM cases").fetchone()
        (causes,) = db.execute("SELECT COUNT(DISTINCT cause) FROM findings").fetchone()
        died = db.execute("SELECT value FROM meta WHERE key = 'died'").fetchone()
    return cases, programs or 0, causes, int(died[0]) if died else 0


def by_hour(folder: Path) -> Iterator[Mapping[str, Any]]:
    """A row for each compiler and hour of its campaign."""
    for path in sorted(folder.glob("*.jsonl")):
        samples = [json.loads(line) for line in path.read_text().splitlines()]
        last = dict.fromkeys(("at", "programs", "causes", "died"), 0)
        for hour, group in groupby(samples, key=lambda one: int(one["at"] // HOUR_S)):
            rows = list(group)
            end = rows[-1]
            yield {
                "compiler": end["compiler"],
                "seed": end["seed"],
                "hour": hour + 1,
                "minutes": round((end["at"] - last["at"]) / 60),
                "memory_mib": [median_high(row["memory_mib"] for row in rows), max(row["memory_mib"] for row in rows)],
                "driver_mib": max(row["driver_mib"] for row in rows),
                "largest_mib": max(row["largest_mib"] for row in rows),
                "processes": max(row["processes"] for row in rows),
                "temporary_files": max(row["temporary_files"] for row in rows),
                "temporary_mib": max(row["temporary_mib"] for row in rows),
                "disk_mib": end["disk_mib"],
                "programs_per_s": round((end["programs"] - last["programs"]) / max(end["at"] - last["at"], 1), 2),
                "new_causes": end["causes"] - last["causes"],
                "died": end["died"] - last["died"],
            }
            last = end


def _by_key(rows: Iterable[Mapping[str, Any]]) -> dict[Any, Mapping[str, Any]]:
    return {(row["compiler"], row["seed"], row["hour"]): row for row in rows}


def stored() -> list[dict[str, Any]]:
    """The rows that are stored."""
    path = RESULTS / "soak.json"
    found: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
    return found


_HEADS = (
    *("compiler", "seed", "hour", "minutes", "MiB", "most", "driver", "other", "processes", "temporary files"),
    *("their MiB", "campaign MiB", "programs/s", "new causes", "deaths"),
)


def write(rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the rows, and the table of them."""
    rows = [row for _, row in sorted(_by_key(rows).items())]
    (RESULTS / "soak.json").write_text(json.dumps(rows, indent=1) + "\n")
    hours = sum(row["minutes"] for row in rows) / 60
    lines = [
        "# Campaigns over hours",
        "",
        f"`make soak` has run {hours:.1f} hours, with one process at the lowest priority beside other work.",
        "Memory is the proportional set size of all processes of a campaign: the median and the most of an hour.",
        "Then come the most of the driver, and of any other process.",
        "",
        f"| {' | '.join(_HEADS)} |",
        "|---" * len(_HEADS) + "|",
    ]
    for row in rows:
        middle, most = row["memory_mib"]
        cells = [row["compiler"], row["seed"], row["hour"], row["minutes"], middle, most]
        cells += [row[name] for name in ("driver_mib", "largest_mib", "processes")]
        cells += [row[name] for name in ("temporary_files", "temporary_mib", "disk_mib", "programs_per_s")]
        lines.append("| " + " | ".join(map(str, [*cells, row["new_causes"], row["died"]])) + " |")
    (RESULTS / "soak.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
