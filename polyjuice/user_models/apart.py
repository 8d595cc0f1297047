"""Users' programs, run uncompiled: split into steps, or read as a graph after a reduction.

Only a :class:`~polyjuice.user_models.sandbox.Sandbox` calls these functions, because they run the user's program.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import ModelProto

from polyjuice.execution import Artifact
from polyjuice.formats import FormatError
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.user_models import onnx_steps, symbolic, torch_steps
from polyjuice.user_models.onnx_program import from_model
from polyjuice.user_models.steps import NotTakenApart, Written


def taken_apart(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Written:
    """Return a program split into its steps, to be run on these inputs. Raises NotTakenApart."""
    if artifact.format == "onnx":
        return onnx_steps.taken_apart(artifact, inputs)
    if artifact.format != "torch":
        raise NotTakenApart(f"no program of {artifact.format} can be taken apart")
    try:
        return torch_steps.taken_apart(artifact, inputs)
    except ImportError as error:
        raise NotTakenApart(f"taking it apart needs Torch ({error})") from None


def graph_of(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Graph:
    """Return the meaning of a reduced program on inputs of these types. Raises FormatError."""
    if isinstance(artifact.source, bytes):
        model = ModelProto.FromString(artifact.source)
        if len(symbolic.inputs(model)) != len(inputs):
            raise FormatError("the program has other inputs than its graph")
        graph = from_model(model, sizes=symbolic.sizes_of(model, inputs)).graph
    else:
        from polyjuice.user_models import torch_program

        graph = torch_program.graph_of(artifact, inputs)
    if list(graph.input_types) != [TensorType(dtypes.of_array(array), array.shape) for array in inputs]:
        raise FormatError("the program has other inputs than its graph")
    return graph
