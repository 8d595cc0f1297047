"""Loss functions: of two or three tensors of one shape, of pairs of vectors, and of classes by their numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import domains, sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.distances import apart, length
from polyjuice.ops.pointwise import composed
from polyjuice.ops.spec import Call, DistanceFn, Op, Operand, Sample, SampleFn, attributes
from polyjuice.ops.text import spell

REDUCTIONS = ("none", "mean", "mean", "sum")

Choices = dict[str, Sequence[Any]]
"""The values that an attribute is drawn from. The first one is its default."""


def _drawn(rng: random.Random, choices: Choices) -> dict[str, Any]:
    drawn = {name: _stored(rng.choice(values)) for name, values in choices.items()}
    return {**drawn, "reduction": rng.choice(REDUCTIONS)}


def _stored(value: Any) -> Any:
    """A value as an attribute holds it: a flag is an integer."""
    return int(value) if isinstance(value, bool) else value


def _reduced(loss: Term, a: Attrs) -> Term:
    return loss if a["reduction"] == "none" else loss.reduce(a["reduction"].title(), keepdims=False)


def _loss(
    name: str,
    module: str,
    definition: Callable[..., Term],
    shapes: Callable[[Sequence[int]], Sequence[Sequence[int]]] = lambda first: [first],
    least: int = 0,
    most: int = sampling.MAX_RANK,
    types: tuple[str, ...] = FLOATS,
    signs: bool = False,
    distance: DistanceFn | None = None,
    algorithms: Sequence[Callable[..., Term]] = (),
    **choices: Sequence[Any],
) -> Op:
    """A loss with a reduction, whose attributes have some ``choices``.

    ``shapes`` gives those of the further operands. The last one is a label with ``signs``: 1 or -1, or rarely 0.
    """

    @sampling.of_rank(least, most)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        further = [Operand(TensorType(first.dtype, tuple(shape))) for shape in shapes(first.shape)]
        if signs:
            further[-1] = Operand(further[-1].type, (-1, 1))
        return Sample(tuple(further), _drawn(rng, choices))

    def fits(operands: Sequence[TensorType], a: Attrs) -> bool:
        first, *others = (t.shape for t in operands)
        return (
            a["reduction"] in REDUCTIONS
            and least <= len(first) <= most
            and others == [tuple(shape) for shape in shapes(first)]
        )

    keywords = "".join(f"{key}={{{'is_' * isinstance(values[0], bool)}{key}}}, " for key, values in choices.items())
    keywords += "reduction='{reduction}'"

    def reduced(elementwise: Callable[..., Term]) -> Callable[..., Term]:
        return lambda *x: _reduced(elementwise(*x), x[-1])

    return composed(
        name,
        reduced(definition),
        spell((f"F.{name}({{all}}, {keywords})", f"torch.nn.{module}({keywords})({{all}})")),
        sample,
        types,
        operands=1 + len(shapes((1, 1))),
        attrs=attributes(**{key: _stored(values[0]) for key, values in choices.items()}, reduction="mean"),
        requires=fits,
        distance_to_domain=distance,
        algorithms=tuple(onnx_term(reduced(one)) for one in algorithms),
    )


# --- of tensors of one shape -----------------------------------------------------------------------------------------


def _rounded_corner(x: Term, y: Term, corner: float) -> Term:
    """d^2 / 2 for distances d up to the corner, and the tangent from there on."""
    d = abs(x - y)
    low = d.then("Min", corner)
    return low * (d - low * 0.5)


def _smooth_l1(x: Term, y: Term, a: Attrs) -> Term:
    return _rounded_corner(x, y, a["beta"]) / a["beta"] if a["beta"] else abs(x - y)


def _kl_div(x: Term, y: Term, a: Attrs) -> Term:
    if a["log_target"]:
        return y.then("Exp") * (y - x)
    return where(y.equals(0), 0.0, y * y.then("Log")) - y * x


def _poisson(x: Term, y: Term, a: Attrs) -> Term:
    loss = x.then("Exp") - y * x if a["log_input"] else x - y * (x + a["eps"]).then("Log")
    if not a["full"]:
        return loss
    stirling = y * y.then("Log") - y + (y * (2 * np.pi)).then("Log") * 0.5
    return loss + where(y > 1, stirling, 0.0)


def _hinge(x: Term, y: Term, a: Attrs) -> Term:
    return where(y.equals(1), 0.0, (a["margin"] - x).then("Relu")) + where(y.equals(-1), 0.0, x)


def _positive_target(x: Sequence[np.ndarray], a: Attrs) -> Any:
    return {} if a["log_target"] else domains.within(1, 0.0)(x, a)


def _positive_rate(x: Sequence[np.ndarray], a: Attrs) -> Any:
    return {} if a["log_input"] else domains.within(0, 0.0)(x, a)


# --- of vectors ------------------------------------------------------------------------------------------------------

_EPSILON = 1e-12
"""ATen adds it to squared lengths."""


def _cosine(x: Term, y: Term, label: Term, a: Attrs) -> Term:
    def dot(u: Term, v: Term) -> Term:
        return (u * v).reduce("Sum", 1, keepdims=False)

    cosine = dot(x, y) / ((dot(x, x) + _EPSILON) * (dot(y, y) + _EPSILON)).then("Sqrt")
    unlike = where(label.equals(-1), (cosine - a["margin"]).then("Relu"), 0.0)
    return where(label.equals(1), 1.0 - cosine, 0.0) + unlike


def _triplet(anchor: Term, positive: Term, negative: Term, a: Attrs) -> Term:
    def distance(u: Term, v: Term) -> Term:
        return length(apart(u, v, a), a["p"])

    far = distance(anchor, negative)
    if a["swap"]:
        far = far.then("Min", distance(positive, negative))
    return (distance(anchor, positive) - far).then("Add", a["margin"]).then("Relu")


# --- of classes ------------------------------------------------------------------------------------------------------


_NO_CLASS = -100
"""The default of the number that is left out."""


def _classes(x: Term, target: Term) -> Term:
    """The numbers of classes, with an axis for those of ``x``. Negative ones, which Torch refuses, become too great."""
    return where(target < 0, x.shape[1], target).unsqueeze(1)


def _nll(x: Term, target: Term, *more: Any) -> Term:
    """The negative logarithm of each probability that is ``x`` at the class ``target``, by the class's weight."""
    *weights, a = more

    def unless_ignored(t: Term) -> Term:
        return where(target.equals(a["ignore_index"]), 0, t)

    places = _classes(x, unless_ignored(target))
    weight = weights[0].then("Gather", places.squeeze(1), axis=0) if weights else x.number(1.0).expand(*target.shape)
    weight = unless_ignored(weight)
    loss = -(x.then("GatherElements", places, axis=1).squeeze(1) * weight)
    if smoothing := a.get("label_smoothing"):
        channels = weights[0].reshape(-1, *[1] * (x.rank - 2)) if weights else 1.0
        even = unless_ignored(-(x * channels).reduce("Mean", 1, keepdims=False))
        loss = loss * (1 - smoothing) + even * smoothing
    if a["reduction"] == "mean":
        return loss.reduce("Sum", keepdims=False) / weight.reduce("Sum", keepdims=False)
    return _reduced(loss, a)


def _cross_entropy(x: Term, *more: Any) -> Term:
    return _nll(x.then("LogSoftmax", axis=1), *more)


def _fits_classes(types: Sequence[TensorType], a: Attrs) -> bool:
    x, target, *weights = (t.shape for t in types)
    agree = len(x) > 1 and target == (x[0], *x[2:]) and all(w == (x[1],) for w in weights)
    return agree and a["reduction"] in REDUCTIONS


def _lack_of_weight(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """A mean divides by the sum of the weights of the classes that occur."""
    return domains.within(2, 0.0)(x, a) if len(x) > 2 and a["reduction"] == "mean" else {}


def _sample_classes(kinds: Sequence[str], choices: Choices) -> SampleFn:
    @sampling.of_rank(2)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        batch, count, *rest = first.shape
        target = Operand(TensorType(rng.choice(kinds), (batch, *rest)), (0, count - 1))
        weights = [Operand(TensorType(first.dtype, (count,)))] if rng.random() < 0.4 else []
        ignored = rng.randrange(count) if rng.random() < 0.3 else _NO_CLASS
        return Sample((target, *weights), {"ignore_index": ignored, **_drawn(rng, choices)})

    return sample


def _by_class(
    name: str,
    definition: Callable[..., Term],
    torch: str,
    kinds: tuple[str, ...] = ("int64",),
    **choices: Sequence[Any],
) -> Op:
    def text(c: Call) -> str:
        target = f"{c.x[1]}.long()" if c.types[1].dtype == "int32" else c.x[1]
        arguments = [c.x[0], target, *c.x[2:], *(f"{key}={value!r}" for key, value in c.attrs.items())]
        return f"F.{torch}({', '.join(arguments)})"

    return Op(
        name=name,
        inputs=("T", "I", "T"),
        types={"T": FLOATS, "I": kinds},
        definition=onnx_term(definition),
        text=spell(text),
        sample=_sample_classes(kinds, choices),
        attrs=attributes(
            ignore_index=_NO_CLASS, **{key: values[0] for key, values in choices.items()}, reduction="mean"
        ),
        requires=_fits_classes,
        distance_to_domain=_lack_of_weight,
        min_inputs=2,
        data_inputs=2,
        weight=0.3,
    )


def _multi_margin(x: Term, target: Term, a: Attrs) -> Term:
    """The losses of some samples, or of one sample without an axis for it."""
    if x.rank == 1:
        loss = _multi_margin(x.unsqueeze(0), target.unsqueeze(0), a)
        return loss.squeeze(0) if a["reduction"] == "none" else loss
    places = _classes(x, target)
    gap = (x - x.then("GatherElements", places, axis=1) + a["margin"]).then("Relu")
    own = places.equals(places.constant(np.arange(x.shape[1])))
    loss = where(own, 0.0, gap if a["p"] == 1 else gap * gap)
    return _reduced(loss.reduce("Mean", 1, keepdims=False), a)


_MARGIN = (0.0, 0.5, -0.25)

OPS = (
    _loss("l1_loss", "L1Loss", lambda x, y, a: abs(x - y)),
    _loss("mse_loss", "MSELoss", lambda x, y, a: (x - y) * (x - y)),
    _loss("huber_loss", "HuberLoss", lambda x, y, a: _rounded_corner(x, y, a["delta"]), delta=(1.0, 0.5, 2.0)),
    _loss("smooth_l1_loss", "SmoothL1Loss", _smooth_l1, beta=(1.0, 0.5, 2.0, 0.0)),
    _loss("kl_div", "KLDivLoss", _kl_div, distance=_positive_target, log_target=(False, True)),
    _loss(
        "poisson_nll_loss",
        "PoissonNLLLoss",
        _poisson,
        distance=_positive_rate,
        log_input=(True, False),
        full=(False, True),
        eps=(1e-8, 0.0625),
    ),
    _loss(
        "soft_margin_loss",
        "SoftMarginLoss",
        lambda x, y, a: (-(x * y)).then("Softplus"),
        algorithms=[lambda x, y, a: ((-(x * y)).then("Exp") + 1.0).then("Log")],
    ),
    _loss(
        "binary_cross_entropy_with_logits",
        "BCEWithLogitsLoss",
        lambda x, y, a: x * (1.0 - y) + (-x).then("Softplus"),
    ),
    _loss("hinge_embedding_loss", "HingeEmbeddingLoss", _hinge, signs=True, margin=(1.0, 0.5)),
    _loss(
        "margin_ranking_loss",
        "MarginRankingLoss",
        lambda x, y, sign, a: (-sign * (x - y) + a["margin"]).then("Relu"),
        lambda first: [first, first],
        margin=_MARGIN,
    ),
    _loss(
        "cosine_embedding_loss",
        "CosineEmbeddingLoss",
        _cosine,
        lambda first: [first, first[:1]],
        2,
        2,
        signs=True,
        margin=_MARGIN,
    ),
    _loss(
        "triplet_margin_loss",
        "TripletMarginLoss",
        _triplet,
        lambda first: [first, first],
        1,
        margin=(1.0, 0.5),
        p=(2.0, 1.0),
        eps=(1e-6, 0.0625),
        swap=(False, True),
    ),
    _by_class("nll_loss", _nll, "nll_loss"),
    _by_class("cross_entropy_loss", _cross_entropy, "cross_entropy", label_smoothing=(0.0, 0.0, 0.125)),
    _by_class("NegativeLogLikelihoodLoss", _nll, "nll_loss", ("int32", "int64")),
    _by_class("SoftmaxCrossEntropyLoss", _cross_entropy, "cross_entropy", ("int32", "int64")),
    Op(
        name="multi_margin_loss",
        inputs=("T", "I"),
        types={"T": ("float32", "float64"), "I": ("int64",)},
        definition=onnx_term(_multi_margin),
        text=spell(
            (
                "F.multi_margin_loss({all}, p={p}, margin={margin}, reduction='{reduction}')",
                "torch.nn.MultiMarginLoss(p={p}, margin={margin}, reduction='{reduction}')({all})",
            )
        ),
        sample=sampling.of_rank(1, 2)(
            lambda rng, first: Sample(
                (Operand(TensorType("int64", first.shape[:-1]), (0, first.shape[-1] - 1)),),
                _drawn(rng, {"p": (1, 2), "margin": (1.0, 0.5)}),
            )
        ),
        attrs=attributes(p=1, margin=1.0, reduction="mean"),
        requires=lambda types, a: types[1].shape == types[0].shape[:-1] and a["reduction"] in REDUCTIONS,
    ),
)
