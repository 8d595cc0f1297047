"""Reproducers: the text means the same as the arrays, nothing in it is unused, and errors are no bugs."""

from __future__ import annotations

import base64
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ml_dtypes import bfloat16

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.execution import LoweringChoices, Outcome
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import reproducer as onnx_models
from polyjuice.frameworks.torch.reproducer import laid_out
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case, InputSet, Program, Verdict
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage import reproducers, run_reproducer, write_finding
from polyjuice.triage.reproducers.arrays import LARGEST, Arrays, archive, bytes_expression, can_embed, embedded_model
from tests.support.planted import planted

MATRIX = TensorType("float32", (3, 4))

# --- arrays ---------------------------------------------------------------------------------------------------


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray:
    """Arrays of every type with difficult values: signed zeros, NaN and infinity, the ends of the types."""
    dtype = draw(st.sampled_from(dtypes.ALL))
    shape = draw(st.lists(st.integers(1, 4), max_size=3))
    seed = draw(st.integers(0, 2**32 - 1))
    bits = np.random.default_rng(seed).integers(0, 256, int(np.prod(shape)) * 8, np.uint8)
    if dtype == "bool":
        return (bits[: int(np.prod(shape))] % 2 == 1).reshape(shape)
    array = bits.view(dtypes.to_numpy(dtype))[: int(np.prod(shape))].reshape(shape)
    special = draw(st.sampled_from([0, 1, -1, -0.0, 0.1, 3e9, np.nan, np.inf]))
    if dtypes.is_float(dtype) and draw(st.booleans()):
        with np.errstate(over="ignore"):
            array = np.full(shape, special).astype(array.dtype)
    return array


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether arrays have the same type, shape and values, including the signs of zeros."""
    both = (a.astype(np.float64), b.astype(np.float64)) if a.dtype.kind not in "iub" else (a, b)
    signs = np.array_equal(np.signbit(both[0]), np.signbit(both[1])) if a.dtype.kind not in "iub" else True
    nan = np.isnan(both[0]).any() if a.dtype.kind not in "iub" else False
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(*both, equal_nan=True) and bool(signs or nan)


@pytest.mark.parametrize("format", ["onnx", "torch"])
@given(array=arrays())
def test_an_array_that_is_written_out_is_that_array(format: str, array: np.ndarray) -> None:
    import ml_dtypes

    torch = pytest.importorskip("torch")
    text = Arrays(format=format, device="cpu", inline=True).expression("x", array)
    made = eval(text, {"np": np, "ml_dtypes": ml_dtypes, "torch": torch})
    if format == "torch":
        assert str(made.dtype) == f"torch.{dtypes.dtype_of(array)}"
        made = made.view(torch.int16).numpy().view(bfloat16) if array.dtype == bfloat16 else made.numpy()
    assert same(made, array), text


@pytest.mark.parametrize(
    ("format", "array", "text"),
    [
        ("onnx", np.arange(3, 9, dtype=np.int64), "x = np.arange(3, 9, dtype=np.int64)"),
        ("torch", np.arange(0, 12, 2, dtype=np.int8), "x = torch.arange(0, 12, 2, dtype=torch.int8)"),
        ("torch", np.eye(3, 4, dtype=np.float32), "x = torch.eye(3, 4, dtype=torch.float32)"),
        ("torch", np.full((32,), 5, np.int8), "x = torch.full((32,), 5, dtype=torch.int8)"),
        ("jax", np.ones((3, 3), np.float32), "x = jnp.ones((3, 3), jnp.float32)"),
        ("tensorflow", np.arange(5, dtype=np.int32), "x = tf.range(5, dtype=tf.int32)"),
        (
            "torch",
            np.array([[0, 0, 0, 0, 0], [0, 0, np.nan, 0, 0]], np.float32),
            "x = torch.zeros((2, 5), dtype=torch.float32)\nx[1, 2] = np.nan",
        ),
        (
            "jax",
            np.array([-0.0, *[1] * 9], np.float32),
            "x = jnp.ones((10,), jnp.float32)\nx = x.at[0].set(-0.0)",
        ),
    ],
)
def test_a_regular_array_is_written_by_a_constructor(format: str, array: np.ndarray, text: str) -> None:
    assert Arrays(format=format, device="cpu", inline=True).assigned("x", "x", array) == text


def test_a_large_array_is_taken_from_the_archive() -> None:
    numbers = Arrays(format="onnx", device="cpu", inline=True)
    assert numbers.expression("x", np.zeros((100, 100), np.float32)) == "np.zeros((100, 100), np.float32)"
    assert not numbers.read
    assert numbers.expression("x", np.arange(100) % 7) == 'ARRAYS["x"]'
    assert numbers.read


@pytest.mark.parametrize(
    "layout", ["contiguous", "transposed", "sliced", "expanded:1", "channels_last", "stepped", "offset"]
)
def test_an_input_lies_in_memory_as_the_compiler_had_it(layout: str) -> None:
    torch = pytest.importorskip("torch")
    from polyjuice.compilers import _torch

    shape = (2, 3, 4, 5) if layout == "channels_last" else (2, 3)
    x = torch.ones(shape) if layout.startswith("expanded") else torch.rand(shape)
    y = eval(laid_out("x", TensorType("float32", shape), layout), {"x": x, "torch": torch})
    wanted = _torch.lay_out(x, layout)
    assert torch.equal(y, wanted)
    assert (y.stride(), y.storage_offset()) == (wanted.stride(), wanted.storage_offset())


# --- ONNX models ----------------------------------------------------------------------------------------------


def plain(graph: Graph) -> bytes:
    artifacts = (lower(graph, "onnx", seed, lacks=("functions", "forms")) for seed in range(100))
    source = next(artifact.source for artifact in artifacts if not artifact.idioms)
    assert isinstance(source, bytes)
    return source


def small_model() -> bytes:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (1, 3, 4)))
    parts = build.multi("Split", x, axis=1, split=(1, 2))
    weight = build.constant(np.array([[[0.1, -2], [3, 4e-9]]], np.float32))
    y = build.op("Conv", parts[1], weight, dilations=(1,), group=1, pads=(0, 1), strides=(1,))
    return plain(build.build([build.op("LeakyRelu", y, alpha=0.01)]))


def chain(length: int) -> Graph:
    build = GraphBuilder()
    x = build.input(MATRIX)
    for _ in range(length):
        x = build.op("Relu", x)
    return build.build([x])


def test_a_model_that_is_written_out_is_that_model() -> None:
    source = small_model()
    text = onnx_models.written({"A": source, "B": source}, ["x"])
    assert text
    names: dict[str, Any] = {"onnx": onnx, "np": np}
    exec(text, names)
    for side in "AB":
        made = onnx.load_from_string(names[side])
        onnx.checker.check_model(made)
        wanted = graph_files.from_model(onnx.load_from_string(source))
        assert digest(graph_files.from_model(made)) == digest(wanted)
        assert [value.name for value in made.graph.input] == ["x"]
    large = plain(chain(20))
    assert onnx_models.written({"A": large}, ["x"]) is None
    assert onnx_models.written({"A": source, "B": large}, ["x"]) is None, "they take different inputs"


# --- whole reproducers ----------------------------------------------------------------------------------------


def test_a_small_reproducer_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reproducer needs no other file. It shows the fault as long as the fault is planted."""
    finding = planted(tmp_path / "f", "onnxruntime/split-uneven", monkeypatch)
    text = (finding / "repro.py").read_text()
    assert "onnx.parser.parse_model" in text
    assert "npz" not in text
    assert ".onnx" not in text
    for needless in ("subprocess", "gap(", "ml_dtypes", "Path"):
        assert needless not in text
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "repro.py").write_text(text)
    status, printed = run_reproducer(alone, sys.executable, 60)
    assert status == 1, printed
    assert "float64:" in printed
    monkeypatch.delenv("POLYJUICE_MUTANT")
    assert run_reproducer(alone, sys.executable, 60)[0] == 0


def test_what_is_not_written_out_is_held_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in bytes has a listing above it, and the bytes stay the same. Arrays are held in the same way."""
    source = small_model()
    text = embedded_model("A", source)
    assert "#   ONNX model, opset 18" in text
    assert any(line.startswith("#   ") and "LeakyRelu(" in line for line in text.splitlines())
    names: dict[str, Any] = {"base64": base64, "io": io, "np": np}
    exec(text, names)
    assert names["A"] == source
    array = np.arange(1000, dtype=np.float32)
    loaded = eval(f"np.load(io.BytesIO({bytes_expression(archive({'x': array}))}))", names)
    assert same(loaded["x"], array)
    assert not can_embed(bytes(LARGEST + 1))


def test_a_model_of_many_operators_needs_no_file_beside_the_reproducer(tmp_path: Path) -> None:
    graph = chain(20)
    sets = [InputSet(profile="exact", arrays=(np.zeros(MATRIX.shape, np.float32),))]
    outcome = Outcome(status="error", stage="compile", message="Fail: oh no")
    program = pipeline.prepare("original", graph, lower(graph, "onnx", LoweringChoices()), sets)
    case = Case(sets=sets, programs=[replace(program, outcome=outcome)])
    verdict = Verdict(oracle="crash", kind="crash", a="original", b="", message="no", signature="crash")
    with CompilerSession(Conditions(timeout_s=60), find("onnxruntime")) as session:
        session.worker().start()
        write_finding(tmp_path / "f", session, case, verdict)
    text = (tmp_path / "f/repro.py").read_text()
    assert "base64.b64decode" in text
    assert "with_name" not in text
    assert "Attach" not in (tmp_path / "f/report.md").read_text()


def test_a_reduced_finding_of_inductor_shows_all_backends_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float16", (2,))))])
    artifact = lower(graph, "torch", LoweringChoices())
    sets = [InputSet(profile="exact", arrays=(np.array([1, -1], np.float16),))]
    session = CompilerSession(Conditions(), find("inductor"))
    monkeypatch.setattr(CompilerSession, "versions", {"inductor": "2.13.0"})
    program = pipeline.prepare("original", graph, artifact, sets)
    verdict = Verdict(
        oracle="differential",
        kind="mismatch",
        a="original",
        b="",
        message="",
        signature="",
        inputs=0,
        output=0,
        culprit="original",
        comparison="bitwise",
        allowed=np.zeros(2),
    )

    def written(verdict: Verdict, program: Program) -> str:
        text = reproducers.side_by_side(session, Case(sets=sets, programs=[program]), verdict, [artifact])
        compile(text, "repro.py", "exec")
        return text

    text = written(verdict, program)
    assert "'aot_eager', 'aot_eager_decomp_partition', 'inductor', 'inductor with emulate_precision_casts'" in text
    assert "torch._dynamo.utils.same(eager, outputs[0], fp64_ref=reference" in text
    assert "side_by_side(told)" in text
    shown, *_ = reproducers.texts(session, Case(sets=sets, programs=[program]), verdict, [artifact])
    assert "side_by_side" not in shown
    leveled = replace(verdict, oracle="optlevel", culprit="original at level aot_eager", level="aot_eager")
    assert not written(leveled, program)  # the reproducer compares two levels by itself
    failed = replace(verdict, oracle="crash", kind="crash", allowed=None)
    broken = replace(program, outcome=Outcome(status="error", stage="compile", message="no"))
    text = written(failed, broken)
    assert '    side_by_side(lambda outputs: "runs")\n    sys.exit(1)' in text


CALLS = {
    "inductor": "x = torch.full((32,), 5, dtype=torch.int8)\na = torch.compile(A)(x)\n",
    "xla": "x = tf.constant(5, tf.int8, (32,))\na = tf.function(A, jit_compile=True)(x)\n",
    "jax": "x = jnp.full((32,), 5, jnp.int8)\na = jax.jit(A)(x)\n",
    "onnxruntime": 'x = np.full((32,), 5, np.int8)\na = onnxruntime.InferenceSession(A).run(None, {"x": x})[0]\n',
    "openvino": 'read_model(A), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})({"x": x})[0]\n',
    "tvm": "x = np.full((32,), 5, np.int8)\n",
    "iree": "x = np.full((32,), 5, np.int8)\n",
}
"""How the program of one operator is called, in the words of each compiler's users, right before the check."""


@pytest.mark.parametrize("compiler", CALLS)
def test_a_reproducer_of_one_operator_begins_with_it_and_is_short(
    compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CompilerSession, "versions", {compiler: "1.0"})
    x = TensorType("int8", (32,))
    build = GraphBuilder()
    graph = build.build([build.op("ReduceMin", build.input(x), axes=(0,), keepdims=0)])
    session = CompilerSession(Conditions(), find(compiler))
    artifact = lower(graph, session.compiler.format, LoweringChoices())
    sets = [InputSet(profile="exact", arrays=(np.full(x.shape, 5, np.int8),))]
    program = pipeline.prepare("original", graph, artifact, sets)
    message = "original is off by 5 where the result is exact at its only element; at [] it gives 0, and float64 5"
    verdict = Verdict(
        oracle="differential",
        kind="mismatch",
        a="original",
        b="",
        message=f"output 0 (int8[]): {message}",
        signature="",
        culprit="original",
        comparison="bitwise",
        allowed=np.zeros(()),
    )
    text, *_ = reproducers.texts(session, Case(sets=sets, programs=[program]), verdict, [artifact])
    compile(text, "repro.py", "exec")
    before, _, check = text.partition("# The check: ")
    assert len(before.splitlines()) <= 25, before
    assert before.rstrip().endswith(CALLS[compiler].rstrip())
    code = [line for line in before.split('"""\n\n', 1)[1].splitlines() if line]
    first = next(line for line in code if not line.startswith(("import ", "from ", "sys.", "os.", "jax.config")))
    assert first in ("def A(x):", 'A = onnx.parser.parse_model("""')
    assert "sys.exit(" in check


def test_a_reproducer_that_dies_could_not_run(tmp_path: Path) -> None:
    (tmp_path / "repro.py").write_text("import os\nos.abort()\n")
    status, printed = run_reproducer(tmp_path, sys.executable, 10)
    assert status == 2
    assert "SIGABRT" in printed


@pytest.mark.parametrize(("compiler", "options"), [("eager", {}), ("inductor", {"level": "eager"})])
def test_a_model_that_writes_into_its_inputs_finds_them_as_they_were(compiler: str, options: dict[str, str]) -> None:
    torch = pytest.importorskip("torch")
    info = find(compiler)
    names: dict[str, Any] = {}
    exec(info.repro_imports + info.repro, names)
    x = torch.ones(3)
    call = names["prepare"](lambda x: (x.add_(1),), [x], **options)
    assert call()[0].tolist() == call()[0].tolist() == [2, 2, 2]
    assert x.tolist() == [1, 1, 1]
