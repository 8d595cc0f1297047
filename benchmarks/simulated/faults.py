"""Simulated faults, written by hand after published bugs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.simulated import (
    ARGS,
    CONTIGUOUS,
    CONTRACTIONS,
    GREATEST,
    LEAST,
    Effect,
    Fault,
    Site,
    class_of,
    wrong,
)
from polyjuice.ir import Graph, Node, TensorType, dtypes
from polyjuice.ops import entry

LANES, VALUES, SIZES, LAYOUTS, PAIRS, FUSIONS = "lanes", "values", "sizes", "layouts", "pairs", "fusions"

WRITTEN: list[Fault] = []
"""All faults of this file."""


def _fault(group: str, *operators: str) -> Callable[[Effect], Effect]:
    """Decorator: add a function as a fault that has the function's name."""

    def add(effect: Effect) -> Effect:
        name = getattr(effect, "__name__").strip("_").replace("_", "-")  # noqa: B009 - an Effect need not be a function
        WRITTEN.append(Fault(name, group, effect, frozenset(operators)))
        return effect

    return add


# --- 8-bit lanes ------------------------------------------------------------------------------------------------------

LANE_OPERATORS = frozenset((*LEAST, *GREATEST, *ARGS))


def is_lane_reduction(graph: Graph, node: Node) -> bool:
    """Whether a node is an 8-bit min, max or arg reduction over many contiguous elements."""
    if node.qualified not in LANE_OPERATORS:
        return False
    t = graph.types[node.inputs[0]]
    return t.dtype in ("int8", "uint8") and _contiguous(t, _axes(node, t.rank)) >= CONTIGUOUS


def _axes(node: Node, rank: int) -> set[int]:
    """Return the axes of a reduction."""
    attrs = node.attrs
    axes = next((attrs[name] for name in ("axes", "axis", "dim") if name in attrs), ())
    if axes == () and not attrs.get("noop_with_empty_axes"):
        axes = range(rank)
    return {axis % rank for axis in ([axes] if isinstance(axes, int) else axes)} if rank else set()


def _contiguous(t: TensorType, axes: set[int]) -> int:
    """Return how many contiguous elements a reduction combines."""
    length = 1
    for axis in reversed(range(t.rank)):
        length *= t.shape[axis] if axis in axes else 1
        if axis not in axes and t.shape[axis] > 1:
            break
    return length


def _lane(dtype: str, of: str, at: int = 0) -> Effect:
    """Return the fault that counts unfilled lanes as zeros. An arg reduction that selects one of them returns -1."""

    def effect(site: Site) -> Mapping[str, np.ndarray] | None:
        if site.dtype != dtype or not is_lane_reduction(site.graph, site.node):
            return None
        place = 1 if of == "max" and site.node.op == "aminmax" else 0
        if of in ("min", "max"):
            combine = np.minimum if of == "min" else np.maximum
            return {site.node.outputs[place]: combine(site.results[place], 0)}
        x, axes = site.operands[0], tuple(sorted(_axes(site.node, site.operands[0].ndim)))
        least = "min" in site.node.op.lower()
        best = (x.min if least else x.max)(axis=axes, keepdims=True)
        lost = np.resize(best > 0 if least else best < 0, site.results[0].shape)
        return {site.node.outputs[0]: np.where(lost, -1, site.results[0])}

    return effect


for _dtype, _of, _operators in (
    ("uint8", "min", LEAST),
    ("int8", "min", LEAST),
    ("int8", "max", GREATEST),
    ("uint8", "arg", ARGS),
    ("int8", "arg", ARGS),
):
    WRITTEN.append(Fault(f"lane-{_of}-{_dtype}", LANES, _lane(_dtype, _of), frozenset(_operators)))


# --- values: NaN, zeros, rounding, wrap-around ------------------------------------------------------------------------


@_fault(VALUES, "Max", "Min")
def _nan_lost_by_max(site: Site) -> np.ndarray | None:
    if not dtypes.is_float(site.dtype):
        return None
    combine = np.fmax if site.node.op == "Max" else np.fmin
    wide = [x.astype(np.float64) for x in site.operands]
    result = wide[0]
    for x in wide[1:]:
        result = combine(result, x)
    return result if result.shape == site.results[0].shape else None


@_fault(VALUES, "Relu", "Clip", "aten.relu6", "aten.hardtanh", "aten.clamp_min", "LeakyRelu")
def _nan_clamped(site: Site) -> np.ndarray | None:
    y = site.results[0]
    return np.where(np.isnan(y.astype(np.float64)), 0, y) if dtypes.is_float(site.dtype) else None


@_fault(VALUES, "ReduceMax", "ReduceMin", "aten.max", "aten.min")
def _nan_lost_by_reduction(site: Site) -> np.ndarray | None:
    x = site.operands[0]
    if not dtypes.is_float(site.dtype) or not np.isnan(x.astype(np.float64)).any():
        return None
    least = -np.inf if "max" in site.node.op.lower() else np.inf
    return site.again([np.where(np.isnan(x.astype(np.float64)), x.dtype.type(least), x)])


@_fault(VALUES, "Neg", "aten.rsub")
def _zero_minus_zero(site: Site) -> np.ndarray | None:
    return site.results[0] + np.zeros((), site.results[0].dtype) if dtypes.is_float(site.dtype) else None


@_fault(VALUES, "Exp", "Log", "Sin", "Cos", "Tanh", "Sigmoid", "Erf", "Sqrt", "Div", "Pow", "Softmax", "ReduceSum")
def _double_held_as_single(site: Site) -> np.ndarray | None:
    return site.results[0].astype(np.float32).astype(np.float64) if site.dtype == "float64" else None


@_fault(VALUES, "Add", "Sub", "Mul", "ReduceSum", "ReduceMax", "CumSum", "aten.floor_divide", "Div", "Abs")
def _integer_held_as_float(site: Site) -> np.ndarray | None:
    held = {"int64": np.float64, "int32": np.float32}.get(site.dtype)
    y = site.results[0]
    return y.astype(held).astype(y.dtype) if held and y.dtype == site.operands[0].dtype else None


@_fault(VALUES, "Add", "Sub", "Mul")
def _small_integer_saturates(site: Site) -> np.ndarray | None:
    if site.dtype not in ("int8", "uint8", "int16"):
        return None
    combine = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[site.node.op]
    info = np.iinfo(site.results[0].dtype)
    return np.clip(combine(*(x.astype(np.int64) for x in site.operands[:2])), info.min, info.max)


@_fault(VALUES, "Cast")
def _narrowing_saturates(site: Site) -> np.ndarray | None:
    x, y = site.operands[0], site.results[0]
    if not (np.issubdtype(x.dtype, np.integer) and np.issubdtype(y.dtype, np.integer)) or y.itemsize >= x.itemsize:
        return None
    return np.clip(x, np.iinfo(y.dtype).min, np.iinfo(y.dtype).max)


@_fault(VALUES, "Mod", "aten.remainder", "aten.fmod")
def _remainder_of_magnitude(site: Site) -> np.ndarray | None:
    return site.again([site.operands[0], np.abs(site.operands[1])])


@_fault(VALUES, "ArgMax", "ArgMin", "aten.argmax", "aten.argmin")
def _tie_at_the_end(site: Site) -> np.ndarray | None:
    return site.again(select_last_index=1) if site.node.attrs.get("select_last_index") == 0 else None


@_fault(VALUES, "Cast")
def _cast_to_bool_truncates(site: Site) -> np.ndarray | None:
    y = site.results[0]
    return np.trunc(site.operands[0].astype(np.float64)) != 0 if y.dtype == bool and site.dtype != "bool" else None


# --- sizes, ranks and axes --------------------------------------------------------------------------------------------

_SUMS = ("ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "aten.logsumexp")


@_fault(SIZES, *_SUMS, "ReduceProd", "aten.var", "aten.std")
def _tail_left_out(site: Site) -> np.ndarray | None:
    x = site.operands[0]
    if not x.ndim or x.shape[-1] <= CONTIGUOUS or not x.shape[-1] % CONTIGUOUS:
        return None
    if x.ndim - 1 not in _axes(site.node, x.ndim):
        return None
    short = x.copy()
    short[..., -1] = 0
    return site.again([short])


@_fault(SIZES, "ReduceMax", "aten.max", "MaxPool", "aten.amax")
def _maximum_of_padding(site: Site) -> np.ndarray | None:
    x = site.operands[0]
    padded = any(site.node.attrs.get("pads", ())) or (x.ndim and x.shape[-1] > CONTIGUOUS and x.shape[-1] % 8)
    return np.maximum(site.results[0], np.zeros((), site.results[0].dtype)) if padded else None


@_fault(SIZES, "Softmax", "LogSoftmax", "Hardmax", "CumSum", "aten.cumprod", "aten.sort")
def _inner_axis_taken_for_last(site: Site) -> np.ndarray | None:
    name = "dim" if "dim" in site.node.attrs else "axis"
    x = site.operands[0]
    inner = x.ndim > 1 and name in site.node.attrs and site.node.attrs[name] % x.ndim != x.ndim - 1
    return site.again(**{name: x.ndim - 1}) if inner else None


@_fault(SIZES, "Transpose")
def _inverse_permutation(site: Site) -> np.ndarray | None:
    perm = site.node.attrs["perm"]
    return site.again(perm=tuple(int(i) for i in np.argsort(perm))) if len(perm) > 3 else None


@_fault(SIZES, "MatMul", "Gemm", "aten.linear", "aten.addmm")
def _product_without_tail(site: Site) -> np.ndarray | None:
    x = site.operands[0]
    if x.ndim < 2 or x.shape[-1] < 4 or not x.shape[-1] % 4:
        return None
    short = x.copy()
    short[..., -1] = 0
    return site.again([short, *site.operands[1:]])


@_fault(SIZES, "Concat")
def _parts_exchanged(site: Site) -> np.ndarray | None:
    deep = site.operands[0].ndim > 3 and len(site.operands) > 1
    return site.again([*reversed(site.operands)]) if deep else None


@_fault(SIZES, "Gather", "GatherElements", "aten.index_select", "aten.embedding")
def _negative_index_clamped(site: Site) -> np.ndarray | None:
    return site.again([site.operands[0], np.maximum(site.operands[1], 0)])


@_fault(SIZES, "Conv", "ConvTranspose")
def _begin_padding_for_end(site: Site) -> np.ndarray | None:
    pads = site.node.attrs.get("pads", ())
    half = len(pads) // 2
    return site.again(pads=(*pads[half:], *pads[:half])) if pads[:half] != pads[half:] else None


# --- layouts and buffers ----------------------------------------------------------------------------------------------


def _elementwise(node: Node) -> bool:
    op = entry(node)
    return bool(op and op.elementwise)


@_fault(LAYOUTS)
def _transposed_read_as_stored(site: Site) -> np.ndarray | None:
    transpose = site.maker(0, "Transpose")
    if not transpose or not _elementwise(site.node) or len(site.operands) < 2:
        return None
    stored = site.values[transpose.inputs[0]]
    return site.again([stored.reshape(site.operands[0].shape), *site.operands[1:]])


@_fault(LAYOUTS)
def _slice_read_from_start(site: Site) -> np.ndarray | None:
    part = site.maker(0, "Slice", "aten.narrow")
    if not part or _elementwise(site.node) or not site.operands[0].size:
        return None
    whole = site.values[part.inputs[0]].ravel()
    return site.again([whole[: site.operands[0].size].reshape(site.operands[0].shape), *site.operands[1:]])


@_fault(LAYOUTS)
def _expanded_read_as_stored(site: Site) -> np.ndarray | None:
    expand = site.maker(0, "Expand")
    if not expand or not site.operands[0].size:
        return None
    return site.again([np.resize(site.values[expand.inputs[0]], site.operands[0].shape), *site.operands[1:]])


@_fault(LAYOUTS)
def _in_place_over_output(site: Site) -> Mapping[str, np.ndarray] | None:
    if not site.names or not _elementwise(site.node):
        return None
    name, result = site.names[0], site.node.outputs[0]
    alike = result and site.graph.types[name] == site.graph.types[result]
    return {name: site.results[0]} if alike and name in site.graph.outputs and name in site.makers else None


@_fault(LAYOUTS)
def _view_overwritten(site: Site) -> Mapping[str, np.ndarray] | None:
    view = site.maker(0, "Reshape", "Squeeze", "Unsqueeze", "Flatten")
    if not view or not _elementwise(site.node) or not site.node.outputs[0]:
        return None
    base, result = view.inputs[0], site.results[0]
    same = base in site.makers and site.values[base].dtype == result.dtype and site.values[base].size == result.size
    return {base: result.reshape(site.values[base].shape)} if same else None


# --- patterns of two --------------------------------------------------------------------------------------------------


@_fault(PAIRS, "Transpose")
def _transposes_composed_backwards(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Transpose")
    if not first:
        return None
    a, b = first.attrs["perm"], site.node.attrs["perm"]
    other = site.values[first.inputs[0]].transpose([b[i] for i in a])
    return other if other.shape == site.results[0].shape else None


@_fault(PAIRS, "Reshape", "Flatten")
def _flatten_of_transpose(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Transpose")
    return site.values[first.inputs[0]].reshape(site.results[0].shape) if first else None


@_fault(PAIRS, "Cast")
def _cast_chain_joined(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Cast")
    return site.values[first.inputs[0]].astype(site.results[0].dtype) if first else None


@_fault(PAIRS, "Cast")
def _small_product_widened(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Add", "Sub", "Mul")
    if not first or site.dtype not in ("int8", "uint8", "int16") or site.results[0].itemsize <= 2:
        return None
    combine = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[first.op]
    return combine(*(site.values[name].astype(np.int64) for name in first.inputs))


@_fault(PAIRS, "Not")
def _negated_comparison(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
    if not first:
        return None
    opposite = {"Less": np.greater_equal, "Greater": np.less_equal}
    opposite |= {"LessOrEqual": np.greater, "GreaterOrEqual": np.less}
    return opposite[first.op](*(site.values[name] for name in first.inputs))


@_fault(PAIRS, "Sqrt")
def _root_of_square(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Mul", "aten.square")
    same = first and first.inputs[0] == first.inputs[-1]
    return site.values[first.inputs[0]] if first and same else None


@_fault(PAIRS, "Mul")
def _quotient_times_number(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Div")
    if not first or not dtypes.is_int(site.dtype) or any(x.ndim != site.results[0].ndim for x in site.operands):
        return None
    a, b = (site.values[name] for name in first.inputs)
    return np.where(b != 0, (a * site.operands[1]) // np.where(b == 0, 1, b), 0)


@_fault(PAIRS, "ArgMax", "ArgMin")
def _arg_of_negation(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Neg")
    return site.again([-site.operands[0]]) if first else None


@_fault(PAIRS, "ReduceMean", "ReduceSum")
def _reduction_of_expanded(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Expand", "Tile", "Concat")
    y = site.results[0]
    return y * 2 if first and y.dtype != bool else None


@_fault(PAIRS, "Softmax", "ReduceMax", "ArgMax")
def _scale_moved_out(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Mul", "Div")
    if not first or not dtypes.is_float(site.dtype) or len(first.inputs) < 2:
        return None
    scale = site.values[first.inputs[1]]
    return site.again([np.where(scale < 0, -site.operands[0], site.operands[0])])


@_fault(PAIRS, "MatMul")
def _square_transpose_dropped(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Transpose") or site.maker(1, "Transpose")
    at = 0 if site.maker(0, "Transpose") else 1
    if not first:
        return None
    stored = site.values[first.inputs[0]]
    operands = list(site.operands)
    operands[at] = stored
    return site.again(operands) if stored.shape == site.operands[at].shape else None


@_fault(PAIRS, "Slice")
def _slice_of_slice(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Slice")
    if not first or not site.results[0].size:
        return None
    return np.resize(site.values[first.inputs[0]], site.results[0].shape)


@_fault(PAIRS, "Where")
def _where_of_not(site: Site) -> np.ndarray | None:
    first = site.maker(0, "Not")
    return site.again([~site.operands[0], *site.operands[1:]]) if first else None


# --- fusions: faults that need several operators ----------------------------------------------------------------------


def _run_of_elementwise(site: Site, node: Node, limit: int) -> int:
    """Return the length of the longest chain of elementwise operators that ends in a node, up to a limit."""
    if not _elementwise(node):
        return 0
    if limit == 1:
        return 1
    makers = [site.makers[name] for name in node.inputs if name in site.makers]
    return 1 + max((_run_of_elementwise(site, maker, limit - 1) for maker in makers), default=0)


@_fault(FUSIONS)
def _five_elementwise_in_a_row(site: Site) -> np.ndarray | None:
    return wrong(site.results[0]) if _run_of_elementwise(site, site.node, 5) == 5 else None


@_fault(FUSIONS)
def _reduction_joined_with_operand(site: Site) -> np.ndarray | None:
    """The pattern of a normalization: an elementwise operator reads a reduction's result and its operand."""
    reductions = [
        site.makers[name] for name in site.names if name in site.makers and class_of(site.makers[name]) == "reduction"
    ]
    joined = any(reduction.inputs[0] in site.names for reduction in reductions)
    return wrong(site.results[0]) if joined and _elementwise(site.node) else None


@_fault(FUSIONS)
def _two_reductions_of_one_value(site: Site) -> np.ndarray | None:
    if class_of(site.node) != "reduction":
        return None
    before = [n for n in site.makers.values() if class_of(n) == "reduction" and n.inputs[0] == site.node.inputs[0]]
    return wrong(site.results[0]) if before else None


@_fault(FUSIONS)
def _product_of_two_products(site: Site) -> np.ndarray | None:
    chained = any(site.makers[n].qualified in CONTRACTIONS for n in site.names if n in site.makers)
    return wrong(site.results[0]) if chained and site.node.qualified in CONTRACTIONS else None


@_fault(FUSIONS)
def _value_with_three_readers(site: Site) -> np.ndarray | None:
    readers = Counter(name for node in site.graph.nodes for name in set(node.inputs))
    used = any(readers[name] >= 3 and name in site.makers for name in site.names)
    return wrong(site.results[0]) if used and class_of(site.node) == "reduction" else None
