"""Polyjuice distinguishes misspelt programs from programs that the framework does not support."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import polyjuice
from polyjuice.compilers import find
from polyjuice.execution import Artifact, Outcome, Worker
from polyjuice.execution.broken import is_broken
from polyjuice.frameworks import registry

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
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    with Worker(find({"torch": "eager", "tensorflow": "xla"}[request.param])) as worker:
        yield worker


def outcome(worker: Worker, expression: str) -> Outcome:
    """The outcome of a program of one expression, uncompiled."""
    format = worker.compiler.format
    found = worker.execute(
        Artifact(format=format, source=MODELS[format] % expression), [[np.array([1, 2])]], compile=False
    )
    assert found.status == "unsupported", found
    return found


def test_a_misspelt_program_is_broken(worker: Worker) -> None:
    format = worker.compiler.format
    for expression in MISSPELT[format]:
        for version in (WRITTEN_FOR[format], "1.0"):
            assert is_broken(outcome(worker, expression), format, version), expression


def test_a_function_that_another_release_lacks_breaks_no_program_there(worker: Worker) -> None:
    format = worker.compiler.format
    for expression in NEW_OR_OLD[format]:
        found = outcome(worker, expression)
        assert is_broken(found, format, WRITTEN_FOR[format] + "+cpu"), found.message
        assert not is_broken(found, format, "1.0"), found.message


def test_what_a_framework_does_not_support_breaks_no_program(worker: Worker) -> None:
    format = worker.compiler.format
    for expression in UNSUPPORTED[format]:
        found = outcome(worker, expression)
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
