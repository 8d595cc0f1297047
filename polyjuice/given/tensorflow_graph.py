"""A traced TensorFlow function as a Graph, where the operator table says exactly what each of its operations does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from polyjuice.ir import Graph, GraphError, TensorType, dtypes
from polyjuice.ops import GraphBuilder
from polyjuice.ops.spec import TypeMismatch

_SAME = ("Identity", "IdentityN", "StopGradient", "PreventGradient")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_SILENT = ("Placeholder", "Const", "ReadVariableOp", "NoOp", "Assert", "PrintV2")

_OF_THAT_NAME = """
    Abs Acos Acosh Add Asin Asinh Atan Atanh BitwiseAnd BitwiseOr BitwiseXor Ceil Cos Cosh Equal Erf Exp Floor Greater
    Less Log Mul Neg Pow Reciprocal Relu Round Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Tan Tanh
"""

_ONE_FOR_ONE = {
    **{name: ("", name) for name in _OF_THAT_NAME.split()},
    "AddV2": ("", "Add"),
    "AddN": ("", "Sum"),
    "RealDiv": ("", "Div"),
    "Maximum": ("", "Max"),
    "Minimum": ("", "Min"),
    "GreaterEqual": ("", "GreaterOrEqual"),
    "LessEqual": ("", "LessOrEqual"),
    "LogicalAnd": ("", "And"),
    "LogicalOr": ("", "Or"),
    "LogicalNot": ("", "Not"),
    "Invert": ("", "BitwiseNot"),
    "IsNan": ("", "IsNaN"),
    "Inv": ("", "Reciprocal"),
    "Rint": ("", "Round"),
    "SelectV2": ("", "Where"),
    "Rsqrt": ("aten", "rsqrt"),
    "Square": ("aten", "square"),
    "Expm1": ("aten", "expm1"),
    "Log1p": ("aten", "log1p"),
    "Erfc": ("aten", "erfc"),
    "Relu6": ("aten", "relu6"),
    "Xlogy": ("aten", "xlogy"),
    "Atan2": ("aten", "atan2"),
}
"""Operations that are an operator of the table, with its domain."""

_REDUCTIONS = {
    "Sum": "ReduceSum",
    "Mean": "ReduceMean",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Prod": "ReduceProd",
}


class NotRead(Exception):
    """The function has an operation that no operator of the table is known to be."""


def read(traced: Any) -> Graph:
    """The graph of a concrete function: variables and constants become constants, functions are inlined.

    Raises NotRead.
    """
    graph = traced.graph
    variables = {id(variable.handle): variable for variable in graph.variables}
    builder = GraphBuilder()
    captured = {inner.name: outer for outer, inner in graph.captures}
    scope = _Scope(builder)
    for place in graph.inputs:
        if place.name not in captured:
            scope.values[place.name] = builder.input(_type(place))
            continue
        outer = captured[place.name]
        if outer.dtype == tf.resource and id(outer) in variables:
            scope.known[place.name] = variables[id(outer)].value().numpy()
        elif outer.dtype.name in dtypes.ALL:
            scope.known[place.name] = outer.numpy()
        else:
            raise NotRead("a captured value is no array")
    try:
        scope.read(graph)
        return builder.build([scope.value(output) for output in graph.outputs])
    except (GraphError, TypeMismatch, KeyError) as error:
        raise NotRead(str(error)) from error


def _type(tensor: Any) -> TensorType:
    if not tensor.shape.is_fully_defined() or tensor.dtype.name not in dtypes.ALL:
        raise NotRead(f"{tensor.name} has no static type of the IR")
    return TensorType(tensor.dtype.name, tuple(tensor.shape))


class _Scope:
    """The values of one function of the trace."""

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder
        self.values: dict[str, str] = {}
        """The name in the Graph for each tensor that depends on inputs, or has been used."""
        self.known: dict[str, np.ndarray] = {}
        """The arrays of constants and variables."""

    def read(self, graph: Any) -> None:
        """Read the operations of a function. Raises NotRead, and GraphError where one is not well typed."""
        for op in graph.get_operations():
            if op.type == "Const" and op.outputs[0].dtype.name in dtypes.ALL:
                self.known[op.outputs[0].name] = tf.make_ndarray(op.get_attr("value"))
            elif op.type == "ReadVariableOp":
                self.known[op.outputs[0].name] = self.known[op.inputs[0].name]
            elif op.type in _SAME:
                for result, operand in zip(op.outputs, op.inputs, strict=True):
                    self._alias(result, self, operand)
            elif op.type in _CALLS:
                self._call(op)
            elif op.outputs and op.type not in _SILENT and tf.get_static_value(op.outputs[0]) is None:
                self._operation(op)

    def value(self, tensor: Any) -> str:
        """The name of a tensor in the Graph."""
        if tensor.name not in self.values:
            self.values[tensor.name] = self.builder.constant(self.array(tensor))
        return self.values[tensor.name]

    def array(self, tensor: Any) -> np.ndarray:
        """The values of a tensor that depends on no input. Raises NotRead."""
        array = self.known.get(tensor.name)
        if array is None and tensor.name not in self.values:
            array = tf.get_static_value(tensor)
        if array is None:
            raise NotRead(f"{tensor.name} is not constant")
        return np.asarray(array)

    def _alias(self, tensor: Any, scope: _Scope, other: Any) -> None:
        """Let a tensor be one of a scope, which may be another."""
        if other.name in scope.known:
            self.known[tensor.name] = scope.known[other.name]
        elif tensor.dtype != tf.resource:
            self.values[tensor.name] = scope.value(other)

    def _call(self, op: Any) -> None:
        called = op.graph._get_function(op.get_attr("f").name)
        if called is None or not hasattr(called, "graph"):
            raise NotRead(f"the graph of {op.name} is not known")
        inner = _Scope(self.builder)
        for place, operand in zip(called.graph.inputs, op.inputs, strict=True):
            inner._alias(place, self, operand)
        inner.read(called.graph)
        for result, output in zip(op.outputs, called.graph.outputs, strict=True):
            self._alias(result, inner, output)

    def _operation(self, op: Any) -> None:
        if op.type in _ONE_FOR_ONE:
            domain, name = _ONE_FOR_ONE[op.type]
            made: Sequence[str] = [self.builder.op(name, *map(self.value, op.inputs), domain=domain)]
        elif op.type in _REDUCTIONS:
            made = [self._reduction(op)]
        elif op.type in _OTHERS:
            result = _OTHERS[op.type](self, op)
            made = [result] if isinstance(result, str) else result
        else:
            raise NotRead(f"{op.type} is not read")
        for tensor, name in zip(op.outputs, made, strict=True):
            if self.builder.types[name] != _type(tensor):
                raise NotRead(f"{op.type} gives {_type(tensor)}, and its operator {self.builder.types[name]}")
            self.values[tensor.name] = name

    def _reduction(self, op: Any) -> str:
        rank = len(op.inputs[0].shape)
        axes = tuple(sorted(int(axis) % rank for axis in np.ravel(self.array(op.inputs[1]))))
        if not axes:
            return self.builder.op("Identity", self.value(op.inputs[0]))
        keep = int(op.get_attr("keep_dims"))
        return self.builder.op(_REDUCTIONS[op.type], self.value(op.inputs[0]), axes=axes, keepdims=keep)

    def ints(self, tensor: Any) -> tuple[int, ...]:
        """A tensor of constant integers."""
        return tuple(int(n) for n in np.ravel(self.array(tensor)))

    def transposed(self, tensor: Any, swapped: bool) -> str:
        """A value, with its last two dimensions swapped if need be."""
        name, rank = self.value(tensor), len(tensor.shape)
        if not swapped:
            return name
        return self.builder.op("Transpose", name, perm=(*range(rank - 2), rank - 1, rank - 2))


def _cast(scope: _Scope, op: Any) -> str:
    if op.get_attr("Truncate"):
        raise NotRead("a cast truncates")
    return scope.builder.op("Cast", scope.value(op.inputs[0]), to=op.outputs[0].dtype.name)


def _not_equal(scope: _Scope, op: Any) -> str:
    return scope.builder.op("Not", scope.builder.op("Equal", *map(scope.value, op.inputs)))


def _squared_difference(scope: _Scope, op: Any) -> str:
    return scope.builder.op("square", scope.builder.op("Sub", *map(scope.value, op.inputs)), domain="aten")


def _bias_add(scope: _Scope, op: Any) -> str:
    if op.get_attr("data_format") != b"NHWC":
        raise NotRead("BiasAdd is not NHWC")
    return scope.builder.op("Add", *map(scope.value, op.inputs))


def _floor_mod(scope: _Scope, op: Any) -> str:
    if not op.outputs[0].dtype.is_integer:
        raise NotRead("FloorMod of floating types")
    return scope.builder.op("Mod", *map(scope.value, op.inputs))


def _mat_mul(scope: _Scope, op: Any) -> str:
    a, b = ("transpose_a", "transpose_b") if op.type == "MatMul" else ("adj_x", "adj_y")
    x, y = op.inputs
    operands = scope.transposed(x, op.get_attr(a)), scope.transposed(y, op.get_attr(b))
    return scope.builder.op("MatMul", *operands)


def _transpose(scope: _Scope, op: Any) -> str:
    return scope.builder.op("Transpose", scope.value(op.inputs[0]), perm=scope.ints(op.inputs[1]))


def _reshape(scope: _Scope, op: Any) -> str:
    return scope.builder.op("Reshape", scope.value(op.inputs[0]), shape=_type(op.outputs[0]).shape)


def _squeeze(scope: _Scope, op: Any) -> str:
    shape = op.inputs[0].shape
    axes = [axis % len(shape) for axis in op.get_attr("squeeze_dims")]
    axes = sorted(axes) or [axis for axis, size in enumerate(shape) if size == 1]
    return (
        scope.builder.op("Squeeze", scope.value(op.inputs[0]), axes=tuple(axes)) if axes else scope.value(op.inputs[0])
    )


def _expand_dims(scope: _Scope, op: Any) -> str:
    (axis,) = scope.ints(op.inputs[1])
    return scope.builder.op("Unsqueeze", scope.value(op.inputs[0]), axes=(axis % len(op.outputs[0].shape),))


def _concat(scope: _Scope, op: Any) -> str:
    *parts, axis = op.inputs
    (number,) = scope.ints(axis)
    return scope.builder.op("Concat", *map(scope.value, parts), axis=number % len(op.outputs[0].shape))


def _pack(scope: _Scope, op: Any) -> str:
    axis = op.get_attr("axis") % len(op.outputs[0].shape)
    parts = [scope.builder.op("Unsqueeze", scope.value(x), axes=(axis,)) for x in op.inputs]
    return scope.builder.op("Concat", *parts, axis=axis)


def _split(scope: _Scope, op: Any) -> Sequence[str]:
    axis, x = (op.inputs[0], op.inputs[1]) if op.type == "Split" else (op.inputs[2], op.inputs[0])
    (number,) = scope.ints(axis)
    number %= len(x.shape)
    return scope.builder.multi("Split", scope.value(x), axis=number, split=tuple(y.shape[number] for y in op.outputs))


def _slice(scope: _Scope, op: Any) -> str:
    starts = scope.ints(op.inputs[1])
    ends = tuple(start + size for start, size in zip(starts, op.outputs[0].shape, strict=True))
    return _sliced(scope, op.inputs[0], starts, ends, (1,) * len(starts))


def _sliced(scope: _Scope, x: Any, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]) -> str:
    axes = tuple(range(len(starts)))
    return scope.builder.op(
        "Slice", scope.value(x), starts=tuple(starts), ends=tuple(ends), axes=axes, steps=tuple(steps)
    )


def _strided_slice(scope: _Scope, op: Any) -> str:
    x, *bounds = op.inputs
    said = list(zip(*map(scope.ints, bounds), strict=True))
    masks = {name: int(op.get_attr(f"{name}_mask")) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    whole: list[slice] = []
    kept: list[bool] = []  # for each dimension of x, and each new one, whether it is one of x
    shrunk: list[int] = []
    for number, (begin, end, step) in enumerate(said):
        on = {name for name, mask in masks.items() if mask >> number & 1}
        if step < 0:
            raise NotRead("StridedSlice backwards")
        if "ellipsis" in on:
            rest = sum(not masks["new_axis"] >> later & 1 for later in range(number + 1, len(said)))
            missing = len(x.shape) - len(whole) - rest
            whole += [slice(None)] * missing
            kept += [True] * missing
        elif "new_axis" in on:
            kept.append(False)
        elif "shrink_axis" in on:
            shrunk.append(len(whole))
            whole.append(slice(begin, begin + 1 or None))
        else:
            whole.append(slice(None if "begin" in on else begin, None if "end" in on else end, step))
            kept.append(True)
    whole += [slice(None)] * (len(x.shape) - len(whole))
    starts, ends, steps = zip(*(part.indices(size) for part, size in zip(whole, x.shape, strict=True)), strict=True)
    name = _sliced(scope, x, starts, [max(pair) for pair in zip(starts, ends, strict=True)], steps)
    if shrunk:
        name = scope.builder.op("Squeeze", name, axes=tuple(shrunk))
    added = tuple(axis for axis, old in enumerate(kept) if not old)
    return scope.builder.op("Unsqueeze", name, axes=added) if added else name


def _pad(scope: _Scope, op: Any) -> str:
    pads = np.reshape(scope.array(op.inputs[1]), (-1, 2))
    value = float(scope.array(op.inputs[2])) if op.type == "PadV2" else 0.0
    if value and not op.outputs[0].dtype.is_floating:
        raise NotRead("integers are padded with a number")
    flat = tuple(int(n) for n in (*pads[:, 0], *pads[:, 1]))
    return scope.builder.op("Pad", scope.value(op.inputs[0]), pads=flat, value=value)


def _tile(scope: _Scope, op: Any) -> str:
    return scope.builder.op("Tile", scope.value(op.inputs[0]), repeats=scope.ints(op.inputs[1]))


def _broadcast(scope: _Scope, op: Any) -> str:
    return scope.builder.op("Expand", scope.value(op.inputs[0]), shape=scope.ints(op.inputs[1]))


def _gather(scope: _Scope, op: Any) -> str:
    if op.get_attr("batch_dims"):
        raise NotRead("GatherV2 with batch dimensions")
    scope.array(op.inputs[1])  # TensorFlow refuses negative indices, which the operator counts from the end
    (axis,) = scope.ints(op.inputs[2])
    operands = map(scope.value, op.inputs[:2])
    return scope.builder.op("Gather", *operands, axis=axis % len(op.inputs[0].shape))


def _softmax(scope: _Scope, op: Any) -> str:
    return scope.builder.op(op.type, scope.value(op.inputs[0]), axis=-1)


def _leaky_relu(scope: _Scope, op: Any) -> str:
    return scope.builder.op("LeakyRelu", scope.value(op.inputs[0]), alpha=op.get_attr("alpha"))


def _cumsum(scope: _Scope, op: Any) -> str:
    (axis,) = scope.ints(op.inputs[1])
    how: dict[str, Any] = {name: int(op.get_attr(name)) for name in ("exclusive", "reverse")}
    return scope.builder.op("CumSum", scope.value(op.inputs[0]), axis=axis % len(op.inputs[0].shape), **how)


def _resize(scope: _Scope, op: Any) -> str:
    if op.get_attr("align_corners") or not op.get_attr("half_pixel_centers"):
        raise NotRead("ResizeBilinear without half_pixel_centers")
    size = scope.ints(op.inputs[1])
    batch, rows, columns, channels = op.inputs[0].shape
    if size[0] < rows or size[1] < columns or op.inputs[0].dtype != tf.float32:
        raise NotRead("ResizeBilinear to a smaller size, or of another type than float32")
    first = scope.builder.op("Transpose", scope.value(op.inputs[0]), perm=(0, 3, 1, 2))
    grown = scope.builder.op("Resize", first, sizes=(batch, channels, *size), mode="linear")
    return scope.builder.op("Transpose", grown, perm=(0, 2, 3, 1))


_OTHERS: dict[str, Callable[[_Scope, Any], str | Sequence[str]]] = {
    "BatchMatMulV2": _mat_mul,
    "BiasAdd": _bias_add,
    "BroadcastTo": _broadcast,
    "Cast": _cast,
    "ConcatV2": _concat,
    "Cumsum": _cumsum,
    "ExpandDims": _expand_dims,
    "FloorMod": _floor_mod,
    "GatherV2": _gather,
    "LeakyRelu": _leaky_relu,
    "LogSoftmax": _softmax,
    "MatMul": _mat_mul,
    "NotEqual": _not_equal,
    "Pack": _pack,
    "Pad": _pad,
    "PadV2": _pad,
    "Reshape": _reshape,
    "ResizeBilinear": _resize,
    "Slice": _slice,
    "Softmax": _softmax,
    "Split": _split,
    "SplitV": _split,
    "SquaredDifference": _squared_difference,
    "Squeeze": _squeeze,
    "StridedSlice": _strided_slice,
    "Tile": _tile,
    "Transpose": _transpose,
}
"""Operations that are an operator of the table with attributes, or two or three operators."""
