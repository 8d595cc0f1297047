"""The oracles `passes` and `device`, and pairs of a program and itself with functions, in whole campaigns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyjuice.execution import changes
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.outline import twins
from tests.support.commands import ONE_RULE, fuzz, polyjuice, run, save_model
from tests.support.graphs import graph
from tests.support.plugins import CONTROL_INFO, plugin

SWITCHED = {
    **CONTROL_INFO,
    "switched": {},
    "repro": CONTROL_INFO["repro"]
    .replace("inputs):", "inputs, without=(), first=()):")
    .replace("    arrays =", "    compiler.start({'disable': without, 'first': first})\n    arrays =", 1),
}

OFF_BY_ONE = """
def run(compiled, inputs):
    return [(dtype, values + values.dtype.type(is_wrong())) for dtype, values in control.run(compiled, inputs)]
"""

PASSES = (
    """
options = {}

def start(given):
    options.update(given)

def knobs():
    return ["setting memory", "tiling", "fusion", "family *", *(f"other {i}" for i in range(20))]

def anytime():
    return ["fold", "lift"]
"""
    + OFF_BY_ONE
)
"""A control with passes."""

FAULTS = {
    "without fusion, tiling": "{'fusion', 'tiling'} <= {*options.get('disable', ())}",
    "after lift, fold": "'lift fold' in ' '.join(options.get('first', ()))",
}


@pytest.mark.parametrize("change", FAULTS)
def test_the_fewest_passes_that_change_a_result_are_named(tmp_path: Path, change: str) -> None:
    code = PASSES + f"\ndef is_wrong():\n    return {FAULTS[change]}\n"
    env = plugin(tmp_path / "site", code, info=SWITCHED)
    model = save_model(tmp_path / "small.onnx")
    how = ["--compiler", "fake", "-n", 16, "--seeds", model, *ONE_RULE, "--triage", "0s"]
    status, summary = fuzz(tmp_path / "c", *how, "--oracle", "passes", env=env)
    assert status == 1, summary
    found = [json.loads(path.read_text()) for path in (tmp_path / "c" / "findings").glob("*/finding.json")]
    parts = [{*changes.options(one["level"]).popitem()[1]} for one in found]
    assert parts == [{*changes.options(change).popitem()[1]}] * len(parts)
    finding = next((tmp_path / "c" / "findings").iterdir())
    assert change.split()[0] in (finding / "report.md").read_text()
    done = run("repro.py", env=env, cwd=finding)
    assert done.returncode == 1, done.stderr
    assert polyjuice("replay", finding, env=env).returncode == 1
    plugin(tmp_path / "site", PASSES + "\ndef is_wrong():\n    return False\n", info=SWITCHED)
    assert run("repro.py", env=env, cwd=finding).returncode == 0


DEVICE = (
    """
device = ""

def start(options):
    global device
    device = options["device"]
"""
    + OFF_BY_ONE
)


@pytest.mark.parametrize(("wrong_on", "status"), [("cuda", 1), ("cpu", 0), ("", 0)])
def test_a_device_is_compared_with_the_cpu(tmp_path: Path, wrong_on: str, status: int) -> None:
    """The oracle reports faults of the device alone."""
    env = plugin(tmp_path / "site", DEVICE + f"\ndef is_wrong():\n    return device == {wrong_on!r}\n")
    model = save_model(tmp_path / "small.onnx")
    how = ["--compiler", "fake", "-n", 2, "--seeds", model, *ONE_RULE, "--triage", "0s", "--device", "cuda"]
    ended, summary = fuzz(tmp_path / "c", *how, "--oracle", "device", env=env)
    assert ended == status, summary


def test_a_failure_on_the_device_alone_is_a_finding(tmp_path: Path) -> None:
    code = (
        DEVICE
        + "\ndef is_wrong():\n    if device == 'cuda':\n        raise ValueError('no kernel')\n    return False\n"
    )
    env = plugin(tmp_path / "site", code)
    how = ["--compiler", "fake", "-n", 1, "--seeds", save_model(tmp_path / "small.onnx"), *ONE_RULE, "--triage", "0s"]
    status, summary = fuzz(tmp_path / "c", *how, "--device", "cuda", "--oracle", "device", env=env)
    assert (status, summary["by_kind"]) == (1, {"crash": 1})


def test_a_comparison_with_the_cpu_needs_another_device(tmp_path: Path) -> None:
    done = polyjuice("fuzz", "--compiler", "numpy", "-n", 1, "--oracle", "device", "--out", tmp_path / "c")
    assert done.returncode == 2
    assert "--device cuda" in done.stderr


GRAPH = graph("float32[4] x", "a = Relu(x); b = Neg(a); c = Abs(b); Add(c, x)")


@pytest.mark.parametrize("format", ["onnx", "torch", "tensorflow", "jax"])
def test_twins_differ_by_a_function_alone(format: str) -> None:
    drawn = lower(GRAPH, format, "twins").choices
    assert drawn is not None
    plain, other = twins(GRAPH, drawn, "twins")
    assert {site for site in {*plain.taken} ^ {*other.taken} if site[0] != "outline"} == set()
    assert lower(GRAPH, format, plain).source != lower(GRAPH, format, other).source
