"""Element types, arrays and tensor types in ONNX's protobuf form."""

from __future__ import annotations

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, numpy_helper
from onnx.checker import ValidationError

from polyjuice.frameworks.errors import FormatError
from polyjuice.ir import TensorType, dtypes

_CODES = {
    name: TensorProto.DataType.Value({"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper()))
    for name in dtypes.EVERY
}
_NAMES = {code: name for name, code in _CODES.items()}


def code_of(dtype: str) -> int:
    """ONNX's number of an element type."""
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
    if dtypes.dtype_of(array) in dtypes.NARROW_INTS:
        raw = _in_pairs(array).tobytes()
    else:
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return TensorProto(dims=array.shape, data_type=code_of(dtypes.dtype_of(array)), raw_data=raw, name=name)


def _in_pairs(array: np.ndarray) -> np.ndarray:
    """4-bit numbers, two in a byte, the first in the lower half."""
    bits = np.ascontiguousarray(array).reshape(-1).view(np.uint8) & 15
    first, second = bits[::2], bits[1::2]
    pairs = first.copy()
    pairs[: second.size] |= second << 4
    return pairs


def to_array(tensor: TensorProto, name: str) -> np.ndarray:
    """The array of a tensor. Raises FormatError for an unknown element type or unreadable data."""
    dtype = dtype_of(tensor.data_type, name)
    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError, ValidationError) as error:
        raise FormatError(f"the data of the tensor {name!r} cannot be read: {error}") from None
    return array.view(dtypes.to_numpy(dtype)) if array.dtype != dtypes.to_numpy(dtype) else array


def to_value_info(name: str, type: TensorType) -> ValueInfoProto:
    """The declaration of a value of a static type."""
    info = ValueInfoProto(name=name)
    info.type.tensor_type.elem_type = code_of(type.dtype)
    info.type.tensor_type.shape.SetInParent()
    for size in type.shape:
        info.type.tensor_type.shape.dim.add(dim_value=size)
    return info


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


def constant_node(tensor: TensorProto) -> NodeProto:
    """The Constant node that stands for an initializer."""
    node = NodeProto(op_type="Constant", output=[tensor.name])
    node.attribute.append(AttributeProto(name="value", type=AttributeProto.TENSOR, t=tensor))
    node.attribute[0].t.name = ""
    return node
