"""The Makefile: the packages that a fresh clone installs. Make only prints its commands here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def installed(clone: Path, *arguments: str) -> list[str]:
    """The extras that a target would install, as in the arguments of pip."""
    done = subprocess.run(["make", "-n", *arguments], cwd=clone, capture_output=True, text=True, check=True)
    return [line.split()[-1].strip("'.[]") for line in done.stdout.splitlines() if " pip install " in line]


def test_each_target_installs_what_it_needs_and_nothing_twice(tmp_path: Path) -> None:
    for name in ("Makefile", "constraints.txt", "pyproject.toml", "scripts/check_python.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert installed(tmp_path, "fuzz") == ["inductor,report"]
    assert installed(tmp_path, "fuzz", "ARGS=--seeds model.onnx --compiler=tvm") == ["tvm,report"]
    assert installed(tmp_path, "fuzz", "ARGS=--compiler numpy") == ["report"]
    assert installed(tmp_path, "fuzz", "ARGS=--resume campaigns/last") == ["all,dev"]
    assert installed(tmp_path, "test") == ["all,dev"]
    (tmp_path / ".venv").mkdir()
    for mark in (".made", ".ready"):
        (tmp_path / ".venv" / mark).touch()
    assert installed(tmp_path, "fuzz", "ARGS=--compiler tvm") == []
