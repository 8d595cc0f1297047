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
from polyjuice.given import symbolic
from polyjuice.ir import Graph
from polyjuice.ops import TABLE

FORMAT = "onnx"
SPEED = "fast"
NEEDS = "polyjuice-fuzzer itself: pip install polyjuice-fuzzer"

LACKS = "functions, symbolic sizes, constant nodes, any value: in a Scan"

REPRO_IMPORTS = """
import onnx
from polyjuice import formats, interpret
from polyjuice.given import symbolic
"""
REPRO = """
def prepare(model, inputs):
    model = onnx.load_from_string(model)
    symbolic.bind(model, symbolic.sizes_of(model, inputs))
    graph = formats.from_model(model, "model")
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


def load(artifact: dict[str, Any]) -> Graph | onnx.ModelProto:
    """Read the model; one of symbolic sizes is read when these are known."""
    model = onnx.load_from_string(artifact["source"])
    return model if symbolic.symbols(model) else formats.from_model(model, "the artifact")


def compile(program: Any, inputs: Sequence[Array]) -> Any:
    """What `load` gave, or the graph with the sizes of the inputs for symbolic ones.

    Raises NotImplementedError for an operator of the table in a form that it lacks, and for a Scan, in which an
    operator of the table may stand: its results would be random.
    """
    if isinstance(program, onnx.ModelProto):
        symbolic.bind(program, symbolic.sizes_of(program, [from_wire(array) for array in inputs]))
        try:
            program = formats.from_model(program, "the artifact")
        except formats.FormatError as error:
            raise NotImplementedError(str(error)) from None
    nodes = program.nodes if isinstance(program, Graph) else ()
    if lacking := [n.op for n in nodes if n.opaque and ((n.domain, n.op) in TABLE or n.qualified == "Scan")]:
        raise NotImplementedError(f"the interpreter lacks this form of {', '.join(lacking)}")
    return program


def run(compiled: Graph, inputs: Sequence[Array]) -> list[Array]:
    """Interpret."""
    return [to_wire(array) for array in interpret.evaluate(compiled, [from_wire(array) for array in inputs])]


def knobs() -> list[str]:
    """There is nothing to switch off."""
    return []
