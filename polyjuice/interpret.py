"""The interpreter: the values of a graph, on NumPy arrays, in its own element types or in one floating precision.

It computes half types in float32 and rounds once per operator. Values of the narrow types are rounded to these in any
precision. Integers wrap around, as in the operators' own types. An observer sees every application as it happens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from polyjuice.ir import Graph, Node, TensorType, attribute_texts, complexes, dtypes, releases
from polyjuice.ops import entry
from polyjuice.ops.spec import OfBits
from polyjuice.wording import visible

#: Called for each node with its operand arrays and its result arrays.
Observer = Callable[[Node, Sequence[np.ndarray], Sequence[np.ndarray]], None]


_SHARED = 2**23
"""The most bytes of results that are kept to be shared."""

_COMPARED = 2**12
"""Arrays of at most this many bytes are the same if they are equal."""


class EvaluationError(ArithmeticError):
    """The graph has no value on these inputs (an integer division by zero, an index out of range)."""


class Shared:
    """The results of operators in float64, which the evaluations of several graphs on the same inputs share.

    Applications are the same if operator, attributes and types are, and the operands are the same arrays. Equal inputs
    and constants become the same array. Nobody may write into these arrays.
    """

    def __init__(self) -> None:
        self._held: dict[object, tuple[np.ndarray, np.ndarray]] = {}
        self._results: dict[object, tuple[Sequence[np.ndarray], list[np.ndarray]]] = {}
        self._left = _SHARED

    def hold(self, array: np.ndarray, dtype: str) -> np.ndarray:
        """An input or a constant of an element type, as float64 holds it."""
        key = (array.shape, array.dtype, array.tobytes()) if array.nbytes <= _COMPARED else id(array)
        if key not in self._held:
            self._held[key] = array, array.astype(held_as(dtype, "float64"), copy=False)
        return self._held[key][1]

    def apply(
        self, node: Node, operands: Sequence[np.ndarray], results: Sequence[TensorType | None]
    ) -> list[np.ndarray]:
        """Apply one node to arrays, as ``apply`` does in float64."""
        if node.opaque:
            return apply(node, operands, results, "float64")
        given = tuple([bool(name) for name in node.inputs])
        key = node.qualified, tuple(attribute_texts(node.attrs)), tuple(results), given, *map(id, operands)
        if key in self._results:
            return self._results[key][1]
        made = apply(node, operands, results, "float64")
        self._left -= sum(array.nbytes for array in made)
        if self._left > 0:
            self._results[key] = operands, made
        return made


def evaluate(
    graph: Graph,
    inputs: Sequence[np.ndarray],
    precision: str | None = None,
    observers: Sequence[Observer] = (),
    shared: Shared | None = None,
) -> tuple[np.ndarray, ...]:
    """The outputs of a graph on inputs in the order of ``graph.inputs``.

    ``precision`` names a floating type that holds all floating values instead of their own; with ``shared`` results it
    is float64. Raises EvaluationError where an operator has no value.
    """
    values: dict[str, np.ndarray] = {}
    for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items()):
        dtype = graph.types[name].dtype
        values[name] = shared.hold(array, dtype) if shared else array.astype(held_as(dtype, precision), copy=False)
    with np.errstate(all="ignore"):
        for node, released in zip(graph.nodes, releases(graph), strict=True):
            operands = [values[name] for name in node.inputs if name]
            types = [graph.types[name] if name else None for name in node.outputs]
            results = shared.apply(node, operands, types) if shared else apply(node, operands, types, precision)
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
        return list(evaluate(op.unrolled.graph(operands, node.attrs), operands, precision))
    wide = operands if isinstance(op.numpy, OfBits) else [_widen(x) for x in operands]
    try:
        raw = op.numpy(wide, op.with_result(node.attrs, results[0]))
    except (ArithmeticError, LookupError, ValueError) as error:  # also a mode that the operator does not have
        raise EvaluationError(f"node {node}: {visible(str(error))}") from None
    arrays = raw if isinstance(raw, tuple) else (raw,)
    if len(arrays) != len(results):  # the number of parts may depend on an unknown size
        raise EvaluationError(f"node {node}: it gives {len(arrays)} results, not {len(results)}")
    return [
        _held(np.asarray(array), type.dtype, precision) if type else np.asarray(array)
        for array, type in zip(arrays, results, strict=True)
    ]


def _held(array: np.ndarray, dtype: str, precision: str | None) -> np.ndarray:
    """An array in the type that holds values of an element type, first rounded to a narrow one."""
    if dtype in dtypes.NARROW:
        array = array.astype(dtypes.to_numpy(dtype), copy=False)
    held = held_as(dtype, precision)
    return array if array.dtype is held else array.astype(held, copy=False)


@cache
def held_as(dtype: str, precision: str | None) -> np.dtype:
    """The NumPy type that holds values of an element type. A precision does not narrow the narrow types' values."""
    if not precision:
        return dtypes.to_numpy(dtype)
    if dtypes.is_complex(dtype):
        return np.dtype(np.complex128 if precision == "float64" else np.complex64)
    floating = dtypes.is_float(dtype) or dtype in dtypes.NARROW_FLOATS
    return dtypes.to_numpy(precision if floating else dtypes.computed_in(dtype))


def _widen(x: np.ndarray) -> np.ndarray:
    wide = dtypes.to_numpy(dtypes.computed_in(dtypes.dtype_of(x)))
    return x if x.dtype is wide else x.astype(wide, copy=False)


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
    for type in (t and t.with_size(1) for t in results):
        if type is None:
            out.append(np.zeros(()))
        elif dtypes.is_float(type.dtype):
            out.append(np.asarray(rng.standard_normal(type.shape)).astype(held_as(type.dtype, precision)))
        else:
            out.append(np.asarray(rng.integers(0, 2, type.shape)).astype(held_as(type.dtype, precision)))
    return out


def _rounded(x: np.ndarray) -> np.ndarray:
    if complexes.is_complex(x):
        return complexes.by_parts(_rounded, x)
    if x.dtype.kind in "iub" or dtypes.is_int(dtypes.dtype_of(x)):
        return x
    wide = x.astype(np.float64)
    scale = np.max(np.abs(wide[np.isfinite(wide)]), initial=0.0) or 1.0
    return np.round(wide / scale, 6) + 0.0
