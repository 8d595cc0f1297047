"""The pages are true: the tests write their files, run their commands, and compare the output with the page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pages import PAGES, blocks, missing, with_first_finding

RUN = [page for page in PAGES if any(block.shown for block in blocks(page.read_text(encoding="utf-8")))]


def stand_in(folder: Path, name: str, command: str) -> None:
    """An executable that runs a command of the tests' interpreter."""
    file = folder / name
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
    file.chmod(0o755)


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
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.title:
            (folder / block.title).parent.mkdir(exist_ok=True, parents=True)
            (folder / block.title).write_text(block.text)
        for command, shown in block.shown:
            ran = subprocess.run(
                ["bash", "-c", with_first_finding(command, folder)],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
            )
            assert not missing(shown, ran.stdout), f"{command}\n{ran.stdout}"


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
