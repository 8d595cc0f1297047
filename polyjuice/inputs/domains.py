"""The domains in which operators are finite, as losses to descend (NNSmith, section 3.3, table 1).

A *vulnerable* operator gives NaN or infinity on some moderate finite operands: outside an interval, at a pole, on lines
without variance. Its domain is a conjunction of inequalities. Each inequality f(X) <= 0 has the loss sum(max(f(x), 0))
(table 2): the distance of the operands from the domain. Any other operator can only overflow. Its loss is the excess of
its result, or the magnitude of its operands if the result is infinite even in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.inputs.derivatives import Cotangent, pullback
from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Node, TensorType, dtypes
from polyjuice.ops import Op, entry
from polyjuice.ops.domains import divisor

#: The largest share of its type's range that a result should reach, because compilers sum in other orders.
_ROOM = 0.25


def vulnerable(node: Node, results: Sequence[TensorType | None]) -> bool:
    """Return whether a node may give NaN or infinity on moderate finite operands."""
    op = entry(node)
    known = op is not None and (op.distance_to_domain is not None or op.overflows)
    return known and any(t is not None and dtypes.is_float(t.dtype) for t in results)


def divides(op: Op | None) -> bool:
    """Return whether an operator divides its first operand by its second."""
    return op is not None and op.distance_to_domain is divisor


def divides_by_zero(node: Node, operands: Sequence[np.ndarray]) -> bool:
    """Return whether a node divides integers by zero. Compilers may differ on the result."""
    return divides(entry(node)) and operands[1].dtype.kind in "iu" and not operands[1].all()


def loss_of(
    node: Node, operands: Sequence[np.ndarray], results: Sequence[TensorType | None], *, proxies: bool = True
) -> tuple[float, list[Cotangent]]:
    """Return the loss of a node whose result is not finite, and its derivatives by the operands.

    ``operands`` are finite, and in float64 if they are floating. The loss is 0 if nothing is known to help.
    """
    op = entry(node)
    if op is None:
        return 0.0, [None] * len(operands)
    with np.errstate(all="ignore"):
        lacks = op.distance_to_domain(operands, node.attrs) if op.distance_to_domain else {}
        loss = sum(float(np.sum(np.abs(lack))) for lack in lacks.values())
        if loss:
            return loss, [-np.sign(lacks[i]) if i in lacks else None for i in range(len(operands))]
        try:
            values = apply(node, operands, results, "float64")
        except EvaluationError:
            return 0.0, [None] * len(operands)
        loss, over = _overflow(values, results)
        led = pullback(node, operands, over, values, proxies=proxies)
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
