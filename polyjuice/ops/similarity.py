"""Attention, and the similarity of vectors: ATen's operators over pairs of vectors."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import errors, sampling
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, ShapeMismatch, broadcast, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, ErrorContext, Sample, SpecialValues, attributes, facts
from polyjuice.ops.text import spell

# --- scaled_dot_product_attention ------------------------------------------------------------------------------------


def _attention_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    query, key, value = s[:3]
    require(2 < len(query) == len(key) == len(value) and query[:-2] == key[:-2] == value[:-2])
    require(query[-1] == key[-1] and key[-2] == value[-2] and 0 not in (*query, *key))
    scores = Dims((*query[:-1], key[-2]))
    if len(s) > 3 and (a.is_causal or s[3].broadcast(scores) != scores):
        raise ShapeMismatch("a mask beside the causal one, or one that does not broadcast to the scores")
    return [Dims((*query[:-1], value[-1]))]


def _attention_torch(c: Call) -> str:
    a = c.attrs
    keywords = [f"attn_mask={c.x[3]}"] if len(c.x) > 3 else []
    keywords += ["is_causal=True"] if a["is_causal"] else []
    keywords += [f"scale={a['scale']!r}"] if a["scale"] is not None else []
    return f"F.scaled_dot_product_attention({', '.join([*c.x[:3], *keywords])})"


def _attention(query: Term, key: Term, value: Term, *rest: Any) -> Term:
    *masks, a = rest
    swapped = key.permute(*range(key.rank - 2), key.rank - 1, key.rank - 2)
    scores = query @ swapped * (1 / math.sqrt(query.shape[-1]) if a["scale"] is None else a["scale"])
    for mask in masks:
        scores = scores + mask
    if a["is_causal"]:
        later = np.where(np.tri(scores.shape[-2], scores.shape[-1], dtype=bool), 0.0, -np.inf)
        scores = scores + scores.constant(later.astype(dtypes.to_numpy(scores.dtype)))
    return scores.then("Softmax", axis=query.rank - 1) @ value


def _sample_attention(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank not in (3, 4) or 0 in first.shape:
        return None
    *batch, length, width = first.shape
    keys = length if rng.random() < 0.6 else sampling.size(rng)
    values = width if rng.random() < 0.8 else sampling.size(rng)
    shapes: list[tuple[int, ...]] = [(*batch, keys, width), (*batch, keys, values)]
    causal = int(rng.random() < 0.3)
    if not causal and rng.random() < 0.4:
        shapes.append(rng.choice(((length, keys), (*(1 for _ in batch), length, keys), (*batch, length, keys))))
    scale = rng.choice((None, None, 1.0, 0.5, 0.125))
    return sampling.operands(first, *shapes, is_causal=causal, scale=scale)


# --- cosine_similarity -----------------------------------------------------------------------------------------------


def _length(x: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.sqrt(np.sum(x * x, axis=axis)))


def _cosine(x: Term, y: Term, a: Attrs) -> Term:
    shape = broadcast(x.shape, y.shape)
    axis = normalize_axis(a["dim"], len(shape))
    x, y = (t if t.shape == shape else t.expand(*shape) for t in (x, y))
    lengths = [t.reduce("L2", axis, keepdims=False).then("Max", a["eps"]) for t in (x, y)]
    return (x * y).reduce("Sum", axis, keepdims=False) / (lengths[0] * lengths[1])


@sampling.of_rank(1)
def _sample_cosine(rng: random.Random, first: TensorType) -> Sample:
    axis = rng.randrange(first.rank)
    other = sampling.broadcastable(rng, first.shape)
    return sampling.operands(first, other, dim=axis, eps=rng.choice((1e-8, 1e-6, 1e-2)))


# --- cdist -----------------------------------------------------------------------------------------------------------

_PRODUCTS_FROM = 25
"""Above this many vectors on either side ATen computes Euclidean distances from products."""


def _cdist_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(min(len(s[0]), len(s[1])) > 1 and s[0][-1] == s[1][-1] and 0 not in (*s[0], *s[1]))
    require(a.p in (1, 2, math.inf))
    return [Dims((*s[0].batch(2).broadcast(s[1].batch(2)), s[0][-2], s[1][-2]))]


def _pairs(x: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return x[0][..., :, None, :], x[1][..., None, :, :]


def _distance(gap: np.ndarray, p: float) -> Any:
    if p == 2:
        return _length(gap, -1)
    return np.max(np.abs(gap), axis=-1) if math.isinf(p) else np.sum(np.abs(gap), axis=-1)


def _cdist_error(c: ErrorContext) -> np.ndarray:
    """A distance moves as far as its ends; from products, |x|^2 + |y|^2 - 2xy may lose all of a small one."""
    p, n = c.attrs["p"], c.x[0].shape[-1]
    (left, right), (e, f) = _pairs(c.x), _pairs([np.broadcast_to(e, x.shape) for e, x in zip(c.e, c.x, strict=True)])
    moved = _distance(e + f + c.unit * np.abs(left - right), p)
    if p != 2:
        return np.asarray(moved + n * c.unit * (c.y[0] + moved))
    tiny = math.sqrt(n * dtypes.smallest_normal(errors.held(c)))
    moved = moved + tiny + (n / 2 + 3) * c.unit * (c.y[0] + moved)
    squares = (_length(left, -1) + _length(right, -1) + moved) ** 2
    if max(c.x[0].shape[-2], c.x[1].shape[-2]) > _PRODUCTS_FROM:
        lost = 2 * (n + 4) * c.unit * squares
        moved = moved + np.minimum(np.sqrt(lost), lost / np.where(c.y[0] > 0, c.y[0], 1e-300))
    return errors.unless_overflow(c, squares, moved)


def _cdist(x: Term, y: Term, a: Attrs) -> Term:
    gap = x.unsqueeze(x.rank - 1) - y.unsqueeze(y.rank - 2)
    if math.isinf(a["p"]):
        return abs(gap).reduce("Max", gap.rank - 1, keepdims=False)
    return gap.reduce(f"L{a['p']:.0f}", gap.rank - 1, keepdims=False)


@sampling.of_rank(2)
def _sample_cdist(rng: random.Random, first: TensorType) -> Sample:
    batch = rng.choice((first.shape[:-2], tuple(1 for _ in first.shape[:-2]), ()))
    other = (*batch, sampling.size(rng), first.shape[-1])
    return sampling.operands(first, other, p=rng.choice((2.0, 2.0, 1.0, math.inf)))


OPS = (
    composed(
        "scaled_dot_product_attention",
        _attention,
        spell(_attention_torch),
        _sample_attention,
        operands=4,
        widen=False,
        shape=_attention_shape,
        attrs=(Attr("is_causal", "int", 0), Attr("scale", "float", None)),
        **facts(min_inputs=3, weight=0.5, limits=SpecialValues.INFINITY),
    ),
    composed(
        "cosine_similarity",
        _cosine,
        spell("F.cosine_similarity({0}, {1}, dim={dim}, eps={eps})"),
        _sample_cosine,
        operands=2,
        widen=False,
        attrs=attributes(dim=1, eps=1e-8),
    ),
    composed(
        "cdist",
        _cdist,
        spell(
            (
                "torch.cdist({0}, {1}, p={p})",
                'torch.cdist({0}, {1}, p={p}, compute_mode="use_mm_for_euclid_dist_if_necessary")',
                'torch.cdist({0}, {1}, p={p}, compute_mode="donot_use_mm_for_euclid_dist")',
            )
        ),
        _sample_cdist,
        ("float32", "float64"),
        operands=2,
        shape=_cdist_shape,
        error=_cdist_error,
        why_not_derived="ATen computes distances of many vectors from products",
        attrs=attributes(p=2.0),
        **facts(ulps=2, any_number=True),
    ),
)
