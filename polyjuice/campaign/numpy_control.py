"""The ``numpy`` control: our interpreter, in the graph's own element types, as if it were a compiler.

It must never yield a finding: one would be a false rule, or an error bound that is too tight. It is the one compiler
file that needs Polyjuice itself in the worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from polyjuice import formats, interpret
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.ir import Graph

FORMAT = "onnx"
SPEED = "fast"
NEEDS = "polyjuice-fuzzer itself: pip install polyjuice-fuzzer"

LACKS = "functions, symbolic sizes, constant nodes"

REPRO_IMPORTS = """
import onnx
from polyjuice import formats, interpret
"""
REPRO = """
def prepare(model, inputs):
    graph = formats.from_model(onnx.load_from_string(model), "model")
    return lambda: interpret.evaluate(graph, inputs)
"""

Array = tuple[str, "np.ndarray[Any, Any]"]


def version() -> str:
    """That of NumPy."""
    return np.__version__


def check() -> None:
    """Nothing else is needed."""


def start(options: dict[str, Any]) -> None:
    """Nothing to prepare."""


def load(artifact: dict[str, Any]) -> Graph:
    """Read the model."""
    return formats.from_model(onnx.load_from_string(artifact["source"]), "the artifact")


def compile(program: Graph, inputs: Sequence[Array]) -> Graph:
    """The identity."""
    return program


def run(compiled: Graph, inputs: Sequence[Array]) -> list[Array]:
    """Interpret."""
    return [to_wire(array) for array in interpret.evaluate(compiled, [from_wire(array) for array in inputs])]


def knobs() -> list[str]:
    """There is nothing to switch off."""
    return []
