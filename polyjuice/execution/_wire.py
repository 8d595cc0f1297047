"""Frames between the host and a worker: a JSON header and raw array buffers, over one stream socket.

A frame is a mark and the header's length (eight bytes), the header, and the bytes of each array. The header's "arrays"
lists the arrays as [dtype, shape]. The mark tells a frame from what a compiler writes to the socket by mistake. The
worker loads this file by path, so it keeps to Python 3.9, the standard library and NumPy.
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

_HEAD = struct.Struct("<4sI")
_MARK = b"\x93PJ\x01"
_LONGEST, _LARGEST = 2**28, 2**40
"""The most bytes of a header, and of one array."""

_CLOSED = "the other side closed the channel"


class Garbled(EOFError):
    """The channel holds something else than frames. Nothing that follows can be read."""


def text_array(text: bytes) -> Array:
    """Return bytes, such as a model's source, as an array for a frame."""
    return "uint8", np.frombuffer(text, np.uint8)


def checked(arrays: Iterable[Array]) -> list[Array]:
    """Return the arrays as a list. Raises TypeError if a frame cannot carry one of them."""
    result: list[Array] = []
    for one in arrays:
        dtype, values = one
        if not isinstance(values, (np.ndarray, np.generic)):
            raise TypeError(f"a value of type {type(values).__name__} is no array")
        if not isinstance(dtype, str) or DTYPES.get(dtype) != values.dtype:
            raise TypeError(f"no array of dtype {dtype} (held as {values.dtype}) can be transferred")
        if values.nbytes > _LARGEST:
            raise TypeError(f"an array of {values.nbytes} bytes is too large to be transferred")
        result.append((dtype, np.asarray(values)))  # a subclass may hide its shape
    return result


def write(channel: socket.socket, header: dict[str, Any], arrays: Sequence[Array] = ()) -> None:
    """Send one frame, with arrays that `checked` has returned."""
    shapes = [[dtype, values.shape] for dtype, values in arrays]
    text = json.dumps({**header, "arrays": shapes}).encode()
    channel.sendall(b"".join([_HEAD.pack(_MARK, len(text)), text, *(values.tobytes() for _, values in arrays)]))


def read(stream: BufferedReader) -> Frame:
    """Receive one frame; its arrays are writable.

    Raises EOFError if the other side has closed the channel, and Garbled if it sent something else than a frame.
    """
    mark, length = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if mark != _MARK or length > _LONGEST:
        raise Garbled(f"no frame begins with {mark!r}")
    header = _header(_exactly(stream, length))
    arrays = []
    for dtype, shape in header.pop("arrays"):
        values = np.empty(shape, DTYPES[dtype])
        if stream.readinto(values.reshape(-1).view(np.uint8).data) < values.nbytes:
            raise EOFError(_CLOSED)
        arrays.append((dtype, values))
    return header, arrays


def _header(text: bytes) -> dict[str, Any]:
    """Parse a header. Raises Garbled unless it describes arrays."""
    try:
        header: dict[str, Any] = json.loads(text)
        for dtype, shape in header["arrays"]:
            size = DTYPES[dtype].itemsize
            for length in shape:
                size *= length if isinstance(length, int) and length >= 0 else _LARGEST + 1
            if size > _LARGEST:
                raise Garbled(f"no array has the shape {shape}")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Garbled(f"no frame has this header: {error}") from None
    return header


def _exactly(stream: BufferedReader, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError(_CLOSED)
    return data
