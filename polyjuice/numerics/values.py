"""Propagate reference values and their error bounds through a graph, one operator after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from polyjuice.interpret import Shared, apply, held_as
from polyjuice.ir import Attrs, Graph, Node, TensorType, complexes, dtypes, releases
from polyjuice.numerics.distances import distance
from polyjuice.ops import ErrorContext, Op, entry, limits
from polyjuice.ops.errors import one_sum
from polyjuice.ops.inference import SizeInDoubt
from polyjuice.ops.spec import NumpyFn, Unrolled


@dataclass(frozen=True)
class Mode:
    """The results beyond the numbers of their type's range that count as known; all others are masked.

    ``wrap``: integers that overflow and wrap around (two's complement). ``edge``: NaN, and the infinities of poles. (An
    infinity from an infinite operand is always known, so masked attention works.) An overflow of a floating type is
    never known. ``ordered``: which of equal elements an index reduction chooses, as ONNX and Torch define and
    TensorFlow leaves open. ``excess_precision``: the floating types to which a cast need not round, as the compiler
    documents. ``narrowed``: the integer types that the compiler computes in int32, as it documents. Their numbers
    beyond int32 are never known.
    """

    wrap: bool = False
    edge: bool = False
    ordered: bool = True
    excess_precision: tuple[str, ...] = ()
    narrowed: tuple[str, ...] = ()


USUAL = Mode()


@dataclass(frozen=True)
class Setting:
    """The arguments of an analysis (see :func:`polyjuice.numerics.analyse`)."""

    precision: str | None = None
    known_opaque: bool = False
    mode: Mode = USUAL
    shared: Shared | None = None

    def hold(self, array: np.ndarray, dtype: str) -> np.ndarray:
        """The values of an array as the analysis computes with them."""
        return self.shared.hold(array, dtype) if self.shared else array.astype(held_as(dtype, "float64"), copy=False)

    def held(self, dtype: str) -> str:
        """The type in which an evaluation holds values of a type, or the parts of complex ones."""
        if dtype in self.mode.narrowed:
            return "int32"
        return self.precision if self.precision and dtypes.is_inexact(dtype) else dtypes.part_of(dtype)


DEFAULT = Setting()

_NO_ERROR = np.zeros(())


class Value(NamedTuple):
    """Reference values, bounds on how far correct results lie from them, and whether they are reproducible.

    An element without a known value has an infinite bound. ``finite`` is the array for error rules. It has 0 instead of
    the unknown elements that are not finite; None if there are none. ``deferred`` bounds an error that elements would
    have if the sums before them were not of integers. A compiler may scale the terms of a sum (the weights of a
    convolution) instead of the sum. The deferred error counts as soon as anything is rounded; None if there is none.
    ``extreme`` marks the known elements that few operators handle: infinities, NaN, and in edge mode the numbers near
    the end of their type's range; None if there are none. ``in_doubt``: whether errors may change the sizes, so
    that a correct result may have another shape than the array. ``sums`` bounds the partial sums behind reproducible
    elements, with their terms scaled as a compiler may scale them.
    """

    array: np.ndarray
    error: np.ndarray
    reproducible: bool = False
    extreme: np.ndarray | None = None
    finite: np.ndarray | None = None
    deferred: np.ndarray | None = None
    in_doubt: bool = False
    sums: float = 0.0


def run(graph: Graph, inputs: Mapping[str, np.ndarray | Value], setting: Setting) -> list[Value]:
    """The outputs of a graph on its inputs by name."""
    state: dict[str, Value] = {}
    for name, array in (*inputs.items(), *graph.constants.items()):
        state[name] = array if isinstance(array, Value) else of_array(array, graph.types[name].dtype, setting)
    for node, released in zip(graph.nodes, releases(graph), strict=True):
        types = [graph.types[name] if name else None for name in node.outputs]
        values = propagate(node, [state[name] for name in node.inputs if name], types, setting)
        state.update((name, value) for name, value in zip(node.outputs, values, strict=True) if name)
        for name in released:
            del state[name]
    return [state[name] for name in graph.outputs]


def reproducible(graph: Graph, inputs: Mapping[str, np.ndarray], setting: Setting) -> list[bool] | None:
    """Whether each output is reproducible, as ``run`` finds it without error bounds; None where it depends on them."""
    if any(t.dtype in dtypes.NARROW_FLOATS for t in graph.types.values()):
        return None
    state: dict[str, Value] = {}
    for name, array in (*inputs.items(), *graph.constants.items()):
        state[name] = of_array(array, graph.types[name].dtype, setting)
    for node in graph.nodes:
        op, types = entry(node), [graph.types[name] if name else None for name in node.outputs]
        if op and op.unrolled:
            return None
        operands = [state[name] for name in node.inputs if name]
        arrays = [v.array for v in operands]
        results = evaluated(node, arrays, types, setting)
        sums: float | None = None
        if op and op.integer_exact and all(v.reproducible for v in operands):
            sums = exact_sums(Application(op, node, arrays, results, types, setting), operands)
        values = [Value(r, _NO_ERROR, sums is not None, sums=sums or 0.0) for r in results]
        state.update((name, value) for name, value in zip(node.outputs, values, strict=True) if name)
    return [state[name].reproducible for name in graph.outputs]


def of_array(array: np.ndarray, dtype: str, setting: Setting) -> Value:
    """The value of an input or a constant.

    Its error has the rounding to a precision below its own. A denormal number may be flushed to zero.
    """
    if dtype in dtypes.NARROW_FLOATS:
        return _stored(setting.hold(array, dtype), _NO_ERROR, dtype, setting.mode)
    if dtypes.is_complex(dtype):
        return _of_complex_array(array, dtype, setting)
    if dtype in setting.mode.narrowed and not _are_integers(array, None, "int32"):
        whole = setting.hold(array, dtype)
        return Value(whole, _in_range(whole, whole, _NO_ERROR, "int32", None))
    if not dtypes.is_float(dtype):
        return Value(setting.hold(array, dtype), _NO_ERROR, True)
    wide, held = setting.hold(array, dtype), setting.held(dtype)
    if _are_integers(wide, None, held):
        return Value(wide, _NO_ERROR, True)
    error = _NO_ERROR
    if dtypes.unit_roundoff(held) > dtypes.unit_roundoff(dtype):
        error = distance(wide, wide.astype(dtypes.to_numpy(held)))
    size = np.abs(wide)
    denormal = size < dtypes.smallest_normal(held)
    if denormal.any():
        error = np.where(denormal, np.maximum(error, size), error)
    if not setting.mode.edge and np.isnan(size).any():
        error = np.where(np.isnan(size), np.inf, error)
    return Value(wide, error, False, _extreme(size, error, held, setting.mode), _finite(wide, error))


def _of_complex_array(array: np.ndarray, dtype: str, setting: Setting) -> Value:
    """The value of a complex input or constant, with a bound on the modulus of the difference.

    An infinity or NaN in a part masks the number, because C, Torch and NumPy multiply such numbers differently.
    """
    wide, held = setting.hold(array, dtype), setting.held(dtype)
    if _are_integers(wide, None, held):
        return Value(wide, _NO_ERROR, True)
    parts = [of_array(np.asarray(part), dtypes.part_of(dtype), setting) for part in complexes.parts(array)]
    error = np.where(np.isfinite(wide), np.hypot(*(part.error for part in parts)), np.inf)
    return Value(wide, error, False, None, _finite(wide, error))


def propagate(
    node: Node, operands: Sequence[Value], types: Sequence[TensorType | None], setting: Setting = DEFAULT
) -> list[Value]:
    """The results of one application, of these types. Raises EvaluationError where the operator has no value."""
    if all(t.known for t in types if t) and not any(v.in_doubt for v in operands):
        return _propagate(node, operands, types, setting)
    try:
        if any(v.in_doubt for v in operands) or entry(node) is None:
            raise SizeInDoubt
        return _propagate(node, operands, types, setting)
    except SizeInDoubt:
        results = evaluated(node, [v.array for v in operands], types, setting)
        return [
            Value(r, np.full(r.shape, np.inf), in_doubt=t is None or not t.known)
            for r, t in zip(results, types, strict=True)
        ]


def _propagate(
    node: Node, operands: Sequence[Value], types: Sequence[TensorType | None], setting: Setting
) -> list[Value]:
    arrays = [v.array for v in operands]
    op = entry(node)
    if op and op.unrolled:
        return _unrolled(op.unrolled, node.attrs, operands, setting)
    results = evaluated(node, arrays, types, setting)
    if op is None:
        clean = setting.known_opaque and all(not np.any(np.isinf(v.error)) for v in operands)
        return [Value(r, np.zeros(()) if clean else np.full(r.shape, np.inf)) for r in results]
    done = Application(op, node, arrays, results, types, setting)
    if done.has_narrowed_number:
        return [Value(r, np.full(r.shape, np.inf)) for r in results]
    same = op.integer_exact and all(v.reproducible for v in operands)
    sums = exact_sums(done, operands) if same else None
    context = rule_context(done, operands, sums is not None)
    if sums is not None:
        values = [Value(r, e, True, sums=sums) for r, e in zip(results, _bounds(op.error(context)), strict=True)]
        step = _Step(done, context.held, dtypes.unit_roundoff(context.held), False, False, None)
        return _with_deferred(step, context, operands, values)
    extremes = [v.extreme for v in operands]
    extreme = any(x is not None for x in extremes)
    if setting.mode.edge and not extreme:
        extreme = not all(np.isfinite(r).all() for r in results)
    raw = limits.carried(op, context, extremes, setting.mode.edge) if extreme else op.error(context)
    step = _step(done, operands, context, extreme)
    values = [_value(step, r, w, e, t) for r, w, e, t in zip(results, done.whole, _bounds(raw), types, strict=True)]
    return values if extreme else _with_deferred(step, context, operands, values)


def exact_sums(done: Application, operands: Sequence[Value]) -> float | None:
    """Bounds the partial sums behind the results of reproducible operands; None if the results are not reproducible.

    A compiler may multiply the weights of a convolution by the factor that follows it. Then the partial sums grow by
    that factor, as an error of the operand would.
    """
    if not done.stays_reproducible:
        return None
    floating = [t for t in done.types if t is not None and dtypes.is_float(t.dtype)]
    if not floating or not done.op.continuous:
        return 0.0
    own = done.sums
    sums = 0.0 if own is None else float(np.max(own, initial=0.0))
    if any(v.sums for v in operands):
        errors = [np.full(v.array.shape, v.sums) for v in operands]
        carried = _bounds(done.op.error(rule_context(done, operands, True)._replace(e=errors)))
        sums = max(sums, *(float(np.max(bound, initial=0.0)) for bound in carried))
    return sums if all(sums <= dtypes.exact_integers(done.setting.held(t.dtype))[1] for t in floating) else None


def rule_context(done: Application, operands: Sequence[Value], reproducible: bool) -> ErrorContext:
    """The application as its error rule sees it; a reproducible one rounds nothing."""
    results = [t.dtype for t in done.types if t]
    held = done.setting.held(next(filter(dtypes.is_float, results), results[0]))
    unit = 0.0 if reproducible or done.numpy is not done.op.numpy else dtypes.unit_roundoff(held)
    finite = [v.array if v.finite is None else v.finite for v in operands]
    errors, ordered = [v.error for v in operands], done.setting.mode.ordered
    return ErrorContext(finite, errors, done.results, done.attrs, unit, done.numpy, ordered, held)


def _step(done: Application, operands: Sequence[Value], context: ErrorContext, extreme: bool) -> _Step:
    doubtful = done.op.selects and any(v.error.any() for v in operands)
    counted = context.held in dtypes.WIDEST_INTS and _computed_in(done.op, context.held) != context.held
    counted = counted or any(t is not None and t.dtype in done.setting.mode.narrowed for t in done.types)
    return _Step(done, context.held, context.unit, extreme, doubtful, done.sums if counted else None)


def _bounds(raw: Any) -> list[np.ndarray]:
    """The bounds by an operator's error rule, one for each result; NaN (an unknown element times 0) is unknown."""
    bounds = [np.asarray(e, np.float64) for e in _tuple(raw)]
    return [np.where(np.isnan(e), np.inf, e) if np.isnan(e).any() else e for e in bounds]


def _tuple(raw: Any) -> tuple[Any, ...]:
    return raw if isinstance(raw, tuple) else (raw,)


def _unrolled(meaning: Unrolled, attrs: Attrs, operands: Sequence[Value], setting: Setting) -> list[Value]:
    """The results of control flow, from the graph that it unrolls to; unknown if the deciding operands have errors."""
    graph = meaning.graph([v.array for v in operands], attrs)
    results = run(graph, dict(zip(graph.inputs, operands, strict=True)), setting)
    if any(np.any(v.error) for v in operands[: meaning.controls]):
        return [Value(v.array, np.full(v.array.shape, np.inf)) for v in results]
    return results


# --- rounding that the program asks for -----------------------------------------------------------------------------


def evaluated(
    node: Node, arrays: Sequence[np.ndarray], types: Sequence[TensorType | None], setting: Setting
) -> list[np.ndarray]:
    """The reference results of one application, rounded if the operator means a rounding."""
    shared = setting.shared
    results = shared.apply(node, arrays, types) if shared else apply(node, arrays, types, "float64")
    op = entry(node)
    target = op and _rounded_to(op, types, setting)
    return [_round(results[0], target)] if target else results


def _rounded_to(op: Op, types: Sequence[TensorType | None], setting: Setting) -> str:
    """The type to which the program asks an operator to round, which happens in any precision; "" if to none."""
    result = types[0]
    if not op.rounds or result is None:
        return ""
    if result.dtype in dtypes.NARROW_FLOATS:
        return result.dtype
    if not dtypes.is_float(result.dtype) or setting.precision:
        return ""
    return "" if result.dtype in setting.mode.excess_precision else result.dtype


def rounds(graph: Graph, mode: Mode) -> bool:
    """Whether a graph, or one within it, may ask for a rounding that float64 values on their own do not show."""
    setting = Setting(mode=mode)
    return any(
        op is None or op.unrolled is not None or (op.rounds and _rounded_to(op, [graph.types[n.outputs[0]]], setting))
        for n in graph.nodes
        for op in [entry(n)]
    )


def _round(x: np.ndarray, dtype: str) -> np.ndarray:
    return np.asarray(x).astype(dtypes.to_numpy(dtype)).astype(np.float64)


# --- reproducible results --------------------------------------------------------------------------------------------


@dataclass(eq=False)  # not frozen: frozen ones take longer to make, and every operator makes one
class Application:
    """One application of an operator of the table, with the reference values of its operands and its results."""

    op: Op
    node: Node
    operands: Sequence[np.ndarray]
    results: Sequence[np.ndarray]
    types: Sequence[TensorType | None]
    setting: Setting

    @property
    def attrs(self) -> Attrs:
        """The attributes in the form that the operator's ``numpy`` expects."""
        return self.op.with_result(self.node.attrs, self.types[0])

    @cached_property
    def numpy(self) -> NumpyFn:
        """The operator's function on arrays, with the rounding that the program asks for."""
        target = _rounded_to(self.op, self.types, self.setting)
        return (lambda x, a: _round(self.op.numpy(x, a), target)) if target else self.op.numpy

    @property
    def has_narrowed_number(self) -> bool:
        """Whether an attribute is a number beyond int32, for operands that the compiler computes in int32."""
        narrowed = self.setting.mode.narrowed
        return any(x.dtype.name in narrowed for x in self.operands) and any(map(_is_large, self.attrs.values()))

    @cached_property
    def wraps(self) -> bool:
        """Whether the results are integers that are known though they wrap around."""
        return (
            self.setting.mode.wrap
            and self.op.modular
            and all(t is None or (dtypes.is_int(t.dtype) and self.setting.held(t.dtype) == t.dtype) for t in self.types)
            and all(x.dtype.kind in "iub" for x in self.operands)
        )

    @cached_property
    def whole(self) -> list[np.ndarray]:
        """The results before integers wrap around, or after it where the operator means the wrapped values."""
        if (
            self.op.moves
            or self.op.data_dependent
            or not self.op.integer_exact
            or self.wraps
            or all(r.dtype.kind not in "iu" for r in self.results)
        ):
            return list(self.results)
        return list(_tuple(self.op.numpy(_as_floats(self.operands), self.attrs)))

    @property
    def sums(self) -> np.ndarray | None:
        """Bounds on partial sums, if there are any."""
        return self.op.partial(_as_floats(self.operands), self.attrs) if self.op.partial else None

    @property
    def stays_reproducible(self) -> bool:
        """Whether results of reproducible operands, and partial sums, are integers that their types hold."""
        if self.wraps or self.has_narrowed_number:
            return self.wraps
        if self.numpy is not self.op.numpy:
            return self._rounds_alike
        sums, computed = self.sums, self.op.modular or not self.op.selects
        holds, held = self.op.integer_exact_with, [self.setting.held(t.dtype) for t in self.types if t is not None]
        if holds and not all(holds(self.node.attrs, dtype) for dtype in held):
            return False
        return all(
            t is None
            or (
                _are_integers(w, sums, _computed_in(self.op, self.setting.held(t.dtype)), computed)
                and bool(np.all(_unwrapped(r, w, t.dtype)))
            )
            for r, w, t in zip(self.results, self.whole, self.types, strict=True)
        )

    @property
    def _rounds_alike(self) -> bool:
        """Whether all frameworks round reproducible operands to the same finite integers."""
        errors, result = [np.zeros(x.shape) for x in self.operands], self.whole[0]
        context = ErrorContext(self.operands, errors, self.whole, self.attrs, 0.0, self.numpy)
        integers = np.isfinite(result) & (result == np.rint(result))
        return bool(integers.all()) and not np.any(self.op.error(context))


def _is_large(value: Any) -> bool:
    """Whether the value of an attribute is a number, or the text of one, beyond int32."""
    try:
        return abs(float(value)) > dtypes.exact_integers("int32")[1]
    except (TypeError, ValueError):
        return False


def _computed_in(op: Op, dtype: str) -> str:
    """The type whose integers results may be: not all frameworks sum up integers of 64 bits as such."""
    return "float64" if dtype in dtypes.WIDEST_INTS and op.partial and not op.modular else dtype


def _are_integers(values: np.ndarray, sums: np.ndarray | None, dtype: str, computed: bool = False) -> bool:
    """Whether values, and the bounds on partial sums if any, are integers in the range of the type.

    A ``computed`` float64 that equals an end of float64's range may be an integer beyond it that was rounded.
    """
    if dtype == "bool" or values.size == 0:
        return True
    if complexes.is_complex(values):
        return all(_are_integers(part, sums, dtype, computed) for part in complexes.parts(values))
    low, high = dtypes.exact_integers(dtype)
    if dtype == "int64":  # a float64 that equals the least stands for smaller numbers, too
        low += 1
    if computed and dtype == "float64":
        low, high = low + 1, high - 1
    if values.dtype.kind == "f" and not (values == np.rint(values)).all():
        return False
    if not (float(values.min()) >= low and float(values.max()) <= high):
        return False
    return sums is None or float(np.max(sums)) <= max(high, -low)


def _unwrapped(result: np.ndarray, whole: np.ndarray, dtype: str) -> np.ndarray:
    """The mask of results that are, up to the rounding of float64, the same as before integers wrapped around.

    A 64-bit type needs this check beside its ends: its largest number is not a float64, and 0 may stand for less.
    """
    if dtype not in dtypes.WIDEST_INTS:
        return np.ones(np.shape(result), bool)
    return np.asarray(np.abs(np.asarray(whole, np.float64) - result) < 2.0**62)


def _as_floats(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [a if a.dtype.kind in "bc" else a.astype(np.float64) for a in arrays]


# --- error bounds ----------------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """The properties that all results of one application share, unless they are reproducible.

    ``extreme``: operands or results are beyond the numbers that any operator handles. ``doubtful``: the operator only
    selects, and its operands have errors. ``sums`` bound sums of 64-bit integers that some frameworks compute in
    float64.
    """

    done: Application
    held: str
    unit: float
    extreme: bool
    doubtful: bool
    sums: np.ndarray | None

    @property
    def mode(self) -> Mode:
        return self.done.setting.mode


def _value(step: _Step, result: np.ndarray, whole: np.ndarray, carried: np.ndarray, type: TensorType | None) -> Value:
    """A result, with the errors that operands carry into it and the operator's own rounding."""
    if type is None or type.dtype == "bool":
        return Value(result, carried)
    if type.dtype in dtypes.NARROW_FLOATS:
        return _stored(result, carried, type.dtype, step.mode)
    if dtypes.is_int(type.dtype):
        held = step.done.setting.held(type.dtype)
        return Value(result, carried if step.done.wraps else _in_range(result, whole, carried, held, step.sums))
    size = np.abs(result)
    error, reach = _rounded(step, size, carried)
    fits = reach < dtypes.overflow_threshold(step.held)
    if fits.all():
        return Value(result, error, False, _extreme(size, error, step.held, step.mode) if step.extreme else None)
    error = np.where(fits, error, np.inf)
    if step.extreme:
        known = np.isfinite(carried) & ((np.isnan(result) & step.mode.edge) | np.isinf(result))
        error = np.where(known, 0.0, error)
    return Value(result, error, False, _extreme(size, error, step.held, step.mode), _finite(result, error))


def _stored(values: np.ndarray, error: np.ndarray, dtype: str, mode: Mode) -> Value:
    """Values of a narrow floating type, with the operands' errors and no rounding."""
    if _are_integers(values, None, dtype) and not error.any():
        return Value(values, error, True)
    if not mode.edge and np.isnan(values).any():
        error = np.where(np.isnan(values), np.inf, error)
    beyond = ~np.isfinite(values) & np.isfinite(error)
    return Value(values, error, False, beyond if beyond.any() else None, _finite(values, error))


def _with_deferred(
    step: _Step,
    context: ErrorContext,
    operands: Sequence[Value],
    values: Sequence[Value],
) -> list[Value]:
    """Results with the deferred errors that operands carry or sums begin.

    The errors stay deferred in elements without an error, and count in all others. They also count in a sum that may
    be exact only in this order, such as 0 + y where the terms of the 0 cancel. Operators that decide (that are not
    continuous) pass on no deferred errors.
    """
    op, types = step.done.op, step.done.types
    begins = op.partial is not None and all(v.reproducible for v in values)
    floating = any(t is not None and dtypes.is_inexact(t.dtype) for t in types)
    if not op.continuous or not floating or not (begins or any(v.deferred is not None for v in operands)):
        return list(values)
    errors = [v.error if v.deferred is None else v.error + v.deferred for v in operands]
    bounds = _bounds(op.error(context._replace(e=errors, unit=step.unit)))
    found = []
    for value, w, carried, t in zip(values, step.done.whole, bounds, types, strict=True):
        if t is None or not dtypes.is_inexact(t.dtype):
            found.append(value)
            continue
        whole_error = _value(step, value.array, w, carried, t).error
        more = np.where(np.isfinite(whole_error), np.maximum(whole_error, value.error), value.error)
        in_any_order = value.reproducible or op.error is not one_sum
        certain = np.broadcast_to((value.error == 0) & in_any_order, more.shape)
        deferred = np.where(certain, more, 0.0)
        error = np.where(certain, 0.0, more)
        found.append(value._replace(error=error, deferred=deferred if deferred.any() else None))
    return found


def _rounded(step: _Step, size: np.ndarray, carried: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whole error of results of a size, and the magnitude that they reach before the last rounding."""
    op = step.done.op
    if op.moves:
        return carried, size + carried
    tiny = dtypes.smallest_normal(step.held)
    if op.selects:  # nothing is computed, but compilers may flush denormal numbers to zero
        near_zero = (size < 2 * tiny) & ((size > 0) | step.doubtful)
        return np.where((carried > 0) | near_zero, carried + tiny, carried), size + carried
    error = carried + op.ulps * step.unit * (size + carried) + tiny
    return error, size + (carried if op.ulps <= 1 else error)


def _in_range(
    result: np.ndarray, whole: np.ndarray, carried: np.ndarray, dtype: str, sums: np.ndarray | None
) -> np.ndarray:
    """An error of 0; infinite where an integer left its type, or was unknown.

    ``sums`` bound sums of 64-bit integers that not all frameworks sum up as such.
    """
    low, high = dtypes.exact_integers(dtype)
    whole = whole if whole.dtype.kind != "b" else whole.astype(np.int8)  # NumPy has no boolean beside large integers
    fits = (whole >= low) & (whole <= high) & (carried == 0)
    fits &= _unwrapped(result, whole, dtype)
    if sums is not None:
        fits &= sums <= min(high, dtypes.exact_integers("float64")[1])
    return np.where(fits, 0.0, np.inf)


def _extreme(size: np.ndarray, error: np.ndarray, held: str, mode: Mode) -> np.ndarray | None:
    """The mask of known elements, by their size, that are NaN or near an end of the type; None where there are none."""
    largest = dtypes.largest_finite(held)
    found = ~(size <= (largest / limits.HEADROOM if mode.edge else largest)) & np.isfinite(error)
    return np.asarray(found) if found.any() else None


def _finite(array: np.ndarray, error: np.ndarray) -> np.ndarray | None:
    """The array with 0 instead of the unknown elements that are not finite; None if there are none."""
    wild = np.isinf(error) & ~np.isfinite(array)
    return np.where(wild, 0.0, array) if wild.any() else None
