"""Read the file of an ONNX model into memory: bounded, checked, and with the weights from other files.

Weights come only from the model's own folder. The limit counts all data together, which ``onnx.load`` does not do. The
model and its data may be links into one other folder, as in the cache of a model hub.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import BYTES, TooLarge
from polyjuice.frameworks.onnx.structure import check_structure, tensors_of


def load_model(path: str | Path) -> ModelProto:
    """Return the model of an ONNX file, with the weights in files beside it. Raises FormatError."""
    data = bounded_bytes(path)
    try:
        model: ModelProto = ModelProto.FromString(data)
        _load_external(tensors_of(model), Path(path), len(data))
        check_structure(model)
    except DecodeError as error:
        raise FormatError(f"{path}: not an ONNX model ({' '.join(str(error).split())})") from None
    except FormatError as error:
        raise type(error)(f"{path}: {error}") from None
    return model


def load_tensor(path: str | Path) -> TensorProto:
    try:
        tensor: TensorProto = TensorProto.FromString(bounded_bytes(path))
    except DecodeError:
        raise FormatError(f"{path} holds no tensor") from None
    return tensor


def bounded_bytes(path: str | Path, limit: int = BYTES) -> bytes:
    """Return the content of an ordinary file of at most ``limit`` bytes. Raises FormatError."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FormatError(f"{path}: cannot be read: no ordinary file")
            data = stream.read(min(status.st_size, limit) + 1)  # it takes memory for as many bytes
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(data) > limit:
        raise TooLarge(f"{path}: has more than {limit:,} bytes, which is the most that Polyjuice reads")
    return data


def _load_external(tensors: Iterable[TensorProto], model: Path, held: int) -> None:
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
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location")
    if not isinstance(location, str) or not location or not location.isprintable():
        raise FormatError("its external data has no location")
    path = base / location
    resolved = Path(os.path.realpath(path))
    if (
        os.path.isabs(location)
        or ".." in Path(location).parts
        or not any(resolved.is_relative_to(folder) for folder in folders)
    ):
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


def _number(entries: dict[str, str], key: str) -> int | None:
    text = entries.get(key)
    if text is None:
        return None
    if not isinstance(text, str) or not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise FormatError(f"its {key} is no number of bytes")
    return int(text)
