"""Operators that read elements at places given by index tensors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL, STORED
from polyjuice.ops import definitions, errors, sampling
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.normal import along_axis
from polyjuice.ops.registry import TABLE
from polyjuice.ops.shapes import Dims, broadcast, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, NumpyFn, Op, Operand, Sample, attributes, facts
from polyjuice.ops.structural import WITHOUT_BFLOAT16, moving, rearranged
from polyjuice.ops.text import called, spell


def gathering(types: tuple[str, ...] = ALL, indices: tuple[str, ...] = ("int64", "int32")) -> dict[str, Any]:
    """The inputs of an operator that takes data, and indices of some types."""
    return {"inputs": ("T", "I"), "types": {"T": types, "I": indices}}


def index_values(x: np.ndarray) -> np.ndarray:
    """Index values as integers; the analysis of exactness passes floats."""
    return x.astype(np.int64, copy=False)


def unsigned(indices: np.ndarray) -> np.ndarray:
    """Indices of an ATen operator that does not count from the end. Raises IndexError for negative ones."""
    out = index_values(indices)
    if np.any(out < 0):
        raise IndexError("a negative index")
    return out


def by_unsigned(name: str) -> NumpyFn:
    """The meaning that an ATen operator's definition gives it, for indices that do not count from the end."""

    return lambda x, a: definitions.meaning(TABLE["aten", name], [x[0], unsigned(x[1]), *x[2:]], a)


def indices(
    rng: random.Random, shape: Sequence[int], size: int, *, dtype: str = "int64", distinct_along: int | None = None
) -> Operand:
    """Valid indices of an axis, sometimes from its end. Distinct ones all count from the same end."""
    from_end = rng.random() < 0.3
    last = -1 if from_end and distinct_along is not None else size - 1
    return Operand(TensorType(dtype, tuple(shape)), (-size if from_end else 0, last), distinct_along)


def draw_elements(rng: random.Random, first: TensorType) -> tuple[int, list[int]]:
    """An axis, and the shape of indices that need not reach all elements along the others."""
    axis = rng.randrange(first.rank)
    shape = [d if rng.random() < 0.7 else rng.randint(1, d) for d in first.shape]
    shape[axis] = rng.choice((1, 2, 3, first.shape[axis]))
    return axis, shape


def either_width(rng: random.Random) -> str:
    return rng.choice(("int64", "int64", "int32"))


def wrapped_torch(index: str, size: int) -> str:
    """Indices counted from the front: most of Torch's indexing functions take no others."""
    return f"torch.remainder({index}, {size})"


def wrapped_tensorflow(index: str, sizes: object) -> str:
    """TensorFlow's text for indices counted from the front."""
    return f"tf.math.floormod({index}, {sizes})"


def as_long(c: Call, text: str) -> str:
    """Indices in the type that Torch's gathering and scattering functions require."""
    return text if c.types[1].dtype == "int64" else f"{text}.to(torch.int64)"


# --- Gather ----------------------------------------------------------------------------------------------------------


def _gather_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    axis = normalize_axis(a.axis, len(s[0]))
    return [Dims((*s[0][:axis], *s[1], *s[0][axis + 1 :]))]


def _gather(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    indices = index_values(x[1])
    n = x[0].shape[a["axis"]]
    if np.any((indices < -n) | (indices >= n)):
        raise IndexError(f"Gather index out of range for an axis of size {n}")
    return np.take(x[0], indices, axis=a["axis"])


def _gather_torch(c: Call) -> str:
    """Indexing with a tensor; one of rank 0 becomes a vector, because Torch would read its value on the host."""
    axis, rank = normalize_axis(c.attrs["axis"], c.types[0].rank), c.types[1].rank
    if c.draws.chance(0.3):
        flat = wrapped_torch(c.x[1], c.types[0].shape[axis]) + ("" if rank == 1 else ".reshape(-1)")
        text = f"torch.index_select({c.x[0]}, {axis}, {flat})"
        return text if rank == 1 else f"{text}.reshape({c.results[0].shape})"
    text = f"{c.x[0]}[{':, ' * axis}{c.x[1]}"
    return f"{text}]" if rank else f"{text}.reshape(1)].reshape({c.results[0].shape})"


def _gather_tensorflow(c: Call) -> str:
    index = wrapped_tensorflow(c.x[1], c.types[0].shape[c.attrs["axis"]])
    return f"tf.gather({c.x[0]}, {index}, axis={c.attrs['axis']})"


@sampling.of_rank(1)
def _sample_gather(rng: random.Random, first: TensorType) -> Sample:
    axis, most = rng.randrange(first.rank), max(0, min(2, sampling.MAX_RANK + 1 - first.rank))
    n = first.shape[axis]
    shape = [rng.choice((1, 2, 3, n)) for _ in range(rng.randint(0, most))]
    return Sample((indices(rng, shape, n),), {"axis": axis})


# --- GatherElements, take_along_dim ----------------------------------------------------------------------------------


def check_same_but(s: Sequence[Any], axis: int) -> None:
    """Refuse indices whose shape does not fit into the data's along all other axes."""
    data, indices = s[0], s[1]
    axis = normalize_axis(axis, len(data))
    require(len(data) == len(indices))
    require(all(k == axis or i <= d for k, (d, i) in enumerate(zip(data, indices, strict=True))))


def _gather_elements_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims):
        check_same_but(s, a.axis)
    return [s[1]]


def places_along(indices: np.ndarray, axis: int) -> tuple[np.ndarray, ...]:
    """For each element of an index tensor, its own place, except along one axis, where the element is the place."""
    shape, rank = indices.shape, indices.ndim
    places = [np.arange(n).reshape([-1 if i == d else 1 for i in range(rank)]) for d, n in enumerate(shape)]
    places[normalize_axis(axis, rank)] = indices
    return tuple(places)


def _gather_elements_torch(c: Call) -> str:
    index = as_long(c, wrapped_torch(c.x[1], c.types[0].shape[c.attrs["axis"]]))
    form = c.draws.choice(("torch.gather({0}, {1}, {2})", "{0}.gather({1}, {2})"))
    return form.format(c.x[0], c.attrs["axis"], index)


def _own_places(own: str, index: str, axis: int, shape: Sequence[int]) -> str:
    """The texts of :func:`places_along`; ``own`` is one for ``{n}`` places along a ``{line}`` in a ``{shape}``."""
    lines = (tuple(n if i == d else 1 for i in range(len(shape))) for d, n in enumerate(shape))
    texts = (own.format(n=n, line=line, shape=tuple(shape)) for n, line in zip(shape, lines, strict=True))
    return ", ".join(index if d == axis else text for d, text in enumerate(texts))


def coordinates(index: str, dtype: str, axis: int, shape: Sequence[int]) -> str:
    """TensorFlow's text of :func:`places_along`, as vectors of coordinates."""
    own = f"tf.broadcast_to(tf.reshape(tf.range({{n}}, dtype=tf.{dtype}), {{line}}), {{shape}})"
    return f"tf.stack([{_own_places(own, index, axis, shape)}], axis=-1)"


def places_jax(c: Call) -> str:
    axis = normalize_axis(c.attrs["axis"], c.types[0].rank)
    return _own_places("jnp.arange({n}).reshape({line})", c.x[1], axis, c.types[1].shape)


def _same_but(c: Call, axis: int) -> bool:
    """Whether data and indices have the same sizes along all other axes."""
    data, indices = (Dims(t.shape).replace(axis, 1) for t in c.types)
    return data == indices


def _gather_elements_tensorflow(c: Call) -> str:
    axis, t = normalize_axis(c.attrs["axis"], c.types[0].rank), c.types[1]
    index = wrapped_tensorflow(c.x[1], c.types[0].shape[axis])
    if _same_but(c, axis) and c.draws.chance(0.5):
        if axis == t.rank - 1:
            return f"tf.gather({c.x[0]}, {index}, axis={axis}, batch_dims={axis})"
        return f"tf.experimental.numpy.take_along_axis({c.x[0]}, {index}, axis={axis})"
    return f"tf.gather_nd({c.x[0]}, {coordinates(index, t.dtype, axis, t.shape)})"


def _gather_elements_jax(c: Call) -> tuple[str, ...]:
    same = ("jnp.take_along_axis({0}, {1}, axis={axis})",) if _same_but(c, c.attrs["axis"]) else ()
    return *same, f"{{0}}[{places_jax(c)}]"


@sampling.of_rank(1)
def _sample_gather_elements(rng: random.Random, first: TensorType) -> Sample:
    axis, shape = draw_elements(rng, first)
    return Sample((indices(rng, shape, first.shape[axis], dtype=either_width(rng)),), {"axis": axis})


def _take_along_dim(x: Term, indices: Term, a: Attrs) -> Term:
    """Data and indices broadcast to each other along the other dimensions."""
    dim = normalize_axis(a["dim"], x.rank)
    require(x.rank == indices.rank)
    common = broadcast(*(Dims(term.shape).replace(dim, 1) for term in (x, indices)))
    wide, wide_indices = (term.expand(*common.replace(dim, term.shape[dim])) for term in (x, indices))
    return wide.then("GatherElements", wide_indices, axis=dim)


@sampling.of_rank(1)
def _sample_take_along_dim(rng: random.Random, first: TensorType) -> Sample:
    dim = rng.randrange(first.rank)
    shape = [
        1 if rng.random() < 0.2 else sampling.size(rng) if d == 1 and rng.random() < 0.2 else d for d in first.shape
    ]
    shape[dim] = rng.choice((1, 2, 3, first.shape[dim]))
    return Sample((Operand(TensorType("int64", tuple(shape)), (0, first.shape[dim] - 1)),), {"dim": dim})


# --- GatherND --------------------------------------------------------------------------------------------------------


def _gather_nd_shape(s: Sequence[Any], a: Any) -> Sequence[Dims]:
    data, indices, b = tuple(s[0]), tuple(s[1]), a.batch_dims
    require(0 <= b < min(len(indices), len(data)) and data[:b] == indices[:b] and 1 <= indices[-1] <= len(data) - b)
    return [Dims((*indices[:-1], *data[b + indices[-1] :]))]


def _gather_nd(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    indices, b = index_values(x[1]), a["batch_dims"]
    lead = indices.shape[:-1]
    batch = [np.arange(n).reshape([-1 if i == d else 1 for i in range(len(lead))]) for d, n in enumerate(lead[:b])]
    return np.asarray(x[0][(*batch, *np.moveaxis(indices, -1, 0))])


def _gather_nd_torch(c: Call) -> str:
    t, b = c.types[1], c.attrs["batch_dims"]
    index, lead = (c.x[1], t.shape[:-1]) if t.rank > 1 else (f"{c.x[1]}.reshape(1, -1)", (1,))
    batch = [
        f"torch.arange({n}, device={c.x[0]}.device).reshape({(n, *[1] * (len(lead) - d - 1))})"
        for d, n in enumerate(lead[:b])
    ]
    parts = ", ".join([*batch, *(f"{index}[..., {k}]" for k in range(t.shape[-1]))])
    return f"{c.x[0]}[{parts}]" if t.rank > 1 else f"{c.x[0]}[{parts}].reshape({c.results[0].shape})"


def _gather_nd_tensorflow(c: Call) -> str:
    b = c.attrs["batch_dims"]
    sizes = list(c.types[0].shape[b : b + c.types[1].shape[-1]])
    batch = f", batch_dims={b}" if b else ""
    return f"tf.gather_nd({c.x[0]}, {wrapped_tensorflow(c.x[1], sizes)}{batch})"


def _gather_nd_jax(c: Call) -> str:
    b = c.attrs["batch_dims"]
    function = f"{'jax.vmap(' * b}lambda a, b: a[tuple(jnp.moveaxis(b, -1, 0))]{')' * b}"
    return f"({function})({c.x[0]}, {c.x[1]})"


@sampling.of_rank(1)
def _sample_gather_nd(rng: random.Random, first: TensorType) -> Sample:
    b = rng.choice((0, 0, 1, 2)) if first.rank > 2 else 0
    count = rng.randint(1, min(3, first.rank - b))
    lead = [rng.choice((1, 2, 3, 5)) for _ in range(rng.choice((0, 1, 1, 2)) if not b else rng.randint(0, 1))]
    shape = (*first.shape[:b], *lead, count)
    return Sample((indices(rng, shape, min(first.shape[b : b + count])),), {"batch_dims": b})


# --- OneHot ----------------------------------------------------------------------------------------------------------


def _one_hot(index: Term, values: Term, a: Attrs) -> Term:
    """Indices may count from the end; one out of range has no place."""
    depth, axis = a["depth"], normalize_axis(a["axis"], index.rank + 1)
    require(index.rank and values.shape == (2,) and depth > 0)
    line = np.arange(depth, dtype=index.dtype).reshape([-1 if i == axis else 1 for i in range(index.rank + 1)])
    hot, from_end = (index.unsqueeze(axis).equals(index.constant(places)) for places in (line, line - depth))
    return where(hot.then("Or", from_end), values.slice(0, 1, 2), values.slice(0, 0, 1))


def _one_hot_torch(c: Call) -> str:
    depth, axis = c.attrs["depth"], normalize_axis(c.attrs["axis"], c.results[0].rank)
    index = c.let(f"torch.where({c.x[0]} < 0, {c.x[0]} + {depth}, {c.x[0]}).unsqueeze({axis})")
    line = tuple(depth if i == axis else 1 for i in range(c.results[0].rank))
    hot = f"{index} == torch.arange({depth}, device={index}.device).reshape({line})"
    return f"torch.where({hot}, {c.x[1]}[1], {c.x[1]}[0])"


def _one_hot_tensorflow(c: Call) -> str:
    """TensorFlow's indices do not count from the end."""
    depth, axis = c.attrs["depth"], normalize_axis(c.attrs["axis"], c.results[0].rank)
    index = f"tf.where({c.x[0]} < 0, {c.x[0]} + {depth}, {c.x[0]})"
    values = f"on_value={c.x[1]}[1], off_value={c.x[1]}[0], axis={axis}"
    return f"tf.one_hot({index}, {depth}, {values}, dtype=tf.{c.results[0].dtype})"


@sampling.of_rank(1, sampling.MAX_RANK - 1, empty=True)
def _sample_one_hot(rng: random.Random, first: TensorType) -> Sample:
    dtype = rng.choice(("float32", "float32", "float16", "float64", "int64", "int32", "bool"))
    attrs = {"depth": rng.choice((1, 2, 3, 5, 8)), "axis": rng.randint(0, first.rank)}
    return Sample((Operand(TensorType(dtype, (2,))),), attrs)


# --- index_select, take -----------------------------------------------------------------------------------------------


@sampling.of_rank(1)
def _sample_index_select(rng: random.Random, first: TensorType) -> Sample:
    dim = rng.randrange(first.rank)
    n = first.shape[dim]
    return Sample((Operand(TensorType(either_width(rng), (rng.choice((1, 2, 3, 5, n)),)), (0, n - 1)),), {"dim": dim})


@sampling.of_rank(0)
def _sample_take(rng: random.Random, first: TensorType) -> Sample:
    return Sample((indices(rng, [rng.choice((1, 2, 3, 5, 8)) for _ in range(rng.randint(0, 2))], first.size),))


OPS: tuple[Op, ...] = (
    moving(
        "Gather",
        _gather_shape,
        spell(_gather_torch, _gather_tensorflow, "jnp.take({0}, {1}, axis={axis})"),
        _sample_gather,
        attributes(axis=0),
        **gathering(STORED),
        error=errors.gathered,
        numpy=_gather,
        **facts(weight=1.5, followers="Gather Concat Add Unsqueeze Reshape MatMul Slice"),
    ),
    moving(
        "GatherElements",
        _gather_elements_shape,
        spell(_gather_elements_torch, _gather_elements_tensorflow, _gather_elements_jax),
        _sample_gather_elements,
        attributes(axis=0),
        weight=0.5,
        **gathering(),
        error=errors.gathered,
        numpy=lambda x, a: np.asarray(x[0][places_along(index_values(x[1]), a["axis"])]),
    ),
    moving(
        "GatherND",
        _gather_nd_shape,
        spell(_gather_nd_torch, _gather_nd_tensorflow, _gather_nd_jax),
        _sample_gather_nd,
        attributes(batch_dims=0),
        weight=0.5,
        **gathering(indices=("int64",)),
        error=errors.gathered,
        numpy=_gather_nd,
    ),
    rearranged(
        "OneHot",
        _one_hot,
        spell(_one_hot_torch, _one_hot_tensorflow),
        _sample_one_hot,
        (Attr("depth", "int", as_input=True, scalar=True, place=1), Attr("axis", "int", -1)),
        inputs=("I", "V"),
        types={"I": ("int64", "int32"), "V": WITHOUT_BFLOAT16},
        results=("V",),
        weight=0.5,
        normal=lambda a, x: along_axis(a, x, added=1),
    ),
    rearranged(
        "index_select",
        lambda x, index, a: x.then("Gather", index, axis=a["dim"]),
        spell(
            called("index_select", "{dim}, {1}"),
            ("tf.gather({0}, {1}, axis={dim})", "tf.experimental.numpy.take({0}, {1}, axis={dim})"),
        ),
        _sample_index_select,
        attributes(dim="int"),
        fitting(lambda s, a: len(s[1]) == 1, lambda s, a: [s[0].replace(a.dim, s[1][0])]),
        numpy=by_unsigned("index_select"),
        why_not_derived=errors.NEGATIVE_INDICES,
        **gathering(),
    ),
    rearranged(
        "take_along_dim",
        _take_along_dim,
        spell(called("take_along_dim", "{1}, dim={dim}")),
        _sample_take_along_dim,
        attributes(dim="int"),
        numpy=by_unsigned("take_along_dim"),
        why_not_derived=errors.NEGATIVE_INDICES,
        **gathering(indices=("int64",)),
    ),
    rearranged(
        "take",
        lambda x, indices, a: x.reshape(-1).then("Gather", indices, axis=0),
        spell("torch. ."),
        _sample_take,
        shape=lambda s, a: [s[1]],
        **gathering(indices=("int64",)),
    ),
)
