"""The conditions under which a program can show each published bug of the open half, as predicates and in words.

A condition concerns the program alone: its operators, element types, attributes, lowering, and intermediate values. It
does not tell whether the compiler takes the program, or whether a wrong result counts as the bug.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice.formats import aten_calls
from polyjuice.ir import Node, dtypes
from polyjuice.ops import entry

sys.path.insert(0, str(Path(__file__).parent))
from program import Program

_BEYOND_INT32 = 2**31

_LANES = 8
"""The least number of contiguous elements for which Inductor vectorises a loop."""

_ARGMAX_OF_ALL = ("aten.argmax", "aten.argmin")
_ARGMAX = (*_ARGMAX_OF_ALL, "ArgMax", "ArgMin")

_CUTTING = ("Slice", "Split", "aten.narrow")
_MOVING = ("aten.flip", "aten.roll")
"""The operators that Inductor fuses into a read: those that take a part, and those that move elements along an axis."""

_SIGN_READERS = (
    ("Reciprocal", 0),
    ("Div", 1),
    ("aten.copysign", 1),
    ("aten.signbit", 0),
    ("aten.atan2", 0),
    ("aten.atan2", 1),
)
"""The operators, with an operand each, whose results differ between 0.0 and -0.0."""


@dataclass(frozen=True)
class Condition:
    """A condition in ``words``; ``occurs`` returns whether a program meets it."""

    words: str
    occurs: Callable[[Program], bool]


# --- predicates of arrays --------------------------------------------------------------------------------------------


def _wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def _holds_nan(x: np.ndarray) -> bool:
    return bool(np.isnan(_wide(x)).any())


def _holds_negative_zero(x: np.ndarray) -> bool:
    wide = _wide(x)
    return bool(((wide == 0) & np.signbit(wide)).any())


def _holds_negative(x: np.ndarray) -> bool:
    return bool((x < 0).any())


def _of_nan(*operators: str) -> Callable[[Program], bool]:
    """Return the predicate that one of these operators has a NaN in its first operand."""

    def occurs(program: Program) -> bool:
        floating = [n for n in program.nodes(*operators) if dtypes.is_float(program.type(n.inputs[0]).dtype)]
        return any(program.some(node.inputs[0], _holds_nan) for node in floating)

    return occurs


# --- Inductor --------------------------------------------------------------------------------------------------------


def _long_range(program: Program) -> bool:
    def is_long(array: np.ndarray) -> bool:
        if array.size < 2 or array.dtype != np.int64:
            return False
        numbers = [int(number) for number in array.ravel()]
        steps = {b - a for a, b in pairwise(numbers)}
        return len(steps) == 1 and abs(numbers[-1] - numbers[0]) >= _BEYOND_INT32

    long = [name for name, array in program.graph.constants.items() if is_long(array)]
    return any(_is_combined(program, name) for name in long) and program.says("arange(")


def _is_combined(program: Program, value: str) -> bool:
    """Whether an operator takes a value together with a value that is not constant."""
    return any(program.constant(name) is None for node, _ in program.readers(value) for name in node.inputs if name)


def _argmax_of_transposed(program: Program) -> bool:
    """Whether an arg-reduction reads memory in one order alone, a transposed one; with a second order it is right."""
    orders = (_orders(program, node.inputs[0]) for node in program.nodes(*_ARGMAX_OF_ALL))
    return any(len(them) == 1 and isinstance(next(iter(them)), tuple) for them in orders)


def _argmax_of_two_loops(program: Program) -> bool:
    for node in program.nodes(*_ARGMAX_OF_ALL):
        long = [size for size in program.type(node.inputs[0]).shape if size > 1]
        orders = _orders(program, node.inputs[0])
        if len(long) > 1 and (len(orders) > 1 or "apart" in orders):
            return True
    return False


def _orders(program: Program, value: str) -> set[str | tuple[int, ...]]:
    """Return the orders in which a loop over a value reads memory, also through elementwise operators fused with it.

    An order is ``memory`` (one element after another), ``apart`` (with gaps, repeated or backwards), or a permutation:
    the axes in the order in which they lie in memory.
    """
    found: set[str | tuple[int, ...]] = set()
    shape, todo, seen = program.type(value).shape, [value], set()
    while todo:
        name = todo.pop()
        if name in seen or program.type(name).size == 1:
            continue
        seen.add(name)
        node = program.maker(name)
        op = entry(node) if node else None
        if node and node.qualified == "Transpose" and _reorders(program, node):
            found.add(tuple(node.attrs["perm"]))
        elif node and (node.qualified in _MOVING or (node.qualified in _CUTTING and _leaves_gaps(program, node, name))):
            found.add("apart")
        elif node and ((op and op.elementwise) or node.qualified in ("Expand", "Transpose", "Identity")):
            todo += filter(None, node.inputs)
        else:
            found.add("memory" if program.type(name).size == prod(shape) else "apart")
    return found


def _reorders(program: Program, transpose: Node) -> bool:
    """Whether a Transpose changes the order of the elements."""
    shape = program.type(transpose.inputs[0]).shape
    axes = [axis for axis in transpose.attrs["perm"] if shape[axis] > 1]
    return axes != sorted(axes)


def _leaves_gaps(program: Program, cut: Node, value: str) -> bool:
    """Whether a part of a tensor consists of rows with gaps between them, so that one loop cannot run over it."""
    whole, part = program.type(cut.inputs[0]).shape, program.type(value).shape
    rows = [axis for axis, size in enumerate(part) if size > 1]
    return len(rows) > 1 and any(part[axis] < whole[axis] for axis in range(rows[0] + 1, len(part)))


def _attention_of_permuted_key(program: Program) -> bool:
    for last in program.nodes("MatMul"):
        weights = program.made_by(_behind(program, last.inputs[0]), "Softmax")
        scores = weights and _behind(program, weights.inputs[0])
        scaled = scores and program.made_by(scores, "Mul", "Div")
        for operand in scaled.inputs if scaled else (scores,):
            first = program.made_by(_behind(program, operand), "MatMul") if operand else None
            key = first and program.made_by(_behind(program, first.inputs[1]), "Transpose")
            if key and tuple(key.attrs["perm"]) == (0, 2, 3, 1):
                return True
    return False


def _behind(program: Program, value: str) -> str:
    """Return the value that a chain of views and broadcasts begins with."""
    while node := program.made_by(value, "Expand", "Reshape", "Identity"):
        value = node.inputs[0]
    return value


def _average_pool_of_int64(program: Program) -> bool:
    pools = program.nodes("aten.avg_pool2d", "AveragePool")
    return any(program.type(node.inputs[0]).dtype == "int64" for node in pools)


def _copied_then_updated(program: Program) -> bool:
    graph = program.graph
    for target, place in graph.updates.items():
        value = graph.outputs[place]
        while copy := program.made_by(value, "Identity"):
            value = copy.inputs[0]
        if value != target and value in graph.updates:
            return True
    return False


def _put_then_flipped(program: Program) -> bool:
    graph = program.graph
    for target, place in graph.updates.items():
        total = program.made_by(graph.outputs[place], "Add")
        if total and any(_flip_of(program, *operands, target) for operands in (total.inputs, total.inputs[::-1])):
            return True
    return False


def _flip_of(program: Program, written: str, flipped: str, target: str) -> bool:
    """Whether ``written`` is the input ``target`` after a write at some places, and ``flipped`` is it flipped."""
    put = program.made_by(written, "aten.index_put", "ScatterND", "ScatterElements", "aten.index_copy")
    flip = program.made_by(flipped, "aten.flip")
    return bool(put and flip) and put.inputs[0] == target and flip.inputs[0] == written


def _floor_rounds_up(program: Program) -> bool:
    def differs(a: np.ndarray, b: np.ndarray) -> bool:
        with np.errstate(all="ignore"):
            quotient = a / b
            return bool((np.isfinite(_wide(quotient)) & (np.floor(quotient) != np.floor_divide(a, b))).any())

    divisions = (node for node in program.nodes("aten.floor_divide") if _is_floating(program, node))
    return any(program.some_of(differs, *node.inputs) for node in divisions)


def _is_floating(program: Program, node: Node) -> bool:
    return dtypes.is_float(program.type(node.inputs[0]).dtype)


def _frac_of_negative_zero(program: Program) -> bool:
    read = (node for node in program.nodes("aten.frac") if _sign_is_read(program, node.outputs[0]))
    return any(program.some(node.inputs[0], _holds_negative_zero) for node in read)


def _sign_is_read(program: Program, value: str) -> bool:
    """Whether an operator distinguishes 0.0 and -0.0 in a value, or the value is an output, whose sign is compared."""
    return value in program.graph.outputs or any(
        (node.qualified, place) in _SIGN_READERS for node, place in program.readers(value)
    )


def _negative_zero_plus_zero(program: Program) -> bool:
    sums = [node for node in program.nodes("Add") if _is_floating(program, node)]
    for node in (node for node in sums if _sign_is_read(program, node.outputs[0])):
        for x, zero in (node.inputs, node.inputs[::-1]):
            if _is_zero(program, zero) and program.some(x, _holds_negative_zero):
                return True
    return False


def _is_zero(program: Program, value: str) -> bool:
    """Whether a value is known to be 0.0 everywhere."""
    if node := program.made_by(value, "aten.zeros_like", "aten.full_like"):
        number = node.attrs.get("fill_value", 0.0)
        return bool(number == 0 and not np.signbit(float(number)))
    array = program.constant(value)
    return array is not None and not np.any(array) and not _holds_negative_zero(array)


def _nearest_by_scale(program: Program) -> bool:
    nodes = program.nodes("aten.upsample_nearest2d")
    return any(_scales(node) for node in nodes if program.type(node.inputs[0]).dtype == "float64")


def _scales(node: Node) -> bool:
    """Whether an upsampling has factors as arguments, and not only a size."""
    if call := aten_calls.from_node(node):
        arguments: list[Any] = [*call.args[2:], *call.kwargs.values()]
        return any(argument is not None for argument in arguments)
    return any(name.startswith("scale") and number for name, number in node.attrs.items())


def _shift_beyond_width(program: Program) -> bool:
    left = [*program.nodes("aten.bitwise_left_shift")]
    left += [node for node in program.nodes("BitShift") if node.attrs["direction"] == "LEFT"]
    return any(
        program.some(node.inputs[1], lambda amount: bool((amount.astype(np.int64) >= 8 * amount.itemsize).any()))
        for node in left
    )


def _positive_uint8_minimum(program: Program) -> bool:
    minima = (node for node in program.nodes("ReduceMin", "aten.min") if _is_long_uint8(program, node))
    return any(program.some(node.outputs[0], lambda least: bool((least > 0).any())) for node in minima)


def _is_long_uint8(program: Program, node: Node) -> bool:
    """Whether a reduction of uint8 runs over many contiguous elements."""
    t = program.type(node.inputs[0])
    if not t.rank:
        return False
    axes = node.attrs["axes"] or range(t.rank) if node.op == "ReduceMin" else [node.attrs["dim"]]
    axes = {axis % t.rank for axis in axes}
    length = 1
    for axis in reversed(range(t.rank)):
        length *= t.shape[axis] if axis in axes else 1
        if axis not in axes and t.shape[axis] > 1:
            break
    return t.dtype == "uint8" and length >= _LANES


# --- ONNX Runtime ----------------------------------------------------------------------------------------------------


def _pooled_end_padding(program: Program) -> bool:
    counted = (n for n in program.nodes("AveragePool") if n.attrs["count_include_pad"] and _reaches_end(program, n))
    return any(program.opset >= 19 for _ in counted)


def _reaches_end(program: Program, pool: Node) -> bool:
    """Whether a window reaches into the padding at the end of an axis."""
    a, half = pool.attrs, len(pool.attrs["kernel_shape"])
    sizes, windows = program.type(pool.inputs[0]).shape[2:], program.type(pool.outputs[0]).shape[2:]
    reached = (
        (count - 1) * stride + (kernel - 1) * dilation - begin >= size
        for count, stride, kernel, dilation, begin, size in zip(
            windows, a["strides"], a["kernel_shape"], a["dilations"], a["pads"][:half], sizes, strict=True
        )
    )
    return any(far and end for far, end in zip(reached, a["pads"][half:], strict=True))


def _cast_through_unsigned(program: Program) -> bool:
    for node in program.nodes("Cast"):
        inner = program.made_by(node.inputs[0], "Cast") if node.attrs["to"] == "int64" else None
        if inner and inner.attrs["to"] == "uint32" and program.type(inner.inputs[0]).dtype in dtypes.SIGNED:
            return program.some(inner.inputs[0], _holds_negative)
    return False


def _half_max_of_nan(program: Program) -> bool:
    def second_alone(a: np.ndarray, b: np.ndarray) -> bool:
        return bool((~np.isnan(a) & np.isnan(b)).any())

    maxima = (n for n in program.nodes("Max") if program.type(n.inputs[0]).dtype == "float16")
    return any(program.some_of(second_alone, a, b) for n in maxima for a, b in pairwise(n.inputs))


def _quantized_half(program: Program) -> bool:
    def differs(x: np.ndarray, scale: np.ndarray) -> bool:
        with np.errstate(all="ignore"):
            quotient = _wide(x) / _wide(scale)
        near = np.abs(quotient) < 127
        return bool((np.trunc(quotient[near]) != np.rint(quotient[near])).any())

    nodes = (n for n in program.nodes("QuantizeLinear") if program.type(n.inputs[0]).dtype == "float16")
    return any(not program.type(n.inputs[1]).shape and program.some_of(differs, *n.inputs[:2]) for n in nodes)


def _quantized_conv_of_other_bias(program: Program) -> bool:
    def differs(data: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> bool:
        return not np.allclose(bias, data * weight)

    for conv in program.nodes("Conv"):
        parts = [program.made_by(name, "DequantizeLinear") for name in conv.inputs if name]
        scales = [part.inputs[1] for part in parts if part]
        quantized = any(reader.op == "QuantizeLinear" and not at for reader, at in program.readers(conv.outputs[0]))
        if quantized and len(scales) == 3 and program.some_of(differs, *scales):
            return True
    return False


def _log_sum_exp_of_infinities(program: Program) -> bool:
    nodes = (n for n in program.nodes("ReduceLogSumExp") if program.type(n.inputs[0]).size)
    return any(program.some(node.outputs[0], lambda y: bool((_wide(y) == -np.inf).any())) for node in nodes)


def _nearest_tie(program: Program) -> bool:
    wanted = {"mode": "nearest", "coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    resized = (n for n in program.nodes("Resize") if all(n.attrs[name] == how for name, how in wanted.items()))
    return any(_misses_tie(*sizes) for n in resized for sizes in _resized_axes(program, n))


def _resized_axes(program: Program, node: Node) -> Iterator[tuple[int, int]]:
    """Return the size of each axis before and after a Resize."""
    return zip(program.type(node.inputs[0]).shape, program.type(node.outputs[0]).shape, strict=True)


def _misses_tie(before: int, after: int) -> bool:
    """Whether an exact position is halfway between two elements, but below that if float32 computes it by the scale."""
    half, scale = np.float32(0.5), np.float32(after) / np.float32(before)
    for place in range(after):
        exact = (place + Fraction(1, 2)) * before / after - Fraction(1, 2)
        if exact.denominator == 2 and (np.float32(place) + half) / scale - half < float(exact):
            return True
    return False


# --- TVM -------------------------------------------------------------------------------------------------------------


def _has_output_shape(program: Program) -> bool:
    padded = any(any(node.attrs["pads"]) for node in program.nodes("ConvTranspose"))
    return padded and program.has_form("ConvTranspose", "output_shape given")


def _min_of_constants(program: Program) -> bool:
    minima = (node for node in program.nodes("Min") if len(node.inputs) > 1)
    return any(all(program.constant(name) is not None for name in node.inputs) for node in minima)


def _one_hot_negative(program: Program) -> bool:
    return any(program.some(node.inputs[0], _holds_negative) for node in program.nodes("OneHot"))


def _scatter_of_narrow_indices(program: Program) -> bool:
    for node in program.nodes("ScatterElements"):
        data, indices = (program.type(name).shape for name in node.inputs[:2])
        beside = set(range(len(data))) - {node.attrs["axis"] % len(data)}
        if any(indices[axis] < data[axis] for axis in beside):
            return True
    return False


def _squeeze_by_attribute(program: Program) -> bool:
    left = any(node.attrs.get("axes") and 1 in program.type(node.outputs[0]).shape for node in program.nodes("Squeeze"))
    return left and 0 < program.opset < 13


# --- XLA -------------------------------------------------------------------------------------------------------------


def _log_of_negative_power(program: Program) -> bool:
    def has_none(base: np.ndarray, log: np.ndarray) -> bool:
        return bool((_wide(base) < 0).any() and np.isnan(_wide(log)[np.broadcast_to(_wide(base) < 0, log.shape)]).any())

    powers = ((program.made_by(node.inputs[0], "Pow"), node) for node in program.nodes("Log"))
    return any(power and program.some_of(has_none, power.inputs[0], node.outputs[0]) for power, node in powers)


def _linear_times_three(program: Program) -> bool:
    wanted = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    resized = (n for n in program.nodes("Resize") if all(n.attrs[name] == how for name, how in wanted.items()))
    return any(before > 1 and after == 3 * before for n in resized for before, after in _resized_axes(program, n))


# --- all -------------------------------------------------------------------------------------------------------------

CONDITIONS: Mapping[str, Condition] = {
    "inductor/arange_beyond_int32": Condition(
        "int64 arange over 2^31 or more from end to end, combined with a value that is no constant", _long_range
    ),
    "inductor/argmax_of_nan": Condition("argmax or argmin of a NaN", _of_nan(*_ARGMAX)),
    "inductor/argmax_of_transposed": Condition(
        "argmax or argmin of all elements, of what a Transpose reads in another order", _argmax_of_transposed
    ),
    "inductor/argmax_of_two_axes": Condition(
        "argmax or argmin of all elements, over two loops: of a slice, a broadcast, or what differs in order",
        _argmax_of_two_loops,
    ),
    "inductor/attention_of_permuted_key": Condition(
        "MatMul(Softmax(MatMul(q, Transpose(k, (0, 2, 3, 1))) * c), v)", _attention_of_permuted_key
    ),
    "inductor/average_pool_of_int64": Condition(
        "average pooling of int64",
        _average_pool_of_int64,
    ),
    "inductor/copied_then_updated": Condition("an input is written to another one, then updated", _copied_then_updated),
    "inductor/floor_division_rounds_up": Condition(
        "floating floor_divide whose rounded quotient has another floor", _floor_rounds_up
    ),
    "inductor/frac_of_negative_zero": Condition(
        "frac of -0.0, which is a result, or of which an operator reads the sign", _frac_of_negative_zero
    ),
    "inductor/index_put_then_flip": Condition(
        "a write at some places of an input, then flip of that input added to it", _put_then_flipped
    ),
    "inductor/nearest_of_float64": Condition(
        "nearest interpolation of float64 by a factor",
        _nearest_by_scale,
    ),
    "inductor/negative_zero_plus_zero": Condition(
        "-0.0 plus a constant 0.0, which is a result, or of which an operator reads the sign", _negative_zero_plus_zero
    ),
    "inductor/shift_left_by_64": Condition("left shift by the type's width or more", _shift_beyond_width),
    "inductor/uint8_minimum": Condition(
        f"minimum of uint8 over {_LANES} or more contiguous elements, none of them 0", _positive_uint8_minimum
    ),
    "onnxruntime/average_pool_end_padding": Condition(
        "AveragePool at opset 19 or later that counts its padding, with a window over the end", _pooled_end_padding
    ),
    "onnxruntime/cast_through_unsigned": Condition(
        "Cast of a negative integer to uint32, then to int64",
        _cast_through_unsigned,
    ),
    "onnxruntime/max_of_half_and_nan": Condition("Max of float16 whose second operand alone is NaN", _half_max_of_nan),
    "onnxruntime/quantize_half": Condition(
        "QuantizeLinear of a float16 that rounds and truncates to different integers",
        _quantized_half,
    ),
    "onnxruntime/quantized_conv_bias_scale": Condition(
        "Conv between DequantizeLinear and QuantizeLinear whose bias has another scale than data times weights",
        _quantized_conv_of_other_bias,
    ),
    "onnxruntime/reduce_log_sum_exp_of_infinities": Condition(
        "ReduceLogSumExp of nothing but -inf", _log_sum_exp_of_infinities
    ),
    "onnxruntime/resize_nearest_tie": Condition(
        "Resize to the nearest by half_pixel and round_prefer_ceil, with a tie that float32 misses",
        _nearest_tie,
    ),
    "tvm/conv_transpose_output_shape": Condition("ConvTranspose with pads, written by output_shape", _has_output_shape),
    "tvm/min_of_constants": Condition("Min of constants alone", _min_of_constants),
    "tvm/one_hot_negative_index": Condition("OneHot of a negative index", _one_hot_negative),
    "tvm/relu_of_nan": Condition("Relu of a NaN", _of_nan("Relu")),
    "tvm/scatter_elements_narrow_indices": Condition(
        "ScatterElements whose indices are narrower than the data beside the axis", _scatter_of_narrow_indices
    ),
    "tvm/squeeze_attribute_axes": Condition(
        "Squeeze of some axes before opset 13, where another 1 stays", _squeeze_by_attribute
    ),
    "xla/log_of_pow": Condition("Log(Pow(x, y)) that is NaN where x is negative", _log_of_negative_power),
    "xla/reduce_max_of_nan": Condition("ReduceMax of a NaN", _of_nan("ReduceMax", "aten.max")),
    "xla/resize_bilinear": Condition("linear Resize of an axis to three times its size", _linear_times_three),
}
"""The conditions, by the key of the entry."""
