"""Users' programs, run uncompiled: split into steps, or read as a graph after a reduction.

Only a :class:`~polyjuice.frameworks.sandbox.Sandbox` calls these functions, because they run the user's program.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.steps import NotTakenApart, Written
from polyjuice.ir import Graph, TensorType, dtypes


def taken_apart(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Written:
    """Return a program split into its steps, to be run on these inputs. Raises NotTakenApart."""
    format = registry.find(artifact.format)
    if format.take_apart is None:
        raise NotTakenApart(f"no program of {format.name} can be taken apart")
    try:
        written: Written = format.take_apart.load()(artifact, inputs)
    except ImportError as error:
        raise NotTakenApart(f"taking it apart needs {format.title} ({error})") from None
    return written


def graph_of(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Graph:
    """Return the meaning of a reduced program on inputs of these types. Raises FormatError."""
    format = registry.find(artifact.format)
    if format.read is None:
        raise FormatError(f"no program of {format.name} can be read")
    graph: Graph = format.read.load()(artifact, inputs)
    if list(graph.input_types) != [TensorType(dtypes.of_array(array), array.shape) for array in inputs]:
        raise FormatError("the program has other inputs than its graph")
    return graph
