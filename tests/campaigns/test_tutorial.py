"""The tutorial is true: its files are written, its commands run, and what it shows of their output is what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs/tutorial-a-rule.md"

_FENCED = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_FINDING = "000005-0-mismatch"


def masked(line: str) -> str:
    """A line without what the seeds decide: types, numbers and lists of numbers. Exit statuses are kept."""
    if line.startswith("status "):
        return line
    line = re.sub(r"\b[a-z]+\d+\[[\d, ]*\]", "TYPE", line)
    return " ".join(re.sub(r"\[[-\d., e\[\]]*\]|-?\d[\d.]*(e-?\d+)?", "N", line).split())


def missing(shown: str, said: str) -> list[str]:
    """The lines shown that do not occur in what was said, in this order. `...` stands for anything within a line."""
    lines = iter([masked(line) for line in said.splitlines()])

    def is_next(line: str) -> bool:
        pattern = ".*".join(map(re.escape, masked(line).split("...")))
        return any(re.fullmatch(pattern, other) for other in lines)

    return [line for line in shown.splitlines() if not is_next(line)]


def stand_in(folder: Path, name: str, command: str) -> None:
    """An executable that runs a command of the interpreter that runs the tests."""
    file = folder / name
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command} "$@"\n')
    file.chmod(0o755)


@pytest.mark.long
def test_what_the_tutorial_shows_is_what_happens(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    programs, folder = tmp_path / "bin", tmp_path / "empty"
    programs.mkdir()
    folder.mkdir()
    stand_in(programs, "python", "")
    stand_in(programs, "polyjuice", "-m polyjuice")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "80"}
    source, done = TUTORIAL.read_text(encoding="utf-8"), 0
    for language, name, text in _FENCED.findall(source):
        if language != "sh":
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
            continue
        for command, shown in _COMMAND.findall(text):
            # Which case finds something follows from the generator: the first that did stands for the one shown.
            found = min((path.name for path in folder.glob("found/findings/*")), default=_FINDING)
            ran = subprocess.run(
                ["bash", "-c", command.replace(_FINDING, found)],
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
            )
            assert not missing(shown, ran.stdout), f"{command}\n{ran.stdout}"
            done += 1
    assert done == source.count("\n$ "), "a command was not recognised"


@pytest.mark.parametrize(
    ("shown", "said", "found"),
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
def test_lines_are_compared_but_for_numbers(shown: str, said: str, found: bool) -> None:
    assert (not missing(shown, said)) == found
