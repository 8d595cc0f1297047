"""The elements of tensors in the solver z3.

They are integers of two's complement (:class:`Bits`), IEEE 754 floats (:class:`Ieee`), mathematical integers and real
numbers (:class:`Exact`), or booleans (:class:`Logic`).
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import z3

from polyjuice.ir import dtypes
from polyjuice.rulecheck.proof_claims import OutOfScope

Value = Any
"""A z3 expression. (z3's Python interface is untyped.)"""

NEAREST = z3.RNE()

_UNITS = 256


def _never(x: Value) -> Value:
    return z3.BoolVal(False)


def _always(x: Value) -> Value:
    return z3.BoolVal(True)


# --- sorts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Logic:
    """Booleans."""

    equal = same = staticmethod(operator.eq)

    def variable(self, name: str) -> Value:
        """A boolean variable."""
        return z3.Bool(name)

    def number(self, value: float) -> Value:
        """A boolean constant: whether the number is not 0."""
        return z3.BoolVal(bool(value))


@dataclass(frozen=True)
class Bits:
    """Integers of a fixed width that wrap around."""

    width: int
    signed: bool

    add = staticmethod(operator.add)
    sub = staticmethod(operator.sub)
    mul = staticmethod(operator.mul)
    neg = staticmethod(operator.neg)
    equal = same = staticmethod(operator.eq)
    is_nan = staticmethod(_never)
    finite = staticmethod(_always)

    def variable(self, name: str) -> Value:
        """An integer variable."""
        return z3.BitVec(name, self.width)

    def number(self, value: float) -> Value:
        """An integer constant."""
        return z3.BitVecVal(int(value), self.width)

    def less(self, x: Value, y: Value) -> Value:
        """x < y, signed or unsigned."""
        return x < y if self.signed else z3.ULT(x, y)

    def rounded(self, x: Value, how: str) -> Value:
        """The integer itself."""
        return x

    def div(self, x: Value, y: Value) -> Value:
        """The quotient rounded to zero."""
        return x / y if self.signed else z3.UDiv(x, y)

    def remainder(self, x: Value, y: Value, floor: bool) -> Value:
        """The remainder of a division rounded down (``floor``), or to zero."""
        if not self.signed:
            return z3.URem(x, y)
        return x % y if floor else z3.SRem(x, y)


@dataclass(frozen=True)
class Ieee:
    """A floating type of IEEE 754's kind, rounding to nearest even; there is one NaN, and +0 equals -0."""

    dtype: str

    neg = staticmethod(z3.fpNeg)
    equal = staticmethod(z3.fpEQ)
    less = staticmethod(z3.fpLT)
    is_nan = staticmethod(z3.fpIsNaN)

    @property
    def sort(self) -> Value:
        """The z3 sort of the type."""
        info = ml_dtypes.finfo(dtypes.to_numpy(self.dtype))  # type: ignore[no-untyped-call]
        return z3.FPSort(info.nexp, info.nmant + 1)

    def variable(self, name: str) -> Value:
        """A floating-point variable."""
        return z3.FP(name, self.sort)

    def number(self, value: float) -> Value:
        """The constant, rounded to the type."""
        array = np.asarray(value, np.float64).astype(dtypes.to_numpy(self.dtype))
        size = 8 * array.dtype.itemsize
        return z3.simplify(z3.fpBVToFP(z3.BitVecVal(int(array.view(f"uint{size}")), size), self.sort))

    def same(self, x: Value, y: Value) -> Value:
        """Whether two numbers are equal or both NaN."""
        return z3.Or(z3.fpEQ(x, y), z3.And(z3.fpIsNaN(x), z3.fpIsNaN(y)))

    def add(self, x: Value, y: Value) -> Value:
        """The rounded sum."""
        return z3.fpAdd(NEAREST, x, y)

    def sub(self, x: Value, y: Value) -> Value:
        """The rounded difference."""
        return z3.fpSub(NEAREST, x, y)

    def mul(self, x: Value, y: Value) -> Value:
        """The rounded product."""
        return z3.fpMul(NEAREST, x, y)

    def finite(self, x: Value) -> Value:
        """Whether a number is neither NaN nor infinite."""
        return z3.Not(z3.Or(z3.fpIsNaN(x), z3.fpIsInf(x)))

    def rounded(self, x: Value, how: str) -> Value:
        """The integer next to a number: ``floor``, ``ceil``, ``trunc`` or ``even``."""
        mode = {"floor": z3.RTN, "ceil": z3.RTP, "trunc": z3.RTZ, "even": z3.RNE}[how]
        return z3.fpRoundToIntegral(mode(), x)

    def div(self, x: Value, y: Value) -> Value:
        """The rounded quotient."""
        return z3.fpDiv(NEAREST, x, y)

    def remainder(self, x: Value, y: Value, floor: bool) -> Value:
        """Raises OutOfScope: z3 has no such operation."""
        raise OutOfScope("floating remainders")


@dataclass(frozen=True)
class Exact:
    """Mathematical numbers: real ones, or integers, or (``natural``) integers from 0 on."""

    integer: bool = False
    natural: bool = False

    add = staticmethod(operator.add)
    sub = staticmethod(operator.sub)
    mul = staticmethod(operator.mul)
    neg = staticmethod(operator.neg)
    equal = same = staticmethod(operator.eq)
    less = staticmethod(operator.lt)
    is_nan = staticmethod(_never)
    finite = staticmethod(_always)

    def variable(self, name: str) -> Value:
        """A real or integer variable."""
        return z3.Int(name) if self.integer else z3.Real(name)

    def number(self, value: float) -> Value:
        """A constant. Raises OutOfScope for NaN and infinities."""
        if not np.isfinite(value):
            raise OutOfScope(f"the constant {value} over the reals")
        return z3.IntVal(int(value)) if self.integer else z3.RealVal(str(simplest(value)))

    def rounded(self, x: Value, how: str) -> Value:
        """The integer next to a number: ``floor``, ``ceil``, ``trunc`` or ``even``."""
        if self.integer:
            return x
        down, up = z3.ToReal(z3.ToInt(x)), -z3.ToReal(z3.ToInt(-x))
        middle = down + z3.Q(1, 2)
        even = z3.ToInt(x) % 2 == 0
        of_mode = {"floor": down, "ceil": up, "trunc": z3.If(x < 0, up, down)}
        nearest = z3.If(z3.Or(x < middle, z3.And(x == middle, even)), down, down + 1)
        return nearest if how == "even" else of_mode[how]

    def div(self, x: Value, y: Value) -> Value:
        """The quotient, rounded to zero between integers."""
        if not self.integer:
            return x / y
        quotient = z3.If(x < 0, -x, x) / z3.If(y < 0, -y, y)
        return z3.If((x < 0) == (y < 0), quotient, -quotient)

    def remainder(self, x: Value, y: Value, floor: bool) -> Value:
        """The remainder of a division rounded down (``floor``), or to zero."""
        quotient = self.rounded(x / y, "floor" if floor else "trunc") if not self.integer else self.div(x, y)
        left = x - y * quotient
        if self.integer and floor:
            return z3.If(z3.And(left != 0, (left < 0) != (y < 0)), left + y, left)
        return left


@dataclass(frozen=True)
class Fixed:
    """Numbers in units of 1/256, wide enough not to overflow: attributes, constants and bounds beside integers."""

    width: int

    add = staticmethod(operator.add)
    sub = staticmethod(operator.sub)
    neg = staticmethod(operator.neg)
    equal = same = staticmethod(operator.eq)
    less = staticmethod(operator.lt)
    is_nan = staticmethod(_never)

    def variable(self, name: str) -> Value:
        """A variable."""
        return z3.BitVec(name, self.width)

    def number(self, value: float) -> Value:
        """A constant. Raises OutOfScope where it is no multiple of 1/256."""
        if not np.isfinite(value) or value * _UNITS != int(value * _UNITS):
            raise OutOfScope(f"the constant {value} beside integers")
        return z3.BitVecVal(int(value * _UNITS), self.width)

    def mul(self, x: Value, y: Value) -> Value:
        """The product, rounded to zero."""
        return (x * y) / _UNITS

    def divides(self, x: Value, y: Value) -> Value:
        """Whether a quotient is a number of whole units."""
        return z3.SRem(x * _UNITS, y) == 0

    def multiplies(self, x: Value, y: Value) -> Value:
        """Whether a product is a number of whole units."""
        return z3.SRem(x * y, z3.BitVecVal(_UNITS, self.width)) == 0

    def finite(self, x: Value) -> Value:
        """Whether a number is so small that a product of two such numbers does not overflow."""
        limit = 1 << (self.width // 2 - 1)
        return z3.And(-limit < x, x < limit)

    def rounded(self, x: Value, how: str) -> Value:
        """The number rounded to zero. Raises OutOfScope for other modes."""
        if how != "trunc":
            raise OutOfScope(f"{how} beside integers")
        return x / _UNITS * _UNITS

    def div(self, x: Value, y: Value) -> Value:
        """The quotient, rounded to zero."""
        return x * _UNITS / y

    def is_exponent(self, n: Value) -> Value:
        """Whether a number is a small integer from 0 on, so that its power of two fits."""
        return z3.And(z3.SRem(n, z3.BitVecVal(_UNITS, self.width)) == 0, n >= 0, n < self.number(self.width // 2 - 9))

    def power_of_two(self, n: Value) -> Value:
        """2 to the power of a whole number."""
        return self.number(1) << (n / _UNITS)

    def log2(self, x: Value) -> Value:
        """The logarithm to base 2 of a number from 1 on, rounded down."""
        out = self.number(0)
        for k in range(1, self.width // 2 - 9):
            out = z3.If(x < self.number(2**k), out, self.number(k))
        return out


Sort = Logic | Bits | Ieee | Exact | Fixed


def is_whole(sort: Sort) -> bool:
    """Whether a sort has only integers."""
    return isinstance(sort, Bits) or (isinstance(sort, Exact) and sort.integer)


def simplest(value: float) -> Fraction:
    """The number that a constant stands for: 1/3, not the nearest float, if both are equal in single precision."""
    near = Fraction(value).limit_denominator(1000)
    return near if np.float32(near) == np.float32(value) else Fraction(value)


# --- conversions -----------------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Notes:
    """Conditions that applications of operators add to their values.

    - ``defined``: where an application has a value at all (no integer is divided by zero).
    - ``real``: where it has a real value (no number is divided by zero).
    - ``known``: where its value is the same everywhere (no cast leaves the range of an integer).
    - ``fits``: where an integer has no overflow.
    - ``facts``: facts about the solver's auxiliary variables.
    - ``opaque``: the names of uninterpreted functions.
    """

    defined: list[Value] = field(default_factory=list)
    real: list[Value] = field(default_factory=list)
    known: list[Value] = field(default_factory=list)
    fits: list[Value] = field(default_factory=list)
    facts: list[Value] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)


def converted(x: Value, source: Sort, target: Sort, notes: Notes) -> Value:
    """A cast. Raises OutOfScope between machine numbers and mathematical ones."""
    match source, target:
        case _ if source == target:
            return x
        case ((Bits() | Ieee() | Exact() | Fixed()), Logic()):
            return z3.Not(source.equal(x, source.number(0)))
        case Logic(), (Bits() | Ieee() | Exact() | Fixed()):
            return z3.If(x, target.number(1), target.number(0))
        case Bits(), Bits():
            more = target.width - source.width
            if more <= 0:
                return z3.Extract(target.width - 1, 0, x)
            return z3.SignExt(more, x) if source.signed else z3.ZeroExt(more, x)
        case Bits(), Ieee():
            return (z3.fpSignedToFP if source.signed else z3.fpUnsignedToFP)(NEAREST, x, target.sort)
        case Ieee(), Ieee():
            return rounded_to(x, target)
        case Ieee(), Bits():
            return _to_bits(x, target, notes)
        case Bits(), Fixed():
            more = target.width - source.width
            return (z3.SignExt(more, x) if source.signed else z3.ZeroExt(more, x)) * _UNITS
        case Fixed(), Bits():
            return z3.Extract(target.width - 1, 0, x / _UNITS)
        case Exact(), Exact() if source.integer == target.integer:
            return x
        case Exact(), Exact():
            return z3.ToReal(x) if source.integer else z3.If(x < 0, -z3.ToInt(-x), z3.ToInt(x))
    raise OutOfScope("a cast between machine numbers and mathematical ones")


def rounded_to(x: Value, target: Ieee) -> Value:
    """A float in another floating type, without the casts to wider types before it."""
    while x.decl().kind() == z3.Z3_OP_FPA_TO_FP and x.num_args() == 2 and z3.is_fp(x.arg(1)) and _is_wider(x):
        x = x.arg(1)
    return x if x.sort() == target.sort else z3.fpFPToFP(NEAREST, x, target.sort)


def _is_wider(cast: Value) -> bool:
    """Whether the cast of a float keeps all values."""
    before, after = cast.arg(1).sort(), cast.sort()
    return bool(before.ebits() <= after.ebits() and before.sbits() <= after.sbits())


def _to_bits(x: Value, target: Bits, notes: Notes) -> Value:
    """A float as an integer, rounded to zero. A note excludes values out of the integer's range."""
    wide = Ieee("float64")
    whole = z3.fpRoundToIntegral(z3.RTZ(), rounded_to(x, wide))
    low = -(2 ** (target.width - 1)) if target.signed else 0
    notes.known.append(z3.And(z3.fpGEQ(whole, wide.number(low)), z3.fpLT(whole, wide.number(low + 2**target.width))))
    to_bits = z3.fpToSBV if target.signed else z3.fpToUBV
    return to_bits(z3.RTZ(), whole, z3.BitVecSort(target.width))


def python_value(value: Value, sort: Sort) -> Any:
    """A value of a model as a Python number."""
    match sort:
        case Logic():
            return z3.is_true(value)
        case Fixed():
            return value.as_signed_long() / _UNITS
        case Bits():
            return value.as_signed_long() if sort.signed else value.as_long()
        case Exact() if z3.is_algebraic_value(value):
            return float(value.approx(20).as_fraction())
        case Exact():
            return value.as_long() if sort.integer else Fraction(value.as_fraction())
    if z3.is_true(z3.simplify(z3.fpIsNaN(value))):
        return float("nan")
    dtype = dtypes.to_numpy(sort.dtype)
    bits = z3.simplify(z3.fpToIEEEBV(value)).as_long()
    return float(np.array(bits, f"uint{8 * dtype.itemsize}").view(dtype))
