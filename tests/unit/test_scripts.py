"""The scripts that `make` runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_timed_counts_processes_that_outlive_the_command_and_keeps_its_status() -> None:
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    command = ["sh", "-c", f"{sys.executable} -c '{busy}' & exit 3"]
    program = f"from scripts import timed; print(*timed.run({command}))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    status, _, processor = map(float, done.stdout.split())
    assert status == 3
    assert processor >= 0.5


@pytest.mark.long
def test_trace_case_counts_what_a_case_passes_through() -> None:
    command = [sys.executable, "scripts/trace_case.py", "--compiler", "numpy", "--index", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    counts = re.fullmatch(
        r"preparing to confirming: (\d+) files, (\d+) functions, (\d+) kinds of records\n", done.stdout
    )
    assert counts
    assert all(int(count) > 20 for count in counts.groups())
