"""Disruptive generation (HirGen, section 3.1.5) breaks one constraint, and tests how compilers react."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from polyjuice.frameworks.lowering import lower
from polyjuice.generate import Broken, Memory, disrupt, generate
from polyjuice.ir import Graph, GraphError, Node, TensorType, check_structure, dtypes
from polyjuice.ops import GraphBuilder, infer_node
from tests.support.commands import findings, fuzz, polyjuice, record, run
from tests.support.compilers import usable
from tests.support.plugins import plugin
from tests.support.shares import in_the_long_run


def disrupted(count: int, memory: Memory | None = None) -> Iterator[tuple[Graph, Broken]]:
    for seed in range(count):
        graph = generate(8, f"disruptive {seed}", strategy="hirgen")
        if broken := disrupt(graph, seed, memory):
            yield graph, broken


def ill_typed(graph: Graph) -> list[str]:
    """The first results of the nodes whose constraints do not hold."""
    found = []
    for node in graph.nodes:
        try:
            assert infer_node(node, graph.types) == tuple(graph.types[name] for name in node.outputs)
        except GraphError:
            found.append(node.outputs[0])
    return found


def test_exactly_one_operator_breaks_a_constraint_and_it_is_named() -> None:
    kinds = set()
    for graph, broken in disrupted(100):
        assert all(
            broken.graph.types[name] == graph.types[name] for node in broken.graph.nodes for name in node.outputs
        )
        check_structure(broken.graph)
        assert ill_typed(graph) == []
        assert ill_typed(broken.graph) == [broken.node]
        (node,) = [node for node in broken.graph.nodes if broken.node in node.outputs]
        assert node.qualified == broken.operator
        assert broken.graph.types[node.inputs[broken.operand]] == broken.actual
        same = (broken.actual.dtype == broken.due.dtype, broken.actual.shape == broken.due.shape)
        assert same == ((False, True) if broken.kind == "type" else (True, False))
        kinds.add(broken.kind)
    assert kinds == {"type", "shape"}


def test_an_axis_that_does_not_exist_stays_in_the_model() -> None:
    t = TensorType("float32", ())
    node = Node("ReduceSum", ("x",), ("y",), {"axes": (0,), "keepdims": 0, "noop_with_empty_axes": 0})
    graph = Graph(("x",), {}, (node,), ("y",), {"x": t, "y": t})
    for seed in range(20):
        model = onnx.load_from_string(lower(graph, "onnx", seed).source)
        (node,) = [node for node in model.graph.node if node.op_type == "ReduceSum"]
        assert len(node.input) == 2 or [a for a in node.attribute if a.name == "axes"]


def test_an_operator_is_connected_to_a_value_that_there_is_and_to_another_each_time() -> None:
    build = GraphBuilder()
    x, n = build.input(TensorType("float32", (2,)), "x"), build.input(TensorType("int64", (2,)), "n")
    graph = build.build([build.op("Sqrt", x), build.op("Neg", n)])
    all_broken = [b for seed in range(160) if (b := disrupt(graph, seed)) and b.operator == "Sqrt"]
    assert {name for broken in all_broken for name in broken.graph.nodes[0].inputs} == {"n", "broken"}
    build = GraphBuilder()
    graph = build.build([build.op("Sqrt", build.input(TensorType("float32", (2,))))])
    memory = Memory()
    actual = [b.actual.dtype for seed in range(9) if (b := disrupt(graph, seed, memory))]
    assert sorted(actual) == sorted((*dtypes.INTS, "bool"))
    assert disrupt(graph, 10, memory) is not None  # nothing new is left
    build = GraphBuilder()
    assert disrupt(build.build([build.op("Identity", build.input(TensorType("float32", (2,))))]), 0) is None


OPTIONS = ("--seeds", "hirgen", "--disruptive", "--nodes", 3, "--workers", 1)


@pytest.mark.parametrize("compiler", ["onnxruntime", *in_the_long_run("eager")])
def test_a_compiler_that_answers_with_errors_is_right(compiler: str, tmp_path: Path) -> None:
    """PyTorch promotes types, and accepts many of these programs. ONNX Runtime refuses most."""
    usable(compiler)
    status, summary = fuzz(tmp_path / "c", "--compiler", compiler, "-n", 10, *OPTIONS)
    log = (tmp_path / "c" / "log").read_text()
    assert (status, summary["raw_findings"], summary["by_kind"]) == (0, 0, {}), log
    assert summary["tested"] >= 9
    assert summary["accepted"] == log.count("accepted: ") < (4 if compiler == "onnxruntime" else 10)
    assert summary["share"]["run"] > 0


UNREAD = """
import onnx

def load(artifact):
    return onnx.load_from_string(artifact["source"])
"""
"""The model as it is. The control refuses an ill-typed node, or reads it as an opaque one."""

BROKEN = f"""{UNREAD}
from polyjuice.frameworks.onnx import graph_files

def is_broken(program):
    try:
        return any(node.opaque for node in graph_files.from_model(program).nodes)
    except graph_files.FormatError:
        return True
"""

FAILURES = {
    "abort": ("import os; os.abort()", "crash", "the process was ended by SIGABRT during compile"),
    "hang": ("\n        while True: pass", "hang", "no end of compile within 2 s"),
}


@pytest.mark.parametrize("failure", ["abort", *in_the_long_run("hang")])
def test_a_process_that_ends_or_hangs_is_a_finding(tmp_path: Path, failure: str) -> None:
    statement, kind, words = FAILURES[failure]
    spoilt = f"{BROKEN}\ndef compile(program, inputs):\n    if is_broken(program): {statement}\n    return program\n"
    env = plugin(tmp_path / "site", spoilt)
    status, summary = fuzz(
        tmp_path / "c", "--compiler", "fake", "-n", 1, "--timeout", 2, *OPTIONS, env=env, processes=True
    )
    assert (status, summary["by_kind"], summary["tested"], summary["accepted"]) == (1, {kind: 1}, 1, 0)
    (finding,) = findings(tmp_path / "c")
    stored = record(finding)
    assert words in stored["message"]
    assert f"an error was due: {stored['broken']}" in stored["message"]
    assert (stored["kind"], stored["a"], stored["b"], stored["repro_exit"]) == (kind, "disrupted", "", 1)
    assert "not well typed" in (finding / "report.md").read_text()
    mended = f"{BROKEN}\ndef compile(program, inputs):\n    raise ValueError('ill typed')\n"
    done = run("repro.py", env=plugin(tmp_path / "site", mended), cwd=finding)
    assert (done.returncode, "as it should: ValueError ill typed" in done.stdout) == (0, True)


CARELESS = f"""{UNREAD}
import numpy as np

def compile(program, inputs):
    return program

def run(compiled, inputs):
    return [("float32", np.zeros(1, np.float32)) for _ in compiled.graph.output]
"""


def test_what_is_accepted_is_counted_and_named(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", CARELESS)
    arguments = ["--compiler", "fake", "-n", 4, *OPTIONS]
    done = polyjuice("fuzz", *arguments, "--out", tmp_path / "c", "--json", env=env)
    summary = json.loads(done.stdout)
    assert (done.returncode, summary["tested"], summary["accepted"], summary["findings"]) == (0, 4, 4, 0)
    log = (tmp_path / "c" / "log").read_text()
    assert log.count("accepted: ") == 4
    assert " of operand " in log
    again = polyjuice("fuzz", "--resume", tmp_path / "c", env=env)
    assert "4 programs with a broken constraint" in again.stdout


ACCEPTING = """
import torch
import numpy as np
from polyjuice.compilers.eager import *
from polyjuice.compilers.eager import run as eager_run

def run(compiled, inputs):
    try:
        return eager_run(compiled, inputs)
    except Exception:
        return [("float32", np.zeros(1, np.float32))]
"""
"""Torch, uncompiled, without its checks: a program of one result never fails."""

ACCEPTING_INFO = {
    "format": "torch",
    "needs": "a test",
    "repro_imports": "import copy\n\nimport torch\nimport torch.nn.functional as F",
    "repro": """
def prepare(model, inputs, dynamic=False, freezing=False, updates=()):
    def call():
        try:
            return uncompiled(model, inputs, updates)()
        except Exception:
            return [torch.zeros(1)]

    return call
""",
}


def test_what_the_framework_refuses_and_compiled_runs_is_a_finding_of_its_own_oracle(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", base=ACCEPTING, info=ACCEPTING_INFO)
    options = (*OPTIONS, "--nodes", 1, "--oracle", "validation", "-n", 12, "--triage", "0s")
    status, summary = fuzz(tmp_path / "c", "--compiler", "fake", *options, env=env)
    assert (status, summary["tested"]) == (1, 12)
    assert 0 < summary["findings"] < summary["accepted"]  # Torch itself takes some of these programs
    for finding in findings(tmp_path / "c"):
        stored = record(finding)
        assert (stored["kind"], stored["repro_exit"]) == ("validation", 1), stored["printed"]
        assert stored["message"].startswith("disrupted returns results; uncompiled it raises ")
        assert polyjuice("replay", finding, env=env).returncode == 1
