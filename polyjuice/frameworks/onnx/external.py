"""Load the weights that an ONNX model keeps in other files: only from the model's own folder, and within limits.

This loader has a limit for all data together, which ``onnx.load`` lacks. The model and its data may be links into one
other folder, as in the cache of a model hub.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from onnx import TensorProto

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import BYTES, TooLarge


def load_external(tensors: Iterable[TensorProto], model: Path, held: int) -> None:
    """Put the data of external tensors into the tensors. ``held`` counts the bytes of the model without them.

    Raises FormatError for a file outside of the model's folder, one that is too short or missing, and too much data.
    """
    folders = {Path(os.path.realpath(model.parent)), Path(os.path.realpath(model)).parent}
    for tensor in tensors:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        try:
            data = _data(tensor, model.parent, folders, BYTES - held)
        except FormatError as error:
            raise type(error)(f"the data of the tensor {tensor.name!r}: {error}") from None
        held += len(data)
        tensor.raw_data = data
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]


def _data(tensor: TensorProto, base: Path, folders: set[Path], left: int) -> bytes:
    """The bytes of a tensor. Raises FormatError."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location")
    if not isinstance(location, str) or not location or not location.isprintable():
        raise FormatError("its external data has no location")
    path = base / location
    resolved = Path(os.path.realpath(path))
    if os.path.isabs(location) or ".." in Path(location).parts or not _is_within(resolved, folders):
        raise FormatError(f"the file {location!r} is outside of the model's folder; move it beside the model")
    offset, length = _number(entries, "offset"), _number(entries, "length")
    try:
        descriptor = os.open(resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        raise FormatError(f"the file {location!r} cannot be read: {error.strerror}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise FormatError(f"{location!r} is no ordinary file")
    with open(descriptor, "rb") as stream:
        begin = offset or 0
        size = status.st_size - begin if length is None else length
        if size < 0 or begin + size > status.st_size:
            raise FormatError(f"the file {location!r} has {status.st_size:,} bytes, and the tensor's end behind these")
        if size > left:
            raise TooLarge(f"the model has more than {BYTES:,} bytes with it, which is the most that Polyjuice reads")
        stream.seek(begin)
        return stream.read(size)


def _is_within(path: Path, folders: set[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _number(entries: dict[str, str], key: str) -> int | None:
    """A number of bytes, None where it is absent. Raises FormatError."""
    text = entries.get(key)
    if text is None:
        return None
    if not isinstance(text, str) or not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise FormatError(f"its {key} is no number of bytes")
    return int(text)
