"""The domains in which operators are finite, as losses to descend (NNSmith, paper 001, section 3.3, table 1).

A *vulnerable* operator gives NaN or infinity on some moderate finite operands: outside an interval, at a pole, on lines
without variance. Its domain is a conjunction of inequalities. Each inequality f(X) <= 0 has the loss sum(max(f(x), 0))
(table 2): the distance of the operands from the domain. Any other operator can only overflow. Its loss is the excess of
its result, or the magnitude of its operands if the result is infinite even in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from polyjuice.inputs.derivatives import Cotangent, pullback
from polyjuice.inputs.linear_adjoints import onto
from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Attrs, Node, TensorType, dtypes
from polyjuice.ops import along, entry

Lack = Callable[[Sequence[np.ndarray], Attrs], Mapping[int, np.ndarray]]
"""A function that returns, by operand, how far each element (in float64) should move up or down to reach the domain.

The loss is the sum of these distances. Its derivative by an element has the opposite sign of that element's move.
"""

#: How far inside its domain an operand should be, so that it is well-conditioned there.
MARGIN = 0.02

#: The largest share of its type's range that a result should reach, because compilers sum in other orders.
_ROOM = 0.25

#: The largest exponent of e that a power may reach (the paper's value).
_LARGEST_EXPONENT = 40.0


def _within(place: int, low: float = -np.inf, high: float = np.inf) -> Lack:
    """An operand must be between two bounds."""

    def lack(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
        v = x[place]
        return {place: np.maximum(low + MARGIN - v, 0) - np.maximum(v - high + MARGIN, 0)}

    return lack


def _away(v: np.ndarray, pole: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the move from near a pole to the margin around it, on the value's own side."""
    gap = v - pole
    return np.where(np.abs(gap) < MARGIN, np.copysign(MARGIN, gap) - gap, 0.0)


def _nonzero(place: int) -> Lack:
    """An operand must not be zero."""
    return lambda x, a: {place: _away(x[place])}


def _no_pole(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """Gamma functions have poles at 0, -1, -2, ..."""
    return {0: np.where(x[0] < MARGIN, _away(x[0], np.round(x[0])), 0.0)}


def _logit(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """The operand must be between 0 and 1, unless a positive ``eps`` clamps it already."""
    return {} if a["eps"] else _within(0, 0.0, 1.0)(x, a)


def _power(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """The base must be positive if the exponent is no integer, and not 0 if it is negative. No overflow may occur."""
    base, exponent = np.broadcast_arrays(x[0].astype(np.float64), x[1].astype(np.float64))
    logarithm = np.log(np.maximum(np.abs(base), 1e-30))
    excess = np.maximum(exponent * logarithm - _LARGEST_EXPONENT, 0)
    of_base = -np.sign(base * exponent) * np.minimum(excess, 1.0)
    of_base = np.where(exponent < 0, np.where(excess > 0, _away(base), of_base), of_base)
    of_base = np.where(exponent != np.round(exponent), of_base + np.maximum(MARGIN - base, 0), of_base)
    return {0: onto(x[0].shape, of_base), 1: onto(x[1].shape, -np.sign(logarithm) * np.minimum(excess, 1.0))}


def _positive_sum(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """ReduceLogSum: the sums must be positive. The terms share the missing amount."""
    axes = along.axes(a, x[0].ndim)
    short = np.maximum(MARGIN - np.sum(x[0], axis=axes, keepdims=True), 0) / along.terms(a, x[0].shape)
    return {0: np.broadcast_to(short, x[0].shape)}


def _varied(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """MeanVarianceNormalization: no line may be constant. Its elements move apart, every other one upwards."""
    axes = tuple(axis % x[0].ndim for axis in a["axes"])
    flat = np.var(x[0], axis=axes, keepdims=True) < MARGIN**2
    side = np.where(np.arange(x[0].size) % 2, MARGIN, -MARGIN).reshape(x[0].shape)
    return {0: np.where(flat, side, 0.0)}


DOMAINS: Mapping[str, Lack] = {
    "Sqrt": _within(0, 0.0),
    "Log": _within(0, 0.0),
    "aten.log2": _within(0, 0.0),
    "aten.log10": _within(0, 0.0),
    "aten.rsqrt": _within(0, 0.0),
    "aten.log1p": _within(0, -1.0),
    "aten.xlogy": _within(1, 0.0),
    "aten.logit": _logit,
    "Asin": _within(0, -1.0, 1.0),
    "Acos": _within(0, -1.0, 1.0),
    "Atanh": _within(0, -1.0, 1.0),
    "aten.erfinv": _within(0, -1.0, 1.0),
    "Acosh": _within(0, 1.0),
    "aten.lgamma": _no_pole,
    "aten.digamma": _no_pole,
    "Reciprocal": _nonzero(0),
    "Div": _nonzero(1),
    "aten.addcdiv": _nonzero(2),
    "Mod": _nonzero(1),
    "aten.remainder": _nonzero(1),
    "aten.fmod": _nonzero(1),
    "aten.floor_divide": _nonzero(1),
    "aten.remainder.Scalar_Tensor": _nonzero(0),
    "aten.pow.Tensor_Scalar": _within(0, 0.0),
    "Pow": _power,
    "BatchNormalization": _within(4, 0.0),
    "ReduceLogSum": _positive_sum,
    "MeanVarianceNormalization": _varied,
}
"""The functions that compute the lacks of vulnerable operators' operands, by qualified name."""

_SOON_TOO_LARGE = frozenset(
    ["Exp", "aten.expm1", "aten.exp2", "aten.pow.Scalar", "Sinh", "Cosh", "ReduceProd", "aten.cumprod"]
)
"""Operators that overflow on operands of moderate size."""

_DIVISIONS = frozenset(["Div", "Mod", "aten.remainder", "aten.fmod", "aten.floor_divide"])


def vulnerable(node: Node, results: Sequence[TensorType | None]) -> bool:
    """Return whether a node may give NaN or infinity on moderate finite operands."""
    known = node.qualified in DOMAINS or node.qualified in _SOON_TOO_LARGE
    return known and not node.opaque and any(t is not None and dtypes.is_float(t.dtype) for t in results)


def divides_by_zero(node: Node, operands: Sequence[np.ndarray]) -> bool:
    """Return whether a node divides integers by zero. Compilers may differ on the result."""
    divides = node.qualified in _DIVISIONS and not node.opaque
    return divides and operands[1].dtype.kind in "iu" and not operands[1].all()


def loss_of(
    node: Node, operands: Sequence[np.ndarray], results: Sequence[TensorType | None], proxy: bool = True
) -> tuple[float, list[Cotangent]]:
    """Return the loss of a node whose result is not finite, and its derivatives by the operands.

    ``operands`` are finite, and in float64 if they are floating. The loss is 0 if nothing is known to help.
    """
    op = entry(node)
    if op is None:
        return 0.0, [None] * len(operands)
    with np.errstate(all="ignore"):
        lacks = DOMAINS[op.qualified](operands, node.attrs) if op.qualified in DOMAINS else {}
        loss = sum(float(np.sum(np.abs(lack))) for lack in lacks.values())
        if loss:
            return loss, [-np.sign(lacks[i]) if i in lacks else None for i in range(len(operands))]
        try:
            values = apply(node, operands, results, "float64")
        except EvaluationError:
            return 0.0, [None] * len(operands)
        loss, over = _overflow(values, results)
        led = pullback(node, operands, over, values, proxy=proxy)
        if np.isfinite(loss) and any(c is not None and np.any(c) for c in led):
            return loss, led
    sizes = [np.abs(x) if x.dtype.kind == "f" else np.zeros(()) for x in operands]
    return float(sum(np.sum(size) for size in sizes)), [np.sign(x) if x.dtype.kind == "f" else None for x in operands]


def _overflow(values: Sequence[np.ndarray], types: Sequence[TensorType | None]) -> tuple[float, list[Cotangent]]:
    """Return how far results exceed the wanted range of their types, and the derivatives of that excess."""
    loss = 0.0
    signs: list[Cotangent] = []
    for y, t in zip(values, types, strict=True):
        if t is None or not dtypes.is_float(t.dtype):
            signs.append(None)
            continue
        excess = np.maximum(np.abs(y) - _ROOM * dtypes.largest_finite(t.dtype), 0)
        loss += float(np.sum(excess))
        signs.append(np.where(excess > 0, np.sign(y), 0.0))
    return loss, signs
