"""TVM as a compiler under test, really run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyjuice.execution import EnvironmentProblem, Worker
from tests.support import onnx_compilers as shared


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
