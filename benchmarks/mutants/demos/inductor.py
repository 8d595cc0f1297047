"""For each fault of Inductor, a small graph that shows it, and inputs that keep every value exact.

Vectorised code handles at most 16 numbers at a time (AVX-512), so that a row of 35 has whole vectors and a tail.
"""

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


@demo(mixed(3, 3, 3), ramp(3, 3, 3))
def permute_pair_by_shape(b: GraphBuilder, x: str, y: str) -> str:
    """Two rotations of a cube's axes, plus y."""
    rotated = b.op("Transpose", b.op("Transpose", x, perm=[1, 2, 0]), perm=[1, 2, 0])
    return b.op("Add", rotated, y)


@demo(mixed(5, 7) / np.float32(4))
def convert_pair_through_integer(b: GraphBuilder, x: str) -> str:
    """Fractions cast to int32 and back."""
    return b.op("Cast", b.op("Cast", x, to="int32"), to="float32")


@demo(mixed(5, 7))
def zero_minuend(b: GraphBuilder, x: str) -> str:
    """0 - x with a constant tensor of zeros."""
    zeros = b.constant(np.zeros((5, 7), np.float32))
    return b.op("Sub", zeros, x)


@demo(mixed(4, 3, 5), ramp(5))
def softmax_scale_along_axis(b: GraphBuilder, x: str, w: str) -> str:
    """s - max(s) for s = x * w, with a maximum over the last two axes."""
    scaled = b.op("Mul", x, w)
    return b.op("Sub", scaled, b.op("ReduceMax", scaled, axes=[1, 2], keepdims=1))


@demo(ramp(4, 6))
def split_cat_order(b: GraphBuilder, x: str) -> str:
    """The two parts of a split, concatenated in the other order."""
    first, second = b.multi("Split", x, axis=1, split=[2, 4])
    return b.op("Concat", second, first, axis=1)


@demo(mixed(4, 3), mixed(3, 4), ramp(4, 1))
def addmm_column_bias(b: GraphBuilder, x: str, y: str, bias: str) -> str:
    """A square product plus a column."""
    return b.op("Add", b.op("MatMul", x, y), bias)


@demo(ramp(7, dtype="int16", start=30000), ramp(7, dtype="int16", start=20000))
def small_integer_sum_widened(b: GraphBuilder, x: str, y: str) -> str:
    """A sum of int16 that wraps, cast to float32."""
    return b.op("Cast", b.op("Add", x, y), to="float32")


@demo(mixed(64, dtype="int32", limit=1000))
def vector_narrowing_saturates(b: GraphBuilder, x: str) -> str:
    """int32 cast to int8, which wraps, and back."""
    return b.op("Cast", b.op("Cast", x, to="int8"), to="int32")


@demo(mixed(64, dtype="int32"), np.tile(np.array([-3, 4, -5, 7], np.int32), 16))
def vector_remainder_of_magnitude(b: GraphBuilder, x: str, y: str) -> str:
    """x mod y, with negative divisors."""
    return b.op("Mod", x, y)


@demo(-1 - np.abs(mixed(4, 35)))
def max_tail_unmasked(b: GraphBuilder, x: str) -> str:
    """The maxima of rows of negative numbers."""
    return b.op("ReduceMax", x, axes=[1], keepdims=0)


@demo(mixed(4, 35, limit=500))
def arg_reduction_of_scaled(b: GraphBuilder, x: str) -> str:
    """ArgMax of -2 * x."""
    return b.op("ArgMax", b.op("Mul", x, scalar(b, -2)), axis=1, keepdims=0)


@demo(mixed(5, 7))
def nested_clip_reordered(b: GraphBuilder, x: str) -> str:
    """x clipped from above at 2, then from below at 4."""
    return b.op("Clip", b.op("Clip", x, max=2.0), min=4.0)


@demo(4 * ramp(1, 2, 4, 4))
def avg_pool_border_count(b: GraphBuilder, x: str) -> str:
    """Average pooling with padding on all sides."""
    return b.op("AveragePool", x, kernel_shape=[2, 2], pads=[1, 1, 1, 1], strides=[1, 1], dilations=[1, 1])


@demo(8 * ramp(3, 1))
def mean_of_expanded(b: GraphBuilder, x: str) -> str:
    """The mean of a column that is broadcast to rows."""
    return b.op("ReduceMean", b.op("Expand", x, shape=[3, 4]), axes=[1], keepdims=0)


@demo(ramp(4, 6), 100 * ramp(4, 1), mixed(6, 4))
def index_quotient_terms_dropped(b: GraphBuilder, x: str, y: str, z: str) -> str:
    """x + y, whose shape changes from [4, 6] to [6, 4], plus z."""
    return b.op("Add", b.op("Reshape", b.op("Add", x, y), shape=[6, 4]), z)


@demo(mixed(4, 5), mixed(5, 6))
def in_place_over_output(b: GraphBuilder, x: str, y: str) -> Sequence[str]:
    """A product that is an output and also the operand of a Relu."""
    product = b.op("MatMul", x, y)
    return product, b.op("Relu", product)


@demo(ramp(3, 60, start=1))
def masked_vector_unblended(b: GraphBuilder, x: str) -> str:
    """Rows padded with 7."""
    return b.op("Pad", x, pads=[0, 3, 0, 2], value=7.0)


@demo(ramp(6, 8))
def strided_slice_of_slice(b: GraphBuilder, x: str) -> str:
    """A slice of rows, then every second column."""
    inner = b.op("Slice", x, starts=[2], ends=[6], axes=[0], steps=[1])
    return b.op("Neg", b.op("Slice", inner, starts=[1], ends=[8], axes=[1], steps=[2]))


@demo(ramp(7) / np.float32(4), ramp(7, dtype="int16"), ramp(7, dtype="int16", start=10))
def cast_to_bool_truncates(b: GraphBuilder, x: str, y: str, z: str) -> str:
    """Fractions cast to bool, as the condition of a Where."""
    return b.op("Where", b.op("Cast", x, to="bool"), y, z)


@demo(mixed(2, 3, 4, 8), ramp(2, 3, 4, 8), mixed(2, 3, 4, 8))
def attention_scale_inverted(b: GraphBuilder, q: str, k: str, v: str) -> Sequence[str]:
    """Attention whose scores are far apart, so that each query selects one key. Twice: softmax has many lowerings."""

    def attend(query: str, key: str) -> str:
        scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
        weights = b.op("Softmax", b.op("Div", scores, scalar(b, 1 / 64)), axis=-1)
        return b.op("MatMul", weights, v)

    return attend(q, k), attend(k, q)


@demo(ramp(1, 4), mixed(1, 3), mixed(3, 4))
def addmm_row_beta_lost(b: GraphBuilder, bias: str, x: str, y: str) -> str:
    """2 * x y + 3 * bias with one row."""
    return b.op("Gemm", x, y, bias, alpha=2.0, beta=3.0)


@demo(mixed(4, 35, dtype="int32"))
def integer_sum_tail_short(b: GraphBuilder, x: str) -> str:
    """The sums of rows of int32."""
    return b.op("ReduceSum", x, axes=[1], keepdims=0)


@demo(np.array([[3, 1, 1, 2], [0, 5, 0, 0], [2, 2, 2, 2]], np.float32))
def argmin_tie_when_unrolled(b: GraphBuilder, x: str) -> str:
    """ArgMin of short rows with equal minima."""
    return b.op("ArgMin", x, axis=1, keepdims=0)


@demo(mixed(3, 3), ramp(3, 3))
def transpose_of_square_product(b: GraphBuilder, x: str, y: str) -> str:
    """Relu of the transpose of a square product."""
    return b.op("Relu", b.op("Transpose", b.op("MatMul", x, y), perm=[1, 0]))


@demo(mixed(5, 7, dtype="int32"), ramp(5, 7, dtype="int32"), mixed(5, 7), ramp(5, 7))
def where_inverted_twice(b: GraphBuilder, x: str, y: str, p: str, q: str) -> str:
    """Where(not (x < y), p, q) on integers."""
    return b.op("Where", b.op("Not", b.op("Less", x, y)), p, q)
