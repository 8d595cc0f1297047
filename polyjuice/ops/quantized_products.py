"""Matrix products and convolutions of 8-bit integers: QLinearMatMul, QLinearConv and ConvInteger."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import quantization, sampling, windows
from polyjuice.ops.convolution import CONV_ATTRS, conv_shape
from polyjuice.ops.matrix import integer_product
from polyjuice.ops.quantization import Library, in_each
from polyjuice.ops.shapes import Dims, ShapeMismatch, broadcast
from polyjuice.ops.spec import Call, ErrorContext, Op, Operand, Sample, facts
from polyjuice.ops.windows import conv, normal_conv


def _is_plain(s: Sequence[Dims], what: str) -> None:
    """Raise ShapeMismatch unless all scales and zero points of an 8-bit product are single numbers."""
    if not all(quantization.is_single(s[i]) for i in (1, 2, 4, 5, 6, 7)):
        raise ShapeMismatch(f"{what} with scales or zero points for each row, column or channel")


def _qmatmul_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearMatMul")
    left, right = s[0], s[3]
    if len(left) < 2 or len(right) < 2 or left[-1] != right[-2]:
        raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(left)} and {tuple(right)}")
    return [Dims((*broadcast(left[:-2], right[:-2]), left[-2], right[-1]))]


def _centred(x: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return np.asarray(quantization.widened(x) - quantization.widened(zero).reshape(()))


def _number(x: np.ndarray) -> np.ndarray:
    return x.reshape(())


def _qproduct(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The integer product (or convolution) of the two operands less their zero points."""
    left, right = _centred(x[0], x[2]), _centred(x[3], x[5])
    if "strides" not in a:
        return np.asarray(np.matmul(left, right))
    return conv([left, right, *map(quantization.widened, x[8:])], a)


def _requantized(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    factor = _number(x[1]) * _number(x[4]) / _number(x[6])
    return np.asarray(_qproduct(x, a).astype(factor.dtype) * factor)


def _qlinear(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    value = _requantized(x, a)
    return quantization.round_clipped(value, _number(x[7]).astype(value.dtype), quantization.byte_limits(x[7]))


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
    return quantization.round_clipped_error(
        value, reach, _number(c.x[7]).astype(np.float64), quantization.byte_limits(c.x[7])
    )


def _product_text(of: Library, c: Call) -> str:
    """QLinearMatMul or QLinearConv."""
    convolves = "strides" in c.attrs
    dtype = of.exact if convolves else "int32"
    x = [f"({of.to(c.x[i], dtype)} - {of.line(c, zero, dtype)})" for i, zero in ((0, 2), (3, 5))]
    x += [of.held(c, i, dtype) for i in range(8, len(c.x))]
    product = of.convolve(c, x, c.types[0].shape[2:], c.types[3].shape) if convolves else of.matmul.format(*x)
    left, right, result, zero = (of.line(c, i, "float32") for i in (1, 4, 6, 7))
    return of.rounding(c, f"{of.to(product, 'float32')} * ({left} * {right} / {result})", zero, c.results[0].dtype)


def _conv_integer_text(of: Library, c: Call) -> str:
    operands = [of.to(c.x[i], of.exact) for i in (0, 1)]
    for i, text in enumerate(operands[: len(c.x) - 2]):
        operands[i] = f"({text} - {of.line(c, 2 + i, of.exact)})"
    return of.to(of.convolve(c, operands, c.types[0].shape[2:], c.types[1].shape), "int32")


def _qconv_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    _is_plain(s, "QLinearConv")
    return conv_shape([s[0], s[3], *s[8:]], a)


def _quantization_operands(rng: random.Random, first: str, second: TensorType, result: str) -> tuple[Operand, ...]:
    """All but the first operand of an 8-bit product; the result's scale keeps it from its limits."""

    def number(dtype: str, values: tuple[int, int]) -> Operand:
        return Operand(TensorType(dtype, ()), values)

    return (
        number("float32", (1, 2)),
        number(first, quantization.zero_points(first)),
        Operand(second),
        number("float32", (1, 2)),
        number(second.dtype, quantization.zero_points(second.dtype)),
        number("float32", (3, 31)),
        number(result, quantization.zero_points(result)),
    )


def _second_type(rng: random.Random, first: str) -> str:
    """A second type that libraries multiply by the first: unsigned by either, signed by signed."""
    return rng.choice(quantization.BYTES) if first == "uint8" else "int8"


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
    if not all(map(quantization.is_single, s[2:])):
        raise ShapeMismatch("ConvInteger with a zero point for each channel")
    return conv_shape(s[:2], a)


def _conv_integer(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    operands = [_centred(v, x[2 + i]) if len(x) > 2 + i else quantization.widened(v) for i, v in enumerate(x[:2])]
    return conv(operands, a)


def _conv_integer_size(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return conv([np.abs(v) + (np.abs(_number(x[2 + i])) if len(x) > 2 + i else 0) for i, v in enumerate(x[:2])], a)


def _sample_conv_integer(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = _draw_conv(rng, first)
    if drawn is None:
        return None
    types = (first.dtype, drawn[0].dtype)[: rng.choice((0, 1, 2, 2))]
    zeros = (Operand(TensorType(dtype, ()), quantization.zero_points(dtype)) for dtype in types)
    return Sample((Operand(drawn[0]), *zeros), drawn[1])


_PRODUCT = ("A", "S", "A", "B", "S", "B", "S", "Y")

_PRODUCT_TYPES = {"A": quantization.BYTES, "B": quantization.BYTES, "Y": quantization.BYTES, "S": ("float32",)}


def _quantized(name: str, **more: Any) -> Op:
    return Op(
        name=name,
        results=("Y",),
        numpy=_qlinear,
        error=_qlinear_error,
        text=in_each(_product_text),
        continuous=False,
        **more,
    )


OPS: tuple[Op, ...] = (
    _quantized(
        "QLinearMatMul", inputs=_PRODUCT, types=_PRODUCT_TYPES, shape=_qmatmul_shape, sample=_sample_qmatmul, weight=0.3
    ),
    _quantized(
        "QLinearConv",
        inputs=(*_PRODUCT, "I"),
        types={**_PRODUCT_TYPES, "I": ("int32",)},
        shape=_qconv_shape,
        sample=_sample_qconv,
        attrs=CONV_ATTRS,
        normal=lambda a, x: normal_conv(a, [x[0], x[3]]),
        **facts(min_inputs=8, weight=2, data_inputs=1),
    ),
    integer_product(
        "ConvInteger",
        shape=_conv_integer_shape,
        numpy=_conv_integer,
        error=lambda c: np.full(np.shape(c.y[0]), np.inf if any(np.any(e) for e in c.e) else 0.0),
        text=in_each(_conv_integer_text),
        sample=_sample_conv_integer,
        attrs=CONV_ATTRS,
        partial=_conv_integer_size,
        normal=normal_conv,
        **facts(weight=3, data_inputs=1),
    ),
)
