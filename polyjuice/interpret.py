"""The interpreter: the values of a graph, on NumPy arrays, in its own element types or in one floating precision.

It computes half types in float32 and rounds once per operator. Values of the narrow types are rounded to these in any
precision. Integers wrap around, as in the operators' own types. An observer sees every application as it happens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from polyjuice.ir import Graph, Node, TensorType, complexes, dtypes, releases
from polyjuice.ops import entry
from polyjuice.wording import visible

#: Called for each node with its operand arrays and its result arrays.
Observer = Callable[[Node, Sequence[np.ndarray], Sequence[np.ndarray]], None]


class EvaluationError(ArithmeticError):
    """The graph has no value on these inputs (an integer division by zero, an index out of range)."""


def evaluate(
    graph: Graph,
    inputs: Sequence[np.ndarray],
    precision: str | None = None,
    observers: Sequence[Observer] = (),
) -> tuple[np.ndarray, ...]:
    """The outputs of a graph on inputs in the order of ``graph.inputs``.

    ``precision`` names a floating type that holds all floating values instead of their own. Raises EvaluationError
    where an operator has no value.
    """
    values: dict[str, np.ndarray] = {}
    for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        values[name] = array.astype(_held_as(graph.types[name].dtype, precision), copy=False)
    with np.errstate(all="ignore"):
        for node, released in zip(graph.nodes, releases(graph), strict=True):
            operands = [values[name] for name in node.inputs if name]
            results = apply(node, operands, [graph.types[name] if name else None for name in node.outputs], precision)
            for observer in observers:
                observer(node, operands, results)
            values.update((name, value) for name, value in zip(node.outputs, results, strict=True) if name)
            for name in released:
                del values[name]
    return tuple(values[name] for name in graph.outputs)


def apply(
    node: Node, operands: Sequence[np.ndarray], results: Sequence[TensorType | None], precision: str | None = None
) -> list[np.ndarray]:
    """Apply one node to arrays; the result arrays are of the declared types (or ``precision``)."""
    op = entry(node)
    if op is None:
        return _opaque(node, operands, results, precision)
    if op.unrolled:
        return list(evaluate(op.unrolled(operands, node.attrs), operands, precision))
    wide = operands if op.bits else [_widen(x) for x in operands]
    try:
        raw = op.numpy(wide, op.resolved_attrs(node.attrs, results[0]))
    except (ArithmeticError, LookupError, ValueError) as error:  # also a mode that the operator does not have
        raise EvaluationError(f"node {node}: {visible(str(error))}") from None
    arrays = raw if isinstance(raw, tuple) else (raw,)
    return [
        _held(np.asarray(array), type.dtype, precision) if type else np.asarray(array)
        for array, type in zip(arrays, results, strict=True)
    ]


def _held(array: np.ndarray, dtype: str, precision: str | None) -> np.ndarray:
    """An array in the type that holds values of an element type, first rounded to a narrow one."""
    if dtype in dtypes.NARROW:
        array = array.astype(dtypes.to_numpy(dtype), copy=False)
    return array.astype(_held_as(dtype, precision), copy=False)


def _held_as(dtype: str, precision: str | None) -> np.dtype:
    """The NumPy type that holds values of an element type. A precision does not narrow the narrow types' values."""
    if not precision:
        return dtypes.to_numpy(dtype)
    if dtypes.is_complex(dtype):
        return np.dtype(np.complex128 if precision == "float64" else np.complex64)
    floating = dtypes.is_float(dtype) or dtype in dtypes.NARROW_FLOATS
    return dtypes.to_numpy(precision if floating else dtypes.computed_in(dtype))


def _widen(x: np.ndarray) -> np.ndarray:
    return x.astype(dtypes.to_numpy(dtypes.computed_in(dtypes.dtype_of(x))), copy=False)


def _opaque(
    node: Node, operands: Sequence[np.ndarray], results: Sequence[TensorType | None], precision: str | None
) -> list[np.ndarray]:
    """An uninterpreted function: random values that depend only on the operator, its attributes and its operands.

    Two graphs that apply the same opaque operator to equal operands thus see equal values. Operands are rounded to six
    digits first, so that the rounding of float64 does not tell them apart.
    """
    key = hashlib.sha256(repr((node.qualified, sorted(node.attrs.items()), node.identity)).encode())
    for x in operands:
        key.update(repr((x.shape, str(x.dtype))).encode())
        key.update(np.ascontiguousarray(_rounded(x)).tobytes())
    rng = np.random.default_rng(int.from_bytes(key.digest()[:8], "little"))
    out = []
    for type in results:
        if type is None:
            out.append(np.zeros(()))
        elif dtypes.is_float(type.dtype):
            out.append(np.asarray(rng.standard_normal(type.shape)).astype(_held_as(type.dtype, precision)))
        else:
            out.append(np.asarray(rng.integers(0, 2, type.shape)).astype(_held_as(type.dtype, precision)))
    return out


def _rounded(x: np.ndarray) -> np.ndarray:
    if complexes.is_complex(x):
        return complexes.by_parts(_rounded, x)
    if x.dtype.kind in "iub" or dtypes.is_int(dtypes.dtype_of(x)):
        return x
    wide = x.astype(np.float64)
    scale = np.max(np.abs(wide[np.isfinite(wide)]), initial=0.0) or 1.0
    return np.round(wide / scale, 6) + 0.0
