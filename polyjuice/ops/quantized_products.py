"""Matrix products and convolutions of 8-bit integers: QLinearMatMul, QLinearConv and ConvInteger."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling, windows
from polyjuice.ops.convolution import CONV_ATTRS, conv_shape, conv_tensorflow, conv_torch
from polyjuice.ops.matrix import integer_product
from polyjuice.ops.quantization import (
    BYTES,
    TENSORFLOW_CAST,
    TORCH_CAST,
    byte_limits,
    is_single,
    round_clipped,
    round_clipped_error,
    rounding_tensorflow,
    rounding_torch,
    widened,
    zero_points,
)
from polyjuice.ops.shapes import Dims, ShapeMismatch, broadcast
from polyjuice.ops.spec import Call, ErrorContext, Op, Operand, Sample
from polyjuice.ops.windows import conv


def _integer_error(c: ErrorContext) -> np.ndarray:
    return np.full(np.shape(c.y[0]), np.inf if any(np.any(e) for e in c.e) else 0.0)


def _is_plain(s: Sequence[Dims], what: str) -> None:
    """Raise ShapeMismatch unless all scales and zero points of an 8-bit product are single numbers."""
    if not all(is_single(s[i]) for i in (1, 2, 4, 5, 6, 7)):
        raise ShapeMismatch(f"{what} with scales or zero points for each row, column or channel")


def _qmatmul_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearMatMul")
    left, right = s[0], s[3]
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(left)} and {tuple(right)}")
    return [Dims((*broadcast(left[:-2], right[:-2]), left[-2], right[-1]))]


def _centred(x: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return np.asarray(widened(x) - widened(zero).reshape(()))


def _number(x: np.ndarray) -> np.ndarray:
    return x.reshape(())


def _qproduct(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The integer product (or convolution) of the two operands less their zero points."""
    left, right = _centred(x[0], x[2]), _centred(x[3], x[5])
    if "strides" not in a:
        return np.asarray(np.matmul(left, right))
    return conv([left, right, *map(widened, x[8:])], a)


def _requantized(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    factor = _number(x[1]) * _number(x[4]) / _number(x[6])
    return np.asarray(_qproduct(x, a).astype(factor.dtype) * factor)


def _qlinear(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    value = _requantized(x, a)
    return round_clipped(value, _number(x[7]).astype(value.dtype), byte_limits(x[7]))


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
    return round_clipped_error(value, reach, _number(c.x[7]).astype(np.float64), byte_limits(c.x[7]))


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


def _qmatmul_torch(c: Call) -> str:
    left, right = _operands(c, _torch_number, TORCH_CAST, "int32")
    product = f"torch.matmul({left}, {right}).to(torch.float32)"
    zero = _torch_number(c, 7, "float32")
    return rounding_torch(f"{product} * {_factor(c, _torch_number)}", zero, c.results[0].dtype, c.draws)


def _qmatmul_tensorflow(c: Call) -> str:
    left, right = _operands(c, _tensorflow_number, TENSORFLOW_CAST, "int32")
    product = f"tf.cast(tf.matmul({left}, {right}), tf.float32)"
    zero = _tensorflow_number(c, 7, "float32")
    return rounding_tensorflow(f"{product} * {_factor(c, _tensorflow_number)}", zero, c.results[0].dtype, c.draws)


def _qconv_torch(c: Call) -> str:
    """A convolution in double precision, which holds all integers on the way, because Torch convolves no integers."""
    operands = _operands(c, _torch_number, TORCH_CAST, "float64")
    bias = [TORCH_CAST.format(text, "float64") for text in c.x[8:]]
    product = conv_torch(c, [*operands, *bias], c.types[0].shape[2:], c.types[3].shape)
    zero = _torch_number(c, 7, "float32")
    value = f"{product}.to(torch.float32) * {_factor(c, _torch_number)}"
    return rounding_torch(value, zero, c.results[0].dtype, c.draws)


def _qconv_tensorflow(c: Call) -> str:
    operands = _operands(c, _tensorflow_number, TENSORFLOW_CAST, "float64")
    bias = [TENSORFLOW_CAST.format(text, "float64") for text in c.x[8:]]
    product = conv_tensorflow(c, [*operands, *bias], c.types[0].shape[2:], c.types[3].shape)
    zero = _tensorflow_number(c, 7, "float32")
    value = f"tf.cast({product}, tf.float32) * {_factor(c, _tensorflow_number)}"
    return rounding_tensorflow(value, zero, c.results[0].dtype, c.draws)


def _qconv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearConv")
    return conv_shape([s[0], s[3], *s[8:]], a)


def _quantization_operands(rng: random.Random, first: str, second: TensorType, result: str) -> tuple[Operand, ...]:
    """All but the first operand of an 8-bit product; the result's scale keeps it from its limits."""

    def number(dtype: str, values: tuple[int, int]) -> Operand:
        return Operand(TensorType(dtype, ()), values)

    return (
        number("float32", (1, 2)),
        number(first, zero_points(first)),
        Operand(second),
        number("float32", (1, 2)),
        number(second.dtype, zero_points(second.dtype)),
        number("float32", (3, 31)),
        number(result, zero_points(result)),
    )


def _second_type(rng: random.Random, first: str) -> str:
    """A second type that libraries multiply by the first: unsigned by either, signed by signed."""
    return rng.choice(BYTES) if first == "uint8" else "int8"


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
    if not all(map(is_single, s[2:])):
        raise ShapeMismatch("ConvInteger with a zero point for each channel")
    return conv_shape(s[:2], a)


def _conv_integer(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    operands = [_centred(v, x[2 + i]) if len(x) > 2 + i else widened(v) for i, v in enumerate(x[:2])]
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
    zeros = (Operand(TensorType(dtype, ()), zero_points(dtype)) for dtype in types)
    return Sample((Operand(drawn[0]), *zeros), drawn[1])


_PRODUCT = ("A", "S", "A", "B", "S", "B", "S", "Y")

_PRODUCT_TYPES = {"A": BYTES, "B": BYTES, "Y": BYTES, "S": ("float32",)}


def _quantized(name: str, **more: Any) -> Op:
    return Op(name=name, results=("Y",), numpy=_qlinear, error=_qlinear_error, continuous=False, **more)


OPS: tuple[Op, ...] = (
    _quantized(
        "QLinearMatMul",
        inputs=_PRODUCT,
        types=_PRODUCT_TYPES,
        shape=_qmatmul_shape,
        torch=_qmatmul_torch,
        tensorflow=_qmatmul_tensorflow,
        sample=_sample_qmatmul,
        weight=0.3,
    ),
    _quantized(
        "QLinearConv",
        inputs=(*_PRODUCT, "I"),
        min_inputs=8,
        types={**_PRODUCT_TYPES, "I": ("int32",)},
        shape=_qconv_shape,
        torch=_qconv_torch,
        tensorflow=_qconv_tensorflow,
        sample=_sample_qconv,
        attrs=CONV_ATTRS,
        weight=2,
        data_inputs=1,
    ),
    integer_product(
        "ConvInteger",
        shape=_conv_integer_shape,
        numpy=_conv_integer,
        error=_integer_error,
        torch=lambda c: _conv_integer_text(c, TORCH_CAST, _torch_number, conv_torch),
        tensorflow=lambda c: _conv_integer_text(c, TENSORFLOW_CAST, _tensorflow_number, conv_tensorflow),
        sample=_sample_conv_integer,
        attrs=CONV_ATTRS,
        partial=_conv_integer_size,
        weight=3,
        data_inputs=1,
    ),
)
