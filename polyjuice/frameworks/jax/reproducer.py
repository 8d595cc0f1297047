"""JAX in reproducers."""

from __future__ import annotations

import numpy as np

from polyjuice.frameworks.elements import content, loaded_numpy
from polyjuice.frameworks.jax.types import jax_type
from polyjuice.frameworks.rendering import Rendering
from polyjuice.ir import dtypes


def _written(array: np.ndarray) -> str:
    text, uniform = content(array)
    dtype = jax_type(dtypes.dtype_of(array))
    return f"jnp.full({array.shape}, {text}, {dtype})" if uniform else f"jnp.array({text}, {dtype})"


def _loaded(dtype: str, name: str) -> str:
    return f"jnp.array({loaded_numpy(dtype, name)})"


RENDERING = Rendering(
    written=_written,
    loaded=_loaded,
    model="{side}()",
    to_numpy="np.asarray({output})",
    to_single="np.asarray({output}.astype(jnp.float32))",
    type_of="{output}.dtype.name",
)
