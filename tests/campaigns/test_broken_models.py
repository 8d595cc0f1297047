"""Commands answer broken models, findings, suites and campaigns in one line: no traceback, no hang, no stray file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.broken.commands import COMMANDS, Command
from polyjuice import formats
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from tests.support.commands import ROOT, polyjuice


def answered(folder: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """Run the driver for broken models."""
    command = [sys.executable, ROOT / "benchmarks/broken/run.py", "--out", folder, *options]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT)


def test_commands_refuse_some_broken_models(tmp_path: Path) -> None:
    done = answered(tmp_path, "-n", 6, "--kind", "model")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [c for c in COMMANDS["model"] if c.arguments], ids=lambda c: c.name)
def test_commands_read_a_model_that_is_not_broken(tmp_path: Path, command: Command) -> None:
    """Else the answers to broken ones would say nothing."""
    build = GraphBuilder()
    formats.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "model.onnx")
    assert command.arguments is not None
    done = polyjuice(*command.arguments(tmp_path, tmp_path / "out"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_commands_refuse_a_thousand_broken_models(tmp_path: Path) -> None:
    done = answered(tmp_path, "-n", 1000, "--workers", 2)
    assert done.returncode == 0, done.stdout + done.stderr
