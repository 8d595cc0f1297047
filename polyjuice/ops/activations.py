"""Activation functions of neural networks."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS, INTS, NUMERIC, SIGNED
from polyjuice.ops import adjoints, errors, sampling, value_bounds
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.errors import lipschitz, monotone, plus_absolute, plus_proportional
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.pointwise import DECIDES, defined, elementwise, parameters, parametric, unary
from polyjuice.ops.shapes import broadcast, fitting
from polyjuice.ops.spec import ANYWHERE, INFINITY, NAN, Call, ErrorContext, Op, Sample, SpellFn, attributes, facts
from polyjuice.ops.special import erfc
from polyjuice.ops.text import applied, by_type, filled, spell
from polyjuice.ops.value_bounds import Bounds

_SLOPES = (0.01, 0.125, 0.5, 1.0)

_SELU_ALPHA, _SELU_GAMMA = 1.67326319217681884765625, 1.05070102214813232421875
"""ONNX's default attributes, in single precision; Torch and TensorFlow have more digits."""


def _held(value: float, x: np.ndarray) -> np.ndarray:
    """An attribute rounded to the type of the operand."""
    return np.asarray(value).astype(x.dtype)


# --- meanings --------------------------------------------------------------------------------------------------------


def _sigmoid(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.logaddexp(x, 0).astype(x.dtype))


def _exponential(x: np.ndarray, alpha: float, scale: float = 1.0, slope: float = 1.0) -> np.ndarray:
    """``scale * x`` above 0, and below it ``scale * alpha * (exp(slope * x) - 1)``."""
    below = _held(alpha, x) * np.expm1(np.minimum(x, 0) * _held(slope, x))
    return np.asarray(_held(scale, x) * np.where(x < 0, below, x))


def _gelu(x: np.ndarray, a: Attrs) -> np.ndarray:
    if a["approximate"] == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return np.asarray((x * _sigmoid(2 * inner)).astype(x.dtype))
    return np.asarray((0.5 * x * erfc(-x / math.sqrt(2))).astype(x.dtype))


def _shrink(x: np.ndarray, a: Attrs) -> np.ndarray:
    bias, lambd = _held(a["bias"], x), _held(a["lambd"], x)
    return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, _held(0, x)))


# --- error rules -----------------------------------------------------------------------------------------------------


_SINGLE = 2.0**-24
"""The relative error of a parameter that a definition holds in single precision, whatever the operand's type."""


def _hard_swish_error(c: ErrorContext) -> np.ndarray:
    """The bound for Hardswish; ONNX's own definition has 1/6 in single precision."""
    x = np.abs(c.x[0])
    bound = 1.5 * c.e[0] + (8 * c.unit + np.where(x < 4, _SINGLE, 0.0)) * x
    return errors.infinite_if(errors.overflows(c, 6 * (x + c.e[0])), bound)  # six times the result, divided by 6


def _gelu_error(c: ErrorContext) -> np.ndarray:
    """The bound for Gelu; ONNX's approximation, and all of TensorFlow's, have constants in single precision."""
    x = np.abs(c.x[0])
    return np.asarray(1.14 * c.e[0] + (8 * c.unit + np.where(x < 8, _SINGLE, 0.0)) * x)


def _leaky_error(c: ErrorContext) -> np.ndarray:
    """The slope is 1, or ``alpha`` on the negative side, and the larger one bounds the error."""
    return np.asarray(max(1.0, abs(c.attrs["alpha"])) * c.e[0])


def _prelu_error(c: ErrorContext) -> np.ndarray:
    """The larger of both sides' slopes counts, and for negative values the error of the slope."""
    (x, slope), (e, es) = c.x, c.e
    low = np.minimum(x - e, 0.0)
    return np.asarray(np.maximum(1.0, np.abs(slope) + es) * e + np.abs(low) * es)


def _thresholded_error(c: ErrorContext) -> np.ndarray:
    return errors.infinite_if(errors.near(c, c.attrs["alpha"]), np.where(c.x[0] > c.attrs["alpha"], c.e[0], 0.0))


def _shrink_error(c: ErrorContext) -> np.ndarray:
    lambd, bias = c.attrs["lambd"], abs(c.attrs.get("bias", 0.0))
    unstable = errors.near(c, lambd) | errors.near(c, -lambd)
    if c.x[0].dtype.kind == "i":  # some frameworks compute in float32
        unstable = unstable | (np.abs(c.x[0].astype(np.float64)) > 2**24)
    return errors.infinite_if(unstable, c.e[0] + 2 * c.unit * bias)


# --- texts -----------------------------------------------------------------------------------------------------------


_ELU_TENSORFLOW = (
    "tf.where({0} < 0, {alpha} * tf.math.expm1({0}), {0})",
    "tf.nn.relu({0}) + {alpha} * tf.math.expm1(tf.minimum({0}, 0))",
)


def _elu_tensorflow(c: Call) -> str:
    """TensorFlow's own function has no parameter."""
    if c.attrs["alpha"] == 1.0 and c.draws.chance(0.7):
        return f"tf.nn.elu({c.x[0]})"
    return str(filled(c, _ELU_TENSORFLOW))


def _spell_selu(library: str, own: str) -> SpellFn:
    """The text for Selu; the libraries' own functions only have the default parameters."""
    expm1 = "torch.expm1" if library == "torch" else "tf.math.expm1"
    general = (f"{{gamma}} * {library}.where({{0}} < 0, {{alpha}} * {expm1}({{0}}), {{0}})",)

    def text(c: Call) -> str:
        usual = math.isclose(c.attrs["alpha"], _SELU_ALPHA, rel_tol=1e-6)
        if usual and math.isclose(c.attrs["gamma"], _SELU_GAMMA, rel_tol=1e-6) and c.types[0].dtype != "float64":
            return c.draws.choice(applied(own)).format(c.x[0])
        return str(filled(c, general))

    return text


def _gelu_torch(c: Call) -> str:
    approximate = c.attrs["approximate"]
    texts = [f"F.gelu({{0}}, approximate='{approximate}')", f"torch.nn.GELU('{approximate}')({{0}})"]
    if approximate == "none":
        texts += ["F.gelu({0})", f"0.5 * {{0}} * (1 + torch.erf({{0}} * {math.sqrt(0.5)}))"]
    else:
        texts.append(f"0.5 * {{0}} * (1 + torch.tanh({math.sqrt(2 / math.pi)} * ({{0}} + 0.044715 * {{0}} ** 3)))")
    return c.draws.choice(texts).format(c.x[0])


def _gelu_tensorflow(c: Call) -> str:
    if c.attrs["approximate"] == "tanh":
        inner = f"{math.sqrt(2 / math.pi)} * ({{0}} + 0.044715 * {{0}} * {{0}} * {{0}})"
        texts = ["tf.nn.gelu({0}, approximate=True)", f"0.5 * {{0}} * (1 + tf.tanh({inner}))"]
    else:
        texts = ["tf.nn.gelu({0})", f"0.5 * {{0}} * (1 + tf.math.erf({{0}} * {math.sqrt(0.5)}))"]
    return c.draws.choice(texts).format(c.x[0])


def _gelu_jax(c: Call) -> tuple[str, ...]:
    return (f"jax.nn.gelu({{0}}, approximate={c.attrs['approximate'] == 'tanh'})",)


def _gelu_definition(x: Term, a: Attrs) -> Term:
    if a["approximate"] == "tanh":
        inner = (x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)
        return x * 0.5 * (inner.then("Tanh") + 1.0)
    return x * 0.5 * ((x * math.sqrt(0.5)).then("Erf") + 1.0)


_SHRUNK = "lib.where({0} < -{lambd}, {0} + {bias}, lib.where({0} > {lambd}, {0} - {bias}, lib.zeros_like({0})))"


def _clipped(low: str, high: str) -> tuple[str, ...]:
    return f"tf.clip_by_value({{0}}, {low}, {high})", f"tf.minimum(tf.maximum({{0}}, {low}), {high})"


# --- PRelu -----------------------------------------------------------------------------------------------------------


def _prelu_torch(c: Call) -> str:
    x, slope = c.types
    texts = ["torch.where({0} < 0, {1} * {0}, {0})"]
    channels = (x.shape[1], *[1] * (x.rank - 2)) if x.rank >= 2 else ()
    if x.dtype not in INTS and (slope.shape == channels or slope.size == 1) and x.rank:
        texts += ["F.prelu({0}, {1}.reshape(-1))", "torch.prelu({0}, {1}.reshape(-1))"]
    return c.draws.choice(texts).format(*c.x)


def _sample_prelu(rng: random.Random, first: TensorType) -> Sample:
    shape = sampling.broadcastable(rng, first.shape)
    if first.rank >= 2 and rng.random() < 0.4:
        shape = (first.shape[1], *[1] * (first.rank - 2))
    return sampling.operands(first, shape)


_CLIPS: dict[str, Any] = {"widen": False, "integer_exact": True, "limits": INFINITY, "signed_zeros": False}
_EXPONENTIAL: dict[str, Any] = {"ulps": 8, "limits": INFINITY, "signed_zeros": False}
_LAMBD = parameters((("lambd", 0.5, (0.5, 1.0, 0.0, 2.0)),))


def _normal_shrink(a: GivenAttrs, x: Types) -> None:
    whole = float(a["bias"]).is_integer() and float(a["lambd"]).is_integer()
    demand(whole or dtypes.is_float(x[0].dtype), "integers beside a limit that is none")


OPS = (
    defined(
        "Relu",
        lambda x, a: x.then("Clip", min=0.0),
        spell(
            ("torch. F. . nn.ReLU torch._ ._", "torch.clamp({0}, min=0)", "F.relu({0}, inplace=True)"),
            tf=("tf.nn.", "tf.maximum({0}, 0)", "tf.raw_ops.Relu(features={0})"),
            jax=("jax.nn.", "jnp.maximum({0}, 0)"),
        ),
        FLOATS + SIGNED,
        followers="Pad Clip Relu Add Conv Mul Max Min MaxPool MatMul Neg Sqrt ReduceSum ArgMax Concat",
        **_CLIPS,
        **facts(weight=3, bounds=Bounds("(max l0 0.0)", "(max h0 0.0)", least="0.0")),
    ),
    defined(
        "relu6",
        lambda x, a: x.then("Clip", min=0.0, max=6.0),
        spell(
            ("F. nn.ReLU6", "torch.clamp({0}, 0, 6)", "F.relu6({0}, inplace=True)"),
            tf=("tf.nn.", *_clipped("0", "6")),
            jax=by_type(INTS, ("jnp.clip({0}, 0, 6)",), ("jax.nn.relu6({0})", "jnp.clip({0}, 0, 6)")),
        ),
        NUMERIC,
        **_CLIPS,
        **facts(weight=0.5, bounds=Bounds("0.0", "6.0")),
    ),
    defined(
        "hardtanh",
        lambda x, a: x.then("Clip", min=a["min_val"], max=a["max_val"]),
        spell(
            (
                "F.hardtanh({0}, {min_val}, {max_val})",
                "torch.clamp({0}, {min_val}, {max_val})",
                "F.hardtanh({0}, min_val={min_val}, max_val={max_val})",
                "torch.nn.Hardtanh({min_val}, {max_val})({0})",
            ),
            tf=_clipped("{min_val}", "{max_val}"),
        ),
        FLOATS + SIGNED,
        **parameters((("min_val", -1.0, (-1.0, -1.0, 0.0, -2.5)), ("max_val", 1.0, (1.0, 1.0, 2.0, 0.5)))),
        **_CLIPS,
        requires=lambda types, a: a["min_val"] < a["max_val"],
        **facts(ulps=1, weight=0.4, any_number=True),
    ),
    unary(
        "Sigmoid",
        _sigmoid,
        spell("torch. . F. nn. torch.special.expit ._", tf="tf. tf.nn. tf.math.", jax="jax.nn. lax.logistic"),
        plus_absolute(monotone, 4),
        **facts(ulps=8, limits=ANYWHERE, bounds=value_bounds.SIGMOID, followers="Mul Sub Log Add"),
    ),
    defined(
        "log_sigmoid",
        lambda x, a: -(-x).then("Softplus"),
        spell(
            ("F.logsigmoid nn.LogSigmoid", "-F.softplus(-{0}, threshold=80.0)"),
            tf=("tf.math.", "-tf.math.softplus(-{0})"),
            jax="jax.nn.",
        ),
        **facts(weight=0.4, limits=NAN, signed_zeros=False),
    ),
    defined(
        "silu",
        lambda x, a: x * x.then("Sigmoid"),
        spell(
            ("F. nn.SiLU", "{0} * torch.sigmoid({0})", "{0} / (1 + torch.exp(-{0}))", "F.silu({0}, inplace=True)"),
            tf=("tf.nn. tf.nn.swish", "{0} * tf.sigmoid({0})"),
            jax=("jax.nn.", "{0} * jax.nn.sigmoid({0})"),
        ),
        widen=False,
        **facts(weight=0.6, limits=ANYWHERE),
    ),
    unary(
        "Mish",
        lambda x: x * np.tanh(_softplus(x)),
        spell(
            ("F. nn.", "{0} * torch.tanh(F.softplus({0}, threshold=80.0))"),
            tf="{0} * tf.tanh(tf.math.softplus({0}))",
            jax=("jax.nn.", "{0} * jnp.tanh(jax.nn.softplus({0}))"),
        ),
        plus_proportional(lipschitz(1.1), 12),
        **facts(ulps=4, weight=0.4, limits=NAN),
    ),
    elementwise(
        "Gelu",
        lambda x, a: _gelu(x[0], a),
        spell(_gelu_torch, _gelu_tensorflow, _gelu_jax),
        _gelu_error,
        definition=onnx_term(_gelu_definition),
        why_not_derived=errors.SUM_WITH_ONE,
        sample=sampling.alone_with(lambda rng, first: {"approximate": rng.choice(("none", "tanh"))}),
        attrs=attributes(approximate="none"),
        **facts(since=20, ulps=4, weight=0.6, limits=NAN, followers="MatMul Mul"),
    ),
    unary(
        "HardSwish",
        lambda x: x * np.clip(x / 6 + _held(0.5, x), _held(0, x), _held(1, x)),
        spell(
            (
                "F.hardswish nn.Hardswish",
                *("F.hardswish({0}, inplace=True)", "{0} * F.relu6({0} + 3) / 6", "{0} * F.hardsigmoid({0})"),
            ),
            tf=("{0} * tf.nn.relu6({0} + 3) / 6", "{0} * tf.clip_by_value({0} / 6 + 0.5, 0, 1)"),
            jax=("{0} * jnp.clip({0} / 6 + 0.5, 0, 1)", "jax.nn.hard_swish({0})"),
        ),
        _hard_swish_error,
        **facts(ulps=4, weight=0.5, limits=NAN, signed_zeros=False),
    ),
    defined(
        "HardSigmoid",
        lambda x, a: (x * a["alpha"] + a["beta"]).then("Clip", min=0.0, max=1.0),
        spell(
            ("torch.clamp({alpha} * {0} + {beta}, 0, 1)", "torch.clamp({0} * {alpha} + {beta}, min=0, max=1)"),
            tf=(t.replace("{0}", "{alpha} * {0} + {beta}") for t in _clipped("0", "1")),
            jax="jnp.clip({alpha} * {0} + {beta}, 0, 1)",
        ),
        **parameters((("alpha", 0.2, (0.2, 0.2, 1 / 6, 0.5)), ("beta", 0.5, (0.5, 0.5, 0.25, 0.0)))),
        **facts(ulps=4, weight=0.4, limits=INFINITY, signed_zeros=False, bounds=value_bounds.SHARE),
    ),
    unary(
        "Softplus",
        _softplus,
        spell(
            (
                "F.softplus({0}, threshold=80.0)",
                "torch.nn.Softplus(threshold=80.0)({0})",
                "torch.logaddexp({0}, torch.zeros_like({0}))",
            ),
            tf="tf.math. tf.nn.",
            jax=("jax.nn.", "jnp.logaddexp({0}, 0)"),
        ),
        plus_absolute(monotone, 4),
        **facts(ulps=8, weight=0.5, limits=NAN, signed_zeros=False, bounds=value_bounds.SOFTPLUS),
    ),
    unary(
        "Softsign",
        lambda x: x / (1 + np.abs(x)),
        spell(
            ("F. nn.", "{0} / (1 + torch.abs({0}))"),
            tf=("tf.nn. tf.math.", "{0} / (1 + tf.abs({0}))"),
            jax=("jax.nn.soft_sign({0})", "{0} / (1 + jnp.abs({0}))"),
        ),
        monotone,
        **facts(ulps=6, weight=0.4, limits=NAN, bounds=value_bounds.WITHIN_ONE),
    ),
    parametric(
        "LeakyRelu",
        lambda x, a: np.where(x < 0, _held(a["alpha"], x) * x, x),
        (("alpha", 0.01, _SLOPES),),
        spell(
            (
                "F.leaky_relu({0}, {alpha})",
                "F.leaky_relu({0}, negative_slope={alpha})",
                "torch.nn.LeakyReLU({alpha})({0})",
                "torch.where({0} < 0, {alpha} * {0}, {0})",
            ),
            tf=("tf.nn.leaky_relu({0}, alpha={alpha})", "tf.where({0} < 0, {alpha} * {0}, {0})"),
            jax=("jnp.where({0} < 0, {alpha} * {0}, {0})", "jax.nn.leaky_relu({0}, {alpha})"),
        ),
        _leaky_error,
        **facts(ulps=8, limits=ANYWHERE, signed_zeros=False, followers="Conv LeakyRelu Mul"),
    ),
    Op(
        name="PRelu",
        inputs=("T", "T"),
        types={"T": (*FLOATS, "int32", "int64")},
        shape=fitting(lambda s, a: broadcast(s[0], s[1]) == s[0]),  # the slope broadcasts, not the other way
        numpy=lambda x, a: np.where(x[0] < 0, x[1] * x[0], x[0]),
        error=_prelu_error,
        text=spell(
            _prelu_torch,
            tf=("tf.where({0} < 0, {1} * {0}, {0})", "tf.nn.relu({0}) + {1} * tf.minimum({0}, 0)"),
            jax="jnp.where({0} < 0, {1} * {0}, {0})",
        ),
        sample=_sample_prelu,
        adjoint=adjoints.prelu,
        **facts(ulps=2, weight=0.5, modular=True, data_inputs=1, followers="Conv Add"),
    ),
    parametric(
        "Elu",
        lambda x, a: _exponential(x, a["alpha"]),
        (("alpha", 1.0, (*_SLOPES, 1.0)),),
        spell(
            ("F.elu({0}, {alpha})", "torch.nn.ELU({alpha})({0})", "F.elu({0}, alpha={alpha})"),
            tf=_elu_tensorflow,
            jax=("jax.nn.elu({0}, {alpha})", "jnp.where({0} > 0, {0}, {alpha} * jnp.expm1({0}))"),
        ),
        plus_absolute(_leaky_error, 4),
        **_EXPONENTIAL,
    ),
    parametric(
        "Celu",
        lambda x, a: _exponential(x, a["alpha"], slope=1 / a["alpha"]),
        (("alpha", 1.0, (1.0, 0.5, 2.0, 0.125)),),
        spell(
            ("F.celu({0}, {alpha})", "torch.nn.CELU(alpha={alpha})({0})", "torch.celu({0}, alpha={alpha})"),
            tf="tf.where({0} < 0, {alpha} * tf.math.expm1({0} / {alpha}), {0})",
            jax="jax.nn.celu({0}, {alpha})",
        ),
        plus_absolute(lipschitz(), 8),
        ("float32",),
        **_EXPONENTIAL,
        weight=0.4,
    ),
    parametric(
        "Selu",
        lambda x, a: _exponential(x, a["alpha"], a["gamma"]),
        (("alpha", _SELU_ALPHA, (_SELU_ALPHA,)), ("gamma", _SELU_GAMMA, (_SELU_GAMMA,))),
        spell(
            _spell_selu("torch", "F.selu torch.selu"),
            tf=_spell_selu("tf", "tf.nn.selu"),
            jax="{gamma} * jnp.where({0} > 0, {0}, {alpha} * jnp.expm1({0}))",
        ),
        plus_absolute(lambda c: np.asarray(abs(c.attrs["gamma"]) * _leaky_error(c)), 8),
        **_EXPONENTIAL,
        weight=0.4,
    ),
    parametric(
        "ThresholdedRelu",
        lambda x, a: np.where(x > _held(a["alpha"], x), x, _held(0, x)),
        (("alpha", 1.0, (1.0, 0.5, 0.0, -1.0, 2.0)),),
        spell(
            ("F.threshold({0}, {alpha}, 0.0)", "torch.where({0} > {alpha}, {0}, 0.0)"),
            tf=("tf.where({0} > {alpha}, {0}, tf.zeros_like({0}))", "{0} * tf.cast({0} > {alpha}, {0}.dtype)"),
            jax="jnp.where({0} > {alpha}, {0}, 0)",
        ),
        _thresholded_error,
        **DECIDES,
        **facts(weight=0.3, signed_zeros=False),
    ),
    parametric(
        "Shrink",
        _shrink,
        (("bias", 0.0, (0.0, 0.5, 1.0)), ("lambd", 0.5, (0.5, 1.0, 0.0, 2.0))),
        spell(
            "torch.where({0} < -{lambd}, {0} + {bias}, torch.where({0} > {lambd}, {0} - {bias}, 0))",
            *(_SHRUNK.replace("lib", library) for library in ("tf", "jnp")),
        ),
        _shrink_error,
        tuple(t for t in FLOATS + SIGNED if t != "bfloat16"),
        **DECIDES,
        normal=_normal_shrink,
        **facts(ulps=1, weight=0.3),
    ),
    defined(
        "softshrink",
        lambda x, a: x - x.then("Clip", min=-a["lambd"], max=a["lambd"]),
        spell(("F.softshrink({0}, {lambd})", "torch.nn.Softshrink({lambd})({0})", "F.softshrink({0}, lambd={lambd})")),
        **_LAMBD,
        requires=lambda types, a: a["lambd"] >= 0,
        **facts(integer_exact=True, ulps=1, limits=INFINITY, signed_zeros=False),
    ),
    defined(
        "hardshrink",
        lambda x, a: where(abs(x) > a["lambd"], x, 0.0),
        spell(
            (
                "F.hardshrink({0}, {lambd})",
                "torch.nn.Hardshrink({lambd})({0})",
                "torch.hardshrink({0}, {lambd})",
                "{0}.hardshrink({lambd})",
            )
        ),
        **_LAMBD,
        **DECIDES,
        limits=INFINITY,
    ),
    defined(
        "tanhshrink",
        lambda x, a: x - x.then("Tanh"),
        spell(("F. nn.Tanhshrink", "{0} - torch.tanh({0})")),
        limits=INFINITY | NAN,
    ),
)
