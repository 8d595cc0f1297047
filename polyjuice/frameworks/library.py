"""ONNX's C++ code on models of users: each call with the errors that it raises for a broken model, and no others.

A model can also crash this code, or make it run on and on. So models from files are read in a process of their own
(:mod:`polyjuice.frameworks.forked`), which knows from here what it was doing.
"""

from __future__ import annotations

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


def inlined(model: ModelProto) -> ModelProto:
    """The model with its local functions inlined. Raises FormatError."""
    try:
        with doing("inlining its functions"):
            return inliner.inline_local_functions(model, convert_version=True)
    except _ERRORS as error:
        raise FormatError(f"its functions cannot be inlined ({_line(error)}); export it without functions") from None


def converted(model: ModelProto, version: int) -> ModelProto:
    """The model at another opset. Raises FormatError."""
    try:
        with doing(f"bringing it to opset {version}"):
            return version_converter.convert_version(model, version)
    except _ERRORS as error:
        raise FormatError(
            f"the model cannot be brought to opset {version} ({_line(error)}); export it at opset {version}"
        ) from None


def inferred(model: ModelProto, strict: bool = False) -> ModelProto:
    """The model with the types of its values. Raises FormatError."""
    try:
        return shape_inference.infer_shapes(model, strict_mode=strict, data_prop=not strict)
    except _ERRORS as error:
        raise FormatError(f"the types of its values cannot be inferred ({_line(error)})") from None


def check_valid(model: ModelProto) -> None:
    """Raise FormatError where ONNX's checker finds the model invalid."""
    try:
        with doing("checking it"):
            onnx.checker.check_model(model)
    except _ERRORS as error:
        raise FormatError(f"the model is not valid ({_line(error)})") from None


def _line(error: BaseException) -> str:
    return visible(" ".join(str(error).split()), kept="")[:_LINE]


_LINE = 300
"""The most characters of a library's message."""
