"""Forms of attributes and constants: defaults left out or stated, and operators that make a constant in the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, defs, helper, numpy_helper

from polyjuice.frameworks.onnx.forms.rule import (
    FormRule,
    FormSite,
    Write,
    attribute,
    become,
    becomes,
    drop,
    give,
    kernel_shape,
    lacks,
    schemas,
    states,
    within,
)
from polyjuice.frameworks.onnx.subgraphs import RESERVED
from polyjuice.frameworks.onnx.tensors import code_of, to_tensor
from polyjuice.frameworks.onnx.versions import takes
from polyjuice.ir import Attrs, dtypes, uniform_value
from polyjuice.ops import axes
from polyjuice.ops.spec import REQUIRED

# --- attributes -------------------------------------------------------------------------------------------------------

_ABSENT, _GIVEN = 0.5, 0.3

Default = Callable[[NodeProto, FormSite], Any]


def rules() -> Iterator[FormRule]:
    for op, schema in schemas():
        for name, declared in schema.attributes.items():
            own = next((attr for attr in op.attrs if attr.name == name and not attr.as_input), None)
            if own:
                if name in _DEFAULTS or (declared.default_value.name and own.default is not REQUIRED):
                    yield FormRule(f"{name} absent", (op.name,), _ABSENT, _absent(name), lacks(name))
            elif declared.default_value.name:
                yield FormRule(f"{name} given", (op.name,), _GIVEN, _is_present(name), states(name))
            elif name == "kernel_shape":
                yield FormRule(f"{name} given", (op.name,), _ABSENT, _has_kernel, states(name))
    yield from _of_constants()


def _absent(name: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        written = attribute(node, name)
        default = _default(node, name, site)
        if written is None or default is None:
            return False
        value = helper.get_attribute_value(written)
        if value != default and not _same_axes(node, {name: value}, {name: default}, site):
            return False
        drop(node, name)
        return True

    return write


def _is_present(name: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        schema = defs.get_schema(node.op_type, site.opset)
        if attribute(node, name) or name not in schema.attributes:
            return False
        default: AttributeProto = schema.attributes[name].default_value
        node.attribute.append(default)
        return True

    return write


def _has_kernel(node: NodeProto, site: FormSite) -> bool:
    give(node, "kernel_shape", kernel_shape(node, site))
    return True


def _default(node: NodeProto, name: str, site: FormSite) -> Any:
    if name in _DEFAULTS:
        return _DEFAULTS[name](node, site)
    schema = defs.get_schema(node.op_type, site.opset)
    default = schema.attributes[name].default_value if name in schema.attributes else None
    return helper.get_attribute_value(default) if default is not None and default.name else None


def _same_axes(node: NodeProto, attrs_written: Attrs, default: Attrs, site: FormSite) -> bool:
    ranks = site.operand(node).rank, site.result(node).rank
    attrs_written, default = (axes.from_the_front(node.op_type, attrs, *ranks) for attrs in (attrs_written, default))
    return not axes.NAMES.isdisjoint(attrs_written) and attrs_written == default


def _spatial(value: int, per_axis: int = 1) -> Default:
    def default(node: NodeProto, site: FormSite) -> list[int]:
        image = site.result(node) if node.op_type == "Col2Im" else site.operand(node)
        return [value] * (per_axis * (image.rank - 2))

    return default


_DEFAULTS: Mapping[str, Default] = {
    "perm": lambda node, site: list(reversed(range(site.operand(node).rank))),
    "strides": _spatial(1),
    "dilations": _spatial(1),
    "pads": _spatial(0, 2),
    "output_padding": _spatial(0),
    "dtype": lambda node, site: code_of(site.operand(node).dtype),
}
"""Defaults that ONNX states in prose, but not in its schema."""


# --- constants --------------------------------------------------------------------------------------------------------

_VALUE_OPSET = 12
"""The opset that lets a Constant hold numbers as attributes."""

_NUMBERS = {
    "value_int": (np.int64, 0),
    "value_ints": (np.int64, 1),
    "value_float": (np.float32, 0),
    "value_floats": (np.float32, 1),
}
"""Attributes of Constant that hold numbers: their type and rank."""


_LARGEST = 4096
"""How many elements a tensor has at most that is made for its shape."""


def _of_constants() -> Iterator[FormRule]:
    yield FormRule("as Shape", ("Constant",), 0.5, _as_shape, becomes("Shape"))
    yield FormRule("as ConstantOfShape", ("Constant",), 0.5, _as_constant_of_shape, becomes("ConstantOfShape"))
    yield FormRule("as Range", ("Constant",), 0.5, _as_range, becomes("Range"))
    yield FormRule("as EyeLike", ("Constant",), 0.5, _as_eye_like, becomes("EyeLike"))
    yield FormRule("as Expand", ("Constant",), 0.2, _as_expand)
    yield FormRule("as Cast", ("Constant",), 0.1, _as_cast)
    yield FormRule("as Reshape", ("Constant",), 0.1, _as_reshape)
    yield FormRule("as Identity", ("Constant",), 0.05, _as_identity)
    for name in _NUMBERS:
        yield FormRule(name, ("Constant",), 0.5, _as_numbers(name), states(name))


def _array(node: NodeProto) -> np.ndarray | None:
    """Return the array of a graph's Constant, if NumPy has its type: operators such as Expand lack 8-bit floats."""
    held = attribute(node, "value")
    if node.op_type != "Constant" or held is None or node.output[0].startswith(RESERVED):
        return None
    array = numpy_helper.to_array(held.t)
    return array if array.size and array.dtype.isbuiltin == 1 else None


def _dtype(array: np.ndarray) -> str:
    return dtypes.dtype_of(array)


def _as_numbers(name: str) -> Write:
    dtype, rank = _NUMBERS[name]

    def write(node: NodeProto, site: FormSite) -> bool:
        array = _array(node)
        if array is None or array.dtype != dtype or array.ndim != rank or site.opset < _VALUE_OPSET:
            return False
        drop(node, "value")
        give(node, name, array.tolist())
        return True

    return write


def _as_constant_of_shape(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or uniform_value(array) is None:
        return False
    fill = to_tensor(array.reshape(-1)[:1], "")
    become(node, "ConstantOfShape", [site.integers(array.shape)], value=fill)
    return True


def _as_expand(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or array.ndim == 0 or array.shape[0] < 2 or (array != array[:1]).any():
        return False
    become(node, "Expand", [site.constant(array[:1]), site.integers(array.shape)])
    return True


def _as_range(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or array.ndim != 1 or len(array) < 2 or array.dtype not in (np.int32, np.int64, np.float32):
        return False
    values = array.astype(np.float64)
    step = values[1] - values[0]
    whole = np.isfinite(values).all() and (values == np.rint(values)).all() and np.abs(values).max() < 2**20
    if not whole or not step or (np.diff(values) != step).any():
        return False
    ends = (values[0], values[-1] + step, step)
    become(node, "Range", [site.constant(np.asarray(end, array.dtype)) for end in ends])
    return True


def _as_eye_like(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or array.ndim != 2 or not takes("EyeLike", (_dtype(array),), (), site.opset):
        return False
    found = [
        k
        for k in range(1 - array.shape[0], array.shape[1])
        if (array == np.eye(array.shape[0], array.shape[1], k)).all()
    ]
    if not found:
        return False
    like = site.apply("ConstantOfShape", site.integers(array.shape))
    become(node, "EyeLike", [like], k=found[0], dtype=code_of(_dtype(array)))
    return True


def _as_shape(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or array.dtype != np.int64 or array.ndim != 1 or (array < 1).any():
        return False
    if math.prod(array.tolist()) > _LARGEST:  # NumPy's product of int64 would overflow
        return False
    like = site.apply("ConstantOfShape", site.integers(array.tolist()))
    become(node, "Shape", [like])
    return True


def _as_cast(node: NodeProto, site: FormSite) -> bool:
    """Cast from an integer type that holds all elements."""
    array = _array(node)
    if array is None or array.dtype not in (np.float32, np.int64, np.float64):
        return False
    if not within(array, 2**20) or (array != np.rint(array)).any():
        return False
    if (np.signbit(array) & (array == 0)).any():
        return False
    become(node, "Cast", [site.constant(array.astype(np.int32))], to=code_of(_dtype(array)))
    return True


def _as_reshape(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None or array.ndim < 2:
        return False
    become(node, "Reshape", [site.constant(array.reshape(-1)), site.integers(array.shape)])
    return True


def _as_identity(node: NodeProto, site: FormSite) -> bool:
    array = _array(node)
    if array is None:
        return False
    become(node, "Identity", [site.constant(array)])
    return True
