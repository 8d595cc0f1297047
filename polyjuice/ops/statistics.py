"""ATen's reductions: variance, norms of any order, truth and counts over axes, extremes and their places."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, NUMERIC
from polyjuice.ops import axis_reductions, errors, sampling, unspecified, value_bounds
from polyjuice.ops.axis_reductions import reduced
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.reductions import mean_error, norm, operand_errors, over, terms
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, ErrorContext, ErrorFn, Op, SpecialValues, attributes, by_definition, facts
from polyjuice.ops.text import called, spell

# --- variance --------------------------------------------------------------------------------------------------------


def _freedom(a: Attrs, shape: Sequence[int]) -> int:
    """The divisor of a variance: elements minus ``correction``."""
    return max(axis_reductions.terms(a, shape) - int(a["correction"]), 0)


def _deviations(x: Term, a: Attrs) -> Term:
    return x - x.reduce("Mean", *axis_reductions.axes(a, x.rank))


def _var(x: Term, a: Attrs) -> Term:
    return reduced(_deviations(x, a), "SumSquare", a) / _freedom(a, x.shape)


def _std(x: Term, a: Attrs) -> Term:
    return reduced(_deviations(x, a), "L2", a) / math.sqrt(_freedom(a, x.shape))


def _spread(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """The norm of the deviations, and the bound on its error.

    Subtracting the mean is a projection, so the deviations move at most as far as the operands. An error of the mean,
    or of Welford's updates (relative: n u times the condition number), is at most n u |x|.
    """
    x = c.x[0].astype(np.float64)
    deviations = x - np.mean(x, axis=axis_reductions.axes(c.attrs, x.ndim), keepdims=True)
    change = over(c, norm, operand_errors(c)) + (terms(c) + 4) * c.unit * over(c, norm, x)
    return over(c, norm, deviations), change


def _var_error(c: ErrorContext) -> np.ndarray:
    size, change = _spread(c)
    squares = size * size
    moved = 2 * size * change + change * change + (terms(c) + 4) * c.unit * squares
    bound = moved / max(_freedom(c.attrs, c.x[0].shape), 1)
    return errors.infinite_if(errors.overflows(c, squares + moved), bound)


def _std_error(c: ErrorContext) -> np.ndarray:
    """The bound; a variance may round to 0 if the deviations are at most 2.4 times their error."""
    size, change = _spread(c)
    tiny = math.sqrt(terms(c) * dtypes.smallest_normal(errors.held(c)))
    moved = 2.5 * change + tiny + (terms(c) + 4) * c.unit * size
    bound = moved / math.sqrt(max(_freedom(c.attrs, c.x[0].shape), 1))
    return errors.infinite_if(errors.overflows(c, (size + change) ** 2), bound)


@sampling.of_rank(1)
def _draw_variance(rng: random.Random, first: TensorType) -> Attrs:
    attrs = {"dim": sampling.some_axes(rng, first.rank), "keepdim": rng.randint(0, 1)}
    possible = [n for n in (0, 1, 1, 2) if n < axis_reductions.terms(attrs, first.shape)]
    return {**attrs, "correction": rng.choice(possible)}


def _spelled(name: str) -> Mapping[str, Any]:
    method = f"{name}(dim={{dim}}, correction={{correction}}, keepdim={{keep}})"
    forms = (f"torch.{method.replace('(', '({x}, ')}", f"{{x}}.{method}")
    return axis_reductions.texts((*forms, f"torch.{name}({{x}}, correction={{correction}})"))


def _variance(name: str, text: Mapping[str, Any], definition: Callable[..., Any], error: ErrorFn, **more: Any) -> Op:
    return axis_reductions.reduction(
        name,
        definition,
        text,
        sample=sampling.alone_with(_draw_variance),
        attrs=attributes(dim=(), correction=1, keepdim=0),
        error=error,
        why_not_derived="Welford's method rounds otherwise",
        ulps=4,
        **more,
    )


_WITH_MEAN: dict[str, Any] = {
    "results": ("T", "T"),
    "shape": lambda s, a: [*axis_reductions.dims_shape(s, a), *axis_reductions.dims_shape(s, a)],
    "unsettled": unspecified.running_mean,
}

_NOT_NEGATIVE = value_bounds.at_least("0.0")


# --- norms of any order ----------------------------------------------------------------------------------------------


def _order(x: Term, a: Attrs) -> Term:
    order = a["ord"]
    if order in (1, 2):
        return reduced(x, f"L{order:.0f}", a)
    if order == 0:
        return reduced(x.to("bool").to(x.dtype), "Sum", a)
    if math.isinf(order):
        return reduced(abs(x), "Max" if order > 0 else "Min", a)
    return reduced(abs(x).then("Pow", order), "Sum", a).then("Pow", 1 / order)


# --- truth and counts ------------------------------------------------------------------------------------------------


def _truth_error(decisive: bool) -> ErrorFn:
    """Open where an element is in doubt and no other one decides: a true one for any, a false one for all."""

    def bound(c: ErrorContext) -> np.ndarray:
        e = operand_errors(c)
        doubt = (e > 0) & (np.abs(c.x[0]) <= e)
        decided = over(c, np.any, ((c.x[0] != 0) == decisive) & ~doubt)
        return np.where(over(c, np.any, doubt) & ~decided, np.inf, 0.0)

    return bound


def _truth(name: str, decisive: bool, op: str) -> Op:
    """The entry of any or all. ATen reduces one dimension at a time, and answers in uint8 on uint8."""
    one_by_one = axis_reductions.one_by_one(
        f"torch.{name}({{x}}, dim={{axis}}, keepdim={{keep}})",
        f"{{x}}.{name}({{axis}}, {{keep}})",
        f"torch.{name}({{x}})",
        f"{{x}}.{name}()",
        nothing="({x} != 0)",
    )

    def torch(c: Call) -> str:
        return one_by_one(replace(c, x=[f"{c.x[0]}.to(torch.bool)"]) if c.types[0].dtype == "uint8" else c)

    return axis_reductions.reduction(
        name,
        lambda x, a: reduced(x.to("bool").to("int32"), op, a).to("bool"),
        axis_reductions.texts(torch, f"tf.reduce_{name}(tf.cast({{x}}, tf.bool), ...)", f"jnp.{name}"),
        ALL,
        error=_truth_error(decisive),
        why_not_derived="one element that is certain decides, where others are in doubt",
        results=("bool",),
        limits=SpecialValues.INFINITY,
    )


# --- extremes and their places ---------------------------------------------------------------------------------------

_extreme = partial(
    axis_reductions.reduction, types=NUMERIC, integer_exact=True, limits=SpecialValues.INFINITY, weight=0.4
)
"""The entry of an operator that selects extremes, or their places."""


def _along(x: Term, word: str, a: Attrs) -> Term:
    """An extreme along an axis; ONNX has none of integers of 16 bits."""
    return reduced(x.to("int32") if x.dtype in ("int16", "uint16") else x, word, a).to(x.dtype)


def _extremes_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(s[0][normalize_axis(a.dim, len(s[0]))])
    return [s[0].reduced((a.dim,), a.keepdim)] * 2


_ALONG_DIM: dict[str, Any] = {
    "shape": _extremes_shape,
    "sample": axis_reductions.one_axis("dim", keepdim=axis_reductions.either),
    "attrs": attributes(dim="int", keepdim=0),
    "picks": True,
}


def _first(x: Term, word: str, axis: int, keep: int) -> Term:
    return x.then(f"Arg{word}", axis=axis, keepdims=keep, select_last_index=0)


def _along_dim(name: str) -> Op:
    """ATen's max.dim and min.dim: the extreme along a dimension, and its first place."""
    word = name.title()
    return _extreme(
        name,
        lambda x, a: [_along(x, word, a), _first(x, word, a["dim"], a["keepdim"])],
        spell(called(name, "dim={dim}, keepdim={is_keepdim}")),
        results=("T", "int64"),
        **_ALONG_DIM,
        **facts(continuous=False, ties="first"),
    )


def _of_all(name: str) -> Op:
    """ATen's argmax and argmin without a dimension: an index into the flattened elements."""
    return _extreme(
        name,
        lambda x, a: _first(x.reshape(sampling.total(x.shape)), name[3:].title(), 0, 0),
        spell(
            ("torch. .", f"torch.{name}({{0}}, dim=None)", f"{{0}}.flatten().{name}(0)"),
            tf=f"tf.{name}(tf.reshape({{0}}, [-1]), output_type=tf.int64)",
        ),
        results=("int64",),
        shape=fitting(lambda s, a: 0 not in s[0], lambda s, a: [s[0].batch(len(s[0]))]),
        sample=sampling.alone_with(lambda rng, first: None if 0 in first.shape else {}),
        attrs=(),
        **facts(continuous=False, ties="first"),
    )


OPS = (
    _variance("var", _spelled("var"), _var, _var_error, bounds=_NOT_NEGATIVE),
    _variance("std", _spelled("std"), _std, _std_error, bounds=_NOT_NEGATIVE),
    _variance(
        "var_mean",
        spell("torch.var_mean({0}, dim={dim}, correction={correction}, keepdim={is_keepdim})"),
        lambda x, a: [_var(x, a), reduced(x, "Mean", a)],
        lambda c: (_var_error(c), mean_error(c)),
        **_WITH_MEAN,
    ),
    _variance(
        "std_mean",
        spell("torch.std_mean({0}, dim={dim}, correction={correction}, keepdim={is_keepdim})"),
        lambda x, a: [_std(x, a), reduced(x, "Mean", a)],
        lambda c: (_std_error(c), mean_error(c)),
        **_WITH_MEAN,
    ),
    axis_reductions.reduction(
        "logsumexp",
        lambda x, a: reduced(x, "LogSumExp", a),
        axis_reductions.texts(
            (
                "torch.logsumexp({x}, dim={dim}, keepdim={keep})",
                "{x}.logsumexp({dim}, keepdim={keep})",
                "torch.special.logsumexp({x}, {dim}, keepdim={keep})",
            )
        ),
        limits=SpecialValues.INFINITY,
    ),
    axis_reductions.reduction(
        "linalg_vector_norm",
        _order,
        axis_reductions.texts(
            (
                "torch.linalg.vector_norm({x}, ord={ord}, ...)",
                "torch.norm({x}, p={ord}, ...)",
                "{x}.norm(p={ord}, ...)",
            )
        ),
        sample=axis_reductions.some_axes(ord=lambda rng: rng.choice((2.0, 2.0, 1.0, 3.0, 0.0, math.inf, -math.inf))),
        attrs=(Attr("ord", "float", 2.0), *axis_reductions.DIMS),
        requires=lambda types, a: not math.isnan(a["ord"]),
        **facts(continuous=False, bounds=_NOT_NEGATIVE, any_number=True),
    ),
    axis_reductions.reduction(
        "nansum",
        lambda x, a: reduced(where(x.then("IsNaN"), 0, x), "Sum", a),
        axis_reductions.texts((".nansum torch.nansum", "torch.nansum({x}, ..., dtype=torch.{dtype})")),
        integer_exact=True,
        partial=by_definition,
    ),
    _truth("any", True, "Sum"),
    _truth("all", False, "Min"),
    axis_reductions.reduction(
        "count_nonzero",
        lambda x, a: reduced(x.to("bool").to("int64"), "Sum", a),
        axis_reductions.texts(
            (
                "torch.count_nonzero({x}, dim={dim})",
                "{x}.count_nonzero(dim={dim})",
                "torch.count_nonzero({x})",
                "{x}.count_nonzero()",
            )
        ),
        ALL,
        results=("int64",),
        shape=lambda s, a: [s[0].reduced(axis_reductions.axes({"dim": a.dim}, len(s[0])), 0)],
        sample=sampling.alone_with(
            sampling.of_rank(1)(lambda rng, first: {"dim": sampling.some_axes(rng, first.rank)})
        ),
        attrs=attributes(dim=()),
        **facts(integer_exact=True, continuous=False, limits=SpecialValues.INFINITY),
    ),
    _extreme(
        "aminmax",
        lambda x, a: [_along(x, "Min", a), _along(x, "Max", a)],
        spell("torch.aminmax({0}, dim={dim}, keepdim={is_keepdim})"),
        results=("T", "T"),
        **_ALONG_DIM,
    ),
    _along_dim("max"),
    _along_dim("min"),
    _of_all("argmax"),
    _of_all("argmin"),
)
