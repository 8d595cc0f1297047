"""ATen's reductions: variance, norms of any order, truth and counts over axes, extremes and their places."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, NUMERIC
from polyjuice.ops import adjoints, axis_reductions, errors, sampling, spec, unspecified, value_bounds
from polyjuice.ops.reductions import mean_error, norm, operand_errors, over, reducing, terms
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Builder, Call, Op, SpecialValues, Unsupported, attributes, facts
from polyjuice.ops.text import called, spell, written


def _reduce(b: Builder, op: str, x: str, a: Attrs) -> str:
    return b.op(op, x, axes=axis_reductions.axes(a, b.types[x].rank), keepdims=int(axis_reductions.keeps(a)))


# --- variance --------------------------------------------------------------------------------------------------------


def _freedom(a: Attrs, shape: Sequence[int]) -> int:
    """The divisor of a variance: elements minus ``correction``."""
    return axis_reductions.terms(a, shape) - int(a["correction"])


def _var(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    over_axes = axis_reductions.axes(a, x[0].ndim)
    deviations = x[0] - np.mean(x[0], axis=over_axes, keepdims=True)
    squares = np.sum(deviations * deviations, axis=over_axes, keepdims=axis_reductions.keeps(a))
    return np.asarray(squares / np.asarray(max(_freedom(a, x[0].shape), 0), x[0].dtype))


def _spread(c: spec.ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """The norm of the deviations, and the bound on its error.

    Subtracting the mean is a projection, so the deviations move at most as far as the operands. An error of the mean,
    or of Welford's updates (relative: n u times the condition number), is at most n u |x|.
    """
    x = c.x[0].astype(np.float64)
    deviations = x - np.mean(x, axis=axis_reductions.axes(c.attrs, x.ndim), keepdims=True)
    change = over(c, norm, operand_errors(c)) + (terms(c) + 4) * c.unit * over(c, norm, x)
    return over(c, norm, deviations), change


def _var_error(c: spec.ErrorContext) -> np.ndarray:
    size, change = _spread(c)
    squares = size * size
    moved = 2 * size * change + change * change + (terms(c) + 4) * c.unit * squares
    bound = moved / max(_freedom(c.attrs, c.x[0].shape), 1)
    return errors.infinite_if(errors.overflows(c, squares + moved), bound)


def _std_error(c: spec.ErrorContext) -> np.ndarray:
    """The bound; a variance may round to 0 if the deviations are at most 2.4 times their error."""
    size, change = _spread(c)
    tiny = math.sqrt(terms(c) * dtypes.smallest_normal(errors.held(c)))
    moved = 2.5 * change + tiny + (terms(c) + 4) * c.unit * size
    bound = moved / math.sqrt(max(_freedom(c.attrs, c.x[0].shape), 1))
    return errors.infinite_if(errors.overflows(c, (size + change) ** 2), bound)


def _var_torch(function: str) -> spec.SpellFn:
    def text_of(c: Call) -> str | Unsupported:
        correction = int(c.attrs["correction"])
        divisor = f"correction={correction}"
        if correction in (0, 1) and c.draws.chance(0.4):
            divisor = f"unbiased={bool(correction)}"
        forms = [f"torch.{function}({{x}}, dim={{dim}}, {divisor}, keepdim={{keep}})"]
        if function != "var_mean":
            forms.append(f"{{x}}.{function}(dim={{dim}}, {divisor}, keepdim={{keep}})")
            full = [f"torch.{function}({{x}}, {divisor})", f"{{x}}.{function}({divisor})"]
            if correction == 1:
                full += [f"torch.{function}({{x}})", f"{{x}}.{function}()"]
            return axis_reductions.torch(*forms, full=full)(c)
        return forms[0].format(
            x=c.x[0], dim=axis_reductions.axes(c.attrs, c.types[0].rank), keep=axis_reductions.keeps(c.attrs)
        )

    return text_of


def _correction(c: Call) -> float | None:
    """The factor that turns the mean of the squares into the wanted variance."""
    n, freedom = axis_reductions.terms(c.attrs, c.types[0].shape), _freedom(c.attrs, c.types[0].shape)
    return n / freedom if freedom > 0 else None


_NO_FREEDOM = Unsupported("a variance without degrees of freedom")


def _scaled(text: str | Unsupported, factor: float) -> str | Unsupported:
    return text if factor == 1 or isinstance(text, Unsupported) else f"({text} * {factor!r})"


def _var_tensorflow(function: str, root: bool) -> spec.SpellFn:
    def text_of(c: Call) -> str | Unsupported:
        factor = _correction(c)
        if factor is None:
            return _NO_FREEDOM
        text = axis_reductions.tensorflow(f"tf.math.{function}")(c)
        return _scaled(text, math.sqrt(factor) if root else factor)

    return text_of


def _var_mean_tensorflow(c: Call) -> str | Unsupported:
    factor = _correction(c)
    if factor is None:
        return _NO_FREEDOM
    axes, keep = list(axis_reductions.axes(c.attrs, c.types[0].rank)), axis_reductions.keeps(c.attrs)
    moments = c.let(f"tf.nn.moments({c.x[0]}, axes={axes}, keepdims={keep})")
    return f"({_scaled(f'{moments}[1]', factor)}, {moments}[0])"


def _var_definition(b: Builder, x: Sequence[str], a: Attrs) -> str | Unsupported:
    t = b.types[x[0]]
    freedom = _freedom(a, t.shape)
    if freedom <= 0:
        return _NO_FREEDOM
    mean = b.op("ReduceMean", x[0], axes=axis_reductions.axes(a, t.rank), keepdims=1)
    squares = _reduce(b, "ReduceSumSquare", b.op("Sub", x[0], mean), a)
    return b.op("Div", squares, b.constant(np.asarray(freedom).astype(dtypes.to_numpy(t.dtype))))


def _from_variance(then: Callable[[Builder, Sequence[str], Attrs, str], Any]) -> spec.DecomposeFn:
    def build(b: Builder, x: Sequence[str], a: Attrs) -> Any:
        variance = _var_definition(b, x, a)
        return variance if isinstance(variance, Unsupported) else then(b, x, a, variance)

    return build


@sampling.of_rank(1)
def _draw_variance(rng: random.Random, first: TensorType) -> Attrs:
    attrs = {"dim": sampling.some_axes(rng, first.rank), "keepdim": rng.randint(0, 1)}
    possible = [n for n in (0, 1, 1, 2) if n < axis_reductions.terms(attrs, first.shape)]
    return {**attrs, "correction": rng.choice(possible)}


def _variance(
    name: str, numpy: spec.NumpyFn, error: spec.ErrorFn, tensorflow: spec.SpellFn, definition: Any, **more: Any
) -> Op:
    return axis_reductions.reduction(
        name,
        definition,
        spell(_var_torch(name), tf=tensorflow),
        numpy=numpy,
        error=error,
        why_not_derived="Welford's method rounds otherwise; without degrees of freedom it has no definition",
        sample=sampling.alone_with(_draw_variance),
        attrs=attributes(dim=(), correction=1, keepdim=0),
        ulps=4,
        **more,
    )


_mean = reducing(np.mean)


# --- norms of any order ----------------------------------------------------------------------------------------------


def _order_torch(c: Call) -> str | Unsupported:
    order = repr(c.attrs["ord"])
    return axis_reductions.torch(
        f"torch.linalg.vector_norm({{x}}, ord={order}, dim={{dim}}, keepdim={{keep}})",
        f"torch.norm({{x}}, p={order}, dim={{dim}}, keepdim={{keep}})",
        f"{{x}}.norm(p={order}, dim={{dim}}, keepdim={{keep}})",
    )(c)


def _order_tensorflow(c: Call) -> str | Unsupported:
    order = c.attrs["ord"]
    single: tuple[str, ...] = ()
    if order == 0:
        form = "tf.math.count_nonzero({x}, axis={dim}, keepdims={keep}, dtype=tf.{dtype})"
    elif math.isinf(order):
        form = f"tf.reduce_{'max' if order > 0 else 'min'}(tf.abs({{x}}), axis={{dim}}, keepdims={{keep}})"
    elif order == 1:
        form = "tf.reduce_sum(tf.abs({x}), axis={dim}, keepdims={keep})"
    elif order == 2:
        form, single = _ROOT_OF_SQUARES
    else:
        powers = f"tf.pow(tf.abs({{x}}), {order!r})"
        form = f"tf.pow(tf.reduce_sum({powers}, axis={{dim}}, keepdims={{keep}}), {written(1 / order)!r})"
    return axis_reductions.tensorflow(form, single=single)(c)


_ROOT_OF_SQUARES: tuple[str, tuple[str, ...]] = (
    "tf.sqrt(tf.reduce_sum({x} * {x}, axis={dim}, keepdims={keep}))",
    ("tf.norm({x}, axis={dim}, keepdims={keep})",),
)


def _order_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    order, dtype = a["ord"], b.types[x[0]].dtype
    if order in (1, 2):
        return _reduce(b, f"ReduceL{order:.0f}", x[0], a)
    if order == 0:
        return _reduce(b, "ReduceSum", b.op("Cast", b.op("Cast", x[0], to="bool"), to=dtype), a)
    size = b.op("Abs", x[0])
    if math.isinf(order):
        return _reduce(b, "ReduceMax" if order > 0 else "ReduceMin", size, a)
    power, root = (b.constant(np.asarray(p).astype(dtypes.to_numpy(dtype))) for p in (order, 1 / order))
    return b.op("Pow", _reduce(b, "ReduceSum", b.op("Pow", size, power), a), root)


# --- truth and counts ------------------------------------------------------------------------------------------------


def _truth_error(decisive: bool) -> spec.ErrorFn:
    """Open where an element is in doubt and no other one decides: a true one for any, a false one for all."""

    def bound(c: spec.ErrorContext) -> np.ndarray:
        e = operand_errors(c)
        doubt = (e > 0) & (np.abs(c.x[0]) <= e)
        decided = over(c, np.any, ((c.x[0] != 0) == decisive) & ~doubt)
        return np.where(over(c, np.any, doubt) & ~decided, np.inf, 0.0)

    return bound


def _truth_torch(function: str) -> spec.SpellFn:
    """ATen reduces one dimension at a time, and answers in uint8 on uint8."""

    def text_of(c: Call) -> str:
        text = f"{c.x[0]}.to(torch.bool)" if c.types[0].dtype == "uint8" else c.x[0]
        over_axes, keep = axis_reductions.axes(c.attrs, c.types[0].rank), axis_reductions.keeps(c.attrs)
        if len(over_axes) == c.types[0].rank and not keep and c.draws.chance(0.5):
            return c.draws.choice((f"torch.{function}({text})", f"{text}.{function}()"))
        for axis in sorted(over_axes, reverse=True):
            forms = (f"torch.{function}({text}, dim={axis}, keepdim={keep})", f"{text}.{function}({axis}, {keep})")
            text = c.draws.choice(forms)
        return text if over_axes else f"({text} != 0)"

    return text_of


def _count_torch(c: Call) -> str:
    over_axes = axis_reductions.axes(c.attrs, c.types[0].rank)
    forms = [f"torch.count_nonzero({c.x[0]}, dim={over_axes})", f"{c.x[0]}.count_nonzero(dim={over_axes})"]
    if len(over_axes) == c.types[0].rank:
        forms += [f"torch.count_nonzero({c.x[0]})", f"{c.x[0]}.count_nonzero()"]
    return c.draws.choice(forms)


def _truth_tensorflow(function: str) -> spec.SpellFn:
    def text_of(c: Call) -> str | Unsupported:
        inner = "{x}" if c.types[0].dtype == "bool" else c.draws.choice(("{x} != 0", "tf.not_equal({x}, 0)"))
        return axis_reductions.tensorflow(f"tf.{function}({inner}, axis={{dim}}, keepdims={{keep}})")(c)

    return text_of


def _truth(name: str, decisive: bool, op: str) -> Op:
    def definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
        truth = b.op("Cast", b.op("Cast", x[0], to="bool"), to="int32")
        return b.op("Cast", _reduce(b, op, truth, a), to="bool")

    return axis_reductions.reduction(
        name,
        definition,
        spell(_truth_torch(name), tf=_truth_tensorflow(f"reduce_{name}")),
        ALL,
        error=_truth_error(decisive),
        why_not_derived="one element that is certain decides, where others are in doubt",
        results=("bool",),
        limits=SpecialValues.INFINITY,
    )


def _nan_to_zero_sum(b: Builder, x: Sequence[str], a: Attrs) -> str:
    zero = b.constant(np.zeros((), dtypes.to_numpy(b.types[x[0]].dtype)))
    return _reduce(b, "ReduceSum", b.op("Where", b.op("IsNaN", x[0]), zero, x[0]), a)


_extreme_op = partial(
    axis_reductions.reduction, types=NUMERIC, integer_exact=True, limits=SpecialValues.INFINITY, weight=0.4
)
"""The entry of an operator that selects extremes, or their places."""

_SHORT = ("int16", "uint16")
"""Element types for which ONNX has no extremes."""


def _extreme_along(b: Builder, op: str, x: str, a: Attrs) -> str:
    return b.op(op, x, axes=(a["dim"],), keepdims=a["keepdim"])


# --- both extremes ---------------------------------------------------------------------------------------------------


def _extremes_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(s[0][normalize_axis(a.dim, len(s[0]))])
    return [s[0].reduced((a.dim,), a.keepdim)] * 2


def _extremes(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    dtype = b.types[x[0]].dtype
    wide = b.op("Cast", x[0], to="int32") if dtype in _SHORT else x[0]
    found = [_extreme_along(b, op, wide, a) for op in ("ReduceMin", "ReduceMax")]
    return [b.op("Cast", name, to=dtype) for name in found] if dtype in _SHORT else found


# --- an extreme and its place -----------------------------------------------------------------------------------------


def _along_dim(name: str) -> Op:
    """ATen's max.dim and min.dim: the extreme along a dimension, and its first place."""

    def definition(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
        dtype, word = b.types[x[0]].dtype, name.title()
        value = _extreme_along(b, f"Reduce{word}", b.op("Cast", x[0], to="int32") if dtype in _SHORT else x[0], a)
        place = b.op(f"Arg{word}", x[0], axis=a["dim"], keepdims=a["keepdim"], select_last_index=0)
        return b.op("Cast", value, to=dtype) if dtype in _SHORT else value, place

    return _extreme_op(
        name,
        definition,
        spell(called(name, "dim={dim}, keepdim={is_keepdim}")),
        results=("T", "int64"),
        shape=_extremes_shape,
        sample=axis_reductions.one_axis("dim", keepdim=axis_reductions.either),
        attrs=attributes(dim="int", keepdim=0),
        **facts(continuous=False, ties="first", extreme=1 if name == "max" else -1, picks=True),
    )


# --- the place of an extreme of all elements --------------------------------------------------------------------------


def _of_all(name: str) -> Op:
    """ATen's argmax and argmin without a dimension: an index into the flattened elements."""

    def definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
        flat = b.op("Reshape", x[0], shape=(b.types[x[0]].size,), allowzero=0)
        return b.op(f"Arg{name[3:].title()}", flat, axis=0, keepdims=0, select_last_index=0)

    return _extreme_op(
        name,
        definition,
        spell(
            ("torch. .", f"torch.{name}({{0}}, dim=None)", f"{{0}}.flatten().{name}(0)"),
            tf=f"tf.{name}(tf.reshape({{0}}, [-1]), output_type=tf.int64)",
        ),
        results=("int64",),
        shape=fitting(lambda s, a: 0 not in s[0], lambda s, a: [s[0].batch(len(s[0]))]),
        sample=sampling.alone_with(lambda rng, first: None if 0 in first.shape else {}),
        attrs=(),
        **facts(continuous=False, ties="first", extreme=1 if name == "argmax" else -1),
    )


OPS = (
    _variance(
        "var",
        _var,
        _var_error,
        _var_tensorflow("reduce_variance", False),
        _var_definition,
        bounds=value_bounds.at_least("0.0"),
    ),
    _variance(
        "std",
        lambda x, a: np.sqrt(_var(x, a)),
        _std_error,
        _var_tensorflow("reduce_std", True),
        _from_variance(lambda b, x, a, variance: b.op("Sqrt", variance)),
        bounds=value_bounds.at_least("0.0"),
    ),
    _variance(
        "var_mean",
        lambda x, a: (_var(x, a), _mean(x, a)),
        lambda c: (_var_error(c), mean_error(c)),
        _var_mean_tensorflow,
        _from_variance(lambda b, x, a, variance: (variance, _reduce(b, "ReduceMean", x[0], a))),
        results=("T", "T"),
        shape=lambda s, a: [*axis_reductions.dims_shape(s, a), *axis_reductions.dims_shape(s, a)],
        unsettled=unspecified.running_mean,
    ),
    axis_reductions.reduction(
        "logsumexp",
        lambda b, x, a: _reduce(b, "ReduceLogSumExp", x[0], a),
        spell(
            axis_reductions.torch(
                "torch.logsumexp",
                "{x}.logsumexp({dim}, keepdim={keep})",
                "torch.special.logsumexp({x}, {dim}, keepdim={keep})",
            ),
            tf=axis_reductions.tensorflow("tf.reduce_logsumexp tf.math.reduce_logsumexp"),
        ),
        limits=SpecialValues.INFINITY,
    ),
    axis_reductions.reduction(
        "linalg_vector_norm",
        _order_definition,
        spell(_order_torch, tf=_order_tensorflow),
        sample=axis_reductions.some_axes(ord=lambda rng: rng.choice((2.0, 2.0, 1.0, 3.0, 0.0, math.inf, -math.inf))),
        attrs=(Attr("ord", "float", 2.0), *axis_reductions.DIMS),
        requires=lambda types, a: not math.isnan(a["ord"]),
        **facts(continuous=False, bounds=value_bounds.at_least("0.0"), any_number=True),
    ),
    axis_reductions.reduction(
        "nansum",
        _nan_to_zero_sum,
        spell(
            axis_reductions.torch(
                ".nansum", "torch.nansum({x}, dim={dim}, keepdim={keep}, dtype=torch.{dtype})", full=("torch.nansum",)
            )
        ),
        integer_exact=True,
        adjoint=adjoints.reduction(lambda x, y, n: 1.0),
        partial=spec.by_definition,
    ),
    _truth("any", True, "ReduceSum"),
    _truth("all", False, "ReduceMin"),
    axis_reductions.reduction(
        "count_nonzero",
        lambda b, x, a: _reduce(b, "ReduceSum", b.op("Cast", b.op("Cast", x[0], to="bool"), to="int64"), a),
        spell(
            _count_torch,
            tf=lambda c: (
                f"tf.math.count_nonzero({c.x[0]}, axis={list(axis_reductions.axes(c.attrs, c.types[0].rank))})"
            ),
        ),
        ALL,
        results=("int64",),
        shape=lambda s, a: [s[0].reduced(axis_reductions.axes({"dim": a.dim}, len(s[0])), 0)],
        sample=sampling.alone_with(
            lambda rng, first: (
                {"dim": sampling.some_axes(rng, first.rank)} if first.rank and 0 not in first.shape else None
            )
        ),
        attrs=attributes(dim=()),
        **facts(integer_exact=True, continuous=False, limits=SpecialValues.INFINITY),
    ),
    _extreme_op(
        "aminmax",
        _extremes,
        spell("torch.aminmax({0}, dim={dim}, keepdim={is_keepdim})"),
        results=("T", "T"),
        shape=_extremes_shape,
        sample=axis_reductions.one_axis("dim", keepdim=axis_reductions.either),
        attrs=attributes(dim="int", keepdim=0),
        picks=True,
    ),
    _along_dim("max"),
    _along_dim("min"),
    _of_all("argmax"),
    _of_all("argmin"),
)
