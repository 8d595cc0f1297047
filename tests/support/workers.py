"""A fake compiler, whose "compilation" executes the artifact's source, and its workers."""

from __future__ import annotations

import os
import select
import textwrap
from pathlib import Path

import numpy as np

from polyjuice import compilers
from polyjuice.execution import Artifact, Limits, Outcome, Worker

FAKE = """
INFO = {info}

def version():
    return "1.0"

def check():
    pass

def start(options):
    pass

def load(artifact):
    return artifact["source"]

def compile(program, inputs):
    names = {"inputs": inputs, "outputs": inputs}
    exec(program, names)
    return names

def run(compiled, inputs):
    return compiled["outputs"]

def knobs():
    return ["fusion"]
"""

ONES = np.ones((2, 3), np.float32)
HOPELESS_S = 300
"""Seconds, enough for the slowest machine. After them a test fails instead of waiting for ever."""

LIMITS = Limits(compile_s=20, run_s=20, memory_gib=1)


def fake(folder: Path, extra: str = "", name: str = "fake", **info: object) -> compilers.CompilerInfo:
    path = folder / f"{name}.py"
    fields = {"format": "torch", "needs": "a fake: pip install fake", "repro": "prepare = None", **info}
    path.write_text(FAKE.replace("{info}", repr(fields)) + textwrap.dedent(extra))
    return compilers.read(name, path)


def do(worker: Worker, source: str) -> Outcome:
    return worker.execute(Artifact(format="torch", source=textwrap.dedent(source)), [[ONES]])


class Lifeline:
    """A named pipe that ends once no process holds it, however the processes ended.

    ``hold`` is the expression by which a process opens it. A child needs the descriptor from its parent.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "lifeline"
        os.mkfifo(path)
        self.hold = f"__import__('os').open({str(path)!r}, {os.O_WRONLY})"
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def wait_for_the_beginning(self) -> None:
        """Wait until a process that holds the pipe has written."""
        assert select.select([self._end], [], [], HOPELESS_S)[0]
        assert os.read(self._end, 100)

    def wait_for_the_end(self) -> None:
        """Wait until no process holds the pipe: a read then returns nothing."""
        while select.select([self._end], [], [], HOPELESS_S)[0]:
            if not os.read(self._end, 100):
                return
        raise AssertionError("a process is still alive")


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it ended before or while it was read
        return False
    return state != "Z"
