"""Numerical analysis of a graph on given inputs: reference values, error bounds, exactness, and what is unstable.

One pass over the graph evaluates it in float64 and carries along, for every element of every value, a bound on how far
a correct compiler's result may lie from that reference, in the element types of the graph: operand errors by each
operator's own rule (``Op.error``), plus the rounding of each operation. An infinite bound masks an element: something
that depends on a decision which the error could turn over (a comparison, a cast, an index of equal elements), on a
pole, on an overflow, or on an operator that the table does not know.

A value is *exact* if every compiler must give it bit for bit: the inputs are integers, every operator on the way is
exact on integers, and every value and partial sum is an integer that its type can hold. Its finite bounds are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.interpret import apply
from polyjuice.ir import Graph, Node, TensorType, dtypes, releases
from polyjuice.ops import ErrorContext, Op, entry

#: The bounds hold to first order in the unit roundoff, and the float64 reference is itself rounded.
SAFETY = 2.0


@dataclass(frozen=True)
class Analysis:
    """One output: its reference values (float64, or the integer or boolean type), error bounds, and exactness."""

    type: TensorType
    reference: np.ndarray
    bound: np.ndarray
    exact: bool

    @property
    def comparable(self) -> bool:
        """Whether any element has a finite bound."""
        return bool(np.isfinite(self.bound).any())


def analyse(
    graph: Graph, inputs: Sequence[np.ndarray], precision: str | None = None, known_opaque: bool = False
) -> tuple[Analysis, ...]:
    """Analyse all outputs on inputs in the order of ``graph.inputs``.

    With ``precision`` the bounds are for an evaluation that holds all floating values in that type. ``known_opaque``
    says that opaque operators mean what the interpreter takes them for (when two interpretations are compared);
    otherwise what depends on them is masked. Raises EvaluationError where an operator has no value.
    """
    state: dict[str, _Value] = {}
    for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        state[name] = _given(array, graph.types[name].dtype, precision)
    with np.errstate(all="ignore"):
        values = _run(graph, state, precision, known_opaque)
    return tuple(
        Analysis(t, value.array, np.broadcast_to(value.error, t.shape), value.exact)
        for value, t in zip(values, graph.output_types, strict=True)
    )


def exact_outputs(graph: Graph, inputs: Sequence[np.ndarray]) -> tuple[bool, ...]:
    """Which outputs :func:`analyse` finds exact, without the work of their error bounds. Raises EvaluationError."""
    if any(op and op.unrolled for op in map(entry, graph.nodes)):
        return tuple(a.exact for a in analyse(graph, inputs))
    arrays: dict[str, np.ndarray] = {}
    exact: dict[str, bool] = {}
    for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        given = _given(array, graph.types[name].dtype, None)
        arrays[name], exact[name] = given.array, given.exact
    with np.errstate(all="ignore"):
        for node, released in zip(graph.nodes, releases(graph), strict=True):
            types = [graph.types[name] if name else None for name in node.outputs]
            operands = [arrays[name] for name in node.inputs if name]
            results = apply(node, operands, types, "float64")
            op = entry(node)
            is_exact = op is not None and op.exact and all(exact[name] for name in node.inputs if name)
            if op and is_exact:
                is_exact = _stays_exact(op, node, operands, _unrounded(op, operands, node, results), types, None)
            arrays.update((name, value) for name, value in zip(node.outputs, results, strict=True) if name)
            exact.update((name, is_exact) for name in node.outputs if name)
            for name in released:
                del arrays[name]
    return tuple(exact[name] for name in graph.outputs)


class Analyses(Sequence[tuple[Analysis, ...]]):
    """The analyses of a graph on several sets of inputs, each made when it is first asked for."""

    def __init__(self, graph: Graph, input_sets: Sequence[Sequence[np.ndarray]]) -> None:
        self._graph = graph
        self._input_sets = input_sets
        self._made: dict[int, tuple[Analysis, ...]] = {}

    def __len__(self) -> int:
        return len(self._input_sets)

    def __getitem__(self, i: Any) -> Any:
        if i not in self._made:
            self._made[i] = analyse(self._graph, self._input_sets[i])
        return self._made[i]


def may_be_exact(graph: Graph) -> bool:
    """Whether some output may be exact on some inputs: its constants are integers, its operators exact on them."""
    inexact = {
        name for name, a in graph.constants.items() if a.dtype.kind not in "iub" and not bool(np.all(a == np.rint(a)))
    }
    for node in graph.nodes:
        op = entry(node)
        if op is None or not op.exact or inexact.intersection(node.inputs):
            inexact.update(node.outputs)
    return any(name not in inexact for name in graph.outputs)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b| in float64; infinite where just one is a NaN or they are different infinities, 0 where both agree."""
    with np.errstate(all="ignore"):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        gap = np.abs(x - y)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if a.dtype.kind in "iu" and b.dtype.kind in "iu":
            same = a == b
            gap = np.where(same, 0.0, np.maximum(gap, 1.0))
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def apart(a: Analysis, b: Analysis) -> np.ndarray:
    """Where the reference values of two results differ by more than the sum of their error bounds."""
    allowed = SAFETY * (a.bound + b.bound)
    return np.asarray(np.isfinite(allowed) & (distance(a.reference, b.reference) > allowed))


def as_good_as_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal but for the last places of float64."""
    if np.array_equal(a, b):
        return True
    return not bool(np.any(distance(a, b) > 4 * dtypes.unit_roundoff("float64") * np.abs(np.asarray(a, np.float64))))


@dataclass(frozen=True)
class _Value:
    array: np.ndarray
    error: np.ndarray
    exact: bool


def _run(graph: Graph, state: dict[str, _Value], precision: str | None, known_opaque: bool) -> list[_Value]:
    """The outputs of a graph; ``state`` has its inputs and constants, and loses what is no longer needed."""
    for node, released in zip(graph.nodes, releases(graph), strict=True):
        types = [graph.types[name] if name else None for name in node.outputs]
        values = _apply(node, [state[name] for name in node.inputs if name], types, precision, known_opaque)
        state.update((name, value) for name, value in zip(node.outputs, values, strict=True) if name)
        for name in released:
            del state[name]
    return [state[name] for name in graph.outputs]


def _held(dtype: str, precision: str | None) -> str:
    """The type that values of a type are held in."""
    return precision if precision and dtypes.is_float(dtype) else dtype


def _given(array: np.ndarray, dtype: str, precision: str | None) -> _Value:
    """An input or a constant, which a precision less than its own rounds."""
    wide, held = _widen(array), _held(dtype, precision)
    rounding = np.zeros(())
    if dtypes.unit_roundoff(held) > dtypes.unit_roundoff(dtype):
        rounding = distance(wide, wide.astype(dtypes.to_numpy(held)))
    return _Value(wide, rounding, _is_exact(wide, wide, held))


def _widen(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind in "iub" else array.astype(np.float64)


def _is_exact(values: np.ndarray, magnitudes: np.ndarray, dtype: str) -> bool:
    """Whether values are integers in the range of the type, and so are the magnitudes (bounds on partial sums)."""
    if dtype == "bool" or values.size == 0:
        return True
    low, high = dtypes.exact_integers(dtype)
    if values.dtype.kind == "f" and not bool(np.all(values == np.rint(values))):
        return False
    return (
        float(np.min(values)) >= low and float(np.max(values)) <= high and float(np.max(magnitudes)) <= max(high, -low)
    )


def _apply(
    node: Node,
    operands: Sequence[_Value],
    types: Sequence[TensorType | None],
    precision: str | None,
    known_opaque: bool,
) -> list[_Value]:
    arrays = [v.array for v in operands]
    op = entry(node)
    if op and op.unrolled:
        return _unrolled(op, op.unrolled(arrays, node.attrs), operands, precision, known_opaque)
    results = apply(node, arrays, types, "float64")
    if op is None:
        clean = known_opaque and all(not np.any(np.isinf(v.error)) for v in operands)
        return [_Value(r, np.zeros(()) if clean else np.full(r.shape, np.inf), False) for r in results]
    unrounded = _unrounded(op, arrays, node, results)
    exact = op.exact and all(v.exact for v in operands)
    exact = exact and _stays_exact(op, node, arrays, unrounded, types, precision)
    first = next(t for t in types if t)
    held = _held(first.dtype, precision)
    unit = 0.0 if exact else dtypes.unit_roundoff(held)
    context = ErrorContext(arrays, [v.error for v in operands], results, node.attrs, unit, op.numpy)
    raw = op.error(context)
    errors = raw if isinstance(raw, tuple) else (raw,)
    return [
        _Value(r, _total_error(op, r, u, np.asarray(e, np.float64), t, held, unit, exact), exact)
        for r, u, e, t in zip(results, unrounded, errors, types, strict=True)
    ]


def _unrolled(
    op: Op, graph: Graph, operands: Sequence[_Value], precision: str | None, known_opaque: bool
) -> list[_Value]:
    """Control flow as the graph that it amounts to; in doubt if what chose that graph is."""
    state = dict(zip(graph.inputs, operands, strict=True))
    state |= {name: _given(array, graph.types[name].dtype, precision) for name, array in graph.constants.items()}
    results = _run(graph, state, precision, known_opaque)
    if any(np.any(v.error) for v in operands[: op.deciding]):
        return [_Value(v.array, np.full(v.array.shape, np.inf), False) for v in results]
    return results


def _stays_exact(
    op: Op,
    node: Node,
    operands: Sequence[np.ndarray],
    unrounded: Sequence[np.ndarray],
    types: Sequence[TensorType | None],
    precision: str | None,
) -> bool:
    """Whether the results of an exact operator on exact operands are integers that their types hold."""
    sums = op.partial(_as_floats(operands), node.attrs) if op.partial else None
    return all(
        t is None or _is_exact(u, np.abs(u) if sums is None else sums, _held(t.dtype, precision))
        for u, t in zip(unrounded, types, strict=True)
    )


def _unrounded(op: Op, arrays: Sequence[np.ndarray], node: Node, results: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results before integers wrap around."""
    if all(r.dtype.kind not in "iu" for r in results) or op.moves or not op.exact:
        return list(results)
    raw = op.numpy(_as_floats(arrays), node.attrs)
    return list(raw) if isinstance(raw, tuple) else [raw]


def _as_floats(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [a if a.dtype.kind == "b" else a.astype(np.float64) for a in arrays]


def _total_error(
    op: Op,
    result: np.ndarray,
    unrounded: np.ndarray,
    carried: np.ndarray,
    type: TensorType | None,
    held: str,
    unit: float,
    exact: bool,
) -> np.ndarray:
    """The carried error plus the operator's own rounding; infinite where the result leaves its type's range."""
    if exact or type is None or type.dtype == "bool":
        return carried
    if dtypes.is_int(type.dtype):
        low, high = dtypes.exact_integers(type.dtype)
        return np.where((unrounded >= low) & (unrounded <= high), carried, np.inf)
    magnitude = np.abs(result)
    error = carried
    if not op.moves:
        error = carried + op.ulps * unit * (magnitude + carried) + dtypes.smallest_normal(held)
    unbounded = np.isnan(error) | ~np.isfinite(result) | (magnitude + error > dtypes.largest_finite(held))
    return np.where(unbounded, np.inf, error)
