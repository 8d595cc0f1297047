"""ATen's elementwise combinations of a product, a quotient or an interpolation with a sum."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS, NUMERIC
from polyjuice.ops import domains, errors, sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.pointwise import elementwise, suitable, with_attrs
from polyjuice.ops.spec import Attr, Call, ErrorContext, ErrorFn, Op, Operand, Sample, SpecialValues

# --- ATen's combinations ---------------------------------------------------------------------------------------------


def _interpolate(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    start, end, weight = x
    return np.asarray(
        np.where(np.abs(weight) < 0.5, start + weight * (end - start), end - (end - start) * (1 - weight))
    )


def _interpolate_partial(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    start, end, weight = (np.abs(v) for v in x)
    return np.asarray((start + end) * (weight + 2))


def _interpolate_error(c: ErrorContext) -> np.ndarray:
    (start, end, weight), (es, ee, ew) = c.x, c.e
    carried = es * np.abs(1 - weight) + ee * np.abs(weight) + ew * (np.abs(end - start) + es + ee)
    magnitude = _interpolate_partial(c.x, c.attrs)
    return errors.unless_overflow(c, magnitude, carried + 4 * c.unit * magnitude)


def _sample_interpolate(rng: random.Random, first: TensorType) -> Sample:
    end = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    weight = () if rng.random() < 0.4 else sampling.broadcastable(rng, first.shape)
    return Sample((Operand(end), Operand(TensorType(first.dtype, weight))))


def _product_term(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.asarray(a["value"]).astype(x[0].dtype) * x[1] * x[2])


def _addcmul_partial(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    product = np.abs(x[1] * x[2])
    return np.asarray(np.abs(x[0]) + np.maximum(np.abs(a["value"]), 1.0) * product)


def _addcmul_error(c: ErrorContext) -> np.ndarray:
    _, a, b = c.x
    product = errors.product(ErrorContext([a, b], c.e[1:], c.y, c.attrs, c.unit, c.numpy))
    magnitude = _addcmul_partial([np.asarray(x, np.float64) for x in c.x], c.attrs)
    value = abs(c.attrs["value"])
    return errors.unless_overflow(c, magnitude, c.e[0] + value * product + 4 * c.unit * magnitude)


def _addcdiv_error(c: ErrorContext) -> np.ndarray:
    x, a, b = c.x
    value, ratio = abs(c.attrs["value"]), np.asarray(a / b)
    quotient = errors.quotient(ErrorContext([a, b], c.e[1:], [ratio], c.attrs, c.unit, c.numpy))
    magnitude = np.abs(x) + max(value, 1.0) * np.maximum(np.abs(ratio), np.abs(a))
    return errors.unless_overflow(
        c, magnitude, c.e[0] + value * quotient + 4 * c.unit * (np.abs(x) + value * np.abs(ratio))
    )


def _sample_combination(rng: random.Random, first: TensorType) -> Sample:
    values = suitable((1.0, 1.0, 2.0, 0.5, -1.0, -3.0), first.dtype)
    return Sample(sampling.same_type(2)(rng, first).operands, {"value": rng.choice(values)})  # type: ignore[union-attr]


def _combination(name: str, function: Any, symbol: str, error: ErrorFn, dtypes: tuple[str, ...], **more: Any) -> Op:
    """The entry of ``x + value * (y symbol z)``."""

    def tensorflow(c: Call) -> str:
        value, y = c.attrs["value"], f"{{1}} {symbol} {{2}}"
        scaled = y if value == 1 else f"{{value}} * ({y})"
        return with_attrs(f"{{0}} + {scaled}", f"tf.add({{0}}, {scaled})")(c)

    def onnx(x: Term, y: Term, z: Term, a: Attrs) -> Term:
        combined = y * z if symbol == "*" else y / z
        return x + (combined if a["value"] == 1 else combined * a["value"])

    return elementwise(
        name,
        function,
        with_attrs(
            f"torch.{name}({{0}}, {{1}}, {{2}}, value={{value}})", f"{{0}}.{name}({{1}}, {{2}}, value={{value}})"
        ),
        tensorflow,
        error,
        dtypes,
        operands=3,
        onnx=onnx_term(onnx),
        sample=_sample_combination,
        attrs=(Attr("value", "float", 1.0),),
        weight=0.4,
        **more,
    )


def _subtract_reversed_partial(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.abs(x[1]) + max(abs(a["alpha"]), 1.0) * np.abs(x[0]))


def _subtract_reversed_error(c: ErrorContext) -> np.ndarray:
    alpha = abs(c.attrs["alpha"])
    magnitude = _subtract_reversed_partial([np.asarray(x, np.float64) for x in c.x], c.attrs)
    return errors.unless_overflow(c, magnitude, alpha * c.e[0] + c.e[1] + 3 * c.unit * magnitude)


def _sample_subtract_reversed(rng: random.Random, first: TensorType) -> Sample:
    alpha = rng.choice(suitable((1.0, 1.0, 2.0, 0.5, -1.0, 3.0), first.dtype))
    return Sample((Operand(TensorType(first.dtype, sampling.broadcastable(rng, first.shape))),), {"alpha": alpha})


OPS = (
    # combinations
    elementwise(
        "rsub",
        lambda x, a: np.asarray(x[1] - np.asarray(a["alpha"]).astype(x[0].dtype) * x[0]),
        with_attrs("torch.rsub({0}, {1}, alpha={alpha})", "torch.sub({1}, {0}, alpha={alpha})"),
        with_attrs("{1} - {alpha} * {0}", "tf.subtract({1}, tf.multiply({0}, {alpha}))"),
        _subtract_reversed_error,
        NUMERIC,
        operands=2,
        partial=_subtract_reversed_partial,
        onnx=onnx_term(lambda x, y, a: y - (x if a["alpha"] == 1 else x * a["alpha"])),
        sample=_sample_subtract_reversed,
        attrs=(Attr("alpha", "float", 1.0),),
        weight=0.4,
        limits=SpecialValues.NAN,
        modular=True,
    ),
    _combination(
        "addcmul",
        lambda x, a: x[0] + _product_term(x, a),
        "*",
        _addcmul_error,
        NUMERIC,
        partial=_addcmul_partial,
        modular=True,
    ),
    _combination(
        "addcdiv", lambda x, a: x[0] + a["value"] * (x[1] / x[2]), "/", _addcdiv_error, FLOATS, lack=domains.nonzero(2)
    ),
    elementwise(
        "lerp",
        _interpolate,
        ("torch.lerp({0}, {1}, {2})", "{0}.lerp({1}, {2})", "{0} + {2} * ({1} - {0})"),
        ("{0} + {2} * ({1} - {0})", "(1 - {2}) * {0} + {2} * {1}"),
        _interpolate_error,
        FLOATS,
        operands=3,
        partial=_interpolate_partial,
        onnx=onnx_term(lambda x, y, w, a: x + w * (y - x)),
        sample=_sample_interpolate,
        exact=True,
        weight=0.4,
    ),
)
