"""Derive from an operator's definition in ONNX's operators its meaning, its partial sums and a bound on its errors.

A definition is a graph for operands of some types. It is made once for these types and attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from operator import index
from typing import Any, NamedTuple, TypeVar

import numpy as np

from polyjuice.ir import Attrs, Graph, GraphError, Node, TensorType, dtypes
from polyjuice.ops.build import GraphBuilder, complete_attrs
from polyjuice.ops.inference import infer
from polyjuice.ops.registry import TABLE, entry
from polyjuice.ops.shapes import ShapeMismatch
from polyjuice.ops.spec import ErrorContext, Op, Unsupported, by_definition

T = TypeVar("T")


class Undefined(ValueError):
    """An application without a definition; the message is the reason."""


def completed(op: Op) -> Op:
    """The entry with what its definition gives, in place of :func:`polyjuice.ops.spec.by_definition`."""
    derived: Mapping[str, Callable[..., Any]] = {
        "shape": result_shapes,
        "numpy": meaning,
        "error": error,
        "partial": partial_sums,
    }
    found: dict[str, Any] = {
        name: partial(function, op) for name, function in derived.items() if getattr(op, name) is by_definition
    }
    return replace(op, **found) if found else op


def is_derived(function: object) -> bool:
    """Whether a field of an entry follows from its definition."""
    return isinstance(function, partial)


def definition(op: Op, operands: Sequence[TensorType | None], attrs: Attrs, algorithm: int = 0) -> Graph:
    """The graph that an application of an operator means; None stands for an absent operand.

    With ``algorithm`` it is that of one in ``Op.algorithms``, counted from 1. Raises Undefined, or GraphError where
    the definition does not take such operands.
    """
    if op.definition is None:
        raise Undefined("ONNX has no such operator" if op.domain else f"it is new in opset {op.since}")
    builder = GraphBuilder()
    names = [builder.input(type, f"x{i}") if type else "" for i, type in enumerate(operands)]
    built = op.algorithms[algorithm - 1] if algorithm else op.definition
    results = built if isinstance(built, Unsupported) else built(builder, names, attrs)
    if isinstance(results, Unsupported):
        raise Undefined(results.reason)
    return builder.build([results] if isinstance(results, str) else list(results))


class _Prepared(NamedTuple):
    """A node of a definition, ready to be applied: the NumPy type of each result stands beside its name."""

    node: Node
    op: Op
    attrs: Attrs
    operands: Sequence[str]
    results: Sequence[tuple[str, np.dtype]]


class _Definition(NamedTuple):
    """A definition as a graph, and its nodes ready to be applied."""

    graph: Graph
    nodes: Sequence[_Prepared]


def _prepared(graph: Graph) -> _Definition:
    nodes = []
    for node in graph.nodes:
        op = entry(node)
        assert op is not None
        attrs = op.with_result(node.attrs, graph.types[node.outputs[0]])
        results = [(name, dtypes.to_numpy(graph.types[name].dtype)) for name in node.outputs]
        nodes.append(_Prepared(node, op, attrs, [name for name in node.inputs if name], results))
    return _Definition(graph, nodes)


@lru_cache(1 << 12)
def _cached(
    domain: str, name: str, operands: tuple[TensorType, ...], attrs: tuple[tuple[str, Any], ...], algorithm: int = 0
) -> _Definition:
    return _prepared(definition(TABLE[domain, name], operands, dict(attrs), algorithm))


def result_shapes(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> Sequence[Sequence[int]]:
    """The shapes of the results of an application. Raises ShapeMismatch where there is no definition for it."""
    try:
        if any(type(size) is not int for t in operands for size in t.shape):
            return _solved_shapes(op, operands, attrs)
        graph = _cached_or_not(op, tuple(operands), {name: _plain(value) for name, value in attrs.items()}).graph
    except (GraphError, Undefined) as error:
        raise ShapeMismatch(f"{op.name}: {error}") from None
    return [graph.types[name].shape for name in graph.outputs]


class _Solving(GraphBuilder):
    """Infers types of sizes that a strategy solves for, of which neither a cache nor a constant has the numbers."""

    def constant(self, array: np.ndarray, name: str | None = None) -> str:
        return super().constant(np.zeros(array.shape, np.int64) if array.dtype.kind == "O" else array, name)

    def multi(
        self, op: str, /, *inputs: str, domain: str = "", outputs: Sequence[str] = (), **attrs: Any
    ) -> tuple[str, ...]:
        entry, types = TABLE[domain, op], [self.types[name] for name in inputs if name]
        whole = complete_attrs(entry, attrs, types[0].dtype if types else "")
        return self.apply(op, domain, inputs, whole, infer(entry, types, whole), outputs)


def _solved_shapes(op: Op, operands: Sequence[TensorType], attrs: Attrs) -> Sequence[Sequence[int]]:
    if not callable(op.definition) or isinstance(op.definition, Unsupported):
        raise Undefined(f"{op.name} has no definition")
    builder = _Solving()
    results = op.definition(builder, [builder.input(type, f"x{i}") for i, type in enumerate(operands)], attrs)
    if isinstance(results, Unsupported):
        raise Undefined(results.reason)
    return [builder.types[name].shape for name in ([results] if isinstance(results, str) else results)]


def _plain(value: Any) -> Any:
    """An attribute whose integers have their current values, where a strategy solves for them."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return index(value) if hasattr(value, "__index__") else value


def _cached_or_not(op: Op, types: tuple[TensorType, ...], attrs: Attrs, algorithm: int = 0) -> _Definition:
    try:
        return _cached(op.domain, op.name, types, tuple(attrs.items()), algorithm)
    except TypeError:  # an attribute without a hash, such as a list
        return _prepared(definition(op, types, attrs, algorithm))


def _with_indices(op: Op, x: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    """The operands, all integers of which may be given as floats: those that cannot be results are indices again."""
    variables = [op.variable(i) for i in range(len(x))]
    floats = {*dtypes.FLOATS, *dtypes.NARROW_FLOATS}
    takes_floats = [v in op.results or not floats.isdisjoint(op.types.get(v, floats)) for v in variables]
    return [a if f or a.dtype.kind != "f" else a.astype(np.int64) for a, f in zip(x, takes_floats, strict=True)]


class _Step(NamedTuple):
    """One application within a definition: ``x`` are its operands, and ``y`` its results."""

    node: Node
    op: Op
    attrs: Attrs
    x: Sequence[np.ndarray]
    y: Sequence[np.ndarray]


def _of(op: Op, x: Sequence[np.ndarray], attrs: Attrs, algorithm: int = 0) -> _Definition:
    """The definition for arrays of some types; complex numbers have one type there."""
    types = tuple([TensorType(_TYPES.get(t := dtypes.dtype_of(array), t), np.shape(array)) for array in x])
    return _cached_or_not(op, types, attrs, algorithm)


_TYPES = {"complex128": "complex64"}


def _steps(defined: _Definition, values: dict[str, np.ndarray]) -> Iterator[_Step]:
    """The applications of a definition, one after the other; ``values`` holds its inputs, and gets everything else."""
    values.update(defined.graph.constants)
    for node, op, attrs, operands, results in defined.nodes:
        x = [values[name] for name in operands]
        raw = op.numpy(x, attrs)
        y = [
            _held(np.asarray(array), dtype)
            for (_, dtype), array in zip(results, raw if isinstance(raw, tuple) else (raw,), strict=True)
        ]
        values.update((name, array) for (name, _), array in zip(results, y, strict=True))
        yield _Step(node, op, attrs, x, y)


def _held(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return array if array.dtype.kind == "c" else array.astype(dtype, copy=False)


def _results(op: Op, graph: Graph, values: Mapping[str, T]) -> T | tuple[T, ...]:
    results = tuple([values[name] for name in graph.outputs])
    return results if "results" in op.variadic or len(results) > 1 else results[0]


def meaning(op: Op, x: Sequence[np.ndarray], attrs: Attrs) -> Any:
    """The results of an application, in the types that the definition has for the arrays' own."""
    x = _with_indices(op, x)
    defined = _of(op, x, attrs)
    values = dict(zip(defined.graph.inputs, x, strict=True))
    for _ in _steps(defined, values):
        pass
    return _results(op, defined.graph, values)


def error(op: Op, c: ErrorContext) -> Any:
    """A bound on the errors of an application, by whichever algorithm a framework computes it.

    Errors of operands move the value alike for all algorithms, as along the definition. The rounding is each one's own.
    """
    bounds = [_error_along(op, c)]
    if op.algorithms:
        moved, known = _error_along(op, c._replace(unit=0.0)), c._replace(e=[np.zeros_like(e) for e in c.e])
        for algorithm in range(1, len(op.algorithms) + 1):
            bounds.append(_each(np.add, moved, _error_along(op, known, algorithm)))
    return reduce(partial(_each, np.maximum), bounds)


def _each(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """A function of the bounds of each result."""
    return tuple(map(function, x, y)) if isinstance(x, tuple) else function(x, y)


def _error_along(op: Op, c: ErrorContext, algorithm: int = 0) -> Any:
    """A bound along one algorithm: of all steps, each of which is rounded to the result's type."""
    defined = _of(op, c.x, c.attrs, algorithm)
    graph = defined.graph
    values = dict(zip(graph.inputs, c.x, strict=True))
    errors = dict(zip(graph.inputs, c.e, strict=True))
    errors |= {name: _stored(array, c) for name, array in graph.constants.items()}
    ordered = c.ordered and op.ties != "unspecified"
    for step in _steps(defined, values):
        e = [errors[name] for name in step.node.inputs if name]
        unit = c.unit if step.y[0].dtype.kind in "fc" else 0.0
        raw = step.op.error(ErrorContext(step.x, e, step.y, step.attrs, unit, step.op.numpy, ordered, c.held))
        bounds = raw if isinstance(raw, tuple) else (raw,)
        for name, y, bound in zip(step.node.outputs, step.y, bounds, strict=True):
            errors[name] = _rounded(step, y, np.asarray(bound, np.float64), c)
    return _results(op, graph, errors)


def _stored(array: np.ndarray, c: ErrorContext) -> np.ndarray:
    """The error of a constant that the result's type rounds."""
    if not c.unit or array.dtype.kind != "f":
        return np.zeros(())
    return np.where(array == array.astype(dtypes.to_numpy(c.held)), 0.0, c.unit * np.abs(array))


def _rounded(step: _Step, y: np.ndarray, carried: np.ndarray, c: ErrorContext) -> np.ndarray:
    """The error of a step with its own rounding; unbounded where it may overflow the type.

    An infinite operand of an elementwise step makes an infinity that is no overflow.
    """
    if not c.unit or y.dtype.kind not in "fc" or step.op.selects:
        return carried
    size = np.abs(y) + carried
    whole = carried + step.op.ulps * c.unit * np.where(np.isinf(y), 0.0, size) + dtypes.smallest_normal(c.held)
    fits = size < dtypes.overflow_threshold(c.held)
    if step.op.elementwise:
        for x in step.x:
            fits = fits | np.isinf(x) & np.isinf(y)
    return np.where(fits, whole, np.inf)


def partial_sums(op: Op, x: Sequence[np.ndarray], attrs: Attrs) -> np.ndarray:
    """The greatest magnitude of all that the steps compute on the way, their partial sums among it."""
    x = _with_indices(op, x)
    defined = _of(op, x, attrs)
    greatest = 0.0
    for step in _steps(defined, dict(zip(defined.graph.inputs, x, strict=True))):
        sums = [step.op.partial(step.x, step.attrs)] if step.op.partial else step.y
        greatest = max(greatest, *(float(np.max(np.abs(array), initial=0.0)) for array in sums))
    return np.asarray(greatest)
