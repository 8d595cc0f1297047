"""Complex arrays and their real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def is_complex(array: np.ndarray) -> bool:
    """Whether an array has complex elements."""
    return array.dtype.kind == "c"


def parts(array: np.ndarray) -> tuple[np.ndarray, ...]:
    """The real and the imaginary part of a complex array; a real array alone."""
    return (array.real, array.imag) if is_complex(array) else (array,)


def joined(real: np.ndarray, imaginary: np.ndarray) -> np.ndarray:
    """The complex array of two parts, which keep their infinities, NaN and zeros of either sign.

    ``real + 1j * imaginary`` would lose them: there an infinity in one part makes the other part NaN.
    """
    real, imaginary = np.broadcast_arrays(real, imaginary)
    array = np.empty(real.shape, np.complex64 if real.dtype == np.float32 else np.complex128)
    array.real, array.imag = real, imaginary
    return array


def by_parts(function: Callable[[np.ndarray], np.ndarray], array: np.ndarray) -> np.ndarray:
    """Apply a function of real arrays to each part of a complex array, or to a real array itself."""
    found = [np.asarray(function(part)) for part in parts(array)]
    return joined(*found).astype(array.dtype) if is_complex(array) else found[0]
