"""TVM as a compiler under test. These tests run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyjuice.execution import EnvironmentProblem, Worker
from tests.support import onnx_compilers as shared
from tests.support.compilers import usable


@pytest.fixture(scope="module")
def tvm() -> Iterator[Worker]:
    with shared.worker("tvm") as worker:
        yield worker


@pytest.mark.parametrize("make", shared.GRAPHS)
def test_it_agrees_with_the_interpreter(tvm: Worker, make: Callable) -> None:
    assert shared.check(tvm, make).trace == ()


def test_what_the_importer_refuses_is_unsupported(tvm: Worker) -> None:
    outcome = tvm.execute(shared.unknown_operator(), [[shared.X[0, :2]]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")
    assert "NoSuchOperator" in outcome.message


def test_operators_are_fused_unless_that_is_switched_off() -> None:
    """`tvm.compile` alone fuses nothing."""
    with shared.worker("tvm", trace=True) as worker:
        assert {"FuseOps", "FuseTIR"} <= set(shared.check(worker, shared.matrix).trace)
        assert {"FuseOps", "tirx.VectorizeLoop", "FoldConstant"} <= set(worker.info["knobs"])
    with shared.worker("tvm", trace=True, disable=["FuseOps"]) as worker:
        trace = shared.check(worker, shared.matrix).trace
        assert "FuseOps" not in trace
        assert "LegalizeOps" in trace


CODE = """
import importlib, os, sys
import onnx

tvm = importlib.import_module("polyjuice.compilers.tvm")
model = onnx.parser.parse_model('''<ir_version: 9, opset_import: ["" : 18]>
    g (float[64,32] x, float[32,16] w) => (float[64,16] y) { p = MatMul(x, w) y = Tanh(p) }''')

def assembly(module):
    own = module.inspect_source("asm") if module.kind == "llvm" else ""
    return own + "".join(map(assembly, module.imports))

def compiled(*disabled):
    tvm.start({"disable": disabled, "trace": True})
    machine = tvm.compile(tvm.load({"source": model.SerializeToString()}), [])
    left_out = [entry for entry in tvm.trace(machine) if entry.startswith("without")]
    return assembly(machine.module), left_out

plain, loops, again, all = (compiled(*names) for names in ([], ["llvm loop-vectorize"], [], ["llvm *"]))
assert plain == again and plain[1] == []
assert plain[0] != loops[0] != all[0] != plain[0]
assert loops[1] == ["without llvm loop-vectorize"]
assert {*loops[1], "without llvm slp-vectorizer"} <= set(all[1])
sys.stdout.flush()
os._exit(0)  # TVM and its LLVM may crash as they are unloaded
"""


def test_optimizations_of_llvm_can_be_switched_off() -> None:
    with shared.worker("tvm", trace=True, disable=["llvm *"]) as worker:
        assert {"without llvm slp-vectorizer", "FuseOps"} <= set(shared.check(worker, shared.matrix).trace)
        assert "llvm *" in worker.info["knobs"]
    with shared.worker("tvm", trace=True, disable=["llvm loop-vectorize"]) as worker:
        trace = shared.check(worker, shared.matrix).trace
    assert [entry for entry in trace if entry.startswith("without")] == ["without llvm loop-vectorize"]


@pytest.mark.long
def test_the_machine_code_without_optimizations_of_llvm_is_another() -> None:
    usable("tvm")
    subprocess.run([sys.executable, "-c", CODE], check=True)


def test_the_level_can_be_chosen() -> None:
    with shared.worker("tvm", level="0") as worker:
        shared.check(worker, shared.mixed)


@pytest.mark.parametrize("options", [{"level": "4"}, pytest.param({"device": "cuda"}, marks=pytest.mark.long)])
def test_options_that_it_does_not_have(options: dict[str, str]) -> None:
    with pytest.raises(EnvironmentProblem, match="tvm"):
        shared.worker("tvm", **options).start()


@pytest.mark.long
def test_the_reproducers_snippet_runs_alone(tmp_path: Path) -> None:
    shared.check_reproducer("tvm", tmp_path)
