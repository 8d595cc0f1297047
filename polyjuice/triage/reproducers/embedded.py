"""Bytes in the text of a reproducer, so that it needs no file beside it."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from polyjuice.frameworks.onnx.listing import OnnxProgram

#: The most bytes to embed in one place. Larger data lies beside the reproducer.
LARGEST = 100_000

_WIDTH = 100


def fits(data: bytes) -> bool:
    """Whether bytes are few enough to embed."""
    return len(data) <= LARGEST


def expression(data: bytes) -> str:
    """Python code for these bytes."""
    lines = textwrap.wrap(base64.b64encode(data).decode(), _WIDTH)
    if len(lines) == 1:
        return f'base64.b64decode("{lines[0]}")'
    text = "\n".join(lines)
    return f'base64.b64decode("""\n{text}\n""")'


def model(side: str, source: bytes) -> str:
    """Python code that binds a serialized ONNX model to a name, with a listing of the model in comments."""
    listing = textwrap.indent(OnnxProgram(source).listing, "#   ", lambda line: True)
    comment = "\n".join(line.rstrip() for line in listing.splitlines())
    return f"# {side} is this model, serialized:\n{comment}\n{side} = {expression(source)}"


def archive(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an ``.npz`` file."""
    buffer = io.BytesIO()
    held: dict[str, Any] = dict(arrays)
    np.savez_compressed(buffer, **held)
    return buffer.getvalue()
