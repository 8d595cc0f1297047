"""Reproducers of what each oracle finds end with 1 as long as the bug is there, and with 0 once it is fixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import ONE_RULE, fuzz, run, save_model
from tests.support.plugins import CONTROL, LARGE, plugin

LEVELLED = CONTROL.replace("inputs):", "inputs, level='all'):").replace("return ", "compiler.LEVEL = level; return ")
COMPILER = (
    LEVELLED
    + LARGE
    + """
import time
import numpy as np

LEVELS = "off all"
LEVEL = "all"
CALLS = 0
CLOCK = 0.0
time.perf_counter = lambda: CLOCK  # it goes on with each call of `run`, and never by itself


def pass_time(seconds):
    global CLOCK
    CLOCK += seconds


def run(compiled, inputs):
    pass_time(0.01)
    return control.run(compiled, inputs)


def start(options):
    global LEVEL
    LEVEL = options.get("level") or "all"


def wrong(array):
    return array[0], array[1] + np.ones_like(array[1])
"""
)
"""The control, which has optimization levels and may be spoilt."""

FAULTS = {
    "differential": "return [wrong(output) for output in control.run(compiled, inputs)]",
    "optlevel": "return [wrong(x) if LEVEL == 'all' else x for x in control.run(compiled, inputs)]",
    "determinism": """
    global CALLS
    CALLS += 1
    return [wrong(x) if CALLS % 3 == 0 else x for x in control.run(compiled, inputs)]""",
    "performance": """
    pass_time(0.01 if is_large(compiled) else 0.03)
    return control.run(compiled, inputs)""",
    "memory": """
    pass_time(0.1)
    np.ones(2**23 * (not is_large(compiled)))
    return control.run(compiled, inputs)""",
}
KINDS = {
    "differential": "mismatch",
    "optlevel": "mismatch",
    "determinism": "nondeterministic",
    "performance": "slow",
    "memory": "memory",
}


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_reproducer_ends_with_1_as_long_as_the_bug_is_there(tmp_path: Path, fault: str) -> None:
    env = plugin(tmp_path / "site", f"def run(compiled, inputs):\n    {FAULTS[fault]}\n", base=COMPILER)
    oracle = "performance" if fault == "memory" else fault
    options = ["--compiler", "fake", "-n", 1, "--seeds", save_model(tmp_path / "small.onnx"), *ONE_RULE]
    status, summary = fuzz(tmp_path / "c", *options, "--oracle", oracle, "--triage", "0s", env=env)
    assert status == 1, summary
    assert set(summary["by_kind"]) == {KINDS[fault]}
    finding = next((tmp_path / "c/findings").iterdir())
    assert json.loads((finding / "finding.json").read_text())["repro_exit"] == 1
    done = run("repro.py", env=env, cwd=finding)
    assert done.returncode == 1, done.stderr
    plugin(tmp_path / "site", base=COMPILER)
    done = run("repro.py", env=env, cwd=finding)
    assert done.returncode == 0, done.stdout
