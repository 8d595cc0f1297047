"""Quantization to integers of 8 or 4 bits or to floating types of 8 bits, and back.

``quantized_products`` computes on the quantized integers, with the rounding and the error bound of this module.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import adjoints, definitions, errors, sampling, unspecified
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.normal import along_axis
from polyjuice.ops.registry import TABLE
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import RESULT, ErrorContext, ErrorFn, OfResult, Op, Operand, Sample, attributes, facts

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


def number(dtype: str, values: tuple[int, int]) -> Operand:
    return Operand(TensorType(dtype, ()), values)


def scale_and_zero(dtype: str, low: int, high: int) -> tuple[Operand, Operand]:
    return number("float32", (low, high)), number(dtype, zero_points(dtype))


def is_single(shape: Sequence[int]) -> bool:
    return len(shape) <= 1 and sampling.total(shape) == 1


def _along(parameter: np.ndarray, rank: int, axis: int) -> np.ndarray:
    """One parameter, or one for each place along an axis, in a shape that broadcasts with the data."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if i == normalize_axis(axis, rank) else 1 for i in range(rank)])


# --- in terms of other operators -------------------------------------------------------------------------------------


def _beside(x: Term, parameter: Term, axis: int) -> Term:
    """One parameter, or one for each place along an axis, in a shape that broadcasts with the data."""
    if sampling.total(parameter.shape) == 1:
        return parameter.reshape() if parameter.rank else parameter
    return parameter.reshape(*(-1 if i == normalize_axis(axis, x.rank) else 1 for i in range(x.rank)))


def _quantize_term(x: Term, scale: Term, zero: Term, a: Attrs) -> Term:
    value = x.to("float32") / _beside(x, scale.to("float32"), a["axis"])
    if zero.dtype in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(zero.dtype)
        return value.then("Clip", min=-largest, max=largest).to(zero.dtype)
    low, high = _LIMITS[zero.dtype]
    moved = value.then("Round") + _beside(x, zero.to("float32"), a["axis"])
    return moved.then("Clip", min=low, max=high).to(zero.dtype)


def _dequantize_term(x: Term, scale: Term, *rest: Any) -> Term:
    """The difference is one of integers, unless the operand is of a floating type."""
    *zeros, a = rest
    computed = "float64" if scale.dtype == "float64" else "float32"
    wide = "int32" if dtypes.is_int(x.dtype) else computed
    data = x.to(wide) - _beside(x, zeros[0].to(wide), a["axis"]) if zeros else x.to(wide)
    return (data.to(computed) * _beside(x, scale.to(computed), a["axis"])).to(scale.dtype)


def dequantized(x: Term, scale: Term, zero: Term) -> Term:
    """Bytes as numbers of the scale's type, which is float64 where errors are analysed."""
    if scale.dtype == "float32":
        return x.then("DequantizeLinear", scale, zero, axis=1)
    return (x.to("int32") - zero.to("int32")).to(scale.dtype) * scale


def quantized(x: Term, scale: Term, zero: Term) -> Term:
    """Numbers as bytes; the opposite of :func:`dequantized`."""
    if scale.dtype == "float32":
        return x.then("QuantizeLinear", scale, zero, axis=1)
    low, high = (limit - zero.to(x.dtype) for limit in _LIMITS[zero.dtype])
    levels = (x / scale).then("Max", low).then("Min", high).then("Round")
    return (levels + zero.to(x.dtype)).then("Round").to(zero.dtype)


def in_single(name: str) -> ErrorFn:
    """The definition's error bound, where the steps are of single precision although the result is an integer.

    It is infinite with a scale (of the type variable S) that is not positive: no integer is NaN.
    """

    def bound(c: ErrorContext) -> Any:
        op = next(op for op in TABLE.values() if op.qualified == name)
        scales = [x - e for i, (x, e) in enumerate(zip(c.x, c.e, strict=True)) if op.variable(i) == "S"]
        found = definitions.error(op, c._replace(unit=max(_SINGLE, c.unit), held="float32"))
        return found if all(np.all(scale > 0) for scale in scales) else np.full(np.shape(found), np.inf)

    return bound


IN_SINGLE = "its steps are of single precision, and its result is an integer"


# --- QuantizeLinear, DequantizeLinear --------------------------------------------------------------------------------


def _fits_linear(s: Sequence[Dims], a: Any) -> bool:
    """One scale, or one for each place along the axis, and as many zero points."""
    x, scale, *zeros = s
    return all(zero == scale for zero in zeros) and (is_single(scale) or scale == (x[normalize_axis(a.axis, len(x))],))


def _rounded(value: np.ndarray, zero: np.ndarray, dtype: str) -> np.ndarray:
    """The nearest numbers of a type, less a zero point; a narrow floating type rounds when it is stored."""
    if dtype in dtypes.NARROW_FLOATS:
        largest = dtypes.largest_finite(dtype)
        return np.asarray(np.clip(value + zero, -largest, largest))
    return np.asarray(np.clip(np.rint(value) + zero, *_LIMITS[dtype]))


def _quotient(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray]:
    """The data divided by the scale, and the zero point."""
    scale, zero = (_along(p, x[0].ndim, a["axis"]) for p in x[1:])
    data = x[0] if x[0].dtype.kind == "f" else x[0].astype(scale.dtype)
    return data / scale, zero


def _quantize(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    value, zero = _quotient(x, a)
    dtype = a.get(RESULT) or ("uint8" if x[2].dtype == np.uint8 else "int8")
    return _rounded(value, zero.astype(value.dtype), dtype)


def _quantize_error(c: ErrorContext) -> np.ndarray:
    """No error where both ends of the quotient's interval round to one integer."""
    (value, zero), dtype = _quotient(c.x, c.attrs), c.attrs[RESULT]
    rank, axis = c.x[0].ndim, c.attrs["axis"]
    scale, e_scale = _along(c.x[1], rank, axis), _along(np.broadcast_to(c.e[1], c.x[1].shape), rank, axis)
    margin = np.abs(scale) - e_scale
    reach = np.where(margin > 0, (c.e[0] + np.abs(value) * e_scale) / np.where(margin > 0, margin, 1.0), np.inf)
    reach = reach + 8 * _unit_of_quotient(c.x[0], scale) * np.abs(value)
    low, high = (_rounded(end, zero.astype(np.float64), dtype) for end in (value - reach, value + reach))
    if dtype in dtypes.NARROW_FLOATS:
        gaps = (end.astype(dtypes.to_numpy(dtype)).astype(np.float64) - c.y[0] for end in (low, high))
        bound = np.maximum(*(np.where(np.isnan(gap), np.inf, np.abs(gap)) for gap in gaps))
        bound = np.where(zero == 0, bound, np.inf)
    else:
        bound = np.where((low == high) & np.isfinite(reach), 0.0, np.inf)
    return errors.infinite_if(np.asarray(np.any(c.e[2])), bound)


def _unit_of_quotient(x: np.ndarray, scale: np.ndarray) -> float:
    """The unit roundoff of a quotient, which may be that of a half type if it holds both operands."""
    if (scale == 1).all():
        return _SINGLE  # nothing is rounded
    halves = (dtype for dtype in ("bfloat16", "float16") if all(_holds(dtype, v) for v in (x, scale)))
    return max(map(dtypes.unit_roundoff, halves), default=_SINGLE)


def _holds(dtype: str, x: np.ndarray) -> bool:
    return bool((np.asarray(x).astype(dtypes.to_numpy(dtype)).astype(np.float64) == x).all())


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


def extent(x: Term) -> tuple[Term, Term]:
    """The least and the greatest element, or 0."""
    low, high = (x.reduce(end, keepdims=False).then(end, 0.0) for end in ("Min", "Max"))
    return low, high


def zero_of(low: Term, scale: Term) -> Term:
    """The unsigned byte that stands for 0, as a floating number."""
    return (-low / scale).then("Clip", min=0.0, max=255.0).then("Round")


def _dynamic(x: Term, a: Attrs) -> Sequence[Term]:
    low, high = extent(x)
    scale = (high - low) / 255
    zero = zero_of(low, scale).to("uint8")
    return quantized(x, scale, zero), scale, zero


def _dynamic_error(c: ErrorContext) -> tuple[np.ndarray, ...]:
    """Unknown where all elements may be 0: ONNX Runtime then has a scale of 1."""
    bounds = in_single("DynamicQuantizeLinear")(c)
    return tuple([errors.infinite_if(~(c.y[1] > bounds[1]), bound) for bound in bounds])


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
        definition=onnx_term(_quantize_term, widen=False),
        why_not_derived="a quotient may be rounded to a half type, or to a narrow one",
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
        definition=onnx_term(_dequantize_term, widen=False),
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
        definition=onnx_term(_dynamic),
        error=_dynamic_error,
        why_not_derived=IN_SINGLE,
        sample=lambda rng, first: None if 0 in first.shape else Sample(),
        unsettled=unspecified.dynamic_quantization,
        **facts(continuous=False, weight=0.2),
    ),
)
