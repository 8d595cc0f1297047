"""The elements of arrays as Python text, and NumPy arrays as expressions."""

from __future__ import annotations

import textwrap

import numpy as np

from polyjuice.frameworks.expressions import number
from polyjuice.ir import dtypes, mark, uniform_value

#: The least number of elements from which an array of one value is written as that value.
_UNIFORM = 9

SMALL = 64
"""The most elements that are written out one by one."""

_WIDTH = 100


def nested(array: np.ndarray, indent: int = 4) -> str:
    """The elements as nested lists, wrapped to a readable width."""
    if array.ndim == 0:
        return number(array.reshape(-1)[0])
    line = "[" + ", ".join(nested(row) for row in array) + "]"
    if len(line) + indent <= _WIDTH:
        return line
    inner, outer = " " * (indent + 4), " " * indent
    if array.ndim == 1:
        text = textwrap.fill(line[1:-1], _WIDTH, initial_indent=inner, subsequent_indent=inner)
        return f"[\n{text},\n{outer}]"
    rows = "".join(f"{inner}{nested(row, indent + 4)},\n" for row in array)
    return f"[\n{rows}{outer}]"


def content(array: np.ndarray) -> tuple[str, bool]:
    """Python code for the elements, and whether it is one value for all of them."""
    uniform = array.size >= _UNIFORM and uniform_value(array) is not None
    return (number(array.reshape(-1)[0]) if uniform else nested(array, 0)), uniform


def numpy_type(dtype: str) -> str:
    """The name of an element type in NumPy, or in ml_dtypes."""
    if dtype == "bool":
        return dtype
    return f"{'ml_dtypes' if mark(dtype) else 'np'}.{dtypes.framework_name(dtype)}"


def written_numpy(array: np.ndarray) -> str:
    """Python code for a NumPy array with these elements."""
    elements, uniform = content(array)
    dtype = dtypes.dtype_of(array)
    text = numpy_type(dtype)
    return f"np.full({array.shape}, {elements}, {text})" if uniform else f"np.array({elements}, {text})"


def loaded_numpy(dtype: str, name: str) -> str:
    """Python code for a NumPy array of the archive."""
    marked = mark(dtype)
    return f'ARRAYS["{name}{marked}"].view({numpy_type(dtype)})' if marked else f'ARRAYS["{name}"]'
