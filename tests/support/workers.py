"""A fake compiler, whose "compilation" executes the artifact's source, and its workers."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from polyjuice import compilers
from polyjuice.execution import Artifact, Limits, Outcome, Worker

FAKE = """
FORMAT = "torch"
NEEDS = "a fake: pip install fake"

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
LIMITS = Limits(compile_s=20, run_s=20, memory_gib=1)


def fake(folder: Path, extra: str = "", name: str = "fake") -> compilers.CompilerInfo:
    path = folder / f"{name}.py"
    path.write_text(FAKE + textwrap.dedent(extra))
    return compilers.read(name, path)


def do(worker: Worker, source: str) -> Outcome:
    return worker.execute(Artifact("torch", textwrap.dedent(source)), [[ONES]])


def wait_for(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
