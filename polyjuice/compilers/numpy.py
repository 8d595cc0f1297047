"""The ``numpy`` control: Polyjuice's interpreter as a compiler, in the graph's own element types.

It must never yield a finding: a finding means a false rule, or an error bound that is too tight. It is the one compiler
file that needs Polyjuice itself in the worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from polyjuice import interpret
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.onnx import graph_files
from polyjuice.ir import Graph
from polyjuice.ops import TABLE

INFO: dict[str, Any] = {
    "format": "onnx",
    "needs": "polyjuice-fuzzer itself: pip install polyjuice-fuzzer",
    "control": True,
    "uses_polyjuice": True,
    "fast": True,
    "lacks": ["functions", "symbolic sizes", "constant nodes"],
    "repro_imports": """
import onnx
from polyjuice import interpret
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.onnx import graph_files
""",
    "repro": """
def prepare(model, inputs):
    model = onnx.load_from_string(model)
    symbolic.bind(model, symbolic.sizes_of(model, inputs))
    graph = graph_files.from_model(model, "model")
    return lambda: interpret.evaluate(graph, inputs)
""",
}

Array = tuple[str, "np.ndarray[Any, Any]"]


def version() -> str:
    """Return NumPy's version."""
    return np.__version__


def check() -> None:
    """Check nothing: the interpreter needs nothing else."""


def start(options: dict[str, Any]) -> None:
    """Prepare nothing."""


def load(artifact: dict[str, Any]) -> Graph | onnx.ModelProto:
    """Return the model's graph, or the model itself if it has symbolic sizes, which `compile` knows."""
    model = onnx.load_from_string(artifact["source"])
    return model if symbolic.symbols(model) else graph_files.from_model(model, "the artifact")


def compile(program: Any, inputs: Sequence[Array]) -> Any:
    """Return the loaded graph; a model with symbolic sizes becomes a graph with the sizes of the inputs.

    Raises NotImplementedError for an operator of the table in a form that the interpreter lacks: its results would be
    random.
    """
    if isinstance(program, onnx.ModelProto):
        symbolic.bind(program, symbolic.sizes_of(program, [from_wire(array) for array in inputs]))
        try:
            program = graph_files.from_model(program, "the artifact")
        except graph_files.FormatError as error:
            raise NotImplementedError(str(error)) from None
    nodes = program.nodes if isinstance(program, Graph) else ()
    if lacking := [n.op for n in nodes if n.opaque and (n.domain, n.op) in TABLE]:
        raise NotImplementedError(f"the interpreter lacks this form of {', '.join(lacking)}")
    return program


def run(compiled: Graph, inputs: Sequence[Array]) -> list[Array]:
    """Interpret the graph on the inputs."""
    return [to_wire(array) for array in interpret.evaluate(compiled, [from_wire(array) for array in inputs])]


def knobs() -> list[str]:
    """Return no knobs: the interpreter has no passes to switch off."""
    return []
