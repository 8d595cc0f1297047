"""Value bounds of operators, as data: intervals around results, in terms of the operands' intervals.

:mod:`polyjuice.egraph.bounds` makes rules of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The bounds of an operator's results, as expressions over the bounds of its operands.

    ``lo`` and ``hi`` are in prefix notation; "" means no bound. ``l0``, ``h0`` are the bounds of the first operand,
    ``l1``, ``h1`` of the second, and so on. An attribute goes by its name with ``_`` behind it. ``when`` is a condition
    on the operands' bounds. ``least`` and ``most`` are bounds that hold for all operands. ``wraps``: an integer result
    may overflow, and then has no bounds. ``whole``: the result is an integer for all operands. (Operators that the
    table calls exact turn integers into integers.)
    """

    lo: str
    hi: str
    when: str = ""
    least: str = ""
    most: str = ""
    wraps: bool = False
    whole: bool = False

    def fits(self, operands: int) -> bool:
        """Whether the expressions speak of every operand, given their number, or of only one."""
        spoken = {int(number) for number in re.findall(r"\b[lh](\d+)\b", f"{self.lo} {self.hi} {self.when}")}
        return len(spoken) < 2 or max(spoken) + 1 == operands


_PRODUCTS = "(* l0 l1) (* l0 h1) (* h0 l1) (* h0 h1)"
_QUOTIENTS = "(/ l0 l1) (/ l0 h1) (/ h0 l1) (/ h0 h1)"


def _fold(function: str, terms: str) -> str:
    """min or max of several parenthesised expressions or names, as nested calls."""
    first, *rest = re.findall(r"\([^()]*\)|[^\s()]+", terms)
    return f"({function} {first} {_fold(function, ' '.join(rest))})" if rest else first


def _exp(x: str) -> str:
    return f"(^ 2.718281828459045 {x})"


def _logistic(x: str) -> str:
    return f"(/ {_exp(x)} (+ 1.0 {_exp(x)}))"


def at_least(lo: str) -> Bounds:
    """The bounds of a result that has no upper bound."""
    return Bounds(lo, "", wraps=True)


def hull(operands: Sequence[int], filling: str) -> Bounds:
    """The bounds of a result whose elements come from these operands, or are ``filling`` unless it is ""."""
    lows, highs = ([*(f"{side}{i}" for i in operands), *filter(None, [filling])] for side in "lh")
    return Bounds(_fold("min", " ".join(lows)), _fold("max", " ".join(highs)))


SAME = Bounds("l0", "h0")
"""The result holds elements of the first operand, or values between them."""

WITHIN_ONE = Bounds("-1.0", "1.0")

SHARE = Bounds("0.0", "1.0")

PRODUCT = Bounds(_fold("min", _PRODUCTS), _fold("max", _PRODUCTS), wraps=True)

QUOTIENT = Bounds(_fold("min", _QUOTIENTS), _fold("max", _QUOTIENTS), when="(Float x0) (> (* l1 h1) 0.0)")

SIGMOID = Bounds(_logistic("l0"), _logistic("h0"), "", "0.0", "1.0")

SOFTPLUS = Bounds(_logistic("l0"), "(+ (max h0 0.0) 1.0)", least="0.0")

EXP = Bounds(f"(* 0.999999 {_exp('l0')})", f"(* 1.000001 {_exp('h0')})", least="0.0")
