"""Random values of the kind that most inputs of models have."""

from __future__ import annotations

import numpy as np

from polyjuice.ir import TensorType, dtypes

#: What normal values are clipped at, which they reach once in 10^15: rules may count on it.
FARTHEST = 8.0


def normal(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Standard normal floating values, integers from -5 (from 0 if unsigned) to 5, booleans."""
    if dtypes.is_float(t.dtype):
        array = np.clip(rng.standard_normal(t.shape), -FARTHEST, FARTHEST)
    elif t.dtype == "bool":
        array = np.asarray(rng.integers(0, 2, t.shape))
    else:
        array = np.asarray(rng.integers(0 if t.dtype == "uint8" else -5, 6, t.shape))
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))
