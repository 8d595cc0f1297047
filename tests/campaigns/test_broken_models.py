"""Commands answer broken models, findings, suites and campaigns in one line: no traceback, no hang, no stray file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import ROOT


def answered(folder: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """Run the driver for broken models."""
    command = [sys.executable, ROOT / "benchmarks/broken/run.py", "--out", folder, *options]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT)


def test_commands_refuse_some_broken_models(tmp_path: Path) -> None:
    done = answered(tmp_path, "-n", 6, "--kind", "model")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_commands_refuse_a_thousand_broken_models(tmp_path: Path) -> None:
    done = answered(tmp_path, "-n", 1000, "--workers", 2)
    assert done.returncode == 0, done.stdout + done.stderr
