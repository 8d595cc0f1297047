"""Quantization to integers of 8 or 4 bits or to floating types of 8 bits, and back.

``quantized_products`` computes on the quantized integers, with the rounding and the error bound of this module.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import adjoints, convolution, errors, sampling, unspecified
from polyjuice.ops.normal import along_axis
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import (
    RESULT,
    Call,
    ErrorContext,
    OfResult,
    Op,
    Operand,
    Sample,
    Texts,
    Unsupported,
    attributes,
    facts,
)
from polyjuice.ops.text import spell

BYTES = ("int8", "uint8")

_QUANTIZED = (*BYTES, *dtypes.NARROW)

_LIMITS = {name: dtypes.exact_integers(name) for name in (*BYTES, *dtypes.NARROW_INTS)}

_SINGLE = 2.0**-24
"""Unit roundoff of single precision, the precision of scales and of products with them."""

_SCALE_TYPES = ("float32", "float16", "bfloat16")

_SCALES = (1, 4)
"""The generator's scales are whole numbers; many results of a division by them lie far from a half."""


def zero_points(dtype: str) -> tuple[int, int]:
    """Return the least and the greatest zero point to draw. ONNX takes only zero for floating types."""
    if dtype in dtypes.NARROW_FLOATS:
        return 0, 0
    return (-3, 3) if dtypes.is_signed(dtype) else (0, 5)


def is_single(shape: Sequence[int]) -> bool:
    return len(shape) <= 1 and sampling.total(shape) == 1


def _along(parameter: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """One parameter, or one for each place along an axis, in a shape that broadcasts with the data."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if i == normalize_axis(axis, rank) else 1 for i in range(rank)])


def widened(x: np.ndarray) -> np.ndarray:
    """Return integers as int32, which holds sums of their products. Floats of the error analysis stay as they are."""
    return x if x.dtype.kind == "f" else x.astype(np.int32)


def round_clipped(value: np.ndarray, zero: np.ndarray, limits: tuple[int, int]) -> np.ndarray:
    """Return the nearest integers (for ties the even one) plus a zero point, clipped to the limits."""
    return np.asarray(np.clip(np.rint(value) + zero, *limits))


def round_clipped_error(
    value: np.ndarray, e: np.ndarray, zero: np.ndarray, limits: tuple[int, int], unit: float = _SINGLE
) -> np.ndarray:
    """Return the error bound of ``round_clipped``, in the shape of ``value``, which has the error ``e``.

    The bound is 0, or infinite where the value may round to either of two numbers within the limits. ``unit`` is the
    unit roundoff of the arithmetic.
    """
    reach = e + 8 * unit * np.abs(value)
    low, high = round_clipped(value - reach, zero, limits), round_clipped(value + reach, zero, limits)
    return np.where((low == high) & np.isfinite(reach), 0.0, np.inf)


def byte_limits(zero: np.ndarray) -> tuple[int, int]:
    """Return the least and the greatest number of a zero point's type, int8 or uint8."""
    return _LIMITS["uint8" if zero.dtype == np.uint8 else "int8"]


# --- QuantizeLinear, DequantizeLinear --------------------------------------------------------------------------------


def _fits_linear(s: Sequence[Dims], a: Any) -> bool:
    """One scale, or one for each place along the axis, and as many zero points."""
    x, scale, *zeros = s
    return all(zero == scale for zero in zeros) and (is_single(scale) or scale == (x[normalize_axis(a.axis, len(x))],))


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
    return round_clipped(value, zero.astype(value.dtype), _LIMITS[dtype] if dtype else byte_limits(x[2]))


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
        bound = round_clipped_error(value, reach, zero.astype(np.float64), _LIMITS[c.attrs[RESULT]], unit)
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
    data = widened(x[0])
    return np.asarray((data - widened(zeros[0]) if zeros else data) * scale).astype(scale.dtype)


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
    zero = widened(_along(c.x[2], rank, axis)) if len(c.x) > 2 else 0
    bound = np.asarray(np.abs(widened(c.x[0]) - zero) * e_scale + carried)
    if c.x[0].dtype.kind == "f":  # ONNX takes no zero point but zero
        return np.where(np.asarray(zero) == 0, bound, np.inf)
    return bound


# --- text ------------------------------------------------------------------------------------------------------------


class Library(NamedTuple):
    """How a library writes the parts of computations on quantized numbers, as templates."""

    cast: str
    number: str
    """One number in a tensor of any rank."""
    reshape: str
    rounded: Sequence[str]
    clipped: Sequence[str]
    lowest: str
    """The least element, or 0."""
    highest: str
    matmul: str
    convolve: Callable[..., str]
    exact: str
    """A type whose convolutions the library has, and which holds all integers on the way."""
    limit: Callable[[float], float] = int

    def to(self, text: str, dtype: str) -> str:
        cast = self.cast.replace("tf.{1}", "'{1}'") if dtype in dtypes.NARROW_FLOATS else self.cast
        return cast.format(text, dtypes.framework_name(dtype))

    def held(self, c: Call, i: int, dtype: str) -> str:
        return c.x[i] if c.types[i].dtype == dtype else self.to(c.x[i], dtype)

    def line(self, c: Call, i: int, dtype: str) -> str:
        """A scale or zero point, in an element type, as text that broadcasts with the data."""
        t, text = c.types[i], self.held(c, i, dtype)
        if t.size == 1:
            return self.number.format(text) if t.rank else text
        after = c.types[0].rank - 1 - normalize_axis(c.attrs["axis"], c.types[0].rank)
        return self.reshape.format(text, (t.size, *[1] * after)) if after else text

    def rounding(self, c: Call, value: str, zero: str, dtype: str) -> str:
        """The text that rounds a value, adds a zero point, clips the sum and casts it to ``dtype``."""
        rounded = c.draws.choice(self.rounded).format(value)
        clipped = c.draws.choice(self.clipped).format(f"{rounded} + {zero}", *map(self.limit, _LIMITS[dtype]))
        return self.to(clipped, dtype)


_LIBRARIES = (
    Library(
        "{0}.to(torch.{1})",
        "{0}.reshape(())",
        "{0}.reshape({1})",
        ("torch.round({0})", "({0}).round()"),
        ("torch.clamp({0}, {1}, {2})", "({0}).clamp(min={1}, max={2})"),
        "torch.clamp(torch.amin({0}), max=0)",
        "torch.clamp(torch.amax({0}), min=0)",
        "torch.matmul({0}, {1})",
        convolution.conv_torch,
        "float64",
    ),
    Library(
        "tf.cast({0}, tf.{1})",
        "tf.reshape({0}, [])",
        "tf.reshape({0}, {1})",
        ("tf.round({0})", "tf.math.rint({0})"),
        ("tf.clip_by_value({0}, {1}, {2})",),
        "tf.minimum(tf.reduce_min({0}), 0.0)",
        "tf.maximum(tf.reduce_max({0}), 0.0)",
        "tf.matmul({0}, {1})",
        convolution.conv_tensorflow,
        "float64",
        float,
    ),
    Library(
        "{0}.astype(jnp.{1})",
        "{0}.reshape(())",
        "{0}.reshape({1})",
        ("jnp.round({0})",),
        ("jnp.clip({0}, {1}, {2})",),
        "jnp.minimum(jnp.min({0}), 0)",
        "jnp.maximum(jnp.max({0}), 0)",
        "({0} @ {1})",
        convolution.conv_jax,
        "int32",
    ),
)


def in_each(text: Callable[[Library, Call], str | Unsupported]) -> Mapping[str, Texts]:
    """The texts in Torch, TensorFlow and JAX by one function."""
    return spell(*(partial(text, library) for library in _LIBRARIES))


def _quantize_text(of: Library, c: Call) -> str | Unsupported:
    if (dtype := c.results[0].dtype) in dtypes.NARROW_INTS:
        return Unsupported("no numbers of 4 bits here")
    value, zero = f"{of.held(c, 0, 'float32')} / {of.line(c, 1, 'float32')}", of.line(c, 2, "float32")
    if dtype in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(dtype)
        return of.to(of.clipped[0].format(value, -largest, largest), dtype)
    return of.rounding(c, value, zero, dtype)


def _dequantize_text(of: Library, c: Call) -> str | Unsupported:
    """A 32-bit integer difference to the zero point, then a product in float32. Floats have no zero point but zero."""
    dtype, result = c.types[0].dtype, c.results[0].dtype
    if dtype in dtypes.NARROW_INTS:
        return Unsupported("no numbers of 4 bits here")
    data = of.to(c.x[0], "float32" if dtype in dtypes.NARROW_FLOATS else "int32")
    if dtype not in dtypes.NARROW_FLOATS:
        data = of.to(f"({data} - {of.line(c, 2, 'int32')})" if len(c.x) > 2 else data, "float32")
    product = f"{data} * {of.line(c, 1, 'float32')}"
    return product if result == "float32" else of.to(f"({product})", result)


def _dynamic_text(of: Library, c: Call) -> str:
    x = c.let(c.x[0])
    low, high = c.let(of.lowest.format(x)), c.let(of.highest.format(x))
    scale = c.let(f"({high} - {low}) / {of.limit(255)}")
    zero = c.let(of.rounded[0].format(of.clipped[0].format(f"-{low} / {scale}", of.limit(0), of.limit(255))))
    return f"{of.rounding(c, f'{x} / {scale}', zero, 'uint8')}, {scale}, {of.to(zero, 'uint8')}"


# --- samples ---------------------------------------------------------------------------------------------------------

_NARROWED = 0.3
"""How often a quantisation is drawn that may go to a narrow type."""


@sampling.of_rank(0)
def _sample_quantize(rng: random.Random, first: TensorType) -> Sample:
    shape, axis = _draw_line(rng, first)
    dtype = rng.choice(_QUANTIZED if rng.random() < _NARROWED else BYTES)
    scale, zero = TensorType("float32" if first.dtype == "int32" else first.dtype, shape), TensorType(dtype, shape)
    return Sample((Operand(scale, _SCALES), Operand(zero, zero_points(dtype))), {"axis": axis})


@sampling.of_rank(0)
def _sample_dequantize(rng: random.Random, first: TensorType) -> Sample:
    shape, axis = _draw_line(rng, first)
    scale = rng.choice(("float32", "float32", "float16", "bfloat16"))
    operands = [Operand(TensorType(scale, shape), _SCALES if rng.random() < 0.5 else None)]
    if first.dtype != "int32" and rng.random() < 0.7:
        operands.append(Operand(TensorType(first.dtype, shape), zero_points(first.dtype)))
    return Sample(tuple(operands), {"axis": axis})


def _draw_line(rng: random.Random, first: TensorType) -> tuple[tuple[int, ...], int]:
    """The shape of scales and zero points, and their axis."""
    if first.rank and rng.random() < 0.4:
        axis = rng.randrange(first.rank)
        return (first.shape[axis],), axis
    return (), 1


# --- DynamicQuantizeLinear -------------------------------------------------------------------------------------------


def _dynamic(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = np.minimum(x[0].min(), 0), np.maximum(x[0].max(), 0)
    scale = (high - low) / np.asarray(255, x[0].dtype)
    zero = np.rint(np.clip(-low / scale, 0, 255))
    return round_clipped(x[0] / scale, zero, (0, 255)), scale, zero


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
    e_zero = round_clipped_error(low, (e.max() + np.abs(low) * e_scale) / margin, np.asarray(0.0), (0, 255))
    e_y = round_clipped_error(x / scale, (e + np.abs(x / scale) * e_scale) / margin, zero, (0, 255))
    return np.asarray(np.where(np.isinf(e_zero), np.inf, e_y)), np.asarray(e_scale), e_zero


_ALONG_SCALES: dict[str, Any] = {
    "attrs": attributes(axis=1),  # the axis matters only where each place along it has a scale
    "normal": lambda a, x: along_axis(a, x) if x[1].size > 1 else a.update(axis=1),
}


OPS: tuple[Op, ...] = (
    Op(
        name="QuantizeLinear",
        inputs=("T", "S", "Q"),
        types={"T": ("float32", "float16", "bfloat16", "int32"), "S": _SCALE_TYPES, "Q": _QUANTIZED},
        results=("Q",),
        shape=fitting(_fits_linear),
        numpy=OfResult(_quantize),
        error=_quantize_error,
        text=in_each(_quantize_text),
        sample=_sample_quantize,
        **_ALONG_SCALES,
        requires=lambda types, a: types[0].dtype in ("int32", types[1].dtype),
        adjoint=adjoints.quantize,
        unsettled=unspecified.quantization,
        **facts(continuous=False, data_inputs=1, followers="DequantizeLinear"),
    ),
    Op(
        name="DequantizeLinear",
        inputs=("Q", "S", "Q"),
        types={"Q": (*BYTES, "int32", *dtypes.NARROW), "S": _SCALE_TYPES},
        results=("S",),
        shape=fitting(_fits_linear),
        numpy=_dequantize,
        error=_dequantize_error,
        text=in_each(_dequantize_text),
        sample=_sample_dequantize,
        **_ALONG_SCALES,
        adjoint=adjoints.dequantize,
        followers="QuantizeLinear Transpose Reshape MatMul Conv Relu Add",
        **facts(min_inputs=2, integer_exact=True, ulps=3, weight=0.5, data_inputs=1),
    ),
    Op(
        name="DynamicQuantizeLinear",
        types={"T": ("float32",)},
        results=("uint8", "T", "uint8"),
        shape=fitting(lambda s, a: 0 not in s[0], lambda s, a: [s[0], Dims(), Dims()]),
        numpy=_dynamic,
        error=_dynamic_error,
        text=in_each(_dynamic_text),
        sample=lambda rng, first: None if 0 in first.shape else Sample(),
        unsettled=unspecified.dynamic_quantization,
        **facts(continuous=False, weight=0.2),
    ),
)
