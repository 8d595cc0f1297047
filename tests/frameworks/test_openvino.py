"""OpenVINO as a compiler under test, really run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from polyjuice.execution import EnvironmentProblem, Worker
from polyjuice.ir import Graph, TensorType
from polyjuice.lower import lower
from polyjuice.ops import GraphBuilder
from tests.support import onnx_compilers as shared


@pytest.fixture(scope="module")
def openvino() -> Iterator[Worker]:
    with shared.worker("openvino") as worker:
        yield worker


@pytest.mark.parametrize("make", shared.GRAPHS)
def test_it_agrees_with_the_interpreter(openvino: Worker, make: Callable) -> None:
    assert shared.check(openvino, make).trace == ()


def renamed() -> tuple[Graph, list[np.ndarray]]:
    """The importer gives inputs that a Dropout reads another name, and drops what nobody reads."""
    builder = GraphBuilder()
    a, b, _, c = (builder.input(TensorType("float32", (3,)), name) for name in "abwc")
    kept = [builder.op("Dropout", name, ratio=0.5) for name in (b, a)]
    graph = builder.build([builder.op("Relu", c), builder.op("Sub", *kept)])
    return graph, [np.arange(3, dtype=np.float32) * scale for scale in (1, 10, 100, -1000)]


def test_an_input_that_is_renamed_is_set(openvino: Worker, tmp_path: Path) -> None:
    shared.check(openvino, renamed)
    shared.check_reproducer("openvino", tmp_path, renamed)


def test_what_the_importer_refuses_is_unsupported(openvino: Worker) -> None:
    outcome = openvino.execute(shared.unknown_operator(), [[shared.X[0, :2]]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")
    assert "NoSuchOperator" in outcome.message


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_a_type_that_the_plugin_narrows_is_unsupported(openvino: Worker, dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (2,)))
    outcome = openvino.execute(lower(build.build([build.op("Add", x, x)]), "onnx", 0), [[np.ones(2, dtype)]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")


def test_the_trace_names_the_nodes_that_run() -> None:
    with shared.worker("openvino", trace=True) as worker:
        trace = shared.check(worker, shared.chain).trace
    assert [node for node in trace if node.startswith("Subgraph")]


def test_a_part_can_be_switched_off() -> None:
    with shared.worker("openvino", trace=True, disable=["SNIPPETS_MODE"]) as worker:
        trace = shared.check(worker, shared.chain).trace
        assert "SNIPPETS_MODE" in worker.info["knobs"]
    assert [node for node in trace if node.startswith("Eltwise")]
    assert not [node for node in trace if node.startswith("Subgraph")]


def test_another_device_is_refused() -> None:
    with pytest.raises(EnvironmentProblem, match="openvino"):
        shared.worker("openvino", device="cuda").start()


def test_the_reproducers_snippet_runs_alone(tmp_path: Path) -> None:
    shared.check_reproducer("openvino", tmp_path)
