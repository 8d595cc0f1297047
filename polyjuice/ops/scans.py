"""Running reductions along an axis: sums, products, log-sum-exp, and extremes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from polyjuice.ir import Attrs
from polyjuice.ir.dtypes import NUMERIC
from polyjuice.ops import adjoints, axis_reductions, errors, spec
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import Term, concat, onnx_term, where
from polyjuice.ops.reductions import operand_errors
from polyjuice.ops.shapes import Dims, normalize_axis
from polyjuice.ops.spec import Attr, Call, DecomposeFn, ErrorContext, Op, attributes, facts
from polyjuice.ops.text import called, spell, subscript

_Combine = Callable[[Sequence[Term], Sequence[Term]], Sequence[Term]]
"""Combines the values for earlier elements with those for later ones."""


def _positions(shape: Sequence[int], axis: int) -> np.ndarray:
    """1, 2, 3, ... along the axis: the number of elements that a running reduction has seen."""
    axis = normalize_axis(axis, len(shape))
    return np.arange(1.0, shape[axis] + 1).reshape([-1 if i == axis else 1 for i in range(len(shape))])


# --- CumSum ----------------------------------------------------------------------------------------------------------


def _cumsum(x: np.ndarray, axis: int, exclusive: int = 0, reverse: int = 0) -> np.ndarray:
    if reverse:
        return np.flip(_cumsum(np.flip(x, axis), axis, exclusive), axis)
    if exclusive:
        n = x.shape[axis]
        start = np.zeros_like(np.take(x, range(min(n, 1)), axis))
        x = np.concatenate([start, np.take(x, range(n - 1), axis)], axis)
    return np.cumsum(x, axis, dtype=x.dtype)


def _cumsum_error(c: ErrorContext) -> np.ndarray:
    spread, size = (_cumsum(v, **c.attrs) for v in (operand_errors(c), np.abs(c.x[0])))
    return errors.summed(c.x[0].shape[c.attrs["axis"]], c, spread, size)


def _cumsum_torch(c: Call) -> str:
    axis, rank, dtype = c.attrs["axis"], c.types[0].rank, c.types[0].dtype
    text = f"{c.x[0]}.flip({axis})" if c.attrs["reverse"] else c.x[0]
    if c.attrs["exclusive"]:
        first, others = (subscript(rank, {axis: part}) for part in (":1", ":-1"))
        text = f"torch.cat((torch.zeros_like({c.x[0]}{first}), {text}{others}), dim={axis})"
    form = c.draws.choice(("torch.cumsum({x}, dim={axis}, dtype=torch.{t})", "{x}.cumsum({axis}, dtype=torch.{t})"))
    text = axis_reductions.without_type(c, form.format(x=text, axis=axis, t=dtype))
    return f"torch.flip({text}, ({axis},))" if c.attrs["reverse"] else text


def _cumsum_tensorflow(c: Call) -> str:
    function = c.draws.choice(("tf.cumsum", "tf.math.cumsum"))
    flags = {name: bool(c.attrs[name]) for name in ("exclusive", "reverse")}
    keywords = "".join(f", {name}={value}" for name, value in flags.items() if value or c.draws.chance(0.2))
    return f"{function}({c.x[0]}, axis={c.attrs['axis']}{keywords})"


def _cumsum_jax(c: Call) -> tuple[str, ...]:
    axis, t, reverse, x = normalize_axis(c.attrs["axis"], c.types[0].rank), c.types[0], bool(c.attrs["reverse"]), "{0}"
    if c.attrs["exclusive"]:
        widths = tuple((int(d == axis and not reverse), int(d == axis and reverse)) for d in range(t.rank))
        kept = f"1:{t.shape[axis] + 1}" if reverse else f":{t.shape[axis]}"
        x = f"jnp.pad({{0}}, {widths}){subscript(t.rank, {axis: kept})}"
    either_way = f"lax.cumsum({x}, axis={axis}, reverse={reverse})"
    return (either_way,) if reverse else (f"jnp.cumsum({x}, axis={axis}, dtype=jnp.{{type}})", either_way)


# --- ATen's ----------------------------------------------------------------------------------------------------------


def _doubled(state: Sequence[Term], axis: int, combine: _Combine) -> Sequence[Term]:
    """A running reduction by doubling (Hillis and Steele 1986): after k steps an element covers 2^k elements.

    ``combine`` reduces the values for earlier elements and those for later ones. The number of values grows with the
    logarithm of the axis's length, not with the length.
    """
    n = state[0].shape[axis]
    for step in (1 << k for k in range(max(n - 1, 0).bit_length())):
        combined = combine([x.slice(axis, 0, n - step) for x in state], [x.slice(axis, step, n) for x in state])
        state = [concat(axis, x.slice(axis, 0, step), y) for x, y in zip(state, combined, strict=True)]
    return state


def _reduced_in_pairs(reduction: str) -> DecomposeFn:
    """A running reduction by an operator that reduces two elements at a time."""

    def build(x: Term, a: Any) -> Term:
        axis = normalize_axis(a["dim"], x.rank)

        def combine(earlier: Sequence[Term], later: Sequence[Term]) -> Sequence[Term]:
            return [
                concat(axis, *(y.unsqueeze(axis) for y in (*earlier, *later))).reduce(reduction, axis, keepdims=False)
            ]

        (result,) = _doubled([x], axis, combine)
        return result if result is not x else x.then("Identity")

    return onnx_term(build, widen=False)


_op = partial(
    axis_reductions.along_axis, sample=axis_reductions.one_axis("dim"), attrs=attributes(dim="int"), weight=0.3
)

_IN_TURN = "frameworks take the elements in turn, which rounds and overflows otherwise than pairs in its definition"


def _cumprod_error(c: ErrorContext) -> np.ndarray:
    axis, x = c.attrs["dim"], np.abs(c.x[0].astype(np.float64))
    high, widest = np.cumprod(x + c.e[0], axis), np.cumprod(np.maximum(x + c.e[0], 1.0), axis)
    bound = high - np.cumprod(x, axis) + _positions(x.shape, axis) * c.unit * high
    return errors.infinite_if(errors.overflows(c, widest), bound)


def _cumprod_torch(c: Call) -> str:
    form = c.draws.choice(("torch.cumprod({x}, dim={d}, dtype=torch.{t})", "{x}.cumprod({d}, dtype=torch.{t})"))
    return axis_reductions.without_type(c, form.format(x=c.x[0], d=c.attrs["dim"], t=c.types[0].dtype))


def _cumprod(x: Term, a: Attrs) -> Term:
    axis, n = normalize_axis(a["axis"], x.rank), x.shape[a["axis"]]

    def turned(t: Term) -> Term:
        return t.slice(axis, -1, -n - 1, -1) if a["reverse"] and n else t

    factors = turned(x)
    if a["exclusive"] and n:
        one = x.number(1).expand(*Dims(x.shape).replace(axis, 1))
        factors = concat(axis, one, factors.slice(axis, 0, n - 1))
    return turned(Term(x.builder, x.builder.op("cumprod", factors.name, domain="aten", dim=axis)))


def _logcumsumexp_error(c: ErrorContext) -> np.ndarray:
    """The largest operand error so far; every step rounds its terms and the running result."""
    axis = c.attrs["dim"]
    seen = np.maximum.accumulate(np.abs(c.x[0]), axis)
    rounding = c.unit * _positions(c.x[0].shape, axis) * (4 + 2 * seen + 2 * np.abs(c.y[0]))
    return np.asarray(np.maximum.accumulate(operand_errors(c), axis) + rounding)


def _extreme(sign: int) -> Any:
    """The running extreme and its place; among equals the last, as in ATen."""
    accumulate = (np.maximum if sign > 0 else np.minimum).accumulate

    def apply(x: Sequence[np.ndarray], a: Any) -> tuple[np.ndarray, np.ndarray]:
        axis, values = a["dim"], accumulate(x[0], a["dim"])
        places = (_positions(x[0].shape, axis) - 1).astype(np.int64)
        return values, np.maximum.accumulate(np.where(x[0] == values, places, 0), axis)

    return apply


def _extreme_error(sign: int) -> spec.ErrorFn:
    """The index is open while the two greatest elements so far lie within their errors of each other (or are equal)."""

    def bound(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
        axis, e = normalize_axis(c.attrs["dim"], c.x[0].ndim), np.asarray(operand_errors(c), np.float64)
        x = sign * c.x[0].astype(np.float64)
        worst = np.maximum.accumulate(e, axis)
        best = np.maximum.accumulate(x, axis)
        unsure = np.zeros(x.shape, bool)
        for i in range(x.shape[axis]):
            seen = np.take(x, range(i + 1), axis)
            top = np.take(best, [i], axis) - 2 * np.take(worst, [i], axis)
            at = tuple(i if k == axis else slice(None) for k in range(x.ndim))
            unsure[at] = (np.sum(seen >= top, axis=axis) > 1) | np.isinf(np.take(worst, i, axis))
        return worst, np.where(unsure, np.inf, 0.0)

    return bound


def _extreme_definition(op: str, comparison: str) -> DecomposeFn:
    def build(x: Term, a: Any) -> Sequence[Term]:
        axis = normalize_axis(a["dim"], x.rank)
        held = x.then("Cast", to="int32" if x.dtype == "int16" else x.dtype)
        places = x.constant((_positions(x.shape, axis) - 1).astype(np.int64)).expand(*x.shape)

        def combine(earlier: Sequence[Term], later: Sequence[Term]) -> Sequence[Term]:
            taken = later[0].then(comparison, earlier[0])
            return [later[0].then(op, earlier[0]), where(taken, later[1], earlier[1])]

        values, indices = _doubled([held, places], axis, combine)
        return values.to(x.dtype), indices

    return onnx_term(build, widen=False)


def _running_extreme(op: str, sign: int) -> Op:
    name, word = op.lower(), "Greater" if sign > 0 else "Less"
    return _op(
        f"cum{name}",
        _extreme(sign),
        _extreme_error(sign),
        spell(called(f"cum{name}", "{dim}")),
        NUMERIC,
        definition=_extreme_definition(op, f"{word}OrEqual"),
        why_not_derived="frameworks differ on which of equal elements they take",
        results=("T", "int64"),
        shape=lambda s, a: [*axis_reductions.first_shape(s, a), s[0]],
        **facts(continuous=False, ties="unspecified", picks=True),
    )


OPS = (
    Op(
        name="CumSum",
        types={"T": WIDE},
        shape=axis_reductions.first_shape,
        numpy=lambda x, a: _cumsum(x[0], **a),
        error=_cumsum_error,
        text=spell(_cumsum_torch, _cumsum_tensorflow, _cumsum_jax),
        sample=axis_reductions.one_axis("axis", exclusive=axis_reductions.either, reverse=axis_reductions.either),
        attrs=(Attr("axis", "int", as_input=True, scalar=True), Attr("exclusive", "int", 0), Attr("reverse", "int", 0)),
        partial=lambda x, a: _cumsum(np.abs(x[0]), **a),
        adjoint=adjoints.cumsum,
        **facts(weight=0.5, modular=True, fresh=True, followers="Slice Sub ReduceMax"),
    ),
    _op(
        "cumprod",
        lambda x, a: np.cumprod(x[0], a["dim"], dtype=x[0].dtype),
        _cumprod_error,
        spell(
            _cumprod_torch,
            tf=("tf.math.cumprod({0}, axis={dim})", "tf.compat.v1.cumprod({0}, axis={dim})"),
            jax="jnp.cumprod({0}, axis={dim}, dtype=jnp.{type})",
        ),
        WIDE,
        definition=_reduced_in_pairs("Prod"),
        why_not_derived=_IN_TURN,
        partial=lambda x, a: np.cumprod(np.maximum(np.abs(x[0]), 1), a["dim"]),
        **facts(integer_exact=True, overflows=True),
    ),
    Op(
        name="CumProd",
        types={"T": WIDE},
        shape=axis_reductions.first_shape,
        text=spell(tf="tf.math.cumprod({0}, axis={axis}, exclusive={is_exclusive}, reverse={is_reverse})"),
        definition=onnx_term(_cumprod, widen=False),
        sample=axis_reductions.one_axis("axis", exclusive=axis_reductions.either, reverse=axis_reductions.either),
        attrs=(Attr("axis", "int", as_input=True, scalar=True), Attr("exclusive", "int", 0), Attr("reverse", "int", 0)),
        partial=spec.by_definition,
        **facts(since=26, weight=0.3, integer_exact=True, overflows=True),
    ),
    _op(
        "logcumsumexp",
        lambda x, a: np.asarray(np.logaddexp.accumulate(x[0], a["dim"])),
        _logcumsumexp_error,
        spell("torch.logcumsumexp({0}, dim={dim})", tf="tf.math.cumulative_logsumexp({0}, axis={dim})"),
        definition=_reduced_in_pairs("LogSumExp"),
        why_not_derived=_IN_TURN,
        ulps=4,
    ),
    _running_extreme("Max", 1),
    _running_extreme("Min", -1),
)
