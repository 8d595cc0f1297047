"""Operators that repeat, reverse, shift or mask the elements of one tensor, beyond ONNX's basic ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, AttrView, Builder, Call, Op, Operand, Sample, attributes, facts
from polyjuice.ops.structural import WITHOUT_BFLOAT16, moving, reshaped
from polyjuice.ops.text import TextFn, spell, subscript


def draw_axis(rng: random.Random, first: TensorType, least: int = 1) -> int | None:
    """An axis with at least ``least`` elements; None if there is none."""
    axes = [i for i, d in enumerate(first.shape) if d >= least]
    return rng.choice(axes) if axes else None


# --- Tile, repeat_interleave -----------------------------------------------------------------------------------------


def _tile_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(a.repeats) == len(s[0]) and min(a.repeats, default=0) >= 0)
    return [Dims(d * n for d, n in zip(s[0], a.repeats, strict=True))]


def _draw_tile(rng: random.Random, first: TensorType) -> Attrs | None:
    repeats = tuple(rng.choice((1, 1, 2, 3)) for _ in first.shape)
    return {"repeats": repeats} if any(n > 1 for n in repeats) else None


def _repeats(*templates: str) -> TextFn:
    return lambda c: c.draws.choice(templates).format(c.x[0], list(c.attrs["repeats"]))


def _draw_repeat(rng: random.Random, first: TensorType) -> Attrs | None:
    dim = draw_axis(rng, first)
    return None if dim is None else {"repeats": rng.choice((1, 2, 2, 3)), "dim": dim}


def _repeat_interleave_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    """Each element becomes a line of a new dimension, which a reshape merges into the one before."""
    shape = b.types[x[0]].shape
    dim = normalize_axis(a["dim"], len(shape))
    wide = (*shape[: dim + 1], a["repeats"], *shape[dim + 1 :])
    lines = b.op("Expand", b.op("Unsqueeze", x[0], axes=(dim + 1,)), shape=wide)
    return reshaped(b, lines, Dims(shape).replace(dim, shape[dim] * a["repeats"]))


# --- Trilu -----------------------------------------------------------------------------------------------------------


def _trilu_torch(c: Call) -> str:
    name, k = "triu" if c.attrs["upper"] else "tril", c.attrs["k"]
    texts = ["torch.{1}({0}, diagonal={2})", "{0}.{1}({2})", *(["torch.{1}({0})"] if k == 0 else [])]
    return c.draws.choice(texts).format(c.x[0], name, k)


def _trilu_tensorflow(c: Call) -> str:
    k, upper, (rows, columns) = c.attrs["k"], c.attrs["upper"], c.types[0].shape[-2:]
    name, comparison = ("triu", ">=") if upper else ("tril", "<=")
    texts = []
    if c.types[0].dtype != "bool":  # its zeros are integers
        texts.append(f"tf.experimental.numpy.{name}({c.x[0]}, k={k})")
    if upper and k <= 0:
        texts.append(f"tf.linalg.band_part({c.x[0]}, {min(-k, rows)}, -1)")
    if not upper and k >= 0:
        texts.append(f"tf.linalg.band_part({c.x[0]}, -1, {min(k, columns)})")
    kept = f"tf.range({columns}) - tf.range({rows})[:, None] {comparison} {k}"
    texts.append(f"tf.where({kept}, {c.x[0]}, tf.zeros_like({c.x[0]}))")
    return c.draws.choice(texts)


# --- DepthToSpace, SpaceToDepth --------------------------------------------------------------------------------------


def _blocks(s: Sequence[Dims], a: Any) -> tuple[int, int, int, int, int]:
    require(len(s[0]) == 4 and a.blocksize > 0)
    return (*s[0], a.blocksize)


def _depth_to_space_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    n, c, h, w, b = _blocks(s, a)
    require(c % (b * b) == 0)
    return [Dims((n, c // (b * b), h * b, w * b))]


def _space_to_depth_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    n, c, h, w, b = _blocks(s, a)
    require(h % b == w % b == 0)
    return [Dims((n, c * b * b, h // b, w // b))]


def _depth_to_space_steps(shape: Sequence[int], a: Attrs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape in which blocks have dimensions of their own, and the permutation that puts them in place."""
    (n, c, h, w), b = shape, a["blocksize"]
    if a["mode"] == "DCR":
        return (n, b, b, c // (b * b), h, w), (0, 3, 4, 1, 5, 2)
    return (n, c // (b * b), b, b, h, w), (0, 1, 4, 2, 5, 3)


def _space_to_depth_steps(shape: Sequence[int], a: Attrs) -> tuple[tuple[int, ...], tuple[int, ...]]:
    (n, c, h, w), b = shape, a["blocksize"]
    return (n, c, h // b, b, w // b, b), (0, 3, 5, 1, 2, 4)


_Steps = Callable[[Sequence[int], Attrs], tuple[tuple[int, ...], tuple[int, ...]]]


def _permuted_blocks(steps: _Steps, shape: Any) -> Callable[[Sequence[np.ndarray], Attrs], np.ndarray]:
    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        split, perm = steps(x[0].shape, a)
        return x[0].reshape(split).transpose(perm).reshape(shape([Dims(x[0].shape)], AttrView(a))[0])

    return apply


def _blocks_torch(steps: _Steps) -> TextFn:
    def text(c: Call) -> str:
        if c.attrs.get("mode") == "CRD" and c.draws.chance(0.6):
            return f"F.pixel_shuffle({c.x[0]}, {c.attrs['blocksize']})"
        split, perm = steps(c.types[0].shape, c.attrs)
        return f"{c.x[0]}.reshape({split}).permute({perm}).reshape({c.results[0].shape})"

    return text


def _blocks_tensorflow(steps: _Steps, function: str) -> TextFn:
    """TensorFlow's own function keeps channels last, and only has ONNX's default order."""

    def spell(c: Call) -> str:
        if c.attrs.get("mode", "DCR") == "DCR" and c.attrs["blocksize"] > 1 and c.draws.chance(0.6):
            last = f"tf.nn.{function}(tf.transpose({c.x[0]}, [0, 2, 3, 1]), {c.attrs['blocksize']})"
            return f"tf.transpose({last}, [0, 3, 1, 2])"
        split, perm = steps(c.types[0].shape, c.attrs)
        return f"tf.reshape(tf.transpose(tf.reshape({c.x[0]}, {split}), {perm}), {c.results[0].shape})"

    return spell


def _blocksize(rng: random.Random, fits: Callable[[int], bool], **further: Sequence[str]) -> Attrs | None:
    """The largest size of blocks that fits; rarely one of a single element."""
    size = max(b for b in (1, 2, 3, 4) if fits(b))
    if size == 1 and rng.random() < 0.9:
        return None
    return {"blocksize": size, **{name: rng.choice(values) for name, values in further.items()}}


@sampling.of_rank(4, 4)
def _draw_depth_to_space(rng: random.Random, first: TensorType) -> Attrs | None:
    return _blocksize(rng, lambda b: first.shape[1] % (b * b) == 0, mode=("DCR", "CRD"))


@sampling.of_rank(4, 4)
def _draw_space_to_depth(rng: random.Random, first: TensorType) -> Attrs | None:
    return _blocksize(rng, lambda b: first.shape[2] % b == first.shape[3] % b == 0)


# --- ReverseSequence, flip, roll, rot90 ------------------------------------------------------------------------------


def _fits_reverse_sequence(s: Sequence[Dims], a: Any) -> bool:
    return {a.batch_axis, a.time_axis} == {0, 1} and len(s[0]) > 1 and s[1] == (s[0][a.batch_axis],)


def _reverse_sequence(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    time = x[0].shape[a["time_axis"]]
    lengths, steps = x[1].astype(np.int64)[:, None], np.arange(time)
    if np.any((lengths < 0) | (lengths > time)):
        raise IndexError(f"ReverseSequence: a length beyond {time}")
    places = np.where(steps < lengths, lengths - 1 - steps, steps)
    batch = np.arange(lengths.shape[0])[:, None]
    return np.asarray(x[0][batch, places] if a["time_axis"] == 1 else x[0][places.T, batch.T])


def _reverse_sequence_torch(c: Call) -> str:
    time, batch = c.types[0].shape[c.attrs["time_axis"]], c.types[0].shape[1 - c.attrs["time_axis"]]
    lengths = f"{c.x[1]}.reshape(-1, 1)"
    steps = c.let(f"torch.arange({time}, device={c.x[1]}.device)")
    places = c.let(f"torch.where({steps} < {lengths}, {lengths} - 1 - {steps}, {steps})")
    rows = f"torch.arange({batch}, device={c.x[1]}.device).reshape(-1, 1)"
    first, second = (rows, places) if c.attrs["time_axis"] == 1 else (f"{places}.t()", f"{rows}.t()")
    return f"{c.x[0]}[{first}, {second}]"


def _sample_reverse_sequence(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank < 2 or 0 in first.shape[:2]:
        return None
    time = rng.randint(0, 1)
    lengths = Operand(TensorType("int64", (first.shape[1 - time],)), (1, first.shape[time]))
    return Sample((lengths,), {"batch_axis": 1 - time, "time_axis": time})


def _axes_of(dims: Sequence[int], shape: Dims) -> list[int]:
    return [normalize_axis(d, len(shape)) for d in dims]


def _roll_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    value = x[0]
    for shift, dim in zip(a["shifts"], a["dims"], strict=True):
        size = b.types[value].shape[dim]
        start = -shift % size if size else 0
        if start:
            tail, head = cut(b, value, dim, start, size), cut(b, value, dim, 0, start)
            value = b.op("Concat", tail, head, axis=dim)
    return value if value != x[0] else b.op("Identity", value)


def cut(b: Builder, x: str, axis: int, start: int, end: int) -> str:
    return b.op("Slice", x, starts=(start,), ends=(end,), axes=(axis,), steps=(1,))


@sampling.of_rank(1, empty=True)
def _draw_roll(rng: random.Random, first: TensorType) -> Attrs:
    dims = sampling.some_axes(rng, first.rank)[:3]
    return {"shifts": tuple(rng.choice((1, 1, 2, -1, -2, 9)) for _ in dims), "dims": dims}


def _flipped(b: Builder, x: str, dims: Sequence[int]) -> str:
    shape = b.types[x].shape
    starts, ends = tuple(shape[d] - 1 for d in dims), tuple(-shape[d] - 1 for d in dims)
    return b.op("Slice", x, starts=starts, ends=ends, axes=tuple(dims), steps=(-1,) * len(dims))


def _flip_torch(c: Call) -> str:
    dims = tuple(c.attrs["dims"])
    texts = ["torch.flip({0}, {1})", "{0}.flip({1})"]
    texts += {(0,): ["torch.flipud({0})"], (1,): ["torch.fliplr({0})"]}.get(dims, [])
    return c.draws.choice(texts).format(c.x[0], dims)


def _flip_tensorflow(c: Call) -> str:
    entries = dict.fromkeys((normalize_axis(d, c.types[0].rank) for d in c.attrs["dims"]), "::-1")
    reverse = f"tf.reverse({c.x[0]}, axis={list(c.attrs['dims'])})"
    return c.draws.choice((reverse, f"{c.x[0]}{subscript(c.types[0].rank, entries)}"))


def _rot90_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    first, second = (normalize_axis(d, len(s[0])) for d in a.dims)
    require(first != second)
    return [s[0].replace(first, s[0][second]).replace(second, s[0][first]) if a.k % 2 else s[0]]


def _rot90_steps(rank: int, a: Attrs) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """The dimensions to reverse, and the permutation to apply afterwards."""
    first, second = (normalize_axis(d, rank) for d in a["dims"])
    perm = list(range(rank))
    perm[first], perm[second] = second, first
    reverse = ((), (second,), (first, second), (first,))[a["k"] % 4]
    return reverse, tuple(perm) if a["k"] % 2 else None


def _rot90_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    reverse, perm = _rot90_steps(b.types[x[0]].rank, a)
    value = _flipped(b, x[0], reverse) if reverse else b.op("Identity", x[0])
    return b.op("Transpose", value, perm=perm) if perm else value


@sampling.of_rank(2, empty=True)
def _draw_rot90(rng: random.Random, first: TensorType) -> Attrs:
    return {"k": rng.choice((1, 1, 2, 3, -1, 0)), "dims": tuple(rng.sample(range(first.rank), 2))}


OPS: tuple[Op, ...] = (
    moving(
        "Tile",
        _tile_shape,
        spell(_repeats("{0}.repeat({1})", "torch.tile({0}, {1})"), tf=_repeats("tf.tile({0}, {1})")),
        sampling.alone_with(_draw_tile),
        (Attr("repeats", "ints", as_input=True),),
        numpy=lambda x, a: np.tile(x[0], a["repeats"]),
        **facts(weight=0.5, followers=f"Slice Concat Add {sampling.REDUCED}"),
    ),
    moving(
        "Trilu",
        fitting(lambda s, a: len(s[0]) > 1),
        spell(_trilu_torch, tf=_trilu_tensorflow),
        sampling.choosing(2, upper=(0, 1), k=(0, 0, 1, -1, 2, -3)),
        (Attr("k", "int", 0, as_input=True, scalar=True), Attr("upper", "int", 1)),
        numpy=lambda x, a: np.triu(x[0], a["k"]) if a["upper"] else np.tril(x[0], a["k"]),
        **facts(weight=0.5, filling="0.0"),
    ),
    moving(
        "DepthToSpace",
        _depth_to_space_shape,
        spell(_blocks_torch(_depth_to_space_steps), tf=_blocks_tensorflow(_depth_to_space_steps, "depth_to_space")),
        sampling.alone_with(_draw_depth_to_space),
        attributes(blocksize="int", mode="DCR"),
        weight=0.5,
        numpy=_permuted_blocks(_depth_to_space_steps, _depth_to_space_shape),
    ),
    moving(
        "SpaceToDepth",
        _space_to_depth_shape,
        spell(_blocks_torch(_space_to_depth_steps), tf=_blocks_tensorflow(_space_to_depth_steps, "space_to_depth")),
        sampling.alone_with(_draw_space_to_depth),
        attributes(blocksize="int"),
        weight=0.5,
        numpy=_permuted_blocks(_space_to_depth_steps, _space_to_depth_shape),
    ),
    moving(
        "ReverseSequence",
        fitting(_fits_reverse_sequence),
        spell(
            _reverse_sequence_torch, tf="tf.reverse_sequence({0}, {1}, seq_axis={time_axis}, batch_axis={batch_axis})"
        ),
        _sample_reverse_sequence,
        attributes(batch_axis=1, time_axis=0),
        inputs=("T", "I"),
        types={"T": WITHOUT_BFLOAT16, "I": ("int64",)},
        error=errors.gathered,
        weight=0.3,
        numpy=_reverse_sequence,
    ),
    moving(
        "repeat_interleave",
        lambda s, a: [s[0].replace(a.dim, s[0][a.dim] * a.repeats)],
        spell(
            ("torch.repeat_interleave({0}, {repeats}, dim={dim})", "{0}.repeat_interleave({repeats}, {dim})"),
            tf="tf.repeat({0}, {repeats}, axis={dim})",
        ),
        sampling.alone_with(_draw_repeat),
        attributes(repeats="int", dim="int"),
        definition=_repeat_interleave_definition,
    ),
    moving(
        "roll",
        fitting(lambda s, a: len(a.shifts) == len(_axes_of(a.dims, s[0])) > 0),
        spell(
            ("torch.roll({0}, {shifts}, {dims})", "{0}.roll({shifts}, {dims})"),
            tf="tf.roll({0}, shift={shifts}, axis={dims})",
        ),
        sampling.alone_with(_draw_roll),
        attributes(shifts="ints", dims="ints"),
        definition=_roll_definition,
    ),
    moving(
        "flip",
        fitting(lambda s, a: len({*_axes_of(a.dims, s[0])}) == len(a.dims)),
        spell(_flip_torch, tf=_flip_tensorflow),
        sampling.alone_with(lambda rng, first: {"dims": sampling.some_axes(rng, first.rank)} if first.rank else None),
        attributes(dims="ints"),
        definition=lambda b, x, a: _flipped(b, x[0], a["dims"]),
    ),
    moving(
        "rot90",
        _rot90_shape,
        spell(("torch.rot90({0}, {k}, {dims})", "{0}.rot90({k}, {dims})")),
        sampling.alone_with(_draw_rot90),
        attributes(k=1, dims=(0, 1)),
        definition=_rot90_definition,
    ),
)
