"""Frames between the host and a worker: a JSON header and raw array buffers, over one stream socket.

A frame is the header's length (four bytes), the header, and the bytes of each array. The header's "arrays" lists the
arrays as [dtype, shape]. The worker loads this file by path, so it keeps to Python 3.9, the standard library and NumPy.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable, Sequence
from io import BufferedReader
from typing import Any

import numpy as np

# NumPy lacks these types: frames and workers hold their elements as bits, a four-bit element in a byte of its own.
BITS = {"bfloat16": "uint16", "float8e4m3fn": "uint8", "float8e5m2": "uint8", "int4": "uint8", "uint4": "uint8"}

DTYPES = {
    name: np.dtype(BITS.get(name, name))
    for name in (
        "float16", "float32", "float64", "bfloat16",
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
        "float8e4m3fn", "float8e5m2", "int4", "uint4", "complex64", "complex128",
    )
}  # fmt: skip

Array = tuple[str, "np.ndarray[Any, Any]"]
Frame = tuple[dict[str, Any], list[Array]]

_LENGTH = struct.Struct("<I")
_CLOSED = "the other side closed the channel"


def text_array(text: bytes) -> Array:
    """Return bytes, such as a model's source, as an array for a frame."""
    return "uint8", np.frombuffer(text, np.uint8)


def checked(arrays: Iterable[Array]) -> list[Array]:
    """Return the arrays as a list. Raises TypeError if a frame cannot carry one of them."""
    result = list(arrays)
    for dtype, values in result:
        if DTYPES.get(dtype) != values.dtype:
            raise TypeError(f"no array of dtype {dtype} (held as {values.dtype}) can be transferred")
    return result


def write(channel: socket.socket, header: dict[str, Any], arrays: Sequence[Array] = ()) -> None:
    """Send one frame, with arrays that `checked` has returned."""
    shapes = [[dtype, values.shape] for dtype, values in arrays]
    text = json.dumps({**header, "arrays": shapes}).encode()
    channel.sendall(b"".join([_LENGTH.pack(len(text)), text, *(values.tobytes() for _, values in arrays)]))


def read(stream: BufferedReader) -> Frame:
    """Receive one frame; its arrays are writable. Raises EOFError if the other side has closed the channel."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    header = json.loads(_exactly(stream, length))
    arrays = []
    for dtype, shape in header.pop("arrays"):
        values = np.empty(shape, DTYPES[dtype])
        if stream.readinto(values.reshape(-1).view(np.uint8).data) < values.nbytes:
            raise EOFError(_CLOSED)
        arrays.append((dtype, values))
    return header, arrays


def _exactly(stream: BufferedReader, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError(_CLOSED)
    return data
