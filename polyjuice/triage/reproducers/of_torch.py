"""Torch in reproducers."""

from __future__ import annotations

import numpy as np

from polyjuice.ir import dtypes, mark
from polyjuice.triage.reproducers.elements import content
from polyjuice.triage.reproducers.rendering import Rendering


def _written(array: np.ndarray) -> str:
    elements, uniform = content(array)
    dtype = f"dtype=torch.{dtypes.framework_name(dtypes.of_array(array))}"
    return f"torch.full({array.shape}, {elements}, {dtype})" if uniform else f"torch.tensor({elements}, {dtype})"


def _loaded(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"].view(np.int16)).view(torch.bfloat16)'
    if dtype in dtypes.NARROW_FLOATS:
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"]).view(torch.{dtypes.framework_name(dtype)})'
    return f'torch.from_numpy(ARRAYS["{name}"])'


RENDERING = Rendering(
    written=_written,
    loaded=_loaded,
    model="{side}()",
    to_numpy="{output}.detach().numpy()",
    to_single="{output}.detach().float().numpy()",
    type_of='str({output}.dtype).replace("torch.", "")',
)
