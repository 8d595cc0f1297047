"""Quantisation to integers of 8 or 4 bits or to floating types of 8 bits, and back; products of 8-bit integers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import errors, sampling, windows
from polyjuice.ops.convolution import CONV_ATTRS, conv, conv_shape, conv_tensorflow, conv_torch
from polyjuice.ops.shapes import Dims, ShapeMismatch, broadcast, normalize_axis
from polyjuice.ops.spec import RESULT, Attr, Call, Draws, ErrorContext, Op, Operand, Sample, Unsupported

_BYTES = ("int8", "uint8")

_QUANTIZED = (*_BYTES, *dtypes.NARROW)

_LIMITS = {name: dtypes.exact_integers(name) for name in (*_BYTES, *dtypes.NARROW_INTS)}

_SINGLE = 2.0**-24
"""Unit roundoff of single precision, the precision of scales and of products with them."""

_SCALE_TYPES = ("float32", "float16", "bfloat16")

_SCALES = (1, 4)
"""The generator's scales are whole numbers; many results of a division by them lie far from a half."""


def _zero_points(dtype: str) -> tuple[int, int]:
    """The range of zero points; ONNX only takes zero for floating types."""
    if dtype in dtypes.NARROW_FLOATS:
        return 0, 0
    return (-3, 3) if dtypes.is_signed(dtype) else (0, 5)


def _one(shape: Sequence[int]) -> bool:
    return len(shape) <= 1 and sampling.total(shape) == 1


def _along(parameter: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """One parameter, or one for each place along an axis, in a shape that broadcasts with the data."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if i == normalize_axis(axis, rank) else 1 for i in range(rank)])


def _wide(x: np.ndarray) -> np.ndarray:
    """Integers in a type that holds sums of their products (floats of the analysis as they are)."""
    return x if x.dtype.kind == "f" else x.astype(np.int32)


def _rounded(value: np.ndarray, zero: np.ndarray, limits: tuple[int, int]) -> np.ndarray:
    """The nearest integers (for ties the even one) plus a zero point, within the limits."""
    return np.asarray(np.clip(np.rint(value) + zero, *limits))


def _rounded_error(
    value: np.ndarray, e: np.ndarray, zero: np.ndarray, limits: tuple[int, int], unit: float = _SINGLE
) -> np.ndarray:
    """No error, unless the value may be rounded to either side of a half within the limits.

    ``unit`` is the unit roundoff of the arithmetic.
    """
    reach = e + 8 * unit * np.abs(value)
    low, high = _rounded(value - reach, zero, limits), _rounded(value + reach, zero, limits)
    return np.where((low == high) & np.isfinite(reach), 0.0, np.inf)


def _limits(zero: np.ndarray) -> tuple[int, int]:
    return _LIMITS["uint8" if zero.dtype == np.uint8 else "int8"]


def _integer_error(c: ErrorContext) -> np.ndarray:
    """No error, or an infinite bound if an operand has an error."""
    return np.full(np.shape(c.y[0]), np.inf if any(np.any(e) for e in c.e) else 0.0)


# --- QuantizeLinear, DequantizeLinear --------------------------------------------------------------------------------


def _linear_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims):
        if any(tuple(zero) != tuple(s[1]) for zero in s[2:]):
            raise ShapeMismatch(f"zero points of shape {tuple(s[2])} with scales of shape {tuple(s[1])}")
        if not _one(s[1]) and (len(s[1]) != 1 or s[1][0] != s[0][normalize_axis(a.axis, len(s[0]))]):
            raise ShapeMismatch(f"scales of shape {tuple(s[1])} for {tuple(s[0])} along axis {a.axis}")
    return [s[0]]


def _parameters(x: Sequence[np.ndarray], a: Attrs) -> list[np.ndarray]:
    return [_along(p, x[0].ndim, a["axis"]) for p in x[1:]]


def _quantized(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray]:
    scale, zero = _parameters(x, a)
    data = x[0] if x[0].dtype.kind == "f" else x[0].astype(scale.dtype)
    return data / scale, zero


def _quantize(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    value, zero = _quantized(x, a)
    if (dtype := a.get(RESULT)) in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(dtype)
        return np.asarray(np.clip(value + zero, -largest, largest))
    return _rounded(value, zero.astype(value.dtype), _LIMITS[dtype] if dtype else _limits(x[2]))


def _quantize_error(c: ErrorContext) -> np.ndarray:
    value, zero = _quantized(c.x, c.attrs)
    scale = _along(c.x[1], c.x[0].ndim, c.attrs["axis"])
    e, e_scale = c.e[0], _along(np.broadcast_to(c.e[1], c.x[1].shape), c.x[0].ndim, c.attrs["axis"])
    margin = np.abs(scale) - e_scale
    reach = np.where(margin > 0, (e + np.abs(value) * e_scale) / np.where(margin > 0, margin, 1.0), np.inf)
    unit = _unit_of_quotient(c.x[0], scale)
    if c.attrs[RESULT] in dtypes.NARROW_FLOATS:
        bound = np.where(zero == 0, _narrowed_error(value, reach + 8 * unit * np.abs(value), c), np.inf)
    else:
        bound = _rounded_error(value, reach, zero.astype(np.float64), _LIMITS[c.attrs[RESULT]], unit)
    return errors.infinite_if(np.asarray(np.any(c.e[2])), bound)


def _narrowed_error(value: np.ndarray, reach: np.ndarray, c: ErrorContext) -> np.ndarray:
    """The bound for a quotient rounded to a narrow floating type, where the quotient has the error ``reach``."""
    largest, dtype = dtypes.largest_finite(c.attrs[RESULT]), dtypes.to_numpy(c.attrs[RESULT])
    bound = np.zeros(value.shape)
    for end in (value - reach, value + reach):
        gap = np.abs(np.clip(end, -largest, largest).astype(dtype).astype(np.float64) - c.y[0])
        bound = np.maximum(bound, np.where(np.isnan(gap), np.inf, gap))
    return bound


def _unit_of_quotient(x: np.ndarray, scale: np.ndarray) -> float:
    """The unit roundoff of a quotient, which may be that of a half type if it holds both operands."""
    if (scale == 1).all():
        return _SINGLE  # nothing is rounded
    halves = (dtype for dtype in ("bfloat16", "float16") if all(_holds(dtype, v) for v in (x, scale)))
    return max(map(dtypes.unit_roundoff, halves), default=_SINGLE)


def _holds(dtype: str, x: np.ndarray) -> bool:
    return bool((np.asarray(x).astype(dtypes.to_numpy(dtype)).astype(np.float64) == x).all())


def _dequantize(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    scale, *zeros = _parameters(x, a)
    data = _wide(x[0])
    return np.asarray((data - _wide(zeros[0]) if zeros else data) * scale).astype(scale.dtype)


def _dequantize_error(c: ErrorContext) -> np.ndarray:
    rank, axis = c.x[0].ndim, c.attrs["axis"]
    e_scale = _along(np.broadcast_to(c.e[1], c.x[1].shape), rank, axis)
    if c.x[0].dtype.kind == "f" and not any(np.any(e) for e in c.e[2:]):
        scale = np.abs(_along(c.x[1], rank, axis)) + e_scale
        carried = np.where(c.e[0] > 0, c.e[0] * scale, 0.0)
    elif any(np.any(e) for i, e in enumerate(c.e) if i != 1):
        return np.full(c.x[0].shape, np.inf)
    else:
        carried = np.zeros(())
    zero = _wide(_along(c.x[2], rank, axis)) if len(c.x) > 2 else 0
    bound = np.asarray(np.abs(_wide(c.x[0]) - zero) * e_scale + carried)
    if c.x[0].dtype.kind == "f":  # ONNX takes no zero point but zero
        return np.where(np.asarray(zero) == 0, bound, np.inf)
    return bound


def _lines(c: Call, cast: str, reshape: str, i: int) -> str:
    """A scale or zero point as text that broadcasts with the data."""
    size, rank = c.types[i].size, c.types[0].rank
    text = cast.format(c.x[i])
    if size == 1:
        return text if c.types[i].rank == 0 else reshape.format(text, "()" if "torch" in cast else "[]")
    axis = normalize_axis(c.attrs["axis"], rank)
    shape = [size, *[1] * (rank - 1 - axis)]
    return text if len(shape) == 1 else reshape.format(text, tuple(shape))


def _rounding_torch(value: str, zero: str, dtype: str, draws: Draws) -> str:
    low, high = _LIMITS[dtype]
    rounded = draws.choice(("torch.round({0})", "({0}).round()")).format(value)
    clamped = draws.choice(("torch.clamp({0} + {1}, {2}, {3})", "({0} + {1}).clamp(min={2}, max={3})"))
    return f"{clamped.format(rounded, zero, low, high)}.to(torch.{dtype})"


def _rounding_tensorflow(value: str, zero: str, dtype: str, draws: Draws) -> str:
    low, high = map(float, _LIMITS[dtype])
    rounded = draws.choice(("tf.round", "tf.math.rint")) + f"({value})"
    return f"tf.cast(tf.clip_by_value({rounded} + {zero}, {low}, {high}), tf.{dtype})"


def _quantize_torch(c: Call) -> str | Unsupported:
    if (dtype := c.results[0].dtype) in dtypes.NARROW_INTS:
        return Unsupported("Torch has no numbers of 4 bits")
    data = c.x[0] if c.types[0].dtype == "float32" else f"{c.x[0]}.to(torch.float32)"
    scale, zero = (_lines(c, "{0}.to(torch.float32)", "{0}.reshape({1})", i) for i in (1, 2))
    if dtype in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(dtype)
        return f"torch.clamp({data} / {scale}, {-largest}, {largest}).to(torch.{dtypes.framework_name(dtype)})"
    return _rounding_torch(f"{data} / {scale}", zero, dtype, c.draws)


def _quantize_tensorflow(c: Call) -> str | Unsupported:
    if (dtype := c.results[0].dtype) in dtypes.NARROW_INTS:
        return Unsupported("TensorFlow has no casts of numbers of 4 bits")
    data = c.x[0] if c.types[0].dtype == "float32" else f"tf.cast({c.x[0]}, tf.float32)"
    scale, zero = (_lines(c, "tf.cast({0}, tf.float32)", "tf.reshape({0}, {1})", i) for i in (1, 2))
    if dtype in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(dtype)
        value = f"tf.clip_by_value({data} / {scale}, {-largest}, {largest})"
        return f"tf.cast({value}, '{dtypes.framework_name(dtype)}')"
    return _rounding_tensorflow(f"{data} / {scale}", zero, dtype, c.draws)


def _dequantized(cast: str, reshape: str) -> Callable[[Call], str | Unsupported]:
    """The text of a dequantization: a 32-bit integer difference to the zero point, then a product in float32.

    Floating types have no zero point but zero.
    """

    def spell(c: Call) -> str | Unsupported:
        if c.types[0].dtype in dtypes.NARROW_INTS:
            return Unsupported("no numbers of 4 bits here")
        floating = c.types[0].dtype in dtypes.NARROW_FLOATS
        data, kind = cast.format(c.x[0], "float32" if floating else "int32"), "float32"
        if len(c.x) > 2 and not floating:
            zero = _lines(c, cast.replace("{1}", "int32"), reshape, 2)
            data = f"({data} - {zero})"
        if (result := c.results[0].dtype) == kind:
            return f"{data if floating else cast.format(data, kind)} * {_lines(c, '{0}', reshape, 1)}"
        scale = _lines(c, cast.replace("{1}", kind), reshape, 1)
        return cast.format(f"({cast.format(data, kind)} * {scale})", result)

    return spell


_NARROWED = 0.3
"""How often a quantisation is drawn that may go to a narrow type."""


@sampling.of_rank(0)
def _sample_quantize(rng: random.Random, first: TensorType) -> Sample:
    shape, axis = _draw_line(rng, first)
    dtype = rng.choice(_QUANTIZED if rng.random() < _NARROWED else _BYTES)
    scale, zero = TensorType("float32" if first.dtype == "int32" else first.dtype, shape), TensorType(dtype, shape)
    return Sample((Operand(scale, _SCALES), Operand(zero, _zero_points(dtype))), {"axis": axis})


@sampling.of_rank(0)
def _sample_dequantize(rng: random.Random, first: TensorType) -> Sample:
    shape, axis = _draw_line(rng, first)
    scale = rng.choice(("float32", "float32", "float16", "bfloat16"))
    operands = [Operand(TensorType(scale, shape), _SCALES if rng.random() < 0.5 else None)]
    if first.dtype != "int32" and rng.random() < 0.7:
        operands.append(Operand(TensorType(first.dtype, shape), _zero_points(first.dtype)))
    return Sample(tuple(operands), {"axis": axis})


def _draw_line(rng: random.Random, first: TensorType) -> tuple[tuple[int, ...], int]:
    """The shape of scales and zero points, and their axis."""
    if first.rank and rng.random() < 0.4:
        axis = rng.randrange(first.rank)
        return (first.shape[axis],), axis
    return (), 1


# --- DynamicQuantizeLinear -------------------------------------------------------------------------------------------


def _dynamic_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims) and 0 in s[0]:
        raise ShapeMismatch("DynamicQuantizeLinear of no elements")
    return [s[0], Dims(), Dims()]


def _dynamic(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = np.minimum(x[0].min(), 0), np.maximum(x[0].max(), 0)
    scale = (high - low) / np.asarray(255, x[0].dtype)
    zero = np.rint(np.clip(-low / scale, 0, 255))
    return _rounded(x[0] / scale, zero, (0, 255)), scale, zero


def _dynamic_error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unknown where all elements may be 0: ONNX Runtime then has a scale of 1."""
    x = c.x[0]
    e = np.broadcast_to(c.e[0], x.shape)
    _, scale, zero = _dynamic(c.x, c.attrs)
    e_scale = 2 * e.max() / 255 + 4 * _SINGLE * scale
    margin = scale - e_scale
    if not margin > 0:
        return np.full(x.shape, np.inf), np.asarray(np.inf), np.asarray(np.inf)
    low = -np.minimum(x.min(), 0) / scale
    e_zero = _rounded_error(low, (e.max() + np.abs(low) * e_scale) / margin, np.asarray(0.0), (0, 255))
    e_y = _rounded_error(x / scale, (e + np.abs(x / scale) * e_scale) / margin, zero, (0, 255))
    return np.asarray(np.where(np.isinf(e_zero), np.inf, e_y)), np.asarray(e_scale), e_zero


def _dynamic_torch(c: Call) -> str:
    x = c.let(c.x[0])
    low, high = c.let(f"torch.clamp(torch.amin({x}), max=0)"), c.let(f"torch.clamp(torch.amax({x}), min=0)")
    scale = c.let(f"({high} - {low}) / 255")
    zero = c.let(f"torch.round(torch.clamp(-{low} / {scale}, 0, 255))")
    return f"{_rounding_torch(f'{x} / {scale}', zero, 'uint8', c.draws)}, {scale}, {zero}.to(torch.uint8)"


def _dynamic_tensorflow(c: Call) -> str:
    x = c.let(c.x[0])
    low, high = c.let(f"tf.minimum(tf.reduce_min({x}), 0.0)"), c.let(f"tf.maximum(tf.reduce_max({x}), 0.0)")
    scale = c.let(f"({high} - {low}) / 255.0")
    zero = c.let(f"tf.round(tf.clip_by_value(-{low} / {scale}, 0.0, 255.0))")
    return f"{_rounding_tensorflow(f'{x} / {scale}', zero, 'uint8', c.draws)}, {scale}, tf.cast({zero}, tf.uint8)"


# --- QLinearMatMul, QLinearConv, ConvInteger -------------------------------------------------------------------------


def _is_plain(s: Sequence[Dims], what: str) -> None:
    """Raise ShapeMismatch unless all scales and zero points of an 8-bit product are single numbers."""
    if not all(_one(s[i]) for i in (1, 2, 4, 5, 6, 7)):
        raise ShapeMismatch(f"{what} with scales or zero points for each row, column or channel")


def _qmatmul_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearMatMul")
    left, right = s[0], s[3]
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(left)} and {tuple(right)}")
    return [Dims((*broadcast(left[:-2], right[:-2]), left[-2], right[-1]))]


def _centred(x: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return np.asarray(_wide(x) - _wide(zero).reshape(()))


def _number(x: np.ndarray) -> np.ndarray:
    return x.reshape(())


def _qproduct(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The integer product (or convolution) of the two operands less their zero points."""
    left, right = _centred(x[0], x[2]), _centred(x[3], x[5])
    if "strides" not in a:
        return np.asarray(np.matmul(left, right))
    return conv([left, right, *map(_wide, x[8:])], a)


def _requantized(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    factor = _number(x[1]) * _number(x[4]) / _number(x[6])
    return np.asarray(_qproduct(x, a).astype(factor.dtype) * factor)


def _qlinear(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    value = _requantized(x, a)
    return _rounded(value, _number(x[7]).astype(value.dtype), _limits(x[7]))


def _qlinear_error(c: ErrorContext) -> np.ndarray:
    """The bound; only scales may have errors, and their relative errors add up."""
    value = _requantized(c.x, c.attrs)
    if any(np.any(e) for i, e in enumerate(c.e) if i not in (1, 4, 6)):
        return np.full(value.shape, np.inf)
    relative = 0.0
    for i in (1, 4, 6):
        size, e = np.abs(_number(c.x[i])), np.max(c.e[i], initial=0.0)
        relative += e / (size - e) if size > e else np.inf
    reach = np.abs(value) * (np.expm1(2 * relative) if relative else 0.0)
    return _rounded_error(value, reach, _number(c.x[7]).astype(np.float64), _limits(c.x[7]))


def _torch_number(c: Call, i: int, dtype: str) -> str:
    text = c.x[i] if c.types[i].rank == 0 else f"{c.x[i]}.reshape(())"
    return text if c.types[i].dtype == dtype else f"{text}.to(torch.{dtype})"


def _tensorflow_number(c: Call, i: int, dtype: str) -> str:
    text = c.x[i] if c.types[i].rank == 0 else f"tf.reshape({c.x[i]}, [])"
    return text if c.types[i].dtype == dtype else f"tf.cast({text}, tf.{dtype})"


def _factor(c: Call, number: Callable[[Call, int, str], str]) -> str:
    one, other, result = (number(c, i, "float32") for i in (1, 4, 6))
    return f"({one} * {other} / {result})"


def _operands(c: Call, number: Callable[[Call, int, str], str], cast: str, dtype: str) -> list[str]:
    return [f"({cast.format(c.x[i], dtype)} - {number(c, zero, dtype)})" for i, zero in ((0, 2), (3, 5))]


_TORCH_CAST, _TENSORFLOW_CAST = "{0}.to(torch.{1})", "tf.cast({0}, tf.{1})"


def _qmatmul_torch(c: Call) -> str:
    left, right = _operands(c, _torch_number, _TORCH_CAST, "int32")
    product = f"torch.matmul({left}, {right}).to(torch.float32)"
    zero = _torch_number(c, 7, "float32")
    return _rounding_torch(f"{product} * {_factor(c, _torch_number)}", zero, c.results[0].dtype, c.draws)


def _qmatmul_tensorflow(c: Call) -> str:
    left, right = _operands(c, _tensorflow_number, _TENSORFLOW_CAST, "int32")
    product = f"tf.cast(tf.matmul({left}, {right}), tf.float32)"
    zero = _tensorflow_number(c, 7, "float32")
    return _rounding_tensorflow(f"{product} * {_factor(c, _tensorflow_number)}", zero, c.results[0].dtype, c.draws)


def _qconv_torch(c: Call) -> str:
    """A convolution in double precision, which holds all integers on the way, because Torch convolves no integers."""
    operands = _operands(c, _torch_number, _TORCH_CAST, "float64")
    bias = [_TORCH_CAST.format(text, "float64") for text in c.x[8:]]
    product = conv_torch(c, [*operands, *bias], c.types[0].shape[2:], c.types[3].shape)
    zero = _torch_number(c, 7, "float32")
    value = f"{product}.to(torch.float32) * {_factor(c, _torch_number)}"
    return _rounding_torch(value, zero, c.results[0].dtype, c.draws)


def _qconv_tensorflow(c: Call) -> str:
    operands = _operands(c, _tensorflow_number, _TENSORFLOW_CAST, "float64")
    bias = [_TENSORFLOW_CAST.format(text, "float64") for text in c.x[8:]]
    product = conv_tensorflow(c, [*operands, *bias], c.types[0].shape[2:], c.types[3].shape)
    zero = _tensorflow_number(c, 7, "float32")
    value = f"tf.cast({product}, tf.float32) * {_factor(c, _tensorflow_number)}"
    return _rounding_tensorflow(value, zero, c.results[0].dtype, c.draws)


def _qconv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearConv")
    return conv_shape([s[0], s[3], *s[8:]], a)


def _quantization_operands(rng: random.Random, first: str, second: TensorType, result: str) -> tuple[Operand, ...]:
    """All but the first operand of an 8-bit product; the result's scale keeps it from its limits."""

    def number(dtype: str, values: tuple[int, int]) -> Operand:
        return Operand(TensorType(dtype, ()), values)

    return (
        number("float32", (1, 2)),
        number(first, _zero_points(first)),
        Operand(second),
        number("float32", (1, 2)),
        number(second.dtype, _zero_points(second.dtype)),
        number("float32", (3, 31)),
        number(result, _zero_points(result)),
    )


def _second_type(rng: random.Random, first: str) -> str:
    """A second type that libraries multiply by the first: unsigned by either, signed by signed."""
    return rng.choice(_BYTES) if first == "uint8" else "int8"


@sampling.of_rank(2)
def _sample_qmatmul(rng: random.Random, first: TensorType) -> Sample:
    batch = rng.choice(((), first.shape[:-2]))
    second = TensorType(_second_type(rng, first.dtype), (*batch, first.shape[-1], sampling.size(rng)))
    return Sample(_quantization_operands(rng, first.dtype, second, first.dtype))


def _draw_conv(rng: random.Random, first: TensorType) -> tuple[TensorType, dict[str, Any]] | None:
    if not windows.has_windows(first):
        return None
    channels = first.shape[1]
    groups = rng.choice(sampling.factors(channels)) if rng.random() < 0.3 else 1
    window: dict[str, Any] = dict(windows.draw_window(rng, first.shape[2:], dilate=True))
    kernel = window.pop("kernel_shape")
    shape = (groups * rng.choice((1, 2, 3)), channels // groups, *kernel)
    return TensorType(_second_type(rng, first.dtype), shape), {**window, "group": groups}


def _sample_qconv(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = _draw_conv(rng, first)
    if drawn is None:
        return None
    operands = _quantization_operands(rng, first.dtype, drawn[0], first.dtype)
    if rng.random() < 0.4:
        operands = (*operands, Operand(TensorType("int32", drawn[0].shape[:1]), (-9, 9)))
    return Sample(operands, drawn[1])


def _conv_integer_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if not all(map(_one, s[2:])):
        raise ShapeMismatch("ConvInteger with a zero point for each channel")
    return conv_shape(s[:2], a)


def _conv_integer(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    operands = [_centred(v, x[2 + i]) if len(x) > 2 + i else _wide(v) for i, v in enumerate(x[:2])]
    return conv(operands, a)


def _conv_integer_size(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return conv([np.abs(v) + (np.abs(_number(x[2 + i])) if len(x) > 2 + i else 0) for i, v in enumerate(x[:2])], a)


def _conv_integer_text(
    c: Call, cast: str, number: Callable[[Call, int, str], str], convolve: Callable[..., str]
) -> str:
    """A convolution in double precision, which holds all integers on the way: frameworks convolve no integers."""
    operands = [cast.format(c.x[i], "float64") for i in (0, 1)]
    for i, text in enumerate(operands):
        if len(c.x) > 2 + i:
            operands[i] = f"({text} - {number(c, 2 + i, 'float64')})"
    return cast.format(convolve(c, operands, c.types[0].shape[2:], c.types[1].shape), "int32")


def _sample_conv_integer(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = _draw_conv(rng, first)
    if drawn is None:
        return None
    types = (first.dtype, drawn[0].dtype)[: rng.choice((0, 1, 2, 2))]
    zeros = (Operand(TensorType(dtype, ()), _zero_points(dtype)) for dtype in types)
    return Sample((Operand(drawn[0]), *zeros), drawn[1])


_PRODUCT = ("A", "S", "A", "B", "S", "B", "S", "Y")

_PRODUCT_TYPES = {"A": _BYTES, "B": _BYTES, "Y": _BYTES, "S": ("float32",)}

OPS: tuple[Op, ...] = (
    Op(
        name="QuantizeLinear",
        inputs=("T", "S", "Q"),
        types={"T": ("float32", "float16", "bfloat16", "int32"), "S": _SCALE_TYPES, "Q": _QUANTIZED},
        results=("Q",),
        typed=True,
        shape=_linear_shape,
        numpy=_quantize,
        error=_quantize_error,
        torch=_quantize_torch,
        tensorflow=_quantize_tensorflow,
        sample=_sample_quantize,
        attrs=(Attr("axis", "int", 1),),
        continuous=False,
        weight=1.0,
    ),
    Op(
        name="DequantizeLinear",
        inputs=("Q", "S", "Q"),
        min_inputs=2,
        types={"Q": (*_BYTES, "int32", *dtypes.NARROW), "S": _SCALE_TYPES},
        results=("S",),
        shape=_linear_shape,
        numpy=_dequantize,
        error=_dequantize_error,
        torch=_dequantized(_TORCH_CAST, "{0}.reshape({1})"),
        tensorflow=_dequantized(_TENSORFLOW_CAST, "tf.reshape({0}, {1})"),
        sample=_sample_dequantize,
        attrs=(Attr("axis", "int", 1),),
        exact=True,
        ulps=3,
        weight=0.5,
    ),
    Op(
        name="DynamicQuantizeLinear",
        types={"T": ("float32",)},
        results=("uint8", "T", "uint8"),
        shape=_dynamic_shape,
        numpy=_dynamic,
        error=_dynamic_error,
        torch=_dynamic_torch,
        tensorflow=_dynamic_tensorflow,
        sample=lambda rng, first: None if 0 in first.shape else Sample(),
        continuous=False,
        weight=0.2,
    ),
    Op(
        name="QLinearMatMul",
        inputs=_PRODUCT,
        types=_PRODUCT_TYPES,
        results=("Y",),
        shape=_qmatmul_shape,
        numpy=_qlinear,
        error=_qlinear_error,
        torch=_qmatmul_torch,
        tensorflow=_qmatmul_tensorflow,
        sample=_sample_qmatmul,
        continuous=False,
        weight=0.3,
    ),
    Op(
        name="QLinearConv",
        inputs=(*_PRODUCT, "I"),
        min_inputs=8,
        types={**_PRODUCT_TYPES, "I": ("int32",)},
        results=("Y",),
        shape=_qconv_shape,
        numpy=_qlinear,
        error=_qlinear_error,
        torch=_qconv_torch,
        tensorflow=_qconv_tensorflow,
        sample=_sample_qconv,
        attrs=CONV_ATTRS,
        continuous=False,
        weight=2,
    ),
    Op(
        name="ConvInteger",
        inputs=("A", "B", "A", "B"),
        min_inputs=2,
        types={"A": _BYTES, "B": _BYTES},
        results=("int32",),
        shape=_conv_integer_shape,
        numpy=_conv_integer,
        error=_integer_error,
        torch=lambda c: _conv_integer_text(c, _TORCH_CAST, _torch_number, conv_torch),
        tensorflow=lambda c: _conv_integer_text(c, _TENSORFLOW_CAST, _tensorflow_number, conv_tensorflow),
        sample=_sample_conv_integer,
        attrs=CONV_ATTRS,
        exact=True,
        partial=_conv_integer_size,
        weight=3,
    ),
)
