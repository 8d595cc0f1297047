"""The driver for broken models reports each kind of fault that a command can have."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.broken.answers import (
    CRASH,
    DEFECTIVE,
    ESCAPE,
    HANG,
    LINES,
    READ,
    REFUSED,
    STATUS,
    STRAY,
    TRACEBACK,
    Surroundings,
    answers,
)
from benchmarks.broken.mutate import make


@dataclass(frozen=True)
class Planted:
    """A command that does one thing."""

    does: Callable[[Path, Path], int]
    name: str = "planted"
    writes: tuple[str, ...] = ()
    when: Callable[[Path], bool] = lambda folder: True

    def run(self, folder: Path, out: Path) -> int:
        return self.does(folder, out)


def said(text: str, status: int) -> Callable[[Path, Path], int]:
    """A command that prints a text on standard error and returns a status."""

    def run(folder: Path, out: Path) -> int:
        print(text, file=sys.stderr)
        return status

    return run


def wrote(place: Callable[[Path, Path], Path]) -> Callable[[Path, Path], int]:
    """A command that writes a file."""

    def run(folder: Path, out: Path) -> int:
        place(folder, out).write_text("x")
        return 0

    return run


def raises(folder: Path, out: Path) -> int:
    raise KeyError("no such node")


def sleeps(folder: Path, out: Path) -> int:
    time.sleep(60)
    return 0


def aborts(folder: Path, out: Path) -> int:
    os.abort()


@pytest.mark.parametrize(
    ("does", "answer"),
    [
        (lambda folder, out: 0, READ),
        (wrote(lambda folder, out: out / "file"), READ),
        (said("polyjuice: model.onnx: node 1: no such operator", 2), REFUSED),
        (said("polyjuice: one\npolyjuice: two", 2), LINES),
        (said("a defect", 3), DEFECTIVE),
        (said("?", 7), STATUS),
        (said("\x1b[2J", 0), ESCAPE),
        (wrote(lambda folder, out: folder.parent / "stray"), STRAY),
        (raises, TRACEBACK),
        (sleeps, HANG),
        (aborts, CRASH),
    ],
)
def test_each_fault_is_seen(
    does: Callable[[Path, Path], int], answer: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    around = Surroundings(tmp_path)
    around.make()
    around.mutant.mkdir()
    with capfd.disabled():  # the driver reads the standard streams themselves
        found = list(answers(around, [Planted(does)], limit_s=1.0))
    assert [one.answer for one in found] == [answer]


def test_a_mutant_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        make(0, 5, tmp_path / folder, tmp_path / "made", "model")
    first, second = ((tmp_path / folder / "model.onnx").read_bytes() for folder in ("a", "b"))
    assert first == second
