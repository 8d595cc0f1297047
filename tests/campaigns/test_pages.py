"""The pages are true: the tests write their files, run their commands, and compare the output with the page."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from glob import glob
from pathlib import Path

import pytest

from tests.support.commands import ROOT, polyjuice, record, run
from tests.support.pages import PAGES, blocks, missing
from tests.support.plugins import importing_from
from tests.support.shares import in_the_long_run

RUN = [page for page in PAGES if any(block.shown for block in blocks(page.read_text(encoding="utf-8")))]


def stand_in(folder: Path, name: str, command: str) -> None:
    file = folder / name
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
    file.chmod(0o755)


def assert_happens(page: Path, folder: Path, output: Callable[[str, Path], str]) -> None:
    """Write the files of a page into a folder, run its commands, and compare their output."""
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.title:
            (folder / block.title).parent.mkdir(exist_ok=True, parents=True)
            (folder / block.title).write_text(block.text)
        for command, shown in block.shown:
            printed = output(command, folder)
            assert not missing(shown, printed), f"{command}\n{printed}"


@pytest.mark.long
@pytest.mark.parametrize("page", RUN, ids=[page.stem for page in RUN])
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    programs, folder = tmp_path / "bin", tmp_path / "empty"
    programs.mkdir()
    folder.mkdir()
    stand_in(programs, "python", "")
    stand_in(programs, "polyjuice", "-m polyjuice")
    stand_in(programs, "pytest", "-m pytest -p no:cacheprovider")
    path = f"{programs}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80"}

    def output(command: str, folder: Path) -> str:
        bash = ["bash", "-c", command]
        to = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return str(subprocess.run(bash, cwd=folder, env=environment, text=True, timeout=300, **to).stdout)

    assert_happens(page, folder, output)


_COMMAND = re.compile(r"(?:PYTHONPATH=\$PWD )?(polyjuice|python) ([^;]+)(?:; echo status \$\?)?")


def done(command: str, folder: Path) -> str:
    """Run a command of a page in a folder that Python imports from, and return its output.

    As in a shell, a pattern stands for the files that match it, if there are any.
    """
    match = _COMMAND.fullmatch(command.replace("\\\n", " "))
    assert match, f"the test knows no such command: {command}"
    runner = polyjuice if match[1] == "polyjuice" else run
    words = [one for word in shlex.split(match[2]) for one in sorted(glob(word, root_dir=folder)) or [word]]
    ended = runner(*words, env=importing_from(folder), cwd=folder)
    return f"{ended.stdout}{ended.stderr}\nstatus {ended.returncode}\n"


@pytest.mark.parametrize("name", ["oracle", *in_the_long_run("compiler", "format")])
def test_a_page_leads_to_a_finding_of_its_planted_fault(name: str, tmp_path: Path) -> None:
    """Each page that adds a part to Polyjuice, done by the letter, in an empty folder."""
    assert_happens(ROOT / f"docs/howto/{name}.md", tmp_path, done)
    (finding, *_) = sorted((tmp_path / "found/findings").iterdir())
    assert record(finding)["repro_exit"] == 1
    assert (finding / "repro.py").read_text() in (finding / "report.md").read_text()


@pytest.mark.parametrize(
    ("shown", "output", "found"),
    [
        ("status 1", "status 0", False),
        ("findings  0 distinct of 0", "findings  5 distinct of 6, 6 mismatch", False),
        ("findings  5 distinct of 6, 6 mismatch", "findings  1 distinct of 1, 1 mismatch", True),
        ("x: float16[] = 1.", "x: bfloat16[2, 1] = [[-1.5], [0.]]", True),
        ("one\nother", "other\none", False),
        ("one\nother", "one\n\nand the\nother", True),
        ("min gives 1.0, ..., of 2", "min gives -7.5, max gives 4e-05, of 32", True),
        ("min gives 1.0, ..., of 2", "max gives -7.5, min gives 4e-05, of 32", False),
    ],
)
def test_lines_are_compared_but_for_numbers(shown: str, output: str, found: bool) -> None:
    assert (not missing(shown, output)) == found
