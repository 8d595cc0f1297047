"""Operators whose results have sizes that depend on values: the places or elements that meet a condition.

Such a size is :data:`polyjuice.ir.UNKNOWN` in the type of the result. Error rules raise SizeInDoubt where the operands'
errors may change the size.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import UNKNOWN, Attrs, TensorType
from polyjuice.ir.dtypes import ALL, NUMERIC
from polyjuice.ops import axis_reductions, sampling
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.inference import SizeInDoubt
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, broadcast, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, ErrorContext, Op, Operand, Sample, Unsupported, attributes, facts
from polyjuice.ops.text import spell

_STATIC = Unsupported("the sizes of its programs are known before they run")

_SIZED: dict[str, Any] = {"data_dependent": True, "weight": 0.3}
_DECIDES: dict[str, Any] = {**_SIZED, "integer_exact": True, "continuous": False}


def _nonzero_error(c: ErrorContext) -> np.ndarray:
    if np.any((c.e[0] > 0) & ~(np.abs(c.x[0]) > c.e[0])):
        raise SizeInDoubt
    return np.zeros(c.y[0].shape)


# --- Compress --------------------------------------------------------------------------------------------------------


def _compress_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(s[1]) == 1)
    if a.axis is None:
        require(s[1][0] <= sampling.total(s[0]))
        return [Dims((UNKNOWN,))]
    require(s[1][0] <= s[0][a.axis])
    return [s[0].replace(a.axis, UNKNOWN)]


def _compress_error(c: ErrorContext) -> Any:
    if np.any(c.e[1]):
        raise SizeInDoubt
    return c.numpy([np.broadcast_to(c.e[0], c.x[0].shape), c.x[1]], c.attrs)


def _prefix(c: Call) -> tuple[str, int]:
    """The elements that the condition is about, and the axis along which it stands."""
    t, (count,) = c.types[0], c.types[1].shape
    if c.attrs["axis"] is None:
        return f"{c.x[0]}.reshape(-1)[:{count}]", 0
    axis = normalize_axis(c.attrs["axis"], t.rank)
    return f"{c.x[0]}[{':, ' * axis}:{count}]", axis


def _compress_torch(c: Call) -> str:
    x, axis = _prefix(c)
    texts = [f"{x}[{':, ' * axis}{c.x[1]}]", f"torch.index_select({x}, {axis}, torch.nonzero({c.x[1]}).reshape(-1))"]
    return c.draws.choice(texts)


def _compress_tensorflow(c: Call) -> str:
    x, axis = _prefix(c)
    return (
        f"tf.boolean_mask({x.replace(f'{c.x[0]}.reshape(-1)', f'tf.reshape({c.x[0]}, [-1])')}, {c.x[1]}, axis={axis})"
    )


@sampling.of_rank(1)
def _sample_compress(rng: random.Random, first: TensorType) -> Sample:
    axis = rng.choice((None, *range(first.rank)))
    size = first.size if axis is None else first.shape[axis]
    count = size if rng.random() < 0.7 else rng.randint(0, size)
    return Sample((Operand(TensorType("bool", (count,))),), {"axis": axis})


# --- Unique ----------------------------------------------------------------------------------------------------------


def _unique_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    places = Dims((UNKNOWN,))
    if a.axis is None:
        return [places, places, Dims((sampling.total(s[0]),)), places]
    require(0 not in s[0])
    return [s[0].replace(a.axis, UNKNOWN), places, Dims((s[0][a.axis],)), places]


def _unique(x: Sequence[np.ndarray], a: Attrs) -> tuple[np.ndarray, ...]:
    values, first, inverse, counts = np.unique(x[0], True, True, True, axis=a["axis"])
    order = np.arange(len(first)) if a["sorted"] else np.argsort(first)
    return (
        np.take(values, order, axis=a["axis"] or 0),
        first[order],
        np.argsort(order)[inverse.reshape(-1)],
        counts[order],
    )


def _unique_error(c: ErrorContext) -> tuple[np.ndarray, ...]:
    """The errors of the distinct slices, if it is certain which differ, and in what order."""
    axis, places = c.attrs["axis"], [np.zeros(y.shape) for y in c.y[1:]]
    x, e = (v.reshape(-1) if axis is None else np.moveaxis(v, axis, 0) for v in np.broadcast_arrays(*c.x, *c.e))
    if np.any(e):
        rows, errors = (v.reshape(len(v), -1) for v in (x, e))
        order = np.lexsort(rows.T[::-1])
        (low, below), (high, above) = ((rows[part], errors[part]) for part in (order[:-1], order[1:]))
        same, apart = (low == high) & (below + above == 0), high - low > below + above
        first = np.argmax(~same, axis=1)[:, np.newaxis]
        if not np.all(same.all(1) | np.take_along_axis(apart, first, 1)[:, 0]):
            raise SizeInDoubt
    return np.moveaxis(e[c.y[1]], 0, axis or 0), *places


def _distinct(x: Term, a: Attrs) -> tuple[Term, Term, Term]:
    """ATen's results: the distinct slices, in order, and for each slice the number of its own, and the counts."""
    names = x.builder.multi("Unique", x.name, axis=a["dim"], sorted=1)
    values, _, inverse, counts = (Term(x.builder, name) for name in names)
    return values, inverse, counts


# --- NonMaxSuppression -----------------------------------------------------------------------------------------------


def _corners(boxes: np.ndarray, centred: int) -> np.ndarray:
    """Boxes as their least and greatest coordinates in both directions."""
    if centred:
        centre, half = boxes[..., :2], boxes[..., 2:] / 2
        return np.concatenate([centre - half, centre + half], -1)
    ends = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([np.minimum(*ends), np.maximum(*ends)], -1)


def _overlap(box: np.ndarray, others: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """The quotient of intersection and union of a box with others: its bounds, if coordinates move by ``reach``.

    It is 0 for boxes without area.
    """

    def area(low: np.ndarray, high: np.ndarray, sign: int) -> np.ndarray:
        return np.asarray(np.maximum(high - low + 2 * sign * reach, 0).prod(-1))

    def quotient(sign: int) -> np.ndarray:
        inner = area(np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:]), sign)
        sizes = area(box[:2], box[2:], -sign), area(others[:, :2], others[:, 2:], -sign)
        valid = (sizes[0] > 0) & (sizes[1] > 0)
        return np.where(valid, inner / np.where(valid, np.maximum(sizes[0] + sizes[1] - inner, 0), 1), 0.0)

    return quotient(-1), quotient(1)


def _suppressed(x: Sequence[np.ndarray], a: Attrs, reach: float = 0.0) -> list[tuple[int, int, int]]:
    """The boxes kept of each image and class, best first. Raises SizeInDoubt where a quotient is near the threshold.

    ``reach`` is how far coordinates may move; 0 also stands for no error at all, and then nothing is in doubt.
    """
    boxes, scores = _corners(np.asarray(x[0], np.float64), a["center_point_box"]), x[1]
    least = -np.inf if a["score_threshold"] is None else a["score_threshold"]
    kept: list[tuple[int, int, int]] = []
    for image, per_class in enumerate(scores):
        for label, row in enumerate(per_class):
            chosen: list[int] = []
            for box in np.argsort(-row, kind="stable"):
                if len(chosen) >= a["max_output_boxes_per_class"] or not row[box] > least:
                    break
                low, high = _overlap(boxes[image, box], boxes[image, chosen], reach)
                if reach and np.any((low <= a["iou_threshold"]) & (high > a["iou_threshold"])):
                    raise SizeInDoubt
                if not np.any(high > a["iou_threshold"]):
                    chosen.append(int(box))
            kept += [(image, label, box) for box in chosen]
    return kept


def _suppression_error(c: ErrorContext) -> np.ndarray:
    """Unless scores are apart from each other and the threshold, and quotients from theirs, the size is in doubt."""
    scores, threshold = c.x[1], c.attrs["score_threshold"]
    gaps = np.diff(np.sort(scores, axis=-1), axis=-1)
    if threshold is not None:
        gaps = np.concatenate([gaps, np.abs(scores - threshold)], -1)
    largest = float(np.max(np.abs(c.x[0]), initial=1.0))
    if np.any(np.isinf(c.e[0])) or not np.all(gaps > 2 * np.max(c.e[1], initial=0.0)):
        raise SizeInDoubt
    _suppressed(c.x, c.attrs, 2 * float(np.max(c.e[0], initial=0.0)) + 2.0**-18 * largest)
    return np.zeros(c.y[0].shape)


def _suppression_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    boxes, scores = s
    require(len(boxes) == len(scores) == 3 and boxes[2] == 4 and (boxes[0], boxes[1]) == (scores[0], scores[2]))
    return [Dims((UNKNOWN, 3))]


def _sample_suppression(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank != 3 or first.shape[2] != 4 or 0 in first.shape:
        return None
    scores = TensorType(first.dtype, (first.shape[0], rng.randint(1, 2), first.shape[1]))
    return Sample(
        (Operand(scores),),
        {
            "center_point_box": rng.randint(0, 1),
            "max_output_boxes_per_class": rng.choice((1, 2, 10)),
            "iou_threshold": rng.choice((0.0, 0.25, 0.5)),
            "score_threshold": rng.choice((None, -1.0, 0.0, 0.5)),
        },
    )


OPS = (
    Op(
        name="NonZero",
        types={"T": ALL},
        results=("int64",),
        shape=lambda s, a: [Dims((len(s[0]), UNKNOWN))],
        numpy=lambda x, a: np.stack(np.nonzero(x[0])),
        error=_nonzero_error,
        text=spell(
            ("torch.nonzero({0}).t()", "torch.stack(torch.nonzero({0}, as_tuple=True))"),
            tf="tf.transpose(tf.where(tf.cast({0}, tf.bool)))",
            jax=_STATIC,
        ),
        sample=sampling.of_rank(1)(sampling.alone),
        **facts(**_DECIDES, followers="Transpose"),
    ),
    composed(
        "nonzero",
        lambda x, a: x.then("NonZero").permute(1, 0),
        spell("torch. . torch.argwhere", tf="tf.where(tf.cast({0}, tf.bool))", jax=_STATIC),
        sampling.of_rank(1)(sampling.alone),
        ALL,
        widen=False,
        results=("int64",),
        **_DECIDES,
    ),
    Op(
        name="Compress",
        inputs=("T", "C"),
        types={"T": ALL, "C": ("bool",)},
        shape=_compress_shape,
        numpy=lambda x, a: np.compress(x[1], x[0], axis=a["axis"]),
        error=_compress_error,
        text=spell(_compress_torch, _compress_tensorflow, _STATIC),
        sample=_sample_compress,
        attrs=(Attr("axis", "int", None),),
        moves=True,
        **_SIZED,
    ),
    composed(
        "masked_select",
        lambda x, mask, a: (
            x.expand(*(shape := broadcast(x.shape, mask.shape)))
            .reshape(-1)
            .then("Compress", mask.expand(*shape).reshape(-1), axis=0)
        ),
        spell("torch. .", tf="tf.boolean_mask({0}, {1})", jax=_STATIC),
        lambda rng, first: Sample((Operand(TensorType("bool", first.shape)),)) if first.rank else None,
        ALL,
        operands=2,
        widen=False,
        inputs=("T", "C"),
        types={"T": ALL, "C": ("bool",)},
        moves=True,
        **_SIZED,
    ),
    Op(
        name="Unique",
        types={"T": NUMERIC},
        results=("T", "int64", "int64", "int64"),
        shape=_unique_shape,
        numpy=_unique,
        error=_unique_error,
        sample=sampling.of_rank(1)(
            sampling.alone_with(
                lambda rng, t: {
                    "axis": rng.choice((None, *range(t.rank))) if 0 not in t.shape else None,
                    "sorted": rng.randint(0, 1),
                }
            )
        ),
        attrs=(Attr("axis", "int", None), Attr("sorted", "int", 1)),
        picks=True,
        **_DECIDES,
    ),
    composed(
        "unique_dim",
        _distinct,
        spell("torch.unique({0}, sorted=True, return_inverse=True, return_counts=True, dim={dim})"),
        axis_reductions.one_axis("dim"),
        NUMERIC,
        widen=False,
        results=("T", "int64", "int64"),
        attrs=attributes(dim="int"),
        picks=True,
        **_DECIDES,
    ),
    Op(
        name="NonMaxSuppression",
        inputs=("T", "T"),
        types={"T": ("float32",)},
        results=("int64",),
        shape=_suppression_shape,
        numpy=lambda x, a: np.array(_suppressed(x, a), np.int64).reshape(-1, 3),
        error=_suppression_error,
        sample=_sample_suppression,
        attrs=(
            Attr("center_point_box", "int", 0),
            Attr("max_output_boxes_per_class", "int", 0, as_input=True),
            Attr("iou_threshold", "float", 0.0, as_input=True, like_operand=True),
            Attr("score_threshold", "float", None, as_input=True, like_operand=True),
        ),
        continuous=False,
        **_SIZED,
    ),
)
