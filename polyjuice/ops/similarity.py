"""Attention, and the similarity of vectors: ATen's operators over pairs of vectors."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, ShapeMismatch, normalize_axis, require
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Op, Sample, SpecialValues, attributes, facts
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


def _scale(a: Attrs, query: Sequence[int]) -> float:
    return 1 / math.sqrt(query[-1]) if a["scale"] is None else float(a["scale"])


def _attention_torch(c: Call) -> str:
    a = c.attrs
    keywords = [f"attn_mask={c.x[3]}"] if len(c.x) > 3 else []
    keywords += ["is_causal=True"] if a["is_causal"] else []
    keywords += [f"scale={a['scale']!r}"] if a["scale"] is not None else []
    return f"F.scaled_dot_product_attention({', '.join([*c.x[:3], *keywords])})"


def _attention_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    query, key = b.types[x[0]], b.types[x[1]]
    dtype = dtypes.to_numpy(query.dtype)
    perm = (*range(key.rank - 2), key.rank - 1, key.rank - 2)
    scores = b.op("MatMul", x[0], b.op("Transpose", x[1], perm=perm))
    scores = b.op("Mul", scores, b.constant(np.asarray(_scale(a, query.shape)).astype(dtype)))
    if len(x) > 3:
        scores = b.op("Add", scores, x[3])
    if a["is_causal"]:
        later = np.where(np.tri(query.shape[-2], key.shape[-2], dtype=bool), 0.0, -np.inf)
        scores = b.op("Add", scores, b.constant(later.astype(dtype)))
    return b.op("MatMul", b.op("Softmax", scores, axis=query.rank - 1), x[2])


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


def _cosine_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    common = s[0].broadcast(s[1])
    return [common.reduced((normalize_axis(a.dim, len(common)),), 0)]


def _length(x: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.sqrt(np.sum(x * x, axis=axis)))


def _cosine_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    shape = np.broadcast_shapes(*(b.types[name].shape for name in x))
    dtype = dtypes.to_numpy(b.types[x[0]].dtype)
    wide = [name if b.types[name].shape == shape else b.op("Expand", name, shape=shape) for name in x]
    axes = (a["dim"] % len(shape),)
    eps = b.constant(np.asarray(a["eps"]).astype(dtype))
    lengths = [b.op("Max", b.op("ReduceL2", name, axes=axes, keepdims=0), eps) for name in wide]
    top = b.op("ReduceSum", b.op("Mul", *wide), axes=axes, keepdims=0)
    return b.op("Div", top, b.op("Mul", *lengths))


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


def _cdist_torch(c: Call) -> str:
    p = repr(c.attrs["p"])
    modes = ("use_mm_for_euclid_dist_if_necessary", "donot_use_mm_for_euclid_dist")
    mode = f', compute_mode="{c.draws.choice(modes)}"' if c.draws.chance(0.4) else ""
    return f"torch.cdist({c.x[0]}, {c.x[1]}, p={p}{mode})"


def _cdist_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    left, right = (b.types[name].rank for name in x)
    gap = b.op("Sub", b.op("Unsqueeze", x[0], axes=(left - 1,)), b.op("Unsqueeze", x[1], axes=(right - 2,)))
    axes = (b.types[gap].rank - 1,)
    if math.isinf(a["p"]):
        return b.op("ReduceMax", b.op("Abs", gap), axes=axes, keepdims=0)
    return b.op(f"ReduceL{a['p']:.0f}", gap, axes=axes, keepdims=0)


@sampling.of_rank(2)
def _sample_cdist(rng: random.Random, first: TensorType) -> Sample:
    batch = rng.choice((first.shape[:-2], tuple(1 for _ in first.shape[:-2]), ()))
    other = (*batch, sampling.size(rng), first.shape[-1])
    return sampling.operands(first, other, p=rng.choice((2.0, 2.0, 1.0, math.inf)))


OPS = (
    Op(
        name="scaled_dot_product_attention",
        inputs=("T", "T", "T", "T"),
        shape=_attention_shape,
        definition=_attention_definition,
        text=spell(_attention_torch),
        sample=_sample_attention,
        attrs=(Attr("is_causal", "int", 0), Attr("scale", "float", None)),
        **facts(min_inputs=3, weight=0.5, limits=SpecialValues.INFINITY),
    ),
    Op(
        name="cosine_similarity",
        inputs=("T", "T"),
        shape=_cosine_shape,
        text=spell(lambda c: f"F.cosine_similarity({c.x[0]}, {c.x[1]}, dim={c.attrs['dim']}, eps={c.attrs['eps']!r})"),
        definition=_cosine_definition,
        sample=_sample_cosine,
        attrs=attributes(dim=1, eps=1e-8),
    ),
    Op(
        name="cdist",
        inputs=("T", "T"),
        types={"T": ("float32", "float64")},
        shape=_cdist_shape,
        definition=_cdist_definition,
        error=_cdist_error,
        why_not_derived="ATen computes distances of many vectors from products",
        text=spell(_cdist_torch),
        sample=_sample_cdist,
        attrs=attributes(p=2.0),
        **facts(ulps=2, any_number=True),
    ),
)
