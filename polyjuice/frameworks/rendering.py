"""The expressions of a reproducer: elements of arrays, NumPy arrays, and those that depend on the format."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.expressions import number
from polyjuice.ir import TensorType, dtypes, mark, uniform_value

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
    if dtype == "bool":
        return dtype
    return f"{'ml_dtypes' if mark(dtype) else 'np'}.{dtypes.framework_name(dtype)}"


def written_numpy(array: np.ndarray) -> str:
    elements, uniform = content(array)
    dtype = dtypes.dtype_of(array)
    text = numpy_type(dtype)
    return f"np.full({array.shape}, {elements}, {text})" if uniform else f"np.array({elements}, {text})"


def loaded_numpy(dtype: str, name: str) -> str:
    marked = mark(dtype)
    return f'ARRAYS["{name}{marked}"].view({numpy_type(dtype)})' if marked else f'ARRAYS["{name}"]'


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
    inputs: Callable[[Sequence[str], Sequence[TensorType], Sequence[str], Artifact], list[str]] = (
        lambda names, types, further, artifact: [*names, *further]
    )
    call: Callable[[str, Artifact, Sequence[Artifact]], str] = lambda text, artifact, artifacts: text


def rendering_of(format: str) -> Rendering:
    """The expressions of a format. Raises KeyError for an unknown one."""
    found = registry.find(format).rendering.load()
    assert isinstance(found, Rendering)
    return found
