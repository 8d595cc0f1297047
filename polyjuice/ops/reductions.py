"""ONNX's reductions: sums, products, norms, extremes, and the index of an extreme."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, dtypes
from polyjuice.ir.dtypes import FLOATS, NUMERIC
from polyjuice.ops import adjoints, axis_reductions, domains, errors, value_bounds
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import onnx_term
from polyjuice.ops.normal import reduced
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import (
    Attr,
    Call,
    ErrorContext,
    ErrorFn,
    NumpyFn,
    Op,
    SpecialValues,
    TemplatesFn,
    Texts,
    attributes,
    by_definition,
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


def norm_error(c: ErrorContext) -> np.ndarray:
    """A norm moves at most by the norm of the change. The rounding is half that of the sum of squares."""
    e = over(c, norm, operand_errors(c))
    tiny = math.sqrt(terms(c) * dtypes.smallest_normal(errors.held(c)))
    size = np.abs(over(c, norm, c.x[0].astype(np.float64))) + e
    return errors.infinite_if(errors.overflows(c, size * size), e + tiny + (terms(c) / 2 + 3) * c.unit * size)


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


def _reduction(
    name: str,
    text: Mapping[str, Texts],
    types: tuple[str, ...] = FLOATS,
    slope: Callable[[np.ndarray, np.ndarray, int], Any] | None = None,
    **meaning: Any,
) -> Op:
    """An entry by its text, the derivative's factor, and its meaning in NumPy or by definition."""
    sample = axis_reductions.some_axes(("axes", "keepdims"), noop_with_empty_axes=lambda rng: 0)
    attrs = (Attr("axes", "ints", (), as_input=True), *attributes(keepdims=1, noop_with_empty_axes=0))
    meaning["adjoint"] = adjoints.reduction(slope) if slope else None
    shape = axis_reductions.dims_shape
    return Op(
        name=name, types={"T": types}, shape=shape, text=text, sample=sample, attrs=attrs, normal=reduced, **meaning
    )


def _meaning(function: Reduce, error: ErrorFn) -> dict[str, Any]:
    return {"numpy": reducing(function), "error": error}


def _tensorflow(function: str) -> tuple[str, str]:
    raw = function.removeprefix("reduce_").title()
    return (
        f"tf.{function} tf.math.{function}",
        f"tf.raw_ops.{raw}(input={{x}}, axis={{dim}}, keep_dims={{keep}})",
    )


def _selection(name: str, function: Reduce, sign: int, **more: Any) -> Op:
    """The entry of the greatest (sign 1) or least (sign -1) element."""
    torch = (
        f"torch.a{name} .a{name}",
        f"torch.{name}({{x}}, dim={{axis}}, keepdim={{keep}}).values",
        f"{{x}}.{name}({{axis}}, {{keep}})[0]",
        f"torch.{name}({{x}})",
        f"{{x}}.{name}()",
    )
    return _reduction(
        f"Reduce{name.title()}",
        axis_reductions.texts(torch, _tensorflow(f"reduce_{name}"), f"jnp.{name}"),
        _ORDERED,
        **_meaning(function, extreme_error(sign)),
        **more,
        **facts(integer_exact=True, limits=SpecialValues.INFINITY, picks=True, fresh=True, bounds=value_bounds.SAME),
    )


_SUMMED = SpecialValues.INFINITY | SpecialValues.NAN

_ONNX_REDUCTIONS = (
    _reduction(
        "ReduceSum",
        axis_reductions.texts(
            ("torch.sum({x}, ..., dtype=torch.{dtype})", "{x}.sum(..., dtype=torch.{dtype})"),
            _tensorflow("reduce_sum"),
            "jnp.sum({x}, ..., dtype=jnp.{dtype})",
        ),
        WIDE,
        lambda x, y, n: 1.0,
        **_meaning(np.sum, sum_error),
        partial=reducing(_sum_of(np.abs)),
        followers="Div Sqrt Squeeze ReduceSum Mul Add Reciprocal Reshape",
        **facts(integer_exact=True, weight=3, limits=_SUMMED, fresh=True),
    ),
    _reduction(
        "ReduceMean",
        axis_reductions.texts("torch.mean .mean", _tensorflow("reduce_mean"), "jnp.mean({x}, ..., dtype=jnp.{dtype})"),
        slope=lambda x, y, n: 1.0 / max(n, 1),
        **_meaning(np.mean, mean_error),
        followers="Sub Squeeze Reshape Mul Add ReduceMean Sqrt",
        **facts(ulps=2, limits=_SUMMED, fresh=True, bounds=value_bounds.SAME),
    ),
    _selection("max", greatest, 1, followers="Sub ReduceMax Squeeze Neg", weight=1.5),
    _selection("min", least, -1),
    _reduction(
        "ReduceProd",
        axis_reductions.texts(
            axis_reductions.one_by_one(
                "torch.prod({x}, ..., dtype=torch.{dtype})", "{x}.prod(..., dtype=torch.{dtype})"
            ),
            _tensorflow("reduce_prod"),
            "jnp.prod({x}, ..., dtype=jnp.{dtype})",
        ),
        WIDE,
        adjoints.product_slope,
        **_meaning(np.prod, _prod_error),
        partial=reducing(lambda x, axis, keepdims: np.prod(np.maximum(np.abs(x), 1), axis=axis, keepdims=keepdims)),
        **facts(integer_exact=True, weight=0.5, overflows=True),
    ),
    _reduction(
        "ReduceL1",
        spell(),
        WIDE,
        definition=onnx_term(lambda x, a: abs(x).then("ReduceSum", **a), widen=False),
        partial=by_definition,
        **facts(integer_exact=True, weight=0.5, limits=_SUMMED, bounds=value_bounds.at_least("0.0")),
    ),
    _reduction(
        "ReduceL2",
        axis_reductions.texts(
            (
                "torch.linalg.vector_norm({x}, ord=2, ...)",
                "torch.norm({x}, p=2, ...)",
                "torch.linalg.vector_norm({x})",
                "torch.norm({x})",
                "{x}.norm()",
                "({x} ** 2).sum().sqrt()",
            )
        ),
        definition=onnx_term(lambda x, a: x.then("ReduceSumSquare", **a).then("Sqrt"), widen=False),
        error=norm_error,
        why_not_derived="a norm moves less than the root of a sum near 0",
        **facts(ulps=2, weight=1.2, bounds=value_bounds.at_least("0.0")),
    ),
    _reduction(
        "ReduceSumSquare",
        spell(),
        WIDE,
        definition=onnx_term(lambda x, a: (x * x).then("ReduceSum", **a), widen=False),
        partial=by_definition,
        **facts(integer_exact=True, ulps=1, weight=0.9, bounds=value_bounds.at_least("0.0")),
    ),
    _reduction(
        "ReduceLogSum",
        spell(),
        definition=onnx_term(lambda x, a: x.then("ReduceSum", **a).then("Log"), widen=False),
        distance_to_domain=domains.positive_sum,
        **facts(ulps=4, weight=0.3),
    ),
    _reduction(
        "ReduceLogSumExp",
        axis_reductions.texts(
            ("torch.logsumexp({x}, dim={dim}, keepdim={keep})", "{x}.logsumexp({dim}, keepdim={keep})"),
            "tf.reduce_logsumexp tf.math.reduce_logsumexp",
            "jax.nn.logsumexp",
        ),
        slope=lambda x, y, n: np.exp(x - y),
        **_meaning(log_sum_exp, log_sum_exp_error),
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


def _places(first: Sequence[str], flipped: Sequence[str], kept: str = "{}") -> TemplatesFn:
    """Templates of the first place, and of that in the flipped tensor, where the last comes first."""

    def choose(c: Call) -> tuple[str, ...]:
        last = c.types[0].shape[c.attrs["axis"]] - 1
        forms = [f"{last} - {one}" for one in flipped] if c.attrs["select_last_index"] else first
        return tuple(kept.replace("{}", form) if c.attrs["keepdims"] else form for form in forms)

    return choose


def _index_reduction(name: str, sign: int, **more: Any) -> Op:
    arg, extreme = name.lower(), name[3:].lower()
    torch = "dim={axis}, keepdim={is_keepdims}"
    jax = "axis={axis}, keepdims={is_keepdims}).astype(jnp.int64)"
    tf = "axis={axis}, output_type=tf.int64)"
    return Op(
        name=name,
        types={"T": NUMERIC},
        results=("int64",),
        shape=_arg_shape,
        numpy=_arg(sign),
        error=_arg_error(sign),
        text=spell(
            _places(
                (
                    f"torch.{arg}({{0}}, {torch})",
                    f"{{0}}.{arg}({{axis}}, keepdim={{is_keepdims}})",
                    f"torch.{extreme}({{0}}, {torch}).indices",
                ),
                [f"torch.{arg}(torch.flip({{0}}, ({{axis}},)), {{axis}}, {{is_keepdims}})"],
            ),
            _places(
                [f"{place}.{arg}({{0}}, {tf}" for place in ("tf", "tf.math")],
                [f"{place}.{arg}(tf.reverse({{0}}, axis=[{{axis}}]), {tf}" for place in ("tf", "tf.math")],
                "tf.expand_dims({}, {axis})",
            ),
            _places([f"jnp.{arg}({{0}}, {jax}"], [f"jnp.{arg}(jnp.flip({{0}}, {{axis}}), {jax}"]),
        ),
        sample=axis_reductions.one_axis(
            "axis", keepdims=axis_reductions.either, select_last_index=lambda rng: int(rng.random() < 0.2)
        ),
        attrs=attributes(axis=0, keepdims=1, select_last_index=0),
        **more,
        **facts(continuous=False, ties="first", limits=SpecialValues.INFINITY),
    )


OPS = (*_ONNX_REDUCTIONS, _index_reduction("ArgMax", 1, followers="Cast Equal Add"), _index_reduction("ArgMin", -1))
