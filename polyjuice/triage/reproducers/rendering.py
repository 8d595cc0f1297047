"""The expressions of a reproducer that depend on the format: arrays, models, and the conversion of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polyjuice import program_formats


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """The expressions of one format.

    - ``written`` writes a small array out. ``loaded`` reads one from the archive, by its element type and name.
    - ``model`` makes the model of a side; ``{side}`` is the name of its class, or of a serialized model.
    - ``to_numpy`` converts an output to a NumPy array. ``to_single`` does so for types that NumPy lacks.
    - ``type_of`` gives the name of an output's element type. Both have the place ``{output}``.
    """

    written: Callable[[np.ndarray], str]
    loaded: Callable[[str, str], str]
    model: str
    to_numpy: str
    to_single: str
    type_of: str


def rendering_of(format: str) -> Rendering:
    """The expressions of a format. Raises KeyError for an unknown one."""
    found = program_formats.find(format).rendering.load()
    assert isinstance(found, Rendering)
    return found
