"""Operators that write elements at the places in index tensors: they replace elements, or combine with them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL
from polyjuice.ops import adjoints, indexing, sampling, writes
from polyjuice.ops.normal import GivenAttrs, Types, along_axis, demand
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import Call, ErrorContext, Op, Operand, Sample, attributes, facts
from polyjuice.ops.text import TextFn, spell

# --- ScatterElements, ScatterND --------------------------------------------------------------------------------------

_UPDATES = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}

_Places = Callable[[Sequence[np.ndarray], Attrs], tuple[Any, ...]]


def scatter(data: np.ndarray, places: tuple[Any, ...], updates: np.ndarray, reduction: str) -> np.ndarray:
    """Return a copy of the data whose elements at some places are replaced by the updates, or combined with them."""
    out = np.array(data)
    if reduction == "none":
        out[places] = updates
    else:
        _UPDATES[reduction].at(out, places, updates)
    return out


def scatter_error(
    c: ErrorContext, places: tuple[Any, ...], updates: np.ndarray, e: np.ndarray, kind: str
) -> np.ndarray:
    """The bound of :func:`scatter`; unknown where an index is in doubt, or an element is replaced twice."""
    data, shape = c.x[0], np.shape(c.y[0])
    if np.any(c.e[1]):
        return np.full(shape, np.inf)
    e0, hits = np.broadcast_to(c.e[0], shape), scatter(np.zeros(shape), places, np.ones(updates.shape), "add")
    if kind == "none":
        return np.where(hits > 1, np.inf, scatter(e0, places, e, "none"))
    if kind in ("max", "min"):
        return scatter(e0, places, e, "max")
    size, change = np.abs(data).astype(np.float64), np.abs(updates)
    grown = scatter(size + e0, places, change + e, kind)
    spread = scatter(e0, places, e, "add") if kind == "add" else grown - scatter(size, places, change, kind)
    return np.asarray(spread + (hits + 1) * c.unit * grown)


def _scattering(name: str, places: _Places, types: tuple[str, ...], fits: Any, adjoint: Any, **properties: Any) -> Op:
    """The entry of an operator that writes updates at places, or combines them with the elements there."""

    def error(c: ErrorContext) -> np.ndarray:
        e = np.broadcast_to(c.e[2], c.x[2].shape)
        return scatter_error(c, places(c.x, c.attrs), c.x[2], e, c.attrs["reduction"])

    def partial(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        """A bound on intermediate values: sums of magnitudes, products that no factor makes smaller."""
        kind = a["reduction"] if a["reduction"] in ("add", "mul") else "max"
        least = 1.0 if kind == "mul" else 0.0
        sizes = [np.maximum(np.abs(array).astype(np.float64), least) for array in (x[0], x[2])]
        return scatter(sizes[0], places(x, a), sizes[1], kind)

    return Op(
        name=name,
        inputs=("T", "I", "T"),
        types={"T": ALL, "I": types},
        shape=fitting(fits),
        numpy=lambda x, a: scatter(x[0], places(x, a), x[2], a["reduction"]),
        error=error,
        partial=partial,
        adjoint=adjoints.scatter(adjoint),
        **facts(integer_exact=True, modular=True, weight=0.5),
        **properties,
    )


def _element_places(x: Sequence[np.ndarray], a: Attrs) -> tuple[Any, ...]:
    return indexing.places_along(indexing.index_values(x[1]), a["axis"])


def _nd_places(x: Sequence[np.ndarray], a: Attrs) -> tuple[Any, ...]:
    return tuple(np.moveaxis(indexing.index_values(x[1]), -1, 0))


def _fits_elements(s: Sequence[Dims], a: Any) -> bool:
    indexing.check_same_but(s, a.axis)
    return s[1] == s[2]


def _fits_rows(s: Sequence[Dims], a: Any) -> bool:
    data, indices, updates = map(tuple, s)
    return 1 <= (indices or (0,))[-1] <= len(data) and updates == (*indices[:-1], *data[indices[-1] :])


_TORCH_REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter_elements_torch(c: Call) -> str:
    axis, reduction = c.attrs["axis"], c.attrs["reduction"]
    index = indexing.as_long(c, indexing.wrapped_torch(c.x[1], c.types[0].shape[axis]))
    if reduction == "none":
        texts = ["torch.scatter({0}, {1}, {2}, {3})", "{0}.scatter({1}, {2}, {3})"]
    else:
        texts = ["torch.scatter_reduce({0}, {1}, {2}, {3}, reduce='{4}')"]
        texts.append("{0}.scatter_reduce({1}, {2}, {3}, reduce='{4}', include_self=True)")
        if reduction == "add":
            texts += ["torch.scatter_add({0}, {1}, {2}, {3})", "{0}.scatter_add({1}, {2}, {3})"]
    into = c.x[0]
    if writes.wanted(c):
        into = c.let(f"{into}.clone()")
        texts = [re.sub(r"^(\{0\}\.\w+)\(", r"\1_(", text) for text in texts if text.startswith("{0}.")]
    return c.draws.choice(texts).format(into, axis, index, c.x[2], _TORCH_REDUCTIONS.get(reduction))


def _strides(shape: Sequence[int]) -> list[int]:
    return [sampling.total(shape[k + 1 :]) for k in range(len(shape))]


def _scatter_nd_torch(c: Call) -> str:
    reduction, count = c.attrs["reduction"], c.types[1].shape[-1]
    columns = [f"{c.x[1]}[..., {k}]" for k in range(count)]
    if reduction in ("none", "add"):
        flag = ", accumulate=True" if reduction == "add" else ""
        template = c.draws.choice(("torch.index_put({0}, ({1},), {2}{3})", "{0}.index_put(({1},), {2}{3})"))
        return template.format(c.x[0], ", ".join(columns), c.x[2], flag)
    indexed, rest = c.types[0].shape[:count], sampling.total(c.types[0].shape[count:])
    places = zip(columns, indexed, _strides(indexed), strict=True)
    line = " + ".join(f"{indexing.wrapped_torch(column, n)} * {stride}" for column, n, stride in places)
    index = f"({line}).reshape(-1, 1).expand(-1, {rest})"
    return (
        f"{c.x[0]}.reshape({sampling.total(indexed)}, {rest}).scatter_reduce(0, {index}, {c.x[2]}.reshape(-1, {rest}),"
        f" reduce='{_TORCH_REDUCTIONS[reduction]}').reshape({c.results[0].shape})"
    )


_TENSORFLOW_REDUCTIONS = {"none": "update", "add": "add", "max": "max", "min": "min"}


def _scatter_tensorflow(c: Call, places: str, indexed: Sequence[int]) -> str:
    """An update of slices at coordinates; for products, by segments, because TensorFlow has no scatter for them."""
    if c.attrs["reduction"] != "mul":
        function = f"tf.tensor_scatter_nd_{_TENSORFLOW_REDUCTIONS[c.attrs['reduction']]}"
        return f"{function}({c.x[0]}, {places}, {c.x[2]})"
    count, rest = sampling.total(indexed), sampling.total(c.types[0].shape[len(indexed) :])
    line = f"tf.reshape(tf.reduce_sum({places} * {_strides(indexed)}, axis=-1), [-1])"
    factors = f"tf.math.unsorted_segment_prod(tf.reshape({c.x[2]}, [-1, {rest}]), {line}, {count})"
    return f"{c.x[0]} * tf.reshape({factors}, {list(c.types[0].shape)})"


def _scatter_elements_tensorflow(c: Call) -> str:
    axis, t = normalize_axis(c.attrs["axis"], c.types[0].rank), c.types[1]
    index = indexing.wrapped_tensorflow(c.x[1], c.types[0].shape[axis])
    return _scatter_tensorflow(c, indexing.coordinates(index, t.dtype, axis, t.shape), c.types[0].shape)


def _scatter_nd_tensorflow(c: Call) -> str:
    indexed = c.types[0].shape[: c.types[1].shape[-1]]
    return _scatter_tensorflow(c, indexing.wrapped_tensorflow(c.x[1], list(indexed)), indexed)


_JAX_REDUCTIONS = {"none": "set", "mul": "multiply"}


def _scatter_jax(places: Callable[[Call], str]) -> TextFn:
    def text(c: Call) -> str:
        reduction = c.attrs["reduction"]
        return f"{c.x[0]}.at[{places(c)}].{_JAX_REDUCTIONS.get(reduction, reduction)}({c.x[2]})"

    return text


def _draw_reduction(rng: random.Random, dtype: str) -> str:
    return "none" if dtype == "bool" else rng.choice(("none", "none", "add", "mul", "max", "min"))


@sampling.of_rank(1)
def _sample_scatter_elements(rng: random.Random, first: TensorType) -> Sample:
    reduction, (axis, shape) = _draw_reduction(rng, first.dtype), indexing.draw_elements(rng, first)
    n, dtype = first.shape[axis], indexing.either_width(rng)
    if reduction == "none":
        shape[axis] = rng.randint(1, n)
    indices = indexing.indices(rng, shape, n, dtype=dtype, distinct_along=axis if reduction == "none" else None)
    updates = Operand(TensorType(first.dtype, tuple(shape)))
    return Sample((indices, updates), {"axis": axis, "reduction": reduction})


@sampling.of_rank(1)
def _sample_scatter_nd(rng: random.Random, first: TensorType) -> Sample:
    reduction, count = _draw_reduction(rng, first.dtype), rng.randint(1, min(3, first.rank))
    n = min(first.shape[:count])
    lead = [rng.choice((1, 2, 3, 5)) for _ in range(rng.choice((1, 1, 2)))]
    if reduction == "none":
        lead = [rng.randint(1, n)]
    indices = indexing.indices(rng, (*lead, count), n, distinct_along=0 if reduction == "none" else None)
    updates = Operand(TensorType(first.dtype, (*lead, *first.shape[count:])))
    return Sample((indices, updates), {"reduction": reduction})


def _normal_rows(a: GivenAttrs, x: Types) -> None:
    demand(a["reduction"] == "none" or x[0].dtype != "bool", "a reduction of truth values")


def _normal_elements(a: GivenAttrs, x: Types) -> None:
    along_axis(a, x)
    _normal_rows(a, x)


OPS: tuple[Op, ...] = (
    _scattering(
        "ScatterElements",
        _element_places,
        ("int64", "int32"),
        _fits_elements,
        adjoints.along_elements,
        text=spell(_scatter_elements_torch, _scatter_elements_tensorflow, _scatter_jax(indexing.places_jax)),
        sample=_sample_scatter_elements,
        attrs=attributes(axis=0, reduction="none"),
        normal=_normal_elements,
    ),
    _scattering(
        "ScatterND",
        _nd_places,
        ("int64",),
        _fits_rows,
        adjoints.at_rows,
        text=spell(
            _scatter_nd_torch, _scatter_nd_tensorflow, _scatter_jax(lambda c: f"tuple(jnp.moveaxis({c.x[1]}, -1, 0))")
        ),
        sample=_sample_scatter_nd,
        attrs=attributes(reduction="none"),
        normal=_normal_rows,
    ),
)
