"""Element types, arrays and tensor types in ONNX's protobuf form."""

from __future__ import annotations

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto, ValueInfoProto, helper, numpy_helper
from onnx.checker import ValidationError

from polyjuice.frameworks.errors import FormatError
from polyjuice.ir import UNKNOWN, TensorType, dtypes

_CODES = {
    name: TensorProto.DataType.Value({"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper()))
    for name in dtypes.EVERY
}
_NAMES = {code: name for name, code in _CODES.items()}


def code_of(dtype: str) -> int:
    return int(_CODES[dtype])


def dtype_of(code: int, value: str) -> str:
    """The element type of one of ONNX's numbers. Raises FormatError, naming the value, where the IR lacks it."""
    if code not in _NAMES:
        known = code in TensorProto.DataType.values()
        name = TensorProto.DataType.Name(code).lower() if known else str(code)
        raise FormatError(f"the value {value!r} has the element type {name}, which Polyjuice does not support")
    return _NAMES[code]


def to_tensor(array: np.ndarray, name: str) -> TensorProto:
    """An array as raw little-endian bytes (bfloat16 as the bits of uint16, two 4-bit numbers in a byte)."""
    return numpy_helper.from_array(array, name)


def to_array(tensor: TensorProto, name: str) -> np.ndarray:
    """The array of a tensor. Raises FormatError for an unknown element type or unreadable data."""
    dtype = dtype_of(tensor.data_type, name)
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError, ValidationError) as error:
        raise FormatError(f"the data of the tensor {name!r} cannot be read: {error}") from None
    return array.view(dtypes.to_numpy(dtype)) if array.dtype != dtypes.to_numpy(dtype) else array


def to_value_info(name: str, type: TensorType) -> ValueInfoProto:
    sizes = [None if size == UNKNOWN else size for size in type.shape]
    return helper.make_tensor_value_info(name, code_of(type.dtype), sizes)


def declared_dims(type: TypeProto, value: str) -> tuple[str, tuple[int | None, ...] | None] | None:
    """The declared element type and dimensions (None: unknown); None where the declaration states no type.

    Raises FormatError for element types that the IR lacks and for values that are not tensors.
    """
    kind = type.WhichOneof("value")
    if kind is None or (kind == "tensor_type" and not type.tensor_type.elem_type):
        return None
    if kind != "tensor_type":
        raise FormatError(f"the value {value!r} is a {kind.removesuffix('_type')}, and only tensors are supported")
    dtype = dtype_of(type.tensor_type.elem_type, value)
    if not type.tensor_type.HasField("shape"):
        return dtype, None
    dims = type.tensor_type.shape.dim
    return dtype, tuple(d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in dims)


def static_type(type: TypeProto, value: str) -> TensorType | None:
    """The declared type where it is static, else None. Raises FormatError as :func:`declared_dims` does."""
    declared = declared_dims(type, value)
    if declared is None or declared[1] is None or None in declared[1]:
        return None
    return TensorType(declared[0], tuple(d for d in declared[1] if d is not None))


def result_type(type: TypeProto, value: str) -> TensorType | None:
    """The declared type of a result, whose sizes may be unknown; None without an element type or a rank."""
    declared = declared_dims(type, value)
    if declared is None or declared[1] is None:
        return None
    return TensorType(declared[0], tuple(UNKNOWN if d is None else d for d in declared[1]))


def constant_node(tensor: TensorProto) -> NodeProto:
    node = helper.make_node("Constant", [], [tensor.name], value=tensor)
    node.attribute[0].t.name = ""
    return node
