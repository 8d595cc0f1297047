"""Operators on the bits of integers, and remainders."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS, INTS, NUMERIC, UNSIGNED
from polyjuice.ops import domains, errors, sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.normal import demand
from polyjuice.ops.pointwise import DECIDES, binary, defined, elementwise, unary
from polyjuice.ops.spec import NAN, POLE, ErrorContext, Op, Operand, Sample, TemplatesFn, Texts, attributes, facts
from polyjuice.ops.text import HALF_TO_SINGLE, applied, by_type, cast_around, spell

_BITS_ERROR = errors.decided(lambda c: errors.added(c) > 0)
"""No error, unless an operand itself is in doubt."""


def _shift_error(c: ErrorContext) -> np.ndarray:
    """The bound for shifts; the result is unknown for negative amounts, and for as many bits as there are, or more."""
    bits = 8 * c.x[1].dtype.itemsize
    return errors.infinite_if((c.x[1] < 0) | (c.x[1] >= bits), _BITS_ERROR(c))


_GREATEST_UINT64 = 2.0**64 - 2.0**11
"""The greatest number that uint64 and float64 have in common."""


# --- bits ------------------------------------------------------------------------------------------------------------


def _as_integers(*arrays: np.ndarray) -> list[np.ndarray]:
    """Integers held in floats as 64-bit integers: unsigned if none is negative."""
    if any(bool((x < 0).any()) for x in arrays):
        return [x.astype(np.int64) for x in arrays]
    return [np.minimum(x, _GREATEST_UINT64).astype(np.uint64) for x in arrays]


def _on_bits(function: Any) -> Any:
    """A bitwise function that also takes integers held in floats, which the analysis of overflow passes."""

    def apply(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if x.dtype.kind == "f":
            return np.asarray(function(*_as_integers(x, y)))
        return np.asarray(function(x, y))

    return apply


def _bits(name: str, function: Any, symbol: str) -> Op:
    text = spell(f"torch. {symbol} . ._", f"tf.bitwise. {symbol}", f"{symbol} jnp.")
    return binary(name, _on_bits(function), text, _BITS_ERROR, INTS, **DECIDES, weight=0.7)


def _shift_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "f":
        return np.asarray(np.ldexp(x, y.astype(np.int32)))
    return np.asarray(np.left_shift(x, y))


_shift_right = _on_bits(np.right_shift)


def _by_direction(left: str, right: str) -> TemplatesFn:
    return lambda c: applied(left if c.attrs["direction"] == "LEFT" else right, operands=2)


def _amount(rng: random.Random, first: TensorType) -> Operand:
    """Shift amounts: mostly small ones, else up to all bits but one, or around all bits and beyond."""
    bits = 8 * dtypes.to_numpy(first.dtype).itemsize
    shape = sampling.broadcastable(rng, first.shape)
    amounts = rng.choices(((0, 3), (0, bits - 1), (bits - 1, bits + 1), (0, 2 * bits - 4)), (11, 5, 2, 2))[0]
    return Operand(TensorType(first.dtype, shape), amounts)


def _power_of_two(exponent: Term) -> Term:
    """2**n as int64, for 0 <= n <= 62: half of any amount that is drawn."""
    wide = exponent.to("float64")
    return wide.number(2.0).then("Pow", wide).to("int64")


def _shift_left_definition(x: Term, n: Term, a: Attrs) -> Term:
    """A product in int64; a shift by 63 takes two steps, because 2**63 is no int64."""
    if x.dtype in UNSIGNED:
        return x.then("BitShift", n, direction="LEFT")
    half = n / 2
    return (x.to("int64") * _power_of_two(half) * _power_of_two(n - half)).to(x.dtype)


def _shift_right_definition(x: Term, n: Term, a: Attrs) -> Term:
    """A quotient rounded down; for a negative number, the complement of its complement's quotient."""
    if x.dtype in UNSIGNED:
        return x.then("BitShift", n, direction="RIGHT")
    wide, half = x.to("int64"), n / 2
    negative = wide < 0
    size = where(negative, wide.then("BitwiseNot"), wide) / _power_of_two(half) / _power_of_two(n - half)
    return where(negative, size.then("BitwiseNot"), size).to(x.dtype)


def _shift(name: str, function: Any, symbol: str, onnx: Any, **more: Any) -> Op:
    return binary(
        name,
        function,
        spell(f"torch. {symbol} . ._", tf=f"tf.bitwise.{name.removeprefix('bitwise_')}"),
        _shift_error,
        INTS,
        definition=onnx_term(onnx),
        why_not_derived="processors differ on amounts out of range, and its definition takes many steps",
        **DECIDES,
        sample=lambda rng, first: Sample((_amount(rng, first),)),
        weight=0.3,
        **more,
    )


# --- remainders ------------------------------------------------------------------------------------------------------


def _checked(function: Any) -> Any:
    """A division that raises ZeroDivisionError for integers."""

    def apply(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if y.dtype.kind in "iu" and not np.all(y):
            raise ZeroDivisionError("integer division by zero")
        return np.asarray(function(x, y))

    return apply


_floor_mod, _trunc_mod = _checked(np.mod), _checked(np.fmod)


def _quotient_unstable(c: ErrorContext) -> np.ndarray:
    """Whether the quotient may cross an integer, by the operands' errors or by its own rounding."""
    (x, y), (ex, ey) = (np.asarray(c.x[0], np.float64), np.asarray(c.x[1], np.float64)), c.e
    quotient = x / y
    margin = np.abs(y) - ey
    reach = (ex + np.abs(quotient) * ey) / np.where(margin > 0, margin, 1.0) + 4 * c.unit * np.abs(quotient)
    reach = reach + dtypes.smallest_normal(errors.held(c)) * bool(c.unit) * (quotient != 0)  # flushed to 0
    stable = (np.abs(quotient - np.rint(quotient)) > reach) | (reach == 0)
    return np.asarray(~(stable & (margin > 0)))


def _remainder_error(c: ErrorContext) -> np.ndarray:
    """The bound for x - n y where the integer n is known; some frameworks compute a product and a difference."""
    (x, y), (ex, ey) = c.x, c.e
    turns = np.abs(np.asarray(x, np.float64) / y) + 1
    rounding = 4 * c.unit * (np.abs(x) + np.abs(y)) if c.unit else 0.0
    open_ = _quotient_unstable(c) | errors.least_by(c)
    if x.dtype in (np.int64, np.uint64):  # some frameworks compute in float64
        open_ |= _beyond(c, 2.0**53)
    return errors.infinite_if(open_, ex + turns * ey + rounding)


def _floor_divide_error(c: ErrorContext) -> np.ndarray:
    open_ = _quotient_unstable(c)
    if c.x[0].dtype.kind == "i":  # some frameworks divide the operand less the remainder, which may wrap around
        open_ |= _beyond(c, np.iinfo(c.x[0].dtype).max)
    return np.where(open_, np.inf, 0.0)


def _beyond(c: ErrorContext, limit: float) -> np.ndarray:
    x, y = (np.abs(v.astype(np.float64)) for v in c.x)
    return np.asarray(x + y >= limit)


def _divisor(rng: random.Random, first: TensorType) -> Operand:
    """Divisors: constants other than 0 and -1 for integers (the least integer has no quotient by -1)."""
    type = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    if first.dtype in FLOATS:
        return Operand(type)
    return Operand(type, (-7, -2) if first.dtype not in UNSIGNED and rng.random() < 0.3 else (1, 7))


def _sample_mod(rng: random.Random, first: TensorType) -> Sample:
    return Sample((_divisor(rng, first),), {"fmod": 1 if first.dtype in FLOATS else rng.randint(0, 1)})


_SMALL_TO_INT32 = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32"}
_TRUNC_MOD_TENSORFLOW = cast_around({**HALF_TO_SINGLE, **_SMALL_TO_INT32}, "tf.truncatemod({0}, {1})")
_FLOOR_MOD_TENSORFLOW = applied("tf.math.floormod % tf.math.mod", operands=2)


_TRUNC_MOD_TORCH = applied("torch.fmod .fmod", operands=2)
_FLOOR_MOD_TORCH = applied("torch.remainder % .remainder", operands=2)


def _remainder_definition(x: Term, y: Term, a: Attrs) -> Term:
    """ONNX's Mod takes the divisor's sign on integers, and on floats the dividend's."""
    if x.dtype in INTS:
        return x.then("Mod", y, fmod=0)
    rest = x.then("Mod", y, fmod=1)
    wrong = (rest * y.then("Sign")) < 0
    return where(wrong, rest + y, rest)


def _floor_divide_definition(x: Term, y: Term, a: Attrs) -> Term:
    if x.dtype in INTS:
        return (x - x.then("Mod", y, fmod=0)) / y
    return (x / y).then("Floor")


_FLOOR_DIVIDE_TORCH = applied("torch.floor_divide //", "torch.div({0}, {1}, rounding_mode='floor')", operands=2)


_DIVISION: dict[str, Any] = {
    "sample": lambda rng, first: Sample((_divisor(rng, first),)),
    "distance_to_domain": domains.divisor,
}


def _remainder(name: str, definition: Callable[..., Term], text: Mapping[str, Texts], **more: Any) -> Op:
    settings: dict[str, Any] = {**DECIDES, **_DIVISION, "limits": NAN | POLE, **more}
    return defined(name, definition, text, NUMERIC, operands=2, **settings)


OPS = (
    _bits("BitwiseAnd", np.bitwise_and, "&"),
    _bits("BitwiseOr", np.bitwise_or, "|"),
    _bits("BitwiseXor", np.bitwise_xor, "^"),
    unary(
        "BitwiseNot",
        np.bitwise_not,
        spell("torch. ~ . ._", tf="tf.bitwise.invert ~", jax="~ jnp."),
        _BITS_ERROR,
        INTS,
        **facts(continuous=False, weight=0.5, followers="BitwiseNot BitwiseAnd BitwiseOr Add Neg"),
    ),
    elementwise(
        "BitShift",
        lambda x, a: _shift_left(*x) if a["direction"] == "LEFT" else np.asarray(_shift_right(*x)),
        spell(
            _by_direction("torch.bitwise_left_shift <<", "torch.bitwise_right_shift >>"),
            tf=_by_direction("tf.bitwise.left_shift", "tf.bitwise.right_shift"),
            jax=_by_direction("jnp.left_shift", "jnp.right_shift"),
        ),
        _shift_error,
        UNSIGNED,
        operands=2,
        sample=lambda rng, first: Sample((_amount(rng, first),), {"direction": rng.choice(("LEFT", "RIGHT"))}),
        attrs=attributes(direction="string"),
        **facts(continuous=False, weight=0.4, modular=True),
    ),
    _shift("bitwise_left_shift", _shift_left, "<<", _shift_left_definition, modular=True),
    _shift("bitwise_right_shift", _shift_right, ">>", _shift_right_definition),
    elementwise(
        "Mod",
        lambda x, a: np.asarray(_trunc_mod(*x) if a["fmod"] else _floor_mod(*x)),
        spell(
            lambda c: _TRUNC_MOD_TORCH if c.attrs["fmod"] else _FLOOR_MOD_TORCH,
            tf=lambda c: _TRUNC_MOD_TENSORFLOW(c) if c.attrs["fmod"] else _FLOOR_MOD_TENSORFLOW,
            jax=lambda c: (f"jnp.{'fmod' if c.attrs['fmod'] else 'mod'}({{0}}, {{1}})",),
        ),
        _remainder_error,
        NUMERIC,
        operands=2,
        **{**DECIDES, **_DIVISION, "sample": _sample_mod},
        attrs=attributes(fmod=0),
        requires=lambda types, a: a["fmod"] or not dtypes.is_float(types[0].dtype),
        normal=lambda a, x: demand(a["fmod"] in (0, 1), "fmod is 0 or 1"),
        **facts(weight=0.5, limits=NAN | POLE),
    ),
    _remainder(
        "remainder",
        _remainder_definition,
        spell((*_FLOOR_MOD_TORCH, "{0}.remainder_({1})"), _FLOOR_MOD_TENSORFLOW),
        error=_remainder_error,
        why_not_derived=errors.OPEN_SIGN,
    ),
    _remainder(
        "fmod",
        lambda x, y, a: x.then("Mod", y, fmod=1),
        spell((*_TRUNC_MOD_TORCH, "{0}.fmod_({1})"), _TRUNC_MOD_TENSORFLOW, "jnp.fmod"),
        widen=False,
    ),
    binary(
        "floor_divide",
        _checked(np.floor_divide),
        spell(
            by_type(FLOATS, (*_FLOOR_DIVIDE_TORCH, "torch.floor({0} / {1})"), _FLOOR_DIVIDE_TORCH),
            tf="tf.math.floordiv //",
        ),
        _floor_divide_error,
        definition=onnx_term(_floor_divide_definition),
        why_not_derived="its definition rounds the quotient to the type before it rounds down",
        **_DIVISION,
        **facts(continuous=False, limits=NAN),
    ),
)
