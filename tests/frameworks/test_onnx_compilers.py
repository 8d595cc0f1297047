"""IREE, OpenVINO and TVM as compilers under test: small graphs, options, traces, and reproducers that run alone."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Outcome, Worker
from polyjuice.frameworks.lowering import lower
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from tests.support.compilers import usable
from tests.support.shares import in_the_long_run

LIMITS = Limits(compile_s=60)

Run = tuple[Graph, list[np.ndarray]]

Make = Callable[[], Run]

X = np.array([[1, -2, 3], [-4, 5, 7]], np.float32)


def matrix() -> Run:
    """A product that is transposed, activated and reduced, with a weight and two outputs."""
    build = GraphBuilder()
    x, w = build.input(TensorType("float32", (2, 3))), build.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    y = build.op(
        "Relu", build.op("Add", build.op("MatMul", x, w), build.op("Transpose", build.op("MatMul", x, w), perm=(1, 0)))
    )
    return build.build([y, build.op("ReduceSum", y, axes=(1,), keepdims=0)]), [X]


def mixed() -> Run:
    """Elements of several types, a scalar among them."""
    build = GraphBuilder()
    x, s, n = (build.input(TensorType(dtype, shape)) for dtype, shape in _MIXED)
    y = build.op("Cast", build.op("Mul", x, s), to="float32")
    chosen = build.op("Where", build.op("Greater", y, build.op("Neg", y)), y, build.op("Cast", n, to="float32"))
    return build.build([chosen, build.op("Cast", chosen, to="float16"), build.op("Neg", n), build.op("Abs", s)]), [
        X.astype(np.float16),
        np.array(-0.5, np.float16),
        np.array([3, -4, 5], np.int32),
    ]


_MIXED = [("float16", (2, 3)), ("float16", ()), ("int32", (3,))]


def gathered() -> Run:
    """Elements at indices that count from the end, of a type that two compilers return under another name."""
    build = GraphBuilder()
    x = build.input(TensorType("uint8", (2, 3)))
    rows = build.constant(np.array([-1, 0, -2]))
    return build.build([build.op("Gather", x, rows, axis=1)]), [np.array([[1, 2, 250], [3, 4, 255]], np.uint8)]


def unused() -> Run:
    """A graph whose first input is unused. Two outputs are one value, or an input itself."""
    build = GraphBuilder()
    _, x, y = (build.input(TensorType(dtype, (2, 3))) for dtype in ("float16", "float32", "int32"))
    z = build.op("Neg", x)
    return build.build([build.op("Add", y, y), z, build.op("Abs", z), z, x]), [
        X.astype(np.float16),
        X,
        X.astype(np.int32),
    ]


def shaped() -> Run:
    """A shape as the only output."""
    build = GraphBuilder()
    return build.build([build.op("Shape", build.input(TensorType("float32", (2, 3))))]), [X]


def halved() -> Run:
    """Bfloat16 in and out."""
    build = GraphBuilder()
    x = build.input(TensorType("bfloat16", (2, 3)))
    return build.build([build.op("Mul", x, build.constant(np.array(0.5, ml_dtypes.bfloat16)))]), [
        X.astype(ml_dtypes.bfloat16)
    ]


def chain() -> Run:
    """Elementwise operators in a row."""
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2, 3)))
    y = build.op("Mul", build.op("Abs", build.op("Add", x, build.op("Neg", build.op("Abs", x)))), x)
    return build.build([build.op("Add", y, x)]), [X]


def constant() -> Run:
    """An expression of constants beside one that is not."""
    build = GraphBuilder()
    x, w = build.input(TensorType("float32", (2, 3))), build.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    square = build.op("MatMul", w, build.op("Transpose", w, perm=(1, 0)))
    return build.build([build.op("Add", x, build.op("MatMul", square, w))]), [X]


def start(name: str, **options: Any) -> Worker:
    """A worker of the compiler with these options of `start`."""
    return Worker(usable(name), limits=LIMITS, options=options)


def check(compiler: Worker, make: Make) -> Outcome:
    """Run a graph and compare it with the interpreter. Every value is exact."""
    graph, inputs = make()
    outcome = compiler.execute(lower(graph, "onnx", 0, lacks=("functions", "forms")), [inputs])
    assert outcome.status == "ok", outcome.message + outcome.traceback
    for got, expected in zip(outcome.outputs[0], evaluate(graph, inputs), strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(got, expected)
    return outcome


def unknown_operator() -> Artifact:
    """A model with an operator that no library has."""
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (2,)) for name in "xy")
    graph = helper.make_graph([helper.make_node("NoSuchOperator", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return Artifact(format="onnx", source=model.SerializeToString())


_ALONE = """
import sys
import numpy as np
{imports}
{repro}
inputs = np.load(sys.argv[1])
outputs = prepare(open(sys.argv[2], "rb").read(), [inputs[name] for name in sorted(inputs)])()
np.savez(sys.argv[3], *outputs)
"""


def check_reproducer(name: str, folder: Path, make: Make = matrix) -> None:
    """Check that the snippet for reproducers runs in a process of its own."""
    info = usable(name)
    graph, inputs = make()
    source = lower(graph, "onnx", 0, lacks=("functions", "forms")).source
    assert isinstance(source, bytes)
    (folder / "model.onnx").write_bytes(source)
    np.savez(folder / "in.npz", *inputs)
    (folder / "alone.py").write_text(_ALONE.format(imports=info.repro_imports, repro=info.repro))
    subprocess.run([sys.executable, "alone.py", "in.npz", "model.onnx", "out.npz"], cwd=folder, check=True)
    outputs = np.load(folder / "out.npz")
    for got, expected in zip((outputs[key] for key in sorted(outputs)), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.fixture(scope="module", params=("iree", "openvino", "tvm"))
def compiler(request: pytest.FixtureRequest) -> Iterator[Worker]:
    with start(request.param) as worker:
        yield worker


@pytest.mark.parametrize("make", [matrix, mixed, gathered, *in_the_long_run(unused, shaped, halved)])
def test_it_agrees_with_the_interpreter(compiler: Worker, make: Make) -> None:
    assert check(compiler, make).trace == ()


def test_what_the_importer_refuses_is_unsupported(compiler: Worker) -> None:
    outcome = compiler.execute(unknown_operator(), [[X[0, :2]]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")
    assert "NoSuchOperator" in outcome.message


@pytest.mark.parametrize(("name", "level"), [("iree", "O0"), ("tvm", "0")])
def test_the_level_can_be_chosen(name: str, level: str) -> None:
    with start(name, level=level) as worker:
        check(worker, mixed)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("iree", {"level": "O4"}),
        ("openvino", {"device": "cuda"}),
        ("tvm", {"level": "4"}),
        *(pytest.param(name, {"device": "cuda"}, marks=pytest.mark.long) for name in ("iree", "tvm")),
    ],
)
def test_options_that_it_does_not_have(name: str, options: dict[str, str]) -> None:
    with pytest.raises(EnvironmentProblem, match=name):
        start(name, **options).start()


@pytest.mark.parametrize("name", ["openvino", *in_the_long_run("iree", "tvm")])
def test_the_reproducers_snippet_runs_alone(name: str, tmp_path: Path) -> None:
    check_reproducer(name, tmp_path)


# --- IREE -------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_part_of_iree_can_be_switched_off() -> None:
    with start("iree", trace=True) as worker:
        assert "HoistIntoGlobalsPass" in check(worker, constant).trace
        assert "const-expr-hoisting" in worker.info["knobs"]
    with start("iree", trace=True, disable=["const-expr-hoisting"]) as worker:
        assert "HoistIntoGlobalsPass" not in check(worker, constant).trace


def test_passes_of_llvm_can_be_switched_off_in_iree() -> None:
    with start("iree", trace=True, disable=["llvm instcombine"]) as worker:
        trace = check(worker, chain).trace
        assert "llvm *" in worker.info["knobs"]
    assert [entry for entry in trace if entry.startswith("without")] == ["without llvm instcombine"]


def test_all_parts_can_be_switched_off_together() -> None:
    """The compiler refuses flags that it does not have."""
    with start("iree") as plain:
        plain.start()
    with start("iree", trace=True, disable=plain.info["knobs"]) as worker:
        assert {"without llvm instcombine", "without llvm loop-vectorize"} <= set(check(worker, chain).trace)


# --- OpenVINO ---------------------------------------------------------------------------------------------------------


def renamed() -> Run:
    """The importer renames inputs that a Dropout reads, and drops inputs that no node reads."""
    builder = GraphBuilder()
    a, b, _, c = (builder.input(TensorType("float32", (3,)), name) for name in "abwc")
    kept = [builder.op("Dropout", name, ratio=0.5) for name in (b, a)]
    graph = builder.build([builder.op("Relu", c), builder.op("Sub", *kept)])
    return graph, [np.arange(3, dtype=np.float32) * scale for scale in (1, 10, 100, -1000)]


def test_an_input_that_is_renamed_is_set(tmp_path: Path) -> None:
    with start("openvino") as worker:
        check(worker, renamed)
    check_reproducer("openvino", tmp_path, renamed)


@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_a_type_that_the_plugin_narrows_is_unsupported(dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (2,)))
    with start("openvino") as worker:
        outcome = worker.execute(lower(build.build([build.op("Add", x, x)]), "onnx", 0), [[np.ones(2, dtype)]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")


def test_the_trace_names_the_nodes_that_run() -> None:
    with start("openvino", trace=True) as worker:
        trace = check(worker, chain).trace
    assert [node for node in trace if node.startswith("Subgraph")]


def test_a_part_of_openvino_can_be_switched_off() -> None:
    with start("openvino", trace=True, disable=["SNIPPETS_MODE"]) as worker:
        trace = check(worker, chain).trace
        assert "SNIPPETS_MODE" in worker.info["knobs"]
    assert [node for node in trace if node.startswith("Eltwise")]
    assert not [node for node in trace if node.startswith("Subgraph")]


def made_of(trace: tuple[str, ...], family: str) -> list[str]:
    """The parts of a family that a trace names."""
    return [entry for entry in trace if entry.startswith(f"{family} ")]


def product() -> Run:
    """A product of two inputs."""
    build = GraphBuilder()
    x, y = (build.input(TensorType("float32", shape)) for shape in ((2, 3), (3, 2)))
    return build.build([build.op("MatMul", x, y)]), [X, X.T.copy()]


def test_what_is_fused_can_be_kept_apart() -> None:
    with start("openvino", trace=True) as worker:
        assert made_of(check(worker, chain).trace, "fusion") == ["fusion Abs+Add+Abs+Multiply+Add"]
        assert {"fusion *", "kernel *"} <= set(worker.info["knobs"])
    for off in ("fusion *", "fusion Abs+Add+Abs+Multiply+Add"):
        with start("openvino", trace=True, disable=[off]) as worker:
            trace = check(worker, chain).trace
        assert "without fusion Abs+Add+Abs+Multiply+Add" in trace
        assert "fusion Abs+Add+Abs+Multiply+Add" not in trace


def test_a_kernel_can_be_the_reference_instead() -> None:
    with start("openvino", trace=True) as worker:
        (kernel,) = made_of(check(worker, product).trace, "kernel")
    for off in ("kernel *", kernel):
        with start("openvino", trace=True, disable=[off]) as worker:
            trace = check(worker, product).trace
        assert f"without {kernel}" in trace
        assert not made_of(trace, "kernel")
        assert [entry for entry in trace if "(ref_any_" in entry]


def test_kernels_can_do_without_avx() -> None:
    with start("openvino", trace=True, disable=["avx"]) as worker:
        trace = check(worker, chain).trace
    if platform.machine() != "x86_64":
        pytest.skip("there is no AVX to do without")
    assert [entry for entry in trace if "sse" in entry]
    assert not [entry for entry in trace if "avx" in entry]


# --- TVM --------------------------------------------------------------------------------------------------------------


def test_operators_are_fused_unless_that_is_switched_off() -> None:
    """`tvm.compile` alone fuses nothing."""
    with start("tvm", trace=True) as worker:
        assert {"FuseOps", "FuseTIR"} <= set(check(worker, matrix).trace)
        assert {"FuseOps", "tirx.VectorizeLoop", "FoldConstant"} <= set(worker.info["knobs"])
    with start("tvm", trace=True, disable=["FuseOps"]) as worker:
        trace = check(worker, matrix).trace
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
    with start("tvm", trace=True, disable=["llvm *"]) as worker:
        assert {"without llvm slp-vectorizer", "FuseOps"} <= set(check(worker, matrix).trace)
        assert "llvm *" in worker.info["knobs"]
    with start("tvm", trace=True, disable=["llvm loop-vectorize"]) as worker:
        trace = check(worker, matrix).trace
    assert [entry for entry in trace if entry.startswith("without")] == ["without llvm loop-vectorize"]


@pytest.mark.long
def test_the_machine_code_without_optimizations_of_llvm_is_another() -> None:
    usable("tvm")
    subprocess.run([sys.executable, "-c", CODE], check=True)
