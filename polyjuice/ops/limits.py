"""Error bounds for applications with infinities or NaN among their operands or results.

A NaN or an infinity is known where every compiler must give it. Its operands are then known, and it depends on no
zero's sign. It is also no overflow, which a narrower or wider intermediate type would change. The table says where
frameworks agree (``Op.limits``). Elsewhere such an operand masks all that depends on it. An overflow of a narrow type
is known: the program asks for that type, and nothing is computed in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.ops.spec import ErrorContext, Op, SpecialValues

#: An operator without INFINITY in its limits may compute with numbers this many times as great as its operands.
HEADROOM = 64.0

_MODERATE = (2.0**-10, 2.0**6)
"""The magnitudes of operands from which no function overflows, so that an infinite result means a pole."""


def carried(op: Op, c: ErrorContext, extreme: Sequence[np.ndarray | None], edge: bool) -> object:
    """``Op.error`` where some operands have ``extreme`` elements or, in edge mode, results are not finite."""
    if op.moves:
        return op.error(c)
    x, e = zip(*(_admitted(op, *operand) for operand in zip(c.x, c.e, extreme, strict=True)), strict=True)
    c = c._replace(x=x, e=e)
    if not (op.elementwise and op.limits and len(x) <= 2 and all(v.dtype.kind == "f" for v in x)):
        return op.error(c)
    y = c.y[0]
    x, e = ([np.broadcast_to(v, y.shape) for v in values] for values in (x, e))
    at = ~np.isfinite(y)
    for v in x:
        at = at | ~np.isfinite(v)
    bound = np.array(np.broadcast_to(np.asarray(op.error(c), np.float64), y.shape))
    bound[at] = _at_limits(op, c, [v[at] for v in x], [v[at] for v in e], y[at], edge)
    return np.where(op.disputed(c), np.inf, bound) if op.disputed else bound


def _admitted(op: Op, x: np.ndarray, e: np.ndarray, extreme: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """An operand, with an unbounded error where the operator's limits exclude its elements."""
    if extreme is None:
        return x, e
    missing = np.zeros(x.shape, bool)
    if SpecialValues.INFINITY not in op.limits:
        missing |= extreme & ~np.isnan(x)
    if SpecialValues.NAN not in op.limits:
        missing |= extreme & np.isnan(x)
    return (x if op.elementwise else np.where(missing, 0.0, x)), np.where(missing, np.inf, e)


def _at_limits(
    op: Op, c: ErrorContext, x: Sequence[np.ndarray], e: Sequence[np.ndarray], y: np.ndarray, edge: bool
) -> np.ndarray:
    """The distance of results from ``y`` for operands that lie anywhere within their errors, and zeros of either sign.

    The operators here are monotone in each operand on either side of zero, except those that are STRICT.
    """
    y = y.astype(np.float64)
    stored = c.held in dtypes.NARROW_FLOATS
    bound = np.zeros(y.shape)
    for point in product(*(_points(v, w) for v, w in zip(x, e, strict=True))):
        moved = np.asarray(c.numpy(point, c.attrs), np.float64)
        gap = np.where((moved == y) | np.isnan(moved) & np.isnan(y), 0.0, np.abs(moved - y))
        bound = np.maximum(bound, np.where(np.isnan(gap), np.inf, gap))
    unknown = np.zeros(y.shape, bool)
    finite, moderate = np.ones(y.shape, bool), np.ones(y.shape, bool)
    for v, w in zip(x, e, strict=True):
        unknown |= (w > 0) if SpecialValues.STRICT in op.limits else np.isinf(w)
        finite &= np.isfinite(v)
        size = np.abs(v)
        moderate &= (size == 0) | (size >= _MODERATE[0]) & (size <= _MODERATE[1])
    if not (edge and SpecialValues.POLE in op.limits):
        moderate[:] = False
    moderate |= stored
    return np.where(unknown | finite & ~moderate, np.inf, bound)


def _points(x: np.ndarray, e: np.ndarray) -> list[np.ndarray]:
    """The ends of an operand's interval; where that contains zero, zeros of both signs instead."""
    low, high = x - e, x + e
    crosses = (low <= 0) & (high >= 0)
    return [low, high, np.where(crosses, -0.0, low), np.where(crosses, 0.0, high)]
