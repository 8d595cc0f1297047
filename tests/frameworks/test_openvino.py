"""OpenVINO as a compiler under test. These tests run it."""

from __future__ import annotations

import platform
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
    """The importer renames inputs that a Dropout reads, and drops inputs that no node reads."""
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


def made_of(trace: tuple[str, ...], family: str) -> list[str]:
    """The parts of a family that a trace names."""
    return [entry for entry in trace if entry.startswith(f"{family} ")]


def product() -> tuple[Graph, list[np.ndarray]]:
    """A product of two inputs."""
    build = GraphBuilder()
    x, y = (build.input(TensorType("float32", shape)) for shape in ((2, 3), (3, 2)))
    return build.build([build.op("MatMul", x, y)]), [shared.X, shared.X.T.copy()]


def test_what_is_fused_can_be_kept_apart() -> None:
    with shared.worker("openvino", trace=True) as worker:
        assert made_of(shared.check(worker, shared.chain).trace, "fusion") == ["fusion Abs+Add+Abs+Multiply+Add"]
        assert {"fusion *", "kernel *"} <= set(worker.info["knobs"])
    for off in ("fusion *", "fusion Abs+Add+Abs+Multiply+Add"):
        with shared.worker("openvino", trace=True, disable=[off]) as worker:
            trace = shared.check(worker, shared.chain).trace
        assert "without fusion Abs+Add+Abs+Multiply+Add" in trace
        assert "fusion Abs+Add+Abs+Multiply+Add" not in trace


def test_a_kernel_can_be_the_reference_instead() -> None:
    with shared.worker("openvino", trace=True) as worker:
        (kernel,) = made_of(shared.check(worker, product).trace, "kernel")
    for off in ("kernel *", kernel):
        with shared.worker("openvino", trace=True, disable=[off]) as worker:
            trace = shared.check(worker, product).trace
        assert f"without {kernel}" in trace
        assert not made_of(trace, "kernel")
        assert [entry for entry in trace if "(ref_any_" in entry]


def test_kernels_can_do_without_avx() -> None:
    with shared.worker("openvino", trace=True, disable=["avx"]) as worker:
        trace = shared.check(worker, shared.chain).trace
    if platform.machine() != "x86_64":
        pytest.skip("there is no AVX to do without")
    assert [entry for entry in trace if "sse" in entry]
    assert not [entry for entry in trace if "avx" in entry]


def test_another_device_is_refused() -> None:
    with pytest.raises(EnvironmentProblem, match="openvino"):
        shared.worker("openvino", device="cuda").start()


def test_the_reproducers_snippet_runs_alone(tmp_path: Path) -> None:
    shared.check_reproducer("openvino", tmp_path)
