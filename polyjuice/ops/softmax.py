"""Operators that normalise along axes: softmax and its relatives, norms, mean and variance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import adjoints, axis_reductions, domains, errors, sampling, value_bounds
from polyjuice.ops.decomposition_terms import onnx_term
from polyjuice.ops.normal import GivenAttrs, Types, along_axis, demand, sorted_axes
from polyjuice.ops.normalization import standard
from polyjuice.ops.reductions import extreme_unsure, norm
from polyjuice.ops.shapes import Dims
from polyjuice.ops.spec import Call, ErrorContext, ErrorFn, NumpyFn, Op, SpecialValues, TemplatesFn, attributes, facts
from polyjuice.ops.text import spell
from polyjuice.ops.value_bounds import Bounds


def shifted(x: np.ndarray, axis: int) -> np.ndarray:
    """The elements less the greatest of each line."""
    return np.asarray(x - np.max(x, axis=axis, keepdims=True))


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(shifted(x, axis))
    return np.asarray(e / np.sum(e, axis=axis, keepdims=True))


def _log_softmax(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    low = shifted(x[0], a["axis"])
    return np.asarray(low - np.log(np.sum(np.exp(low), axis=a["axis"], keepdims=True)))


def _log_softmax_error(c: ErrorContext) -> np.ndarray:
    """The bound for log softmax; an element of -inf has the logarithm -inf for certain."""
    x, axis = c.x[0], c.attrs["axis"]
    bound = log_softmax_error(x, c.e[0], axis, c.unit)
    total = np.log(np.sum(np.exp(shifted(x, axis)), axis=axis, keepdims=True))
    least = np.min(bound, axis=axis, keepdims=True, initial=np.inf)  # more than the error of the sum
    subtracted = np.minimum(8 * c.unit * np.abs(c.y[0]), 8 * (total + least))
    return np.asarray(bound + np.where(np.isfinite(c.y[0]), subtracted, 0.0))


def log_softmax_error(x: np.ndarray, e: np.ndarray, axis: int, unit: float) -> np.ndarray:
    """log p = (x - max) - log sum: the element's own error, the sum's, and the rounding of its terms."""
    e = np.broadcast_to(e, x.shape)
    _, moved = errors.exponent_errors(x, e, (axis,), unit)
    return np.asarray(moved + errors.log_sum_error(x, e, (axis,), unit) + unit * (x.shape[axis] + 8))


def softmax_error(x: np.ndarray, e: np.ndarray, axis: int, unit: float) -> np.ndarray:
    """p exp(d) - p for the error d of log p; any known result lies between 0 and 1."""
    moved = log_softmax_error(x, e, axis, unit)
    logarithm = shifted(x, axis)
    logarithm = logarithm - np.log(np.sum(np.exp(logarithm), axis=axis, keepdims=True))
    high = np.where(moved < 1, np.exp(logarithm) * np.expm1(np.minimum(moved, 1)), np.exp(logarithm + moved))
    return np.where(np.isfinite(moved), np.minimum(high, 1 + 8 * unit), np.inf)


# --- Hardmax ---------------------------------------------------------------------------------------------------------


def _hardmax(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    axis = a["axis"]
    at = np.expand_dims(np.argmax(x[0], axis=axis), axis)
    out = np.zeros_like(x[0])
    np.put_along_axis(out, at, np.asarray(1, out.dtype), axis)
    return out


def _hardmax_error(c: ErrorContext) -> np.ndarray:
    unsure = extreme_unsure(c.x[0], np.broadcast_to(c.e[0], c.x[0].shape), c.attrs["axis"], True, c.ordered)
    none = np.max(c.x[0], axis=c.attrs["axis"], keepdims=True) == -np.inf  # does none count as the greatest then?
    return np.where(unsure | none, np.inf, np.zeros_like(c.y[0]))


def _hardmax_text(*forms: str) -> TemplatesFn:
    """Templates with the number of classes as ``SIZE``, and the axis counted from the front as ``FRONT``."""

    def text(c: Call) -> tuple[str, ...]:
        axis = c.attrs["axis"] % c.types[0].rank
        return tuple(form.replace("SIZE", str(c.types[0].shape[axis])).replace("FRONT", str(axis)) for form in forms)

    return text


def _hardmax_jax(c: Call) -> str:
    axis, t = c.attrs["axis"], c.types[0]
    line = tuple(t.shape[axis] if d == axis % t.rank else 1 for d in range(t.rank))
    first = f"jnp.argmax({c.x[0]}, axis={axis}, keepdims=True)"
    return f"(jnp.arange({t.shape[axis]}).reshape({line}) == {first}).astype(jnp.{t.dtype})"


# --- LpNormalization -------------------------------------------------------------------------------------------------


def _lp(x: np.ndarray, a: Attrs) -> np.ndarray:
    axis = (a["axis"],)
    return np.asarray(np.sum(np.abs(x), axis=axis, keepdims=True) if a["p"] == 1 else norm(x, axis, True))


def _lp_normalized(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """A line of zeros stays zero in ONNX's later versions; before, frameworks differ."""
    size = _lp(x[0], a)
    return np.asarray(x[0] / np.where(size == 0, 1, size).astype(x[0].dtype))


def _lp_error(c: ErrorContext) -> np.ndarray:
    """The bound for a quotient whose divisor moves by at most the norm of the errors, with its own rounding."""
    x, e = c.x[0], np.broadcast_to(c.e[0], c.x[0].shape)
    size, n = _lp(x, c.attrs), x.shape[c.attrs["axis"]]
    tiny = np.sqrt(n * dtypes.smallest_normal(errors.held(c)))
    moved = _lp(e, c.attrs) + tiny + (n + 3) * c.unit * size
    margin = size - moved
    bound = (e + np.abs(c.y[0]) * moved) / np.where(margin > 0, margin, 1)
    return np.where((margin > 0) & ~errors.overflows(c, size * size), bound, np.inf)


def _quotient(total: str, *norms: str) -> TemplatesFn:
    """Templates of the quotient by the sum of magnitudes, or by one of the norms."""
    return lambda c: tuple(f"{{0}} / {size}" for size in ([total] if c.attrs["p"] == 1 else norms))


# --- MeanVarianceNormalization ---------------------------------------------------------------------------------------


def _standard_error(c: ErrorContext) -> np.ndarray:
    axes, x, e = axis_reductions.axes(c.attrs, c.x[0].ndim), c.x[0], np.broadcast_to(c.e[0], c.x[0].shape)
    n = axis_reductions.terms(c.attrs, x.shape)
    mean = np.mean(x, axis=axes, keepdims=True)
    spread = np.sqrt(np.mean((x - mean) ** 2, axis=axes, keepdims=True))
    change = np.sqrt(np.mean(e * e, axis=axes, keepdims=True))
    squares = np.mean((np.abs(x) + e) ** 2, axis=axes, keepdims=True)
    margin = spread * spread - (2 * spread * change + change * change + 2 * (n + 4) * c.unit * squares)
    least = np.sqrt(np.maximum(margin, 0))
    moved = change + (spread * spread - margin) / np.where(spread > 0, spread, 1) + _STD_TERM
    top = (
        e
        + np.mean(e, axis=axes, keepdims=True)
        + c.unit * (np.abs(x) + n * np.mean(np.abs(x), axis=axes, keepdims=True))
    )
    bound = (top + np.abs(c.y[0]) * moved) / np.where(least > 0, least, 1)
    return np.where((least > 0) & ~errors.overflows(c, n * squares), bound, np.inf)


_STD_TERM = 1e-9
"""The number that ONNX's definition of MeanVarianceNormalization adds to the deviation."""


def _standard_torch(c: Call) -> str:
    axes = axis_reductions.axes(c.attrs, c.types[0].rank)
    mean = c.let(f"torch.mean({c.x[0]}, dim={axes}, keepdim=True)")
    if c.draws.chance(0.5):
        return f"({c.x[0]} - {mean}) / torch.std({c.x[0]}, dim={axes}, correction=0, keepdim=True)"
    centred = c.let(f"{c.x[0]} - {mean}")
    return f"{centred} * torch.rsqrt(torch.mean({centred} * {centred}, dim={axes}, keepdim=True))"


def _standard_tensorflow(c: Call) -> str:
    axes = list(axis_reductions.axes(c.attrs, c.types[0].rank))
    if c.draws.chance(0.5):
        moments = c.let(f"tf.nn.moments({c.x[0]}, axes={axes}, keepdims=True)")
        return f"({c.x[0]} - {moments}[0]) / tf.sqrt({moments}[1])"
    centred = c.let(f"{c.x[0]} - tf.reduce_mean({c.x[0]}, axis={axes}, keepdims=True)")
    return f"{centred} / tf.math.reduce_std({c.x[0]}, axis={axes}, keepdims=True)"


@sampling.of_rank(1)
def _draw_standard(rng: random.Random, first: TensorType) -> Attrs | None:
    axes = sampling.some_axes(rng, first.rank)
    if first.rank == 4 and rng.random() < 0.5:
        axes = rng.choice(((0, 2, 3), (2, 3)))
    return {"axes": axes} if axis_reductions.terms({"axes": axes}, first.shape) > 1 else None


def _standard_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims):
        s[0].reduced(a.axes, 1)
    return [s[0]]


def _softmax(name: str, numpy: NumpyFn, error: ErrorFn, further: Sequence[str] = (), **more: Any) -> Op:
    word = "softmax" if name == "Softmax" else "log_softmax"
    torch = ("torch.{w}({{0}}, dim={{axis}})", "F.{w}({{0}}, dim={{axis}})", "{{0}}.{w}({{axis}})")
    return axis_reductions.along_axis(
        name,
        numpy,
        error,
        spell(
            (*(form.format(w=word) for form in torch), f"torch.nn.{name}(dim={{axis}})({{0}})", *further),
            (f"tf.nn.{word}({{0}}, axis={{axis}})", f"tf.math.{word}({{0}}, axis={{axis}})"),
            f"jax.nn.{word}({{0}}, axis={{axis}})",
        ),
        **more,
    )


def _normal_lp(a: GivenAttrs, x: Types) -> None:
    along_axis(a, x)
    demand(a["p"] in (1, 2), f"the norm of order {a['p']}")


OPS = (
    _softmax(
        "Softmax",
        lambda x, a: softmax(x[0], a["axis"]),
        lambda c: softmax_error(c.x[0], c.e[0], c.attrs["axis"], c.unit),
        ["F.softmin(-{0}, {axis})"],
        adjoint=adjoints.softmax,
        followers="MatMul Log ArgMax Transpose Mul Dropout ReduceSum",
        **facts(ulps=4, limits=SpecialValues.INFINITY, fresh=True, bounds=value_bounds.SHARE),
    ),
    _softmax(
        "LogSoftmax",
        _log_softmax,
        _log_softmax_error,
        adjoint=adjoints.log_softmax,
        **facts(limits=SpecialValues.INFINITY, weight=3, fresh=True, bounds=Bounds("", "0.0")),
    ),
    axis_reductions.along_axis(
        "Hardmax",
        _hardmax,
        _hardmax_error,
        spell(
            _hardmax_text(
                "F.one_hot(torch.argmax({0}, dim={axis}), SIZE).movedim(-1, {axis}).to(torch.{type})",
                "torch.zeros_like({0}).scatter({axis}, torch.argmax({0}, dim={axis}, keepdim=True), 1.0)",
            ),
            _hardmax_text("tf.one_hot(tf.argmax({0}, axis={axis}), SIZE, axis=FRONT, dtype=tf.{type})"),
            _hardmax_jax,
        ),
        **facts(continuous=False, ties="first", weight=0.8, limits=SpecialValues.INFINITY),
    ),
    axis_reductions.along_axis(
        "LpNormalization",
        _lp_normalized,
        _lp_error,
        spell(
            (
                "F.normalize({0}, p={p}.0, dim={axis}, eps=0.0)",
                "{0} / torch.linalg.vector_norm({0}, ord={p}, dim={axis}, keepdim=True)",
            ),
            _quotient(
                "tf.reduce_sum(tf.abs({0}), axis={axis}, keepdims=True)",
                "tf.sqrt(tf.reduce_sum(tf.square({0}), axis={axis}, keepdims=True))",
                "tf.norm({0}, axis={axis}, keepdims=True)",
            ),
            _quotient(
                "jnp.sum(jnp.abs({0}), axis={axis}, keepdims=True)",
                "jnp.sqrt(jnp.sum(jnp.square({0}), axis={axis}, keepdims=True))",
            ),
        ),
        sample=axis_reductions.one_axis("axis", p=lambda rng: rng.choice((1, 2, 2))),
        attrs=attributes(axis=-1, p=2),
        adjoint=adjoints.lp_normalization,
        normal=_normal_lp,
        **facts(ulps=4, weight=0.4),
    ),
    Op(
        name="MeanVarianceNormalization",
        types={"T": ("float32",)},  # ONNX's definition holds constants of that type
        shape=_standard_shape,
        definition=onnx_term(lambda x, a: standard(x, axis_reductions.axes(a, x.rank)), widen=False),
        error=_standard_error,
        why_not_derived="ONNX's own takes the mean's square from the mean of squares, and adds 1e-9 to the root",
        text=spell(_standard_torch, _standard_tensorflow),
        sample=sampling.alone_with(_draw_standard),
        attrs=attributes(axes=(0, 2, 3)),
        distance_to_domain=domains.varied,
        normal=lambda a, x: a.update(axes=sorted_axes(a["axes"], x[0].rank)),
        **facts(ulps=6, weight=1.2),
    ),
)
