"""XLA as a compiler under test. These tests run it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Outcome, Worker
from tests.support.compilers import usable

HEADER = """
import tensorflow as tf

class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.scale = arrays["scale"]
"""
MODEL = (
    HEADER
    + """
    def __call__(self, x, n):
        y = tf.transpose(tf.transpose(tf.nn.relu(x))) + 1
        return y, tf.cast(-x, tf.bfloat16) * self.scale, tf.reduce_sum(n), n > 1
"""
)

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
INPUTS = [X, np.arange(4)]
ARRAYS = {"scale": np.array(0.5, ml_dtypes.bfloat16)}
EXPECTED = (np.maximum(X, 0) + 1, -X.astype(ml_dtypes.bfloat16) / 2, np.array(6), np.arange(4) > 1)


def start(**options: Any) -> Worker:
    return Worker(usable("xla"), limits=Limits(compile_s=60), options=options)


def check(worker: Worker) -> Outcome:
    outcome = worker.execute(Artifact(format="tensorflow", source=MODEL, arrays=ARRAYS), [INPUTS])
    assert outcome.status == "ok", outcome.message + outcome.traceback
    assert outcome.reference is not None
    for results in (outcome.outputs[0], outcome.reference[0]):
        for got, expected in zip(results, EXPECTED, strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(got, expected)
    return outcome


@pytest.fixture(scope="module")
def xla() -> Iterator[Worker]:
    with start() as worker:
        worker.start()
        yield worker


def test_the_reference_is_eager_even_where_the_source_asks_for_a_compiler(xla: Worker) -> None:
    source = HEADER + "\n    @tf.function(jit_compile=True)\n    def __call__(self, x):\n"
    source += "        return [tf.constant(1.0 if tf.executing_eagerly() else 2.0)]\n"
    outcome = xla.execute(Artifact(format="tensorflow", source=source, arrays=ARRAYS), [[X]])
    assert outcome.reference is not None
    assert (outcome.reference[0][0], outcome.outputs[0][0]) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("body", "stage"),
    [
        ("tf.abs(x", "load"),
        ("tf.no_such_function(x)", "eager"),
        ("tf.reshape(x, (5,))", "eager"),
        ("tf.strings.length(tf.strings.as_string(x))", "compile"),
        ("tf.cumsum(tf.cast(x, tf.int16))", "compile"),
    ],
)
def test_what_tensorflow_or_xla_lacks_is_unsupported(xla: Worker, body: str, stage: str) -> None:
    source = HEADER + f"\n    def __call__(self, x):\n        return [{body}]\n"
    outcome = xla.execute(Artifact(format="tensorflow", source=source, arrays=ARRAYS), [[X]])
    assert (outcome.status, outcome.stage) == ("unsupported", stage), outcome.message


def test_sizes_that_tensorflow_itself_wants_to_know_are_unsupported(xla: Worker) -> None:
    source = HEADER + "\n    def __call__(self, x):\n        return [tf.experimental.numpy.triu(x, k=0)]\n"
    for dynamic, found in ((False, ("ok", "run")), (True, ("unsupported", "compile"))):
        outcome = xla.execute(
            Artifact(format="tensorflow", source=source, arrays=ARRAYS, setup={"dynamic": dynamic}), [[X]]
        )
        assert (outcome.status, outcome.stage or "run") == found, outcome.message


@pytest.mark.long
def test_passes_are_traced_and_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    with start(trace=True) as worker:
        assert {"algsimp", "fusion"} <= set(check(worker).trace)
        assert {"algsimp", "fusion"} <= set(worker.info["knobs"])
        assert check(worker).trace == check(worker).trace
    with start(trace=True, disable=["algsimp"]) as worker:
        trace = check(worker).trace
        assert "algsimp" not in trace
        assert "fusion" in trace
    monkeypatch.setenv("XLA_FLAGS", "--xla_disable_hlo_passes=fusion")  # the user's setting wins
    with start(trace=True) as worker:
        assert "fusion" not in check(worker).trace


@pytest.mark.parametrize("parts", [["llvm instcombine", "llvm licm"], ["llvm *"]])
def test_passes_of_llvm_can_be_switched_off(parts: list[str]) -> None:
    with start(trace=True, disable=parts) as worker:
        off = {entry for entry in check(worker).trace if entry.startswith("without")}
        assert "llvm *" in worker.info["knobs"]
    some = {"without llvm instcombine", "without llvm licm"}
    assert off == some if len(parts) == 2 else off >= some | {"without llvm x86-isel"}


def test_all_parts_but_passes_can_be_switched_off_together(xla: Worker) -> None:
    parts = ["avx", "excess-precision", "fast-min-max", "fusion-emitters", "loop-unrolling", "wide-vectors"]
    settings = ["setting xla_cpu_enable_concurrency_optimized_scheduler", "setting xla_cpu_multi_thread_eigen"]
    if not {*parts, *settings} <= set(xla.info["knobs"]):
        pytest.skip("an older release")
    with start(trace=True, disable=[*parts, *settings]) as worker:
        assert "fusion-wrapper" not in check(worker).trace  # the emitters' pass
    with start(trace=True) as worker:
        assert "fusion-wrapper" in check(worker).trace


def test_it_agrees_with_numpy_at_each_level(xla: Worker) -> None:
    assert check(xla).trace == ()
    with start(level="0") as worker:
        check(worker)


@pytest.mark.long
@pytest.mark.parametrize("options", [{"level": "4"}, {"device": "cuda"}])
def test_options_that_it_does_not_have(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(EnvironmentProblem, match=r"level|no CUDA device"):
        start(**options).start()


ALONE = """
import numpy as np
{imports}
{model}
{repro}
x = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
scale = tf.constant(0.5, tf.bfloat16)
y, z, total, larger = prepare(Model({{"scale": scale}}), [tf.constant(x), tf.constant(np.arange(4))])()
assert (y.numpy() == np.maximum(x, 0) + 1).all()
assert total.numpy() == 6
"""


@pytest.mark.long
def test_the_reproducers_snippet_runs_alone(tmp_path: Path) -> None:
    info = usable("xla")
    (tmp_path / "alone.py").write_text(ALONE.format(imports=info.repro_imports, model=MODEL, repro=info.repro))
    subprocess.run([sys.executable, "alone.py"], cwd=tmp_path, check=True)
