"""TensorFlow in reproducers."""

from __future__ import annotations

import numpy as np

from polyjuice.frameworks.elements import content, loaded_numpy
from polyjuice.frameworks.rendering import Rendering
from polyjuice.ir import dtypes, mark


def _written(array: np.ndarray) -> str:
    elements, uniform = content(array)
    shape = f", {array.shape}" if uniform else ""
    if (dtype := dtypes.dtype_of(array)) in dtypes.NARROW_FLOATS:
        return f"tf.cast(tf.constant({elements}, tf.float32{shape}), '{dtypes.framework_name(dtype)}')"
    return f"tf.constant({elements}, tf.{dtype}{shape})"


def _loaded(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'tf.bitcast(tf.constant(ARRAYS["{name}{mark(dtype)}"]), tf.bfloat16)'
    return f"tf.constant({loaded_numpy(dtype, name)})"


RENDERING = Rendering(
    written=_written,
    loaded=_loaded,
    model="{side}()",
    to_numpy="{output}.numpy()",
    to_single="tf.cast({output}, tf.float32).numpy()",
    type_of="{output}.dtype.name",
)
