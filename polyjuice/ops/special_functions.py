"""ATen's special functions and orthogonal polynomials, and further elementwise operators that ONNX lacks."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS, SIGNED
from polyjuice.ops import definitions, domains, errors, sampling
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.errors import lipschitz, monotone, plus_absolute, plus_backward
from polyjuice.ops.pointwise import DECIDES, binary, composed, defined, parameters, unary
from polyjuice.ops.registry import TABLE
from polyjuice.ops.shapes import fitting, normalize_axis
from polyjuice.ops.spec import (
    ANYWHERE,
    INFINITY,
    NAN,
    Attr,
    ErrorContext,
    Op,
    Sample,
    Unsupported,
    attributes,
    facts,
)
from polyjuice.ops.special import erfc, erfcx, scaled_bessel_i
from polyjuice.ops.text import spell
from polyjuice.ops.value_bounds import SHARE, WITHIN_ONE

_NO_ONNX = Unsupported("ONNX's operators say it only as an approximation")
_NO_KERNEL = Unsupported("TensorFlow has no such function")
_SINGLE_OR_DOUBLE = ("float32", "float64")
_SHORTEST_FIRST = ("bfloat16", "float16", "float32", "float64")
_ROOT_OF_HALF = math.sqrt(0.5)


def _special(
    name: str,
    function: Callable[[Any], Any],
    dtypes: tuple[str, ...] = FLOATS,
    tf: Any = _NO_KERNEL,
    **more: Any,
) -> Op:
    """The entry of a function that has one name in Torch and JAX."""
    word = name.removeprefix("special_")
    jax = f"jax.scipy.special.{word.removeprefix('modified_bessel_')}({{0}})"
    settings: dict[str, Any] = {"ulps": 16, "weight": 0.2, **more}
    return unary(
        name,
        lambda x: np.asarray(function(x)).astype(x.dtype),
        spell(f"torch.special.{word}", tf, jax),
        dtypes=dtypes,
        definition=_NO_ONNX,
        **settings,
    )


# --- Bessel functions ------------------------------------------------------------------------------------------------


def _of_magnitude(c: ErrorContext) -> np.ndarray:
    """The bound for an even function that is monotone in the magnitude."""
    x, e = np.abs(c.x[0]), c.e[0]
    return errors.corners(c, [[x + e], [np.maximum(x - e, 0)]])


def _modified(name: str, order: int, dtypes: tuple[str, ...] = FLOATS) -> Op:
    """A modified Bessel function, a product with exp(|x|), which overflows first and magnifies the rounding of x."""
    rule = plus_backward(plus_absolute(monotone, 4) if order else _of_magnitude, 2)
    return _special(
        name,
        lambda x: scaled_bessel_i(x, order) * np.exp(np.abs(x.astype(np.float64))),
        dtypes,
        f"tf.math.bessel_i{order}",
        error=lambda c: errors.unless_overflow(c, 2 * np.exp(np.abs(c.x[0]) + c.e[0]), rule(c)),
        overflows=True,
    )


# --- the normal distribution -----------------------------------------------------------------------------------------


def _log_ndtr(x: np.ndarray) -> np.ndarray:
    z = x.astype(np.float64) * _ROOT_OF_HALF
    low = np.log(erfcx(np.maximum(-z, 0)) / 2) - z * z
    return np.asarray(np.where(x < -1, low, np.log1p(-erfc(np.maximum(z, -1)) / 2)))


# --- polynomials -----------------------------------------------------------------------------------------------------


def _polynomial(name: str, first: Callable[[Term], Term], step: Callable[[Term, int, Term, Any], Term]) -> Op:
    """Polynomials by a recurrence: ``first`` has degree 1, ``step`` makes the next of k and those of k and k - 1."""

    def definition(x: Term, a: Attrs) -> Term:
        before: Any = 1.0
        last = first(x)
        for k in range(1, a["n"]):
            before, last = last, step(x, k, last, before)
        return last

    return defined(
        f"special_{name}",
        definition,
        spell(f"torch.special.{name}({{0}}, {{n}})"),
        _SINGLE_OR_DOUBLE,
        sample=sampling.choosing(n=(2, 3, 4, 5)),
        attrs=attributes(n="int"),
        requires=lambda types, a: 2 <= a["n"] <= 5,  # from 7 on ATen computes some by circular functions
        weight=0.1,
    )


# --- infinities and differences --------------------------------------------------------------------------------------


def _of_numbers(name: str, op: str) -> Op:
    """The extreme of two numbers, where NaN is none."""

    def definition(x: Term, y: Term, a: Attrs) -> Term:
        return where(x.then("IsNaN"), y, where(y.then("IsNaN"), x, x.then(op, y)))

    return defined(
        name,
        definition,
        spell("torch. .", jax="jnp."),
        operands=2,
        **facts(integer_exact=True, limits=ANYWHERE, signed_zeros=False),
    )


def _is_infinite(name: str, infinity: float) -> Op:
    return defined(
        name,
        lambda x, a: x.equals(infinity),
        spell("torch. .", jax="jnp."),
        result="bool",
        widen=False,
        **facts(limits=ANYWHERE, weight=0.2),
    )


def _is_close(x: Term, y: Term, a: Attrs) -> Term:
    gap = abs(x - y)
    near = (gap <= abs(y * a["rtol"]).then("Add", a["atol"])).then("And", gap < math.inf)
    close = x.equals(y).then("Or", near)
    return close.then("Or", x.then("IsNaN").then("And", y.then("IsNaN"))) if a["equal_nan"] else close


def _is_close_error(c: ErrorContext) -> np.ndarray:
    """The definition's bound, with the roundings of its steps, although the result is a truth value.

    The steps have the shortest type that holds both operands. Where that type holds them all, nothing is rounded.
    """
    x, y = (np.asarray(v, np.float64) for v in c.x)
    narrow = next(t for t in _SHORTEST_FIRST if all(_holds(t, v).all() for v in (x, y)))
    terms = [np.abs(x - y), np.asarray(c.attrs["rtol"]), np.asarray(c.attrs["atol"]), np.abs(y * c.attrs["rtol"])]
    exact = np.all([_holds(narrow, v) for v in np.broadcast_arrays(*terms, terms[3] + c.attrs["atol"])], axis=0)
    op = TABLE["aten", "isclose"]
    rounded = definitions.error(op, c._replace(unit=dtypes.unit_roundoff(narrow), held=narrow))
    return np.asarray(np.where(exact, definitions.error(op, c), rounded))


def _holds(dtype: str, x: np.ndarray) -> np.ndarray:
    """Where numbers are exact in a type. NaN is."""
    return np.asarray((x.astype(dtypes.to_numpy(dtype)).astype(np.float64) == x) | np.isnan(x))


def _sample_is_close(rng: random.Random, first: TensorType) -> Sample:
    tolerances = {name: rng.choice((0.0, 0.125, 1.0, 1e-5)) for name in ("rtol", "atol")}
    return sampling.operands(first, sampling.broadcastable(rng, first.shape), **tolerances, equal_nan=rng.randint(0, 1))


def _gcd_error(c: ErrorContext) -> np.ndarray:
    """Open where an operand is in doubt, or has the least number, whose magnitude its type does not hold."""
    signed = c.x[0].dtype.kind == "i"
    least = [v == np.iinfo(v.dtype).min if signed else np.zeros(v.shape, bool) for v in c.x]
    return np.where((c.e[0] + c.e[1] > 0) | least[0] | least[1], np.inf, 0.0)


# --- gates -----------------------------------------------------------------------------------------------------------


def _glu(x: Term, a: Attrs) -> Term:
    axis = normalize_axis(a["dim"], x.rank)
    half = x.shape[axis] // 2
    return x.slice(axis, 0, half) * x.slice(axis, half, 2 * half).then("Sigmoid")


def _draw_glu(rng: random.Random, first: TensorType) -> Attrs | None:
    even = [axis for axis, size in enumerate(first.shape) if size % 2 == 0]
    return {"dim": rng.choice(even)} if even and 0 not in first.shape else None


OPS = (
    # Bessel functions
    _modified("i0", 0),
    _modified("special_i1", 1),
    _modified("special_modified_bessel_i0", 0, _SINGLE_OR_DOUBLE),
    _modified("special_modified_bessel_i1", 1, _SINGLE_OR_DOUBLE),
    _special(
        "special_i0e",
        lambda x: scaled_bessel_i(x, 0),
        error=_of_magnitude,
        tf="tf.math.bessel_i0e",
        bounds=SHARE,
    ),
    _special(
        "special_i1e",
        lambda x: scaled_bessel_i(x, 1),
        error=plus_absolute(lipschitz(0.5), 4),
        tf="tf.math.bessel_i1e",
        bounds=WITHIN_ONE,
    ),
    defined(
        "special_spherical_bessel_j0",
        lambda x, a: where(x.equals(0), 1.0, x.then("Sin") / where(x.equals(0), 1.0, x)),
        spell("torch.special.spherical_bessel_j0"),
        _SINGLE_OR_DOUBLE,
        error=plus_absolute(lipschitz(0.5), 8),
        why_not_derived="its definition divides by the operand, which may be 0 within its error",
        **facts(ulps=8, weight=0.2, bounds=WITHIN_ONE),
    ),
    # entropy, logarithms and the normal distribution
    defined(
        "special_entr",
        lambda x, a: where(x <= 0, where(x.equals(0), x, -math.inf), -(x * x.then("Log"))),
        spell("torch.special.entr", jax="jax.scipy.special.entr({0})"),
        distance_to_domain=domains.within(0, 0.0),
        **facts(limits=ANYWHERE, signed_zeros=False),
    ),
    defined(
        "special_xlog1py",
        lambda x, y, a: where(x.equals(0), 0.0, x * (y + 1.0).then("Log")),
        spell("torch.special.xlog1py", "tf.math.xlog1py", "jax.scipy.special.xlog1py({0}, {1})"),
        operands=2,
        distance_to_domain=domains.within(1, -1.0),
    ),
    defined(
        "special_ndtr",
        lambda x, a: ((x * _ROOT_OF_HALF).then("Erf") + 1.0) * 0.5,
        spell("torch.special.ndtr"),
        limits=NAN,
        bounds=SHARE,
    ),
    _special("special_log_ndtr", _log_ndtr, _SINGLE_OR_DOUBLE, error=plus_backward(plus_absolute(monotone, 8), 4)),
    _special(
        "special_erfcx",
        erfcx,
        _SINGLE_OR_DOUBLE,
        error=lambda c: errors.unless_overflow(c, 2 * np.abs(c.y[0]), plus_backward(monotone, 4)(c)),
        overflows=True,
    ),
    # polynomials
    _polynomial("chebyshev_polynomial_t", lambda x: x, lambda x, k, p, q: x * 2 * p - q),
    _polynomial("chebyshev_polynomial_u", lambda x: x * 2, lambda x, k, p, q: x * 2 * p - q),
    _polynomial("hermite_polynomial_h", lambda x: x * 2, lambda x, k, p, q: x * 2 * p - q * (2.0 * k)),
    _polynomial("hermite_polynomial_he", lambda x: x, lambda x, k, p, q: x * p - q * float(k)),
    _polynomial(
        "legendre_polynomial_p", lambda x: x, lambda x, k, p, q: (x * (2 * k + 1) * p - q * float(k)) / (k + 1)
    ),
    _polynomial(
        "laguerre_polynomial_l",
        lambda x: 1.0 - x,
        lambda x, k, p, q: (((2.0 * k + 1) - x) * p - q * float(k)) / (k + 1),
    ),
    # further elementwise operators
    binary(
        "gcd",
        lambda x, y: np.gcd(x.astype(np.int64), y.astype(np.int64)).astype(x.dtype),
        spell("torch. . ._", _NO_KERNEL, "jnp."),
        _gcd_error,
        ("uint8", *SIGNED),
        definition=Unsupported("ONNX has no loop over elements"),
        **DECIDES,
        weight=0.3,
    ),
    _of_numbers("fmax", "Max"),
    _of_numbers("fmin", "Min"),
    defined(
        "float_power",
        lambda x, y, a: x.to("float64").then("Pow", y.to("float64")),
        spell("torch. ."),
        (*FLOATS, "uint8", "int8", "int32"),
        operands=2,
        result="float64",
        widen=False,
        distance_to_domain=domains.power,
    ),
    _is_infinite("isposinf", math.inf),
    _is_infinite("isneginf", -math.inf),
    defined(
        "isclose",
        _is_close,
        spell("torch.isclose({0}, {1}, rtol={rtol}, atol={atol}, equal_nan={is_equal_nan})"),
        operands=2,
        result="bool",
        widen=False,
        sample=_sample_is_close,
        attrs=attributes(rtol=1e-5, atol=1e-8, equal_nan=0),
        error=_is_close_error,
        why_not_derived="its steps are rounded, and its result is a truth value",
        requires=lambda types, a: min(a["rtol"], a["atol"]) >= 0,
    ),
    defined(
        "rad2deg",
        lambda x, a: x * (180 / math.pi),
        spell("torch. . ._", jax="jnp."),
        **facts(limits=ANYWHERE, weight=0.2),
    ),
    defined(
        "threshold",
        lambda x, a: where(x <= a["threshold"], a["value"], x),
        spell(
            (
                "F.threshold({0}, {threshold}, {value})",
                "torch.nn.Threshold({threshold}, {value})({0})",
                "torch.where({0} <= {threshold}, {value}, {0})",
            )
        ),
        FLOATS + SIGNED,
        widen=False,
        **parameters((("threshold", 0.0, (0.0, 0.5, -1.0, 2.0)), ("value", 0.0, (0.0, 0.5, -3.0, 20.0)))),
        **DECIDES,
        **facts(limits=INFINITY | NAN, signed_zeros=False),
    ),
    composed(
        "glu",
        _glu,
        spell(("F.glu({0}, {dim})", "torch.nn.GLU({dim})({0})"), jax="jax.nn.glu({0}, axis={dim})"),
        sampling.alone_with(_draw_glu),
        shape=fitting(
            lambda s, a: s[0][normalize_axis(a.dim, len(s[0]))] % 2 == 0,
            lambda s, a: [s[0].replace(a.dim, s[0][a.dim] // 2)],
        ),
        attrs=(Attr("dim", "int", -1),),
    ),
)
