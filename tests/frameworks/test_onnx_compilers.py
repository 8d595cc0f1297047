"""IREE, OpenVINO and TVM as compilers under test: small graphs, options, traces, and reproducers that run alone."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Outcome, Worker
from polyjuice.frameworks.lowering import lower
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from tests.support.bounds import assert_equal, parsed
from tests.support.compilers import usable
from tests.support.shares import in_the_long_run

LIMITS = Limits(compile_s=60)


def unused() -> Graph:
    """A graph whose first input is unused. Two outputs are one value, or an input itself."""
    build = GraphBuilder()
    _, x, y = (build.input(TensorType(dtype, (2, 3))) for dtype in ("float16", "float32", "int32"))
    z = build.op("Neg", x)
    return build.build([build.op("Add", y, y), z, build.op("Abs", z), z, x])


def halved() -> Graph:
    build = GraphBuilder()
    x = build.input(TensorType("bfloat16", (2, 3)))
    return build.build([build.op("Mul", x, build.constant(np.array(0.5, ml_dtypes.bfloat16)))])


def renamed() -> Graph:
    builder = GraphBuilder()
    a, b, _, c = (builder.input(TensorType("float32", (3,)), name) for name in "abwc")
    kept = [builder.op("Dropout", name, ratio=0.5) for name in (b, a)]
    return builder.build([builder.op("Relu", c), builder.op("Sub", *kept)])


Run = tuple[Graph, list[np.ndarray]]

X = np.array([[1, -2, 3], [-4, 5, 7]], np.float32)
X16, N = X.astype(np.float16), X.astype(np.int32)

W = "<float[3,2] w = {0, 1, 2, 3, 4, 5}, int64[1] one = {1}>"

RUNS: dict[str, Run] = {
    "matrix": (
        parsed(
            f"""(float[2,3] x) => (float[2,2] y, float[2] s) {W}
            {{ p = MatMul(x, w) t = Transpose(p) a = Add(p, t) y = Relu(a) s = ReduceSum<keepdims = 0>(y, one) }}"""
        ),
        [X],
    ),
    "mixed types": (
        parsed(
            """(float16[2,3] x, float16 s, int32[3] n) => (float[2,3] c, float16[2,3] h, int32[3] m, float16 b)
            { p = Mul(x, s) y = Cast<to = 1>(p) z = Neg(y) g = Greater(y, z) f = Cast<to = 1>(n) c = Where(g, y, f)
            h = Cast<to = 10>(c) m = Neg(n) b = Abs(s) }"""
        ),
        [X16, np.array(-0.5, np.float16), np.array([3, -4, 5], np.int32)],
    ),
    # Indices that count from the end, in a type that two compilers return under another name.
    "gathered": (
        parsed("(uint8[2,3] x) => (uint8[2,3] y) <int64[3] rows = {-1, 0, -2}> { y = Gather<axis = 1>(x, rows) }"),
        [np.array([[1, 2, 250], [3, 4, 255]], np.uint8)],
    ),
    "unused": (unused(), [X16, X, N]),
    "shape": (parsed("(float[2,3] x) => (int64[2] y) { y = Shape(x) }"), [X]),
    "bfloat16": (halved(), [X.astype(ml_dtypes.bfloat16)]),
    "chain": (
        parsed(
            """(float[2,3] x) => (float[2,3] y)
            { a = Abs(x) b = Neg(a) c = Add(x, b) d = Abs(c) e = Mul(d, x) y = Add(e, x) }"""
        ),
        [X],
    ),
    "constants": (
        parsed(
            """(float[2,3] x) => (float[2,3] y) <float[2,3] w = {0, 1, 2, 3, 4, 5}>
            { t = Transpose(w) s = MatMul(w, t) p = MatMul(s, w) y = Add(x, p) }"""
        ),
        [X],
    ),
    "product": (parsed("(float[2,3] x, float[3,2] y) => (float[2,2] z) { z = MatMul(x, y) }"), [X, X.T.copy()]),
    # The importer of OpenVINO renames inputs that a Dropout reads, and drops inputs that no node reads.
    "renamed": (renamed(), [np.arange(3, dtype=np.float32) * scale for scale in (1, 10, 100, -1000)]),
}


def start(name: str, **options: Any) -> Worker:
    return Worker(usable(name), limits=LIMITS, options=options)


def check(compiler: Worker, run: str) -> Outcome:
    """Run a graph and compare it with the interpreter. Every value is exact."""
    graph, inputs = RUNS[run]
    outcome = compiler.execute(lower(graph, "onnx", 0, lacks=("functions", "forms")), [inputs])
    assert outcome.status == "ok", outcome.message + outcome.traceback
    assert_equal(outcome.outputs[0], graph, inputs)
    return outcome


def unknown_operator() -> Artifact:
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


def check_reproducer(name: str, folder: Path, run: str = "matrix") -> None:
    """Check that the snippet for reproducers runs in a process of its own."""
    info = usable(name)
    graph, inputs = RUNS[run]
    source = lower(graph, "onnx", 0, lacks=("functions", "forms")).source
    assert isinstance(source, bytes)
    (folder / "model.onnx").write_bytes(source)
    np.savez(folder / "in.npz", *inputs)
    (folder / "alone.py").write_text(_ALONE.format(imports=info.repro_imports, repro=info.repro))
    subprocess.run([sys.executable, "alone.py", "in.npz", "model.onnx", "out.npz"], cwd=folder, check=True)
    outputs = np.load(folder / "out.npz")
    assert_equal([outputs[key] for key in sorted(outputs)], graph, inputs)


@pytest.fixture(scope="module", params=("iree", "openvino", "tvm"))
def compiler(request: pytest.FixtureRequest) -> Iterator[Worker]:
    with start(request.param) as worker:
        yield worker


@pytest.mark.parametrize("run", ["matrix", "mixed types", "gathered", *in_the_long_run("unused", "shape", "bfloat16")])
def test_it_agrees_with_the_interpreter(compiler: Worker, run: str) -> None:
    assert check(compiler, run).trace == ()


def test_what_the_importer_refuses_is_unsupported(compiler: Worker) -> None:
    outcome = compiler.execute(unknown_operator(), [[X[0, :2]]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")
    assert "NoSuchOperator" in outcome.message


@pytest.mark.parametrize(("name", "level"), [("iree", "O0"), ("tvm", "0")])
def test_the_level_can_be_chosen(name: str, level: str) -> None:
    with start(name, level=level) as worker:
        check(worker, "mixed types")


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


def test_all_parts_of_iree_can_be_switched_off_together() -> None:
    with start("iree") as plain:
        plain.start()
    assert {"llvm *", "const-expr-hoisting"} <= set(plain.info["knobs"])
    with start("iree", trace=True, disable=plain.info["knobs"]) as worker:
        assert {"without llvm instcombine", "without llvm loop-vectorize"} <= set(check(worker, "chain").trace)


# --- OpenVINO ---------------------------------------------------------------------------------------------------------


def test_an_input_that_is_renamed_is_set(tmp_path: Path) -> None:
    with start("openvino") as worker:
        check(worker, "renamed")
    check_reproducer("openvino", tmp_path, "renamed")


@pytest.mark.parametrize("dtype", ["float64", "uint64"])
def test_a_type_that_the_plugin_narrows_is_unsupported(dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (2,)))
    with start("openvino") as worker:
        outcome = worker.execute(lower(build.build([build.op("Add", x, x)]), "onnx", 0), [[np.ones(2, dtype)]])
    assert (outcome.status, outcome.stage) == ("unsupported", "load")


def test_int64_is_computed_in_int32() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int64", (3,)))
    with start("openvino") as worker:
        outcome = worker.execute(
            lower(build.build([build.op("Add", x, x)]), "onnx", 0), [[np.array([7, 2**29, 2**30])]]
        )
    assert outcome.outputs[0][0].tolist() == [14, 2**30, -(2**31)]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="OpenVINO loses errors on one processor")
def test_a_run_that_fails_raises_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    model = onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["" : 18]>
        sum (float[n] a, float[m] b) => (float[k] y) { y = Add (a, b) }
    """)
    with start("openvino") as worker:
        outcome = worker.execute(
            Artifact(format="onnx", source=model.SerializeToString()),
            [[np.ones(3, np.float32), np.ones(4, np.float32)]],
        )
    assert (outcome.status, outcome.stage) == ("error", "run")


FUSION = "fusion Abs+Add+Abs+Multiply+Add"


@pytest.mark.parametrize(
    ("name", "run", "disable", "named", "missing"),
    [
        pytest.param("iree", "constants", (), ("HoistIntoGlobalsPass",), (), marks=pytest.mark.long),
        pytest.param("iree", "constants", ("const-expr-hoisting",), (), ("HoistInto",), marks=pytest.mark.long),
        ("iree", "chain", ("llvm instcombine",), ("without llvm instcombine",), ("without llvm l",)),
        ("openvino", "chain", (), ("Subgraph", FUSION), ("without",)),
        ("openvino", "chain", ("SNIPPETS_MODE",), ("Eltwise",), ("Subgraph",)),
        ("openvino", "chain", ("fusion *",), (f"without {FUSION}",), (FUSION,)),
        ("openvino", "chain", (FUSION,), (f"without {FUSION}",), (FUSION,)),
        ("openvino", "product", (), ("kernel ",), ("without",)),
        ("openvino", "product", ("kernel *",), ("without kernel ",), ("kernel ",)),
        ("tvm", "matrix", (), ("FuseOps", "FuseTIR"), ("without",)),  # `tvm.compile` alone fuses nothing
        ("tvm", "matrix", ("FuseOps",), ("LegalizeOps",), ("FuseOps",)),
        ("tvm", "matrix", ("llvm *",), ("without llvm slp-vectorizer", "FuseOps"), ()),
        ("tvm", "matrix", ("llvm loop-vectorize",), ("without llvm loop-vectorize",), ("without llvm s",)),
    ],
)
def test_a_part_can_be_switched_off_and_the_trace_names_what_ran(
    name: str, run: str, disable: tuple[str, ...], named: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    with start(name, trace=True, disable=list(disable)) as worker:
        trace = check(worker, run).trace
        families = {f"{entry.split()[0]} *" if " " in entry else entry for entry in disable}
        assert families <= set(worker.info["knobs"])
    for prefix in named:
        assert any(entry.startswith(prefix) for entry in trace), (prefix, trace)
    assert [entry for entry in trace if entry.startswith(missing)] == []


def test_one_kernel_can_be_the_reference_instead() -> None:
    with start("openvino", trace=True) as worker:
        (kernel,) = (entry for entry in check(worker, "product").trace if entry.startswith("kernel "))
    with start("openvino", trace=True, disable=[kernel]) as worker:
        trace = check(worker, "product").trace
    assert f"without {kernel}" in trace
    assert [entry for entry in trace if "(ref_any_" in entry]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no AVX to do without")
def test_kernels_can_do_without_avx() -> None:
    with start("openvino", trace=True, disable=["avx"]) as worker:
        trace = check(worker, "chain").trace
    assert [entry for entry in trace if "sse" in entry]
    assert not [entry for entry in trace if "avx" in entry]


# --- TVM --------------------------------------------------------------------------------------------------------------

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


@pytest.mark.long
def test_the_machine_code_without_optimizations_of_llvm_is_another() -> None:
    usable("tvm")
    subprocess.run([sys.executable, "-c", CODE], check=True)


@pytest.mark.parametrize(
    "options", [{}, {"disable": ["bytecode"]}, {"first": ["InlinePrivateFunctions", "FoldConstant"]}]
)
def test_tvm_calls_functions_that_its_importer_refuses(options: dict[str, Any]) -> None:
    """The program has a function that calls another one. It runs as bytecode, compiled, and after passes."""
    model = onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["" : 18, "model" : 1]>
        main (float[2,3] x) => (float[2,3] y) 
            <int64[2] shape = {3, 2}> { a = Relu(x)  b, c = model.around(a, x, shape)  y = Sub(b, c) }
        <domain: "model", opset_import: ["" : 18]>
        part (a, b, s) => (c, d) { d = Add(a, b)  e = Reshape(d, s)  t = Shape(d)  f = Reshape(e, t)  c = Neg(f) }
        <domain: "model", opset_import: ["" : 18, "model" : 1]>
        around (a, b, s) => (c, d) { c, d = model.part(a, b, s) }
    """)
    with start("tvm", **options) as worker:
        outcome = worker.execute(Artifact(format="onnx", source=model.SerializeToString()), [[X]])
    assert outcome.status == "ok", outcome.message
    assert (outcome.outputs[0][0] == -2 * (np.maximum(X, 0) + X)).all()
