"""Rewrite a user's program with float64 instead of every floating type, to measure its rounding error.

Casts to floating types become casts to float64, too. TensorFlow leaves two results undefined: a cast of a number that
the integer type cannot hold, and a shift by at least the type's width. There XLA differs from TensorFlow's kernels, and
the float64 program deliberately returns another integer than either.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, numpy_helper

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx.opaque import draws_randomly
from polyjuice.frameworks.onnx.subgraphs import graphs_of
from polyjuice.ir import dtypes

_FLOATING = dict.fromkeys(("float32", "float16", "bfloat16", "float", "half"), "float64")
_WIDE_TYPES = _FLOATING | dict.fromkeys(("complex64", "cfloat", "chalf"), "complex128")
"""Element types by their names in Torch and TensorFlow, and their replacements."""

_WIDE_CASTS = {"float": "double", "half": "double", "bfloat16": "double", "cfloat": "cdouble", "chalf": "cdouble"}
"""Cast methods of Torch tensors, and their replacements."""

_LEFT_OPEN = {
    "tf.raw_ops.Cast": "defined_cast",
    "tf.raw_ops.LeftShift": "defined_left_shift",
    "tf.raw_ops.RightShift": "defined_right_shift",
}
_DEFINED = """
def defined_cast(x, DstT, Truncate=False):
    y = tf.raw_ops.Cast(x=x, DstT=DstT)
    if not (x.dtype.is_floating and DstT.is_integer):
        return y
    inside = (x > float(DstT.min) - 1) & (x < float(DstT.max) + 1)
    return tf.where(inside, y, tf.bitwise.invert(y))


def defined_left_shift(x, y):
    return where_defined(tf.raw_ops.LeftShift(x=x, y=y), x, y)


def defined_right_shift(x, y):
    return where_defined(tf.raw_ops.RightShift(x=x, y=y), x, y)


def where_defined(shifted, x, y):
    inside = (y >= 0) & (y < 8 * x.dtype.size)
    return tf.where(inside, shifted, tf.bitwise.invert(shifted))
"""
"""The functions that return a different integer where TensorFlow does not define the result."""

_NARROW = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
_TYPES = ("to", "dtype", "output_dtype", "output_datatype", "stash_type")
"""Attributes that name an element type."""


def in_float64(artifact: Artifact) -> Artifact | None:
    """Return the program in float64; None for one that has no such program (see ``Format.widen``)."""
    widen = registry.find(artifact.format).widen
    found: Artifact | None = widen.load()(artifact) if widen else None
    return found


def onnx_in_float64(artifact: Artifact) -> Artifact | None:
    """Return a model in float64; None for one with random numbers, whose runs never agree."""
    assert isinstance(artifact.source, bytes)
    model = ModelProto.FromString(artifact.source)
    functions = [node for function in model.functions for node in function.node]
    if any(map(draws_randomly, (*model.graph.node, *functions))):
        return None
    _widen_graph(model.graph)
    for node in functions:
        _widen_node(node)
    return replace(artifact, source=model.SerializeToString())


def torch_in_float64(artifact: Artifact) -> Artifact:
    program = _Widened("torch", _WIDE_CASTS).visit(ast.parse(artifact.source))
    arrays = _widened_arrays(artifact)
    return replace(artifact, source=ast.unparse(program), arrays=arrays, setup={**artifact.setup, "wide": True})


def tensorflow_in_float64(artifact: Artifact) -> Artifact:
    program = _Widened("tf", {}).visit(ast.parse(artifact.source))
    program.body[1:1] = ast.parse(_DEFINED).body  # after the import
    return replace(artifact, source=ast.unparse(program), arrays=_widened_arrays(artifact))


def _widened_arrays(artifact: Artifact) -> dict[str, np.ndarray]:
    return {name: _widened(array) for name, array in artifact.arrays.items()}


class _Widened(ast.NodeTransformer):
    """Replaces the types that a program names, cast methods, and calls whose result TensorFlow does not define."""

    def __init__(self, framework: str, casts: Mapping[str, str]) -> None:
        self._framework = framework
        self._casts = casts

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if defined := _LEFT_OPEN.get(ast.unparse(node)):
            return ast.Name(defined, node.ctx)
        named = isinstance(node.value, ast.Name) and node.value.id == self._framework
        wide = (_WIDE_TYPES if named else self._casts).get(node.attr, node.attr)
        return ast.Attribute(self.visit(node.value), wide, node.ctx)


def _widened(array: np.ndarray) -> np.ndarray:
    dtype = dtypes.dtype_of(array)
    if dtypes.is_complex(dtype):
        return array.astype(np.complex128)
    return array.astype(np.float64) if dtypes.is_float(dtype) else array


def _widen_graph(graph: GraphProto) -> None:
    for value in (*graph.input, *graph.output, *graph.value_info):
        _widen_type(value.type)
    for tensor in graph.initializer:
        _widen_tensor(tensor)
    for node in graph.node:
        _widen_node(node)


def _widen_node(node: NodeProto) -> None:
    constant = node.op_type == "Constant"
    for attribute in node.attribute:
        if attribute.name in _TYPES and attribute.i in _NARROW:
            attribute.i = TensorProto.DOUBLE
        if attribute.type == AttributeProto.TENSOR:
            _widen_tensor(attribute.t)
        if constant and attribute.name in ("value_float", "value_floats"):
            values = attribute.f if attribute.name == "value_float" else list(attribute.floats)
            attribute.CopyFrom(AttributeProto(name="value", type=AttributeProto.TENSOR))
            attribute.t.CopyFrom(numpy_helper.from_array(np.asarray(values, np.float64)))
        for graph in graphs_of(attribute):
            _widen_graph(graph)


def _widen_type(type: TypeProto) -> None:
    if type.tensor_type.elem_type in _NARROW:
        type.tensor_type.elem_type = TensorProto.DOUBLE


def _widen_tensor(tensor: TensorProto) -> None:
    if tensor.data_type in _NARROW:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float64), tensor.name))
