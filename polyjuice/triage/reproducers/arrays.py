"""Arrays in a reproducer: written out where they are small, else read from an archive, ``ARRAYS``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyjuice.ir import dtypes, mark, packed, uniform_value
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles import find as find_oracle
from polyjuice.triage.listing.expressions import number

#: The most elements that are written out one by one.
SMALL = 64

#: The least number of elements from which an array of one value is written as that value.
_UNIFORM = 9

_WIDTH = 100


def input_name(i: int, other_set: int | None = None) -> str:
    """The name in ``inputs.npz`` of an input of the set that shows the fault, or of another set of the program."""
    return f"input_{i}" if other_set is None else f"set_{other_set}_input_{i}"


def stored_arrays(case: Case, verdict: Verdict, constants: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The content of ``inputs.npz``: inputs, constants, allowed differences and float64 values."""
    arrays = {
        input_name(i, None if number == verdict.inputs else number): array
        for number, inputs in enumerate(case.inputs)
        for i, array in enumerate(inputs)
    }
    for held in constants:
        arrays.update(held)
    if verdict.allowed is not None:
        arrays["allowed"] = verdict.allowed
    reference = expected(case, verdict)
    if reference is not None:
        arrays["expected"] = reference
    return packed(arrays)


def expected(case: Case, verdict: Verdict) -> np.ndarray | None:
    """The correct values of the output that shows a mismatch: in float64, or in its integer type."""
    if verdict.expected is not None:
        return verdict.expected
    if verdict.allowed is None or not find_oracle(verdict.oracle).of_outputs:
        return None
    side = case.of(verdict.culprit if verdict.culprit in (verdict.a, verdict.b) else verdict.a)
    reference: np.ndarray = side.analyses[verdict.inputs][verdict.output].reference
    return reference


def is_small(array: np.ndarray) -> bool:
    """Whether an array can be written out."""
    return 0 < array.size <= SMALL or (array.size > 0 and uniform_value(array) is not None)


@dataclass
class Arrays:
    """Writes expressions for arrays as tensors of a format; ``read`` tells whether any of them needs the archive.

    With ``inline``, small arrays are written out.
    """

    format: str
    device: str
    inline: bool
    read: bool = False

    def expression(self, name: str, array: np.ndarray) -> str:
        """Python code for a tensor with the values of an array, which is called ``name`` in the archive."""
        if self.inline and is_small(array):
            text = _WRITTEN[self.format](array)
        else:
            self.read = True
            text = _LOADED[self.format](dtypes.of_array(array), name)
        return f'{text}.to("{self.device}")' if self.device != "cpu" and self.format == "torch" else text

    def numpy(self, name: str, array: np.ndarray) -> str:
        """Python code for a NumPy array."""
        if self.inline and is_small(array):
            return _numpy(array)
        self.read = True
        return f'ARRAYS["{name}"]'


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


def _content(array: np.ndarray) -> tuple[str, bool]:
    """Python code for the elements, and whether it is one value for all of them."""
    uniform = array.size >= _UNIFORM and uniform_value(array) is not None
    return (number(array.reshape(-1)[0]) if uniform else nested(array, 0)), uniform


def _numpy_type(dtype: str) -> str:
    """The name of an element type in NumPy, or in ml_dtypes."""
    if dtype == "bool":
        return dtype
    return f"{'ml_dtypes' if mark(dtype) else 'np'}.{dtypes.framework_name(dtype)}"


def _numpy(array: np.ndarray) -> str:
    content, uniform = _content(array)
    dtype = dtypes.of_array(array)
    text = _numpy_type(dtype)
    return f"np.full({array.shape}, {content}, {text})" if uniform else f"np.array({content}, {text})"


def _torch(array: np.ndarray) -> str:
    content, uniform = _content(array)
    dtype = f"dtype=torch.{dtypes.framework_name(dtypes.of_array(array))}"
    return f"torch.full({array.shape}, {content}, {dtype})" if uniform else f"torch.tensor({content}, {dtype})"


def _tensorflow(array: np.ndarray) -> str:
    content, uniform = _content(array)
    shape = f", {array.shape}" if uniform else ""
    if (dtype := dtypes.of_array(array)) in dtypes.NARROW_FLOATS:
        return f"tf.cast(tf.constant({content}, tf.float32{shape}), '{dtypes.framework_name(dtype)}')"
    return f"tf.constant({content}, tf.{dtype}{shape})"


_WRITTEN = {"onnx": _numpy, "torch": _torch, "tensorflow": _tensorflow}


def _load_numpy(dtype: str, name: str) -> str:
    marked = mark(dtype)
    return f'ARRAYS["{name}{marked}"].view({_numpy_type(dtype)})' if marked else f'ARRAYS["{name}"]'


def _load_torch(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"].view(np.int16)).view(torch.bfloat16)'
    if dtype in dtypes.NARROW_FLOATS:
        return f'torch.from_numpy(ARRAYS["{name}{mark(dtype)}"]).view(torch.{dtypes.framework_name(dtype)})'
    return f'torch.from_numpy(ARRAYS["{name}"])'


def _load_tensorflow(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'tf.bitcast(tf.constant(ARRAYS["{name}{mark(dtype)}"]), tf.bfloat16)'
    if dtype in dtypes.NARROW_FLOATS:
        return f"tf.constant({_load_numpy(dtype, name)})"
    return f'tf.constant(ARRAYS["{name}"])'


_LOADED = {"onnx": _load_numpy, "torch": _load_torch, "tensorflow": _load_tensorflow}
