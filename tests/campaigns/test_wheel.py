"""The wheel installs into an empty environment, and tests a compiler far from the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUIET = ("-qq", "--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt"))


@pytest.mark.long
def test_the_wheel_tests_a_compiler_outside_of_the_repository(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "-qq", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT], check=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", *QUIET, f"{wheel}[onnxruntime]"], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python.with_name("polyjuice"), "fuzz", "--compiler", "onnxruntime", "-n", "20", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["tested"] == 20
