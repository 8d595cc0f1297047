"""Sorting along an axis, the largest elements, and single order statistics."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs
from polyjuice.ir.dtypes import NUMERIC
from polyjuice.ops import axis_reductions, errors, sampling
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Op, SpecialValues, attributes, facts
from polyjuice.ops.text import called, spell, subscript

_TOP_K_TYPES = tuple(t for t in NUMERIC if t != "bfloat16")
"""ONNX's TopK has the type bfloat16 only from opset 24 on."""


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The indices that sort a tensor, equal elements in their order."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - backwards)


def _ends(c: ErrorContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The elements, and the ends of the intervals in which they lie."""
    x = np.asarray(c.x[0], np.float64)
    return x, x - c.e[0], x + c.e[0]


def _rank_errors(c: ErrorContext, axis: int) -> np.ndarray:
    """By rank in ascending order, how far the element of that rank may move between the intervals' sorted ends."""
    if not errors.in_doubt(c):
        return np.zeros(c.x[0].shape)
    y, low, high = (np.sort(v, axis=axis) for v in _ends(c))
    moved = np.where(np.isfinite(y), np.maximum(high - y, y - low), 0.0)
    return np.where(np.any(np.isinf(np.broadcast_to(c.e[0], y.shape)), axis=axis, keepdims=True), np.inf, moved)


def _unsure(c: ErrorContext, axis: int, stable: bool) -> np.ndarray:
    """By rank in ascending order: whether the errors, or a tie, leave open which element has it."""
    x, low, high = _ends(c)
    if errors.in_doubt(c):
        order = np.argsort(x, axis=axis, kind="stable")
        reach = np.maximum.accumulate(np.take_along_axis(high, order, axis), axis)
        floor = np.flip(np.minimum.accumulate(np.flip(np.take_along_axis(low, order, axis), axis), axis), axis)
    else:
        reach = floor = np.sort(x, axis=axis)
    n = x.shape[axis]
    if not n:
        return np.zeros(x.shape, bool)
    below, above = np.take(reach, range(n - 1), axis), np.take(floor, range(1, n), axis)
    sure = below < above
    if stable:
        sure |= (below == above) & (~np.any(np.broadcast_to(c.e[0], x.shape), axis=axis, keepdims=True))
    edge = np.zeros_like(np.take(x, [0], axis), bool)
    return np.asarray(np.concatenate([edge, ~sure], axis) | np.concatenate([~sure, edge], axis))


def _as_error(mask: np.ndarray) -> np.ndarray:
    return np.where(mask, np.inf, 0.0)


# --- TopK ------------------------------------------------------------------------------------------------------------


def _top_k_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    require(not isinstance(s[0], Dims) or 0 <= a.k <= s[0][normalize_axis(a.axis, len(s[0]))])
    return [s[0].replace(a.axis, a.k)] * 2


def _top_k(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, np.ndarray]:
    order = np.take(_order(x[0], a["axis"], bool(a["largest"])), range(a["k"]), a["axis"])
    return np.take_along_axis(x[0], order, a["axis"]), order.astype(np.int64)


def _top_k_error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """Without ``sorted`` the order of the results is open, and so is the value at each place."""
    axis, k, n = c.attrs["axis"], c.attrs["k"], c.x[0].shape[c.attrs["axis"]]
    if k > 1 and not c.attrs["sorted"]:
        return np.full(c.y[0].shape, np.inf), np.full(c.y[0].shape, np.inf)
    ranks = range(n - 1, n - 1 - k, -1) if c.attrs["largest"] else range(k)
    return np.take(_rank_errors(c, axis), ranks, axis), _as_error(np.take(_unsure(c, axis, False), ranks, axis))


def _top_k_tensorflow(c: Call) -> str:
    """tf.math.top_k takes the greatest along the last axis; argsort serves the others."""
    a, axis = c.attrs, normalize_axis(c.attrs["axis"], c.types[0].rank)
    if a["largest"] and c.draws.chance(0.7):
        if axis == c.types[0].rank - 1:
            return f"tf.math.top_k({c.x[0]}, k={a['k']}, sorted={bool(a['sorted'])}, index_type=tf.int64)"
        perm = list(range(c.types[0].rank))
        perm[axis], perm[-1] = perm[-1], perm[axis]
        top = c.let(f"tf.math.top_k(tf.transpose({c.x[0]}, {perm}), k={a['k']}, index_type=tf.int64)")
        return f"(tf.transpose({top}[0], {perm}), tf.transpose({top}[1], {perm}))"
    return _sorted_tensorflow(c, axis, bool(a["largest"]), f":{a['k']}")


def _sorted_tensorflow(c: Call, axis: int, descending: bool, part: str = ":") -> str:
    """Sorted values and their indices, in the range ``part`` (or at that one place) along the axis."""
    order = f'{c.x[0]}, axis={axis}, direction="{"DESCENDING" if descending else "ASCENDING"}"'
    cut = "" if part == ":" else subscript(c.types[0].rank, {axis: part})
    return f"(tf.sort({order}){cut}, tf.cast(tf.argsort({order}, stable=True){cut}, tf.int64))"


def _top_k_jax(c: Call) -> str:
    axis, k, x = normalize_axis(c.attrs["axis"], c.types[0].rank), c.attrs["k"], c.x[0]
    if axis == c.types[0].rank - 1 and c.attrs["largest"] and c.draws.chance(0.5):
        best = c.let(f"lax.top_k({x}, {k})")
        return f"({best}[0], {best}[1].astype(jnp.int64))"
    order = f"jnp.argsort({x}, axis={axis}, stable=True, descending={bool(c.attrs['largest'])})"
    index = c.let(f"{order}{subscript(c.types[0].rank, {axis: f':{k}'})}")
    return f"(jnp.take_along_axis({x}, {index}, axis={axis}), {index}.astype(jnp.int64))"


# --- sort, argsort ---------------------------------------------------------------------------------------------------


def _sort_error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    axis = c.attrs["dim"]
    value, place = _rank_errors(c, axis), _as_error(_unsure(c, axis, bool(c.attrs["stable"])))
    return (np.flip(value, axis), np.flip(place, axis)) if c.attrs["descending"] else (value, place)


_SORTED = "dim={dim}, descending={is_descending}, stable={is_stable}"


def _argsort_tensorflow(c: Call) -> tuple[str, ...]:
    direction = "DESCENDING" if c.attrs["descending"] else "ASCENDING"
    return (f'tf.cast(tf.argsort({{0}}, axis={{dim}}, direction="{direction}", stable={{is_stable}}), tf.int64)',)


def _sort_definition(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    return _top(b, x[0], a["dim"], b.types[x[0]].shape[a["dim"]], int(a["descending"]))


def _top(b: Builder, x: str, axis: int, k: int, largest: int) -> Sequence[str]:
    """ONNX's TopK, which takes the first of equal elements first (so that it is stable)."""
    if b.types[x].dtype != "bfloat16":
        return b.multi("TopK", x, axis=axis, k=k, largest=largest, sorted=1)
    values, indices = b.multi("TopK", b.op("Cast", x, to="float32"), axis=axis, k=k, largest=largest, sorted=1)
    return b.op("Cast", values, to="bfloat16"), indices


_SORT: dict[str, Any] = {
    "inputs": ("T",),
    "types": {"T": NUMERIC},
    "sample": axis_reductions.one_axis("dim", descending=axis_reductions.either, stable=axis_reductions.either),
    "attrs": attributes(dim=-1, descending=0, stable=0),
    "integer_exact": True,
    "continuous": False,
    "ties": "unspecified",
    "limits": SpecialValues.INFINITY,
    "why_not_derived": "a stable sort keeps the order of equal elements, which TopK leaves open",
    "weight": 0.6,
}


# --- single order statistics -----------------------------------------------------------------------------------------


def _rank(a: Attrs, size: int) -> int:
    """The place, in ascending order, of the wanted element: the k-th, or the lower of the middle ones."""
    return a["k"] - 1 if "k" in a else (size - 1) // 2


def _statistic_tensorflow(c: Call) -> str:
    axis, rank = c.attrs["dim"], _rank(c.attrs, c.types[0].shape[c.attrs["dim"]])
    return _sorted_tensorflow(c, axis, False, f"{rank}:{rank + 1}" if c.attrs["keepdim"] else str(rank))


def _statistic_definition(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    """The last of the smallest elements, up to the wanted one."""
    axis, size = a["dim"], b.types[x[0]].shape[a["dim"]]
    rank = _rank(a, size)
    require(0 <= rank < size)
    found = _top(b, x[0], axis, rank + 1, 0)
    at = b.constant(np.asarray([rank] if a["keepdim"] else rank, np.int64))
    return [b.op("Gather", name, at, axis=axis) for name in found]


def _order_statistic(name: str, sample: Any, *further: Attr) -> Op:
    return Op(
        name=name,
        types={"T": NUMERIC},
        results=("T", "int64"),
        text=spell(
            called(name, f"{'{k}, ' if further else ''}dim={{dim}}, keepdim={{is_keepdim}}"), _statistic_tensorflow
        ),
        definition=_statistic_definition,
        sample=sample,
        attrs=(*further, Attr("dim", "int", -1), Attr("keepdim", "int", 0)),
        limits=SpecialValues.INFINITY,
        **facts(weight=0.3, picks=True, continuous=False, ties="unspecified"),
    )


def _draw_top_k(rng: random.Random, n: int) -> Attrs:
    """Unsorted results only where there is one result."""
    k = rng.randint(1, n)
    return {"k": k, "largest": rng.randint(0, 1), "sorted": rng.randint(0, 1) if k == 1 else 1}


OPS = (
    Op(
        name="TopK",
        types={"T": _TOP_K_TYPES},
        results=("T", "int64"),
        shape=_top_k_shape,
        numpy=_top_k,
        error=_top_k_error,
        text=spell(
            called("topk", "{k}, dim={axis}, largest={is_largest}, sorted={is_sorted}"), _top_k_tensorflow, _top_k_jax
        ),
        sample=sampling.of_rank(1)(sampling.along("axis", _draw_top_k)),
        attrs=(Attr("k", "int", as_input=True), *attributes(axis=-1, largest=1, sorted=1)),
        limits=SpecialValues.INFINITY,
        **facts(weight=0.5, picks=True, continuous=False, ties="unspecified"),
    ),
    Op(
        name="sort",
        results=("T", "int64"),
        shape=lambda s, a: [*axis_reductions.first_shape(s, a), s[0]],
        error=_sort_error,
        text=spell(
            called("sort", _SORTED), tf=lambda c: _sorted_tensorflow(c, c.attrs["dim"], bool(c.attrs["descending"]))
        ),
        definition=_sort_definition,
        **_SORT,
        picks=True,
    ),
    Op(
        name="argsort",
        results=("int64",),
        shape=axis_reductions.first_shape,
        error=lambda c: _sort_error(c)[1],
        text=spell((*called("argsort", _SORTED), f"torch.sort({{0}}, {_SORTED})[1]"), tf=_argsort_tensorflow),
        definition=lambda b, x, a: _sort_definition(b, x, a)[1],
        **_SORT,
    ),
    _order_statistic("median", axis_reductions.one_axis("dim", keepdim=axis_reductions.either)),
    _order_statistic(
        "kthvalue",
        sampling.of_rank(1)(
            sampling.along("dim", lambda rng, n: {"k": rng.randint(1, n), "keepdim": rng.randint(0, 1)})
        ),
        Attr("k", "int"),
    ),
)
