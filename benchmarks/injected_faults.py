"""Measure how a campaign answers each fault of tests/support/faults.py: artifacts/injected-faults.md.

    .venv/bin/python benchmarks/injected_faults.py                  measure this tree
    .venv/bin/python benchmarks/injected_faults.py FAULT ...        measure these faults alone
    .venv/bin/python benchmarks/injected_faults.py --before TREE    measure an older tree, for the column "before"

Each fault has a campaign of its own: the program with the fault, and two without. Faults in packs have a pack of eight
programs. The figures are in artifacts/injected-faults.json.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support import faults  # noqa: E402
from tests.support.faults import QUICK  # noqa: E402

DATA = ROOT / "artifacts" / "injected-faults.json"
TABLE = DATA.with_suffix(".md")
HOPELESS_S = 300
PACK = 8
"""The programs of a pack."""

IN_PACKS = {f"{name}, in a pack of {PACK}": operator for operator, name in faults.PACKED.items()}
"""Each fault in a pack, with the operator that meets it."""

HEAD = """# Injected faults

A compiler has one fault on one program, and is right on the two others, or on the rest of a pack. A pack that fails is
halved until the program with the fault is alone. "Before" is version 0.2.0. Each answer says:

- the exit status of the campaign (1: a finding, 3: an internal error);
- what the campaign recorded about the case with the fault;
- how many of the other cases it tested;
- how many processes were left behind.

A compilation may take five seconds ("before": one second). `benchmarks/injected_faults.py` makes this table. The tests
put all faults into one campaign. They are in `tests/campaigns/test_injected_faults.py`: `[quick]` is
`test_a_campaign_survives_faults`, `[long]` is `test_a_campaign_survives_all_faults_and_confirms_them`, and `[packs]` is
`test_a_fault_in_a_pack_costs_one_case`.

| fault | before | now | test |
|---|---|---|---|
"""

TAIL = """
These faults have tests and no campaign of their own here:

| fault | test |
|---|---|
| a process of the campaign is killed each time | `test_a_case_that_kills_its_process_each_time_is_given_up` |
| the disk of the campaign is full, at nine moments | `tests/campaigns/test_full_disk.py` |
| the disk of temporary files, or of the cache, is full | `tests/campaigns/test_full_disk.py` |
| the worker and its children hold too much memory | `tests/unit/test_worker_isolation.py` |
| the temporary folder grows | `tests/unit/test_worker_isolation.py` |
| a worker is killed while it is idle | `tests/unit/test_worker_isolation.py` |
| a fork of the compiler's process returns from the compiler | `tests/unit/test_worker_isolation.py` |
"""


def measured(tree: Path, name: str) -> str:
    """Run a campaign with one fault on the code in a tree, and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="injected-") as folder:
        work = Path(folder)
        held = work / "held"
        os.mkfifo(held)
        end = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
        if name in IN_PACKS:
            operators = {IN_PACKS[name]: faults.PACKED[IN_PACKS[name]]}
            arguments, names = faults.generated(operators, PACK)
            arguments += ["--pack", PACK]
        else:
            operators, names = {}, [name, "", ""]
            models = faults.models(work / "models", names)
            arguments = ["-n", 3, *(part for model in models for part in ("--seeds", model))]
        env = faults.compiler(work / "compiler", str(held), operators)
        mark = f"{uuid.uuid4()}"
        env = {**os.environ, **env, "PYTHONPATH": f"{tree}:{env['PYTHONPATH']}", "POLYJUICE_TEST_MARK": mark}
        command = [sys.executable, "-m", "polyjuice", "fuzz", "--compiler", "fake", "--workers", "1"]
        command += ["--extract", "original", "--oracle", "crash,differential", "--triage", "0s", "--timeout", "5"]
        command += [*map(str, arguments), "--out", str(work / "out")]
        process = subprocess.Popen(
            command, env=env, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        try:
            process.communicate(timeout=HOPELESS_S)
            status = f"status {process.returncode}"
        except subprocess.TimeoutExpired:
            status = f"no end in {HOPELESS_S} s"
        left = remaining(mark) if status.startswith("status") else []
        for pid in [*left, process.pid, *remaining(mark)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        os.close(end)
        return f"{status}; {recorded(work / 'out', names)}" + (f"; {len(left)} processes left behind" if left else "")


def remaining(mark: str) -> list[int]:
    """The processes of a campaign that are still there after two seconds."""
    deadline = time.monotonic() + 2
    while True:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


def recorded(out: Path, names: list[str]) -> str:
    """Say what the database has about the case with the fault, and about the others, whose names are empty."""
    if not (out / "campaign.sqlite").exists():
        return "no campaign"
    faulty = next(index for index, name in enumerate(names) if name)
    with sqlite3.connect(out / "campaign.sqlite") as db:
        cases = dict(db.execute('SELECT "index", skipped FROM cases WHERE pairs > 0 OR skipped != ""').fetchall())
        said = [
            json.loads(record)["message"]
            for (record,) in db.execute('SELECT record FROM findings WHERE "index" = ?', [faulty])
        ]
        said += [
            f"{kind}: {text.strip().splitlines()[-1]}"
            for kind, text in db.execute('SELECT kind, text FROM notes WHERE "index" IN (-1, ?)', [faulty])
        ]
        first = "; ".join(said) or (cases.get(faulty, "not tested") or "tested, no finding")
    tested = sum(not name and cases.get(index) == "" for index, name in enumerate(names))
    return f"{' '.join(first.split())[:140]}; {tested} of {len(names) - 1} others tested"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("faults", nargs="*", metavar="FAULT")
    options.add_argument("--before", type=Path)
    given = options.parse_args()
    before = given.before
    column = "before" if before else "now"
    data = json.loads(DATA.read_text()) if DATA.exists() else {"before": {}, "now": {}}
    for name in given.faults or (*faults.FAULTS, *IN_PACKS):
        data[column][name] = measured((before or ROOT).resolve(), name)
        print(f"{name}: {data[column][name]}", flush=True)
        DATA.write_text(json.dumps(data, indent=1) + "\n")
    write_table(data)


def write_table(data: dict[str, dict[str, str]]) -> None:
    """Write the table of what was measured."""
    rows = [
        [f"`{name}`", *(f"`{data[which].get(name, 'not measured')}`" for which in ("before", "now")), tests_of(name)]
        for name in (*faults.FAULTS, *IN_PACKS)
    ]
    TABLE.write_text(HEAD + "".join("| " + " | ".join(row) + " |\n" for row in rows) + TAIL)


def tests_of(name: str) -> str:
    """The tests of a fault."""
    return "packs" if name in IN_PACKS else "quick, long" if name in QUICK else "long"


if __name__ == "__main__":
    main()
