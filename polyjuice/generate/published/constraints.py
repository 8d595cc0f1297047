"""Symbolic integers, and linear constraints between them. A solver finds values where the current ones do not suffice.

The samplers and shape signatures of the operator table are functions of integers. If an argument is a
:class:`Symbolic`, the function computes a linear form. Comparisons use the current value of the form, and each outcome
becomes a constraint. This is concolic execution (Godefroid, Klarlund and Sen, *DART*, PLDI 2005). So an operator's
entry alone states its requirements and its result shape, and the solver gets them from there. Operations that are not
linear pin the integer to its current value. Examples are a symbolic factor or divisor, the length of a range, and a
number that is hashed or formatted. An inequality is kept on the side where it holds now.

The current values satisfy all constraints. So the solver is asked only when two unequal integers must become equal.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any, NamedTuple, cast

import numpy as np

from polyjuice.generate.published.smt import Solver

Terms = tuple[tuple[int, int], ...]
"""Pairs of an unknown's number and its coefficient, sorted by number. No coefficient is 0."""

Bounds = tuple[int, int]
"""The least and the greatest value."""


def _pinning(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a method that pins the integer to its current value, for operations that are not linear."""
    return lambda self, other: operation(self.__index__(), other)


class Symbolic:
    """A linear form in unknowns. It behaves like an integer that has the form's current value."""

    __slots__ = ("constant", "system", "terms")

    def __init__(self, system: System, terms: Terms, constant: int) -> None:
        self.system = system
        self.terms = terms
        self.constant = constant

    def __index__(self) -> int:
        return self.system.pinned(self)

    def __hash__(self) -> int:
        return hash(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec)

    def __str__(self) -> str:
        return str(self.__index__())

    def __repr__(self) -> str:
        return f"Symbolic({self.terms}, {self.constant})"

    def __neg__(self) -> Any:
        return self * -1

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __add__(self, other: Any) -> Any:
        return _sum(self, other, 1) if _is_integer(other) else self.__index__() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _sum(self, other, -1) if _is_integer(other) else self.__index__() - other

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __mul__(self, other: Any) -> Any:
        if not _is_integer(other):
            return self.__index__() * other
        factor = operator.index(other)
        terms = tuple((x, factor * c) for x, c in self.terms) if factor else ()
        return _form(self.system, terms, factor * self.constant)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if not _is_integer(other):
            return self.__index__() // other
        return self.system.quotient(self, operator.index(other))

    def __mod__(self, other: Any) -> Any:
        return self - self // other * other

    __rfloordiv__ = _pinning(lambda x, y: y // x)
    __rmod__ = _pinning(lambda x, y: y % x)
    __truediv__ = _pinning(operator.truediv)
    __rtruediv__ = _pinning(lambda x, y: y / x)
    __pow__ = _pinning(operator.pow)
    __rpow__ = _pinning(lambda x, y: y**x)

    def __bool__(self) -> bool:
        return not self.system.is_zero(self)

    def __eq__(self, other: object) -> Any:
        return self.system.is_zero(self - other) if _is_integer(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.system.is_natural(self - other) if _is_integer(other) else self.__index__() >= other

    def __le__(self, other: Any) -> Any:
        return self.system.is_natural(other - self) if _is_integer(other) else self.__index__() <= other

    def __lt__(self, other: Any) -> Any:
        return not self >= other

    def __gt__(self, other: Any) -> Any:
        return not self <= other


def is_symbolic(x: Any) -> bool:
    """Return whether a value is a symbolic integer."""
    return isinstance(x, Symbolic)


def _is_integer(x: object) -> bool:
    return isinstance(x, Symbolic | int | np.integer)


def _form(system: System, terms: Terms, constant: int) -> Any:
    return Symbolic(system, terms, constant) if terms else constant


def _sum(x: Symbolic, y: Any, sign: int) -> Any:
    if not isinstance(y, Symbolic):
        return Symbolic(x.system, x.terms, x.constant + sign * int(y))
    found = dict(x.terms)
    for unknown, coefficient in y.terms:
        found[unknown] = found.get(unknown, 0) + sign * coefficient
    terms = tuple(sorted((unknown, c) for unknown, c in found.items() if c))
    return _form(x.system, terms, x.constant + sign * y.constant)


ZERO, NATURAL = "=", ">="


class Constraint(NamedTuple):
    """A linear form that must be zero, or at least zero."""

    relation: str
    terms: Terms
    constant: int


@dataclass(frozen=True)
class Mark:
    """A state of a system, to which ``System.rollback`` can return."""

    constraints: int
    narrowed: int
    values: tuple[int, ...]


class System:
    """Unknowns with bounds and current values, and constraints that these values satisfy."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.bounds: list[Bounds] = []
        """The bounds of each unknown."""
        self.constraints: list[Constraint] = []
        """Constraints between several unknowns. A constraint on one unknown narrows its bounds instead."""
        self._values: list[int] = []
        self._known: set[Constraint] = set()
        self._mentions: list[int] = []
        self._narrowed: list[tuple[int, Bounds]] = []
        """The earlier bounds of unknowns, in the order in which they changed."""
        self._quotients: dict[tuple[Terms, int, int], int] = {}

    # --- integers ----------------------------------------------------------------------------------------------------

    def unknown(self, low: int, high: int, value: int) -> int:
        """Return a new unknown between two integers, which may be symbolic. Samplers use it as an int."""
        limits: tuple[Any, Any] = low, high
        (least, _), (_, greatest) = (
            interval(self.bounds, limit.terms, limit.constant) if isinstance(limit, Symbolic) else (limit, limit)
            for limit in limits
        )
        form = Symbolic(self, ((len(self._values), 1),), 0)
        self._values.append(value)
        self.bounds.append((least, greatest))
        self._mentions.append(0)
        for limit, sign in zip(limits, (1, -1), strict=True):
            if isinstance(limit, Symbolic):
                gap = (form - limit) * sign
                self._require(NATURAL, gap.terms, gap.constant)
        return cast(int, form)

    def value(self, terms: Terms, constant: int) -> int:
        """Return the current value of a linear form."""
        values = self._values
        for x, c in terms:
            constant += c * values[x]
        return constant

    def pinned(self, form: Symbolic) -> int:
        """Return the current value of a form, and require that the form keeps it."""
        value = self.value(form.terms, form.constant)
        self._require(ZERO, form.terms, form.constant - value)
        return value

    def quotient(self, form: Symbolic, divisor: int) -> Any:
        """Return the form divided by a number, rounded down. Unless the division is exact, it is a new unknown."""
        if divisor <= 0:
            return -form // -divisor if divisor else self.pinned(form) // 0
        terms, constant = self._without_fixed(form.terms, form.constant)
        if all(c % divisor == 0 for _, c in terms):
            return _form(self, tuple((x, c // divisor) for x, c in terms), constant // divisor)
        key = terms, constant, divisor
        if key not in self._quotients:
            low, high = interval(self.bounds, terms, constant)
            self._quotients[key] = len(self._values)
            self.unknown(low // divisor, high // divisor, self.value(terms, constant) // divisor)
        quotient = Symbolic(self, ((self._quotients[key], 1),), 0)
        rest = Symbolic(self, terms, constant) - quotient * divisor
        self._require(NATURAL, rest.terms, rest.constant)
        self._require(NATURAL, *_negated(rest.terms, rest.constant - divisor))
        return quotient

    # --- constraints -------------------------------------------------------------------------------------------------

    def is_zero(self, form: Any) -> bool:
        """Return whether a form is zero now, and require that the answer stays the same."""
        if not isinstance(form, Symbolic):
            return bool(form == 0)
        value = self.value(form.terms, form.constant)
        if value == 0:
            self._require(ZERO, form.terms, form.constant)
        elif value > 0:
            self._require(NATURAL, form.terms, form.constant - 1)
        else:
            self._require(NATURAL, *_negated(form.terms, form.constant))
        return value == 0

    def is_natural(self, form: Any) -> bool:
        """Return whether a form is at least zero now, and require that the answer stays the same."""
        if not isinstance(form, Symbolic):
            return bool(form >= 0)
        natural = self.value(form.terms, form.constant) >= 0
        required = (form.terms, form.constant) if natural else _negated(form.terms, form.constant)
        self._require(NATURAL, *required)
        return natural

    def equate(self, x: int, y: int) -> bool:
        """Require that two integers are equal, even if they are not yet; return False if their bounds rule it out."""
        form: Any = x - y
        if not isinstance(form, Symbolic):
            return bool(form == 0)
        excess = self.value(form.terms, form.constant)
        for unknown, c in form.terms if excess else ():
            needed = self._values[unknown] - c * excess
            low, high = self.bounds[unknown]
            if abs(c) == 1 and not self._mentions[unknown] and low <= needed <= high:
                self._values[unknown] = needed  # no constraint mentions it
                break
        return self._require(ZERO, form.terms, form.constant)

    def _require(self, relation: str, terms: Terms, constant: int) -> bool:
        """Add a constraint, or narrow the bounds of its only unknown; return False if it contradicts the bounds."""
        terms, constant = self._without_fixed(terms, constant)
        low, high = interval(self.bounds, terms, constant)
        if high < 0 or (relation == ZERO and low > 0):
            return False
        if low >= 0 and (relation == NATURAL or high == 0):
            return True
        divisor = gcd(*(c for _, c in terms))
        if relation == ZERO:
            if constant % divisor:
                return False
            divisor = divisor if terms[0][1] > 0 else -divisor
        if divisor != 1:
            terms, constant = tuple((x, c // divisor) for x, c in terms), constant // divisor
        if len(terms) == 1:
            self._narrow(relation, *terms[0], constant)
            return True
        constraint = Constraint(relation, terms, constant)
        if constraint not in self._known:
            self._known.add(constraint)
            self.constraints.append(constraint)
            for x, _ in terms:
                self._mentions[x] += 1
        return True

    def _narrow(self, relation: str, unknown: int, coefficient: int, constant: int) -> None:
        """Narrow the bounds of an unknown so that ``coefficient * unknown + constant`` fits; the coefficient is +-1."""
        low, high = self.bounds[unknown]
        bound = -coefficient * constant
        self._narrowed.append((unknown, (low, high)))
        low = bound if relation == ZERO or coefficient > 0 else low
        high = bound if relation == ZERO or coefficient < 0 else high
        self.bounds[unknown] = low, high
        self._values[unknown] = min(max(self._values[unknown], low), high)

    def _without_fixed(self, terms: Terms, constant: int) -> tuple[Terms, int]:
        bounds = self.bounds
        for x, c in terms:
            low, high = bounds[x]
            if low == high:
                constant += c * low
        return tuple(term for term in terms if bounds[term[0]][0] != bounds[term[0]][1]), constant

    # --- going back --------------------------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Return the current state, for :meth:`rollback`."""
        return Mark(len(self.constraints), len(self._narrowed), tuple(self._values))

    def rollback(self, mark: Mark) -> None:
        """Undo everything since the mark, in the solver too."""
        self.solver.rollback(mark.constraints, mark.narrowed)
        for constraint in self.constraints[mark.constraints :]:
            self._known.discard(constraint)
            for x, _ in constraint.terms:
                self._mentions[x] -= 1
        del self.constraints[mark.constraints :]
        for unknown, bounds in reversed(self._narrowed[mark.narrowed :]):
            self.bounds[unknown] = bounds
        del self._narrowed[mark.narrowed :]
        count = len(mark.values)
        self._quotients = {key: unknown for key, unknown in self._quotients.items() if unknown < count}
        self._values[:] = mark.values
        del self.bounds[count:], self._mentions[count:]

    # --- solving -----------------------------------------------------------------------------------------------------

    def settle(self) -> bool:
        """Return whether values that satisfy all constraints were found. If not, the caller must roll back."""
        return all(self._holds(constraint) for constraint in self.constraints) or self.squeeze({})

    def squeeze(self, bins: Mapping[int, Bounds]) -> bool:
        """Find values, some of them within further bounds. Return False, and change nothing, if none are found."""
        narrowed = [unknown for unknown, _ in self._narrowed]
        values = self.solver.solve(self.constraints, narrowed, self.bounds, bins)
        for unknown, value in (values or {}).items():
            self._values[unknown] = value
        return values is not None

    def attributes(self) -> list[int]:
        """Return the unknowns that have more than one possible value, except quotients, which follow from others."""
        quotients = set(self._quotients.values())
        return [x for x, (low, high) in enumerate(self.bounds) if low < high and x not in quotients]

    def _holds(self, constraint: Constraint) -> bool:
        value = self.value(constraint.terms, constraint.constant)
        return value == 0 if constraint.relation == ZERO else value >= 0


def _negated(terms: Terms, constant: int) -> tuple[Terms, int]:
    """Return the form that is at least zero exactly where this one is not."""
    return tuple((x, -c) for x, c in terms), -constant - 1


def interval(bounds: Sequence[Bounds], terms: Terms, constant: int) -> Bounds:
    """Return the least and the greatest value of a form, by the bounds of its unknowns."""
    low = high = constant
    for x, c in terms:
        least, greatest = bounds[x]
        low += c * (least if c > 0 else greatest)
        high += c * (greatest if c > 0 else least)
    return low, high
