"""ATen's operators that are one or two steps of other operators: distances, determinants, bags of rows."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import domains, sampling
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.distances import length
from polyjuice.ops.pointwise import composed, defined
from polyjuice.ops.registry import TABLE
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import Operand, Sample, attributes, facts
from polyjuice.ops.text import called, spell

_DOUBLE = ("float32", "float64")

# --- norms -----------------------------------------------------------------------------------------------------------


def _sample_dist(rng: random.Random, first: TensorType) -> Sample | None:
    if 0 in first.shape:
        return None
    return sampling.operands(first, sampling.broadcastable(rng, first.shape), p=rng.choice((2.0, 2.0, 1.0, math.inf)))


# --- embedding_bag ---------------------------------------------------------------------------------------------------


@sampling.of_rank(2, 2)
def _sample_bag(rng: random.Random, first: TensorType) -> Sample:
    bags = TensorType("int64", (rng.choice((1, 2, 3)), rng.choice((1, 2, 3, 5))))
    return Sample((Operand(bags, (0, first.shape[0] - 1)),), {"mode": rng.choice(("sum", "mean", "max"))})


# --- index_reduce ----------------------------------------------------------------------------------------------------

_REDUCTIONS = {"prod": "mul", "amax": "max", "amin": "min"}


def _index_reduce(x: Term, index: Term, source: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], source.rank)
    places = index.reshape(*(-1 if i == dim else 1 for i in range(source.rank))).expand(*source.shape)
    return x.then("ScatterElements", places, source, axis=dim, reduction=_REDUCTIONS[a["reduce"]])


@sampling.of_rank(1)
def _sample_index_reduce(rng: random.Random, first: TensorType) -> Sample:
    dim, count = rng.randrange(first.rank), rng.choice((1, 2, 3, 5))
    source = Operand(TensorType(first.dtype, Dims(first.shape).replace(dim, count)))
    index = Operand(TensorType("int64", (count,)), (0, first.shape[dim] - 1))
    return Sample((index, source), {"dim": dim, "reduce": rng.choice(tuple(_REDUCTIONS))})


# --- logdet, mvlgamma ------------------------------------------------------------------------------------------------


def _lack_of_volume(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """A determinant must be positive: the diagonal grows until all eigenvalues have positive real parts."""
    least = np.min(np.linalg.eigvals(x[0]).real, axis=-1, initial=1.0)
    lacking = np.where(np.linalg.det(x[0]) < domains.MARGIN, np.maximum(1.0 - least, 0), 0.0)
    return {0: lacking[..., None, None] * np.eye(x[0].shape[-1])}


def _multivariate(x: Term, a: Attrs) -> Term:
    p = a["p"]
    parts = [(x - j / 2 if j else x).then("lgamma", domain="aten") for j in range(p)]
    return sum(parts[1:], parts[0] + p * (p - 1) / 4 * math.log(math.pi))


OPS = (
    composed(
        "logdet",
        lambda x, a: x.then("Det").then("Log"),
        spell("torch. ."),
        lambda rng, first: TABLE["", "Det"].sample(rng, first),
        _DOUBLE,
        distance_to_domain=_lack_of_volume,
        weight=0.3,
    ),
    composed(
        "dist",
        lambda x, y, a: length((x - y).reshape(-1), a["p"]),
        spell(called("dist", "{1}, p={p}")),
        _sample_dist,
        operands=2,
        attrs=attributes(p=2.0),
        requires=lambda types, a: a["p"] in (1.0, 2.0, math.inf) and all(0 not in t.shape for t in types),
        **facts(weight=0.2, any_number=True),
    ),
    composed(
        "embedding_bag",
        lambda w, i, a: w.then("Gather", i, axis=0).reduce(a["mode"].title(), 1, keepdims=False),
        spell("F.embedding_bag({1}, {0}, mode='{mode}')"),
        _sample_bag,
        _DOUBLE,
        inputs=("T", "I"),
        types={"T": _DOUBLE, "I": ("int64",)},
        shape=fitting(lambda s, a: len(s[0]) == len(s[1]) == 2 and s[1][1], lambda s, a: [s[0].replace(0, s[1][0])]),
        attrs=attributes(mode="string"),
        requires=lambda types, a: a["mode"] in ("sum", "mean", "max"),
        weight=0.3,
    ),
    composed(
        "index_reduce",
        _index_reduce,
        spell(called("index_reduce", "{dim}, {1}, {2}, '{reduce}'")),
        _sample_index_reduce,
        inputs=("T", "I", "T"),
        types={"T": FLOATS, "I": ("int64",)},
        shape=fitting(lambda s, a: len(s[1]) == 1 and s[0].replace(a.dim, s[1][0]) == s[2]),
        attrs=attributes(dim="int", reduce="string"),
        requires=lambda types, a: a["reduce"] in _REDUCTIONS,
        widen=False,
        weight=0.2,
    ),
    defined(
        "mvlgamma",
        _multivariate,
        spell(("torch.mvlgamma({0}, {p})", "{0}.mvlgamma({p})", "torch.special.multigammaln({0}, {p})")),
        sample=sampling.choosing(p=(1, 2, 3)),
        attrs=attributes(p="int"),
        distance_to_domain=lambda x, a: domains.within(0, (a["p"] - 1) / 2)(x, a),
        weight=0.1,
    ),
)
