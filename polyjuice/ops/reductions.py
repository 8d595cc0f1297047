"""ONNX's reductions: sums, products, norms, extremes, and the index of an extreme."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS, NUMERIC
from polyjuice.ops import adjoints, axis_reductions, domains, errors, sampling, value_bounds
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import (
    Attr,
    Call,
    ErrorContext,
    ErrorFn,
    NumpyFn,
    Op,
    SpecialValues,
    SpellFn,
    Texts,
    attributes,
    facts,
)
from polyjuice.ops.text import spell

_ORDERED = tuple(t for t in NUMERIC if t not in ("int16", "uint16"))
"""The types of ONNX's ReduceMax and ReduceMin, which skip integers of 16 bits."""

Reduce = Callable[..., Any]
"""A function of an array, ``axis`` and ``keepdims``, as NumPy's are."""


# --- meaning ---------------------------------------------------------------------------------------------------------


def reducing(function: Reduce, dtype: str = "") -> NumpyFn:
    """A reduction over the axes of the attributes, in the operand's type, or in ``dtype``."""

    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        reduced = function(x[0], axis=axis_reductions.axes(a, x[0].ndim), keepdims=axis_reductions.keeps(a))
        return np.asarray(reduced).astype(dtypes.to_numpy(dtype) if dtype else x[0].dtype)

    return apply


def over(c: ErrorContext, function: Reduce, x: np.ndarray) -> Any:
    """``function`` over the axes of an application."""
    return function(x, axis=axis_reductions.axes(c.attrs, c.x[0].ndim), keepdims=axis_reductions.keeps(c.attrs))


def operand_errors(c: ErrorContext) -> np.ndarray:
    return np.broadcast_to(c.e[0], c.x[0].shape)


def _extreme(function: Any, sign: int) -> Reduce:
    """The greatest (sign 1) or least (sign -1) element; over no elements the type's least or greatest value."""

    def reduce(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
        if np.issubdtype(x.dtype, np.floating):
            return function(x, axis=axis, keepdims=keepdims, initial=-sign * np.inf)
        limits = np.iinfo(x.dtype)
        return function(x, axis=axis, keepdims=keepdims, initial=limits.min if sign > 0 else limits.max)

    return reduce


greatest, least = _extreme(np.max, 1), _extreme(np.min, -1)


def _sum_of(function: Callable[[np.ndarray], Any]) -> Reduce:
    return lambda x, axis, keepdims: np.sum(function(x), axis=axis, keepdims=keepdims)


def norm(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def log_sum_exp(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
    """log(sum(exp(x))), without overflow."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0)
    sums = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return sums if keepdims else np.squeeze(sums, axis)


# --- error bounds ----------------------------------------------------------------------------------------------------


def terms(c: ErrorContext) -> int:
    return axis_reductions.terms(c.attrs, c.x[0].shape)


def sum_error(c: ErrorContext) -> np.ndarray:
    e = operand_errors(c)
    carried = over(c, np.sum, e)
    return errors.summed_beyond(
        np.asarray(c.x[0], np.float64),
        e,
        lambda mask: over(c, np.any, mask),
        lambda x: errors.summed(terms(c), c, carried, over(c, np.sum, np.abs(x))),
    )


def mean_error(c: ErrorContext) -> np.ndarray:
    return sum_error(c) / max(terms(c), 1)


def _prod_error(c: ErrorContext) -> object:
    x = np.abs(c.x[0].astype(np.float64))
    high = over(c, np.prod, x + c.e[0])
    widest = over(c, np.prod, np.maximum(x + c.e[0], 1.0))
    return errors.infinite_if(errors.overflows(c, widest), high - over(c, np.prod, x) + terms(c) * c.unit * high)


def greatest_error(c: ErrorContext, greatest: NumpyFn) -> np.ndarray:
    """The greatest element lies between the greatest lower end and the greatest upper end of the intervals."""
    if not errors.in_doubt(c) and np.isfinite(c.y[0]).all():
        return np.zeros(np.shape(c.y[0]))
    x, e = np.asarray(c.x[0], np.float64), operand_errors(c)
    moved = np.maximum(*(np.abs(greatest([v], c.attrs) - c.y[0]) for v in (x - e, x + e)))
    known = np.where(c.y[0] == np.inf, 0.0, moved)  # for only -inf some frameworks give the least finite number
    return errors.infinite_if((greatest([e], c.attrs) == np.inf) | np.isnan(known), known)


def extreme_error(sign: int) -> ErrorFn:
    """The bound of the greatest (sign 1) or least (sign -1) element."""

    def bound(c: ErrorContext) -> np.ndarray:
        x, y = (sign * np.asarray(v, np.float64) for v in (c.x[0], c.y[0]))
        return greatest_error(c._replace(x=[x], y=[y]), reducing(greatest))

    return bound


def _square_error(c: ErrorContext) -> np.ndarray:
    """Each square is a product of equal factors: |(x + d)^2 - x^2| <= 2 |x| e + e^2."""
    x, e = np.abs(c.x[0].astype(np.float64)), operand_errors(c)
    return errors.summed(terms(c) + 1, c, over(c, np.sum, 2 * x * e + e * e), over(c, np.sum, x * x))


def norm_error(c: ErrorContext) -> np.ndarray:
    """A norm moves at most by the norm of the change. The rounding is half that of the sum of squares."""
    e = over(c, norm, operand_errors(c))
    tiny = math.sqrt(terms(c) * dtypes.smallest_normal(errors.held(c)))
    size = np.abs(over(c, norm, c.x[0].astype(np.float64))) + e
    return errors.infinite_if(errors.overflows(c, size * size), e + tiny + (terms(c) / 2 + 3) * c.unit * size)


def _log_sum_error(c: ErrorContext) -> np.ndarray:
    """log(1 - E / S) for a sum S with error E."""
    total, e = over(c, np.sum, c.x[0]), sum_error(c)
    fits = e < total
    ratio = np.where(fits, e, 0) / np.where(fits, total, 1)
    return np.where(fits, -np.log1p(-ratio) + 2 * c.unit, np.inf)


def log_sum_exp_error(c: ErrorContext) -> np.ndarray:
    """The bound for log(sum(exp(x))); the sum is at least 1 after the maximum is subtracted.

    Adding the maximum back rounds again. Where all elements are -inf, the result is -inf.
    """
    top = over(c, greatest, c.x[0])
    carried = errors.log_sum_error(c.x[0], operand_errors(c), axis_reductions.axes(c.attrs, c.x[0].ndim), c.unit)
    rounding = c.unit * (2 * terms(c) + 8 + 2 * np.abs(top) + 2 * np.abs(c.y[0]))
    nothing = np.isneginf(c.y[0]) & ~np.asarray(over(c, np.any, operand_errors(c) > 0))
    return np.where(nothing, 0.0, carried.reshape(np.shape(c.y[0])) + rounding)


# --- ONNX's reductions -----------------------------------------------------------------------------------------------


@sampling.of_rank(1)
def _draw_axes(rng: random.Random, first: TensorType) -> Attrs:
    return {"axes": sampling.some_axes(rng, first.rank), "keepdims": rng.randint(0, 1), "noop_with_empty_axes": 0}


def _torch_prod(c: Call) -> str:
    """torch.prod reduces one axis at a time: the last first, so that the others keep their numbers."""
    over_axes, dtype = axis_reductions.axes(c.attrs, c.types[0].rank), f"dtype=torch.{c.types[0].dtype}"
    method = c.draws.chance(0.5)
    if len(over_axes) == c.types[0].rank and not axis_reductions.keeps(c.attrs) and c.draws.chance(0.5):
        return axis_reductions.without_type(
            c, f"{c.x[0]}.prod({dtype})" if method else f"torch.prod({c.x[0]}, {dtype})"
        )
    text = c.x[0]
    for axis in sorted(over_axes, reverse=True):
        arguments = f"dim={axis}, keepdim={axis_reductions.keeps(c.attrs)}, {dtype}"
        text = f"{text}.prod({arguments})" if method else f"torch.prod({text}, {arguments})"
    return axis_reductions.without_type(c, text) if text != c.x[0] else f"{c.x[0]}.clone()"


def _tensorflow_forms(function: str, raw: str) -> SpellFn:
    raw = f"tf.raw_ops.{raw}(input={{x}}, axis={{dim}}, keep_dims={{keep}})"
    return axis_reductions.tensorflow(f"tf.{function} tf.math.{function}", raw, full=(f"tf.{function}",))


def _summed_tensorflow(inner: str) -> str:
    return f"tf.reduce_sum({inner}, axis={{dim}}, keepdims={{keep}})"


def _reduction(
    name: str,
    function: Reduce,
    error: ErrorFn,
    text: Mapping[str, Texts],
    types: tuple[str, ...] = FLOATS,
    **more: Any,
) -> Op:
    return Op(
        name=name,
        types={"T": types},
        shape=axis_reductions.reduced_shape,
        numpy=reducing(function),
        error=error,
        text=text,
        sample=sampling.alone_with(_draw_axes),
        attrs=(Attr("axes", "ints", (), as_input=True), *attributes(keepdims=1, noop_with_empty_axes=0)),
        **more,
    )


_SUM_FORMS = (
    "torch.sum({x}, dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
    "{x}.sum(dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
)


def _extreme_forms(name: str) -> SpellFn:
    return axis_reductions.torch(
        f"torch.a{name} .a{name}",
        single=(f"torch.{name}({{x}}, dim={{dim}}, keepdim={{keep}}).values", f"{{x}}.{name}({{dim}}, {{keep}})[0]"),
        full=(f".{name} torch.{name}",),
    )


_ONNX_REDUCTIONS = (
    _reduction(
        "ReduceSum",
        np.sum,
        sum_error,
        spell(
            axis_reductions.torch(
                *_SUM_FORMS, full=("{x}.sum(dtype=torch.{dtype})", "torch.sum({x}, dtype=torch.{dtype})")
            ),
            tf=_tensorflow_forms("reduce_sum", "Sum"),
        ),
        WIDE,
        partial=reducing(_sum_of(np.abs)),
        adjoint=adjoints.reduction(lambda x, y, n: 1.0),
        followers="Div Sqrt Squeeze ReduceSum Mul Add Reciprocal Reshape",
        **facts(integer_exact=True, weight=3, limits=SpecialValues.INFINITY | SpecialValues.NAN, fresh=True),
    ),
    _reduction(
        "ReduceMean",
        np.mean,
        mean_error,
        spell(
            axis_reductions.torch("torch.mean .mean", full=(".mean torch.mean",)),
            tf=_tensorflow_forms("reduce_mean", "Mean"),
        ),
        adjoint=adjoints.reduction(lambda x, y, n: 1.0 / max(n, 1)),
        followers="Sub Squeeze Reshape Mul Add ReduceMean Sqrt",
        **facts(ulps=2, limits=SpecialValues.INFINITY | SpecialValues.NAN, fresh=True, bounds=value_bounds.SAME),
    ),
    _reduction(
        "ReduceMax",
        greatest,
        extreme_error(1),
        spell(_extreme_forms("max"), tf=_tensorflow_forms("reduce_max", "Max")),
        _ORDERED,
        followers="Sub ReduceMax Squeeze Neg",
        bounds=value_bounds.SAME,
        **facts(integer_exact=True, weight=1.5, limits=SpecialValues.INFINITY, picks=True, fresh=True),
    ),
    _reduction(
        "ReduceMin",
        least,
        extreme_error(-1),
        spell(_extreme_forms("min"), tf=_tensorflow_forms("reduce_min", "Min")),
        _ORDERED,
        **facts(integer_exact=True, limits=SpecialValues.INFINITY, picks=True, fresh=True, bounds=value_bounds.SAME),
    ),
    _reduction(
        "ReduceProd",
        np.prod,
        _prod_error,
        spell(_torch_prod, tf=_tensorflow_forms("reduce_prod", "Prod")),
        WIDE,
        partial=reducing(lambda x, axis, keepdims: np.prod(np.maximum(np.abs(x), 1), axis=axis, keepdims=keepdims)),
        adjoint=adjoints.reduction(adjoints.product_slope),
        **facts(integer_exact=True, weight=0.5, overflows=True),
    ),
    _reduction(
        "ReduceL1",
        _sum_of(np.abs),
        sum_error,
        spell(
            axis_reductions.torch(
                "torch.sum(torch.abs({x}), dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
                "{x}.abs().sum(dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
                full=("{x}.abs().sum(dtype=torch.{dtype})", "torch.sum(torch.abs({x}), dtype=torch.{dtype})"),
            ),
            tf=axis_reductions.tensorflow(_summed_tensorflow("tf.abs({x})"), _summed_tensorflow("tf.math.abs({x})")),
        ),
        WIDE,
        partial=reducing(_sum_of(np.abs)),
        adjoint=adjoints.reduction(lambda x, y, n: np.sign(x)),
        bounds=value_bounds.at_least("0.0"),
        **facts(integer_exact=True, weight=0.5, limits=SpecialValues.INFINITY | SpecialValues.NAN),
    ),
    _reduction(
        "ReduceL2",
        norm,
        norm_error,
        spell(
            axis_reductions.torch(
                "torch.linalg.vector_norm({x}, ord=2, dim={dim}, keepdim={keep})",
                "torch.norm({x}, p=2, dim={dim}, keepdim={keep})",
                "torch.sqrt(torch.sum({x} * {x}, dim={dim}, keepdim={keep}))",
                full=("torch.linalg.vector_norm torch.norm .norm", "({x} ** 2).sum().sqrt()"),
            ),
            tf=axis_reductions.tensorflow(
                "tf.sqrt(tf.reduce_sum(tf.square({x}), axis={dim}, keepdims={keep}))",
                single=("tf.norm({x}, ord=2, axis={dim}, keepdims={keep})",),
            ),
        ),
        adjoint=adjoints.reduction(adjoints.norm_slope(2)),
        **facts(ulps=2, weight=1.2, bounds=value_bounds.at_least("0.0")),
    ),
    _reduction(
        "ReduceSumSquare",
        _sum_of(np.square),
        _square_error,
        spell(
            axis_reductions.torch(
                "torch.sum(torch.square({x}), dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
                "({x} * {x}).sum(dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
                "{x}.pow(2).sum(dim={dim}, keepdim={keep}, dtype=torch.{dtype})",
                full=("({x} * {x}).sum(dtype=torch.{dtype})", "torch.sum({x} ** 2, dtype=torch.{dtype})"),
            ),
            tf=axis_reductions.tensorflow(_summed_tensorflow("tf.square({x})"), _summed_tensorflow("{x} * {x}")),
        ),
        WIDE,
        partial=reducing(_sum_of(np.square)),
        adjoint=adjoints.reduction(lambda x, y, n: 2 * x),
        **facts(integer_exact=True, ulps=1, weight=0.9, bounds=value_bounds.at_least("0.0")),
    ),
    _reduction(
        "ReduceLogSum",
        lambda x, axis, keepdims: np.log(np.sum(x, axis=axis, keepdims=keepdims)),
        _log_sum_error,
        spell(
            axis_reductions.torch(
                "torch.log(torch.sum({x}, dim={dim}, keepdim={keep}))",
                "{x}.sum(dim={dim}, keepdim={keep}).log()",
                full=("{x}.sum().log()", "torch.log({x}.sum())"),
            ),
            tf=axis_reductions.tensorflow("tf.math.log(tf.reduce_sum({x}, axis={dim}, keepdims={keep}))"),
        ),
        adjoint=adjoints.reduction(adjoints.log_sum),
        distance_to_domain=domains.positive_sum,
        **facts(ulps=4, weight=0.3),
    ),
    _reduction(
        "ReduceLogSumExp",
        log_sum_exp,
        log_sum_exp_error,
        spell(
            axis_reductions.torch("torch.logsumexp", "{x}.logsumexp({dim}, keepdim={keep})"),
            tf=axis_reductions.tensorflow("tf.reduce_logsumexp tf.math.reduce_logsumexp"),
        ),
        adjoint=adjoints.reduction(lambda x, y, n: np.exp(x - y)),
        **facts(ulps=4, weight=0.8, limits=SpecialValues.INFINITY),
    ),
)


# --- ArgMax, ArgMin --------------------------------------------------------------------------------------------------


def _arg_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(s[0][normalize_axis(a.axis, len(s[0]))])
    return [s[0].reduced((a.axis,), a.keepdims)]


def _arg(sign: int) -> Any:
    """The index of the greatest (sign 1) or least (sign -1) element; among equals the first, on request the last."""
    function = np.argmax if sign > 0 else np.argmin

    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        axis = a["axis"]
        if a["select_last_index"]:
            n = x[0].shape[axis]
            index = n - 1 - function(np.flip(x[0], axis), axis=axis)
        else:
            index = function(x[0], axis=axis)
        return np.expand_dims(index, axis) if a["keepdims"] else np.asarray(index)

    return apply


def extreme_unsure(x: np.ndarray, e: np.ndarray, axis: int, keepdims: bool, ordered: bool) -> np.ndarray:
    """Whether the runner-up lies within the errors of the greatest element.

    Equal elements without an error count as such, unless their choice is ``ordered``. Equal infinities always count,
    because reductions begin with one. An element of unbounded error, which may be a NaN, may be the greatest.
    """
    x = np.where(np.isinf(e), 0.0, x)
    best = np.max(x, axis=axis, keepdims=True)
    winner = np.expand_dims(np.argmax(x, axis=axis), axis)
    slack = np.take_along_axis(e, winner, axis)
    rivals = x + e >= best - slack
    if ordered:
        rivals &= (x != best) | (e > 0) | (slack > 0) | np.isinf(best)
    itself = (slack > 0) | np.isinf(best) if ordered else 1
    unsure = np.sum(rivals, axis=axis, keepdims=True) > itself
    return np.asarray(unsure if keepdims else np.squeeze(unsure, axis))


def _arg_error(sign: int) -> ErrorFn:
    def bound(c: ErrorContext) -> np.ndarray:
        x = sign * c.x[0].astype(np.float64)
        unsure = extreme_unsure(x, operand_errors(c), c.attrs["axis"], bool(c.attrs["keepdims"]), c.ordered)
        return np.where(unsure, np.inf, 0.0)

    return bound


def _arg_torch(function: str) -> SpellFn:
    def spell(c: Call) -> str:
        axis, keep = c.attrs["axis"], bool(c.attrs["keepdims"])
        forms = [
            f"torch.{function}({c.x[0]}, dim={axis}, keepdim={keep})",
            f"{c.x[0]}.{function}({axis}, keepdim={keep})",
            f"torch.{function[3:]}({c.x[0]}, dim={axis}, keepdim={keep}).indices",
        ]
        return _last_index(
            c, c.draws.choice(forms), f"torch.{function}(torch.flip({c.x[0]}, ({axis},)), {axis}, {keep})"
        )

    return spell


def _last_index(c: Call, first: str, flipped: str) -> str:
    """The expression of the index; the last of equals is the first of the flipped tensor."""
    if not c.attrs["select_last_index"]:
        return first
    return f"{c.types[0].shape[c.attrs['axis']] - 1} - {flipped}"


def _arg_tensorflow(function: str) -> SpellFn:
    def spell(c: Call) -> str:
        axis = c.attrs["axis"]
        names = [f"tf.{function}", f"tf.math.{function}"]
        first, flipped = (
            f"{c.draws.choice(names)}({x}, axis={axis}, output_type=tf.int64)"
            for x in (c.x[0], f"tf.reverse({c.x[0]}, axis=[{axis}])")
        )
        text = _last_index(c, first, flipped)
        return f"tf.expand_dims({text}, {axis})" if c.attrs["keepdims"] else text

    return spell


def _index_reduction(name: str, sign: int, **more: Any) -> Op:
    return Op(
        name=name,
        types={"T": NUMERIC},
        results=("int64",),
        shape=_arg_shape,
        numpy=_arg(sign),
        error=_arg_error(sign),
        text=spell(_arg_torch(name.lower()), tf=_arg_tensorflow(name.lower())),
        sample=axis_reductions.one_axis(
            "axis", keepdims=axis_reductions.either, select_last_index=lambda rng: int(rng.random() < 0.2)
        ),
        attrs=attributes(axis=0, keepdims=1, select_last_index=0),
        **more,
        **facts(continuous=False, ties="first", extreme=sign, limits=SpecialValues.INFINITY),
    )


OPS = (*_ONNX_REDUCTIONS, _index_reduction("ArgMax", 1, followers="Cast Equal Add"), _index_reduction("ArgMin", -1))
