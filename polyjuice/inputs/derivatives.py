"""Vector-Jacobian products of the operator table. They propagate a loss on one value back to a graph's inputs.

Most operators need no formula here. Elementwise operators are differenced. For operators that move elements, the origin
of each result element is computed. Operators with a definition are decomposed. For the rest,
some entries have formulas. Where an operator is flat or stepped, a *proxy derivative* gives its
trend (NNSmith, section 3.3). Any other operator is differenced along blocks of elements.

All arithmetic uses float64, whatever the graph's own element types are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Graph, GraphError, Node, TensorType, complexes, dtypes
from polyjuice.ops import Op, entry
from polyjuice.ops.definitions import Undefined, definition
from polyjuice.ops.linear_adjoints import onto
from polyjuice.ops.spec import VjpContext

Cotangent = np.ndarray | None
"""The derivative of a loss by each element of a value; None stands for zeros."""

#: The step of a central difference, relative to values above 1: near the cube root of float64's precision.
_STEP = 1e-5

#: Steps over which a flat or stepped function still shows its trend (a rounding, a Relu, a comparison).
_WIDE_STEPS = (1.0, 8.0)

#: A difference quotient of a stepped function above this value comes from a jump.
_JUMP = 100.0

#: The largest slope. Steeper ones would drown all others.
_STEEPEST = 1e6

#: The fraction that marks the code of an operand element, so that no other value looks like a code.
_MARK = 0.318

#: How many blocks of elements :func:`_along_blocks` moves, one after the other.
_BLOCKS = 4


def pullback(
    node: Node,
    operands: Sequence[np.ndarray],
    cotangents: Sequence[Cotangent],
    results: Sequence[np.ndarray | None],
    wanted: Sequence[bool] | None = None,
    *,
    proxies: bool = True,
) -> list[Cotangent]:
    """Return the cotangents of a node's operands, from the cotangents of its results.

    Floating ``operands`` and ``results`` are in float64. A result that nobody reads may be None. ``wanted`` selects the
    operands whose cotangents are needed. ``proxies`` allows proxy derivatives of elementwise operators.
    """
    wanted = [True] * len(operands) if wanted is None else wanted
    op = entry(node)
    if op is None or all(c is None for c in cotangents):
        return [None] * len(operands)
    with np.errstate(all="ignore"):
        if op.unrolled:
            return pullback_graph(op.unrolled.graph(operands, node.attrs), operands, cotangents, proxies=proxies)
        found = _pulled_back(op, node, operands, cotangents, results, wanted, proxies)
    return [_finite(c) if ask else None for c, ask in zip(found, wanted, strict=True)]


def pullback_graph(
    graph: Graph, inputs: Sequence[np.ndarray], cotangents: Sequence[Cotangent], *, proxies: bool = True
) -> list[Cotangent]:
    """Return the cotangents of a graph's inputs, from those of its outputs."""
    values = dict(zip(graph.inputs, map(widened, inputs), strict=True))
    values |= {name: widened(array) for name, array in graph.constants.items()}
    for node in graph.nodes:
        types = [graph.types[name] if name else None for name in node.outputs]
        made = apply(node, [values[name] for name in node.inputs if name], types, "float64")
        values.update((name, array) for name, array in zip(node.outputs, made, strict=True) if name)
    collected: dict[str, np.ndarray] = {}
    for name, cotangent in zip(graph.outputs, cotangents, strict=True):
        add(collected, name, cotangent)
    back_propagate(graph, values, collected, set(graph.inputs), len(graph.nodes), proxies=proxies)
    return [collected.get(name) for name in graph.inputs]


def back_propagate(
    graph: Graph,
    values: Mapping[str, np.ndarray],
    cotangents: dict[str, np.ndarray],
    sources: set[str],
    count: int,
    *,
    proxies: bool = True,
) -> None:
    """Propagate cotangents back through the first ``count`` nodes to the values in ``sources``.

    ``values`` holds the operands of those nodes. The new cotangents are added to ``cotangents``.
    """
    varying = set(sources)
    for node in graph.nodes[:count]:
        if varying.intersection(node.inputs):
            varying.update(name for name in node.outputs if name)
    for node in reversed(graph.nodes[:count]):
        of_results = [cotangents.get(name) if name else None for name in node.outputs]
        names = [name for name in node.inputs if name]
        wanted = [name in varying for name in names]
        if not any(wanted) or all(c is None for c in of_results):
            continue
        results = [widened(values[name]) if name else None for name in node.outputs]
        found = pullback(node, [widened(values[name]) for name in names], of_results, results, wanted, proxies=proxies)
        for name, cotangent in zip(names, found, strict=True):
            add(cotangents, name, cotangent)


def add(cotangents: dict[str, np.ndarray], name: str, more: Cotangent) -> None:
    """Add to the cotangent of a value."""
    if more is not None:
        cotangents[name] = cotangents[name] + more if name in cotangents else more


def widened(array: np.ndarray) -> np.ndarray:
    """Return a floating array in float64, 4-bit integers in int8, and other arrays unchanged."""
    if array.dtype.kind in "iubc":
        return array
    whole = dtypes.is_int(dtypes.dtype_of(array))
    return array.astype(np.int8 if whole else np.float64, copy=False)


def _finite(cotangent: Cotangent) -> Cotangent:
    if cotangent is None or not cotangent.any():
        return None
    if np.isfinite(cotangent).all():
        return cotangent
    return np.nan_to_num(cotangent, nan=0.0, posinf=_STEEPEST, neginf=-_STEEPEST)


def _pulled_back(
    op: Op,
    node: Node,
    operands: Sequence[np.ndarray],
    cotangents: Sequence[Cotangent],
    results: Sequence[np.ndarray | None],
    wanted: Sequence[bool],
    proxies: bool,
) -> Sequence[Cotangent]:
    first, result = cotangents[0], results[0]
    if any(x is not None and complexes.is_complex(x) for x in (*operands, *results)):
        return [None] * len(operands)  # complex numbers propagate nothing
    if op.adjoint and first is not None and result is not None:
        found = op.adjoint(VjpContext(operands, result, first, node.attrs, op.numpy))
        return [*found, *[None] * (len(operands) - len(found))]
    if op.moves or op.picks:
        return _moved(op, node, operands, cotangents)
    if op.elementwise and first is not None:
        steps = _WIDE_STEPS if proxies else ()
        return [_differenced(op, node, operands, i, first, steps) if ask else None for i, ask in enumerate(wanted)]
    if callable(op.definition):
        types = [TensorType(dtypes.dtype_of(x), x.shape) for x in operands]
        try:
            return pullback_graph(definition(op, types, node.attrs), operands, cotangents, proxies=proxies)
        except (Undefined, GraphError, EvaluationError):
            pass
    return _along_blocks(node, operands, cotangents, wanted)


# --- elementwise operators -------------------------------------------------------------------------------------------


def _differenced(
    op: Op, node: Node, operands: Sequence[np.ndarray], place: int, cotangent: np.ndarray, wide: Sequence[float]
) -> np.ndarray:
    """Return one operand's cotangent, from the difference quotients of all its elements at once.

    Where the operator is flat, the steps are as ``wide`` as needed.
    """
    x = operands[place]
    if x.dtype.kind == "f":
        slope = _slope(op, node, operands, place, _STEP * np.maximum(np.abs(x), 1.0))
    else:
        slope = np.zeros(cotangent.shape)
    if not op.continuous:
        slope = np.where(np.abs(slope) > _JUMP, 0.0, slope)
    for step in wide:
        flat = (slope == 0) & (cotangent != 0)
        if not flat.any():
            break
        slope = np.where(flat, _slope(op, node, operands, place, np.full(x.shape, step)), slope)
    return onto(x.shape, cotangent * slope)


def _slope(op: Op, node: Node, operands: Sequence[np.ndarray], place: int, step: np.ndarray) -> np.ndarray:
    """Return the central difference quotient, or the one-sided one where the operator is finite only there."""

    def at(x: np.ndarray) -> np.ndarray:
        moved = [*operands[:place], x, *operands[place + 1 :]]
        return np.asarray(op.numpy(moved, node.attrs)).astype(np.float64)

    x = operands[place]
    if x.dtype.kind == "b":
        return np.asarray(at(np.ones_like(x)) - at(np.zeros_like(x)))
    steps = step.astype(x.dtype)
    above, below, width = at(x + steps), at(x - steps), step
    slope = (above - below) / (2 * width)
    if not np.isfinite(slope).all():
        here = at(x)
        forward, backward = (above - here) / width, (here - below) / width
        slope = np.where(np.isfinite(slope), slope, np.where(np.isfinite(forward), forward, backward))
        slope = np.nan_to_num(slope, nan=0.0)
    return np.asarray(np.clip(slope, -_STEEPEST, _STEEPEST))


# --- operators that move elements ------------------------------------------------------------------------------------


def _moved(op: Op, node: Node, operands: Sequence[np.ndarray], cotangents: Sequence[Cotangent]) -> list[Cotangent]:
    """Return the operands' cotangents: each result element's cotangent goes to the operand element that it came from.

    Each operand element is replaced by a code. Larger elements get larger codes, so that an operator that compares
    elements makes the same choice.
    """
    data = [i for i in range(len(operands)) if op.variable(i) in op.results and operands[i].size]
    elements = np.concatenate([operands[i].reshape(-1).astype(np.float64) for i in data] or [np.zeros(0)])
    codes = np.empty(elements.size)
    codes[np.argsort(elements, kind="stable")] = np.arange(elements.size) + _MARK
    ends = np.cumsum([operands[i].size for i in data])
    coded = list(operands)
    for i, end in zip(data, ends, strict=True):
        coded[i] = codes[end - operands[i].size : end].reshape(operands[i].shape)
    raw = op.numpy(coded, node.attrs)
    by_code = np.zeros(elements.size)
    for result, cotangent in zip(raw if isinstance(raw, tuple) else (raw,), cotangents, strict=True):
        if cotangent is None or cotangent.shape != np.shape(result):  # equal elements have different codes
            continue
        code = np.floor(np.where(np.isfinite(result), result, -1)).astype(np.int64)
        known = (np.abs(result - code - _MARK) < 1e-6) & (code >= 0)
        by_code += np.bincount(code[known], cotangent[known], elements.size)
    collected: list[Cotangent] = [None] * len(operands)
    found = by_code[codes.astype(np.int64)]
    for i, end in zip(data, ends, strict=True):
        collected[i] = found[end - operands[i].size : end].reshape(operands[i].shape)
    return collected


# --- any operator ----------------------------------------------------------------------------------------------------


def _along_blocks(
    node: Node,
    operands: Sequence[np.ndarray],
    cotangents: Sequence[Cotangent],
    wanted: Sequence[bool],
) -> list[Cotangent]:
    """Return derivatives along blocks of elements, each spread evenly over its block; exact for small operands."""

    def loss(moved: Sequence[np.ndarray]) -> float:
        made = apply(node, moved, [None] * len(cotangents))
        return sum(float(np.sum(c * y)) for c, y in zip(cotangents, made, strict=True) if c is not None)

    collected: list[Cotangent] = []
    for i, x in enumerate(operands):
        if not wanted[i] or x.dtype.kind != "f" or not x.size:
            collected.append(None)
            continue
        blocks = np.arange(x.size) * min(_BLOCKS, x.size) // x.size
        cotangent = np.zeros(x.size)
        step = _STEP * max(1.0, float(np.max(np.abs(x))))
        for block in range(int(blocks[-1]) + 1):
            inside = blocks == block
            shift = (inside * step).reshape(x.shape)
            ahead, behind = (loss([*operands[:i], moved, *operands[i + 1 :]]) for moved in (x + shift, x - shift))
            cotangent[inside] = (ahead - behind) / (2 * step * np.count_nonzero(inside))
        collected.append(cotangent.reshape(x.shape))
    return collected
