"""Arrays in a reproducer: written out where small, else embedded, else read from an archive, ``ARRAYS``."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.frameworks.onnx.listing import OnnxProgram
from polyjuice.frameworks.rendering import NUMPY, SMALL, Rendering, rendering_of, written_numpy
from polyjuice.ir import dtypes, packed
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles import find as find_oracle


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
    side = case.blamed(verdict)
    reference: np.ndarray = side.analyses[verdict.inputs][verdict.output].reference
    return reference


def is_small(array: np.ndarray) -> bool:
    """Whether an array can be written out."""
    return 0 < array.size <= SMALL or (array.size > 0 and NUMPY.written(array, "") is not None)


@dataclass(kw_only=True)
class Arrays:
    """Writes expressions for arrays as tensors of a format; ``read`` tells whether any of them needs the archive.

    With ``inline``, small arrays are written out.
    """

    format: str
    device: str
    inline: bool
    read: bool = False

    @property
    def _rendering(self) -> Rendering:
        return rendering_of(self.format)

    def expression(self, name: str, array: np.ndarray) -> str:
        """Python code for a tensor with the values of an array, which is called ``name`` in the archive."""
        if self.inline and is_small(array):
            text = self._rendering.written(array)
        else:
            self.read = True
            text = self._rendering.loaded(dtypes.dtype_of(array), name)
        return self._rendering.there(text, self.device)

    def assigned(self, target: str, name: str, array: np.ndarray) -> str:
        """Statements that bind a name to such a tensor: one value with few exceptions is written as that."""
        made = self._rendering.constructors
        regular = made.written(array, "") is not None
        found = made.exceptions(target, array) if self.inline and self.device == "cpu" and not regular else None
        if found is None:
            return f"{target} = {self.expression(name, array)}"
        return "\n".join([f"{target} = {self._rendering.written(found[0])}", *found[1]])

    def numpy(self, name: str, array: np.ndarray) -> str:
        """Python code for a NumPy array."""
        if self.inline and is_small(array):
            return written_numpy(array)
        self.read = True
        return f'ARRAYS["{name}"]'


#: The most bytes to embed in one place. Larger data lies beside the reproducer.
LARGEST = 100_000

_WIDTH = 100


def can_embed(data: bytes) -> bool:
    """Whether bytes are few enough to embed."""
    return len(data) <= LARGEST


def bytes_expression(data: bytes) -> str:
    """Python code for these bytes."""
    lines = textwrap.wrap(base64.b64encode(data).decode(), _WIDTH)
    if len(lines) == 1:
        return f'base64.b64decode("{lines[0]}")'
    text = "\n".join(lines)
    return f'base64.b64decode("""\n{text}\n""")'


def embedded_model(side: str, source: bytes) -> str:
    """Python code that binds a serialized ONNX model to a name, with a listing of the model in comments."""
    listing = textwrap.indent(OnnxProgram(source).listing, "#   ", lambda line: True)
    comment = "\n".join(line.rstrip() for line in listing.splitlines())
    return f"# {side} is this model, serialized:\n{comment}\n{side} = {bytes_expression(source)}"


def archive(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an ``.npz`` file."""
    buffer = io.BytesIO()
    held: dict[str, Any] = dict(arrays)
    np.savez_compressed(buffer, **held)
    return buffer.getvalue()
