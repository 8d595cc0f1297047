"""Losses of classifications: of the scores, or of their logarithms, at the classes that labels name."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from polyjuice.ir import TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Call, Op, Operand, Sample, attributes, facts
from polyjuice.ops.text import spell

_ABSENT = -100
"""The default of Torch for the label without a loss. ONNX has none, which means the same: it is no class."""


def _loss(x: Term, labels: Term, *rest: Any) -> Term:
    """The negative logarithms at the labels, with the classes' weights; their mean is weighted, too."""
    *weights, a = rest
    ignored = labels.equals(a["ignore_index"])
    classes = where(ignored, 0, labels)
    found = -x.then("GatherElements", classes.unsqueeze(1), axis=1).squeeze(1)
    shares = weights[0].then("Gather", classes, axis=0) if weights else x.number(1).expand(*labels.shape)
    shares = where(ignored, 0.0, shares)
    losses = found * shares
    if a["reduction"] == "none":
        return losses
    total = losses.reduce("Sum", *range(labels.rank), keepdims=False)
    return total / shares.reduce("Sum", *range(labels.rank), keepdims=False) if a["reduction"] == "mean" else total


def _shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, labels, *weights = s
    require(len(x) > 1 and 0 not in x and labels == (x[0], *x[2:]) and all(w == (x[1],) for w in weights))
    require(a.reduction in ("none", "mean", "sum"))
    return [labels if a.reduction == "none" else Dims(())]


@sampling.of_rank(2)
def _sample(rng: random.Random, first: TensorType) -> Sample:
    reduction = rng.choice(("none", "mean", "sum"))
    labels = TensorType(rng.choice(("int32", "int64")), (first.shape[0], *first.shape[2:]))
    ignored = rng.choice((_ABSENT, rng.randrange(first.shape[1]))) if reduction != "mean" else _ABSENT
    weights = [Operand(TensorType(first.dtype, first.shape[1:2]), (1, 3))] if rng.random() < 0.5 else []
    attrs = {"reduction": reduction, "ignore_index": ignored}
    return Sample((Operand(labels, (0, first.shape[1] - 1)), *weights), attrs)


def _torch(name: str) -> Callable[[Call], str]:
    def text(c: Call) -> str:
        a, labels = c.attrs, c.x[1] if c.types[1].dtype == "int64" else f"{c.x[1]}.long()"
        options = f"reduction='{a['reduction']}', ignore_index={a['ignore_index']}"
        weights = f", weight={c.x[2]}" if len(c.x) > 2 else ""
        return f"F.{name}({c.x[0]}, {labels}{weights}, {options})"

    return text


def _op(name: str, torch: str, definition: Callable[..., Term]) -> Op:
    return composed(
        name,
        definition,
        spell(_torch(torch)),
        _sample,
        inputs=("T", "I", "T"),
        types={"T": FLOATS, "I": ("int32", "int64")},
        shape=_shape,
        attrs=attributes(ignore_index=_ABSENT, reduction="mean"),
        **facts(min_inputs=2, weight=0.3, data_inputs=2),
    )


def _of_scores(x: Term, *rest: Any) -> Term:
    return _loss(x.then("LogSoftmax", axis=1), *rest)


OPS = (
    _op("NegativeLogLikelihoodLoss", "nll_loss", _loss),
    _op("SoftmaxCrossEntropyLoss", "cross_entropy", _of_scores),
)
