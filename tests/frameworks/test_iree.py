"""IREE as a compiler under test. These tests run it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyjuice.execution import EnvironmentProblem, Worker
from tests.support import onnx_compilers as shared


@pytest.fixture(scope="module")
def iree() -> Iterator[Worker]:
    with shared.worker("iree") as worker:
        yield worker


@pytest.mark.parametrize("make", shared.GRAPHS)
def test_it_agrees_with_the_interpreter(iree: Worker, make: Callable) -> None:
    assert shared.check(iree, make).trace == ()


def test_what_the_importer_refuses_is_unsupported(iree: Worker) -> None:
    outcome = iree.execute(shared.unknown_operator(), [[shared.X[0, :2]]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")
    assert "NoSuchOperator" in outcome.message


@pytest.mark.long
def test_a_part_can_be_switched_off() -> None:
    with shared.worker("iree", trace=True) as worker:
        assert "HoistIntoGlobalsPass" in shared.check(worker, shared.constant).trace
        assert "const-expr-hoisting" in worker.info["knobs"]
    with shared.worker("iree", trace=True, disable=["const-expr-hoisting"]) as worker:
        assert "HoistIntoGlobalsPass" not in shared.check(worker, shared.constant).trace


def test_passes_of_llvm_can_be_switched_off() -> None:
    with shared.worker("iree", trace=True, disable=["llvm instcombine"]) as worker:
        trace = shared.check(worker, shared.chain).trace
        assert "llvm *" in worker.info["knobs"]
    assert [entry for entry in trace if entry.startswith("without")] == ["without llvm instcombine"]


def test_all_parts_can_be_switched_off_together(iree: Worker) -> None:
    """The compiler refuses flags that it does not have."""
    iree.start()
    with shared.worker("iree", trace=True, disable=iree.info["knobs"]) as worker:
        assert {"without llvm instcombine", "without llvm loop-vectorize"} <= set(
            shared.check(worker, shared.chain).trace
        )


def test_the_level_can_be_chosen() -> None:
    with shared.worker("iree", level="O0") as worker:
        shared.check(worker, shared.mixed)


@pytest.mark.parametrize("options", [{"level": "O4"}, {"device": "cuda"}])
def test_options_that_it_does_not_have(options: dict[str, str]) -> None:
    with pytest.raises(EnvironmentProblem, match="iree"):
        shared.worker("iree", **options).start()


def test_the_reproducers_snippet_runs_alone(tmp_path: Path) -> None:
    shared.check_reproducer("iree", tmp_path)
