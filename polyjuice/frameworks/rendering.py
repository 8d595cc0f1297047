"""The expressions of a reproducer that depend on the format: arrays, models, and the conversion of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.ir import TensorType


def _all(names: Sequence[str], types: Sequence[TensorType], further: Sequence[str], artifact: Artifact) -> list[str]:
    return [*names, *further]


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """The expressions of one format.

    - ``written`` writes a small array out. ``loaded`` reads one from the archive, by its element type and name.
    - ``model`` makes the model of a side; ``{side}`` is the name of its class, or of a serialized model.
    - ``to_numpy`` converts an output to a NumPy array. ``to_single`` does so for types that NumPy lacks.
    - ``type_of`` gives the name of an output's element type. Both have the place ``{output}``.

    The others have defaults, for frameworks without devices, modes and gradients:

    - ``before`` returns statements that stand before the models of these programs.
    - ``there`` moves an array or a model to a device, and ``here`` moves an output of these programs to NumPy's memory.
    - ``mode`` is what follows the model of a program, to set its mode.
    - ``inputs`` returns the arguments of a program, given the names and types of the inputs, and the names of further
      arguments.
    - ``call`` returns the expression that compiles a program, given one for its mode by default, and all programs.
    """

    written: Callable[[np.ndarray], str]
    loaded: Callable[[str, str], str]
    model: str
    to_numpy: str
    to_single: str
    type_of: str
    before: Callable[[Sequence[Artifact]], list[str]] = lambda artifacts: []
    there: Callable[[str, str], str] = lambda text, device: text
    here: Callable[[str, str, Sequence[Artifact]], str] = lambda output, device, artifacts: output
    mode: Callable[[Artifact], str] = lambda artifact: ""
    inputs: Callable[[Sequence[str], Sequence[TensorType], Sequence[str], Artifact], list[str]] = _all
    call: Callable[[str, Artifact, Sequence[Artifact]], str] = lambda text, artifact, artifacts: text


def rendering_of(format: str) -> Rendering:
    """The expressions of a format. Raises KeyError for an unknown one."""
    found = registry.find(format).rendering.load()
    assert isinstance(found, Rendering)
    return found
