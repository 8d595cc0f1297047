"""The wheel and the source distribution install into an empty environment, and test a compiler there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.commands import ROOT

pytestmark = pytest.mark.long

PIP = ("-m", "pip", "install", "-qq", "--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt"))

BUILD = "import sys; from hatchling.build import build_sdist; print(build_sdist(sys.argv[1]))"
"""Build as pip's frontends do, by the hook of the build backend."""

LARGEST = 2**20
"""The most bytes of a file, so that no result of a measurement slips in."""


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def assert_tests(folder: Path, requirement: str, compiler: str, environment: Mapping[str, str]) -> None:
    """Install Polyjuice into a new environment, and run a campaign."""
    venv.create(folder / "env", with_pip=True)
    python = folder / "env/bin/python"
    subprocess.run([python, *PIP, requirement], check=True, env=environment)
    command = [python.with_name("polyjuice"), "fuzz", "--compiler", compiler, "-n", "10", "--json"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["tested"] == 10


def test_the_wheel_tests_a_compiler_outside_of_the_repository(tmp_path: Path, environment: Mapping[str, str]) -> None:
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "-qq", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT], check=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    assert_tests(tmp_path, f"{wheel}[onnxruntime]", "onnxruntime", environment)


def test_the_source_distribution_holds_what_a_build_needs_and_nothing_large(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
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
    assert_tests(tmp_path, str(archive), "numpy", environment)
