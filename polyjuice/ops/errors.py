"""Rules that carry absolute error bounds from an operator's operands to its result.

Each rule bounds the true change, not its linearisation, so that the bounds hold for large operand errors too. An
element without a bound (a decision that the error could turn over, a pole) gets an infinite one. An infinite bound
masks the element, and all that depends on it. The caller adds the rounding of the operator itself, from ``Op.ulps``.

Sums follow Higham, Accuracy and Stability of Numerical Algorithms, section 4.2. Any order of summation of n terms errs
by at most (n - 1) u times the sum of magnitudes, to first order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.ops.spec import ErrorContext, ErrorFn, NumpyFn

# Why an entry does not derive its function or error bound, where several share the reason (:attr:`Op.why_not_derived`).
SUM_WITH_ONE = "its definition loses digits in a sum with 1"
OPEN_SIGN = "its definition decides by the sign of a number, which takes more steps and is open near 0"
OPEN_ZERO = "the sign of a zero is open, and its definition takes every zero for a positive one"
NEGATIVE_INDICES = "ATen refuses negative indices, which its definition takes"


def none(c: ErrorContext) -> np.ndarray:
    """For operators without errors: their operands are integers, or the result is a shape."""
    return np.zeros(np.shape(c.y[0]))


def moved(c: ErrorContext) -> object:
    """For operators that rearrange elements: the errors move along. Only floating operands may carry errors."""
    return c.numpy([np.broadcast_to(e, np.shape(x)) for e, x in zip(c.e, c.x, strict=True)], c.attrs)


def lipschitz(constant: float = 1.0) -> ErrorFn:
    """For functions that move at most ``constant`` times as far as their single operand."""
    return lambda c: constant * c.e[0]


def added(c: ErrorContext) -> np.ndarray:
    """For sums, differences and selections: the operands' errors add up."""
    total = np.zeros(np.shape(c.y[0]))
    for e in c.e:
        total = total + e
    return total


def one_sum(c: ErrorContext) -> np.ndarray:
    """For one sum or difference, with its rounding.

    The rounding loses at most the smaller operand, so that a huge operand keeps its value.
    """
    (a, b), (ea, eb) = c.x, c.e
    carried = ea + eb
    if not c.unit:
        return np.asarray(carried + np.zeros(np.shape(c.y[0])))
    smaller = np.minimum(np.abs(a) + ea, np.abs(b) + eb)
    return np.asarray(carried + np.minimum(c.unit * (np.abs(c.y[0]) + carried), smaller))


def largest(c: ErrorContext) -> np.ndarray:
    bound = np.zeros(np.shape(c.y[0]))
    for e in c.e:
        bound = np.maximum(bound, e)
    return bound


def isotone(c: ErrorContext) -> np.ndarray:
    """For functions that grow with every operand (such as the greatest of some): all operands move the same way."""
    if not in_doubt(c):
        return np.zeros(np.shape(c.y[0]))
    return corners(c, [[x + side * e for x, e in zip(c.x, c.e, strict=True)] for side in (-1.0, 1.0)])


def in_doubt(c: ErrorContext) -> bool:
    return any(e.any() for e in c.e)


def product(c: ErrorContext) -> np.ndarray:
    """|ab - (a + da)(b + db)|."""
    (a, b), (ea, eb) = c.x, c.e
    return np.asarray(_finite_product(np.abs(a), eb) + _finite_product(np.abs(b), ea) + _finite_product(ea, eb))


def _finite_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a * b where 0 times infinity is infinity: an unbounded error stays unbounded."""
    out = a * b
    return np.where(np.isinf(a) | np.isinf(b), np.inf, out)


def quotient(c: ErrorContext) -> np.ndarray:
    """|a/b - (a + da)/(b + db)|; unbounded where the error reaches the pole."""
    (_, b), (ea, eb) = c.x, c.e
    margin = np.abs(_float(b)) - eb
    return np.where(margin > 0, (ea + np.abs(c.y[0]) * eb) / np.where(margin > 0, margin, 1.0), np.inf)


def monotone(c: ErrorContext) -> np.ndarray:
    """For a monotone function of one operand: its values at the ends of the operand's interval."""
    return corners(c, [[c.x[0] - c.e[0]], [c.x[0] + c.e[0]]])


def corners(c: ErrorContext, points: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    """The largest distance of the result from its values at the given operand points; infinite where one is NaN.

    It is also infinite for an operand of infinite error. Such an operand may be a NaN, for which even a bounded
    function gives NaN.
    """
    bound = np.zeros(np.shape(c.y[0]))
    for point in points:
        distance = np.abs(c.numpy(point, c.attrs) - c.y[0])
        bound = np.maximum(bound, np.where(np.isnan(distance), np.inf, distance))
    for e in c.e:
        bound = np.where(np.isinf(e), np.inf, bound)
    return bound


def plus_absolute(rule: ErrorFn, units: float) -> ErrorFn:
    """A rule plus ``units`` unit roundoffs of 1, for functions computed through terms of magnitude 1."""

    def bound(c: ErrorContext) -> object:
        return rule(c) + units * c.unit

    return bound


def decided(steps: Callable[[ErrorContext], np.ndarray]) -> ErrorFn:
    """For decisions: no error where the operands' errors cannot turn it over (``steps`` is False), else unbounded."""
    return lambda c: np.where(steps(c), np.inf, 0.0)


def comparison_unstable(c: ErrorContext) -> np.ndarray:
    reach = c.e[0] + c.e[1]
    gap = np.abs(_float(c.x[0]) - _float(c.x[1]))
    return np.where(reach > 0, ~(gap > reach), False)


def _float(x: np.ndarray) -> np.ndarray:
    return np.asarray(x, np.float64)


def stepped(c: ErrorContext) -> np.ndarray:
    """For a step function of one operand (floor, sign, an integer cast): unbounded if its interval crosses a step."""
    low, high = c.numpy([c.x[0] - c.e[0]], c.attrs), c.numpy([c.x[0] + c.e[0]], c.attrs)
    return np.where((c.e[0] > 0) & ~(low == high), np.inf, 0.0)


def infinite_if(mask: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return np.where(mask, np.inf, bound)


def summed(terms: int, c: ErrorContext, errors: np.ndarray, magnitudes: np.ndarray) -> np.ndarray:
    """For a sum of ``terms`` terms: the summed errors, plus the rounding of a sum in any order."""
    size = magnitudes + errors
    return infinite_if(overflows(c, size), errors + terms * c.unit * size)


def weighted_sum(c: ErrorContext, apply: NumpyFn, terms: int) -> np.ndarray:
    """For an operator ``apply`` that sums ``terms`` of the first operand's elements with weights of at least 0."""
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    return summed(terms, c, apply([e], c.attrs), apply([np.abs(c.x[0])], c.attrs))


def summed_beyond(
    x: np.ndarray, e: np.ndarray, meets: Callable[[np.ndarray], np.ndarray], bound: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """For a sum with infinities or NaN among its terms.

    The sum is NaN with any NaN, or with infinities of both signs. ``meets`` maps a mask of terms to the mask of sums
    that have one of them. ``bound`` is the bound for finite terms.
    """
    finite = np.isfinite(x)
    if finite.all():
        return bound(x)
    unknown = np.isinf(e)
    rest = bound(np.where(finite, x, 0.0))
    infinite = meets(np.isinf(x)) & np.isfinite(rest)
    return np.where(meets(np.isnan(x) & ~unknown) | infinite & ~meets(unknown), 0.0, rest)


def exponent_errors(x: np.ndarray, e: np.ndarray, axes: tuple[int, ...], unit: float) -> tuple[np.ndarray, np.ndarray]:
    """The elements less the greatest of each line, and their errors with the rounding of that difference.

    An element of -inf is certainly left out. A difference loses at most the smaller operand, so a huge negative number,
    which also leaves an element out, keeps its value.
    """
    top = np.max(x, axis=axes, keepdims=True, initial=-np.inf)
    low = x - top
    smaller = np.abs(top) + np.max(e, axis=axes, keepdims=True, initial=0.0)
    return low, np.asarray(e + np.where(low == -np.inf, 0.0, np.minimum(4 * unit * np.abs(low), smaller)))


def log_sum_error(x: np.ndarray, e: np.ndarray, axes: tuple[int, ...], unit: float) -> np.ndarray:
    """The error that operands carry into log(sum(exp(x))), where each term counts by its share in the sum.

    |log(sum(exp(x + d))) - log(sum(exp(x)))| <= log(sum(p exp(|d|))) where p = softmax(x). The error is unbounded in a
    line whose greatest element is not finite.
    """
    low, moved = exponent_errors(x, e, axes, unit)
    unknown = np.any(~(moved < np.inf) | np.isnan(low), axis=axes, keepdims=True)
    total = np.log(np.sum(np.exp(low), axis=axes, keepdims=True))
    raised = np.where(unknown, 0.0, low - total + np.where(np.isinf(moved), 0.0, moved))
    top = np.max(raised, axis=axes, keepdims=True, initial=-np.inf)
    bound = np.log(np.sum(np.exp(raised - top), axis=axes, keepdims=True)) + top
    return np.where(unknown, np.inf, np.maximum(bound, 0.0))


def gathered(c: ErrorContext) -> object:
    """The errors of the first operand's elements at the places in the others; infinite if a place is in doubt."""
    if any(np.any(e) for e in c.e[1:]):
        return np.full(np.shape(c.y[0]), np.inf)
    return c.numpy([np.broadcast_to(c.e[0], c.x[0].shape), *c.x[1:]], c.attrs)


def held(c: ErrorContext) -> str:
    """The floating type whose roundings the context counts (the widest one if it counts none)."""
    return next((t for t in dtypes.FLOATS if dtypes.unit_roundoff(t) == c.unit), "float64")


def overflows(c: ErrorContext, magnitudes: np.ndarray) -> np.ndarray:
    """The mask of intermediate values, by their magnitudes, that may overflow the type."""
    return np.asarray(~(magnitudes <= dtypes.largest_finite(held(c)) / 2))


def multilinear(c: ErrorContext, function: Callable[[Sequence[np.ndarray]], np.ndarray], terms: int) -> np.ndarray:
    """For a sum of ``terms`` products, affine in each operand: ``function`` on magnitudes bounds the errors.

    |f(x + d) - f(x)| is at most f(|x| + e) - f(|x|) for non-negative e. An unbounded operand error reaches all results
    that the element takes part in, even where it meets a zero. Without operand errors the first term is 0, because two
    sums of the same large terms may be rounded differently.
    """
    sizes = [np.abs(x if x.dtype.kind == "c" else np.asarray(x, np.float64)) for x in c.x]
    e = [np.broadcast_to(np.asarray(e, np.float64), x.shape) for e, x in zip(c.e, sizes, strict=True)]
    known = [np.where(np.isfinite(v), v, 0.0) for v in e]
    widest = size = function(sizes)
    if any(v.any() for v in known):
        widest = function([x + v for x, v in zip(sizes, known, strict=True)])
    bound = np.asarray(np.maximum(widest - size, 0.0) + terms * c.unit * widest)
    for i, v in enumerate(e):
        if not np.isfinite(v).all():
            ones = [np.ones_like(x) for x in sizes]
            without, reached = ([*ones[:i], part, *ones[i + 1 :]] for part in (0 * ones[i], np.isinf(v).astype(float)))
            bound = np.where(function(reached) > function(without), np.inf, bound)
    return infinite_if(overflows(c, widest), bound)


# --- rounding beyond ``Op.ulps`` -------------------------------------------------------------------------------------


def plus_proportional(rule: ErrorFn, units: float) -> ErrorFn:
    """A rule plus ``units`` unit roundoffs of the first operand, for its products with a rounded factor."""
    return lambda c: rule(c) + units * c.unit * np.abs(c.x[0])


def plus_backward(rule: ErrorFn, units: float, low: float = -np.inf, high: float = np.inf) -> ErrorFn:
    """A rule plus the effect of ``units`` unit roundoffs of the single operand, within the function's domain."""

    def bound(c: ErrorContext) -> np.ndarray:
        reach = units * c.unit * np.abs(c.x[0])
        ends = [[np.clip(c.x[0] + side * reach, low, high)] for side in (-1.0, 1.0)]
        return np.asarray(rule(c) + corners(c, ends))

    return bound


def least_by(c: ErrorContext) -> np.ndarray:
    """The mask of integer quotients of the least number by -1, which no type holds; processors trap there."""
    if c.x[0].dtype.kind != "i":
        return np.zeros(np.shape(c.y[0]), bool)
    return np.asarray((c.x[0] == np.iinfo(c.x[0].dtype).min) & (c.x[1] == -1))


def unless_overflow(c: ErrorContext, magnitudes: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """The bound, infinite where an intermediate value of such a magnitude may overflow the result's floating type."""
    return infinite_if(overflows(c, magnitudes), bound)


# --- decisions -------------------------------------------------------------------------------------------------------


def near(c: ErrorContext, threshold: float) -> np.ndarray:
    """Whether the first operand lies within its error, and the threshold's rounding, of the threshold."""
    reach = c.e[0] + 2 * c.unit * abs(threshold)
    return np.where(reach > 0, ~(np.abs(_float(c.x[0]) - threshold) > reach), False)


def known(c: ErrorContext) -> np.ndarray:
    """For a question that every finite error leaves settled: whether an operand is finite, a NaN, an infinity."""
    return np.where(np.isinf(c.e[0]), np.inf, 0.0)
