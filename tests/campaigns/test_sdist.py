"""The source distribution holds what a build needs and nothing large, and tests a compiler far from the repository."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIP = ("-m", "pip", "install", "-qq", "--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt"))

BUILD = "import sys; from hatchling.build import build_sdist; print(build_sdist(sys.argv[1]))"
"""Build as pip's frontends do, by the hook of the build backend."""

LARGEST = 2**20
"""The most bytes of a file, so that no result of a measurement slips in."""


@pytest.mark.long
def test_the_source_distribution_tests_a_compiler_outside_of_the_repository(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    venv.create(tmp_path / "builder", with_pip=True)
    builder = tmp_path / "builder/bin/python"
    subprocess.run([builder, *PIP, "hatchling"], check=True, env=environment)
    (tmp_path / "dist").mkdir()
    subprocess.run([builder, "-c", BUILD, tmp_path / "dist"], check=True, cwd=ROOT, env=environment)
    (archive,) = (tmp_path / "dist").iterdir()

    with tarfile.open(archive) as opened:
        sizes = {member.name.partition("/")[2]: member.size for member in opened.getmembers() if member.isfile()}
    needed = {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "polyjuice/py.typed"}
    assert needed <= sizes.keys()
    assert {f"rules/{path.name}" for path in (ROOT / "rules").glob("*.egg")} <= sizes.keys()
    tops = {name.partition("/")[0] for name in sizes if "/" in name}
    assert tops == {"polyjuice", "rules", "tests"}, "neither campaigns nor artifacts belong there"
    assert [name for name in sizes if name.endswith((".sqlite", ".pyc"))] == []
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}

    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, *PIP, archive], check=True, env=environment)
    command = [python.with_name("polyjuice"), "fuzz", "--compiler", "numpy", "-n", "5", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tested"] == 5
