"""The command `polyjuice` as a user runs it, and the files that it writes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import parser

from polyjuice.cli import run as run_command
from tests.support import in_process

ROOT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("polyjuice")
MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x, float[3,4] w) => (float[3,4] y) { s = Add(x, w) r = Relu(s) y = Mul(r, w) }"""

PLAIN = ("--extract", "original", "--oracle", "differential")
"""Options for cases that take a third of the usual time: nothing is rewritten, and each case is one generated graph."""

ONE_RULE = ("--only-rule", "relu-as-half-sum")
"""The one rule relu(x) = (x + |x|) / 2. The e-graph need not read 900 rules, and MODEL still has variants."""


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def polyjuice(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, processes: bool = False
) -> Done:
    """Run the command to its end in this process, which has already imported all that commands import.

    Compilers that tests have written run in this process, too, unless with ``processes`` (see `in_process`).
    """
    before = set(sys.modules)
    with (
        nullcontext() if processes else in_process.everything(),
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(io.StringIO()) as stdout,
        redirect_stderr(io.StringIO()) as stderr,
    ):
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        for folder in reversed(os.environ.get("PYTHONPATH", "").split(os.pathsep)):
            patch.syspath_prepend(folder or str(ROOT))
        if cwd:
            patch.chdir(cwd)
        patch.setattr(sys, "argv", ["polyjuice", *map(str, arguments)])
        try:
            run_command()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
    for name in set(sys.modules) - before:  # a model's module, because another test has another with its name
        if cwd and str(getattr(sys.modules[name], "__file__", None)).startswith(str(cwd)):
            del sys.modules[name]
    return Done(status, stdout.getvalue(), stderr.getvalue())


def polyjuice_alone(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 500
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        cwd=cwd,
    )


def fuzz(
    out: Path, *arguments: object, env: Mapping[str, str] | None = None, processes: bool = False
) -> tuple[int, dict[str, Any]]:
    """Run a campaign of one process in `out`, without triage unless the arguments ask for it.

    Returns its exit status and its summary from --json. ``processes`` is that of `polyjuice`.
    """
    command = ("fuzz", "--out", out, "--triage", "0s", "--workers", 1, *arguments, "--json")
    done = polyjuice(*command, env=env, processes=processes)
    assert done.stdout, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, summary


def save_model(path: Path, text: str = MODEL) -> Path:
    onnx.save(parser.parse_model(text), path)
    return path


def refusal(
    *arguments: object,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    command: str = "fuzz",
    processes: bool = False,
) -> str:
    done = polyjuice(command, *arguments, env=env, cwd=cwd, processes=processes)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("polyjuice: ")
    return done.stderr.removeprefix("polyjuice: ").rstrip("\n")


def run(*arguments: object, env: Mapping[str, str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **env},
        cwd=cwd,
    )


def findings(campaign: Path) -> list[Path]:
    return sorted((campaign / "raw").iterdir())


def record(finding: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((finding / "finding.json").read_text())
    return read
