"""Normalisation by given or computed statistics."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import adjoints, domains, errors, sampling, unspecified
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Op, Operand, Sample, Unsupported, attributes, facts
from polyjuice.ops.text import spell
from polyjuice.ops.windows import channels_first, channels_last

_EPSILON = Attr("epsilon", "float", 1e-5)


def _per_channel(parameter: np.ndarray, rank: int) -> np.ndarray:
    return parameter.reshape(-1, *[1] * (rank - 2))


def _draw_epsilon(rng: random.Random) -> float:
    return rng.choice((1e-5, 1e-5, 1e-3, 0.5))


# --- BatchNormalization ----------------------------------------------------------------------------------------------


def _batch_norm(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    scale, bias, mean, var = (_per_channel(p, x[0].ndim) for p in x[1:])
    return np.asarray((x[0] - mean) * (scale / np.sqrt(var + np.asarray(a["epsilon"], var.dtype))) + bias)


def _batch_norm_error(c: ErrorContext) -> np.ndarray:
    """As (x - mean) r + bias with r = scale / sqrt(var + eps); magnitudes also cover x r + (bias - mean r)."""
    x, rank = c.x[0], c.x[0].ndim
    (scale, e_scale), (bias, e_bias), (mean, e_mean), (var, e_var) = _parameters(c, lambda p: _per_channel(p, rank))
    eps = c.attrs["epsilon"]
    low = var + eps - e_var
    safe = np.where(low > 0, low, 1.0)
    r = np.abs(scale) / np.sqrt(np.where(var + eps > 0, var + eps, 1.0))
    e_r = np.where(low > 0, (np.abs(scale) + e_scale) / np.sqrt(safe) - r, np.inf)
    e_t = c.e[0] + e_mean
    spread = r * e_t + (np.abs(x - mean) + e_t) * e_r + e_bias
    return np.asarray(spread + 8 * c.unit * ((np.abs(x) + np.abs(mean)) * r + np.abs(bias) + spread))


def _batch_norm_torch(c: Call) -> str:
    x, scale, bias, mean, var = c.x
    eps = c.attrs["epsilon"]
    forms = (
        f"F.batch_norm({x}, {mean}, {var}, {scale}, {bias}, eps={eps})",
        f"torch.batch_norm({x}, {scale}, {bias}, {mean}, {var}, False, 0.1, {eps}, False)",
    )
    return c.draws.choice(forms)


def _batch_norm_tensorflow(c: Call) -> str:
    t, eps = c.types[0], c.attrs["epsilon"]
    if t.rank == 4 and t.dtype == "float32" and c.draws.chance(0.5):
        x = channels_last(c.x[0], 4)
        names = zip(("scale", "offset", "mean", "variance"), c.x[1:], strict=True)
        rest = ", ".join(f"{name}={text}" for name, text in names)
        return channels_first(f"tf.raw_ops.FusedBatchNormV3(x={x}, {rest}, epsilon={eps}, is_training=False)[0]", 4)
    scale, bias, mean, var = c.x[1:]
    if c.draws.chance(0.5):
        scale, bias, mean, var = (f"tf.reshape({p}, {[-1, *[1] * (t.rank - 2)]})" for p in c.x[1:])
        return f"tf.nn.batch_normalization({c.x[0]}, {mean}, {var}, {bias}, {scale}, {eps})"
    text = f"tf.nn.batch_normalization({channels_last(c.x[0], t.rank)}, {mean}, {var}, {bias}, {scale}, {eps})"
    return channels_first(text, t.rank)


@sampling.of_rank(2)
def _sample_batch_norm(rng: random.Random, first: TensorType) -> Sample:
    parameter = TensorType(first.dtype, (first.shape[1],))
    variance = Operand(parameter, (1, 4))
    operands = (Operand(parameter), Operand(parameter), Operand(parameter), variance)
    return Sample(operands, {"epsilon": _draw_epsilon(rng)})


# --- LRN -------------------------------------------------------------------------------------------------------------


def _lrn_denominator(x: np.ndarray, a: Attrs) -> np.ndarray:
    """k + alpha / size * (sum of squares over ``size`` neighbouring channels)."""
    size, channels = a["size"], x.shape[1]
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    squares = np.square(x)
    total = np.zeros_like(x)
    for c in range(channels):
        total[:, c] = squares[:, max(c - before, 0) : c + after + 1].sum(axis=1)
    return np.asarray(a["bias"] + a["alpha"] / size * total)


def _lrn_error(c: ErrorContext) -> np.ndarray:
    """x / d^beta at the ends of the intervals of x and d (beta is positive and d at least its bias).

    Kernels may keep a running sum of squares, and subtract squares that leave the window.
    """
    x, beta, channels = np.abs(c.x[0]), c.attrs["beta"], c.x[0].shape[1]
    e = np.broadcast_to(c.e[0], x.shape)
    rest = 2 * channels * c.unit * c.attrs["alpha"] / c.attrs["size"] * np.sum((x + e) ** 2, axis=1, keepdims=True)
    least = np.maximum(_lrn_denominator(np.maximum(x - e, 0), c.attrs) - rest, c.attrs["bias"] / 2)
    most = _lrn_denominator(x + e, c.attrs) + rest
    high, low = (x + e) / least**beta, np.maximum(x - e, 0) / most**beta
    bound = np.maximum(high - np.abs(c.y[0]), np.abs(c.y[0]) - low)
    bound = bound + (c.attrs["size"] + 16) * c.unit * np.abs(c.y[0])
    return np.where(np.isnan(bound) | errors.overflows(c, rest + most), np.inf, bound)


def _lrn_torch(c: Call) -> str:
    a = c.attrs
    return f"F.local_response_norm({c.x[0]}, {a['size']}, alpha={a['alpha']}, beta={a['beta']}, k={a['bias']})"


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


def standardised(x: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    """(x - mean) / sqrt(variance + epsilon)."""
    d = x - np.mean(x, axis=axes, keepdims=True)
    square = np.mean(np.square(d), axis=axes, keepdims=True)
    return np.asarray(d / np.sqrt(square + np.asarray(epsilon, x.dtype)))


def _affine_error(
    c: ErrorContext,
    x: np.ndarray,
    e: np.ndarray,
    axes: tuple[int, ...],
    epsilon: float,
    parameters: Sequence[tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    """The bound of standardised(x) scale + bias, where ``parameters`` are scale and bias with their errors, if any.

    Frameworks may compute the variance as mean(x^2) - mean(x)^2, with a rounding relative to the squares themselves. It
    is unknown where the squares overflow. They may also round epsilon to the element type.
    """
    n = sampling.total(x.shape[axis] for axis in axes)
    u = (n + 4) * c.unit

    def mean(v: np.ndarray) -> np.ndarray:
        return np.asarray(np.mean(v, axis=axes, keepdims=True))

    middle = mean(x)
    d = np.abs(x - middle)
    e_d = e + mean(e) + u * mean(np.abs(x)) + c.unit * d
    square = mean(d**2)
    e_square = mean(2 * d * e_d + e_d**2) + 2 * u * mean(x**2)
    e_square = e_square + c.unit * (epsilon + dtypes.smallest_normal(errors.held(c)))
    low = square + epsilon - e_square
    r = 1 / np.sqrt(np.where(square + epsilon > 0, square + epsilon, 1.0))
    e_r = np.where(low > 0, 1 / np.sqrt(np.where(low > 0, low, 1.0)) - r, np.inf)
    spread = (d + e_d) * e_r + e_d * r
    size = (np.abs(x) + np.abs(middle)) * r
    for number, (value, error) in enumerate(parameters):
        if number == 0:
            spread, size = (d * r + spread) * error + np.abs(value) * spread, size * np.abs(value)
        else:
            spread, size = spread + error, size + np.abs(value)
    bound = spread + 8 * c.unit * (size + spread)
    squares = np.sum((np.abs(x) + e) ** 2, axis=axes, keepdims=True)
    return np.where(np.isnan(bound) | errors.overflows(c, squares), np.inf, bound)


def _parameters(c: ErrorContext, place: Callable[[np.ndarray], np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Scale and bias with their errors, in shapes that broadcast with the data."""
    return [(place(p), place(np.broadcast_to(e, p.shape))) for p, e in zip(c.x[1:], c.e[1:], strict=True)]


def _affine(y: np.ndarray, parameters: Sequence[np.ndarray]) -> np.ndarray:
    y = y * parameters[0] if parameters else y
    return np.asarray(y + parameters[1] if len(parameters) > 1 else y)


def _standard_tensorflow(c: Call, x: str, axes: Sequence[int], eps: float, scale: str, bias: str) -> str:
    if c.draws.chance(0.6):
        name = c.let(x)
        mean, var = (f"{c.let(f'tf.nn.moments({name}, {list(axes)}, keepdims=True)')}[{i}]" for i in range(2))
        return f"tf.nn.batch_normalization({name}, {mean}, {var}, {bias or None}, {scale or None}, {eps})"
    d = c.let(x)
    d = c.let(f"{d} - tf.reduce_mean({d}, axis={list(axes)}, keepdims=True)")
    text = f"{d} * tf.math.rsqrt(tf.reduce_mean(tf.square({d}), axis={list(axes)}, keepdims=True) + {eps})"
    text = f"{text} * {scale}" if scale else text
    return f"{text} + {bias}" if bias else text


def _standard_definition(b: Builder, x: str, axes: tuple[int, ...], eps: float, centred: bool = True) -> str:
    d = b.op("Sub", x, b.op("ReduceMean", x, axes=axes, keepdims=1)) if centred else x
    square = b.op("ReduceMean", b.op("Mul", d, d), axes=axes, keepdims=1)
    epsilon = b.constant(np.asarray(eps).astype(dtypes.to_numpy(b.types[x].dtype)))
    return b.op("Div", d, b.op("Sqrt", b.op("Add", square, epsilon)))


# --- LayerNormalization ----------------------------------------------------------------------------------------------


def _layer_axes(a: Attrs, rank: int) -> tuple[int, ...]:
    return tuple(range(normalize_axis(a["axis"], rank), rank))


def _layer_error(c: ErrorContext) -> np.ndarray:
    x, a = c.x[0], c.attrs
    e = np.broadcast_to(c.e[0], x.shape)
    return _affine_error(c, x, e, _layer_axes(a, x.ndim), a["epsilon"], _parameters(c, np.asarray))


def _layer_torch(c: Call) -> str:
    shape = tuple(c.types[1].shape)
    bias = c.x[2] if len(c.x) > 2 else "None"
    return f"{c.draws.choice(('F', 'torch'))}.layer_norm({c.x[0]}, {shape}, {c.x[1]}, {bias}, {c.attrs['epsilon']})"


def _layer_tensorflow(c: Call) -> str:
    bias = c.x[2] if len(c.x) > 2 else ""
    return _standard_tensorflow(c, c.x[0], _layer_axes(c.attrs, c.types[0].rank), c.attrs["epsilon"], c.x[1], bias)


@sampling.of_rank(1)
def _sample_layer(rng: random.Random, first: TensorType) -> Sample | None:
    axis = rng.choice((first.rank - 1, rng.randrange(first.rank)))
    if sampling.total(first.shape[axis:]) < _LEAST_SAMPLE:
        return None
    parameters = [first.shape[axis:]] * rng.choice((1, 2, 2))
    return sampling.operands(first, *parameters, axis=axis, epsilon=_draw_epsilon(rng))


# --- normalisation of channels and groups of channels ----------------------------------------------------------------


def _grouped(x: np.ndarray, groups: int) -> np.ndarray:
    return x.reshape(x.shape[0], groups, -1)


def _group_error(c: ErrorContext, groups: int, epsilon: float) -> np.ndarray:
    """Scale and bias broadcast with the data, so their errors are taken in the data's shape, group by group."""
    shape = c.x[0].shape
    x, e = _grouped(c.x[0], groups), _grouped(np.broadcast_to(c.e[0], shape), groups)
    wide = [
        (_grouped(np.broadcast_to(p, shape), groups), _grouped(np.broadcast_to(q, shape), groups))
        for p, q in _parameters(c, lambda p: _per_channel(p, len(shape)))
    ]
    return _affine_error(c, x, e, (2,), epsilon, wide).reshape(shape)


def _instance_norm(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    y = standardised(_grouped(x[0], x[0].shape[1]), (2,), a["epsilon"]).reshape(x[0].shape)
    return _affine(y, [_per_channel(p, x[0].ndim) for p in x[1:]])


def _instance_torch(c: Call) -> str:
    x, scale, bias = c.x
    eps = c.attrs["epsilon"]
    texts = [
        f"torch.instance_norm({x}, {scale}, {bias}, None, None, True, 0.1, {eps}, False)",
        f"torch.group_norm({x}, {c.types[0].shape[1]}, {scale}, {bias}, {eps})",
    ]
    if sampling.total(c.types[0].shape[2:]) > 1:
        texts.append(f"F.instance_norm({x}, weight={scale}, bias={bias}, eps={eps})")
    return c.draws.choice(texts)


def _instance_tensorflow(c: Call) -> str:
    rank = c.types[0].rank
    if c.draws.chance(0.5):
        x = channels_last(c.x[0], rank)
        return channels_first(_standard_tensorflow(c, x, range(1, rank - 1), c.attrs["epsilon"], *c.x[1:]), rank)
    scale, bias = (f"tf.reshape({p}, {[-1, *[1] * (rank - 2)]})" for p in c.x[1:])
    return _standard_tensorflow(c, c.x[0], range(2, rank), c.attrs["epsilon"], scale, bias)


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

    def torch(c: Call) -> str:
        groups, t = c.attrs["num_groups"], c.types[0]
        weight, bias = [*c.x[1:], "None", "None"][:2]
        alone = t.size // groups == 1  # F.group_norm raises an error for it
        place = "torch" if alone else c.draws.choice(("torch", "F"))
        return f"{place}.group_norm({c.x[0]}, {groups}, {weight}, {bias}, {c.attrs[name]})"

    def tensorflow(c: Call) -> str:
        groups, shape = c.attrs["num_groups"], list(c.types[0].shape)
        grouped = [shape[0], groups, shape[1] // groups, *shape[2:]]
        lines = [groups, grouped[2], *[1] * (len(shape) - 2)]
        scale, bias = [*(f"tf.reshape({p}, {lines})" for p in c.x[1:]), "", ""][:2]
        axes = range(2, len(grouped))
        inner = _standard_tensorflow(c, f"tf.reshape({c.x[0]}, {grouped})", axes, c.attrs[name], scale, bias)
        return f"tf.reshape({inner}, {shape})"

    def onnx(b: Builder, x: Sequence[str], a: Attrs) -> str:
        shape = b.types[x[0]].shape
        flat = b.op("Reshape", x[0], shape=(shape[0], a["num_groups"], -1), allowzero=0)
        result = b.op("Reshape", _standard_definition(b, flat, (2,), a[name]), shape=shape, allowzero=0)
        lines = (shape[1], *[1] * (len(shape) - 2))
        for op, parameter in zip(("Mul", "Add"), x[1:], strict=False):
            result = b.op(op, result, b.op("Reshape", parameter, shape=lines, allowzero=0))
        return result

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        if first.rank < 2 or 0 in first.shape or first.size < first.shape[0] * _LEAST_SAMPLE:
            return None
        elements = first.size // first.shape[0]
        groups = rng.choice([g for g in sampling.factors(first.shape[1]) if g * _LEAST_SAMPLE <= elements])
        attrs = {"num_groups": groups, name: _draw_epsilon(rng)}
        return sampling.operands(first, *[first.shape[1:2]] * rng.choice(parameters), **attrs)

    return {
        "shape": fitting(lambda s, a: _fits_groups(s, a.num_groups)),
        "error": lambda c: _group_error(c, c.attrs["num_groups"], c.attrs[name]),
        "why_not_derived": "some frameworks compute the variance as mean(x^2) - mean(x)^2, which loses more digits",
        "text": spell(torch, tensorflow),
        "definition": onnx,
        "sample": sample,
    }


# --- rms_norm --------------------------------------------------------------------------------------------------------


def _fits_rms(s: Sequence[Dims], a: Any) -> bool:
    shape = tuple(a.normalized_shape)
    return len(shape) > 0 and s[0][-len(shape) :] == shape and all(p == shape for p in s[1:])


def _rms_axes(a: Attrs, rank: int) -> tuple[int, ...]:
    return tuple(range(rank - len(a["normalized_shape"]), rank))


def _rms_torch(c: Call) -> str:
    a, eps = c.attrs, c.attrs["eps"]
    weight = c.x[1] if len(c.x) > 1 else ""
    if c.draws.chance(0.5):
        return f"F.rms_norm({c.x[0]}, {tuple(a['normalized_shape'])}, {weight or None}, {eps})"
    x = c.let(c.x[0])
    text = f"{x} * torch.rsqrt({x}.square().mean({_rms_axes(a, c.types[0].rank)}, keepdim=True) + {eps})"
    return f"{text} * {weight}" if weight else text


def _rms_tensorflow(c: Call) -> str:
    axes, x = list(_rms_axes(c.attrs, c.types[0].rank)), c.let(c.x[0])
    square = f"tf.reduce_mean(tf.square({x}), axis={axes}, keepdims=True) + {c.attrs['eps']}"
    text = c.draws.choice(("{0} * tf.math.rsqrt({1})", "{0} / tf.sqrt({1})")).format(x, square)
    return f"{text} * {c.x[1]}" if len(c.x) > 1 else text


def _rms_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    result = _standard_definition(b, x[0], _rms_axes(a, len(b.types[x[0]].shape)), a["eps"], centred=False)
    return b.op("Mul", result, x[1]) if len(x) > 1 else result


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
        numpy=_batch_norm,
        error=_batch_norm_error,
        text=spell(_batch_norm_torch, tf=_batch_norm_tensorflow),
        sample=_sample_batch_norm,
        attrs=(_EPSILON,),
        adjoint=adjoints.batch_normalization,
        distance_to_domain=domains.within(4, 0.0),
        unsettled=unspecified.root(4),
        **facts(weight=1.0, data_inputs=1, followers="PRelu Relu Add Conv Mul LeakyRelu"),
    ),
    _normalization(
        "LRN",
        1,
        shape=lambda s, a: [s[0].replace(1, s[0][1])],  # it has channels
        numpy=lambda x, a: np.asarray(x[0] / _lrn_denominator(x[0], a) ** np.asarray(a["beta"], x[0].dtype)),
        error=_lrn_error,
        text=spell(_lrn_torch, tf=_lrn_tensorflow),
        sample=sampling.alone_with(_draw_lrn),
        attrs=attributes(size="int", alpha=1e-4, beta=0.75, bias=1.0),
        weight=0.8,
        adjoint=adjoints.lrn,
    ),
    _normalization(
        "LayerNormalization",
        3,
        types={"T": ("float16", "bfloat16", "float32")},  # of float64 the first stage may be single precision
        shape=fitting(lambda s, a: all(p == s[0][normalize_axis(a.axis, len(s[0])) :] for p in s[1:])),
        numpy=lambda x, a: _affine(standardised(x[0], _layer_axes(a, x[0].ndim), a["epsilon"]), x[1:]),
        error=_layer_error,
        text=spell(_layer_torch, tf=_layer_tensorflow),
        sample=_sample_layer,
        attrs=(Attr("axis", "int", -1), _EPSILON),
        adjoint=adjoints.normalised(adjoints.layer_groups, "epsilon", channels=False),
        **facts(min_inputs=2, fresh=True, data_inputs=1, followers="MatMul Add Mul Transpose"),
    ),
    _normalization(
        "InstanceNormalization",
        3,
        types={"T": FLOATS},
        shape=fitting(lambda s, a: len(s[0]) > 2 and _fits_groups(s, 1)),
        numpy=_instance_norm,
        error=lambda c: _group_error(c, c.x[0].shape[1], c.attrs["epsilon"]),
        text=spell(_instance_torch, tf=_instance_tensorflow),
        sample=_sample_instance,
        attrs=(_EPSILON,),
        adjoint=adjoints.normalised(lambda a: (*a.x[0].shape[:2], -1), "epsilon", channels=True),
        data_inputs=1,
    ),
    _normalization(
        "GroupNormalization",
        3,
        since=21,  # before, it was another operator, which is deprecated
        types={"T": ("float16", "bfloat16", "float32")},  # of float64 the first stage may be single precision
        attrs=(Attr("num_groups", "int"), _EPSILON),
        **_group_norm("epsilon", (2,)),
        adjoint=adjoints.normalised(adjoints.grouped, "epsilon", channels=True),
        **facts(weight=0.8, data_inputs=1),
    ),
    _normalization(
        "group_norm",
        3,
        attrs=attributes(num_groups="int", eps=1e-5),
        **_group_norm("eps", (0, 1, 2, 2)),
        adjoint=adjoints.normalised(adjoints.grouped, "eps", channels=True),
        **facts(min_inputs=1, data_inputs=1),
    ),
    _normalization(
        "rms_norm",
        2,
        shape=fitting(_fits_rms),
        text=spell(_rms_torch, tf=_rms_tensorflow),
        definition=_rms_definition,
        sample=_sample_rms,
        attrs=attributes(normalized_shape="ints", eps=1e-5),
        **facts(min_inputs=1, data_inputs=1),
    ),
)
