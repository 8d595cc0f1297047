"""The meaning of elementwise operators in the solver z3.

:data:`MODELS` defines each operator once, by name, over any kind of numbers. Tests compare it with the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import z3

from polyjuice.rulecheck.proof_claims import OutOfScope
from polyjuice.rulecheck.proof_numbers import (
    NEAREST,
    Bits,
    Exact,
    Ieee,
    Logic,
    Notes,
    Sort,
    Value,
    converted,
    is_whole,
    rounded_to,
)

Model = Callable[["Call"], Value]

_HALVES = ("float16", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class Call:
    """One application: its operands, the sorts of the numbers among them and of the result, and its attributes.

    Floating attributes are z3 expressions of the sort ``scalars``; others are Python values.
    """

    x: Sequence[Value]
    sort: Any
    result: Sort
    attrs: Mapping[str, Any]
    scalars: Sort
    notes: Notes

    def number(self, value: float) -> Value:
        """A constant of the operands' sort."""
        return self.sort.number(value)

    def held(self, name: str) -> Value:
        """A floating attribute in the type of the operands, which must hold it exactly if it is no floating type."""
        value = converted(self.attrs[name], self.scalars, self.sort, self.notes)
        if isinstance(self.sort, Logic) or is_whole(self.sort):
            back = converted(value, self.sort, self.scalars, self.notes)
            self.notes.defined.append(self.scalars.equal(back, self.attrs[name]))
        return value

    def div(self, x: Value, y: Value) -> Value:
        """The sort's division, with a note that excludes a divisor of 0."""
        if not isinstance(self.sort, Ieee):
            (self.notes.defined if is_whole(self.sort) else self.notes.real).append(y != 0)
        return self.sort.div(x, y)

    def remainder(self, floor: bool) -> Value:
        """The remainder of a division rounded down, or else to zero."""
        x, y = self.x
        if not isinstance(self.sort, Ieee):
            self.div(x, y)
        return self.sort.remainder(x, y, floor)

    def sqrt(self, x: Value) -> Value:
        """The square root. Over the reals, it is a new number that is not negative and has this square."""
        if isinstance(self.sort, Ieee):
            return z3.fpSqrt(NEAREST, x)
        root = z3.Real(f"sqrt({x.sexpr()})")
        self.notes.real.append(x >= 0)
        self.notes.facts.append(z3.Implies(x >= 0, z3.And(root >= 0, root * root == x)))
        return root

    def function(self, name: str, *x: Value) -> Value:
        """An uninterpreted function."""
        self.notes.opaque.add(name)
        result = self.result.variable("result").sort()
        return z3.Function(f"{name} of {self.sort}", *(v.sort() for v in x), result)(*x)


def applied(name: str, call: Call) -> Value:
    """The value of an operator, by its qualified name; an uninterpreted function if it has no model."""
    if name in MODELS:
        return MODELS[name](call)
    numbers = [v for v in call.attrs.values() if z3.is_expr(v)]
    words = [f"{k}={v}" for k, v in call.attrs.items() if not z3.is_expr(v)]
    return call.function(" ".join([name, *words]), *call.x, *numbers)


# --- meanings --------------------------------------------------------------------------------------------------------


def maximum(s: Any, x: Value, y: Value) -> Value:
    """The larger of two numbers; NaN where either is NaN."""
    return z3.If(z3.Or(s.is_nan(x), s.less(y, x)), x, y)


def minimum(s: Any, x: Value, y: Value) -> Value:
    """The smaller of two numbers; NaN where either is NaN."""
    return z3.If(z3.Or(s.is_nan(x), s.less(x, y)), x, y)


def at_most(s: Any, x: Value, y: Value) -> Value:
    """x <= y; false for a NaN."""
    return z3.Or(s.less(x, y), s.equal(x, y))


def _abs(c: Call) -> Value:
    (x,) = c.x
    if isinstance(c.sort, Ieee):
        return z3.fpAbs(x)
    return z3.If(c.sort.less(x, c.number(0)), c.sort.neg(x), x)


def _sign(c: Call) -> Value:
    (x,), zero, one = c.x, c.number(0), c.number(1)
    below = z3.If(c.sort.less(x, zero), c.sort.sub(zero, one), zero)
    return z3.If(c.sort.is_nan(x), x, z3.If(c.sort.less(zero, x), one, below))


def _copysign(c: Call) -> Value:
    """``x`` with the sign of ``y``. The reals have no negative zero, so ``y`` must not be zero there."""
    x, y = c.x
    if isinstance(c.sort, Ieee):
        return z3.If(z3.fpIsNegative(y), z3.fpNeg(z3.fpAbs(x)), z3.fpAbs(x))
    c.notes.real.append(y != 0)
    size = z3.If(x < 0, -x, x)
    return z3.If(y < 0, -size, size)


def _round(how: str) -> Model:
    return lambda c: c.sort.rounded(c.x[0], how)


def _floor_divide(c: Call) -> Value:
    """The quotient rounded down: one less where the remainder and the divisor have different signs."""
    s, (x, y), zero = c.sort, c.x, c.number(0)
    quotient, left = c.div(x, y), c.remainder(floor=False)
    if isinstance(s, Exact) and not s.integer:
        return s.rounded(quotient, "floor")
    below = z3.And(z3.Not(s.equal(left, zero)), s.less(left, zero) != s.less(y, zero))
    return z3.If(below, s.sub(quotient, c.number(1)), quotient)


def _clamped(s: Any, x: Value, low: Value | None, high: Value | None) -> Value:
    """``x`` within limits, either of which may be absent."""
    x = x if low is None else maximum(s, x, low)
    return x if high is None else minimum(s, x, high)


def _limits(low: str, high: str) -> Model:
    return lambda c: _clamped(c.sort, c.x[0], *(None if c.attrs[k] is None else c.held(k) for k in (low, high)))


def _lerp(c: Call) -> Value:
    s, (start, end, weight), one = c.sort, c.x, c.number(1)
    half = c.number(0.5)
    gap = s.sub(end, start)
    near_start = z3.And(s.less(s.neg(half), weight), s.less(weight, half))
    from_end = s.sub(end, s.mul(gap, s.sub(one, weight)))
    return z3.If(near_start, s.add(start, s.mul(weight, gap)), from_end)


def _scaled(c: Call, name: str, x: Value) -> Value:
    """A product with an attribute, which is mostly 1."""
    return x if _is_one(c, name) else c.sort.mul(c.held(name), x)


def _is_one(c: Call, name: str) -> bool:
    return bool(z3.is_true(z3.simplify(c.scalars.equal(c.attrs[name], c.scalars.number(1)))))


def _hypot(c: Call) -> Value:
    if isinstance(c.sort, Ieee):
        return c.function("aten.hypot", *c.x)
    x, y = c.x
    return c.sqrt(x * x + y * y)


def _hard_sigmoid(c: Call) -> Value:
    line = c.sort.add(_scaled(c, "alpha", c.x[0]), c.held("beta"))
    return _clamped(c.sort, line, c.number(0), c.number(1))


def _hard_swish(c: Call) -> Value:
    s, (x,) = c.sort, c.x
    line = s.add(c.div(x, c.number(6)), c.number(0.5))
    return s.mul(x, _clamped(s, line, c.number(0), c.number(1)))


def _heaviside(c: Call) -> Value:
    s, (x, at_zero), zero = c.sort, c.x, c.number(0)
    return z3.If(s.equal(x, zero), at_zero, z3.If(s.less(zero, x), c.number(1), zero))


def _softshrink(c: Call) -> Value:
    limit = c.held("lambd")
    return c.sort.sub(c.x[0], _clamped(c.sort, c.x[0], c.sort.neg(limit), limit))


def _shrink(bias: str, limit: str) -> Model:
    """Shrink towards zero by ``bias`` ("" for no shift), and to zero within the limit."""

    def model(c: Call) -> Value:
        s, (x,), zero, lambd = c.sort, c.x, c.number(0), c.held(limit)
        shift = c.held(bias) if bias else zero
        above = z3.If(s.less(lambd, x), s.sub(x, shift), zero)
        return z3.If(s.less(x, s.neg(lambd)), s.add(x, shift), above)

    return model


def _sloped(c: Call, slope: Value) -> Value:
    (x, *_), zero = c.x, c.number(0)
    return z3.If(c.sort.less(x, zero), c.sort.mul(slope, x), x)


def _nan_to_num(c: Call) -> Value:
    s, (x,) = c.sort, c.x
    high, low = c.held("posinf"), c.held("neginf")
    if not isinstance(s, Ieee):
        return x
    infinite = z3.If(z3.fpIsNegative(x), low, high)
    return z3.If(z3.fpIsNaN(x), c.held("nan"), z3.If(z3.fpIsInf(x), infinite, x))


def _is_inf(c: Call) -> Value:
    if not isinstance(c.sort, Ieee):
        return z3.BoolVal(False)
    (x,) = c.x
    wanted = z3.If(z3.fpIsNegative(x), bool(c.attrs["detect_negative"]), bool(c.attrs["detect_positive"]))
    return z3.And(z3.fpIsInf(x), wanted)


def _bitwise(function: Callable[..., Value]) -> Model:
    def model(c: Call) -> Value:
        if not isinstance(c.sort, Bits):
            raise OutOfScope("bits of mathematical integers")
        return function(*c.x)

    return model


def _shift_right(c: Call) -> Value:
    return _bitwise(lambda x, y: x >> y if c.sort.signed else z3.LShR(x, y))(c)


_shift_left = _bitwise(lambda x, y: x << y)


def _fold(c: Call, method: str) -> Value:
    return reduce(getattr(c.sort, method), c.x)


_ROUNDED_ONCE: dict[str, Model] = {
    # arithmetic
    "Add": lambda c: c.sort.add(*c.x),
    "Sub": lambda c: c.sort.sub(*c.x),
    "Mul": lambda c: c.sort.mul(*c.x),
    "Div": lambda c: c.div(*c.x),
    "Neg": lambda c: c.sort.neg(c.x[0]),
    "Abs": _abs,
    "Sign": _sign,
    "Reciprocal": lambda c: c.div(c.number(1), c.x[0]),
    "Identity": lambda c: c.x[0],
    "Sqrt": lambda c: c.sqrt(c.x[0]),
    "Max": lambda c: reduce(lambda x, y: maximum(c.sort, x, y), c.x),
    "Min": lambda c: reduce(lambda x, y: minimum(c.sort, x, y), c.x),
    "Relu": lambda c: maximum(c.sort, c.x[0], c.number(0)),
    "PRelu": lambda c: _sloped(c, c.x[1]),
    "aten.square": lambda c: c.sort.mul(c.x[0], c.x[0]),
    "aten.copysign": _copysign,
    "aten.relu6": lambda c: _clamped(c.sort, c.x[0], c.number(0), c.number(6)),
    # rounding and remainders
    "Floor": _round("floor"),
    "Ceil": _round("ceil"),
    "Round": _round("even"),
    "aten.trunc": _round("trunc"),
    "aten.frac": lambda c: c.sort.sub(c.x[0], c.sort.rounded(c.x[0], "trunc")),
    "Mod": lambda c: c.remainder(floor=not c.attrs["fmod"]),
    "aten.fmod": lambda c: c.remainder(floor=False),
    "aten.remainder": lambda c: c.remainder(floor=True),
    "aten.floor_divide": _floor_divide,
    # comparison, logic and selection
    "Equal": lambda c: c.sort.equal(*c.x),
    "Less": lambda c: c.sort.less(*c.x),
    "Greater": lambda c: c.sort.less(c.x[1], c.x[0]),
    "LessOrEqual": lambda c: at_most(c.sort, *c.x),
    "GreaterOrEqual": lambda c: at_most(c.sort, c.x[1], c.x[0]),
    "And": lambda c: z3.And(*c.x),
    "Or": lambda c: z3.Or(*c.x),
    "Xor": lambda c: z3.Xor(*c.x),
    "Not": lambda c: z3.Not(c.x[0]),
    "IsNaN": lambda c: c.sort.is_nan(c.x[0]),
    "IsInf": _is_inf,
    "aten.isfinite": lambda c: c.sort.finite(c.x[0]),
    "aten.signbit": lambda c: c.sort.less(c.x[0], c.number(0)),
    "aten.heaviside": _heaviside,
    "Where": lambda c: z3.If(*c.x),
    "Cast": lambda c: converted(c.x[0], c.sort, c.result, c.notes),
    # bits
    "BitwiseAnd": _bitwise(lambda x, y: x & y),
    "BitwiseOr": _bitwise(lambda x, y: x | y),
    "BitwiseXor": _bitwise(lambda x, y: x ^ y),
    "BitwiseNot": _bitwise(lambda x: ~x),
    "BitShift": lambda c: _shift_left(c) if c.attrs["direction"] == "LEFT" else _shift_right(c),
    "aten.bitwise_left_shift": _shift_left,
    "aten.bitwise_right_shift": _shift_right,
}

_ROUNDED_OFTEN: dict[str, Model] = {
    # combinations
    "Sum": lambda c: _fold(c, "add"),
    "Mean": lambda c: c.div(_fold(c, "add"), c.number(len(c.x))),
    "aten.rsqrt": lambda c: c.div(c.number(1), c.sqrt(c.x[0])),
    "aten.hypot": _hypot,
    "aten.rsub": lambda c: c.sort.sub(c.x[1], _scaled(c, "alpha", c.x[0])),
    "aten.addcmul": lambda c: c.sort.add(c.x[0], c.sort.mul(_scaled(c, "value", c.x[1]), c.x[2])),
    "aten.addcdiv": lambda c: c.sort.add(c.x[0], _scaled(c, "value", c.div(c.x[1], c.x[2]))),
    "aten.lerp": _lerp,
    # replacement and limits
    "aten.masked_fill": lambda c: z3.If(c.x[1], c.held("value"), c.x[0]),
    "aten.nan_to_num": _nan_to_num,
    "Clip": _limits("min", "max"),
    "aten.clamp_min": lambda c: maximum(c.sort, c.x[0], c.held("min")),
    "aten.hardtanh": _limits("min_val", "max_val"),
    # activations
    "LeakyRelu": lambda c: _sloped(c, c.held("alpha")),
    "HardSigmoid": _hard_sigmoid,
    "HardSwish": _hard_swish,
    "Softsign": lambda c: c.div(c.x[0], c.sort.add(c.number(1), _abs(c))),
    "ThresholdedRelu": lambda c: z3.If(c.sort.less(c.held("alpha"), c.x[0]), c.x[0], c.number(0)),
    "Shrink": _shrink("bias", "lambd"),
    "aten.softshrink": _softshrink,
    "aten.hardshrink": _shrink("", "lambd"),
    "aten.silu": lambda c: c.sort.mul(c.x[0], c.function("Sigmoid", c.x[0])),
    "aten.log_sigmoid": lambda c: c.sort.neg(c.function("Softplus", c.sort.neg(c.x[0]))),
    "aten.tanhshrink": lambda c: c.sort.sub(c.x[0], c.function("Tanh", c.x[0])),
}
"""Operators that round more than once, perhaps an attribute."""


def _through_single(name: str, model: Model) -> Model:
    """The model on half types: compute in single precision and round once, as in the interpreter."""

    def through(c: Call) -> Value:
        plain = (name == "Sum" and len(c.x) == 2) or (name == "aten.rsub" and _is_one(c, "alpha"))
        if plain or not isinstance(c.sort, Ieee) or c.sort.dtype not in _HALVES:
            return model(c)
        single = Ieee("float32")
        wide = [rounded_to(x, single) if x.sort() == c.sort.sort else x for x in c.x]
        return rounded_to(
            model(Call(x=wide, sort=single, result=single, attrs=c.attrs, scalars=c.scalars, notes=c.notes)), c.sort
        )

    return through


ROUNDED_OFTEN = frozenset(_ROUNDED_OFTEN)

MODELS = {**_ROUNDED_ONCE, **{name: _through_single(name, model) for name, model in _ROUNDED_OFTEN.items()}}
"""Models by qualified name."""
