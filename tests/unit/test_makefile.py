"""The Makefile: the packages that a fresh clone installs. Make only prints its commands here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the files that Make reads."""
    for name in ("Makefile", "constraints.txt", "pyproject.toml", "scripts/check_python.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def installed(clone: Path, *arguments: str) -> list[str]:
    """The extras that a target would install, as in the arguments of pip."""
    done = subprocess.run(["make", "-n", *arguments], cwd=clone, capture_output=True, text=True, check=True)
    return [
        word.strip("'.[]") for line in done.stdout.splitlines() if " pip install " in line for word in line.split()[-1:]
    ]


@pytest.mark.parametrize(
    ("arguments", "extras"),
    [
        ("--compiler onnxruntime -n 5", "onnxruntime,report"),
        ("--seeds model.onnx --compiler=tvm", "tvm,report"),
        ("--compiler eager", "inductor,report"),
        ("--compiler numpy", "report"),
        ("--resume campaigns/last", "all,dev"),
    ],
)
def test_make_fuzz_installs_what_its_compiler_needs(clone: Path, arguments: str, extras: str) -> None:
    assert installed(clone, "fuzz", f"ARGS={arguments}") == [extras]


def test_make_fuzz_alone_installs_torch_and_the_tests_install_all(clone: Path) -> None:
    assert installed(clone, "fuzz") == ["inductor,report"]
    assert installed(clone, "test") == ["all,dev"]


def test_nothing_is_installed_twice(clone: Path) -> None:
    (clone / ".venv").mkdir()
    for mark in (".made", ".ready"):
        (clone / ".venv" / mark).touch()
    assert installed(clone, "fuzz", "ARGS=--compiler tvm") == []
