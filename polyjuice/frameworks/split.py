"""Users' programs as graphs of their own nodes or statements, which reduction cuts with its passes for graphs.

Only a :class:`~polyjuice.frameworks.sandbox.Sandbox` calls these functions, because they run the user's program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.errors import FormatError
from polyjuice.ir import Graph, Node, TensorType, dtypes

NO_TENSOR = TensorType("bool", (0, 0))
"""The type that stands for a value that is no tensor, or whose type is not known."""


class NotSplit(Exception):
    """The program cannot be split into steps. The message says why."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitProgram:
    """A user's program as a ``graph`` of opaque nodes, each of which stands for one node or statement of the program.

    ``inputs`` are the arrays of the graph's inputs. ``values`` holds the tensors of an uncompiled run by name, as far
    as it ran. ``artifact`` returns the program that remains of such a graph on inputs; the rest stays as the user wrote
    it. It raises FormatError where the program is not valid.
    """

    graph: Graph
    inputs: tuple[np.ndarray, ...]
    values: Mapping[str, np.ndarray]
    artifact: Callable[[Graph, Sequence[np.ndarray]], Artifact]


def split_into(
    steps: Iterable[tuple[Sequence[str], Sequence[str]]],
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    values: Mapping[str, Any],
    artifact: Callable[[Graph, Sequence[np.ndarray]], Artifact],
    updates: Mapping[str, int] = MappingProxyType({}),
) -> SplitProgram:
    """Return a program whose steps read and make these names."""
    nodes = [
        Node("step", tuple(reads), tuple(makes), opaque=True, identity=str(number))
        for number, (reads, makes) in enumerate(steps)
    ]
    types = {name: NO_TENSOR for node in nodes for name in node.outputs if name}
    known = {}
    for name, array in {**values, **inputs}.items():
        with suppress(KeyError):
            types[name] = TensorType(dtypes.dtype_of(array), array.shape)
            known[name] = array
    made = {*inputs, *(name for node in nodes for name in node.outputs)}
    if undefined := [name for name in outputs if name not in made]:
        raise NotSplit(f"its output {undefined[0]} is a constant")
    types = {name: t for name, t in types.items() if name in made}
    graph = Graph(tuple(inputs), {}, tuple(nodes), tuple(outputs), types, updates=dict(updates))
    return SplitProgram(graph=graph, inputs=tuple(inputs.values()), values=known, artifact=artifact)


def split_program(artifact: Artifact, inputs: Sequence[np.ndarray]) -> SplitProgram:
    """Return a program split into its steps, to be run on these inputs. Raises NotSplit."""
    format = registry.find(artifact.format)
    if format.split is None:
        raise NotSplit(f"no program of {format.name} can be split into steps")
    try:
        found: SplitProgram = format.split.load()(artifact, inputs)
    except ImportError as error:
        raise NotSplit(f"splitting it needs {format.title} ({error})") from None
    return found


def graph_of(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Graph:
    """Return the meaning of a reduced program on inputs of these types. Raises FormatError."""
    format = registry.find(artifact.format)
    if format.read is None:
        raise FormatError(f"no program of {format.name} can be read")
    graph: Graph = format.read.load()(artifact, inputs)
    if list(graph.input_types) != [TensorType(dtypes.dtype_of(array), array.shape) for array in inputs]:
        raise FormatError("the program has other inputs than its graph")
    return graph
