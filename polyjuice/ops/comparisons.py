"""Elementwise predicates: comparison, logic, and the classes of floating numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL, NUMERIC
from polyjuice.ops import errors, sampling, unspecified
from polyjuice.ops.decomposition_terms import where
from polyjuice.ops.pointwise import DECIDES, binary, defined, elementwise, unary
from polyjuice.ops.spec import ANYWHERE, INFINITY, ErrorContext, Op, TemplatesFn, attributes, facts
from polyjuice.ops.text import applied, spell


def _compare(name: str, function: Any, symbol: str, torch: str, followers: str, types: tuple[str, ...] = NUMERIC) -> Op:
    word = name.lower().replace("orequal", "_equal")
    return binary(
        name,
        function,
        spell(f"{symbol} torch.{torch} .{torch}", f"{symbol} tf.{word} tf.math.{word}", f"{symbol} jnp.{word}"),
        errors.decided(errors.comparison_unstable),
        types,
        "bool",
        **facts(limits=ANYWHERE, numbers=(0, 1), followers=followers),
    )


def _logic(name: str, function: Any, word: str, symbol: str, tensorflow: str, followers: str) -> Op:
    return binary(
        name,
        function,
        spell(
            f"torch.{word} {symbol} .{word} .{word}_", f"{symbol} tf.math.{word} {tensorflow}", f"{symbol} jnp.{word}"
        ),
        errors.added,
        ("bool",),
        **DECIDES,
        followers=followers,
    )


# --- classes of floating numbers -------------------------------------------------------------------------------------


def _is_inf(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    positive, negative = bool(a["detect_positive"]), bool(a["detect_negative"])
    return np.asarray((np.isposinf(x[0]) & positive) | (np.isneginf(x[0]) & negative))


def _spell_is_inf(
    both: str, negative: str = '{0} == float("-inf")', positive: str = '{0} == float("inf")'
) -> TemplatesFn:
    texts = {(1, 1): applied(both), (1, 0): (negative,), (0, 1): (positive,), (0, 0): ("{0} < {0}",)}
    return lambda c: texts[c.attrs["detect_negative"], c.attrs["detect_positive"]]


def _draw_is_inf(rng: random.Random, first: TensorType) -> Attrs:
    negative, positive = rng.choice(((1, 1), (1, 1), (1, 0), (0, 1)))
    return {"detect_negative": negative, "detect_positive": positive}


# --- signs -----------------------------------------------------------------------------------------------------------


def _signbit_error(c: ErrorContext) -> np.ndarray:
    """No error, except for floating zeros and NaN, whose sign is open."""
    if c.x[0].dtype.kind != "f":
        return np.where(c.e[0] > 0, np.inf, 0.0)
    return np.where(np.abs(c.x[0]) > c.e[0], 0.0, np.inf)


_UNEQUAL = "{0} != {0}"

OPS = (
    # comparison
    _compare("Equal", np.equal, "==", "eq", "Not Where Cast Or", ALL),
    _compare("Greater", np.greater, ">", "gt", "Not Where Cast And"),
    _compare("GreaterOrEqual", np.greater_equal, ">=", "ge", "Not Where Cast And"),
    _compare("Less", np.less, "<", "lt", "Not Where Cast And"),
    _compare("LessOrEqual", np.less_equal, "<=", "le", "Not Where Cast And"),
    # logic
    _logic("And", np.logical_and, "logical_and", "&", "tf.logical_and", "Not Where Cast Or"),
    _logic("Or", np.logical_or, "logical_or", "|", "tf.logical_or", "Not Where Cast And"),
    _logic("Xor", np.logical_xor, "logical_xor", "^", "tf.not_equal", "Not Where Xor"),
    unary(
        "Not",
        np.logical_not,
        spell("torch.logical_not ~ .logical_not .logical_not_", tf="tf.logical_not ~", jax="jnp.logical_not ~"),
        errors.lipschitz(),
        ("bool",),
        **DECIDES,
        followers="Not Where And Or Cast",
    ),
    # classes
    unary(
        "IsNaN",
        np.isnan,
        spell(("torch.isnan .isnan", _UNEQUAL), ("tf.math.is_nan", "tf.not_equal({0}, {0})"), ("jnp.isnan", _UNEQUAL)),
        errors.known,
        result="bool",
        **facts(weight=0.3, limits=ANYWHERE),
    ),
    elementwise(
        "IsInf",
        _is_inf,
        spell(
            _spell_is_inf("torch.isinf .isinf"),
            tf=_spell_is_inf("tf.math.is_inf"),
            jax=_spell_is_inf("jnp.isinf", "jnp.isneginf({0})", "jnp.isposinf({0})"),
        ),
        errors.known,
        result="bool",
        sample=sampling.alone_with(_draw_is_inf),
        attrs=attributes(detect_negative=1, detect_positive=1),
        normal=lambda a, x: a.update({name: int(value != 0) for name, value in a.items()}),
        **facts(weight=0.3, limits=ANYWHERE),
    ),
    defined(
        "isfinite",
        lambda x, a: abs(x) < np.inf,
        spell("torch. .", tf="tf.math.is_finite", jax="jnp."),
        result="bool",
        widen=False,
        limits=ANYWHERE,
    ),
    # signs
    defined(
        "signbit",
        lambda x, a: x < 0,
        spell("torch. .", tf=("{0} < 0", "tf.math.less({0}, 0)"), jax="jnp."),
        NUMERIC,
        result="bool",
        widen=False,
        error=_signbit_error,
        why_not_derived=errors.OPEN_ZERO,
        limits=INFINITY,
        unsettled=unspecified.sign_of_nan(0),
    ),
    defined(
        "heaviside",
        lambda x, y, a: where(x.equals(0), y, (x > 0).to(x.dtype)),
        spell("torch. ."),
        dtypes=NUMERIC,
        operands=2,
        widen=False,
        **DECIDES,
        **facts(limits=INFINITY, signed_zeros=False),
    ),
)
