"""TensorFlow functions, as tf.function traces them, become source that stands alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice import frameworks
from polyjuice.compilers import find
from polyjuice.frameworks import callables
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.precision import in_float64
from polyjuice.frameworks.user_model import UserModel
from polyjuice.session import CompilerSession, Conditions
from tests.support.commands import polyjuice, record, refusal
from tests.support.libraries import library
from tests.support.plugins import plugin

tf = library("tensorflow")
modules = library("tests.support.tensorflow_modules")
tensorflow_program = library("polyjuice.frameworks.tensorflow.user_program")

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def program_of(function: Any, *inputs: Any) -> UserModel:
    return tensorflow_program.from_function(function, inputs)


def source_of(program: UserModel) -> str:
    assert program.artifact
    assert isinstance(program.artifact.source, str)
    return program.artifact.source


def test_the_source_says_what_the_trace_does() -> None:
    source = source_of(program_of(modules.Everything(), X, {"n": np.arange(3)}))
    for written in (
        "@tf.function(autograph=False)\n    def scaled(self, x):",
        "self.w_scale.value()",
        'tf.constant(float("inf"), dtype=tf.float32)',
        "tf.while_loop(self.",
        "tf.cond(greater, lambda: self.",
        "tf.raw_ops.TopKV2(input=",
        ".indices",
        "num_split=2)",
    ):
        assert written in source
    assert "transpose_b" not in source  # False by default
    assert {line for line in source.splitlines() if "import" in line} == {"import tensorflow as tf"}


def test_the_source_is_a_program_of_the_functions_inputs_and_outputs_for_the_compiler(tmp_path: Path) -> None:
    """The source stays the same when a stored finding is read again."""
    program = program_of(modules.Everything(), X, {"n": np.arange(3)})
    files.save(tmp_path / "kept", "0", [program])
    (kept,) = files.load(tmp_path / "kept", "0")
    assert kept
    assert kept.artifact
    assert kept.artifact.source == source_of(program)
    y = X * [0.5, 2, 1, 3] + 3
    results = modules.Everything()(X, {"n": np.arange(3)})
    wanted = [np.asarray(t) for t in tf.nest.flatten(results)]
    np.testing.assert_array_equal(wanted[0], -np.sort(y)[:, :2] if X.sum() > 0 else -np.sort(-y)[:, :2])
    assert [(t.dtype, t.shape) for t in program.graph.output_types] == [(str(a.dtype), a.shape) for a in wanted]
    assert program.unread
    assert program.examples
    with CompilerSession(Conditions(), find("xla")) as session:
        outcome = session.execute(kept.artifact, [program.examples] * 2)
    assert outcome.status == "ok", outcome.message
    assert outcome.reference
    for found in (*outcome.outputs, *outcome.reference):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x + tf.random.normal([4]), "it draws random numbers"),
        (lambda x: modules.COUNT.assign_add(tf.reduce_sum(x)), "AssignAddVariableOp reads or changes a state"),
        (lambda x: tf.strings.as_string(x), "string is not supported"),
        (lambda x: tf.cast(x, tf.complex64), "complex64 is not supported"),
        (lambda x: tf.reshape(x, [3, 3]), "TensorFlow cannot trace the function"),
    ],
    ids=["random", "state", "strings", "complex", "raises"],
)
def test_what_cannot_be_compiled_as_it_is_has_one_line_to_say_so(function: Any, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        program_of(function, X)
    assert "\n" not in str(caught.value)


def uncompiled(artifact: Any, inputs: Any) -> Any:
    with CompilerSession(Conditions(), find("xla")) as session:
        outcome = session.execute(artifact, [inputs], compile=False)
    assert outcome.reference is not None, outcome.message
    return outcome.reference[0]


def test_in_float64_all_floating_and_complex_types_are_wide() -> None:
    def function(x: Any) -> Any:
        half = tf.cast(x, tf.float16) / 3 + tf.constant([0.1] * 4, tf.float16)
        grown = tf.image.resize(tf.reshape(x, [1, 2, 4, 1]), [4, 4])
        return half, tf.math.real(tf.signal.fft(tf.cast(x, tf.complex64))), grown * 2

    program = program_of(function, X)
    assert program.artifact
    wide = in_float64(program.artifact)
    assert wide
    half, spectrum, grown = uncompiled(wide, (X.astype(np.float64),))
    assert [str(y.dtype) for y in (half, spectrum, grown)] == ["float64"] * 3
    np.testing.assert_array_equal(half, X.astype(np.float64) / 3 + float(np.float16(0.1)))
    np.testing.assert_allclose(spectrum, np.fft.fft(X.astype(np.float64)).real, rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (lambda x: tf.cast(x, tf.int32), np.float32([1.7, -3.0, 3e9, -3e9, np.nan])),
        (lambda x: tf.bitwise.left_shift(3, x), np.int32([0, 31, 32, -1, 100])),
    ],
    ids=["cast", "shift"],
)
def test_what_tensorflow_leaves_open_is_another_integer_in_float64(function: Any, values: np.ndarray) -> None:
    """An integer is compared only where both runs agree."""
    program = program_of(function, values)
    assert program.artifact
    wide = in_float64(program.artifact)
    assert wide
    (plain,) = uncompiled(program.artifact, [values])
    (other,) = uncompiled(wide, [values.astype(np.float64) if values.dtype == np.float32 else values])
    assert (plain == other).tolist() == [True, True, False, False, False]


SPOILED_INFO = {
    "format": "tensorflow",
    "needs": "a test",
    "repro_imports": "import tensorflow as tf",
    "repro": """
def prepare(model, inputs, **options):
    wrong = "BiasAdd" in model.__call__.__code__.co_names
    return lambda: [y + wrong for y in model(*inputs)]
""",
}

SPOILED = """
from polyjuice.compilers import _tensorflow
from polyjuice.compilers.xla import *

def compile(program, inputs):
    return program

def run(program, inputs):
    wrong = "BiasAdd" in program.model.__call__.__code__.co_names
    return [(dtype, y + wrong) for dtype, y in _tensorflow.call(program.model, inputs)]

def trace(compiled):
    return []
"""
"""A compiler that adds one to all results of a program with BiasAdd, a name that no lowering uses."""

OWNERS = """
def model():
    import tensorflow as tf
    return tf.keras.layers.Dense(3), (tf.ones((2, 4)),)

def clean():
    import tensorflow as tf
    return tf.function(lambda x: tf.nn.relu(x) + 1), (tf.ones((2, 4)),)

def number(): return 3

def none():
    return abs, (3,)

def raises():
    import tensorflow as tf
    return tf.linalg.inv, (tf.ones((2, 3)),)
"""


@pytest.mark.long
def test_a_fault_is_found_stored_and_replayed_without_the_owners_module(tmp_path: Path) -> None:
    env = plugin(tmp_path / "site", base=SPOILED, info=SPOILED_INFO, name="spoiled")
    (tmp_path / "mine.py").write_text(OWNERS)
    fuzz = ("fuzz", "--compiler", "spoiled", "-n", 1, "--workers", 1, "--triage", "0s")
    done = polyjuice(*fuzz, "--seeds", "mine:model", "--out", tmp_path / "c", env=env, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    (finding,) = (tmp_path / "c/findings").iterdir()
    stored = record(finding)
    assert (stored["a"], stored["culprit"], stored["repro_exit"]) == ("original", "original", 1)
    assert "= tf.raw_ops.BiasAdd(" in (finding / "repro.py").read_text()
    done = polyjuice(*fuzz, "--seeds", "mine:clean", "--out", tmp_path / "d", "--json", env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tested"] == 1
    (tmp_path / "mine.py").unlink()
    assert polyjuice("replay", finding, env=env).returncode == 1
    assert {path.name for path in (tmp_path / "c/imported").iterdir()} == {"0.onnx", "0.py", "0.json", "0.npz"}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("ours:number", "must return (model, args)"),
        ("ours:none", "no argument is a TensorFlow tensor"),
        ("ours:raises", "TensorFlow cannot trace the function (InvalidArgumentError"),
    ],
)
def test_a_bad_callable_is_a_usage_error_in_one_line(source: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(OWNERS)
    line = refusal("--compiler", "xla", "--seeds", source, "-n", 1, "--out", tmp_path / "c", cwd=tmp_path)
    assert source in line
    assert reason in line
    assert not (tmp_path / "c").exists()


def test_without_tensorflow_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs.py").write_text(OWNERS)
    monkeypatch.delitem(sys.modules, "polyjuice.frameworks.tensorflow.user_program", raising=False)
    monkeypatch.delattr(frameworks.tensorflow, "user_program", raising=False)
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(FormatError, match=r"pip install '.+\[xla\]'"):
        callables.load("theirs:model")
