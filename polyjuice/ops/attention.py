"""Operators of transformers: attention with its masks, rotary embeddings, caches, gated units and normalisation."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, concat, onnx_term, where
from polyjuice.ops.pointwise import composed, defined, parameters
from polyjuice.ops.shapes import Dims, fitting, normalize_axis, require
from polyjuice.ops.spec import Attr, Operand, Sample, attributes, by_definition, facts
from polyjuice.ops.structural import moving
from polyjuice.ops.text import spell

_ALPHA = parameters([("alpha", 1.0, (1.0, 1.0, 0.5, 1.75, -1.0))])

_NOT_DOUBLE = ("float16", "bfloat16", "float32")
"""ONNX has no rotary embedding of float64, and its attention computes the scale in single precision."""

# --- RMSNormalization ------------------------------------------------------------------------------------------------


def _rms(x: Term, scale: Term, a: Attrs) -> Term:
    axes = range(normalize_axis(a["axis"], x.rank), x.rank)
    normal: Term = x / ((x * x).reduce("Mean", *axes) + a["epsilon"]).then("Sqrt")
    return normal * scale


@sampling.of_rank(1)
def _sample_rms(rng: random.Random, first: TensorType) -> Sample:
    axis = rng.choice((first.rank - 1, rng.randrange(first.rank)))
    scale = rng.choice((first.shape[axis:], first.shape[axis:], (first.shape[-1],), ()))
    return sampling.operands(first, scale, axis=axis, epsilon=rng.choice((1e-5, 1e-5, 1e-3, 0.5)))


# --- RotaryEmbedding -------------------------------------------------------------------------------------------------


def rotated(x: Term, cos: Term, sin: Term, *rest: Any) -> Term:
    """The pairs of each head's first elements, turned by the angles of their positions."""
    *positions, a = rest
    for_each_head = _heads(x, a["num_heads"])
    width = for_each_head.shape[3]
    half = (a["rotary_embedding_dim"] or width) // 2
    c, s = (t.then("Gather", *positions, axis=0).unsqueeze(1) if positions else t.unsqueeze(1) for t in (cos, sin))
    if a["interleaved"]:
        first, second = (for_each_head.slice(3, start, 2 * half, 2) for start in (0, 1))
    else:
        first, second = (for_each_head.slice(3, start, start + half) for start in (0, half))
    real, imaginary = c * first - s * second, s * first + c * second
    if a["interleaved"]:
        turned = concat(4, real.unsqueeze(4), imaginary.unsqueeze(4)).reshape(*first.shape[:3], 2 * half)
    else:
        turned = concat(3, real, imaginary)
    whole = concat(3, turned, for_each_head.slice(3, 2 * half, width)) if 2 * half < width else turned
    return whole if x.rank == 4 else whole.permute(0, 2, 1, 3).reshape(*x.shape)


def _fits_rotary(s: Sequence[Dims], a: Any) -> bool:
    x, cos, sin, *positions = s
    require(len(x) == 4 or (len(x) == 3 and a.num_heads > 0 and not x[2] % a.num_heads))
    width = x[3] if len(x) == 4 else x[2] // a.num_heads
    turned, places = a.rotary_embedding_dim or width, (x[0], x[-2] if len(x) == 4 else x[1])
    known = all(p == places for p in positions) and len(cos) == (2 if positions else 3)
    return (
        known
        and turned % 2 == 0 < turned <= width
        and cos == sin
        and cos[-1] == turned // 2
        and (bool(positions) or cos[:2] == places)
    )


@sampling.of_rank(3, 4)
def _sample_rotary(rng: random.Random, first: TensorType) -> Sample | None:
    batch, length = first.shape[0], first.shape[-2]
    heads = first.shape[1] if first.rank == 4 else rng.choice(sampling.factors(first.shape[2]))
    width = first.shape[3] if first.rank == 4 else first.shape[2] // heads
    if width % 2:
        return None
    part = rng.choice((0, 0, 2 * rng.randint(1, width // 2)))
    attrs = {"interleaved": rng.randint(0, 1), "num_heads": heads, "rotary_embedding_dim": part}
    half = (part or width) // 2
    if rng.random() < 0.5:
        return sampling.operands(first, *[(batch, length, half)] * 2, **attrs)
    known = length + rng.randint(0, 3)
    cache = Operand(TensorType(first.dtype, (known, half)))
    return Sample((cache, cache, Operand(TensorType("int64", (batch, length)), (0, known - 1))), attrs)


# --- Attention -------------------------------------------------------------------------------------------------------


def _heads(x: Term, count: int) -> Term:
    return x if x.rank == 4 else x.reshape(*x.shape[:2], count, x.shape[2] // count).permute(0, 2, 1, 3)


def _repeated(x: Term, heads: int) -> Term:
    """Each head once for each of the query's heads that share it."""
    batch, own, length, width = x.shape
    wide = x.unsqueeze(2).expand(batch, own, heads // own, length, width)
    return x if own == heads else wide.reshape(batch, heads, length, width)


def attention(query: Term, key: Term, value: Term, *rest: Any) -> Term:
    *bias, a = rest
    q, k, v = _heads(query, a["q_num_heads"]), _heads(key, a["kv_num_heads"]), _heads(value, a["kv_num_heads"])
    root = math.sqrt(a["scale"] if a["scale"] is not None else 1 / math.sqrt(q.shape[3]))
    scores = (q * root) @ (_repeated(k, q.shape[1]) * root).permute(0, 1, 3, 2)
    if a["softcap"]:
        scores = (scores / a["softcap"]).then("Tanh") * a["softcap"]
    masks = [mask for mask in bias if mask.dtype == "bool"]
    if a["is_causal"]:
        masks.append(q.constant(np.tri(*scores.shape[2:], dtype=bool)))
    for added in bias:
        scores = scores if added in masks else scores + added
    for mask in masks:
        scores = where(mask, scores, -math.inf)
    shares = scores.then("Softmax", axis=3)
    for mask in masks:  # no key at all makes a row of zeros
        shares = where(mask, shares, 0.0)
    y = shares @ _repeated(v, q.shape[1])
    return y if query.rank == 4 else y.permute(0, 2, 1, 3).reshape(*query.shape[:2], y.shape[1] * y.shape[3])


def _attention_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(3 <= len(s[0]) == len(s[1]) == len(s[2]) <= 4 and 0 not in (*s[0], *s[1], *s[2]))
    counts = (a.q_num_heads, a.kv_num_heads, a.kv_num_heads)
    if len(s[0]) == 3:
        require(min(counts) > 0 and not any(x[2] % count for x, count in zip(s, counts, strict=False)))
    heads = [x if len(x) == 4 else (x[0], n, x[1], x[2] // n) for x, n in zip(s, counts, strict=False)]
    q, k, v = map(tuple, heads)
    require(q[0] == k[0] and k[:3] == v[:3] and q[3] == k[3] and not q[1] % k[1])
    scores = Dims((*q[:3], k[2]))
    require(all(bias.broadcast(scores) == scores and len(bias) > 1 for bias in s[3:]))
    return [Dims((*q[:3], v[3]) if len(s[0]) == 4 else (q[0], q[2], q[1] * v[3]))]


@sampling.of_rank(3, 4)
def _sample_attention(rng: random.Random, first: TensorType) -> Sample | None:
    heads = first.shape[1] if first.rank == 4 else rng.choice(sampling.factors(first.shape[2]))
    own = rng.choice((heads, rng.choice(sampling.factors(heads))))
    batch, length = first.shape[0], first.shape[-2]
    width = first.shape[3] if first.rank == 4 else first.shape[2] // heads
    keys = length if rng.random() < 0.6 else sampling.size(rng)
    out = width if rng.random() < 0.7 else sampling.size(rng)
    shapes = [(batch, own, keys, n) if first.rank == 4 else (batch, keys, own * n) for n in (width, out)]
    operands = [Operand(TensorType(first.dtype, shape)) for shape in shapes]
    if rng.random() < 0.5:
        bias = rng.choice(
            ((length, keys), (heads, length, keys), (batch, 1, length, keys), (batch, heads, length, keys))
        )
        operands.append(Operand(TensorType(rng.choice((first.dtype, "bool")), bias)))
    return Sample(
        tuple(operands),
        {
            "is_causal": rng.choice((0, 0, 1)),
            "scale": rng.choice((None, None, 1.0, 0.5)),
            "softcap": rng.choice((0.0, 0.0, 0.0, 2.0)),
            "q_num_heads": 0 if first.rank == 4 else heads,
            "kv_num_heads": 0 if first.rank == 4 else own,
        },
    )


# --- TensorScatter ---------------------------------------------------------------------------------------------------


def _written(cache: Term, update: Term, *rest: Any) -> Term:
    *starts, a = rest
    axis, length = normalize_axis(a["axis"], cache.rank), update.shape[a["axis"]]
    line, batch = ([-1 if i == at else 1 for i in range(cache.rank)] for at in (axis, 0))
    places = cache.constant(np.arange(length).reshape(line))
    if starts:
        places = starts[0].reshape(*batch) + places
    if a["mode"] == "circular":
        places = places.then("Mod", cache.shape[axis], fmod=0)
    return cache.then("ScatterElements", places.expand(*update.shape), update, axis=axis, reduction="none")


def _fits_cache(s: Sequence[Dims], a: Any) -> bool:
    cache, update, *starts = s
    axis = normalize_axis(a.axis, len(cache))
    fits = axis > 0 and update.replace(axis, cache[axis]) == cache and update[axis] <= cache[axis]
    return fits and all(start == cache[:1] for start in starts) and a.mode in ("linear", "circular")


@sampling.of_rank(2)
def _sample_cache(rng: random.Random, first: TensorType) -> Sample:
    axis, mode = rng.randrange(1, first.rank), rng.choice(("linear", "circular"))
    length = rng.randint(1, first.shape[axis])
    update = Operand(TensorType(first.dtype, Dims(first.shape).replace(axis, length)))
    last = first.shape[axis] - (length if mode == "linear" else 1)
    starts = Operand(TensorType("int64", first.shape[:1]), (0, last))
    return Sample((update, starts) if rng.random() < 0.8 else (update,), {"axis": axis, "mode": mode})


OPS = (
    defined(
        "Swish",
        lambda x, a: x * (x * a["alpha"]).then("Sigmoid"),
        spell("{0} * torch.sigmoid({alpha} * {0})", tf=("{0} * tf.sigmoid({alpha} * {0})", "tf.nn.silu({0}, {alpha})")),
        **_ALPHA,
        **facts(since=24, weight=0.4, followers="Mul MatMul"),
    ),
    composed(  # its operands do not broadcast
        "SwiGLU",
        lambda x, y, a: x * (x * a["alpha"]).then("Sigmoid") * y,
        spell("{0} * torch.sigmoid({alpha} * {0}) * {1}", tf="{0} * tf.sigmoid({alpha} * {0}) * {1}"),
        lambda rng, first: sampling.operands(first, first.shape, alpha=rng.choice((1.0, 0.5))),
        operands=2,
        shape=lambda s, a: [s[0]],
        attrs=_ALPHA["attrs"],
        requires=lambda types, a: types[0].shape == types[1].shape,
        **facts(since=28, weight=0.4, followers="MatMul"),
    ),
    composed(
        "RMSNormalization",
        _rms,
        spell(),
        _sample_rms,
        operands=2,
        shape=fitting(lambda s, a: s[0].broadcast(s[1]) == s[0] and normalize_axis(a.axis, len(s[0])) >= 0),
        attrs=attributes(axis=-1, epsilon=1e-5),
        **facts(since=23, weight=0.6, data_inputs=1, followers="MatMul Add Mul"),
    ),
    composed(
        "RotaryEmbedding",
        rotated,
        spell(),
        _sample_rotary,
        inputs=("T", "T", "T", "I"),
        types={"T": _NOT_DOUBLE, "I": ("int64",)},
        shape=fitting(_fits_rotary),
        attrs=attributes(interleaved=0, num_heads=0, rotary_embedding_dim=0),
        **facts(since=23, min_inputs=3, weight=0.4, followers="MatMul Attention"),
    ),
    composed(
        "Attention",
        attention,
        spell(),
        _sample_attention,
        inputs=("T", "T", "T", "M"),
        types={"T": _NOT_DOUBLE, "M": (*_NOT_DOUBLE, "bool")},
        shape=_attention_shape,
        attrs=(
            *attributes(is_causal=0, kv_num_heads=0, q_num_heads=0),
            Attr("scale", "float", None),
            Attr("softcap", "float", 0.0),
        ),
        requires=lambda types, a: (
            all(t.dtype in ("bool", types[0].dtype) for t in types[3:]) and a["softcap"] >= 0 and (a["scale"] or 1) > 0
        ),
        **facts(since=23, min_inputs=3, weight=0.5, followers="Transpose Reshape MatMul"),
    ),
    moving(
        "TensorScatter",
        fitting(_fits_cache),
        spell(),
        _sample_cache,
        attributes(axis=-2, mode="linear"),
        inputs=("T", "T", "I"),
        types={"T": ALL, "I": ("int64",)},
        definition=onnx_term(_written, widen=False),
        numpy=by_definition,
        error=by_definition,
        torch_types=(),
        **facts(since=24, min_inputs=2, weight=0.3, followers="Attention"),
    ),
)
