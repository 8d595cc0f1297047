"""The command `polyjuice` as a user runs it, in a process of its own, and what it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from onnx import parser

COMMAND = Path(sys.executable).with_name("polyjuice")
MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x, float[3,4] w) => (float[3,4] y) { s = Add(x, w) r = Relu(s) y = Mul(r, w) }"""


def polyjuice(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = 200
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        cwd=cwd,
    )


def fuzz(out: Path, *arguments: object, env: Mapping[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """Run a campaign in `out`, which leaves findings as they are: its exit status and what it says with --json."""
    done = polyjuice("fuzz", "--out", out, "--triage", "0s", *arguments, "--json", env=env)
    assert done.stdout, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, summary


def save_model(path: Path, text: str = MODEL) -> Path:
    onnx.save(parser.parse_model(text), path)
    return path


def refusal(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, command: str = "fuzz"
) -> str:
    done = polyjuice(command, *arguments, env=env, cwd=cwd)
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
        timeout=100,
        env={**os.environ, **env},
        cwd=cwd,
    )


def findings(campaign: Path) -> list[Path]:
    """All that a campaign found, as it was met."""
    return sorted((campaign / "raw").iterdir())


def record(finding: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((finding / "finding.json").read_text())
    return read
