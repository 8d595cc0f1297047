"""ATen's statistics that leave out NaN, and those by rank along an axis: quantiles, sorting."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs
from polyjuice.ir.dtypes import NUMERIC
from polyjuice.ops import axis_reductions, sampling
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import normalize_axis, require
from polyjuice.ops.spec import attributes, by_definition, facts
from polyjuice.ops.text import called, spell


def _nanmean(x: Term, a: Attrs) -> Term:
    missing, axes = x.then("IsNaN"), axis_reductions.axes(a, x.rank)
    total, count = where(missing, 0.0, x), missing.then("Not").to(x.dtype)
    return _sum(total, axes, a) / _sum(count, axes, a)


def _sum(x: Term, axes: Sequence[int], a: Attrs) -> Term:
    return x.reduce("Sum", *axes, keepdims=bool(a["keepdim"]))


def _sorted(x: Term, axis: int) -> Term:
    return x.then("TopK", axis=axis, k=x.shape[axis], largest=0, sorted=1)


def _dropped(x: Term, dim: int, a: Attrs) -> Term:
    return x if a["keepdim"] else x.squeeze(dim)


def _ascending(x: Term, a: Attrs) -> tuple[Term, Term, int]:
    """The elements in order, NaN behind all others; how many are no NaN, less one; the axis."""
    dim = normalize_axis(a["dim"], x.rank)
    require(x.shape[dim])
    missing = x.then("IsNaN")
    last = missing.then("Not").to("int64").reduce("Sum", dim).then("Sub", 1).then("Max", 0)
    line = _sorted(where(missing, math.inf, x), dim)
    return where(missing.to("int32").reduce("Min", dim).to("bool"), math.nan, line), last, dim


def _nanmedian(x: Term, a: Attrs) -> Term:
    line, last, dim = _ascending(x, a)
    middles = line.then("Gather", x.constant(np.arange(x.shape[dim]) // 2), axis=dim)  # by the place of the last
    return _dropped(middles.then("GatherElements", last, axis=dim), dim, a)


_STEPS: dict[str, Callable[[float], int]] = {"lower": math.floor, "higher": math.ceil, "nearest": round}


def _quantile(x: Term, a: Attrs) -> Term:
    """The element at a place in ascending order, or one between two neighbours."""
    dim = normalize_axis(a["dim"], x.rank)
    n, line = x.shape[dim], _sorted(x, dim)
    require(n and 0 <= a["q"] <= 1)
    place = a["q"] * (n - 1)
    if a["interpolation"] in _STEPS:
        found = line.slice(dim, at := _STEPS[a["interpolation"]](place), at + 1)
    else:
        below, above = math.floor(place), math.ceil(place)
        low, high = line.slice(dim, below, below + 1), line.slice(dim, above, above + 1)
        found = low + (high - low) * (0.5 if a["interpolation"] == "midpoint" else place - below)
    return _dropped(found, dim, a)


def _nanquantile(x: Term, a: Attrs) -> Term:
    line, last, dim = _ascending(x, a)
    require(0 <= a["q"] <= 1)
    place = last.to(x.dtype) * a["q"]
    below, above = place.then("Floor"), place.then("Ceil")
    low, high = (line.then("GatherElements", one.to("int64"), axis=dim) for one in (below, above))
    return _dropped(low + (high - low) * (place - below), dim, a)


_QUANTILE = "{q}, dim={dim}, keepdim={is_keepdim}, interpolation='{interpolation}'"
_Q = (0.0, 0.25, 0.5, 0.75, 1.0)
_WIDE_FLOATS = ("float32", "float64")


def _one_axis(**choices: Sequence[Any]) -> Any:
    chosen = {name: lambda rng, values=values: rng.choice(values) for name, values in choices.items()}
    return axis_reductions.one_axis("dim", keepdim=axis_reductions.either, **chosen)


OPS = (
    axis_reductions.reduction(
        "nanmean",
        _nanmean,
        spell(axis_reductions.torch(".nanmean torch.nanmean")),
        partial=by_definition,
    ),
    composed(
        "nanmedian",
        _nanmedian,
        spell(("torch.nanmedian({0}, dim={dim}, keepdim={is_keepdim})[0]", "{0}.nanmedian({dim}, {is_keepdim})[0]")),
        _one_axis(),
        attrs=attributes(dim=-1, keepdim=0),
    ),
    composed(
        "quantile",
        _quantile,
        spell(called("quantile", _QUANTILE)),
        _one_axis(q=_Q, interpolation=("linear", "linear", "lower", "higher", "nearest", "midpoint")),
        _WIDE_FLOATS,
        attrs=attributes(q="float", dim="int", keepdim=0, interpolation="linear"),
    ),
    composed(
        "nanquantile",
        _nanquantile,
        spell(called("nanquantile", "{q}, dim={dim}, keepdim={is_keepdim}")),
        _one_axis(q=_Q),
        _WIDE_FLOATS,
        attrs=attributes(q="float", dim="int", keepdim=0),
    ),
    composed(
        "msort",
        lambda x, a: _sorted(x, 0),
        spell(("torch.msort({0})", "torch.sort({0}, dim=0)[0]")),
        sampling.of_rank(1)(sampling.alone),
        NUMERIC,
        **facts(integer_exact=True),
    ),
)
