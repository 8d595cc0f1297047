"""ONNX models in reproducers, which run on NumPy arrays."""

from __future__ import annotations

from polyjuice.frameworks.elements import loaded_numpy, written_numpy
from polyjuice.frameworks.rendering import Rendering

RENDERING = Rendering(
    written=written_numpy,
    loaded=loaded_numpy,
    model="{side}",
    to_numpy="np.asarray({output})",
    to_single="np.asarray({output})",
    type_of="np.asarray({output}).dtype.name",
)
