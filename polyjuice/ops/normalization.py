"""Normalisation by given or computed statistics."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import domains, sampling, unspecified
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import Attr, Call, DecomposeFn, Op, Operand, Sample, Unsupported, attributes, facts
from polyjuice.ops.text import spell
from polyjuice.ops.windows import channels_first, channels_last

_EPSILON = Attr("epsilon", "float", 1e-5)


def _draw_epsilon(rng: random.Random) -> float:
    return rng.choice((1e-5, 1e-5, 1e-3, 0.5))


# --- BatchNormalization ----------------------------------------------------------------------------------------------


def _batch_norm(folded: bool) -> DecomposeFn:
    """(x - mean) r + bias with r = scale / sqrt(var + eps), or x r + (bias - mean r)."""

    def build(x: Term, *rest: Any) -> Term:
        *parameters, a = rest
        placed: list[Term] = [p.reshape(-1, *[1] * (x.rank - 2)) for p in parameters]
        scale, bias, mean, var = placed
        r: Term = scale / (var + a["epsilon"]).then("Sqrt")
        return x * r + (bias - mean * r) if folded else (x - mean) * r + bias

    return onnx_term(build, widen=False)


def _batch_norm_tensorflow(c: Call) -> str:
    t, eps = c.types[0], c.attrs["epsilon"]
    if t.rank == 4 and t.dtype == "float32" and c.draws.chance(0.5):
        x = channels_last(c.x[0], 4)
        names = zip(("scale", "offset", "mean", "variance"), c.x[1:], strict=True)
        rest = ", ".join(f"{name}={text}" for name, text in names)
        return channels_first(f"tf.raw_ops.FusedBatchNormV3(x={x}, {rest}, epsilon={eps}, is_training=False)[0]", 4)
    scale, bias, mean, var = c.x[1:]
    text = f"tf.nn.batch_normalization({channels_last(c.x[0], t.rank)}, {mean}, {var}, {bias}, {scale}, {eps})"
    return channels_first(text, t.rank)


@sampling.of_rank(2)
def _sample_batch_norm(rng: random.Random, first: TensorType) -> Sample:
    parameter = TensorType(first.dtype, (first.shape[1],))
    variance = Operand(parameter, (1, 4))
    operands = (Operand(parameter), Operand(parameter), Operand(parameter), variance)
    return Sample(operands, {"epsilon": _draw_epsilon(rng)})


# --- LRN -------------------------------------------------------------------------------------------------------------


def _lrn(running: bool) -> DecomposeFn:
    """x / (k + alpha / size * (sum of squares over ``size`` neighbouring channels))^beta.

    Kernels may keep a ``running`` sum of squares, and subtract squares that leave the window.
    """

    def build(x: Term, a: Attrs) -> Term:
        size, channels = a["size"], x.shape[1]
        before = (size - 1) // 2 + running
        pads = [[n if axis == 1 else 0 for axis in range(x.rank)] for n in (before, size - 1 + running - before)]
        squares = (x * x).then("Pad", pads=(*pads[0], *pads[1]), mode="constant", value=0.0)
        if running:
            sums = squares.then("CumSum", axis=1, exclusive=0, reverse=0)
            total = sums.slice(1, size, size + channels) - sums.slice(1, 0, channels)
        else:
            total = reduce(add, (squares.slice(1, i, i + channels) for i in range(size)))
        base: Term = total * (a["alpha"] / size) + a["bias"]
        return x / base.then("Pow", a["beta"])

    return onnx_term(build, widen=False)


def _lrn_tensorflow(c: Call) -> str | Unsupported:
    a, t = c.attrs, c.types[0]
    if t.rank != 4 or a["size"] % 2 == 0:
        return Unsupported("TensorFlow normalises over an odd number of channels of two-dimensional images")
    radius, alpha = a["size"] // 2, a["alpha"] / a["size"]
    x = channels_last(c.x[0], 4)
    keywords = f"depth_radius={radius}, bias={a['bias']}, alpha={alpha}, beta={a['beta']}"
    return channels_first(f"tf.nn.local_response_normalization({x}, {keywords})", 4)


@sampling.of_rank(4, 4)
def _draw_lrn(rng: random.Random, first: TensorType) -> Attrs:
    return {"size": rng.choice((1, 3, 5)), "alpha": rng.choice((0.5, 0.0001)), "beta": 0.75, "bias": 1.0}


# --- by computed statistics ------------------------------------------------------------------------------------------


_LEAST_SAMPLE = 4
"""The generator takes no statistics of fewer elements, which are often so close that the bound is infinite."""


def standard(x: Term, axes: Sequence[int], epsilon: float = 0.0, centred: bool = True) -> Term:
    """(x - mean) / sqrt(variance + epsilon)."""
    d = x - x.reduce("Mean", *axes) if centred else x
    square = (d * d).reduce("Mean", *axes)
    return d / (square + epsilon if epsilon else square).then("Sqrt")


def _by_squares(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """The variance as mean(x^2) - mean(x)^2, with a rounding relative to the squares themselves."""
    mean = x.reduce("Mean", *axes)
    return (x - mean) / ((x * x).reduce("Mean", *axes) - mean * mean + epsilon).then("Sqrt")


def _standardised(
    groups: Callable[[tuple[int, ...], Attrs], tuple[int, ...]], epsilon: str = "epsilon", channels: bool = True
) -> dict[str, Any]:
    """The definition and the other algorithms of a standardisation of groups of elements.

    ``groups`` gives a shape of the operand in which each line along the last axis is a group. Scale and bias follow, if
    there are any; with ``channels`` they have a number for each channel.
    """

    def lines_of(x: Term, a: Attrs) -> Term:
        shape = groups(x.shape, a)
        return x if shape == x.shape else x.reshape(*shape)

    def placed(p: Term, x: Term) -> Term:
        return p.reshape(x.shape[1], *[1] * (x.rank - 2)) if channels else p

    def folded(x: Term, *rest: Any) -> Term:
        """x r + (bias - mean r) with r = scale / sqrt(variance + epsilon): r and the bracket once for each channel."""
        *parameters, a = rest
        lines = lines_of(x, a)
        axis = lines.rank - 1
        mean = lines.reduce("Mean", axis)
        d = lines - mean
        root = ((d * d).reduce("Mean", axis) + a[epsilon]).then("Sqrt")
        r, mean = (t.expand(*lines.shape).reshape(*x.shape) for t in (1.0 / root, mean))
        scale, bias, *_ = [*(placed(p, x) for p in parameters), None, None]
        r = r * scale if scale else r
        shift = bias - mean * r if bias else -(mean * r)
        return x * r + shift

    def along(algorithm: Callable[[Term, Sequence[int], float], Term]) -> DecomposeFn:
        def build(x: Term, *rest: Any) -> Term:
            *parameters, a = rest
            lines = lines_of(x, a)
            y = algorithm(lines, (lines.rank - 1,), a[epsilon])
            y = y if lines is x else y.reshape(*x.shape)
            for op, p in zip(("Mul", "Add"), parameters, strict=False):
                y = y.then(op, placed(p, x))
            return y

        return onnx_term(build, widen=False)

    further = (onnx_term(folded, widen=False),) if channels else ()
    return {"definition": along(standard), "algorithms": (along(_by_squares), *further)}


# --- LayerNormalization ----------------------------------------------------------------------------------------------


def _layer_groups(shape: tuple[int, ...], a: Attrs) -> tuple[int, ...]:
    axis = normalize_axis(a["axis"], len(shape))
    return (*shape[:axis], sampling.total(shape[axis:]))


@sampling.of_rank(1)
def _sample_layer(rng: random.Random, first: TensorType) -> Sample | None:
    axis = rng.choice((first.rank - 1, rng.randrange(first.rank)))
    if sampling.total(first.shape[axis:]) < _LEAST_SAMPLE:
        return None
    parameters = [first.shape[axis:]] * rng.choice((1, 2, 2))
    return sampling.operands(first, *parameters, axis=axis, epsilon=_draw_epsilon(rng))


# --- normalisation of channels and groups of channels ----------------------------------------------------------------


def _instance_torch(c: Call) -> tuple[str, ...]:
    texts = [
        "torch.instance_norm({0}, {1}, {2}, None, None, True, 0.1, {epsilon}, False)",
        f"torch.group_norm({{0}}, {c.types[0].shape[1]}, {{1}}, {{2}}, {{epsilon}})",
    ]
    alone = sampling.total(c.types[0].shape[2:]) == 1  # F.instance_norm raises an error for it
    return (*texts, *["F.instance_norm({0}, weight={1}, bias={2}, eps={epsilon})"] * (not alone))


def _sample_instance(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank < 3 or sampling.total(first.shape[2:]) < _LEAST_SAMPLE:
        return None
    return sampling.operands(first, *[first.shape[1:2]] * 2, epsilon=_draw_epsilon(rng))


def _fits_groups(s: Sequence[Dims], groups: int) -> bool:
    x = s[0]
    return len(x) > 1 and 0 not in x and groups > 0 and not x[1] % groups and all(p == (x[1],) for p in s[1:])


def _group_norm(name: str, parameters: Sequence[int]) -> dict[str, Any]:
    """The shared fields of ONNX's and ATen's entry; ``name`` is the attribute for epsilon.

    ``parameters`` are the possible numbers of parameters.
    """

    def torch(c: Call) -> tuple[str, ...]:
        parameters = ", ".join([*c.x[1:], "None", "None"][:2])
        alone = c.types[0].size // c.attrs["num_groups"] == 1  # F.group_norm raises an error for it
        call = f".group_norm({{0}}, {{num_groups}}, {parameters}, {{{name}}})"
        return (f"torch{call}",) if alone else (f"torch{call}", f"F{call}")

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        if first.rank < 2 or 0 in first.shape or first.size < first.shape[0] * _LEAST_SAMPLE:
            return None
        elements = first.size // first.shape[0]
        groups = rng.choice([g for g in sampling.factors(first.shape[1]) if g * _LEAST_SAMPLE <= elements])
        attrs = {"num_groups": groups, name: _draw_epsilon(rng)}
        return sampling.operands(first, *[first.shape[1:2]] * rng.choice(parameters), **attrs)

    return {
        "shape": fitting(lambda s, a: _fits_groups(s, a.num_groups)),
        "text": spell(torch),
        "sample": sample,
        **_standardised(
            lambda shape, a: (shape[0], a["num_groups"], sampling.total(shape[1:]) // a["num_groups"]), name
        ),
    }


# --- rms_norm --------------------------------------------------------------------------------------------------------


def _fits_rms(s: Sequence[Dims], a: Any) -> bool:
    shape = tuple(a.normalized_shape)
    return len(shape) > 0 and s[0][-len(shape) :] == shape and all(p == shape for p in s[1:])


def _rms_axes(a: Attrs, rank: int) -> tuple[int, ...]:
    return tuple(range(rank - len(a["normalized_shape"]), rank))


def _rms_torch(c: Call) -> tuple[str, ...]:
    weight = [*c.x[1:], "None"][0]
    return (f"F.rms_norm({{0}}, {{normalized_shape}}, {weight}, {{eps}})",)


def _rms(x: Term, *rest: Any) -> Term:
    *weight, a = rest
    y = standard(x, _rms_axes(a, x.rank), a["eps"], centred=False)
    return y * weight[0] if weight else y


@sampling.of_rank(1)
def _sample_rms(rng: random.Random, first: TensorType) -> Sample:
    shape = first.shape[rng.choice((first.rank - 1, rng.randrange(first.rank))) :]
    weights = [shape] if rng.random() < 0.7 else []
    return sampling.operands(first, *weights, normalized_shape=shape, eps=_draw_epsilon(rng))


def _normalization(name: str, inputs: int, **properties: Any) -> Op:
    settings: dict[str, Any] = {"types": {"T": FLOATS}, "weight": 0.5}
    return Op(name=name, inputs=("T",) * inputs, **{**settings, **properties})


OPS = (
    _normalization(
        "BatchNormalization",
        5,
        shape=fitting(lambda s, a: len(s[0]) > 1 and all(p == (s[0][1],) for p in s[1:])),
        definition=_batch_norm(folded=False),
        algorithms=(_batch_norm(folded=True),),
        text=spell(
            (
                "F.batch_norm({0}, {3}, {4}, {1}, {2}, eps={epsilon})",
                "torch.batch_norm({0}, {1}, {2}, {3}, {4}, False, 0.1, {epsilon}, False)",
            ),
            _batch_norm_tensorflow,
        ),
        sample=_sample_batch_norm,
        attrs=(_EPSILON,),
        distance_to_domain=domains.within(4, 0.0),
        unsettled=unspecified.root(4),
        normal=lambda a, x: a.pop("momentum", None),
        **facts(weight=1.0, data_inputs=1, followers="PRelu Relu Add Conv Mul LeakyRelu"),
    ),
    _normalization(
        "LRN",
        1,
        shape=fitting(lambda s, a: len(s[0]) > 2),
        definition=_lrn(running=False),
        algorithms=(_lrn(running=True),),
        text=spell("F.local_response_norm({0}, {size}, alpha={alpha}, beta={beta}, k={bias})", _lrn_tensorflow),
        sample=sampling.alone_with(_draw_lrn),
        attrs=attributes(size="int", alpha=1e-4, beta=0.75, bias=1.0),
        weight=0.8,
    ),
    _normalization(
        "LayerNormalization",
        3,
        types={"T": ("float16", "bfloat16", "float32")},  # of float64 the first stage may be single precision
        shape=fitting(lambda s, a: all(p == s[0][normalize_axis(a.axis, len(s[0])) :] for p in s[1:])),
        **_standardised(_layer_groups, channels=False),
        text=spell(
            lambda c: tuple(
                f"{place}.layer_norm({{0}}, {c.types[1].shape}, {', '.join([*c.x[1:], 'None'][:2])}, {{epsilon}})"
                for place in ("F", "torch")
            )
        ),
        sample=_sample_layer,
        attrs=(Attr("axis", "int", -1), _EPSILON),
        **facts(min_inputs=2, fresh=True, data_inputs=1, followers="MatMul Add Mul Transpose"),
    ),
    _normalization(
        "InstanceNormalization",
        3,
        types={"T": FLOATS},
        shape=fitting(lambda s, a: len(s[0]) > 2 and _fits_groups(s, 1)),
        **_standardised(lambda shape, a: (*shape[:2], sampling.total(shape[2:]))),
        text=spell(_instance_torch),
        sample=_sample_instance,
        attrs=(_EPSILON,),
        data_inputs=1,
    ),
    _normalization(
        "GroupNormalization",
        3,
        since=21,  # before, it was another operator, which is deprecated
        types={"T": ("float16", "bfloat16", "float32")},  # of float64 the first stage may be single precision
        attrs=(Attr("num_groups", "int"), _EPSILON),
        **_group_norm("epsilon", (2,)),
        **facts(weight=0.8, data_inputs=1),
    ),
    _normalization(
        "group_norm",
        3,
        attrs=attributes(num_groups="int", eps=1e-5),
        **_group_norm("eps", (0, 1, 2, 2)),
        **facts(min_inputs=1, data_inputs=1),
    ),
    _normalization(
        "rms_norm",
        2,
        shape=fitting(_fits_rms),
        text=spell(_rms_torch),
        definition=onnx_term(_rms, widen=False),
        sample=_sample_rms,
        attrs=attributes(normalized_shape="ints", eps=1e-5),
        **facts(min_inputs=1, data_inputs=1),
    ),
)
