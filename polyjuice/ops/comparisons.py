"""Elementwise predicates: comparison, logic, and the classes of floating numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL, FLOATS, NUMERIC
from polyjuice.ops import errors, sampling, unspecified
from polyjuice.ops.decomposition_terms import where
from polyjuice.ops.pointwise import binary, defined, elementwise, unary
from polyjuice.ops.spec import Attr, Call, ErrorContext, Op, SpecialValues, SpellFn


def _compare(
    name: str, function: Any, symbol: str, torch: str, tensorflow: str, types: tuple[str, ...] = NUMERIC, **more: Any
) -> Op:
    return binary(
        name,
        function,
        (f"{{0}} {symbol} {{1}}", f"torch.{torch}({{0}}, {{1}})", f"{{0}}.{torch}({{1}})"),
        (f"{{0}} {symbol} {{1}}", f"tf.{tensorflow}({{0}}, {{1}})", f"tf.math.{tensorflow}({{0}}, {{1}})"),
        errors.decided(errors.comparison_unstable),
        types,
        "bool",
        integer_exact=True,
        continuous=False,
        limits=SpecialValues.ANYWHERE,
        numbers=(0, 1),
        **more,
    )


def _logic(name: str, function: Any, word: str, symbol: str, *tensorflow: str, **more: Any) -> Op:
    return binary(
        name,
        function,
        (f"torch.{word}({{0}}, {{1}})", f"{{0}} {symbol} {{1}}", f"{{0}}.{word}({{1}})", f"{{0}}.{word}_({{1}})"),
        (f"{{0}} {symbol} {{1}}", f"tf.math.{word}({{0}}, {{1}})", *tensorflow),
        errors.added,
        ("bool",),
        integer_exact=True,
        continuous=False,
        **more,
    )


# --- classes of floating numbers -------------------------------------------------------------------------------------


def _is_inf(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(
        (np.isposinf(x[0]) & bool(a["detect_positive"])) | (np.isneginf(x[0]) & bool(a["detect_negative"]))
    )


def _spell_is_inf(both: Sequence[str], signed: str) -> SpellFn:
    def spell(c: Call) -> str:
        infinities = [c.attrs["detect_negative"] * ["-inf"], c.attrs["detect_positive"] * ["inf"]]
        wanted = [text for texts in infinities for text in texts]
        if len(wanted) == 2:
            return c.draws.choice(both).format(c.x[0])
        return signed.format(c.x[0], *wanted) if wanted else f"{c.x[0]} < {c.x[0]}"

    return spell


def _draw_is_inf(rng: random.Random, first: TensorType) -> Attrs:
    negative, positive = rng.choice(((1, 1), (1, 1), (1, 0), (0, 1)))
    return {"detect_negative": negative, "detect_positive": positive}


# --- signs -----------------------------------------------------------------------------------------------------------


def _signbit_error(c: ErrorContext) -> np.ndarray:
    """No error, except for floating zeros and NaN, whose sign is open."""
    if c.x[0].dtype.kind != "f":
        return np.where(c.e[0] > 0, np.inf, 0.0)
    return np.where(np.abs(c.x[0]) > c.e[0], 0.0, np.inf)


OPS = (
    # comparison
    _compare("Equal", np.equal, "==", "eq", "equal", ALL, followers="Not Where Cast Or"),
    _compare("Greater", np.greater, ">", "gt", "greater", followers="Not Where Cast And"),
    _compare("GreaterOrEqual", np.greater_equal, ">=", "ge", "greater_equal", followers="Not Where Cast And"),
    _compare("Less", np.less, "<", "lt", "less", followers="Not Where Cast And"),
    _compare("LessOrEqual", np.less_equal, "<=", "le", "less_equal", followers="Not Where Cast And"),
    # logic
    _logic("And", np.logical_and, "logical_and", "&", "tf.logical_and({0}, {1})", followers="Not Where Cast Or"),
    _logic("Or", np.logical_or, "logical_or", "|", "tf.logical_or({0}, {1})", followers="Not Where Cast And"),
    _logic("Xor", np.logical_xor, "logical_xor", "^", "tf.not_equal({0}, {1})", followers="Not Where Xor"),
    unary(
        "Not",
        np.logical_not,
        ("torch.logical_not({0})", "~{0}", "{0}.logical_not()", "{0}.logical_not_()"),
        ("tf.logical_not({0})", "~{0}"),
        errors.lipschitz(),
        ("bool",),
        integer_exact=True,
        continuous=False,
        followers="Not Where And Or Cast",
    ),
    # classes
    unary(
        "IsNaN",
        np.isnan,
        ("torch.isnan({0})", "{0}.isnan()", "{0} != {0}"),
        ("tf.math.is_nan({0})", "tf.not_equal({0}, {0})"),
        errors.known,
        FLOATS,
        "bool",
        integer_exact=True,
        continuous=False,
        weight=0.3,
        limits=SpecialValues.ANYWHERE,
    ),
    elementwise(
        "IsInf",
        _is_inf,
        _spell_is_inf(("torch.isinf({0})", "{0}.isinf()"), '{0} == float("{1}")'),
        _spell_is_inf(("tf.math.is_inf({0})",), '{0} == float("{1}")'),
        errors.known,
        FLOATS,
        result="bool",
        sample=sampling.alone_with(_draw_is_inf),
        attrs=(Attr("detect_negative", "int", 1), Attr("detect_positive", "int", 1)),
        integer_exact=True,
        continuous=False,
        weight=0.3,
        limits=SpecialValues.ANYWHERE,
    ),
    defined(
        "isfinite",
        lambda x, a: abs(x) < np.inf,
        ("torch.isfinite({0})", "{0}.isfinite()"),
        ("tf.math.is_finite({0})",),
        result="bool",
        widen=False,
        integer_exact=True,
        continuous=False,
        limits=SpecialValues.ANYWHERE,
    ),
    # signs
    defined(
        "signbit",
        lambda x, a: x < 0,
        ("torch.signbit({0})", "{0}.signbit()"),
        ("{0} < 0", "tf.math.less({0}, 0)"),
        NUMERIC,
        result="bool",
        widen=False,
        error=_signbit_error,
        why_not_derived=errors.OPEN_ZERO,
        integer_exact=True,
        continuous=False,
        limits=SpecialValues.INFINITY,
        unsettled=unspecified.sign_of_nan(0),
    ),
    defined(
        "heaviside",
        lambda x, y, a: where(x.equals(0), y, (x > 0).to(x.dtype)),
        ("torch.heaviside({0}, {1})", "{0}.heaviside({1})"),
        dtypes=NUMERIC,
        operands=2,
        widen=False,
        integer_exact=True,
        continuous=False,
        limits=SpecialValues.INFINITY,
        signed_zeros=False,
    ),
)
