"""Artifacts and arrays pass through the worker's channel, and misspelt programs differ from unsupported ones."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import polyjuice
from polyjuice import compilers, execution, plugins
from polyjuice.compilers import find
from polyjuice.execution import Artifact, EnvironmentProblem, Limits, Outcome, Worker
from polyjuice.execution.broken import is_broken
from polyjuice.frameworks import registry
from tests.support.workers import LIMITS, ONES, fake

ECHO = """
INFO = {"format": "onnx", "needs": "nothing", "repro": "prepare = None"}

def version(): return "1"
def check(): pass
def start(options): pass
def load(artifact): return artifact
def compile(program, inputs): return program
def run(compiled, inputs): return [*inputs, *compiled["arrays"].values()]
def eager(program, inputs):
    if program["source"] == b"refuse":
        raise ValueError("unknown operator")
    return [("uint8", __import__("numpy").frombuffer(program["source"], "uint8"))]
def knobs(): return []
def trace(compiled): return sorted(compiled["arrays"])
"""

ONNX = "INFO = {'format': 'onnx', 'needs': 'it', 'repro': 'prepare = None'}"

BITS = np.arange(2**16, dtype=np.uint16)


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    path = tmp_path_factory.mktemp("compiler") / "echo.py"
    path.write_text(ECHO)
    with Worker(compilers.read("echo", path), limits=Limits(compile_s=20)) as worker:
        yield worker


@pytest.mark.parametrize(
    "array",
    [
        BITS.view(ml_dtypes.bfloat16),
        BITS.view(np.float16),
        BITS.view(np.int16),
        BITS.view(np.uint8),
        np.array(1.5, ml_dtypes.bfloat16),
        np.array(True),
        np.array([True, False]),
        np.array(-3, np.int8),
        np.zeros((2, 0, 3), np.float64),
        np.zeros(0, ml_dtypes.bfloat16),
        np.arange(24, dtype=np.int32).reshape(2, 3, 4).transpose(2, 0, 1),
        np.array([np.nan, -0.0, np.inf, 5e-324]),
        np.iinfo(np.int64).min + np.arange(3),
        np.random.default_rng(0).random((500, 1000), np.float32),
    ],
    ids=lambda array: f"{array.dtype.name}-{array.shape}",
)
def test_arrays_return_bit_for_bit(worker, array):
    outcome = worker.execute(Artifact(format="onnx", source=b"model", arrays={"w": array}), [[array]])
    assert outcome.status == "ok", outcome.message
    for result in outcome.outputs[0]:
        assert result.dtype == array.dtype
        assert result.shape == array.shape
        assert result.tobytes() == array.tobytes()


def test_many_and_large_arrays(worker):
    arrays = {f"w{i}": np.full(2**20, i, np.float64) for i in range(8)}
    outcome = worker.execute(Artifact(format="onnx", source=b"", arrays=arrays), [[]])
    assert [output[0] for output in outcome.outputs[0]] == list(range(8))
    assert outcome.trace == tuple(arrays)


def test_reference_outputs_are_those_of_eager(worker):
    outcome = worker.execute(Artifact(format="onnx", source=b"\x00bytes\xff"), [[]])
    assert outcome.reference[0][0].tobytes() == b"\x00bytes\xff"
    assert worker.execute(Artifact(format="onnx", source=b""), [[]], reference=False).reference is None


def test_what_eager_refuses_is_unsupported(worker):
    outcome = worker.execute(Artifact(format="onnx", source=b"refuse"), [[]])
    assert (outcome.status, outcome.stage) == ("unsupported", "eager")
    assert outcome.message == "ValueError: unknown operator"
    assert worker.execute(Artifact(format="onnx", source=b"refuse"), [[]], reference=False).status == "ok"


def test_what_cannot_be_sent_is_refused_and_leaves_the_worker_usable(worker):
    with pytest.raises(TypeError, match="float128"):
        worker.execute(Artifact(format="onnx", source=b""), [[np.ones(2, np.longdouble)]])
    with pytest.raises(TypeError, match="float32"):
        worker.execute(Artifact(format="onnx", source=b""), [[np.ones(2, ">f4")]])
    with pytest.raises(ValueError, match="echo takes onnx, not torch"):
        worker.execute(Artifact(format="torch", source=""), [[]])
    assert worker.execute(Artifact(format="onnx", source=b""), [[]]).status == "ok"


def test_compilers_are_found_by_name():
    assert {"eager", "inductor"} <= set(compilers.names())
    info = compilers.find("inductor")
    assert (info.name, info.path.name, info.format) == ("inductor", "inductor.py", "torch")
    assert "pip install" in info.needs
    with pytest.raises(EnvironmentProblem, match=r"no compiler is called 'gcc'; there are .*inductor"):
        compilers.find("gcc")


def test_an_entry_point_is_found_without_importing_it(tmp_path, monkeypatch):
    package = tmp_path / "third_party_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    (package / "vendor.py").write_text(f"{ONNX}\nraise AssertionError('imported')")
    metadata = tmp_path / "third_party-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[{plugins.COMPILERS}]\nvendor = third_party_package.vendor\ngone = no_such_package.vendor\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert compilers.find("vendor").path == package / "vendor.py"
    assert "gone" not in compilers.names()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FORMAT = 'onnx'", "it is missing: write INFO = {...}"),
        ("INFO = {'format': name()}", "it must be a literal"),
        ("INFO = ['onnx']", "it is missing"),
        ("INFO = {'format': 'onnx', 'needs': 'it'}", "it lacks 'repro'"),
        (f"{ONNX[:-1]}, 'lvels': ['0']}}", "it has no field 'lvels'; did you mean levels?"),
        (f"{ONNX[:-1]}, 'speed': 'fast'}}", "it has no field 'speed'; there are format, needs, repro, "),
        (f"{ONNX[:-1]}, 'name': 'other'}}", "it has no field 'name'"),
        (f"{ONNX[:-1]}, 'levels': '0 1 2'}}", "levels must be a list of texts, not '0 1 2'"),
        (f"{ONNX[:-1]}, 'nodes': '20'}}", "nodes must be a number, not '20'"),
        (f"{ONNX[:-1]}, 'nodes': 0}}", "nodes must be at least 1, not 0"),
        (f"{ONNX[:-1]}, 'fast': 1}}", "fast must be True or False, not 1"),
        (f"{ONNX[:-1]}, 'edge_policies': ['Max']}}", "edge_policies must be a dictionary of texts, not ['Max']"),
        (f"{ONNX[:-1]}, 'edge_policies': {{'Max': ''}}}}", "edge_policies needs the URL of a source for 'Max'"),
        (f"{ONNX[:-1]}, 'level_names': {{'3': 'O3'}}}}", "level_names has '3', which is not one of the levels"),
        (f"{ONNX[:-1]}, 'conditions': {{'variable A': ''}}}}", "as in 'variable NAME=VALUE', not 'variable A'"),
        (ONNX.replace("onnx", "tflite"), "format must be one of jax, onnx, tensorflow, torch, not 'tflite'"),
    ],
)
def test_a_wrong_info_is_named_with_its_file(tmp_path, text, words):
    path = tmp_path / "bad.py"
    path.write_text(f"{text}\n")
    with pytest.raises(EnvironmentProblem, match=re.escape(f"{path}: INFO: ")) as problem:
        compilers.read("bad", path)
    assert words in str(problem.value)


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "one.py"
    path.write_text(f"{ONNX[:-1]}, 'edge_policies': {{'Max float16': 'https://example.org/1'}}}}\n")
    assert compilers.read("one", path).edge_policies == {"Max float16": "https://example.org/1"}
    path.write_text("")
    os.utime(path, (0, 0))
    with pytest.raises(EnvironmentProblem, match="it is missing"):
        compilers.read("one", path)


@pytest.mark.parametrize("format", registry.names())
def test_each_format_has_one_default_compiler(format):
    own = [compilers.find(name) for name in compilers.names()]
    assert [info for info in own if info.default and info.format == format] == [compilers.default(format)]
    assert compilers.suite_guards(format)


COMPILER_FILES = sorted(path for path in Path(compilers.__file__).parent.glob("*.py") if path.name != "__init__.py")
WORKER_FILES = [Path(execution.__file__).with_name(name) for name in ("worker.py", "_wire.py")]
# Modules that a compiler file may import besides a module of its own name.
FRAMEWORKS = {
    "_inductor_knobs": {"torch"},
    "_inductor_lines": {"torch"},
    "_exported": {"torch"},
    "_onnx_values": {"onnxruntime"},
    "_openvino": {"openvino"},
    "_openvino_parts": {"openvino"},
    "_inductor_unit": {"torch"},
    "_narrow": {"ml_dtypes"},
    "_tensorflow": {"tensorflow"},
    "_torch": {"torch"},
    "_torch_memory": {"torch"},
    "_tvm": {"tvm", "tvm_ffi"},
    "_tvm_functions": {"onnx", "tvm"},
    "eager": {"torch"},
    "inductor": {"torch"},
    "iree": {"onnx"},
    "numpy": {"onnx", "polyjuice"},
    "openvino": {"onnx"},
    "openvino_torch": {"openvino"},
    "torch_onnx": {"onnxruntime", "onnxscript", "torch"},
    "tvm": {"onnx"},
    "tvm_torch": {"torch", "tvm"},
    "xla": {"tensorflow"},
}


@pytest.mark.parametrize("path", COMPILER_FILES + WORKER_FILES, ids=lambda path: path.name)
def test_files_of_the_worker_run_in_a_foreign_interpreter(path):
    """They are Python 3.9, and import only the standard library, NumPy, their framework, and "_" neighbours."""
    allowed = {*sys.stdlib_module_names, "numpy", path.stem, *FRAMEWORKS.get(path.stem, ())}
    if path in WORKER_FILES:
        allowed -= {path.stem}
    for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 9))):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and node.level:
            assert node.level == 1
            names = [node.module] if node.module else [alias.name for alias in node.names]
            assert all(name.startswith("_") for name in names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module.split(".")[0] in allowed


def test_inputs_of_the_call_before_are_not_sent_again(worker, monkeypatch):
    sent = []
    checked = execution.host._wire.checked
    monkeypatch.setattr(execution.host._wire, "checked", lambda arrays: sent.append(len(arrays)) or checked(arrays))
    inputs = [[np.arange(3)], [np.arange(3) + 1]]
    for arrays in ({}, {"w": np.ones(2)}):
        outcome = worker.execute(Artifact(format="onnx", source=b"", arrays=arrays), inputs)
        assert [output[0].tolist() for output in outcome.outputs] == [[0, 1, 2], [1, 2, 3]]
    equal = [list(one) for one in inputs]
    assert [o[0].tolist() for o in worker.execute(Artifact(format="onnx", source=b""), equal).outputs] == [
        [0, 1, 2],
        [1, 2, 3],
    ]
    assert sent == [3, 2, 3]
    worker.close()  # a new process has not received the inputs
    assert worker.execute(Artifact(format="onnx", source=b""), equal).status == "ok"
    assert sent == [3, 2, 3, 3]


@pytest.mark.parametrize(
    ("failure", "status"), [("raise ValueError('negative')", "error"), ("__import__('os').abort()", "crash")]
)
def test_the_inputs_on_which_a_run_fails_are_told(tmp_path: Path, failure: str, status: str) -> None:
    failing = f"""
    def run(compiled, inputs):
        if inputs[0][1].min() < 0:
            {failure}
        return inputs
    """
    with Worker(fake(tmp_path, failing), limits=LIMITS) as worker:
        outcome = worker.execute(Artifact(format="torch", source="pass"), [[ONES], [-ONES], [ONES]])
    assert (outcome.status, outcome.stage, outcome.failed) == (status, "run", 1)


def test_the_time_limit_is_one_for_all_sets_of_inputs(tmp_path: Path) -> None:
    slow = """
    def run(compiled, inputs):
        __import__("time").sleep(0.6)
        return inputs
    """
    with Worker(fake(tmp_path, slow), limits=Limits(run_s=1)) as worker:
        outcome = worker.execute(Artifact(format="torch", source="pass"), [[ONES]] * 5)
    assert (outcome.status, outcome.stage) == ("hang", "run")


WRITTEN_FOR = {name: registry.find(name).written_for for name in registry.names()}

MODELS = {
    "torch": "import torch\nclass Model(torch.nn.Module):\n"
    "    def __init__(self, arrays):\n        super().__init__()\n    def forward(self, x):\n        return (%s,)\n",
    "tensorflow": "import tensorflow as tf\nclass Model(tf.Module):\n"
    "    def __init__(self, arrays):\n        super().__init__()\n    def __call__(self, x):\n        return (%s,)\n",
}

MISSPELT = {
    "torch": ["torch.abs(y)", "torch.abs(x", "f'{x.abs:}' + x", "x @ 2"],
    "tensorflow": ["tf.abs(y)", "tf.abs(x", "'a' - x.shape", "tf.cast(x, tf.float32) / tf.cast(x, tf.float64)"],
}
"""Programs that are wrong in every release."""

NEW_OR_OLD = {
    "torch": [
        "torch.abz(x)",
        "x.abz()",
        "torch.nn.functional.abz(x)",
        "torch.ops.aten.abz(x)",
        "torch.abs(x, 2)",
        "x.abs(2)",
        "torch.sum(x, axs=1)",
        "torch.nn.functional.relu(x, axs=1)",
    ],
    "tensorflow": [
        "tf.abz(x)",
        "tf.math.abz(x)",
        "x.abz()",
        "tf.abs(x, 2, 3)",
        "tf.reduce_sum(x, axs=1)",
    ],
}
"""Programs that are wrong in this release. Another release may have the function or the argument."""

UNSUPPORTED = {
    "torch": ["~x.float()", "x.float() & x.float()", "-(x > 0)", "x.reshape(7)", "x.to(torch.float8_e4m3fn) + 1"],
    "tensorflow": ["tf.math.reduce_variance(x)", "tf.sin(x)", "tf.reshape(x, [7])"],
}
"""Programs with an element type, a shape or a value that the framework does not support."""


@pytest.fixture(scope="module", params=MODELS)
def framework(request: pytest.FixtureRequest) -> Iterator[Worker]:
    with Worker(find({"torch": "eager", "tensorflow": "xla"}[request.param])) as framework:
        yield framework


def outcome(framework: Worker, expression: str) -> Outcome:
    format = framework.compiler.format
    found = framework.execute(
        Artifact(format=format, source=MODELS[format] % expression), [[np.array([1, 2])]], compile=False
    )
    assert found.status == "unsupported", found
    return found


def test_a_misspelt_program_is_broken(framework: Worker) -> None:
    format = framework.compiler.format
    for expression in MISSPELT[format]:
        for version in (WRITTEN_FOR[format], "1.0"):
            assert is_broken(outcome(framework, expression), format, version), expression


def test_a_function_that_another_release_lacks_breaks_no_program_there(framework: Worker) -> None:
    format = framework.compiler.format
    for expression in NEW_OR_OLD[format]:
        found = outcome(framework, expression)
        assert is_broken(found, format, WRITTEN_FOR[format] + "+cpu"), found.message
        assert not is_broken(found, format, "1.0"), found.message


def test_what_a_framework_does_not_support_breaks_no_program(framework: Worker) -> None:
    format = framework.compiler.format
    for expression in UNSUPPORTED[format]:
        found = outcome(framework, expression)
        assert not is_broken(found, format, WRITTEN_FOR[format]), found.message


def test_an_error_of_the_compiler_breaks_no_program() -> None:
    error = Outcome(
        status="error", stage="eager", message="AttributeError: x", traceback='  File "<model>", line 5, in forward'
    )
    assert is_broken(error, "torch", WRITTEN_FOR["torch"])
    assert not is_broken(replace(error, stage="compile"), "torch", WRITTEN_FOR["torch"])
    assert not is_broken(replace(error, stage="run"), "torch", WRITTEN_FOR["torch"])
    assert not is_broken(replace(error, traceback='  File "torch/_torch.py", line 5'), "torch", WRITTEN_FOR["torch"])


def test_programs_are_written_for_the_releases_that_are_locked() -> None:
    locked = (Path(polyjuice.__file__).parents[1] / "constraints.txt").read_text()
    for package, format in (("torch", "torch"), ("tensorflow_cpu", "tensorflow"), ("jax", "jax")):
        assert re.findall(rf"^{package}==(.*)$", locked, re.MULTILINE) == [WRITTEN_FOR[format]]
