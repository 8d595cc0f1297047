"""ATen's operators that stack tensors, or cut, view and replace parts of one."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling, spec, writes
from polyjuice.ops.decomposition_terms import Term, concat
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Builder, Call, Op, Operand, Sample, TemplatesFn, attributes, by_definition
from polyjuice.ops.structural import moving, rearranged
from polyjuice.ops.text import TextFn, called, filled, spell, subscript

# --- stack, unbind, select, narrow, movedim --------------------------------------------------------------------------


def _stack(*x: Any) -> Term:
    *lines, a = x
    return concat(a["dim"], *(line.unsqueeze(a["dim"]) for line in lines))


def _sample_stack(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank >= sampling.MAX_RANK:
        return None
    return Sample((Operand(first),) * rng.choice((1, 1, 2)), {"dim": rng.randint(0, first.rank)})


def _unbind(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
    lines = b.multi("Split", x[0], axis=a["dim"], split=(1,) * b.types[x[0]].shape[a["dim"]])
    return [b.op("Squeeze", line, axes=(a["dim"],)) for line in lines]


def _without(shape: Dims, dim: int, index: int) -> Dims:
    """The shape of what lies at an index along a dimension."""
    require(-shape[dim] <= index < shape[dim])
    return shape.reduced((dim,), 0)


def _select(x: Term, a: Attrs) -> Term:
    _without(Dims(x.shape), **a)
    return x.then("Gather", x.constant(np.asarray(a["index"])), axis=a["dim"])


def _indexed(entry: Callable[[Attrs], str], *templates: str) -> TemplatesFn:
    """Indexing one dimension, or one of the templates."""
    return lambda c: (f"{{0}}{subscript(c.types[0].rank, {c.attrs['dim']: entry(c.attrs)})}", *templates)


_draw_select = sampling.along("dim", lambda rng, n: {"index": rng.choice((rng.randrange(n), -rng.randint(1, n)))})


def _narrow_entry(a: Attrs) -> str:
    return f"{a['start']}:{a['start'] + a['length']}"


def _movedim(x: Term, a: Attrs) -> Term:
    source, target = ([normalize_axis(d, x.rank) for d in a[name]] for name in ("source", "destination"))
    require(len({*source}) == len(source) == len(target) == len({*target}))
    rest = iter(i for i in range(x.rank) if i not in source)
    places = dict(zip(target, source, strict=True))
    return x.permute(*(places[i] if i in places else next(rest) for i in range(x.rank)))


@sampling.of_rank(2, empty=True)
def _draw_movedim(rng: random.Random, first: TensorType) -> Attrs:
    count, axes = rng.randint(1, min(2, first.rank)), range(first.rank)
    return {name: tuple(rng.sample(axes, count)) for name in ("source", "destination")}


# --- diagonal, diag_embed, block_diag --------------------------------------------------------------------------------


def _diagonal(shape: Sequence[int], offset: int, dim1: int, dim2: int) -> tuple[tuple[int, ...], int, int]:
    """The permutation that puts two dimensions last, where the diagonal begins, counted through both, and its length.

    Raises ShapeMismatch where there is no such diagonal.
    """
    first, second = (normalize_axis(d, len(shape)) for d in (dim1, dim2))
    require(first != second)
    rows, columns = shape[first], shape[second]
    row, column = max(-offset, 0), max(offset, 0)
    require(row <= rows and column <= columns)
    perm = (*(i for i in range(len(shape)) if i not in (first, second)), first, second)
    return perm, row * columns + column, min(rows - row, columns - column)


def _diagonal_steps(shape: Sequence[int], **a: int) -> tuple[tuple[int, ...], np.ndarray]:
    """The permutation, and the places of the diagonal."""
    perm, start, length = _diagonal(shape, **a)
    return perm, start + (shape[perm[-1]] + 1) * np.arange(length)


def _diagonal_shape(shape: Dims, **a: int) -> Dims:
    perm, _, length = _diagonal(shape, **a)
    return Dims((*(shape[i] for i in perm[:-2]), length))


def _flat(x: Term, perm: Sequence[int]) -> Term:
    """The tensor after a permutation, its last two dimensions as one."""
    *rest, rows, columns = (x.shape[i] for i in perm)
    return x.permute(*perm).reshape(*rest, rows * columns)


def diagonal(x: Term, a: Attrs) -> Term:
    perm, places = _diagonal_steps(x.shape, **a)
    return _flat(x, perm).then("Gather", x.constant(places), axis=x.rank - 2)


def _diagonal_tensorflow(c: Call) -> tuple[str, ...]:
    perm, _ = _diagonal_steps(c.types[0].shape, **c.attrs)
    return (f"tf.linalg.diag_part(tf.transpose({{0}}, {perm}), k={{offset}})",)


@sampling.alone_with
@sampling.of_rank(2)
def _draw_diagonal(rng: random.Random, first: TensorType) -> Attrs:
    dim1, dim2 = rng.sample(range(first.rank), 2)
    rows, columns = first.shape[dim1], first.shape[dim2]
    return {"offset": rng.choice((0, 0, rng.randint(1 - rows, columns - 1))), "dim1": dim1, "dim2": dim2}


def _embedding_places(rank: int, a: Attrs) -> tuple[int, ...]:
    """The permutation that moves the last two dimensions to where diag_embed puts them."""
    dim1, dim2 = (normalize_axis(a[name], rank) for name in ("dim1", "dim2"))
    require(dim1 != dim2)
    rest = iter(range(rank - 2))
    return tuple(rank - 2 if i == dim1 else rank - 1 if i == dim2 else next(rest) for i in range(rank))


def diag_embed(x: Term, a: Attrs) -> Term:
    """Look up every place of the matrices in the elements of the diagonal, followed by a zero."""
    n, offset = x.shape[-1], a["offset"]
    places = np.full((n + abs(offset),) * 2, n)
    rows = np.arange(n) + max(-offset, 0)
    places[rows, rows + offset] = np.arange(n)
    padded = x.then("Pad", pads=(*[0] * (2 * x.rank - 1), 1), value=0.0)
    return padded.then("Gather", x.constant(places), axis=x.rank - 1).permute(*_embedding_places(x.rank + 1, a))


def _diag_embed_tensorflow(c: Call) -> tuple[str, ...]:
    return (f"tf.transpose(tf.linalg.diag({{0}}, k={{offset}}), {_embedding_places(c.results[0].rank, c.attrs)})",)


@sampling.of_rank(1, sampling.MAX_RANK - 1, empty=True)
def _draw_diag_embed(rng: random.Random, first: TensorType) -> Attrs:
    dim1, dim2 = rng.choice(((first.rank - 1, first.rank), tuple(rng.sample(range(first.rank + 1), 2))))
    return {"offset": rng.choice((0, 0, 1, -2)), "dim1": dim1, "dim2": dim2}


def _block_diag(*x: Any) -> Term:
    *blocks, _ = x
    columns = [block.shape[1] for block in blocks]
    margins = ((0, sum(columns[:i]), 0, sum(columns[i + 1 :])) for i in range(len(blocks)))
    return concat(0, *(block.then("Pad", pads=pads) for block, pads in zip(blocks, margins, strict=True)))


@sampling.of_rank(2, 2, empty=True)
def _sample_block_diag(rng: random.Random, first: TensorType) -> Sample:
    others = [(sampling.size(rng), sampling.size(rng)) for _ in range(rng.choice((1, 1, 2)))]
    return sampling.operands(first, *others)


# --- unfold, channel_shuffle -----------------------------------------------------------------------------------------


def _unfold(x: Term, a: Attrs) -> Term:
    dim, places = normalize_axis(a["dimension"], x.rank), np.arange(a["size"])
    starts = np.arange(0, x.shape[dim] - a["size"] + 1, a["step"])
    windows = x.then("Gather", x.constant(starts[:, None] + places), axis=dim)
    return windows.permute(*(i for i in range(x.rank + 1) if i != dim + 1), dim + 1)


def _channel_shuffle(x: Term, a: Attrs) -> Term:
    n, channels, *rest = x.shape
    groups = x.reshape(n, a["groups"], channels // a["groups"], *rest)
    return groups.permute(0, 2, 1, *range(3, len(rest) + 3)).reshape(*x.shape)


@sampling.of_rank(3)
def _draw_channel_shuffle(rng: random.Random, first: TensorType) -> Attrs:
    return {"groups": rng.choice([n for n in range(1, first.shape[1] + 1) if first.shape[1] % n == 0])}


# --- diagonal_scatter, select_scatter, slice_scatter -----------------------------------------------------------------


def _replacing(
    name: str,
    definition: Callable[..., Term],
    text: Mapping[str, spec.Texts],
    cut: spec.SampleFn,
    attrs: tuple[Attr, ...],
    part: Callable[..., Dims],
    **more: Any,
) -> Op:
    """An operator that replaces a part of the first operand, of a shape that ``part`` returns, by the second."""

    def fits(s: Sequence[Dims], a: Any) -> bool:
        return part(s[0], **{attr.name: getattr(a, attr.name) for attr in attrs}) == s[1]

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        drawn = cut(rng, first)
        return drawn and sampling.operands(first, part(Dims(first.shape), **drawn.attrs), **drawn.attrs)

    return rearranged(name, definition, text, sample, attrs, fitting(fits), inputs=("T", "T"), **more)


def _looked_up(x: Term, source: Term, dim: int, places: np.ndarray) -> Term:
    """Look up every place along a dimension in ``x``, followed by the source: the source's are at these places."""
    found = np.arange(x.shape[dim])
    found[places] = len(found) + np.arange(source.shape[dim])
    return concat(dim, x, source).then("Gather", x.constant(found), axis=dim)


def _diagonal_scatter(x: Term, source: Term, a: Attrs) -> Term:
    perm, places = _diagonal_steps(x.shape, **a)
    found = _looked_up(_flat(x, perm), source, x.rank - 2, places)
    return found.reshape(*(x.shape[i] for i in perm)).permute(*np.argsort(perm).tolist())


def _assigning(entry: Callable[[Attrs], str], *templates: str) -> TextFn:
    """One of some templates, or an assignment to a part of a copy, at an index along the dimension."""

    def spell(c: Call) -> str:
        if not writes.wanted(c):
            return str(filled(c, templates))
        part = subscript(c.types[0].rank, {c.attrs["dim"]: entry(c.attrs)})
        return writes.written(c, f"{c.x[0]}.clone()", [(part, c.x[1])])

    return spell


def _select_scatter(x: Term, source: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    return _looked_up(x, source.unsqueeze(dim), dim, np.array([a["index"] % x.shape[dim]]))


def _slice_scatter(x: Term, source: Term, a: Attrs) -> Term:
    taken = np.arange(x.shape[a["dim"]])[a["start"] : a["end"] : a["step"]]
    return _looked_up(x, source, normalize_axis(a["dim"], x.rank), taken)


def _sliced(shape: Dims, dim: int, start: int, end: int, step: int) -> Dims:
    require(step > 0)
    return shape.sliced((start,), (end,), (dim,), (step,))


OPS: tuple[Op, ...] = (
    rearranged(
        "stack",
        _stack,
        spell("torch.stack(({all},), dim={dim})", "tf.stack([{all}], axis={dim})", "jnp.stack([{all}], axis={dim})"),
        _sample_stack,
        attributes(dim="int"),
        variadic="operands",
    ),
    moving(
        "unbind",
        by_definition,
        spell(called("unbind", "{dim}"), "tf.unstack({0}, axis={dim})"),
        sampling.along("dim", most=4),
        attributes(dim="int"),
        variadic="results",
        definition=_unbind,
    ),
    rearranged(
        "select",
        _select,
        spell(_indexed(lambda a: "{index}", *called("select", "{dim}, {index}")), _indexed(lambda a: "{index}")),
        _draw_select,
        attributes(dim="int", index="int"),
        view=spec.viewing,
    ),
    rearranged(
        "narrow",
        lambda x, a: x.slice(a["dim"], a["start"], a["start"] + a["length"]),
        spell(_indexed(_narrow_entry, *called("narrow", "{dim}, {start}, {length}")), _indexed(_narrow_entry)),
        sampling.along(
            "dim", lambda rng, n: {"start": (start := rng.randrange(n)), "length": rng.randint(1, n - start)}
        ),
        attributes(dim="int", start="int", length="int"),
        fitting(
            lambda s, a: a.start >= 0 and a.length >= 0 and a.start + a.length <= s[0][a.dim],
            lambda s, a: [s[0].replace(a.dim, a.length)],
        ),
        view=spec.viewing,
    ),
    rearranged(
        "movedim",
        _movedim,
        spell(("torch.movedim({0}, {source}, {destination})", "{0}.moveaxis({source}, {destination})")),
        sampling.alone_with(_draw_movedim),
        attributes(source="ints", destination="ints"),
        view=spec.viewing,
    ),
    rearranged(
        "diagonal",
        diagonal,
        spell(called("diagonal", "{offset}, {dim1}, {dim2}"), _diagonal_tensorflow),
        _draw_diagonal,
        attributes(offset=0, dim1=0, dim2=1),
        view=spec.viewing,
    ),
    rearranged(
        "diag_embed",
        diag_embed,
        spell("torch.diag_embed({0}, {offset}, {dim1}, {dim2})", _diag_embed_tensorflow),
        sampling.alone_with(_draw_diag_embed),
        attributes(offset=0, dim1=-2, dim2=-1),
        filling="0.0",
    ),
    rearranged("block_diag", _block_diag, spell("torch."), _sample_block_diag, variadic="operands", filling="0.0"),
    rearranged(
        "unfold",
        _unfold,
        spell("{0}.unfold({dimension}, {size}, {step})"),
        sampling.of_rank(1, sampling.MAX_RANK - 1, empty=True)(
            sampling.along(
                "dimension", lambda rng, n: {"size": rng.randint(1, min(4, n)), "step": rng.choice((1, 1, 2, 3))}
            )
        ),
        attributes(dimension="int", size="int", step="int"),
        fitting(
            lambda s, a: 1 <= a.size <= s[0][a.dimension] and a.step >= 1,
            lambda s, a: [s[0].replace(a.dimension, (s[0][a.dimension] - a.size) // a.step + 1).append(a.size)],
        ),
        view=spec.viewing,
    ),
    rearranged(
        "channel_shuffle",
        _channel_shuffle,
        spell(("torch.channel_shuffle({0}, {groups})", "torch.nn.ChannelShuffle({groups})({0})")),
        sampling.alone_with(_draw_channel_shuffle),
        attributes(groups="int"),
        fitting(lambda s, a: len(s[0]) > 2 and a.groups > 0 and s[0][1] % a.groups == 0),
    ),
    _replacing(
        "diagonal_scatter",
        _diagonal_scatter,
        spell(called("diagonal_scatter", "{1}, {offset}, {dim1}, {dim2}")),
        _draw_diagonal,
        attributes(offset=0, dim1=0, dim2=1),
        _diagonal_shape,
    ),
    _replacing(
        "select_scatter",
        _select_scatter,
        spell(_assigning(lambda a: str(a["index"]), *called("select_scatter", "{1}, {dim}, {index}"))),
        _draw_select,
        attributes(dim="int", index="int"),
        _without,
    ),
    _replacing(
        "slice_scatter",
        _slice_scatter,
        spell(
            _assigning(
                lambda a: f"{a['start']}:{a['end']}:{a['step']}",
                *called("slice_scatter", "{1}, {dim}, {start}, {end}, {step}"),
            )
        ),
        sampling.along(
            "dim",
            lambda rng, n: {
                "start": (start := rng.randrange(n)),
                "end": rng.randint(start + 1, n),
                "step": rng.choice((1, 1, 2)),
            },
        ),
        attributes(dim=0, start="int", end="int", step=1),
        _sliced,
    ),
)
