"""Given programs taken apart into their steps, whatever their format."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.given import onnx_steps
from polyjuice.given.steps import NotTakenApart, Written


def taken_apart(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Written:
    """A given program, to be run on these inputs, in its steps. Raises NotTakenApart."""
    if artifact.format == "onnx":
        return onnx_steps.taken_apart(artifact, inputs)
    if artifact.format != "torch":
        raise NotTakenApart(f"no program of {artifact.format} can be taken apart")
    try:
        from polyjuice.given import torch_steps
    except ImportError as error:
        raise NotTakenApart(f"taking it apart needs Torch ({error})") from None
    return torch_steps.taken_apart(artifact, inputs)
