"""Read the file of an ONNX model into memory: bounded, checked, and with the weights from files beside it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto, TensorProto

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import BYTES, TooLarge
from polyjuice.frameworks.onnx.external import load_external
from polyjuice.frameworks.onnx.structure import check_structure, tensors_of


def load_model(path: str | Path) -> ModelProto:
    """Return the model of an ONNX file, with the weights in files beside it. Raises FormatError."""
    data = bounded_bytes(path)
    try:
        model: ModelProto = ModelProto.FromString(data)
        load_external(tensors_of(model), Path(path), len(data))
        check_structure(model)
    except DecodeError as error:
        raise FormatError(f"{path}: not an ONNX model ({' '.join(str(error).split())})") from None
    except FormatError as error:
        raise type(error)(f"{path}: {error}") from None
    return model


def load_tensor(path: str | Path) -> TensorProto:
    """Return the tensor in a file. Raises FormatError."""
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
