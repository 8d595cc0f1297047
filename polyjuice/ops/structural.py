"""Operators that rearrange, join, cut or select elements; they compute nothing, so they are exact in every type."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL, FLOATS
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, ShapeMismatch, broadcast, normalize_axis, slice_bounds
from polyjuice.ops.spec import Attr, AttrView, ErrorContext, Op, Operand, Sample, SampleFn, TorchCall, TorchFn


def _moving(
    name: str,
    shape: Any,
    numpy: Any,
    torch: tuple[str, ...] | TorchFn,
    sample: SampleFn,
    attrs: tuple[Attr, ...] = (),
    **properties: Any,
) -> Op:
    settings: dict[str, Any] = {"inputs": ("T",), "types": {"T": ALL}, "results": ("T",), "error": errors.moved}
    return Op(
        name=name,
        shape=shape,
        numpy=numpy,
        torch=torch,
        sample=sample,
        attrs=attrs,
        exact=True,
        moves=True,
        **{**settings, **properties},
    )


# --- Transpose -------------------------------------------------------------------------------------------------------


def _transpose_torch(c: TorchCall) -> str:
    perm = c.attrs["perm"]
    moved = [i for i, p in enumerate(perm) if i != p]
    spellings = ["torch.permute({0}, {1})", "{0}.permute({1})"]
    if len(moved) == 2:
        spellings.append(f"{{0}}.transpose({moved[0]}, {moved[1]})")
    return c.rng.choice(spellings).format(c.x[0], perm)


def _draw_perm(rng: random.Random, first: TensorType) -> Attrs | None:
    return {"perm": sampling.permutation(rng, first.rank)} if first.rank > 1 else None


# --- shape changes ---------------------------------------------------------------------------------------------------


def _reshape_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The target may hold one -1 (the rest) and zeros (keep that dimension, unless ``allowzero``).

    In the rendered form (for the e-graph) it is the result's shape already, for Reshape and Expand alike.
    """
    if not isinstance(s[0], Dims):
        return [a.shape]
    target = [s[0][i] if d == 0 and not a.allowzero else d for i, d in enumerate(a.shape)]
    if target.count(-1) == 1:
        known = sampling.total(d for d in target if d != -1)
        rest = sampling.total(s[0])
        target[target.index(-1)] = rest // known if known else 0
    if min(target, default=0) < 0 or sampling.total(target) != sampling.total(s[0]):
        raise ShapeMismatch(f"cannot reshape {tuple(s[0])} to {tuple(a.shape)}")
    return [Dims(target)]


def _expand_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    return [broadcast(s[0], a.shape) if isinstance(s[0], Dims) else a.shape]


def _draw_reshape(rng: random.Random, first: TensorType) -> Attrs:
    return {"shape": sampling.shape_of_size(rng, first.size), "allowzero": 0}


def _sample_expand(rng: random.Random, first: TensorType) -> Sample | None:
    leading = [sampling.size(rng) for _ in range(rng.randint(0, min(2, sampling.MAX_RANK - first.rank)))]
    shape = (*leading, *(sampling.size(rng) if d == 1 else d for d in first.shape))
    return Sample((), {"shape": shape}) if shape != first.shape else None


def _squeeze_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    axes = a.axes if a.axes is not None else [i for i, d in enumerate(s[0]) if d == 1]
    if any(s[0][normalize_axis(axis, len(s[0]))] != 1 for axis in axes):
        raise ShapeMismatch(f"cannot squeeze axes {tuple(axes)} of {tuple(s[0])}")
    return [s[0].reduced(axes, 0)]


def _draw_squeeze(rng: random.Random, first: TensorType) -> Attrs | None:
    ones = [i for i, d in enumerate(first.shape) if d == 1]
    return {"axes": tuple(sorted(rng.sample(ones, rng.randint(1, len(ones)))))} if ones else None


def _unsqueeze_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    rank = len(s[0]) + len(a.axes)
    new = {normalize_axis(axis, rank) for axis in a.axes}
    if len(new) != len(a.axes):
        raise ShapeMismatch(f"axes {tuple(a.axes)} repeat")
    rest = iter(s[0])
    return [Dims(1 if i in new else next(rest) for i in range(rank))]


def _draw_unsqueeze(rng: random.Random, first: TensorType) -> Attrs | None:
    room = sampling.MAX_RANK - first.rank
    if room < 1:
        return None
    count = rng.randint(1, min(2, room))
    return {"axes": tuple(sorted(rng.sample(range(first.rank + count), count)))}


def _flatten_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    axis = a.axis if a.axis == len(s[0]) else normalize_axis(a.axis, len(s[0]))
    return [Dims((sampling.total(s[0][:axis]), sampling.total(s[0][axis:])))]


def _to_result_shape(shape: Any) -> Any:
    """The meaning of an operator that is a reshape to the shape its signature gives."""

    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        return x[0].reshape(shape([Dims(x[0].shape)], AttrView(a))[0])

    return apply


def _torch_reshape(c: TorchCall) -> str:
    return c.rng.choice(("{0}.reshape({1})", "torch.reshape({0}, {1})")).format(c.x[0], c.results[0].shape)


# --- joining and cutting ---------------------------------------------------------------------------------------------


def _concat_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    size = s[0][a.axis]
    for shape in s[1:]:
        size = size + shape[a.axis]
    if isinstance(s[0], Dims) and len({shape.replace(a.axis, 0) for shape in s}) > 1:
        raise ShapeMismatch(f"cannot concatenate {', '.join(str(tuple(d)) for d in s)} along axis {a.axis}")
    return [s[0].replace(a.axis, size)]


def _sample_concat(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank == 0:
        return None
    axis = rng.randrange(first.rank)
    others = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        size = first.shape[axis] if rng.random() < 0.5 else sampling.size(rng)
        others.append(Operand(TensorType(first.dtype, Dims(first.shape).replace(axis, size))))
    return Sample(tuple(others), {"axis": axis})


def _split_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """One output shape for each entry of ``split``."""
    if isinstance(s[0], Dims) and sum(a.split) != s[0][normalize_axis(a.axis, len(s[0]))]:
        raise ShapeMismatch(f"split {tuple(a.split)} does not add up to axis {a.axis} of {tuple(s[0])}")
    return [s[0].replace(a.axis, size) for size in a.split]


def _draw_split(rng: random.Random, first: TensorType) -> Attrs | None:
    axes = [i for i, d in enumerate(first.shape) if d > 1]
    if not axes:
        return None
    axis = rng.choice(axes)
    n = first.shape[axis]
    cut = n // 2 if n % 2 == 0 and rng.random() < 0.5 else rng.randint(1, n - 1)
    return {"axis": axis, "split": (cut, n - cut)}


def _slice(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    index = [slice(None)] * x[0].ndim
    for start, end, axis, step in zip(a["starts"], a["ends"], a["axes"], a["steps"], strict=True):
        first, stop, step = slice_bounds(start, end, step, x[0].shape[axis])
        index[axis] = slice(first, stop if stop >= 0 else None, step)
    return x[0][tuple(index)]


def _slice_torch(c: TorchCall) -> str:
    """Python slicing; Torch has no negative steps, so those axes are read forwards and flipped."""
    index, flips = [":"] * c.types[0].rank, []
    for start, end, axis, step in zip(
        c.attrs["starts"], c.attrs["ends"], c.attrs["axes"], c.attrs["steps"], strict=True
    ):
        axis = normalize_axis(axis, c.types[0].rank)
        taken = range(*slice_bounds(start, end, step, c.types[0].shape[axis]))
        if step < 0:
            taken = taken[::-1]
            flips.append(axis)
        stop = taken[-1] + 1 if taken else taken.start
        index[axis] = f"{taken.start}:{stop}" + (f":{taken.step}" if taken.step != 1 else "")
    text = f"{c.x[0]}[{', '.join(index)}]"
    return f"torch.flip({text}, {tuple(flips)})" if flips else text


def _draw_slice(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank == 0 or 0 in first.shape:
        return None
    axes = some = sampling.some_axes(rng, first.rank)[:2]
    starts, ends, steps = [], [], []
    for axis in some:
        n = first.shape[axis]
        start = rng.randrange(n)
        end = rng.randint(start + 1, n)
        step = rng.choice((1, 1, 1, 2))
        if rng.random() < 0.1:
            start, end, step = n - 1, -n - 1, -1
        starts.append(start)
        ends.append(end)
        steps.append(step)
    return {"starts": tuple(starts), "ends": tuple(ends), "axes": axes, "steps": tuple(steps)}


# --- Pad -------------------------------------------------------------------------------------------------------------


def _pad_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    rank = len(s[0])
    if len(a.pads) != 2 * rank:
        raise ShapeMismatch(f"pads {tuple(a.pads)} do not fit rank {rank}")
    out = [d + a.pads[i] + a.pads[rank + i] for i, d in enumerate(s[0])]
    if min(out, default=0) < 0:
        raise ShapeMismatch(f"pads {tuple(a.pads)} remove more than {tuple(s[0])} has")
    return [Dims(out)]


def pad_array(x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    """Pad (or, where negative, crop) an array; ``pads`` lists all starts, then all ends, as ONNX does."""
    rank = x.ndim
    crop = tuple(slice(max(-pads[i], 0), x.shape[i] - max(-pads[rank + i], 0)) for i in range(rank))
    widths = [(max(pads[i], 0), max(pads[rank + i], 0)) for i in range(rank)]
    return np.pad(x[crop], widths, constant_values=np.asarray(value).astype(x.dtype))


def torch_pads(pads: Sequence[int]) -> tuple[int, ...]:
    """ONNX's pads in the order of ``torch.nn.functional.pad``: start and end of the last axis first."""
    rank = len(pads) // 2
    return tuple(p for i in reversed(range(rank)) for p in (pads[i], pads[rank + i]))


def _pad_torch(c: TorchCall) -> str:
    value = float(c.attrs["value"]) if c.types[0].dtype in FLOATS else int(c.attrs["value"])
    return f"F.pad({c.x[0]}, {torch_pads(c.attrs['pads'])}, value={value})"


def _draw_pad(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank == 0:
        return None
    pads = tuple(rng.choice((0, 0, 1, 2)) for _ in range(2 * first.rank))
    value = 0.0 if first.dtype == "bool" else float(rng.choice((0, 0, 1, 3)))
    return {"pads": pads, "value": value, "mode": "constant"} if any(pads) else None


# --- Gather ----------------------------------------------------------------------------------------------------------


def _gather_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    axis = normalize_axis(a.axis, len(s[0]))
    return [Dims((*s[0][:axis], *s[1], *s[0][axis + 1 :]))]


def _gather(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    indices = x[1].astype(np.int64)
    n = x[0].shape[a["axis"]]
    if np.any((indices < -n) | (indices >= n)):
        raise IndexError(f"Gather index out of range for an axis of size {n}")
    return np.take(x[0], indices, axis=a["axis"])


def _gather_error(c: ErrorContext) -> object:
    return np.take(np.broadcast_to(c.e[0], c.x[0].shape), c.x[1].astype(np.int64), axis=c.attrs["axis"])


def _gather_torch(c: TorchCall) -> str:
    """Indexing with a tensor; with one of rank 0 Torch would read its value on the host, so it is made a vector."""
    leading = ":, " * normalize_axis(c.attrs["axis"], c.types[0].rank)
    if c.types[1].rank == 0:
        return f"{c.x[0]}[{leading}{c.x[1]}.reshape(1)].reshape({c.results[0].shape})"
    return f"{c.x[0]}[{leading}{c.x[1]}]"


def _sample_gather(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank == 0 or 0 in first.shape:
        return None
    axis = rng.randrange(first.rank)
    n = first.shape[axis]
    indices = tuple(rng.choice((1, 2, 3, n)) for _ in range(rng.randint(0, min(2, sampling.MAX_RANK + 1 - first.rank))))
    low = -n if rng.random() < 0.3 else 0
    return Sample((Operand(TensorType("int64", indices), (low, n - 1)),), {"axis": axis})


OPS = (
    _moving(
        "Transpose",
        lambda s, a: [s[0].permute(a.perm)],
        lambda x, a: np.transpose(x[0], a["perm"]),
        _transpose_torch,
        sampling.alone_with(_draw_perm),
        (Attr("perm", "ints"),),
        weight=3,
    ),
    _moving(
        "Reshape",
        _reshape_shape,
        _to_result_shape(_reshape_shape),
        _torch_reshape,
        sampling.alone_with(_draw_reshape),
        (Attr("shape", "ints", as_input=True), Attr("allowzero", "int", 0)),
        weight=2,
    ),
    _moving(
        "Expand",
        _expand_shape,
        lambda x, a: np.broadcast_to(x[0], broadcast(x[0].shape, a["shape"])),
        lambda c: c.rng.choice(("{0}.expand({1})", "torch.broadcast_to({0}, {1})")).format(c.x[0], c.results[0].shape),
        _sample_expand,
        (Attr("shape", "ints", as_input=True),),
    ),
    _moving(
        "Squeeze",
        _squeeze_shape,
        _to_result_shape(_squeeze_shape),
        _torch_reshape,
        sampling.alone_with(_draw_squeeze),
        (Attr("axes", "ints", None, as_input=True),),
        weight=0.5,
    ),
    _moving(
        "Unsqueeze",
        _unsqueeze_shape,
        _to_result_shape(_unsqueeze_shape),
        _torch_reshape,
        sampling.alone_with(_draw_unsqueeze),
        (Attr("axes", "ints", as_input=True),),
        weight=0.5,
    ),
    _moving(
        "Flatten",
        _flatten_shape,
        _to_result_shape(_flatten_shape),
        _torch_reshape,
        sampling.alone_with(lambda rng, first: {"axis": rng.randint(0, first.rank)}),
        (Attr("axis", "int", 1),),
        weight=0.3,
    ),
    _moving(
        "Concat",
        _concat_shape,
        lambda x, a: np.concatenate(list(x), axis=a["axis"]),
        lambda c: f"torch.cat(({', '.join(c.x)},), dim={c.attrs['axis']})",
        _sample_concat,
        (Attr("axis", "int"),),
        variadic=True,
        weight=3,
    ),
    _moving(
        "Split",
        _split_shape,
        lambda x, a: tuple(np.split(x[0], np.cumsum(a["split"])[:-1], axis=a["axis"])),
        lambda c: f"torch.split({c.x[0]}, {list(c.attrs['split'])}, dim={c.attrs['axis']})",
        sampling.alone_with(_draw_split),
        (Attr("axis", "int", 0), Attr("split", "ints", as_input=True)),
        splits="split",
        weight=2,
    ),
    _moving(
        "Slice",
        lambda s, a: [s[0].sliced(a.starts, a.ends, a.axes, a.steps)],
        _slice,
        _slice_torch,
        sampling.alone_with(_draw_slice),
        tuple(Attr(name, "ints", as_input=True) for name in ("starts", "ends", "axes", "steps")),
        weight=2,
    ),
    _moving(
        "Pad",
        _pad_shape,
        lambda x, a: pad_array(x[0], a["pads"], a["value"]),
        _pad_torch,
        sampling.alone_with(_draw_pad),
        (
            Attr("pads", "ints", as_input=True),
            Attr("value", "float", 0.0, as_input=True, scalar=True, like_operand=True),
            Attr("mode", "string", "constant"),
        ),
        error=lambda c: pad_array(np.broadcast_to(c.e[0], c.x[0].shape), c.attrs["pads"], 0.0),
    ),
    _moving(
        "Gather",
        _gather_shape,
        _gather,
        _gather_torch,
        _sample_gather,
        (Attr("axis", "int", 0),),
        inputs=("T", "I"),
        types={"T": ALL, "I": ("int64", "int32")},
        error=_gather_error,
        weight=1.5,
    ),
)
