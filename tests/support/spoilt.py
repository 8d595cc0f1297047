"""A control with a fault for each oracle."""

from __future__ import annotations

from pathlib import Path

from tests.support.plugins import CONTROL, CONTROL_INFO, LARGE, plugin

LEVELLED = {
    **CONTROL_INFO,
    "levels": ["off", "all"],
    "repro": CONTROL_INFO["repro"]
    .replace("inputs):", "inputs, level='all'):")
    .replace("return ", "compiler.LEVEL = level; return "),
}
"""The control's `INFO`, with optimization levels."""

COMPILER = (
    CONTROL
    + LARGE
    + """
import time
import numpy as np

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
"""The control with optimization levels. It may have a fault."""

FAULTS = {
    "differential": "return [wrong(output) for output in control.run(compiled, inputs)]",
    "optlevel": "return [wrong(x) if LEVEL == 'all' else x for x in control.run(compiled, inputs)]",
    "determinism": """
    global CALLS
    CALLS += 1
    return [wrong(x) if CALLS % 3 == 0 else x for x in control.run(compiled, inputs)]""",
    "metamorphic": "return [wrong(x) if is_large(compiled) else x for x in control.run(compiled, inputs)]",
    "crash": "raise ValueError('no such kernel')",
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
    "metamorphic": "mismatch",
    "crash": "crash",
    "determinism": "nondeterministic",
    "performance": "slow",
    "memory": "memory",
}


def oracle_of(fault: str) -> str:
    return "performance" if fault == "memory" else fault


def spoilt(site: Path, fault: str) -> dict[str, str]:
    code = f"def run(compiled, inputs):\n    {FAULTS[fault]}\n" if fault else ""
    return plugin(site, code, base=COMPILER, info=LEVELLED)
