"""ATen's operators that join tensors, split one into several, and pad or regroup one."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, concat
from polyjuice.ops.rearranging import flipped
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Builder, Op, Sample, SampleFn, attributes, by_definition
from polyjuice.ops.structural import moving, rearranged
from polyjuice.ops.text import called, spell
from polyjuice.ops.viewing import diag_embed, diagonal


def _draw_axis(rng: random.Random, first: TensorType) -> int | None:
    """An axis with elements; None if there is none."""
    axes = [i for i, d in enumerate(first.shape) if d]
    return rng.choice(axes) if axes else None


# --- hstack and its kind ---------------------------------------------------------------------------------------------


def _stacking(name: str, axis: int, lifted: Mapping[int, tuple[int, ...]] = {}) -> Op:
    """A concatenation along an axis, or the last one; operands of some ranks first get new axes."""

    def definition(*given: Any) -> Term:
        require(all(x.rank for x in given[:-1]))
        parts = [x.unsqueeze(*lifted[x.rank]) if x.rank in lifted else x for x in given[:-1]]
        return concat(min(axis, parts[0].rank - 1), *parts)

    @sampling.of_rank(1, empty=True)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        along, shape = min(axis, first.rank - 1), Dims(first.shape)
        others = (shape if first.rank in lifted else shape.replace(along, sampling.size(rng)) for _ in range(2))
        return sampling.operands(first, *list(others)[: rng.choice((1, 1, 2))])

    return rearranged(name, definition, spell(f"torch.{name}(({{all}},))"), sample, variadic="operands")


# --- chunk and its kind ----------------------------------------------------------------------------------------------


def _chunks(n: int, count: int) -> tuple[int, ...]:
    """Pieces of one size, the last of which may be smaller."""
    size = max(-(-n // count), 1)
    return tuple(min(size, n - start) for start in range(0, n, size)) or (0,) * count


def _sections(n: int, count: int) -> tuple[int, ...]:
    """As many pieces as asked for, the first of which may be larger by one."""
    return tuple(n // count + (i < n % count) for i in range(count))


def _cutting(
    name: str, text: str, axis: Callable[[int, Attrs], int], count: str, pieces: Callable[[int, int], tuple[int, ...]]
) -> Op:
    """An operator that cuts an axis, which depends on the rank and the attributes, into a number of pieces."""
    even = name in ("hsplit", "vsplit", "dsplit")

    def build(b: Builder, x: Sequence[str], a: Attrs) -> Sequence[str]:
        t = b.types[x[0]]
        along = axis(t.rank, a)
        require(a[count] > 0 and not (even and t.shape[along] % a[count]))
        return b.multi("Split", x[0], axis=along, split=pieces(t.shape[along], a[count]))

    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        dim = {} if even else {"dim": _draw_axis(rng, first)}
        if None in dim.values() or (even and first.rank < {"hsplit": 1, "vsplit": 2, "dsplit": 3}[name]):
            return None
        n = first.shape[axis(first.rank, dim)]
        return {count: rng.choice([k for k in range(1, 5) if n and not (even and n % k)] or [1]), **dim}

    attrs = attributes(**{count: "int"}, **({} if even else {"dim": 0}))
    return moving(
        name, by_definition, spell(text), sampling.alone_with(draw), attrs, variadic="results", definition=build
    )


def _along_dim(rank: int, a: Attrs) -> int:
    return normalize_axis(a["dim"], rank)


# --- pixel_shuffle, unflatten ----------------------------------------------------------------------------------------


def _pixel_shuffle(x: Term, a: Attrs) -> Term:
    (*batch, c, h, w), r, n = x.shape, a["upscale_factor"], x.rank - 3
    require(c % (r * r) == 0)
    blocks = x.reshape(*batch, c // (r * r), r, r, h, w)
    return blocks.permute(*range(n + 1), n + 3, n + 1, n + 4, n + 2).reshape(*batch, c // (r * r), h * r, w * r)


def _pixel_unshuffle(x: Term, a: Attrs) -> Term:
    (*batch, c, h, w), r, n = x.shape, a["downscale_factor"], x.rank - 3
    require(h % r == w % r == 0)
    blocks = x.reshape(*batch, c, h // r, r, w // r, r)
    return blocks.permute(*range(n + 1), n + 2, n + 4, n + 1, n + 3).reshape(*batch, c * r * r, h // r, w // r)


def _draw_factor(name: str, fits: Callable[[tuple[int, ...], int], bool]) -> SampleFn:
    @sampling.of_rank(3, 4)  # of more, Torch has no kernel with channels last
    def draw(rng: random.Random, first: TensorType) -> Attrs:
        return {name: rng.choice([r for r in (1, 2, 3, 4) if fits(first.shape[-3:], r)][-2:])}

    return sampling.alone_with(draw)


def _unflatten(x: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    require(math.prod(a["sizes"]) == x.shape[dim])
    return x.reshape(*x.shape[:dim], *a["sizes"], *x.shape[dim + 1 :])


def _draw_unflatten(rng: random.Random, first: TensorType) -> Attrs | None:
    dim = _draw_axis(rng, first)
    if dim is None or first.rank >= sampling.MAX_RANK:
        return None
    factor = rng.choice(sampling.factors(first.shape[dim]))
    return {"dim": dim, "sizes": (factor, first.shape[dim] // factor)}


# --- padding ---------------------------------------------------------------------------------------------------------


def _padded(x: Term, pads: Sequence[int], **attrs: Any) -> Term:
    """The operator Pad by Torch's pads: start and end of the last axis first."""
    wide = (*pads, *[0] * (2 * x.rank - len(pads)))
    return x.then("Pad", pads=(*wide[-2::-2], *wide[::-2]), **attrs)


def _draw_constant_pad(rng: random.Random, first: TensorType) -> Attrs | None:
    pad = tuple(rng.choice((0, 1, 2, 3)) for _ in range(2 * rng.randint(1, max(first.rank, 1))))
    value = 0.0 if first.dtype == "bool" else float(rng.choice((0, 1, 3)))
    return {"pad": pad, "value": value} if first.rank else None


def _own_padding(kind: str, mode: str, axes: int) -> Op:
    """A padding of some last axes by the elements near the edges."""

    def definition(x: Term, a: Attrs) -> Term:
        require(x.rank in (axes + 1, axes + 2) and len(a["padding"]) == 2 * axes)
        return _padded(x, a["padding"], mode=mode)

    @sampling.of_rank(axes + 1, axes + 2)
    def draw(rng: random.Random, first: TensorType) -> Attrs:
        most = [
            n - (mode == "reflect") if mode == "reflect" else 3 for n in first.shape[: -axes - 1 : -1] for _ in "lr"
        ]
        return {"padding": tuple(rng.randint(0, min(n, 3)) for n in most)}

    names = f"{kind.title()}Pad{axes}d"
    text = (f"torch.nn.{names}({{padding}})({{0}})", f"torch.ops.aten.{kind}_pad{axes}d({{0}}, {{padding}})")
    return rearranged(
        f"{kind}_pad{axes}d", definition, spell(text), sampling.alone_with(draw), attributes(padding="ints"),
        types={"T": FLOATS},
    )  # fmt: skip


# --- diag, meshgrid, and combinations --------------------------------------------------------------------------------


_BOTH = {"dim1": 0, "dim2": 1}


def _diag(x: Term, a: Attrs) -> Term:
    require(x.rank in (1, 2))
    return (diagonal if x.rank == 2 else diag_embed)(x, {"offset": a["diagonal"], **_BOTH})


def _diagflat(x: Term, a: Attrs) -> Term:
    return diag_embed(x.reshape(-1), {**a, **_BOTH})


def _draw_offset(name: str, least: int, most: int) -> SampleFn:
    @sampling.of_rank(least, most)
    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        offset = rng.choice((0, 0, 1, -1))
        return {name: offset} if first.size <= 64 and (first.rank != 2 or min(first.shape) > 1) else None

    return sampling.alone_with(draw)


def _grid(x: Term, y: Term) -> tuple[Term, Term]:
    require(x.rank == y.rank == 1)
    (m,), (n,) = x.shape, y.shape
    return x.unsqueeze(1).expand(m, n), y.unsqueeze(0).expand(m, n)


def _meshgrid(x: Term, y: Term, a: Attrs) -> Sequence[Term]:
    return [one.permute(1, 0) if a["indexing"] == "xy" else one for one in _grid(x, y)]


def _sample_two_lines(**choices: Sequence[Any]) -> SampleFn:
    @sampling.of_rank(1, 1)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        return sampling.operands(first, (sampling.size(rng),), **{k: rng.choice(v) for k, v in choices.items()})

    return sample


def _combinations(x: Term, a: Attrs) -> Term:
    require(x.rank == 1)
    listed = (combinations_with_replacement if a["with_replacement"] else combinations)(range(x.shape[0]), a["r"])
    return x.then("Gather", x.constant(np.array(list(listed), np.int64).reshape(-1, a["r"])), axis=0)


@sampling.of_rank(1, 1)
def _draw_combinations(rng: random.Random, first: TensorType) -> Attrs | None:
    return {"r": 2, "with_replacement": rng.randint(0, 1)} if 2 <= first.size <= 8 else None


def _mirrored(name: str, axis: int) -> Op:
    return rearranged(
        name,
        lambda x, a: flipped(x, (axis,)),
        spell("torch. .", jax="jnp."),
        sampling.of_rank(axis + 1)(sampling.alone),
        shape=fitting(lambda s, a: len(s[0]) > axis),
    )


OPS: tuple[Op, ...] = (
    _stacking("hstack", 1),
    _stacking("vstack", 0, {1: (0,)}),
    _stacking("dstack", 2, {1: (0, 2), 2: (2,)}),
    _stacking("column_stack", 1, {1: (1,)}),
    _cutting("chunk", "torch.chunk({0}, {chunks}, {dim})", _along_dim, "chunks", _chunks),
    _cutting("tensor_split", "torch.tensor_split({0}, {sections}, {dim})", _along_dim, "sections", _sections),
    _cutting("hsplit", "torch.hsplit({0}, {sections})", lambda rank, a: min(rank - 1, 1), "sections", _sections),
    _cutting("vsplit", "torch.vsplit({0}, {sections})", lambda rank, a: 0, "sections", _sections),
    _cutting("dsplit", "torch.dsplit({0}, {sections})", lambda rank, a: 2, "sections", _sections),
    _mirrored("flipud", 0),
    _mirrored("fliplr", 1),
    rearranged(
        "unflatten",
        _unflatten,
        spell(("torch.unflatten({0}, {dim}, {sizes})", "{0}.unflatten({dim}, {sizes})")),
        sampling.alone_with(_draw_unflatten),
        attributes(dim="int", sizes="ints"),
    ),
    rearranged(
        "pixel_shuffle",
        _pixel_shuffle,
        spell(("F.pixel_shuffle({0}, {upscale_factor})", "torch.nn.PixelShuffle({upscale_factor})({0})")),
        _draw_factor("upscale_factor", lambda s, r: s[0] % (r * r) == 0),
        attributes(upscale_factor="int"),
    ),
    rearranged(
        "pixel_unshuffle",
        _pixel_unshuffle,
        spell(("F.pixel_unshuffle({0}, {downscale_factor})", "torch.nn.PixelUnshuffle({downscale_factor})({0})")),
        _draw_factor("downscale_factor", lambda s, r: s[1] % r == s[2] % r == 0),
        attributes(downscale_factor="int"),
    ),
    rearranged(
        "constant_pad_nd",
        lambda x, a: _padded(x, a["pad"], value=a["value"]),
        spell("torch.constant_pad_nd({0}, {pad}, {value})"),
        sampling.alone_with(_draw_constant_pad),
        (Attr("pad", "ints"), Attr("value", "float", 0.0, like_operand=True)),
        filling="value_",
        any_number=True,
    ),
    *(
        _own_padding(kind, mode, axes)
        for kind, mode in (("reflection", "reflect"), ("replication", "edge"))
        for axes in (1, 2, 3)
    ),
    rearranged(
        "diag",
        _diag,
        spell(called("diag", "{diagonal}")),
        _draw_offset("diagonal", 1, 2),
        attributes(diagonal=0),
        filling="0.0",
    ),
    rearranged(
        "diagflat",
        _diagflat,
        spell(called("diagflat", "{offset}")),
        _draw_offset("offset", 0, 3),
        attributes(offset=0),
        filling="0.0",
    ),
    rearranged(
        "meshgrid",
        _meshgrid,
        spell('torch.meshgrid({0}, {1}, indexing="{indexing}")'),
        _sample_two_lines(indexing=("ij", "xy")),
        attributes(indexing="ij"),
        inputs=("T", "T"),
        results=("T", "T"),
    ),
    rearranged(
        "cartesian_prod",
        lambda x, y, a: concat(1, *(one.reshape(-1, 1) for one in _grid(x, y))),
        spell("torch.cartesian_prod({0}, {1})"),
        _sample_two_lines(),
        inputs=("T", "T"),
    ),
    rearranged(
        "combinations",
        _combinations,
        spell("torch.combinations({0}, {r}, {is_with_replacement})"),
        sampling.alone_with(_draw_combinations),
        attributes(r=2, with_replacement=0),
    ),
)
