"""Distances of vectors, and the covariance of variables: ATen's operators on the rows of one or two matrices."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import domains, sampling
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import fitting
from polyjuice.ops.spec import Sample, SampleFn, attributes, facts
from polyjuice.ops.text import spell

_ORDERS = (2.0, 2.0, 1.0, math.inf)


def length(x: Term, p: float, keepdims: bool = False) -> Term:
    """The norm of the order 1, 2 or infinity along the last axis."""
    if math.isinf(p):
        return abs(x).reduce("Max", x.rank - 1, keepdims=keepdims)
    return x.reduce(f"L{p:.0f}", x.rank - 1, keepdims=keepdims)


def apart(x: Term, y: Term, a: Attrs) -> Term:
    """The difference of vectors, moved by the attribute ``eps`` as ATen does."""
    return (x - y).then("Add", a["eps"])


@sampling.of_rank(1)
def _sample_pairs(rng: random.Random, first: TensorType) -> Sample:
    other = first.shape if rng.random() < 0.7 else first.shape[-1:]
    attrs = {"p": rng.choice(_ORDERS), "eps": rng.choice((1e-6, 0.0625)), "keepdim": rng.randint(0, 1)}
    return sampling.operands(first, other, **attrs)


def _pdist(x: Term, a: Attrs) -> Term:
    one, other = (x.then("Gather", x.constant(rows), axis=0) for rows in np.triu_indices(x.shape[0], 1))
    return length(one - other, a["p"])


def _centred(x: Term) -> Term:
    return x - x.reduce("Mean", 1)


def _cov(x: Term, a: Attrs) -> Term:
    centred = _centred(x)
    return (centred @ centred.permute(1, 0)).then("Div", x.shape[1] - a["correction"])


def _corrcoef(x: Term, a: Attrs) -> Term:
    deviation = (_centred(x).reduce("SumSquare", 1) / (x.shape[1] - 1)).then("Sqrt")
    return (_cov(x, {"correction": 1}) / deviation / deviation.permute(1, 0)).then("Clip", min=-1.0, max=1.0)


def _several(types: Sequence[TensorType], a: Attrs) -> bool:
    """Several variables (ATen squeezes the matrix of one), with enough observations for the correction."""
    return types[0].rank == 2 and types[0].shape[0] > 1 and types[0].shape[1] > a.get("correction", 1)


def _sample_variables(*corrections: int) -> SampleFn:
    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        attrs = {"correction": rng.choice(corrections)} if corrections else {}
        return attrs if _several([first], attrs) else None

    return sampling.alone_with(draw)


OPS = (
    composed(
        "pairwise_distance",
        lambda x, y, a: length(apart(x, y, a), a["p"], bool(a["keepdim"])),
        spell(
            (
                "F.pairwise_distance({0}, {1}, p={p}, eps={eps}, keepdim={is_keepdim})",
                "torch.nn.PairwiseDistance(p={p}, eps={eps}, keepdim={is_keepdim})({0}, {1})",
            )
        ),
        _sample_pairs,
        operands=2,
        attrs=attributes(p=2.0, eps=1e-6, keepdim=0),
        requires=lambda types, a: a["p"] in _ORDERS,
        any_number=True,
    ),
    composed(
        "pdist",
        _pdist,
        spell(("F.pdist({0}, {p})", "torch.nn.functional.pdist({0}, p={p})")),
        sampling.choosing(2, 2, p=_ORDERS),
        ("float32", "float64"),
        shape=fitting(lambda s, a: len(s[0]) == 2, lambda s, a: [s[0].batch(2).append(s[0][0] * (s[0][0] - 1) // 2)]),
        attrs=attributes(p=2.0),
        requires=lambda types, a: a["p"] in _ORDERS and 0 not in types[0].shape,
        any_number=True,
    ),
    composed(
        "cov",
        _cov,
        spell(("torch.cov({0}, correction={correction})", "{0}.cov(correction={correction})")),
        _sample_variables(1, 0, 2),
        shape=lambda s, a: [s[0].replace(1, s[0][0])],
        attrs=attributes(correction=1),
        requires=_several,
    ),
    composed(
        "corrcoef",
        _corrcoef,
        spell("torch. ."),
        _sample_variables(),
        shape=lambda s, a: [s[0].replace(1, s[0][0])],
        requires=_several,
        distance_to_domain=lambda x, a: domains.varied(x, {"axes": (1,)}),
        **facts(weight=0.2),
    ),
)
