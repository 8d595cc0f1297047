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

_RANGE, _EYE = 5, 3
"""The fewest elements of a range, and rows of a unit matrix, that are written by a constructor."""

_EXCEPTIONS = 3
"""The most elements that may differ from the one value of an array that is written as that value."""

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


@dataclass(frozen=True)
class Constructors:
    """How a module makes regular arrays; ``{}`` stands for the element type in ``of`` and ``to``.

    - ``full`` has the places ``{shape}``, ``{value}`` and ``{of}``.
    - ``regular`` are the element types of ranges and ``eye``, beyond which elements are listed.
    - ``range`` is the name of the function that makes a range.
    - ``put`` changes an element: its places are ``{x}``, ``{at}`` and ``{value}``. "" where arrays are immutable.
    """

    module: str
    full: str
    of: str
    put: str = "{x}[{at}] = {value}"
    regular: tuple[str, ...] = ("float32", "float64", "int32", "int64", "int16", "int8", "uint8")
    range: str = "arange"

    def written(self, array: np.ndarray, dtype: str) -> str | None:
        """An expression for an array of one value, a range, or a unit matrix; None for another array."""
        of = self.of.format(dtype)
        if array.size >= _UNIFORM and uniform_value(array) is not None:
            value = number(array.reshape(-1)[0])
            made = {"0": "zeros", "1": "ones"}.get(value, "") if array.dtype.kind != "c" else ""
            if made:
                return f"{self.module}.{made}({array.shape}, {of})"
            return self.full.format(shape=array.shape, value=value, of=of)
        if dtypes.dtype_of(array) not in self.regular:
            return None
        typed = f"dtype={of.removeprefix('dtype=')}"
        if array.ndim == 1 and array.size >= _RANGE and (found := _range(array)):
            return f"{self.module}.{self.range}({found}, {typed})"
        if array.ndim == 2 and min(array.shape) >= _EYE and np.array_equal(array, np.eye(*array.shape)):
            rows, columns = array.shape
            return f"{self.module}.eye({rows}, {columns}, {typed})"
        return None

    def exceptions(self, name: str, array: np.ndarray) -> tuple[np.ndarray, list[str]] | None:
        """An array of one value, and the statements that change few elements of it; None where more differ."""
        if not self.put or array.size < _UNIFORM or dtypes.dtype_of(array) in dtypes.NARROW or array.dtype.kind == "c":
            return None
        bits, counts = np.unique(array.view(f"u{array.itemsize}"), return_counts=True)
        usual = bits[np.argmax(counts)]
        places = np.argwhere(array.view(f"u{array.itemsize}") != usual)
        if not 0 < len(places) <= min(_EXCEPTIONS, array.size // 4):
            return None
        of_one = np.full(array.shape, usual).view(array.dtype)
        at = [(", ".join(map(str, place)), number(array[tuple(place)])) for place in places]
        return of_one, [self.put.format(x=name, at=place, value=value) for place, value in at]


def _range(array: np.ndarray) -> str:
    """The start, the end and the step of a range of integers, as arguments; "" for another array."""
    values = array.astype(np.float64)
    steps = {*np.diff(values).tolist()}
    if len(steps) != 1 or 0 in steps or not np.array_equal(values, np.round(values)) or np.abs(values).max() > 1e6:
        return ""
    start, step = int(values[0]), int(steps.pop())
    ends = [start + step * array.size, *([] if step == 1 else [step])]
    return ", ".join(map(str, [*([start] if start or step != 1 else []), *ends]))


NUMPY = Constructors("np", "np.full({shape}, {value}, {of})", "{}")


def numpy_type(dtype: str) -> str:
    if dtype == "bool":
        return dtype
    return f"{'ml_dtypes' if mark(dtype) else 'np'}.{dtypes.framework_name(dtype)}"


def written_numpy(array: np.ndarray) -> str:
    text = numpy_type(dtypes.dtype_of(array))
    return NUMPY.written(array, text) or f"np.array({nested(array, 0)}, {text})"


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
    - ``constructors`` make regular arrays.
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
    constructors: Constructors = NUMPY
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
