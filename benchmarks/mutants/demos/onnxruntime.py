"""For each fault of ONNX Runtime, a small graph that shows it, and inputs that keep every value exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.mutants.demos.building import Table, adder, mixed, ramp
from polyjuice.ops import GraphBuilder

DEMOS: Table = {}

demo = adder(DEMOS)


def scalar(b: GraphBuilder, value: float, dtype: str = "float32") -> str:
    """Return the name of a constant scalar."""
    return b.constant(np.array(value, dtype))


@demo(ramp(2, 3), mixed(2, 3))
def subtract_doubled(b: GraphBuilder, x: str, y: str) -> str:
    """y - x * 2."""
    return b.op("Sub", y, b.op("Mul", x, scalar(b, 2)))


@demo(ramp(2, 3), ramp(3, 2))
def matmul_scale_column(b: GraphBuilder, x: str, y: str) -> str:
    """(x * s) y with a column s of factors."""
    return b.op("MatMul", b.op("Mul", x, b.constant(np.array([[2], [3]], np.float32))), y)


@demo(ramp(3, 1), np.array([[4]], np.float32))
def matmul_scale_unit_matrix(b: GraphBuilder, x: str, y: str) -> str:
    """(x * 2) (y * 3) with a matrix y of one element."""
    return b.op("MatMul", b.op("Mul", x, scalar(b, 2)), b.op("Mul", y, scalar(b, 3)))


@demo(np.array([[1, 3, 3], [2, 0, 2]], np.float32))
def argmax_of_negation_ties(b: GraphBuilder, x: str) -> Sequence[str]:
    """ArgMax and ArgMin of -x, with equal elements."""
    y = b.op("Neg", x)
    return b.op("ArgMax", y, axis=0), b.op("ArgMin", y, axis=1)


@demo(np.array([1.5, -2.5, 3], np.float32))
def cast_chain_through_integer(b: GraphBuilder, x: str) -> str:
    """Fractions cast to int32, then to float64."""
    return b.op("Cast", b.op("Cast", x, to="int32"), to="float64")


@demo(np.array([3, 20, 200], np.uint8), np.array([4, 30, 100], np.uint8))
def uint8_product_widened(b: GraphBuilder, x: str, y: str) -> str:
    """A product of uint8 that wraps, cast to int32."""
    return b.op("Cast", b.op("Mul", x, y), to="int32")


@demo(ramp(2, 5))
def concat_slices_in_any_order(b: GraphBuilder, x: str) -> str:
    """The two parts of rows, concatenated in the other order."""
    parts = [b.op("Slice", x, starts=[i], ends=[j], axes=[1], steps=[1]) for i, j in ((2, 5), (0, 2))]
    return b.op("Concat", *parts, axis=1)


@demo(ramp(9))
def slice_of_strided_slice(b: GraphBuilder, x: str) -> str:
    """A slice of every second element."""
    y = b.op("Slice", x, starts=[1], ends=[9], axes=[0], steps=[2])
    return b.op("Slice", y, starts=[1], ends=[4], axes=[0], steps=[1])


@demo(ramp(3, 3), ramp(3, 2))
def matmul_of_square_transpose(b: GraphBuilder, x: str, y: str) -> str:
    """The transpose of a square matrix times y."""
    return b.op("MatMul", b.op("Transpose", x, perm=[1, 0]), y)


@demo(ramp(3, 3), mixed(3, 3))
def transpose_behind_binary(b: GraphBuilder, x: str, y: str) -> str:
    """The transpose of x minus y, both square."""
    return b.op("Sub", b.op("Transpose", x, perm=[1, 0]), y)


@demo(ramp(2, 2, 2))
def transposes_composed_backwards(b: GraphBuilder, x: str) -> str:
    """Two transpositions of a cube that do not commute."""
    return b.op("Transpose", b.op("Transpose", x, perm=[1, 2, 0]), perm=[1, 0, 2])


@demo(ramp(2, 3, 4))
def mean_of_separate_axes(b: GraphBuilder, x: str) -> str:
    """The mean over the first and the last of three axes."""
    return b.op("ReduceMean", x, axes=[0, 2], keepdims=0)


@demo(mixed(3, 3))
def keepdims_left_to_broadcasting(b: GraphBuilder, x: str) -> str:
    """x minus the maxima of its rows."""
    return b.op("Sub", x, b.op("ReduceMax", x, axes=[1], keepdims=1))


@demo(ramp(2, 3), ramp(3, start=10))
def where_not_broadcast(b: GraphBuilder, x: str, y: str) -> str:
    """Where(not (x < 0), x, y) with a vector y."""
    return b.op("Where", b.op("Not", b.op("Less", x, scalar(b, 0))), x, y)


@demo(ramp(3, 4, dtype="int32"))
def division_by_power_of_two(b: GraphBuilder, x: str) -> str:
    """x / 4 on integers, some of them negative."""
    return b.op("Div", x, scalar(b, 4, "int32"))


@demo(ramp(2, 6))
def clip_of_relu(b: GraphBuilder, x: str) -> str:
    """Relu(x), clipped to the range from 2 to 4."""
    return b.op("Clip", b.op("Relu", x), min=2.0, max=4.0)


@demo(ramp(2, 6))
def clip_from_min_of_max(b: GraphBuilder, x: str) -> str:
    """min(max(-2, x), 3), with one constant first."""
    return b.op("Min", b.op("Max", scalar(b, -2), x), scalar(b, 3))


POOLING = {"kernel_shape": [2, 2], "dilations": [1, 1]}


@demo(mixed(1, 1, 4, 4))
def maxpool_pads_exchanged(b: GraphBuilder, x: str) -> str:
    """Max pooling with padding at one end only."""
    return b.op("MaxPool", x, strides=[1, 1], pads=[1, 0, 0, 0], **POOLING)


@demo(ramp(1, 1, 4, 4))
def averagepool_strides_count_padding(b: GraphBuilder, x: str) -> str:
    """Average pooling with strides and padding."""
    return b.op("AveragePool", x, strides=[2, 2], pads=[1, 1, 1, 1], **POOLING)


@demo(ramp(2, 2))
def pads_merged(b: GraphBuilder, x: str) -> str:
    """x padded with 7, then with 8."""
    return b.op("Pad", b.op("Pad", x, pads=[1, 0, 0, 0], value=7.0), pads=[0, 1, 0, 1], value=8.0)


@demo(np.array([[0, 500], [500, 0], [0, 500]], np.float32))
def softmax_before_transpose(b: GraphBuilder, x: str) -> str:
    """Softmax of the transpose of x."""
    return b.op("Softmax", b.op("Transpose", x, perm=[1, 0]), axis=1)


@demo(ramp(3, 3), mixed(3))
def unsqueeze_left_to_broadcasting(b: GraphBuilder, x: str, v: str) -> str:
    """A square matrix plus a column made from a vector."""
    return b.op("Add", x, b.op("Unsqueeze", v, axes=[1]))


@demo(ramp(2, 3, 4))
def flatten_of_transpose(b: GraphBuilder, x: str) -> str:
    """Flatten of a tensor with its last two axes exchanged."""
    return b.op("Flatten", b.op("Transpose", x, perm=[0, 2, 1]), axis=1)


@demo(ramp(3, 2), ramp(2, 3), mixed(3, 1))
def gemm_bias_column(b: GraphBuilder, x: str, y: str, c: str) -> str:
    """A square product plus a column."""
    return b.op("Add", b.op("MatMul", x, y), c)


@demo(ramp(2, 3), mixed(2, 3))
def relu_of_sum_dropped(b: GraphBuilder, x: str, y: str) -> str:
    """Relu(Relu(x) + y) with negative sums."""
    return b.op("Relu", b.op("Add", b.op("Relu", x), y))


@demo(ramp(2, 3), np.zeros((2, 3), np.float32))
def negated_comparison(b: GraphBuilder, x: str, y: str) -> str:
    """not (x < y), with some equal elements."""
    return b.op("Not", b.op("Less", x, y))


@demo(np.full((2, 3), 4, np.float32), np.full((2, 1), 8, np.float32))
def mean_of_concatenation(b: GraphBuilder, x: str, y: str) -> str:
    """The mean of two parts of unequal size."""
    return b.op("ReduceMean", b.op("Concat", x, y, axis=1), axes=[1])


CONVOLUTION = {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1]}


@demo(ramp(1, 1, 3, 3), ramp(2, 1, 2, 2), mixed(2))
def conv_bias_along_width(b: GraphBuilder, x: str, w: str, v: str) -> str:
    """A convolution plus a vector along its width."""
    return b.op("Add", b.op("Conv", x, w, **CONVOLUTION), v)


@demo(ramp(2, 5))
def gather_negative_index(b: GraphBuilder, x: str) -> str:
    """Columns of x, one of them by a negative index."""
    return b.op("Gather", x, b.constant(np.array([0, -2])), axis=1)


@demo(ramp(2, 3))
def common_subexpression_attributes(b: GraphBuilder, x: str) -> Sequence[str]:
    """Two cumulative sums of x, one of them reversed."""
    return b.op("CumSum", x, axis=0), b.op("CumSum", x, axis=0, reverse=1)


@demo(ramp(2, 3))
def result_buffer_unwritten(b: GraphBuilder, x: str) -> Sequence[str]:
    """abs(x), which is an output, and abs(x) + x."""
    magnitude = b.op("Abs", x)
    return magnitude, b.op("Add", magnitude, x)


@demo(ramp(2, 6))
def split_uneven(b: GraphBuilder, x: str) -> Sequence[str]:
    """Three parts of unequal size."""
    return b.multi("Split", x, axis=1, split=[3, 1, 2])


@demo(ramp(2, 3))
def subtraction_chain(b: GraphBuilder, x: str) -> str:
    """x - 3 - 5."""
    return b.op("Sub", b.op("Sub", x, scalar(b, 3)), scalar(b, 5))


@demo(ramp(2, 3), mixed(2, 3))
def sum_repeated_operand(b: GraphBuilder, x: str, y: str) -> str:
    """x + y + x as one Sum."""
    return b.op("Sum", x, y, x)


@demo(ramp(2, 2, 2), np.array([2, 4], np.float32))
def prelu_slope_per_channel(b: GraphBuilder, x: str, slope: str) -> str:
    """PRelu with one slope per element of the last axis."""
    return b.op("PRelu", x, slope)


@demo(ramp(2, 3))
def sqrt_of_square(b: GraphBuilder, x: str) -> str:
    """The root of x * x."""
    return b.op("Sqrt", b.op("Mul", x, x))


@demo(ramp(1, 1, 3, 3), ramp(2, 1, 2, 2), np.array([2, 4], np.float32))
def batch_normalization_of_biased_conv(b: GraphBuilder, x: str, w: str, bias: str) -> str:
    """A batch normalization of a convolution with a bias."""
    statistics = [b.constant(np.array(values, np.float32)) for values in ([3, 5], [1, 2], [0, 0], [1, 1])]
    return b.op("BatchNormalization", b.op("Conv", x, w, bias, **CONVOLUTION), *statistics, epsilon=0.0)


@demo(ramp(2, 3, 2))
def reduce_l1_of_reshape(b: GraphBuilder, x: str) -> str:
    """The L1 norms of a reshaped tensor."""
    return b.op("ReduceL1", b.op("Reshape", x, shape=[2, 6]), axes=[1])
