"""Operators that repeat, reverse, shift or mask the elements of one tensor, beyond ONNX's basic ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, concat, where
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, Op, Operand, Sample, SampleFn, TemplatesFn, attributes, facts
from polyjuice.ops.structural import WITHOUT_BFLOAT16, moving, rearranged
from polyjuice.ops.text import spell, subscript

# --- Tile, repeat_interleave -----------------------------------------------------------------------------------------


def _tile_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(a.repeats) == len(s[0]) and min(a.repeats, default=0) >= 0)
    return [Dims(d * n for d, n in zip(s[0], a.repeats, strict=True))]


def _draw_tile(rng: random.Random, first: TensorType) -> Attrs | None:
    repeats = tuple(rng.choice((1, 1, 2, 3)) for _ in first.shape)
    return {"repeats": repeats} if any(n > 1 for n in repeats) else None


def _repeat_interleave(x: Term, a: Attrs) -> Term:
    """Each element becomes a line of a new dimension, which a reshape merges into the one before."""
    dim, n = normalize_axis(a["dim"], x.rank), a["repeats"]
    lines = x.unsqueeze(dim + 1).expand(*x.shape[: dim + 1], n, *x.shape[dim + 1 :])
    return lines.reshape(*Dims(x.shape).replace(dim, x.shape[dim] * n))


# --- Trilu -----------------------------------------------------------------------------------------------------------


def _trilu(*templates: str) -> TemplatesFn:
    """Templates with the name of the triangle."""
    return lambda c: tuple(text.replace("{tri}", "triu" if c.attrs["upper"] else "tril") for text in templates)


def _trilu_tensorflow(c: Call) -> tuple[str, ...]:
    k, upper, (rows, columns) = c.attrs["k"], c.attrs["upper"], c.types[0].shape[-2:]
    kept = f"tf.range({columns}) - tf.range({rows})[:, None] {'>=' if upper else '<='} {k}"
    texts = [f"tf.where({kept}, {{0}}, tf.zeros_like({{0}}))"]
    if k <= 0 if upper else k >= 0:
        band = f"{min(-k, rows)}, -1" if upper else f"-1, {min(k, columns)}"
        texts.insert(0, f"tf.linalg.band_part({{0}}, {band})")
    if c.types[0].dtype != "bool":  # its zeros are integers
        texts.insert(0, f"tf.experimental.numpy.tri{'u' if upper else 'l'}({{0}}, k={k})")
    return tuple(texts)


# --- DepthToSpace, SpaceToDepth --------------------------------------------------------------------------------------


_Steps = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""The shape in which blocks have dimensions of their own, a permutation that puts them in place, and the result's."""


def _depth_to_space_steps(shape: Sequence[int], a: Attrs) -> _Steps:
    (n, c, h, w), b = shape, a["blocksize"]
    require(b > 0 and c % (b * b) == 0)
    result = (n, c // (b * b), h * b, w * b)
    if a["mode"] == "DCR":
        return (n, b, b, result[1], h, w), (0, 3, 4, 1, 5, 2), result
    return (n, result[1], b, b, h, w), (0, 1, 4, 2, 5, 3), result


def _space_to_depth_steps(shape: Sequence[int], a: Attrs) -> _Steps:
    (n, c, h, w), b = shape, a["blocksize"]
    require(b > 0 and h % b == w % b == 0)
    return (n, c, h // b, b, w // b, b), (0, 3, 5, 1, 2, 4), (n, c * b * b, h // b, w // b)


def _in_steps(steps: Callable[[Sequence[int], Attrs], _Steps]) -> Callable[[Term, Attrs], Term]:
    def definition(x: Term, a: Attrs) -> Term:
        blocks, perm, result = steps(x.shape, a)
        return x.reshape(*blocks).permute(*perm).reshape(*result)

    return definition


def _by_blocks(name: str, steps: Callable[[Sequence[int], Attrs], _Steps]) -> TemplatesFn:
    """TensorFlow's function, which has one order of channels, and no blocks of one element; or the steps."""
    own = f"tf.transpose(tf.nn.{name}(tf.transpose({{0}}, [0, 2, 3, 1]), {{blocksize}}), [0, 3, 1, 2])"

    def text(c: Call) -> tuple[str, ...]:
        blocks, perm, _ = steps(c.types[0].shape, c.attrs)
        general = f"tf.reshape(tf.transpose(tf.reshape({{0}}, {blocks}), {perm}), {{shape}})"
        return (own, general) if c.attrs.get("mode", "DCR") == "DCR" and c.attrs["blocksize"] > 1 else (general,)

    return text


def _draw_blocks(fits: Callable[[TensorType, int], bool], **further: Sequence[str]) -> SampleFn:
    """The largest size of blocks that fits; rarely one of a single element."""

    @sampling.of_rank(4, 4)
    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        size = max(b for b in (1, 2, 3, 4) if fits(first, b))
        if size == 1 and rng.random() < 0.9:
            return None
        return {"blocksize": size, **{name: rng.choice(values) for name, values in further.items()}}

    return sampling.alone_with(draw)


# --- ReverseSequence, flip, roll, rot90 ------------------------------------------------------------------------------


def _reverse_sequence(x: Term, lengths: Term, a: Attrs) -> Term:
    """The first elements of each row in reverse, as many as its length; the others stay."""
    rest = range(2, x.rank)
    rows = x if a["time_axis"] else x.permute(1, 0, *rest)
    steps, ends = x.constant(np.arange(rows.shape[1])), lengths.unsqueeze(1)
    places = where(steps < ends, ends - 1 - steps, steps).unsqueeze(2)
    turned = rows.then("GatherND", places, batch_dims=1)
    return turned if a["time_axis"] else turned.permute(1, 0, *rest)


def _sample_reverse_sequence(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank < 2 or 0 in first.shape[:2]:
        return None
    time = rng.randint(0, 1)
    lengths = Operand(TensorType("int64", (first.shape[1 - time],)), (1, first.shape[time]))
    return Sample((lengths,), {"batch_axis": 1 - time, "time_axis": time})


def _axes_of(dims: Sequence[int], shape: Sequence[int]) -> list[int]:
    return [normalize_axis(d, len(shape)) for d in dims]


def _roll(x: Term, a: Attrs) -> Term:
    value = x
    for shift, dim in zip(a["shifts"], a["dims"], strict=True):
        size = x.shape[dim]
        if start := -shift % size if size else 0:
            value = concat(dim, value.slice(dim, start, size), value.slice(dim, 0, start))
    return value if value is not x else x.then("Identity")


@sampling.of_rank(1, empty=True)
def _draw_roll(rng: random.Random, first: TensorType) -> Attrs:
    dims = sampling.some_axes(rng, first.rank)[:3]
    return {"shifts": tuple(rng.choice((1, 1, 2, -1, -2, 9)) for _ in dims), "dims": dims}


def flipped(x: Term, dims: Sequence[int]) -> Term:
    if not dims:
        return x.then("Identity")
    starts, ends = tuple(x.shape[d] - 1 for d in dims), tuple(-x.shape[d] - 1 for d in dims)
    return x.then("Slice", starts=starts, ends=ends, axes=tuple(dims), steps=(-1,) * len(dims))


def _flip_torch(c: Call) -> tuple[str, ...]:
    own = {(0,): ("torch.flipud({0})",), (1,): ("torch.fliplr({0})",)}.get(tuple(c.attrs["dims"]), ())
    return "torch.flip({0}, {dims})", "{0}.flip({dims})", *own


def _flip_tensorflow(c: Call) -> tuple[str, ...]:
    entries = dict.fromkeys(_axes_of(c.attrs["dims"], c.types[0].shape), "::-1")
    return "tf.reverse({0}, axis={dims})", f"{{0}}{subscript(c.types[0].rank, entries)}"


def _rot90(x: Term, a: Attrs) -> Term:
    first, second = _axes_of(a["dims"], x.shape)
    require(first != second)
    turned = flipped(x, ((), (second,), (first, second), (first,))[a["k"] % 4])
    perm = {**dict(zip(range(x.rank), range(x.rank), strict=True)), first: second, second: first}
    return turned.permute(*perm.values()) if a["k"] % 2 else turned


@sampling.of_rank(2, empty=True)
def _draw_rot90(rng: random.Random, first: TensorType) -> Attrs:
    return {"k": rng.choice((1, 1, 2, 3, -1, 0)), "dims": tuple(rng.sample(range(first.rank), 2))}


OPS: tuple[Op, ...] = (
    moving(
        "Tile",
        _tile_shape,
        spell(
            ("{0}.repeat({repeats})", "torch.tile({0}, {repeats})"),
            "tf.tile({0}, {repeats})",
            "jnp.tile({0}, {repeats})",
        ),
        sampling.alone_with(_draw_tile),
        (Attr("repeats", "ints", as_input=True),),
        numpy=lambda x, a: np.tile(x[0], a["repeats"]),
        **facts(weight=0.5, followers=f"Slice Concat Add {sampling.REDUCED}"),
    ),
    moving(
        "Trilu",
        fitting(lambda s, a: len(s[0]) > 1),
        spell(
            _trilu("torch.{tri}({0}, diagonal={k})", "{0}.{tri}({k})"),
            _trilu_tensorflow,
            _trilu("jnp.{tri}({0}, {k})"),
        ),
        sampling.choosing(2, upper=(0, 1), k=(0, 0, 1, -1, 2, -3)),
        (Attr("k", "int", 0, as_input=True, scalar=True), Attr("upper", "int", 1)),
        numpy=lambda x, a: np.triu(x[0], a["k"]) if a["upper"] else np.tril(x[0], a["k"]),
        **facts(weight=0.5, filling="0.0"),
    ),
    rearranged(
        "DepthToSpace",
        _in_steps(_depth_to_space_steps),
        spell(tf=_by_blocks("depth_to_space", _depth_to_space_steps)),
        _draw_blocks(lambda first, b: first.shape[1] % (b * b) == 0, mode=("DCR", "CRD")),
        attributes(blocksize="int", mode="DCR"),
        weight=0.5,
    ),
    rearranged(
        "SpaceToDepth",
        _in_steps(_space_to_depth_steps),
        spell(tf=_by_blocks("space_to_depth", _space_to_depth_steps)),
        _draw_blocks(lambda first, b: first.shape[2] % b == first.shape[3] % b == 0),
        attributes(blocksize="int"),
        weight=0.5,
    ),
    rearranged(
        "ReverseSequence",
        _reverse_sequence,
        spell(tf="tf.reverse_sequence({0}, {1}, seq_axis={time_axis}, batch_axis={batch_axis})"),
        _sample_reverse_sequence,
        attributes(batch_axis=1, time_axis=0),
        fitting(lambda s, a: {a.batch_axis, a.time_axis} == {0, 1} and len(s[0]) > 1 and s[1] == (s[0][a.batch_axis],)),
        inputs=("T", "I"),
        types={"T": WITHOUT_BFLOAT16, "I": ("int64",)},
        weight=0.3,
    ),
    rearranged(
        "repeat_interleave",
        _repeat_interleave,
        spell(
            ("torch.repeat_interleave({0}, {repeats}, dim={dim})", "{0}.repeat_interleave({repeats}, {dim})"),
            "tf.repeat({0}, {repeats}, axis={dim})",
        ),
        sampling.along("dim", lambda rng, size: {"repeats": rng.choice((1, 2, 2, 3))}),
        attributes(repeats="int", dim="int"),
        lambda s, a: [s[0].replace(a.dim, s[0][a.dim] * a.repeats)],
    ),
    rearranged(
        "roll",
        _roll,
        spell(
            ("torch.roll({0}, {shifts}, {dims})", "{0}.roll({shifts}, {dims})"),
            "tf.roll({0}, shift={shifts}, axis={dims})",
        ),
        sampling.alone_with(_draw_roll),
        attributes(shifts="ints", dims="ints"),
        fitting(lambda s, a: len(a.shifts) == len(_axes_of(a.dims, s[0])) > 0),
    ),
    rearranged(
        "flip",
        lambda x, a: flipped(x, a["dims"]),
        spell(_flip_torch, _flip_tensorflow, "jnp.flip({0}, {dims})"),
        sampling.alone_with(lambda rng, first: {"dims": sampling.some_axes(rng, first.rank)} if first.rank else None),
        attributes(dims="ints"),
        fitting(lambda s, a: len({*_axes_of(a.dims, s[0])}) == len(a.dims)),
    ),
    rearranged(
        "rot90",
        _rot90,
        spell(("torch.rot90({0}, {k}, {dims})", "{0}.rot90({k}, {dims})")),
        sampling.alone_with(_draw_rot90),
        attributes(k=1, dims=(0, 1)),
    ),
)
