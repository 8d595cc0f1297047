"""Exponentials, logarithms, roots, trigonometric and special functions: elementwise and continuous where defined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import domains, errors, unspecified, value_bounds
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.errors import lipschitz, monotone, plus_absolute, plus_backward
from polyjuice.ops.pointwise import binary, defined, parameters, unary
from polyjuice.ops.spec import ANYWHERE, INFINITY, NAN, POLE, ErrorContext, Op, Unsupported, facts
from polyjuice.ops.special import digamma, erf, erfc, erfinv, lgamma
from polyjuice.ops.text import HALF_TO_SINGLE, cast_around, spell
from polyjuice.ops.value_bounds import WITHIN_ONE, Bounds

_NO_ONNX = Unsupported("ONNX's operators say it only as an approximation")


def _function(name: str, function: Any, error: Any, **more: Any) -> Op:
    """The entry of a function that has one name in ONNX, Torch and TensorFlow."""
    text = spell("torch. . ._", "tf.math." if name == "Log" else "tf.math. tf.", "jnp. lax.")
    return unary(name, function, text, error, **{"ulps": 8, "limits": ANYWHERE, **more})


def _aten(
    name: str,
    function: Any,
    tensorflow: Any,
    error: Any,
    onnx: Any,
    special: str = "",
    jax: str = "jnp. lax.",
    **more: Any,
) -> Op:
    """The entry of a function that ONNX lacks; ``special`` is its name in ``torch.special``."""
    text = spell(f"torch. . ._ torch.special.{special}", tensorflow, jax)
    return unary(name, function, text, error, definition=onnx, **{"ulps": 8, **more})


def _logarithm(name: str, base: int, tensorflow: str) -> Op:
    return defined(
        name,
        lambda x, a: x.then("Log") / math.log(base),
        spell("torch. . ._", tf=(f"tf.math.log({{0}}) / {math.log(base)}", tensorflow), jax="jnp."),
        limits=ANYWHERE,
        distance_to_domain=_POSITIVE,
    )


_POSITIVE = domains.within(0, 0.0)
_UNIT_INTERVAL = domains.within(0, -1.0, 1.0)


# --- error rules -----------------------------------------------------------------------------------------------------


def _tan_error(c: ErrorContext) -> np.ndarray:
    """Monotone between two poles; a quotient of two functions computed to an absolute error."""
    x, e = c.x[0], c.e[0]
    crosses = np.floor((x - e) / math.pi + 0.5) != np.floor((x + e) / math.pi + 0.5)
    return errors.infinite_if(crosses, monotone(c) + 16 * c.unit * (1 + c.y[0] ** 2))


def _growing(rule: Any) -> Any:
    """A rule for sums of exponentials, which overflow a little before the result does."""
    return lambda c: errors.unless_overflow(c, 2 * np.abs(c.y[0]), rule(c))


def _even_growing(c: ErrorContext) -> np.ndarray:
    """The bound for an even function that grows with the magnitude."""
    x, e = np.abs(c.x[0]), c.e[0]
    return errors.corners(c, [[x + e], [np.maximum(x - e, 0)]])


def _crosses_pole(c: ErrorContext) -> np.ndarray:
    """Whether the operand's interval contains a pole of the gamma function: zero or a negative integer."""
    low, high = c.x[0] - c.e[0], c.x[0] + c.e[0]
    return np.asarray((low <= 0) & ((np.floor(low) != np.floor(high)) | (np.floor(low) == low)))


def _lgamma_error(c: ErrorContext) -> np.ndarray:
    """Convex between two poles: the ends of the interval bound it above, the tangent below."""
    x, e = c.x[0], c.e[0]
    reach = e + 4 * c.unit * np.abs(x) * (x < 0)
    wide = c._replace(e=[reach])
    tangent = np.where(reach > 0, np.abs(digamma(x)) * reach, 0.0)
    size = np.abs(x) * np.log1p(np.abs(x))
    bound = np.maximum(monotone(wide), tangent) + 24 * c.unit * (1 + np.where(x < 0, size, 0.0))
    return errors.infinite_if(_crosses_pole(wide), bound)


def _digamma_error(c: ErrorContext) -> np.ndarray:
    """Increasing between two poles; the cotangent in its reflection magnifies a rounding of the operand."""
    x = c.x[0]
    wide = c._replace(e=[c.e[0] + 8 * c.unit * np.abs(x) * (x < 0)])
    return errors.infinite_if(_crosses_pole(wide), monotone(wide) + 16 * c.unit * (1 + np.log1p(np.abs(x))))


def _angle_error(c: ErrorContext) -> np.ndarray:
    """The angle that covers the error's disc; unbounded on the cut, where the angle jumps by a full turn."""
    (y, x), (ey, ex) = c.x, c.e
    radius, reach = np.hypot(x, y), np.hypot(ex, ey)
    seen = reach < radius
    angle = np.arcsin(np.where(seen, reach / np.where(seen, radius, 1.0), 0.0))
    cut = (x - ex <= 0) & (np.abs(y) <= ey)
    return np.where(cut | ~seen, np.inf, angle)


def _logit_error(c: ErrorContext) -> np.ndarray:
    """The rounding of 1 - x counts more as x, or its limit, approaches 1."""
    eps = c.attrs["eps"] or 0.0
    z = np.clip(c.x[0], eps, 1 - eps)
    rounding = 4 * c.unit * (1 + 1 / np.where(z < 1, 1 - z, 1.0))
    return np.where((rounding < 0.1) | (c.unit == 0), monotone(c) + rounding, np.inf)


_ON_UNIT_INTERVAL = plus_backward(plus_absolute(monotone, 8), 4, -1, 1)


# --- definitions -----------------------------------------------------------------------------------------------------


def _hypot_error(c: ErrorContext) -> np.ndarray:
    """Unknown where both legs may be flushed to zero: the quotient of the smaller by the larger has no value there."""
    (x, y), (ex, ey) = c.x, c.e
    least = dtypes.smallest_normal(errors.held(c))
    tiny = (np.abs(x) + ex < 2 * least) & (np.abs(y) + ey < 2 * least)
    return errors.infinite_if(tiny & ((x != 0) | (y != 0) | (ex + ey > 0)), errors.added(c))


def _hypot_definition(x: Term, y: Term, a: Attrs) -> Term:
    large = abs(x).then("Max", abs(y))
    ratio = abs(x).then("Min", abs(y)) / where(large.equals(0), 1.0, large)
    return large * (ratio * ratio + 1.0).then("Sqrt")


def _sum_of_powers(name: str, scale: float, weight: float) -> Op:
    """The entry of log(b**x + b**y) about the larger exponent; ``scale`` is log(b)."""

    def definition(x: Term, y: Term, a: Attrs) -> Term:
        gap = abs(x - y) * -scale
        return x.then("Max", y) + (gap.then("Exp") + 1.0).then("Log") / scale

    return defined(name, definition, spell("torch. .", jax="jnp."), operands=2, weight=weight, signed_zeros=False)


def _atan2_definition(y: Term, x: Term, a: Attrs) -> Term:
    """The arctangent of the quotient, moved into its quadrant."""
    angle = (y / where(x.equals(0), 1.0, x)).then("Atan")
    left = angle + where(y < 0, y.number(-math.pi), y.number(math.pi))
    upright = y.then("Sign") * (math.pi / 2)
    return where(x > 0, angle, where(x < 0, left, upright))


def _sinc_definition(x: Term, a: Attrs) -> Term:
    zero, angle = x.equals(0), x * math.pi
    return where(zero, 1.0, angle.then("Sin") / where(zero, 1.0, angle))


def _logit_definition(x: Term, a: Attrs) -> Term:
    if a["eps"] is not None:
        x = x.then("Clip", min=a["eps"], max=1 - a["eps"])
    return (x / (1.0 - x)).then("Log")


OPS = (
    # exponentials, logarithms, roots
    _function(
        "Exp", np.exp, monotone, overflows=True, followers="Log ReduceSum Div Add Mul Neg Exp", bounds=value_bounds.EXP
    ),
    _function(
        "Log",
        np.log,
        plus_absolute(monotone, 2),
        distance_to_domain=_POSITIVE,
        **facts(weight=0.5, followers="Exp Neg Add Mul ReduceSum Sub"),
    ),
    unary(
        "Sqrt",
        np.sqrt,
        spell(("torch. . ._", "{0} ** 0.5"), tf="tf. tf.math.", jax="jnp. lax."),
        monotone,
        distance_to_domain=_POSITIVE,
        followers="Div Reciprocal Mul Add",
        unsettled=unspecified.root(0),
        **facts(ulps=2, limits=NAN | POLE, bounds=Bounds("0.0", "(max h0 1.0)", when="(>= l0 0.0)", least="0.0")),
    ),
    _aten(
        "expm1",
        np.expm1,
        "tf.math.expm1",
        plus_absolute(monotone, 4),
        onnx_term(lambda x, a: x.then("Exp") - 1.0),
        why_not_derived=errors.SUM_WITH_ONE,
        **facts(limits=ANYWHERE, overflows=True),
    ),
    defined(
        "exp2",
        lambda x, a: x.number(2.0).then("Pow", x),
        spell(
            ("torch. . ._ torch.special.", "2.0 ** {0}", "torch.pow(2.0, {0})"),
            tf=("tf.pow(tf.constant(2.0, {0}.dtype), {0})", f"tf.exp({{0}} * {math.log(2)})", "2.0 ** {0}"),
            jax="jnp. lax.",
        ),
        numpy=lambda x, a: np.exp2(x[0]),
        error=lambda c: monotone(c) + 4 * c.unit * np.abs(c.x[0] * c.y[0]),  # exp of a rounded operand
        why_not_derived="the bound of a power, its definition, takes nine times as long",
        **facts(ulps=8, limits=ANYWHERE, overflows=True),
    ),
    defined(
        "ldexp",
        lambda x, y, a: x * x.number(2.0).then("Pow", y),
        spell("torch. ."),
        operands=2,
        **facts(ulps=1, weight=0.2),
    ),
    _aten(
        "log1p",
        np.log1p,
        "tf.math.log1p",
        plus_absolute(monotone, 4),
        onnx_term(lambda x, a: (x + 1.0).then("Log")),
        why_not_derived=errors.SUM_WITH_ONE,
        limits=ANYWHERE,
        distance_to_domain=domains.within(0, -1.0),
    ),
    _logarithm("log2", 2, "tf.math.log({0}) / tf.math.log(tf.constant(2.0, {0}.dtype))"),
    _logarithm("log10", 10, f"tf.math.log({{0}}) * {1 / math.log(10)}"),
    defined(
        "rsqrt",
        lambda x, a: x.then("Sqrt").then("Reciprocal"),
        spell(
            ("torch. . ._", "1 / torch.sqrt({0})", "{0} ** -0.5"),
            tf=("tf.math.", "1 / tf.sqrt({0})", "{0} ** -0.5"),
            jax="lax.",
        ),
        distance_to_domain=_POSITIVE,
        unsettled=unspecified.root(0),
        **facts(weight=0.6, limits=NAN | POLE),
    ),
    binary(
        "hypot",
        np.hypot,
        spell("torch. . ._", jax="jnp."),
        _hypot_error,
        FLOATS,
        definition=onnx_term(_hypot_definition),
        why_not_derived="its definition divides by the greater leg, which may be infinite, or 0 within its error",
        ulps=8,
    ),
    _sum_of_powers("logaddexp", 1.0, 0.3),
    _sum_of_powers("logaddexp2", math.log(2), 0.2),
    defined(
        "xlogy",
        lambda x, y, a: where(x.equals(0), 0.0, x * y.then("Log")),
        spell("torch. . torch.special. ._", tf="tf.math.", jax="jax.scipy.special."),
        operands=2,
        limits=INFINITY | POLE,
        distance_to_domain=domains.within(1, 0.0),
    ),
    defined(
        "logit",
        _logit_definition,
        spell(("torch.logit({0}, eps={eps})", "{0}.logit({eps})", "torch.special.logit({0}, {eps})")),
        error=_logit_error,
        why_not_derived="its definition has the operand twice, and counts its error twice",
        **parameters((("eps", None, (0.0, 0.125, 0.25, 0.015625)),)),
        ulps=8,
        distance_to_domain=domains.logit,
    ),
    # circular and hyperbolic functions
    _function("Sin", np.sin, plus_absolute(lipschitz(), 8), ulps=0.0, limits=NAN | POLE, bounds=WITHIN_ONE),
    _function("Cos", np.cos, plus_absolute(lipschitz(), 8), ulps=0.0, limits=NAN | POLE, bounds=WITHIN_ONE),
    _function("Tan", np.tan, _tan_error, ulps=0.0, weight=0.3, limits=NAN | POLE),
    _function("Asin", np.arcsin, _ON_UNIT_INTERVAL, ulps=4, weight=0.3, distance_to_domain=_UNIT_INTERVAL),
    _function("Acos", np.arccos, _ON_UNIT_INTERVAL, ulps=4, weight=0.3, distance_to_domain=_UNIT_INTERVAL),
    _function("Atan", np.arctan, plus_absolute(monotone, 4), ulps=4, weight=0.5, bounds=Bounds("-1.6", "1.6")),
    _function("Sinh", np.sinh, _growing(plus_backward(plus_absolute(monotone, 8), 4)), weight=0.3, overflows=True),
    _function(
        "Cosh",
        np.cosh,
        _growing(plus_backward(_even_growing, 4)),
        **facts(weight=0.3, overflows=True, bounds=value_bounds.at_least("1.0")),
    ),
    _function("Tanh", np.tanh, plus_absolute(monotone, 8), followers="Mul Add Neg", bounds=WITHIN_ONE),
    _function("Asinh", np.arcsinh, plus_absolute(monotone, 8), weight=0.3, limits=NAN),
    _function(
        "Acosh",
        np.arccosh,
        plus_backward(plus_absolute(monotone, 8), 4, 1),
        distance_to_domain=domains.within(0, 1.0),
        **facts(weight=0.2, limits=NAN | POLE),
    ),
    _function("Atanh", np.arctanh, _ON_UNIT_INTERVAL, weight=0.2, distance_to_domain=_UNIT_INTERVAL),
    binary(
        "atan2",
        np.arctan2,
        spell("torch. torch.arctan2 . ._", tf="tf.math. tf.", jax="jnp.arctan2"),
        plus_absolute(_angle_error, 4),
        FLOATS,
        definition=onnx_term(_atan2_definition),
        why_not_derived="its definition loses NaN and the signs of zeros",
        ulps=8,
    ),
    defined(
        "deg2rad",
        lambda x, a: x * (math.pi / 180),
        spell("torch. . ._", tf=(f"{{0}} * {math.pi / 180}", f"tf.multiply({{0}}, {math.pi / 180})")),
        limits=ANYWHERE,
    ),
    defined(
        "sinc",
        _sinc_definition,
        spell("torch. . ._ torch.special."),
        error=plus_absolute(lipschitz(1.4), 8),
        why_not_derived="its definition divides by the operand, which may be 0 within its error",
        **facts(ulps=8, weight=0.2, limits=NAN),
    ),
    # special functions
    unary(
        "Erf",
        erf,
        spell("torch. . torch.special. ._", tf="tf.math.", jax="lax. jax.scipy.special."),
        plus_absolute(monotone, 8),
        **facts(ulps=8, weight=0.5, limits=NAN, bounds=WITHIN_ONE, followers="Add Mul"),
    ),
    _aten(
        "erfc",
        erfc,
        ("tf.math.erfc({0})", "1 - tf.math.erf({0})"),
        plus_absolute(monotone, 8),
        onnx_term(lambda x, a: 1.0 - x.then("Erf")),
        why_not_derived=errors.SUM_WITH_ONE,
        limits=NAN,
        jax="lax.erfc",
    ),
    _aten(
        "erfinv",
        erfinv,
        cast_around(HALF_TO_SINGLE, "tf.math.erfinv({0})"),
        plus_backward(plus_absolute(monotone, 4), 4, -1, 1),
        _NO_ONNX,
        distance_to_domain=_UNIT_INTERVAL,
        **facts(weight=0.2, limits=NAN | POLE),
        jax="lax.erf_inv",
    ),
    _aten(
        "lgamma",
        lgamma,
        cast_around({"bfloat16": "float32"}, "tf.math.lgamma({0})"),
        _lgamma_error,
        _NO_ONNX,
        "gammaln",
        distance_to_domain=domains.no_pole,
        **facts(weight=0.2, limits=NAN | POLE),
        jax="lax.lgamma",
    ),
    _aten(
        "digamma",
        digamma,
        cast_around({"bfloat16": "float32"}, "tf.math.digamma({0})"),
        _digamma_error,
        _NO_ONNX,
        "psi",
        distance_to_domain=domains.no_pole,
        **facts(weight=0.2, limits=NAN),
        jax="lax.digamma",
    ),
)
