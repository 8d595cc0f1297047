"""ONNX's C++ code on models of users: each call with the errors that it raises for a broken model, and no others.

A model can also crash this code, or make it run on and on. So models from files are read in a process of their own
(:mod:`polyjuice.frameworks.forked`), which knows from here what it was doing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import onnx
from google.protobuf.message import DecodeError, EncodeError
from onnx import ModelProto, checker, inliner, shape_inference, version_converter

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.forked import doing
from polyjuice.wording import visible

_ERRORS = (
    DecodeError,
    EncodeError,
    IndexError,
    RuntimeError,
    TypeError,
    ValueError,
    checker.ValidationError,
    shape_inference.InferenceError,
    version_converter.ConvertError,
)
"""The errors of ONNX's C++ code and of the protobuf messages that it takes and returns.

IndexError, RuntimeError and ValueError are those of C++. TypeError is for text that is no UTF-8.
"""


_LINE = 300
"""The most characters of a library's message."""


@contextmanager
def _refused(message: str) -> Iterator[None]:
    """Turn ONNX's error into a FormatError with this message, which has a place for the error's own text."""
    try:
        yield
    except _ERRORS as error:
        line = visible(" ".join(str(error).split()), kept="")[:_LINE]
        raise FormatError(message.format(line)) from None


def inlined(model: ModelProto) -> ModelProto:
    """The model with its local functions inlined. Raises FormatError."""
    with _refused("its functions cannot be inlined ({}); export it without functions"), doing("inlining its functions"):
        return inliner.inline_local_functions(model, convert_version=True)


def converted(model: ModelProto, version: int) -> ModelProto:
    """The model at another opset. Raises FormatError."""
    message = f"the model cannot be brought to opset {version} ({{}}); export it at opset {version}"
    with _refused(message), doing(f"bringing it to opset {version}"):
        return version_converter.convert_version(model, version)


def inferred(model: ModelProto, strict: bool = False) -> ModelProto:
    """The model with the types of its values. Raises FormatError."""
    with _refused("the types of its values cannot be inferred ({})"):
        return shape_inference.infer_shapes(model, strict_mode=strict, data_prop=not strict)


def check_valid(model: ModelProto) -> None:
    """Raise FormatError where ONNX's checker finds the model invalid."""
    with _refused("the model is not valid ({})"), doing("checking it"):
        onnx.checker.check_model(model)
