"""ATen's operators that stack tensors, or cut, view and replace parts of one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import errors, sampling, writes
from polyjuice.ops.rearranging import cut, draw_axis
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import AttrView, Builder, Call, Op, Operand, Sample, attributes, facts
from polyjuice.ops.structural import moving, reshaped
from polyjuice.ops.text import TextFn, filled, spell, subscript

# --- stack, unbind, select, narrow, movedim --------------------------------------------------------------------------


def _stack_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(all(shape == s[0] for shape in s))
    dim = normalize_axis(a.dim, len(s[0]) + 1)
    return [Dims((*s[0][:dim], len(s), *s[0][dim:]))]


def _sample_stack(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank >= sampling.MAX_RANK:
        return None
    return Sample((Operand(first),) * rng.choice((1, 1, 2)), {"dim": rng.randint(0, first.rank)})


def _without(shape: Dims, dim: int) -> Dims:
    dim = normalize_axis(dim, len(shape))
    return Dims((*shape[:dim], *shape[dim + 1 :]))


def _unbind_definition(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    lines = b.multi("Split", x[0], axis=a["dim"], split=(1,) * b.types[x[0]].shape[a["dim"]])
    return [b.op("Squeeze", line, axes=(a["dim"],)) for line in lines]


def _draw_unbind(rng: random.Random, first: TensorType) -> Attrs | None:
    dims = [i for i, d in enumerate(first.shape) if 1 <= d <= 4]
    return {"dim": rng.choice(dims)} if dims else None


def _select_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    rest = _without(s[0], a.dim)
    require(-s[0][a.dim] <= a.index < s[0][a.dim])
    return [rest]


def _indexed(entry: Callable[[Attrs], str], *templates: str) -> TextFn:
    """Indexing one dimension, or one of the templates."""

    def spell(c: Call) -> str:
        dim = normalize_axis(c.attrs["dim"], c.types[0].rank)
        text = c.x[0] + subscript(c.types[0].rank, {dim: entry(c.attrs)})
        return c.draws.choice([text, *(template.format(c.x[0], **c.attrs) for template in templates)])

    return spell


def _draw_select(rng: random.Random, first: TensorType) -> Attrs | None:
    dim = draw_axis(rng, first)
    if dim is None:
        return None
    n = first.shape[dim]
    return {"dim": dim, "index": rng.choice((rng.randrange(n), -rng.randint(1, n)))}


def _narrow_entry(a: Attrs) -> str:
    return f"{a['start']}:{a['start'] + a['length']}"


def _draw_narrow(rng: random.Random, first: TensorType) -> Attrs | None:
    dim = draw_axis(rng, first)
    if dim is None:
        return None
    start = rng.randrange(first.shape[dim])
    return {"dim": dim, "start": start, "length": rng.randint(1, first.shape[dim] - start)}


def _moved_axes(rank: int, a: Any) -> tuple[int, ...]:
    """The permutation of movedim."""
    source, target = ([normalize_axis(d, rank) for d in dims] for dims in (a.source, a.destination))
    require(len({*source}) == len(source) == len(target) == len({*target}))
    rest = iter(i for i in range(rank) if i not in source)
    places = dict(zip(target, source, strict=True))
    return tuple(places[i] if i in places else next(rest) for i in range(rank))


@sampling.of_rank(2, empty=True)
def _draw_movedim(rng: random.Random, first: TensorType) -> Attrs:
    count = rng.randint(1, min(2, first.rank))
    axes = range(first.rank)
    return {"source": tuple(rng.sample(axes, count)), "destination": tuple(rng.sample(axes, count))}


# --- diagonal, diag_embed, block_diag --------------------------------------------------------------------------------


def _diagonal_steps(shape: Sequence[int], a: Any) -> tuple[tuple[int, ...], int, int, int]:
    """The permutation that puts the two dimensions last; the first place of the diagonal, and its length.

    Places are counted through the two dimensions. Raises ShapeMismatch where there is no such diagonal.
    """
    first, second = (normalize_axis(d, len(shape)) for d in (a.dim1, a.dim2))
    require(first != second)
    rows, columns = shape[first], shape[second]
    row, column = max(-a.offset, 0), max(a.offset, 0)
    require(row <= rows and column <= columns)
    perm = (*(i for i in range(len(shape)) if i not in (first, second)), first, second)
    return perm, row * columns + column, min(rows - row, columns - column), columns + 1


def _diagonal_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    perm, _, length, _ = _diagonal_steps(s[0], a)
    return [Dims((*(s[0][i] for i in perm[:-2]), length))]


def diagonal_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    shape = b.types[x[0]].shape
    perm, start, length, step = _diagonal_steps(shape, AttrView(a))
    rest = tuple(shape[i] for i in perm[:-2])
    flat = reshaped(b, b.op("Transpose", x[0], perm=perm), (*rest, shape[perm[-2]] * shape[perm[-1]]))
    return b.op("Gather", flat, b.constant(start + step * np.arange(length, dtype=np.int64)), axis=len(rest))


def _diagonal_tensorflow(c: Call) -> str:
    perm, *_ = _diagonal_steps(c.types[0].shape, AttrView(c.attrs))
    return f"tf.linalg.diag_part(tf.transpose({c.x[0]}, {list(perm)}), k={c.attrs['offset']})"


@sampling.of_rank(2, empty=True)
def _draw_diagonal(rng: random.Random, first: TensorType) -> Attrs | None:
    dim1, dim2 = rng.sample(range(first.rank), 2)
    rows, columns = first.shape[dim1], first.shape[dim2]
    if not rows or not columns:
        return None
    return {"offset": rng.choice((0, 0, rng.randint(1 - rows, columns - 1))), "dim1": dim1, "dim2": dim2}


def _embedding_places(rank: int, a: Any) -> tuple[int, ...]:
    """The permutation that moves the last two dimensions to where diag_embed puts them."""
    dim1, dim2 = (normalize_axis(d, rank) for d in (a.dim1, a.dim2))
    require(dim1 != dim2)
    rest = iter(range(rank - 2))
    return tuple(rank - 2 if i == dim1 else rank - 1 if i == dim2 else next(rest) for i in range(rank))


def _diag_embed_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    size = s[0][-1] + abs(a.offset)
    wide = (*s[0][:-1], size, size)
    return [Dims(wide[i] for i in _embedding_places(len(wide), a))]


def diag_embed_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    """Look up every place of the matrices in the elements of the diagonal, followed by a zero."""
    t, offset = b.types[x[0]], a["offset"]
    n = t.shape[-1]
    size = n + abs(offset)
    places = np.full((size, size), n, np.int64)
    rows = np.arange(n) + max(-offset, 0)
    places[rows, rows + offset] = np.arange(n)
    padded = b.op("Pad", x[0], pads=(*[0] * (2 * t.rank - 1), 1), value=0.0)
    matrices = b.op("Gather", padded, b.constant(places), axis=t.rank - 1)
    return b.op("Transpose", matrices, perm=_embedding_places(t.rank + 1, AttrView(a)))


def _diag_embed_tensorflow(c: Call) -> str:
    perm = _embedding_places(c.results[0].rank, AttrView(c.attrs))
    return f"tf.transpose(tf.linalg.diag({c.x[0]}, k={c.attrs['offset']}), {list(perm)})"


def _draw_diag_embed(rng: random.Random, first: TensorType) -> Attrs | None:
    if not 1 <= first.rank < sampling.MAX_RANK:
        return None
    dim1, dim2 = rng.choice(((first.rank - 1, first.rank), tuple(rng.sample(range(first.rank + 1), 2))))
    return {"offset": rng.choice((0, 0, 1, -2)), "dim1": dim1, "dim2": dim2}


def _block_diag_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(all(len(shape) == 2 for shape in s))
    return [Dims((sum(shape[0] for shape in s), sum(shape[1] for shape in s)))]


def _block_diag_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    columns = [b.types[name].shape[1] for name in x]
    margins = ((sum(columns[:i]), sum(columns[i + 1 :])) for i in range(len(columns)))
    rows = [b.op("Pad", name, pads=(0, before, 0, after)) for name, (before, after) in zip(x, margins, strict=True)]
    return b.op("Concat", *rows, axis=0)


@sampling.of_rank(2, 2, empty=True)
def _sample_block_diag(rng: random.Random, first: TensorType) -> Sample:
    others = [(sampling.size(rng), sampling.size(rng)) for _ in range(rng.choice((1, 1, 2)))]
    return sampling.operands(first, *others)


# --- unfold ----------------------------------------------------------------------------------------------------------


def _window_places(size: int, a: Attrs) -> np.ndarray:
    """The place on the axis of each element of each window."""
    starts = np.arange(0, size - a["size"] + 1, a["step"], dtype=np.int64)
    return starts[:, None] + np.arange(a["size"])


def _unfold_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    t = b.types[x[0]]
    dim = normalize_axis(a["dimension"], t.rank)
    windows = b.op("Gather", x[0], b.constant(_window_places(t.shape[dim], a)), axis=dim)
    return b.op("Transpose", windows, perm=(*(i for i in range(t.rank + 1) if i != dim + 1), dim + 1))


def _draw_unfold(rng: random.Random, first: TensorType) -> Attrs | None:
    dim = draw_axis(rng, first)
    if dim is None or first.rank >= sampling.MAX_RANK:
        return None
    return {"dimension": dim, "size": rng.randint(1, min(4, first.shape[dim])), "step": rng.choice((1, 1, 2, 3))}


# --- diagonal_scatter, channel_shuffle -------------------------------------------------------------------------------


def _diagonal_scatter_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    """Look up every place of the matrices in their elements, followed by those of the new diagonal."""
    shape = b.types[x[0]].shape
    perm, start, length, step = _diagonal_steps(shape, AttrView(a))
    moved = tuple(shape[i] for i in perm)
    rest, count = moved[:-2], moved[-2] * moved[-1]
    joined = b.op("Concat", reshaped(b, b.op("Transpose", x[0], perm=perm), (*rest, count)), x[1], axis=len(rest))
    places = np.arange(count)
    places[start + step * np.arange(length)] = count + np.arange(length)
    found = reshaped(b, b.op("Gather", joined, b.constant(places), axis=len(rest)), moved)
    return b.op("Transpose", found, perm=tuple(int(i) for i in np.argsort(perm)))


def _sample_diagonal_scatter(rng: random.Random, first: TensorType) -> Sample | None:
    if (attrs := _draw_diagonal(rng, first)) is None:
        return None
    return sampling.operands(first, _diagonal_shape([Dims(first.shape)], AttrView(attrs))[0], **attrs)


def _channel_shuffle_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    n, channels, *rest = b.types[x[0]].shape
    groups = reshaped(b, x[0], (n, a["groups"], channels // a["groups"], *rest))
    turned = b.op("Transpose", groups, perm=(0, 2, 1, *range(3, len(rest) + 3)))
    return reshaped(b, turned, (n, channels, *rest))


@sampling.of_rank(3)
def _draw_channel_shuffle(rng: random.Random, first: TensorType) -> Attrs:
    return {"groups": rng.choice([n for n in range(1, first.shape[1] + 1) if first.shape[1] % n == 0])}


# --- select_scatter, slice_scatter -----------------------------------------------------------------------------------


def _assigning(entry: Callable[[Attrs], str], *templates: str) -> TextFn:
    """One of some templates, or an assignment to a part of a copy, at an index along the dimension."""

    def spell(c: Call) -> str:
        if not writes.wanted(c):
            return str(filled(c, templates))
        part = subscript(c.types[0].rank, {c.attrs["dim"]: entry(c.attrs)})
        return writes.written(c, f"{c.x[0]}.clone()", [(part, c.x[1])])

    return spell


def _joined_definition(b: Builder, x: str, source: str, dim: int, start: int, end: int) -> str:
    size = b.types[x].shape[dim]
    parts = [cut(b, x, dim, 0, start)] if start else []
    parts += [source, *([cut(b, x, dim, end, size)] if end < size else [])]
    return b.op("Concat", *parts, axis=dim) if len(parts) > 1 else b.op("Identity", source)


def _select_scatter_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    dim = normalize_axis(a["dim"], b.types[x[0]].rank)
    index = a["index"] % b.types[x[0]].shape[dim]
    return _joined_definition(b, x[0], b.op("Unsqueeze", x[1], axes=(dim,)), dim, index, index + 1)


def _slice_scatter(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    out = np.array(x[0])
    np.moveaxis(out, a["dim"], 0)[a["start"] : a["end"] : a["step"]] = np.moveaxis(x[1], a["dim"], 0)
    return out


def _slice_scatter_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    data, source = (b.types[name] for name in x)
    dim = normalize_axis(a["dim"], data.rank)
    taken = range(*slice(a["start"], a["end"], a["step"]).indices(data.shape[dim]))
    if a["step"] == 1:
        return _joined_definition(b, x[0], x[1], dim, taken.start, taken.start + len(taken))
    places = np.array(taken, np.int64).reshape([-1 if i == dim else 1 for i in range(data.rank)])
    index = b.constant(np.ascontiguousarray(np.broadcast_to(places, source.shape)))
    return b.op("ScatterElements", x[0], index, x[1], axis=dim)


def _sample_select_scatter(rng: random.Random, first: TensorType) -> Sample | None:
    attrs = _draw_select(rng, first)
    return None if attrs is None else sampling.operands(first, _without(Dims(first.shape), attrs["dim"]), **attrs)


def _sample_slice_scatter(rng: random.Random, first: TensorType) -> Sample | None:
    dim = draw_axis(rng, first)
    if dim is None:
        return None
    start = rng.randrange(first.shape[dim])
    end, step = rng.randint(start + 1, first.shape[dim]), rng.choice((1, 1, 2))
    source = Dims(first.shape).sliced((start,), (end,), (dim,), (step,))
    return sampling.operands(first, source, dim=dim, start=start, end=end, step=step)


OPS: tuple[Op, ...] = (
    moving(
        "stack",
        _stack_shape,
        spell("torch.stack(({all},), dim={dim})", tf="tf.stack([{all}], axis={dim})"),
        _sample_stack,
        attributes(dim="int"),
        variadic=True,
        definition=lambda b, x, a: b.op(
            "Concat", *(b.op("Unsqueeze", name, axes=(a["dim"],)) for name in x), axis=a["dim"]
        ),
    ),
    moving(
        "unbind",
        lambda s, a: [_without(s[0], a.dim)] * s[0][a.dim],
        spell(("torch.unbind({0}, {dim})", "{0}.unbind({dim})"), tf="tf.unstack({0}, axis={dim})"),
        sampling.alone_with(_draw_unbind),
        attributes(dim="int"),
        splits="dim",
        definition=_unbind_definition,
    ),
    moving(
        "select",
        _select_shape,
        spell(
            _indexed(lambda a: str(a["index"]), "torch.select({0}, {dim}, {index})", "{0}.select({dim}, {index})"),
            tf=_indexed(lambda a: str(a["index"])),
        ),
        sampling.alone_with(_draw_select),
        attributes(dim="int", index="int"),
        definition=lambda b, x, a: b.op("Gather", x[0], b.constant(np.asarray(a["index"], np.int64)), axis=a["dim"]),
    ),
    moving(
        "narrow",
        fitting(
            lambda s, a: a.start >= 0 and a.length >= 0 and a.start + a.length <= s[0][a.dim],
            lambda s, a: [s[0].replace(a.dim, a.length)],
        ),
        spell(
            _indexed(
                _narrow_entry, "torch.narrow({0}, {dim}, {start}, {length})", "{0}.narrow({dim}, {start}, {length})"
            ),
            tf=_indexed(_narrow_entry),
        ),
        sampling.alone_with(_draw_narrow),
        attributes(dim="int", start="int", length="int"),
        definition=lambda b, x, a: cut(b, x[0], a["dim"], a["start"], a["start"] + a["length"]),
    ),
    moving(
        "movedim",
        lambda s, a: [Dims(s[0][i] for i in _moved_axes(len(s[0]), a))],
        spell(("torch.movedim({0}, {source}, {destination})", "{0}.moveaxis({source}, {destination})")),
        sampling.alone_with(_draw_movedim),
        attributes(source="ints", destination="ints"),
        definition=lambda b, x, a: b.op("Transpose", x[0], perm=_moved_axes(b.types[x[0]].rank, AttrView(a))),
    ),
    moving(
        "diagonal",
        _diagonal_shape,
        spell(
            ("torch.diagonal({0}, {offset}, {dim1}, {dim2})", "{0}.diagonal({offset}, {dim1}, {dim2})"),
            tf=_diagonal_tensorflow,
        ),
        sampling.alone_with(_draw_diagonal),
        attributes(offset=0, dim1=0, dim2=1),
        definition=diagonal_definition,
    ),
    moving(
        "diag_embed",
        _diag_embed_shape,
        spell("torch.diag_embed({0}, {offset}, {dim1}, {dim2})", tf=_diag_embed_tensorflow),
        sampling.alone_with(_draw_diag_embed),
        attributes(offset=0, dim1=-2, dim2=-1),
        definition=diag_embed_definition,
        filling="0.0",
    ),
    moving(
        "block_diag",
        _block_diag_shape,
        spell("torch.block_diag({all})"),
        _sample_block_diag,
        definition=_block_diag_definition,
        **facts(variadic=True, filling="0.0"),
    ),
    moving(
        "unfold",
        fitting(
            lambda s, a: 1 <= a.size <= s[0][a.dimension] and a.step >= 1,
            lambda s, a: [s[0].replace(a.dimension, (s[0][a.dimension] - a.size) // a.step + 1).append(a.size)],
        ),
        spell("{0}.unfold({dimension}, {size}, {step})"),
        sampling.alone_with(_draw_unfold),
        attributes(dimension="int", size="int", step="int"),
        definition=_unfold_definition,
    ),
    moving(
        "diagonal_scatter",
        fitting(lambda s, a: _diagonal_shape(s, a)[0] == s[1]),
        spell(
            (
                "torch.diagonal_scatter({0}, {1}, {offset}, {dim1}, {dim2})",
                "{0}.diagonal_scatter({1}, {offset}, {dim1}, {dim2})",
            )
        ),
        _sample_diagonal_scatter,
        attributes(offset=0, dim1=0, dim2=1),
        inputs=("T", "T"),
        definition=_diagonal_scatter_definition,
    ),
    moving(
        "channel_shuffle",
        fitting(lambda s, a: len(s[0]) > 2 and a.groups > 0 and s[0][1] % a.groups == 0),
        spell(("torch.channel_shuffle({0}, {groups})", "torch.nn.ChannelShuffle({groups})({0})")),
        sampling.alone_with(_draw_channel_shuffle),
        attributes(groups="int"),
        definition=_channel_shuffle_definition,
    ),
    moving(
        "select_scatter",
        fitting(lambda s, a: _select_shape(s, a)[0] == s[1]),
        spell(
            _assigning(
                lambda a: str(a["index"]),
                "torch.select_scatter({0}, {1}, {dim}, {index})",
                "{0}.select_scatter({1}, {dim}, {index})",
            )
        ),
        _sample_select_scatter,
        attributes(dim="int", index="int"),
        inputs=("T", "T"),
        definition=_select_scatter_definition,
    ),
    moving(
        "slice_scatter",
        fitting(lambda s, a: a.step > 0 and s[0].sliced((a.start,), (a.end,), (a.dim,), (a.step,)) == s[1]),
        spell(
            _assigning(
                lambda a: f"{a['start']}:{a['end']}:{a['step']}",
                "torch.slice_scatter({0}, {1}, {dim}, {start}, {end}, {step})",
                "{0}.slice_scatter({1}, {dim}, {start}, {end}, {step})",
            )
        ),
        _sample_slice_scatter,
        attributes(dim=0, start="int", end="int", step=1),
        inputs=("T", "T"),
        definition=_slice_scatter_definition,
        numpy=_slice_scatter,
        error=errors.moved,
        why_not_derived="ScatterElements takes no complex numbers",
    ),
)
