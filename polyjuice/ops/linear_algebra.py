"""ATen's further products of matrices and vectors, and its differences and integrals along an axis."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, concat, onnx_term, where
from polyjuice.ops.matrix import factors, scaled_sum
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Sample, SampleFn, attributes, by_definition, facts
from polyjuice.ops.text import called, spell

_NUMBERS = (*FLOATS, "int32", "int64")
"""The types of ONNX's products, but for those of which Torch has no kernel."""

_SUMS: dict[str, Any] = {"partial": by_definition, "integer_exact": True, "modular": True, "widen": False}
"""Sums of products, which wrap around in integers."""

# --- products --------------------------------------------------------------------------------------------------------


def _addbmm(bias: Term, left: Term, right: Term, a: Attrs) -> Term:
    """A sum of products is one product of matrices side by side."""
    (k, n, m), p = left.shape, right.shape[2]
    product = left.permute(1, 0, 2).reshape(n, k * m) @ right.reshape(k * m, p)
    return scaled_sum(product, bias, a)


@sampling.of_rank(2, 2)
def _sample_addbmm(rng: random.Random, first: TensorType) -> Sample:
    (n, p), k, m = first.shape, rng.choice((1, 2, 3)), sampling.size(rng)
    return sampling.operands(first, (k, n, m), (k, m, p), **factors(rng, first.dtype))


def _fits_addbmm(s: Sequence[Dims], a: Any) -> bool:
    bias, left, right = s
    require(len(left) == len(right) == 3 and len(bias) <= 2)
    return right[:2] == (left[0], left[2]) and bias.broadcast(Dims((left[1], right[2]))) == (left[1], right[2])


def _inner(x: Term, y: Term, a: Attrs) -> Term:
    require(x.rank and y.rank and x.shape[-1] == y.shape[-1])
    rows, columns = (x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]).permute(1, 0))
    return (rows @ columns).reshape(*x.shape[:-1], *y.shape[:-1])


@sampling.of_rank(1, 3)
def _sample_inner(rng: random.Random, first: TensorType) -> Sample:
    return sampling.operands(first, (*rng.choice(((), (2,), (3,), (2, 3))), first.shape[-1]))


def _cross(x: Term, y: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)

    def turned(t: Term, *order: int) -> Term:
        return t.then("Gather", t.constant(np.array(order, np.int64)), axis=dim)

    return turned(x, 1, 2, 0) * turned(y, 2, 0, 1) - turned(x, 2, 0, 1) * turned(y, 1, 2, 0)


def _sample_cross(rng: random.Random, first: TensorType) -> Sample | None:
    dims = [i for i, n in enumerate(first.shape) if n == 3]
    return sampling.operands(first, first.shape, dim=rng.choice(dims)) if dims and 0 not in first.shape else None


@sampling.of_rank(2, 2)
def _sample_multi_dot(rng: random.Random, first: TensorType) -> Sample:
    k, n = sampling.size(rng), sampling.size(rng)
    return sampling.operands(first, (first.shape[1], k), (k, n))


def _vecdot(x: Term, y: Term, a: Attrs) -> Term:
    require(x.shape == y.shape)
    return (x * y).reduce("Sum", normalize_axis(a["dim"], x.rank), keepdims=False)


def _sample_vecdot(rng: random.Random, first: TensorType) -> Sample | None:
    suits = first.rank and 0 not in first.shape
    return sampling.operands(first, first.shape, dim=rng.randrange(first.rank)) if suits else None


def _matrix_power(x: Term, a: Attrs) -> Term:
    """By squares, from the last bit of the exponent on."""
    result, square, n = None, x, a["n"]
    while n:
        if n % 2:
            result = result @ square if result else square
        square, n = (square @ square if n > 1 else square), n // 2
    eye = np.broadcast_to(np.eye(x.shape[-1]), x.shape).astype(dtypes.to_numpy(x.dtype))
    return (result.then("Identity") if result is x else result) or x.constant(eye)


def _matrix_power_by_factors(x: Term, a: Attrs) -> Term:
    result = _matrix_power(x, {"n": min(a["n"], 1)})
    for _ in range(a["n"] - 1):
        result = result @ x
    return result


def _draw_power(rng: random.Random, first: TensorType) -> Attrs | None:
    square = first.rank > 1 and first.shape[-1] == first.shape[-2] and 0 not in first.shape
    return {"n": rng.choice((0, 1, 2, 2, 3, 3, 4, 5))} if square else None


def _vander(x: Term, a: Attrs) -> Term:
    powers = [x.constant(np.ones(x.shape, dtypes.to_numpy(x.dtype)))]
    while len(powers) < a["N"]:
        powers.append(powers[-1] * x if len(powers) > 1 else x)
    return concat(x.rank, *(power.unsqueeze(x.rank) for power in powers))


# --- renorm ----------------------------------------------------------------------------------------------------------


def _renorm(x: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    others = [i for i in range(x.rank) if i != dim]
    norm = x.reduce(f"L{a['p']:.0f}", *others)
    return x * where(norm > a["maxnorm"], a["maxnorm"] / (norm + 1e-7), 1.0)


@sampling.of_rank(2)
def _draw_renorm(rng: random.Random, first: TensorType) -> Attrs:
    return {"p": rng.choice((1.0, 2.0)), "dim": rng.randrange(first.rank), "maxnorm": rng.choice((0.5, 1.0, 3.0))}


# --- differences and integrals ---------------------------------------------------------------------------------------


def _neighbours(x: Term, dim: int, gap: int = 1) -> tuple[Term, Term]:
    """The elements along an axis but for the last ones, and but for the first ones."""
    n = x.shape[dim]
    return x.slice(dim, 0, max(n - gap, 0)), x.slice(dim, min(gap, n), n)


def _diff(x: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    for _ in range(a["n"]):
        left, right = _neighbours(x, dim)
        x = right - left
    return x


def _trapezoid(x: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    left, right = _neighbours(x, dim)
    return (left + right).reduce("Sum", dim, keepdims=False) * float(a["dx"] / 2)


def _cumulative_trapezoid(x: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    left, right = _neighbours(x, dim)
    return (left + right).then("CumSum", axis=dim) * float(a["dx"] / 2)


def _gradient(x: Term, a: Attrs) -> Term:
    """Half the difference between both neighbours, and the whole one to the only neighbour of an end."""
    dim = normalize_axis(a["dim"], x.rank)
    n = x.shape[dim]
    (first, second), (before, last) = (_neighbours(x.slice(dim, at, at + 2), dim) for at in (0, n - 2))
    (left, right) = _neighbours(x, dim, 2)
    return concat(dim, second - first, (right - left) / 2.0, last - before) / float(a["spacing"])


def _along(least: int, **choices: Sequence[Any]) -> SampleFn:
    """Draw an axis with at least some number of elements, and one of some values for each other attribute."""

    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        dims = [i for i, n in enumerate(first.shape) if n >= least]
        if not dims or 0 in first.shape:
            return None
        return {"dim": rng.choice(dims), **{name: rng.choice(values) for name, values in choices.items()}}

    return sampling.alone_with(draw)


_STEPS = (1.0, 0.5, 2.0, 0.1)


OPS = (
    composed(
        "addbmm",
        _addbmm,
        spell("torch.addbmm({all}, beta={beta}, alpha={alpha})"),
        _sample_addbmm,
        _NUMBERS,
        3,
        attrs=attributes(beta=1.0, alpha=1.0),
        **_SUMS,
        shape=fitting(_fits_addbmm, lambda s, a: [s[1].batch(3).append(s[1][1], s[2][2])]),
    ),
    composed("inner", _inner, spell("torch. .", jax="jnp."), _sample_inner, _NUMBERS, 2, **_SUMS),
    composed(
        "linalg_cross",
        _cross,
        spell(("torch.linalg.cross({0}, {1}, dim={dim})", "torch.cross({0}, {1}, dim={dim})")),
        _sample_cross,
        _NUMBERS,
        2,
        attrs=attributes(dim=-1),
        **_SUMS,
        shape=fitting(lambda s, a: s[0] == s[1] and s[0][a.dim] == 3),
    ),
    composed(
        "linalg_multi_dot",
        lambda x, y, z, a: x @ y @ z,
        spell("torch.linalg.multi_dot(({all},))"),
        _sample_multi_dot,
        operands=3,
        algorithms=(onnx_term(lambda x, y, z, a: x @ (y @ z), widen=False),),
        partial=by_definition,
        widen=False,
    ),
    composed(
        "linalg_vecdot",
        _vecdot,
        spell("torch.linalg.vecdot({0}, {1}, dim={dim})"),
        _sample_vecdot,
        operands=2,
        attrs=attributes(dim=-1),
        partial=by_definition,
    ),
    composed(
        "linalg_matrix_power",
        _matrix_power,
        spell(("torch.linalg.matrix_power({0}, {n})", "{0}.matrix_power({n})")),
        sampling.alone_with(_draw_power),
        attrs=attributes(n="int"),
        algorithms=(onnx_term(_matrix_power_by_factors, widen=False),),
        partial=by_definition,
        widen=False,
        overflows=True,
        shape=fitting(lambda s, a: len(s[0]) > 1 and s[0][-1] == s[0][-2] and a.n >= 0),
    ),
    composed(
        "linalg_vander",
        _vander,
        spell("torch.linalg.vander({0}, N={N})"),
        sampling.of_rank(1, 3)(sampling.choosing(N=(2, 3, 4))),
        ("float32", "float64", "int64"),
        attrs=attributes(N="int"),
        **facts(modular=True, overflows=True),
        shape=fitting(lambda s, a: len(s[0]) and a.N > 1, lambda s, a: [s[0].append(a.N)]),
    ),
    composed(
        "renorm",
        _renorm,
        spell(called("renorm", "{p}, {dim}, {maxnorm}")),
        sampling.alone_with(_draw_renorm),
        attrs=attributes(p=2.0, dim="int", maxnorm=1.0),
        shape=fitting(lambda s, a: len(s[0]) > 1 and s[0].replace(a.dim, 1)),
    ),
    composed(
        "diff",
        _diff,
        spell(called("diff", "n={n}, dim={dim}")),
        _along(2, n=(1, 1, 2)),
        (*_NUMBERS, "int8", "int16", "uint8"),
        attrs=attributes(n=1, dim=-1),
        widen=False,
        **facts(modular=True),
        shape=fitting(lambda s, a: 0 < a.n <= s[0][a.dim], lambda s, a: [s[0].replace(a.dim, s[0][a.dim] - a.n)]),
    ),
    composed(
        "trapezoid",
        _trapezoid,
        spell("torch.trapezoid({0}, dx={dx}, dim={dim})"),
        _along(1, dx=_STEPS),
        attrs=attributes(dx=1.0, dim=-1),
    ),
    composed(
        "cumulative_trapezoid",
        _cumulative_trapezoid,
        spell("torch.cumulative_trapezoid({0}, dx={dx}, dim={dim})"),
        _along(2, dx=_STEPS),
        attrs=attributes(dx=1.0, dim=-1),
        shape=fitting(lambda s, a: s[0][a.dim] > 0, lambda s, a: [s[0].replace(a.dim, s[0][a.dim] - 1)]),
    ),
    composed(
        "aten.gradient",
        _gradient,
        spell("torch.gradient({0}, spacing={spacing}, dim={dim})[0]"),
        _along(2, spacing=_STEPS),
        attrs=attributes(spacing=1.0, dim="int"),
        shape=fitting(lambda s, a: s[0][a.dim] > 1),
    ),
)
