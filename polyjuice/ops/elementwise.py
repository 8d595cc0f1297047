"""Elementwise arithmetic and rounding.

The meanings follow the ONNX operator specification at opset 18, or ATen's. Integer division truncates in ONNX.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import COMPLEX, FLOATS, INTS, NUMERIC, SIGNED, STORED, UNSIGNED
from polyjuice.ops import domains, errors, sampling, spec, unspecified, value_bounds
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.pointwise import DECIDES, binary, defined, suitable, unary, variadic
from polyjuice.ops.spec import ANYWHERE, INFINITY, NAN, POLE, STRICT, Call, Op, Operand, Sample, attributes, facts
from polyjuice.ops.text import HALF_TO_SINGLE, TextFn, applied, by_type, cast_around, folded, spell
from polyjuice.ops.value_bounds import Bounds


def _arithmetic(
    name: str, function: Any, symbol: str, word: str, error: spec.ErrorFn, *tensorflow: str, **more: Any
) -> Op:
    """The entry of a sum, a difference or a product; ``word`` is TensorFlow's name for it."""
    names = f"{symbol} torch. . ._", (f"{symbol} tf.{word} tf.math.{word}", *tensorflow), f"{symbol} jnp.{word}"
    return binary(name, function, spell(*names), error, **more, **facts(limits=ANYWHERE, modular=True, numbers=(0, 1)))


# --- sums and extremes of any number of operands ---------------------------------------------------------------------


def _fold(function: Any) -> Any:
    def apply(x: Sequence[np.ndarray]) -> np.ndarray:
        out = x[0]
        for other in x[1:]:
            out = function(out, other)
        return out

    return apply


def _sum_error(c: spec.ErrorContext) -> np.ndarray:
    magnitude = np.asarray(_fold(np.add)([np.abs(x) for x in c.x]))
    return errors.unless_overflow(c, magnitude, errors.summed(len(c.x), c, errors.added(c), magnitude))


def _stacked(torch: str) -> TextFn:
    """A reduction over the operands as slices of one tensor."""
    return lambda c: f"torch.stack(torch.broadcast_tensors({', '.join(c.x)})).{torch}"


def _either(*texts: TextFn) -> TextFn:
    return lambda c: c.draws.choice(texts)(c)


_ADDED = folded("({0} + {1})")


def _add_n(c: Call) -> str:
    """TensorFlow's sum of many operands, which does not broadcast."""
    if len(set(c.types)) == 1:
        return f"tf.add_n([{', '.join(c.x)}])"
    return _ADDED(c)


def _divided(text: TextFn) -> TextFn:
    return lambda c: f"{text(c)} / {len(c.x)}"


def _extremum(name: str, word: str, function: Any, symbol: str, followers: str) -> Op:
    short = word[:3]
    return variadic(
        name,
        _fold(function),
        spell(
            _either(folded(*applied(f"torch.{word} torch.{short} .{word}", operands=2)), _stacked(f"a{short}(0)")),
            tf=folded(
                *applied(f"tf.{word} tf.math.{word}", f"tf.where({{0}} {symbol} {{1}}, {{0}}, {{1}})", operands=2)
            ),
            jax=folded(f"jnp.{word}({{0}}, {{1}})"),
        ),
        errors.isotone,
        NUMERIC,
        followers=followers,
        **facts(integer_exact=True, limits=INFINITY, bounds=Bounds(f"({short} l0 l1)", f"({short} h0 h1)")),
    )


# --- division --------------------------------------------------------------------------------------------------------


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not np.issubdtype(a.dtype, np.integer):
        return np.asarray(a / b)
    if np.any(b == 0):
        raise ZeroDivisionError("integer division by zero")
    return np.asarray((a - np.fmod(a, b)) // b)


_divide_torch = by_type(
    INTS,
    ("torch.div({0}, {1}, rounding_mode='trunc')", "torch.divide({0}, {1}, rounding_mode='trunc')"),
    applied("/ torch.div torch.true_divide .div", operands=2),
)

_divide_tensorflow = by_type(INTS, ("tf.truncatediv({0}, {1})",), ("{0} / {1}", "tf.divide({0}, {1})"))

_divide_jax = by_type(INTS, ("({0} - jnp.fmod({0}, {1})) // {1}",), applied("/ jnp.true_divide jnp.divide", operands=2))


def _sample_divide(rng: random.Random, first: TensorType) -> Sample:
    divisor = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    return Sample((Operand(divisor, (1, 7)) if first.dtype in INTS else Operand(divisor),))


def _reciprocal_error(c: spec.ErrorContext) -> np.ndarray:
    one, exact = np.ones_like(c.x[0]), np.zeros_like(c.e[0])
    return errors.quotient(c._replace(x=[one, c.x[0]], e=[exact, c.e[0]]))


# --- powers ----------------------------------------------------------------------------------------------------------


def _sample_power(rng: random.Random, first: TensorType) -> Sample:
    """A negative exponent of an integer is undefined."""
    exponent = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    return Sample((Operand(exponent, (0, 4) if first.dtype in INTS else None),))


def _power_error(c: spec.ErrorContext) -> np.ndarray:
    """For a known integer as exponent, powers of magnitudes; else the corners of the intervals, for positive bases.

    Integers whose power no double or no number of their type holds are open, because some frameworks compute in double
    precision.
    """
    (x, y), (ex, ey) = c.x, c.e
    base, size = np.abs(x), np.abs(c.y[0])
    if c.y[0].dtype.kind == "i":
        held = min(2.0**53, np.iinfo(c.y[0].dtype).max)
        return errors.infinite_if((ex + ey > 0) | ~(np.power(base.astype(np.float64), y) <= held), errors.none(c))
    bound = errors.corners(c, [[x + dx, y + dy] for dx in (-ex, ex) for dy in (-ey, ey)])
    bound = errors.infinite_if(((ex > 0) | (ey > 0)) & (x - ex <= 0), bound)
    whole = (ey == 0) & (y == np.rint(y)) & np.isfinite(ex) & ((y >= 0) | (base > ex))
    high, low = np.power(base + ex, y), np.power(np.maximum(base - ex, 0), y)
    apart = np.maximum(np.abs(high - size), np.abs(size - low))
    turned = np.where(base < ex, np.power(np.maximum(ex - base, 0), y), 0.0)  # the base crosses 0
    bound = np.where(whole, np.where(y == 0, 0.0, apart + np.where(y % 2 == 1, turned, 0.0)), bound)
    exponent = np.abs(y * np.log(np.where(x == 0, 1.0, base)))
    return np.asarray(bound + 4 * exponent * c.unit * size)


# --- fractions, rounding and signs -----------------------------------------------------------------------------------


def _fraction_error(c: spec.ErrorContext) -> np.ndarray:
    """The bound for x - trunc(x), infinite where the error may reach an integer."""
    x, e = c.x[0], c.e[0]
    return np.where((e > 0) & (np.trunc(x - e) != np.trunc(x + e)), np.inf, e)


def _trunc(x: Term) -> Term:
    return where(x < 0, x.then("Ceil"), x.then("Floor"))


_TRUNC_TENSORFLOW = "tf.where({0} < 0, tf.math.ceil({0}), tf.floor({0}))"


_ROUND_JAX = ("jnp.round({0})", "lax.round({0}, lax.RoundingMethod.TO_NEAREST_EVEN)", "jnp.rint({0})")


def _rounding(name: str, function: Any, tensorflow: spec.Texts | str, low: str, high: str, followers: str) -> Op:
    word = name.lower()
    return unary(
        name,
        function,
        spell("torch. . ._", tensorflow, f"jnp.{word} lax.{word}" if word != "round" else _ROUND_JAX),
        errors.stepped,
        **DECIDES,
        **facts(limits=ANYWHERE, weight=0.5, bounds=Bounds(low, high, whole=True), followers=followers),
    )


# --- ATen's combinations of a product, a quotient or an interpolation with a sum -------------------------------------


def _sample_interpolate(rng: random.Random, first: TensorType) -> Sample:
    end = sampling.broadcastable(rng, first.shape)
    weight = () if rng.random() < 0.4 else sampling.broadcastable(rng, first.shape)
    return sampling.operands(first, end, weight)


def _sample_combination(rng: random.Random, first: TensorType) -> Sample:
    values = suitable((1.0, 1.0, 2.0, 0.5, -1.0, -3.0), first.dtype)
    return Sample(sampling.same_type(2)(rng, first).operands, {"value": rng.choice(values)})  # type: ignore[union-attr]


def _combination(name: str, symbol: str, dtypes: tuple[str, ...], **more: Any) -> Op:
    def definition(x: Term, y: Term, z: Term, a: Attrs) -> Term:
        combined = y * z if symbol == "*" else y / z
        return x + (combined if a["value"] == 1 else combined * a["value"])

    return defined(
        name,
        definition,
        spell((f"torch.{name}({{0}}, {{1}}, {{2}}, value={{value}})", f"{{0}}.{name}({{1}}, {{2}}, value={{value}})")),
        dtypes=dtypes,
        operands=3,
        sample=_sample_combination,
        attrs=attributes(value=1.0),
        weight=0.4,
        **more,
    )


def _sample_subtract_reversed(rng: random.Random, first: TensorType) -> Sample:
    alpha = rng.choice(suitable((1.0, 1.0, 2.0, 0.5, -1.0, 3.0), first.dtype))
    return sampling.operands(first, sampling.broadcastable(rng, first.shape), alpha=alpha)


OPS = (
    # arithmetic
    _arithmetic(
        "Add",
        np.add,
        "+",
        "add",
        errors.one_sum,
        "tf.raw_ops.AddV2(x={0}, y={1})",
        followers="Add Sub Mul Sum Cast Clip Softmax LayerNormalization Transpose ArgMax MatMul "
        f"{sampling.ACTIVATED} {sampling.REDUCED}",
        **facts(weight=3, bounds=Bounds("(+ l0 l1)", "(+ h0 h1)", wraps=True)),
    ),
    _arithmetic(
        "Sub",
        np.subtract,
        "-",
        "subtract",
        errors.one_sum,
        followers=f"Add Sub Mul Div Neg Abs Pow Exp Relu Cast Sqrt {sampling.REDUCED}",
        **facts(weight=2, bounds=Bounds("(- l0 h1)", "(- h0 l1)", wraps=True)),
    ),
    _arithmetic(
        "Mul",
        np.multiply,
        "*",
        "multiply",
        errors.product,
        followers=f"Add Sub Mul Div Cast Sqrt MatMul Transpose Neg Conv Relu Where {sampling.REDUCED}",
        **facts(ulps=1, weight=3, bounds=value_bounds.PRODUCT),
    ),
    binary(
        "Div",
        _divide,
        spell(_divide_torch, tf=_divide_tensorflow, jax=_divide_jax),
        lambda c: errors.infinite_if(errors.least_by(c), errors.quotient(c)),
        sample=_sample_divide,
        distance_to_domain=domains.divisor,
        followers="Mul Div Add Floor Erf Cast Round Softmax Sub",
        **facts(ulps=2, limits=ANYWHERE, numbers=(1,), bounds=value_bounds.QUOTIENT),
    ),
    binary(
        "Pow",
        np.power,
        spell("torch. ** . ._", tf="tf. **", jax="jnp.power **"),
        _power_error,
        (*FLOATS, "int32", "int64"),
        sample=_sample_power,
        distance_to_domain=domains.power,
        unsettled=unspecified.root(0),
        **facts(ulps=8, weight=0.5, limits=NAN | POLE | STRICT, followers="Sqrt ReduceMean ReduceSum Mul Add"),
    ),
    _extremum("Max", "maximum", np.maximum, ">=", "Min Max Sub Relu Clip Add"),
    _extremum("Min", "minimum", np.minimum, "<=", "Max Min Relu Clip Add"),
    variadic(
        "Sum",
        _fold(np.add),
        spell(
            _either(folded("({0} + {1})", "torch.add({0}, {1})"), _stacked("sum(0)")),
            tf=_add_n,
            jax=_ADDED,
        ),
        _sum_error,
        partial=lambda x, a: _fold(np.add)([np.abs(v) for v in x]),
        **facts(integer_exact=True, weight=0.5),
    ),
    variadic(
        "Mean",
        lambda x: np.asarray(_fold(np.add)(x) / np.asarray(len(x), x[0].dtype)),
        spell(_either(_divided(_ADDED), _stacked("mean(0)")), tf=_divided(_add_n), jax=_divided(_ADDED)),
        lambda c: _sum_error(c) / len(c.x),
        **facts(ulps=2, weight=0.4),
    ),
    unary(
        "Neg",
        np.negative,
        spell("- torch.neg .neg .neg_", tf="- tf.negative", jax="- jnp.negative lax.neg"),
        errors.lipschitz(),
        FLOATS + SIGNED,
        followers="Neg Add Sub Mul Exp Abs Max Relu ArgMax ArgMin ReduceMax ReduceMin ReduceSum Div",
        **facts(weight=1.5, limits=ANYWHERE, modular=True, bounds=Bounds("(neg h0)", "(neg l0)", wraps=True)),
    ),
    unary(
        "Abs",
        np.abs,
        spell(
            "torch. . abs ._",
            tf=by_type(UNSIGNED, ("tf.identity({0})",), applied("tf.abs abs tf.math.abs")),
            jax=by_type(UNSIGNED, ("jnp.abs({0})",), applied("jnp.abs lax.abs")),
        ),
        errors.lipschitz(),
        NUMERIC,
        bounds=Bounds("(max 0.0 (max l0 (neg h0)))", "(max (neg l0) h0)", least="0.0", wraps=True),
        **facts(limits=ANYWHERE, modular=True, followers="Log Sqrt Neg Relu ReduceSum Max"),
    ),
    unary(
        "Sign",
        np.sign,
        spell(
            "torch. torch.sgn . ._",
            tf=by_type(
                UNSIGNED, ("tf.cast({0} > 0, {0}.dtype)", "tf.minimum({0}, 1)"), applied("tf.sign tf.math.sign")
            ),
            jax="jnp. lax.",
        ),
        errors.stepped,
        NUMERIC,
        **DECIDES,
        **facts(limits=INFINITY, followers="Mul Abs", bounds=Bounds("-1.0", "1.0", whole=True)),
    ),
    unary(
        "Reciprocal",
        np.reciprocal,
        spell(
            ("torch. . ._", "1.0 / {0}", "{0} ** -1"),
            tf=("tf.math.", "1.0 / {0}"),
            jax=("jnp.", "1 / {0}"),
        ),
        _reciprocal_error,
        distance_to_domain=domains.nonzero(0),
        followers="Mul Reciprocal Sqrt Div",
        **facts(ulps=3, limits=ANYWHERE, bounds=Bounds("(/ 1.0 h0)", "(/ 1.0 l0)", when="(> (* l0 h0) 0.0)")),
    ),
    unary(
        "Identity",
        np.array,
        spell(
            (
                ".clone torch.clone .contiguous nn.",
                *("{0}.view_as({0})", "{0}.expand_as({0})", "{0}.to({0}.dtype)", "{0}.reshape({0}.shape)", "{0}[...]"),
            ),
            tf="tf.",
            jax="jnp.array lax.optimization_barrier",
        ),
        errors.lipschitz(),
        STORED,
        **facts(torch_types=COMPLEX, moves=True, weight=0.2),
    ),
    defined(
        "square",
        lambda x, a: x * x,
        spell(
            ("torch. . ._", "{0} ** 2", "{0} * {0}"),
            tf=("tf. tf.math.", "{0} * {0}"),
            jax=("jnp. lax.", "lax.integer_pow({0}, 2)"),
        ),
        NUMERIC,
        widen=False,
        bounds=Bounds("0.0", "(max (* l0 l0) (* h0 h0))", least="0.0", wraps=True),
        **facts(ulps=1, weight=0.4, limits=ANYWHERE, modular=True),
    ),
    defined(
        "copysign",
        lambda x, y, a: where(y < 0, -abs(x), abs(x)),
        spell("torch. . ._", jax="jnp."),
        operands=2,
        widen=False,
        numpy=lambda x, a: np.copysign(*x),
        error=lambda c: np.where(np.abs(c.x[1]) <= c.e[1], np.inf, c.e[0] + 0 * c.e[1]),  # a zero's sign is open
        why_not_derived=errors.OPEN_ZERO,
        **DECIDES,
        limits=INFINITY,
        unsettled=unspecified.sign_of_nan(1),
    ),
    # rounding
    _rounding("Floor", np.floor, "tf.floor tf.math.floor", "(- l0 1.0)", "h0", "Cast Sub Neg Mul"),
    _rounding("Ceil", np.ceil, "tf.math.ceil", "l0", "(+ h0 1.0)", "Cast Neg Floor"),
    _rounding(
        "Round",
        np.rint,
        by_type(("float16",), ("tf.round({0})",), applied("tf.round tf.math.rint")),
        "(- l0 0.5)",
        "(+ h0 0.5)",
        "Cast Mul Clip",
    ),
    defined(
        "trunc",
        lambda x, a: _trunc(x),
        spell(
            "torch. torch.fix . ._",
            tf=cast_around(HALF_TO_SINGLE, _TRUNC_TENSORFLOW, "tf.sign({0}) * tf.floor(tf.abs({0}))"),
            jax="jnp.",
        ),
        widen=False,
        numpy=lambda x, a: np.trunc(x[0]),
        error=errors.stepped,
        why_not_derived=errors.OPEN_SIGN,
        **DECIDES,
        **facts(limits=ANYWHERE, bounds=Bounds("(min l0 0.0)", "(max h0 0.0)", whole=True)),
    ),
    defined(
        "frac",
        lambda x, a: x - _trunc(x),
        spell(("torch. . ._", "{0} - torch.trunc({0})"), tf=(f"{{0}} - {_TRUNC_TENSORFLOW}",)),
        widen=False,
        numpy=lambda x, a: x[0] - np.trunc(x[0]),
        error=_fraction_error,
        why_not_derived=errors.OPEN_SIGN,
        **DECIDES,
        **facts(ulps=1, limits=ANYWHERE, bounds=value_bounds.WITHIN_ONE),
    ),
    # combinations
    defined(
        "rsub",
        lambda x, y, a: y - (x if a["alpha"] == 1 else x * a["alpha"]),
        spell(("torch.rsub({0}, {1}, alpha={alpha})", "torch.sub({1}, {0}, alpha={alpha})")),
        dtypes=NUMERIC,
        operands=2,
        partial=spec.by_definition,
        sample=_sample_subtract_reversed,
        attrs=attributes(alpha=1.0),
        **facts(weight=0.4, limits=NAN, modular=True),
    ),
    _combination("addcmul", "*", NUMERIC, partial=spec.by_definition, modular=True),
    _combination("addcdiv", "/", FLOATS, distance_to_domain=domains.nonzero(2)),
    defined(
        "lerp",
        lambda x, y, w, a: x + w * (y - x),
        spell(("torch. .", "{0} + {2} * ({1} - {0})")),
        operands=3,
        why_not_derived="for some w, frameworks compute y - (y - x) * (1 - w), which cancels where w is small",
        error=lambda c: errors.multilinear(c, lambda x: x[1] + (x[0] + x[1]) * (1 + x[2]), 3),
        partial=spec.by_definition,
        sample=_sample_interpolate,
        **facts(integer_exact=True, weight=0.4),
    ),
)
