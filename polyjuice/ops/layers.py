"""Layers of networks that are products or look-ups of weights, and dropout in inference."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import TensorType
from polyjuice.ops import errors, sampling
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.indexing import gathering, unsigned
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, fitting
from polyjuice.ops.spec import Attr, Call, Operand, Sample, by_definition, facts
from polyjuice.ops.structural import moving
from polyjuice.ops.text import spell

# --- linear ----------------------------------------------------------------------------------------------------------


def _fits_linear(s: Sequence[Dims], a: Any) -> bool:
    x, w, *bias = s
    return len(x) > 0 and len(w) == 2 and x[-1] == w[1] and all(b == (w[0],) for b in bias)


def _linear_torch(c: Call) -> tuple[str, ...]:
    return ("F.linear({all})", *["torch.addmm({2}, {0}, {1}.t())"] * (c.types[0].rank == 2 and len(c.x) > 2))


def _linear_tensorflow(c: Call) -> tuple[str, ...]:
    last = c.types[0].rank - 1
    product = "tf.matmul({0}, {1}, transpose_b=True)" if last else "tf.linalg.matvec({1}, {0})"
    bias = " + {2}" * (len(c.x) > 2)
    return product + bias, f"tf.tensordot({{0}}, {{1}}, [[{last}], [1]]){bias}"


def _plus(y: Term, bias: Sequence[Term]) -> Term:
    return y + bias[0] if bias else y


@sampling.of_rank(1)
def _sample_linear(rng: random.Random, first: TensorType) -> Sample:
    out = sampling.size(rng)
    return sampling.operands(first, (out, first.shape[-1]), *([(out,)] if rng.random() < 0.6 else []))


# --- bilinear --------------------------------------------------------------------------------------------------------


def _fits_bilinear(s: Sequence[Dims], a: Any) -> bool:
    x, y, w, *bias = s
    fits = len(x) > 0 and len(w) == 3 and x[:-1] == y[:-1] and x[-1:] + y[-1:] == tuple(w[1:])
    return fits and all(b == (w[0],) for b in bias)


def _bilinear(x: Term, y: Term, w: Term, *rest: Any) -> Term:
    (out, inner, other), lead = w.shape, x.shape[:-1]
    rows = (x @ w.permute(1, 0, 2).reshape(inner, out * other)).reshape(*lead, out, other)
    return _plus((rows @ y.reshape(*lead, other, 1)).reshape(*lead, out), rest[:-1])


@sampling.of_rank(1)
def _sample_bilinear(rng: random.Random, first: TensorType) -> Sample:
    other, out = rng.choice((1, 2, 3, 5)), rng.choice((1, 2, 3, 7))
    shapes = [(*first.shape[:-1], other), (out, first.shape[-1], other), (out,)]
    return sampling.operands(first, *(shapes if rng.random() < 0.6 else shapes[:2]))


# --- embedding, Dropout ----------------------------------------------------------------------------------------------


@sampling.of_rank(2, 2)
def _sample_embedding(rng: random.Random, first: TensorType) -> Sample:
    shape = tuple(rng.choice((1, 2, 3, 5)) for _ in range(rng.randint(0, 3)))
    dtype = rng.choice(("int64", "int64", "int32"))
    return Sample((Operand(TensorType(dtype, shape), (0, first.shape[0] - 1)),))


OPS = (
    composed(
        "linear",
        lambda x, w, *rest: _plus(x @ w.permute(1, 0), rest[:-1]),
        spell(_linear_torch, _linear_tensorflow),
        _sample_linear,
        WIDE,
        operands=3,
        widen=False,
        shape=fitting(_fits_linear, lambda s, a: [s[0].batch(1).append(s[1][0])]),
        partial=by_definition,
        **facts(min_inputs=2, modular=True, weight=1.0, data_inputs=1),
    ),
    composed(
        "bilinear",
        _bilinear,
        spell(
            "F.bilinear({all})",
            lambda c: ("tf.einsum('...i,...j,oij->...o', {0}, {1}, {2})" + " + {3}" * (len(c.x) > 3),),
        ),
        _sample_bilinear,
        operands=4,
        widen=False,
        shape=fitting(_fits_bilinear, lambda s, a: [s[0].batch(1).append(s[2][0])]),
        partial=by_definition,
        **facts(min_inputs=3, integer_exact=True, weight=0.2, data_inputs=2),
    ),
    moving(
        "embedding",
        fitting(lambda s, a: len(s[0]) == 2, lambda s, a: [s[1].append(s[0][1])]),
        spell(
            ("F.embedding({1}, {0})", "torch.embedding({0}, {1})"),
            tf=("tf.nn.embedding_lookup({0}, {1})", "tf.gather({0}, {1})"),
        ),
        _sample_embedding,
        **gathering(),
        definition=lambda b, x, a: b.op("Gather", *x, axis=0),
        weight=0.4,
        numpy=lambda x, a: np.take(x[0], unsigned(x[1]), axis=0),
        why_not_derived=errors.NEGATIVE_INDICES,
    ),
    moving(
        "Dropout",
        lambda s, a: [s[0]],
        spell(
            (
                "F.dropout({0}, training=False)",
                "F.dropout({0}, 0.3, False)",
                "torch.dropout({0}, 0.5, False)",
                "torch.nn.Dropout(0.0)({0})",
            ),
            tf=("tf.nn.dropout({0}, rate=0.0)", "tf.identity({0})"),
            jax="jnp.array({0})",
        ),
        sampling.choosing(ratio=(0.0, 0.25, 0.5)),
        (Attr("ratio", "float", 0.5, as_input=True, scalar=True, like_operand=True),),
        types={"T": ("float16", "float32", "float64")},  # of bfloat16 the ratio has another type
        numpy=lambda x, a: x[0],
        normal=lambda a, x: a.pop("seed", None),
        **facts(weight=0.2, followers="Add MatMul Relu"),
    ),
)
