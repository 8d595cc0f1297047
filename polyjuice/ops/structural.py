"""Operators that rearrange, join, cut or select elements; they compute nothing, so they are exact in every type."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import accumulate
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, COMPLEX, FLOATS, STORED
from polyjuice.ops import errors, normal, sampling, spec, writes
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.inference import AttrView
from polyjuice.ops.normal import GivenAttrs, Types, along_axis, sorted_axes
from polyjuice.ops.shapes import Dims, broadcast, fitting, normalize_axis, require, slice_bounds
from polyjuice.ops.spec import Attr, Call, Op, Sample, attributes, by_definition, facts
from polyjuice.ops.text import filled, literal, spell, subscript
from polyjuice.ops.windows import pad_array, padded


def moving(
    name: str,
    shape: Any,
    text: Mapping[str, spec.Texts],
    sample: spec.SampleFn,
    attrs: tuple[Attr, ...] = (),
    **properties: Any,
) -> Op:
    """The entry of an operator that rearranges elements of any type."""
    settings: dict[str, Any] = {"types": {"T": ALL}, **properties}
    if "definition" not in settings:
        settings.setdefault("error", errors.moved)
    if settings["types"].get("T") in (ALL, STORED):
        settings.setdefault("torch_types", COMPLEX)
    return Op(name=name, shape=shape, text=text, sample=sample, attrs=attrs, moves=True, **settings)


def _inputs(**kinds: str) -> tuple[Attr, ...]:
    """Attributes that ONNX passes as inputs."""
    return tuple(Attr(name, kind, as_input=True) for name, kind in kinds.items())


WITHOUT_BFLOAT16 = tuple(dtype for dtype in ALL if dtype != "bfloat16")


def rearranged(
    name: str,
    definition: Callable[..., Term | Sequence[Term]],
    text: Mapping[str, spec.Texts],
    sample: spec.SampleFn,
    attrs: tuple[Attr, ...] = (),
    shape: spec.ShapeFn = by_definition,
    **properties: Any,
) -> Op:
    """The entry of an operator that rearranges elements of any type, as a term of other such operators says."""
    return moving(name, shape, text, sample, attrs, definition=onnx_term(definition, widen=False), **properties)


# --- Transpose -------------------------------------------------------------------------------------------------------


def _transpose_torch(c: Call) -> tuple[str, ...]:
    perm = c.attrs["perm"]
    texts = ["torch.permute({0}, {perm})", "{0}.permute({perm})"]
    if len(moved := [i for i, p in enumerate(perm) if i != p]) == 2:
        i, j = moved
        texts += [f"{{0}}.transpose({i}, {j})", f"torch.swapaxes({{0}}, {i}, {j})"]
        texts.append(f"torch.transpose({{0}}, dim0={i}, dim1={j})")
    if perm == (1, 0):
        texts += ["{0}.t()", "{0}.mT", "{0}.T", "torch.t({0})"]
    return tuple(texts)


def _transpose_tensorflow(c: Call) -> tuple[str, ...]:
    perm, every = tuple(c.attrs["perm"]), tuple(range(c.types[0].rank))
    texts = ["tf.transpose({0}, {perm})", "tf.transpose({0}, perm={perm})"]
    if perm == every[::-1]:
        texts.append("tf.transpose({0})")
    if len(perm) > 1 and perm == (*every[:-2], *every[:-3:-1]):
        texts.append("tf.linalg.matrix_transpose({0})")
    return tuple(texts)


def _draw_perm(rng: random.Random, first: TensorType) -> Attrs | None:
    same = rng.random() < sampling.IDENTITY
    perm = tuple(range(first.rank)) if same else sampling.permutation(rng, first.rank)
    return {"perm": perm} if first.rank > 1 else None


# --- shape changes ---------------------------------------------------------------------------------------------------


def _reshape_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The target may hold one -1 (the rest) and zeros (keep that dimension, unless ``allowzero``).

    In the rendered form (for the e-graph) it is already the result's shape, for both Reshape and Expand.
    """
    if not isinstance(s[0], Dims):
        return [a.shape]
    target = [s[0][i] if d == 0 and not a.allowzero else d for i, d in enumerate(a.shape)]
    if target.count(-1) == 1:
        known = sampling.total(d for d in target if d != -1)
        rest = sampling.total(s[0])
        target[target.index(-1)] = rest // known if known else 0
    require(min(target, default=0) >= 0 and _of_one_total(target, s[0]))
    return [Dims(target)]


def _of_one_total(x: Sequence[int], y: Sequence[int]) -> bool:
    """Whether shapes have as many elements. What both hold is not multiplied, which would fix sizes to solve for."""
    if 0 in x or 0 in y:
        return 0 in x and 0 in y
    left, others = [], list(y)
    for size in x:
        place = next((i for i, other in enumerate(others) if other is size), None)
        if place is None:
            left.append(size)
        else:
            del others[place]
    return sampling.total(left) == sampling.total(others)


def _draw_reshape(rng: random.Random, first: TensorType) -> Attrs:
    same = rng.random() < sampling.IDENTITY
    return {"shape": first.shape if same else sampling.shape_of_size(rng, first.size), "allowzero": 0}


def _sample_expand(rng: random.Random, first: TensorType) -> Sample | None:
    leading = [sampling.size(rng) for _ in range(rng.randint(0, max(0, min(2, sampling.MAX_RANK - first.rank))))]
    shape = (*leading, *(sampling.size(rng) if d == 1 else d for d in first.shape))
    return Sample((), {"shape": shape}) if shape != first.shape else None


def _sized(c: Call, *templates: str) -> tuple[str, ...]:
    """Templates whose ``{shape}`` is the result's, where an attribute has that name, too."""
    return tuple(text.replace("{shape}", str(tuple(c.results[0].shape))) for text in templates)


def _expand_torch(c: Call) -> tuple[str, ...]:
    texts = "{0}.expand({shape})", "torch.broadcast_to({0}, {shape})", "{0}.broadcast_to({shape})"
    sizes = ", ".join(map(str, c.results[0].shape))
    return _sized(c, *texts, *([f"{{0}}.expand({sizes})"] if sizes else []))


def _squeeze_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    axes = a.axes if a.axes is not None else [i for i, d in enumerate(s[0]) if d == 1]
    require(axes or 1 not in s[0])  # ONNX does not say whether no axes means none or all
    require(all(s[0][normalize_axis(axis, len(s[0]))] == 1 for axis in axes))
    return [s[0].reduced(axes, 0)]


def _draw_squeeze(rng: random.Random, first: TensorType) -> Attrs | None:
    ones = [i for i, d in enumerate(first.shape) if d == 1]
    return {"axes": tuple(sorted(rng.sample(ones, rng.randint(1, len(ones)))))} if ones else None


def _unsqueeze_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    rank = len(s[0]) + len(a.axes)
    new = {normalize_axis(axis, rank) for axis in a.axes}
    require(len(new) == len(a.axes))
    rest = iter(s[0])
    return [Dims(1 if i in new else next(rest) for i in range(rank))]


@sampling.of_rank(0, sampling.MAX_RANK - 1, empty=True)
def _draw_unsqueeze(rng: random.Random, first: TensorType) -> Attrs:
    count = rng.randint(1, min(2, sampling.MAX_RANK - first.rank))
    return {"axes": tuple(sorted(rng.sample(range(first.rank + count), count)))}


def _flatten(x: Term, a: Attrs) -> Term:
    axis = a["axis"] if a["axis"] == x.rank else normalize_axis(a["axis"], x.rank)
    return x.reshape(sampling.total(x.shape[:axis]), sampling.total(x.shape[axis:]))


def _torch_to_shape(c: Call) -> tuple[str, ...]:
    shape = c.results[0].shape
    texts = ["{0}.reshape({shape})", "torch.reshape({0}, {shape})"]
    if len(shape) == 1:
        texts += ["{0}.flatten()", "torch.flatten({0})", "{0}.ravel()", "{0}.reshape(-1)"]
    if shape and 0 not in shape:
        texts.append(f"{{0}}.reshape({', '.join(map(str, (*shape[:-1], -1)))})")
    if shape == c.types[0].shape:
        return (*texts, "{0}.view({shape})", "{0}.reshape({0}.shape)")
    return (*texts, "{0}.contiguous().view({shape})")


_Forms = Mapping[str, tuple[str, ...]]
"""Templates of an application for each framework."""


def _reshaping(
    name: str,
    shape: Any,
    sample: spec.SampleFn,
    attrs: tuple[Attr, ...],
    others: Callable[[Call], _Forms] = lambda c: {},
    **more: Any,
) -> Op:
    """An operator that only reshapes, to the shape of its signature; it has ``others`` as further texts."""
    return _stored(
        name,
        shape,
        spell(
            lambda c: (*_sized(c, *_torch_to_shape(c)), *others(c).get("torch", ())),
            lambda c: (*_sized(c, "tf.reshape({0}, {shape})"), *others(c).get("tf", ())),
            lambda c: (*_sized(c, "jnp.reshape({0}, {shape})", "lax.reshape({0}, {shape})"), *others(c).get("jax", ())),
        ),
        sample,
        attrs,
        numpy=lambda x, a: x[0].reshape(shape([Dims(x[0].shape)], AttrView(a))[0]),
        view=spec.viewing_contiguous,
        **more,
    )


def _squeezed(c: Call) -> _Forms:
    axes = c.attrs["axes"]
    axes = tuple(i for i, d in enumerate(c.types[0].shape) if d == 1) if axes is None else tuple(axes)
    if not axes:
        return dict.fromkeys(("torch", "tf", "jax"), ("{0}",))
    torch = f"torch.squeeze({{0}}, {axes})", f"{{0}}.squeeze({axes})"
    return {"torch": torch, "tf": (f"tf.squeeze({{0}}, axis={axes})",), "jax": (f"jnp.squeeze({{0}}, {axes})",)}


def _unsqueezed(c: Call) -> _Forms:
    """A call for each of the new axes, the first axis innermost; or all of them in an index."""
    rank = c.results[0].rank
    new = sorted(normalize_axis(axis, rank) for axis in c.attrs["axes"])
    index = f"{{0}}[{', '.join('None' if i in new else ':' for i in range(rank))}]"
    torch, method, tf = (
        reduce(form.format, new, "{0}")
        for form in ("torch.unsqueeze({0}, {1})", "{0}.unsqueeze({1})", "tf.expand_dims({0}, {1})")
    )
    return {"torch": (torch, method, index), "tf": (tf, index), "jax": ("jnp.expand_dims({0}, {axes})",)}


# --- joining and cutting ---------------------------------------------------------------------------------------------


def _concat_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    size = s[0][a.axis]
    for shape in s[1:]:
        size = size + shape[a.axis]
    require(not isinstance(s[0], Dims) or all(shape.replace(a.axis, size) == s[0].replace(a.axis, size) for shape in s))
    return [s[0].replace(a.axis, size)]


@sampling.of_rank(1, empty=True)
def _sample_concat(rng: random.Random, first: TensorType) -> Sample:
    axis = rng.randrange(first.rank)
    others = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        size = first.shape[axis] if rng.random() < 0.5 else sampling.size(rng)
        others.append(Dims(first.shape).replace(axis, size))
    return sampling.operands(first, *others, axis=axis)


def _draw_split(rng: random.Random, n: int) -> Attrs:
    if n > 2 and rng.random() < 0.2:
        first, second = sorted(rng.sample(range(1, n), 2))
        return {"split": (first, second - first, n - second)}
    cut = n // 2 if n % 2 == 0 and rng.random() < 0.5 else rng.randint(1, n - 1)
    return {"split": (cut, n - cut)}


def _taken(a: Attrs, shape: Sequence[int]) -> Iterator[tuple[int, range]]:
    """The axes that a slice cuts, and the places that it takes from each."""
    for start, end, axis, step in zip(a["starts"], a["ends"], a["axes"], a["steps"], strict=True):
        axis = normalize_axis(axis, len(shape))
        yield axis, range(*slice_bounds(start, end, step, shape[axis]))


def _slice(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    index = [slice(None)] * x[0].ndim
    for axis, taken in _taken(a, x[0].shape):
        index[axis] = slice(taken.start, taken.stop if taken.stop >= 0 else None, taken.step)
    return x[0][tuple(index)]


def _concat_torch(c: Call) -> str:
    if writes.wanted(c):
        axis, start, parts = normalize_axis(c.attrs["axis"], c.types[0].rank), 0, []
        for x, t in zip(c.x, c.types, strict=True):
            end = start + t.shape[axis]
            parts.append((subscript(t.rank, {axis: f"{start}:{end}"}), x))
            start = end
        return writes.written(c, writes.empty(c), parts)
    return str(filled(c, ("torch.cat(({all},), dim={axis})", "torch.concat([{all}], {axis})")))


def _pieces(even: str, *texts: str) -> spec.TemplatesFn:
    """Some templates, and one for pieces of one size, whose ``{n}`` is their number."""

    def split(c: Call) -> tuple[str, ...]:
        sizes = c.attrs["split"]
        return (*texts, even.replace("{n}", str(len(sizes)))) if len({*sizes}) == 1 and sizes[0] else texts

    return split


def _sliced(c: Call, forwards: bool = False) -> str:
    """Slicing as in Python; ``forwards`` is for a framework without negative steps, which then reverses those axes."""
    entries = {}
    for axis, taken in _taken(c.attrs, c.types[0].shape):
        taken = taken[::-1] if forwards and taken.step < 0 else taken
        stop = taken.stop if taken.stop >= 0 else ""
        entries[axis] = f"{taken.start}:{stop}" + (f":{taken.step}" if taken.step != 1 else "") if taken else "0:0"
    return f"{{0}}{subscript(c.types[0].rank, entries)}"


def _slice_torch(c: Call) -> tuple[str, ...]:
    flips = tuple(axis for axis, taken in _taken(c.attrs, c.types[0].shape) if taken.step < 0)
    text = _sliced(c, forwards=True)
    return (f"torch.flip({text}, {flips})" if flips else text,)


def _slice_tensorflow(c: Call) -> tuple[str, ...]:
    """Slicing, or tf.slice for steps of 1."""
    if any(step != 1 for step in c.attrs["steps"]):
        return (_sliced(c),)
    begins = {axis: taken.start for axis, taken in _taken(c.attrs, c.types[0].shape) if taken}
    return _sliced(c), f"tf.slice({{0}}, {[begins.get(i, 0) for i in range(c.types[0].rank)]}, {{shape}})"


@sampling.of_rank(1)
def _draw_slice(rng: random.Random, first: TensorType) -> Attrs:
    axes = sampling.some_axes(rng, first.rank)[:2]
    drawn = []
    for n in (first.shape[axis] for axis in axes):
        start = rng.randrange(n)
        cut = start, rng.randint(start + 1, n), rng.choice((1, 1, 2, 3))
        drawn.append((n - 1, -n - 1, -1) if rng.random() < 0.1 else cut)
    starts, ends, steps = zip(*drawn, strict=True)
    return {"starts": starts, "ends": ends, "axes": axes, "steps": steps}


# --- Pad -------------------------------------------------------------------------------------------------------------


def _pad_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(a.pads) == 2 * len(s[0]))
    most = {"reflect": [d - 1 for d in s[0]], "edge": [sys.maxsize * (d > 0) for d in s[0]], "wrap": s[0]}.get(a.mode)
    require(most is None or all(0 <= p <= n for p, n in zip(a.pads, (*most, *most), strict=True)))
    out = Dims(d + sum(a.pads[i :: len(s[0])]) for i, d in enumerate(s[0]))
    require(min(out, default=0) >= 0)
    return [out]


def torch_pads(pads: Sequence[int]) -> tuple[int, ...]:
    """ONNX's pads in the order of ``torch.nn.functional.pad``: start and end of the last axis first."""
    rank = len(pads) // 2
    return tuple(p for i in reversed(range(rank)) for p in pads[i::rank])


def _pad(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    if a["mode"] == "constant":
        return pad_array(x[0], a["pads"], a["value"])
    starts, ends = np.split(np.asarray(a["pads"]), 2)
    return padded(x[0], list(zip(starts, ends, strict=True)), mode=a["mode"])


def _padded_places(c: Call) -> dict[int, list[int]]:
    """For each padded axis, the place in the operand of each element of the result."""
    pads, sizes = c.attrs["pads"], enumerate(c.types[0].shape)
    each = ((axis, np.arange(size), (pads[axis], pads[len(pads) // 2 + axis])) for axis, size in sizes)
    return {axis: np.pad(own, widths, mode=c.attrs["mode"]).tolist() for axis, own, widths in each if any(widths)}


_TORCH_MODES = {"reflect": "reflect", "edge": "replicate", "wrap": "circular"}


def _pad_torch(c: Call) -> str:
    """F.pad, which pads up to three last axes of floating tensors by their own elements; else indexing."""
    t, pads, mode = c.types[0], c.attrs["pads"], c.attrs["mode"]
    if mode == "constant":
        value = literal(c.attrs["value"], t.dtype)
        if min(pads, default=-1) >= 0 and writes.wanted(c):
            part = {i: f"{pads[i]}:{pads[i] + size}" for i, size in enumerate(t.shape)}
            new = f"{c.x[0]}.new_full({c.results[0].shape}, {value})"
            return writes.written(c, new, [(subscript(t.rank, part), c.x[0])])
        texts = ["F.pad({0}, {1}, value={2})", "F.pad({0}, {1}, 'constant', {2})"]
        return c.draws.choice(texts).format(c.x[0], torch_pads(pads), value)
    places = _padded_places(c)
    last = t.rank - min(places, default=t.rank)
    fits = 0 < last <= 3 and t.rank - last in (1, 2) and 0 not in t.shape
    if t.dtype in FLOATS and fits and c.draws.chance(0.7):
        inner = [axis + half for half in (0, t.rank) for axis in range(t.rank - last, t.rank)]
        return f"F.pad({c.x[0]}, {torch_pads([pads[i] for i in inner])}, mode='{_TORCH_MODES[mode]}')"
    return c.x[0] + "".join(subscript(t.rank, {axis: str(taken)}) for axis, taken in places.items())


def _cut_and_widths(c: Call) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The operand without what negative pads remove, and the positive ones of each axis."""
    t, pads = c.types[0], c.attrs["pads"]
    each = list(zip(pads[: t.rank], pads[t.rank :], strict=True))
    cut = {
        i: f"{max(-low, 0)}:{t.shape[i] - max(-high, 0)}" for i, (low, high) in enumerate(each) if min(low, high) < 0
    }
    widths = tuple((max(low, 0), max(high, 0)) for low, high in each)
    return f"{c.x[0]}{subscript(t.rank, cut) if cut else ''}", widths


def _pad_tensorflow(c: Call) -> str:
    """tf.pad, which takes no negative widths and has no modes edge and wrap; gathering replaces these."""
    (x, widths), mode = _cut_and_widths(c), c.attrs["mode"]
    if mode == "constant":
        value = literal(c.attrs["value"], c.types[0].dtype)
        if str(c.attrs["value"]) == "-0.0":  # tf.pad takes it for its default, which is positive
            value = f"tf.constant({value}, dtype=tf.{c.types[0].dtype})"
        return f"tf.pad({x}, {widths}, constant_values={value})"
    if mode == "reflect" and c.draws.chance(0.7):
        return f"tf.pad({x}, {widths}, mode='REFLECT')"
    for axis, taken in _padded_places(c).items():
        x = f"tf.gather({x}, {taken}, axis={axis})"
    return x


def _pad_jax(c: Call) -> tuple[str, ...]:
    (x, widths), pads, t = _cut_and_widths(c), c.attrs["pads"], c.types[0]
    if c.attrs["mode"] != "constant":
        return (f'jnp.pad({x}, {widths}, mode="{{mode}}")',)
    value, both = literal(c.attrs["value"], t.dtype), tuple((*pads[i :: t.rank], 0) for i in range(t.rank))
    number = f"jnp.array({value}, jnp.{dtypes.framework_name(t.dtype)})"
    return f"jnp.pad({x}, {widths}, constant_values={value})", f"lax.pad({{0}}, {number}, {both})"


@sampling.of_rank(1, empty=True)
def _draw_pad(rng: random.Random, first: TensorType) -> Attrs | None:
    pads = tuple(rng.choice((0, 0, 1, 2)) for _ in range(2 * first.rank))
    if not any(pads):
        return None
    mode = rng.choices(("constant", "reflect", "edge", "wrap"), (6, 2, 2, 1))[0]
    if mode != "constant":
        sizes = [d - (mode == "reflect") for d in first.shape * 2]
        return {"pads": tuple(min(p, n) for p, n in zip(pads, sizes, strict=True)), "value": 0.0, "mode": mode}
    value = 0.0 if first.dtype == "bool" else float(rng.choice((0, 0, 1, 3)))
    return {"pads": pads, "value": value, "mode": mode}


_stored = partial(moving, types={"T": STORED})
"""The entry of an operator that takes values of the narrow types, too."""

# --- normal forms ----------------------------------------------------------------------------------------------------


def _normal_reshape(a: GivenAttrs, x: Types) -> None:
    a["shape"] = tuple(_reshape_shape([Dims(x[0].shape)], AttrView(a))[0])
    a["allowzero"] = int(0 in a["shape"])


OPS: tuple[Op, ...] = (
    _stored(
        "Transpose",
        lambda s, a: [s[0].permute(a.perm)],
        spell(_transpose_torch, _transpose_tensorflow, ("jnp.transpose({0}, {perm})", "lax.transpose({0}, {perm})")),
        sampling.alone_with(_draw_perm),
        attributes(perm="ints"),
        numpy=lambda x, a: np.transpose(x[0], a["perm"]),
        view=spec.viewing,
        weight=3,
        followers="Transpose MatMul Gemm Reshape Softmax Concat Slice Squeeze Conv Cast Add Mul Split "
        f"{sampling.REDUCED}",
        normal=lambda a, x: a.setdefault("perm", tuple(reversed(range(x[0].rank)))),
    ),
    _reshaping(
        "Reshape",
        _reshape_shape,
        sampling.alone_with(_draw_reshape),
        (*_inputs(shape="ints"), *attributes(allowzero=0)),
        normal=_normal_reshape,
        **facts(weight=2, followers=f"Reshape Transpose MatMul Concat Squeeze Add Slice ReduceL1 {sampling.REDUCED}"),
    ),
    _stored(
        "Expand",
        lambda s, a: [broadcast(s[0], a.shape) if isinstance(s[0], Dims) else a.shape],
        spell(
            _expand_torch,
            lambda c: _sized(c, "tf.broadcast_to({0}, {shape})"),
            lambda c: _sized(c, "jnp.broadcast_to({0}, {shape})"),
        ),
        _sample_expand,
        _inputs(shape="ints"),
        numpy=lambda x, a: np.broadcast_to(x[0], broadcast(x[0].shape, a["shape"])),
        view=spec.viewing,
        followers=f"Add Mul Sub Where Concat Transpose {sampling.REDUCED}",
        normal=lambda a, x: a.update(shape=tuple(broadcast(x[0].shape, a["shape"]))),
    ),
    _reshaping(
        "Squeeze",
        _squeeze_shape,
        sampling.alone_with(_draw_squeeze),
        (Attr("axes", "ints", None, as_input=True),),
        _squeezed,
        normal=normal.squeezed,
        **facts(weight=0.8, followers="Unsqueeze Reshape Add Transpose MatMul"),
    ),
    _reshaping(
        "Unsqueeze",
        _unsqueeze_shape,
        sampling.alone_with(_draw_unsqueeze),
        _inputs(axes="ints"),
        _unsqueezed,
        normal=lambda a, x: a.update(axes=sorted_axes(a["axes"], x[0].rank + len(a["axes"]))),
        **facts(weight=0.5, followers="Squeeze Expand Concat Add Mul Where Tile Reshape MatMul"),
    ),
    rearranged(
        "Flatten",
        _flatten,
        {},
        sampling.alone_with(lambda rng, first: {"axis": rng.randint(0, first.rank)}),
        attributes(axis=1),
        types={"T": STORED},
        normal=lambda a, x: along_axis(a, x) if a["axis"] != x[0].rank else None,
        **facts(weight=0.3, followers="Gemm MatMul Reshape Transpose"),
    ),
    _stored(
        "Concat",
        _concat_shape,
        spell(
            _concat_torch,
            ("tf.concat([{all}], axis={axis})", "tf.concat([{all}], {axis})"),
            "jnp.concatenate([{all}], axis={axis})",
        ),
        _sample_concat,
        attributes(axis="int"),
        numpy=lambda x, a: np.concatenate(list(x), axis=a["axis"]),
        followers=f"Concat Split Slice Conv Transpose Reshape MatMul Relu Gather {sampling.REDUCED}",
        **facts(variadic="operands", weight=3),
    ),
    _stored(
        "Split",
        fitting(
            lambda s, a: sum(a.split) == s[0][normalize_axis(a.axis, len(s[0]))],
            lambda s, a: [s[0].replace(a.axis, size) for size in a.split],
        ),
        spell(
            _pieces(
                "torch.chunk({0}, {n}, dim={axis})",
                "torch.split({0}, {split}, dim={axis})",
                "{0}.split({split}, dim={axis})",
            ),
            _pieces("tf.split({0}, {n}, axis={axis})", "tf.split({0}, {split}, axis={axis})"),
            lambda c: f"jnp.split({c.x[0]}, {[*accumulate(c.attrs['split'])][:-1]}, axis={c.attrs['axis']})",
        ),
        sampling.along("axis", _draw_split, least=2),
        (*attributes(axis=0), *_inputs(split="ints")),
        numpy=lambda x, a: tuple(np.split(x[0], np.cumsum(a["split"])[:-1], axis=a["axis"])),
        normal=normal.split,
        **facts(variadic="results", weight=2, followers="Concat Add Mul Sigmoid Squeeze Slice Transpose"),
    ),
    _stored(
        "Slice",
        fitting(lambda s, a: len(s[0]) > 0, lambda s, a: [s[0].sliced(a.starts, a.ends, a.axes, a.steps)]),
        spell(_slice_torch, _slice_tensorflow, lambda c: (_sliced(c),)),
        sampling.alone_with(_draw_slice),
        _inputs(starts="ints", ends="ints", axes="ints", steps="ints"),
        numpy=_slice,
        view=lambda a, contiguous: all(step > 0 for step in a["steps"]),
        normal=normal.sliced,
        **facts(weight=2, followers=f"Pad Slice Concat Conv MatMul Add Transpose Unsqueeze Reshape {sampling.REDUCED}"),
    ),
    moving(
        "Pad",
        _pad_shape,
        spell(_pad_torch, _pad_tensorflow, _pad_jax),
        sampling.alone_with(_draw_pad),
        (
            Attr("pads", "ints", as_input=True),
            Attr("value", "float", 0.0, as_input=True, scalar=True, like_operand=True),
            Attr("mode", "string", "constant"),
        ),
        numpy=_pad,
        error=lambda c: _pad([np.broadcast_to(c.e[0], c.x[0].shape)], {**c.attrs, "value": 0.0}),
        followers=f"Conv Pad Pad Slice MaxPool AveragePool Transpose Concat {sampling.REDUCED}",
        normal=normal.padded,
        **facts(filling="value_", any_number=True),
    ),
)
