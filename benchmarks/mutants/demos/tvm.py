"""For each fault of TVM, a small graph that shows it, and inputs that keep every value exact."""

from __future__ import annotations

import numpy as np

from benchmarks.mutants.demos.building import Table, adder, mixed, ramp
from polyjuice.ops import GraphBuilder

DEMOS: Table = {}

demo = adder(DEMOS)


def scalar(b: GraphBuilder, value: float, dtype: str = "float32") -> str:
    """Return the name of a constant scalar."""
    return b.constant(np.array(value, dtype))


@demo(np.array([[3, 1, 5], [4, -2, 7]], np.int32))
def argmin_of_negation(b: GraphBuilder, x: str) -> tuple[str, str]:
    """ArgMin of -x along both axes."""
    y = b.op("Neg", x)
    return b.op("ArgMin", y, axis=1, keepdims=0), b.op("ArgMin", y, axis=0, keepdims=1)


@demo(ramp(2, 3, dtype="int32"), np.full((2, 1), 2, np.int32))
def division_behind_multiplication(b: GraphBuilder, x: str, y: str) -> str:
    """(x / y) * y on integers."""
    return b.op("Mul", b.op("Div", x, y), y)


@demo(mixed(3, 3), ramp(3))
def where_operand_of_lower_rank(b: GraphBuilder, x: str, v: str) -> str:
    """Where with a vector as its second operand."""
    return b.op("Where", b.op("Less", x, scalar(b, 0)), v, x)


@demo(ramp(1, 1, 3, 3), ramp(4, 1, 2, 2))
def strided_slice_of_conv_channels(b: GraphBuilder, x: str, w: str) -> str:
    """Every second channel of a convolution."""
    y = b.op("Conv", x, w, strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1])
    return b.op("Slice", y, starts=[0], ends=[4], axes=[1], steps=[2])


@demo(ramp(2, 3), ramp(3, 2), mixed(3, 2, 2))
def matmul_fused_with_outer_add(b: GraphBuilder, x: str, y: str, z: str) -> str:
    """A matrix product plus a tensor of rank 3."""
    return b.op("Add", b.op("MatMul", x, y), z)


@demo(ramp(1, 1, 3, 3, start=-20))
def maxpool_padded_with_zero(b: GraphBuilder, x: str) -> str:
    """Max pooling of negative numbers with padding."""
    return b.op("MaxPool", x, kernel_shape=[2, 2], strides=[1, 1], pads=[1, 0, 0, 1], dilations=[1, 1])


@demo(ramp(2, 6))
def argmax_in_two_stages(b: GraphBuilder, x: str) -> str:
    """ArgMax of rows whose maximum is at the end."""
    return b.op("ArgMax", x, axis=1)


@demo(np.array([[[0, 500], [500, 0]]], np.float32))
def softmax_of_inner_axis(b: GraphBuilder, x: str) -> str:
    """Softmax over the middle one of three axes."""
    return b.op("Softmax", b.op("Add", x, b.constant(np.array([[0], [1000]], np.float32))), axis=1)


@demo(ramp(2, 6))
def sum_without_tail(b: GraphBuilder, x: str) -> str:
    """The sums of rows of six numbers."""
    return b.op("ReduceSum", x, axes=[1], keepdims=0)


@demo(np.zeros((2, 3), np.float32))
def operand_overwritten(b: GraphBuilder, x: str) -> str:
    """cos(-x) - (-x), which reads -x twice."""
    y = b.op("Neg", x)
    return b.op("Sub", b.op("Cos", y), y)


@demo(ramp(2, 3), ramp(2, 3, 2))
def matmul_of_shared_operand(b: GraphBuilder, x: str, y: str) -> str:
    """A matrix times a batch of matrices."""
    return b.op("MatMul", x, y)


@demo(ramp(6))
def backward_slice_phase(b: GraphBuilder, x: str) -> str:
    """Every second one of six elements, backwards from the last."""
    return b.op("Slice", x, starts=[-1], ends=[-9], axes=[0], steps=[-2])


@demo(ramp(2, 3))
def scale_past_bias(b: GraphBuilder, x: str) -> str:
    """(x + 3) * 2."""
    return b.op("Mul", b.op("Add", x, scalar(b, 3)), scalar(b, 2))


@demo(np.array([1, 5, 5], np.uint8), np.array([4, 2, 5], np.uint8))
def uint8_compared_by_difference(b: GraphBuilder, x: str, y: str) -> str:
    """x < y on uint8."""
    return b.op("Less", x, y)
