"""Operators in JAX's Python: a template or a function for each.

``{0}`` is the first operand. An operator with several templates is written in one of these ways, by the choices. Texts
name sizes, because a program has one size for each input. Those of control flow hold texts of other operators.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.ir import Graph, dtypes
from polyjuice.ops import Call, Op, Texts, Unsupported, axis_reductions
from polyjuice.ops.control import (
    Language,
    body_text,
    both,
    lambda_text,
    parameter_names,
    spelled,
    tuple_text,
    unrolled_loop,
)
from polyjuice.ops.shapes import normalize_axis
from polyjuice.ops.spec import NOT_WRITTEN
from polyjuice.ops.text import by_type, folded, literal, subscript

TextFn = Callable[[Call], "str | Unsupported"]


# --- elementwise -----------------------------------------------------------------------------------------------------


def _is_inf(c: Call) -> str:
    asked = c.attrs["detect_negative"], c.attrs["detect_positive"]
    if not any(asked):
        return f"jnp.zeros({c.types[0].shape}, jnp.bool_)"
    return f"jnp.is{'inf' if all(asked) else 'neginf' if asked[0] else 'posinf'}({c.x[0]})"


def _clip(c: Call) -> str:
    low, high = (None if v is None else literal(v, c.types[0].dtype) for v in (c.attrs["min"], c.attrs["max"]))
    return f"jnp.clip({c.x[0]}, {low}, {high})"


def _cast(c: Call) -> str | Unsupported:
    to, text = c.attrs["to"], c.x[0]
    if to == "float8e4m3fn" and c.types[0].dtype not in ("bool", to):
        text = f"jnp.clip({text}.astype(jnp.float32), -448.0, 448.0)"  # XLA gives NaN for larger numbers
    forms = ("{0}.astype({1})", "lax.convert_element_type({0}, {1})", "jnp.asarray({0}, {1})")
    return c.draws.choice(forms).format(text, jax_type(to))


def _shrink(c: Call) -> str:
    bias, lambd = (literal(c.attrs[name], "float32") for name in ("bias", "lambd"))
    x = c.x[0]
    inner = f"jnp.where({x} < -{lambd}, {x} + {bias}, jnp.where({x} > {lambd}, {x} - {bias}, jnp.zeros_like({x})))"
    return f"{inner}.astype({jax_type(c.types[0].dtype)})"


_divide = by_type(
    dtypes.INTS,
    ("({0} - jnp.fmod({0}, {1})) // {1}",),
    ("{0} / {1}", "jnp.true_divide({0}, {1})", "jnp.divide({0}, {1})"),
)


# --- shapes ----------------------------------------------------------------------------------------------------------


def _to_shape(*others: TextFn) -> TextFn:
    """An operator whose result has the operand's elements, in order, in another shape."""

    def spell(c: Call) -> str | Unsupported:
        shape = c.results[0].shape
        forms = [f"jnp.reshape({c.x[0]}, {shape})", f"lax.reshape({c.x[0]}, {shape})", *(form(c) for form in others)]
        return c.draws.choice(forms)

    return spell


def _split(c: Call) -> str:
    ends, total = [], 0
    for size in c.attrs["split"]:
        total += size
        ends.append(total)
    return f"jnp.split({c.x[0]}, {ends[:-1]}, axis={c.attrs['axis']})"


def _slice(c: Call) -> str:
    a, shape = c.attrs, c.types[0].shape
    entries = {}
    for start, end, axis, step in zip(a["starts"], a["ends"], a["axes"], a["steps"], strict=True):
        low, high, stride = _indices(start, end, step, shape[axis])
        entries[axis] = f"{low}:{'' if high < 0 else high}:{stride}"
    return f"{c.x[0]}{subscript(len(shape), entries)}"


def _indices(start: int, end: int, step: int, size: int) -> tuple[int, int, int]:
    """A slice by ONNX's rules as places from 0; -1 is the end before the first element."""
    low, high, stride = slice(start, end, step).indices(size)
    empty = (high - low) * stride <= 0
    return (0, 0, 1) if empty else (low, high, stride)


def _pad(c: Call) -> str:
    a, (t, *_) = c.attrs, c.types
    begins, ends = a["pads"][: t.rank], a["pads"][t.rank :]
    cut = {
        axis: f"{max(-low, 0)}:{t.shape[axis] - max(-high, 0)}"
        for axis, (low, high) in enumerate(zip(begins, ends, strict=True))
        if low < 0 or high < 0
    }
    widths = tuple((max(low, 0), max(high, 0)) for low, high in zip(begins, ends, strict=True))
    x = f"{c.x[0]}{subscript(t.rank, cut) if cut else ''}"
    if a["mode"] != "constant":
        return f'jnp.pad({x}, {widths}, mode="{a["mode"]}")'
    value = literal(a["value"] or 0, t.dtype)
    padded = tuple((low, high, 0) for low, high in zip(begins, ends, strict=True))
    forms = (
        f"jnp.pad({x}, {widths}, constant_values={value})",
        f"lax.pad({c.x[0]}, jnp.array({value}, {jax_type(t.dtype)}), {padded})",
    )
    return c.draws.choice(forms)


def _depth_to_space(c: Call) -> str:
    n, channels, h, w = c.types[0].shape
    b = c.attrs["blocksize"]
    depth = channels // (b * b)
    if c.attrs["mode"] == "DCR":
        shape, perm = (n, b, b, depth, h, w), (0, 3, 4, 1, 5, 2)
    else:
        shape, perm = (n, depth, b, b, h, w), (0, 1, 4, 2, 5, 3)
    return f"jnp.reshape(jnp.transpose(jnp.reshape({c.x[0]}, {shape}), {perm}), {c.results[0].shape})"


def _space_to_depth(c: Call) -> str:
    n, channels, h, w = c.types[0].shape
    b = c.attrs["blocksize"]
    parts = f"jnp.reshape({c.x[0]}, {(n, channels, h // b, b, w // b, b)})"
    return f"jnp.reshape(jnp.transpose({parts}, (0, 3, 5, 1, 2, 4)), {c.results[0].shape})"


def _eye_like(c: Call) -> str:
    rows, columns = c.types[0].shape
    return f"jnp.eye({rows}, {columns}, k={c.attrs['k']}, dtype={jax_type(c.results[0].dtype)})"


# --- places ----------------------------------------------------------------------------------------------------------


def _places(c: Call) -> str:
    """An index for each axis: the operand's along the operator's axis, and the element's own place elsewhere."""
    t = c.types[1]
    axis = normalize_axis(c.attrs["axis"], t.rank)
    own = (
        f"jnp.arange({n}).reshape({tuple(n if other == d else 1 for other in range(t.rank))})"
        for d, n in enumerate(t.shape)
    )
    return ", ".join(c.x[1] if d == axis else text for d, text in enumerate(own))


def _reverse_sequence(c: Call) -> str:
    time = c.attrs["time_axis"]
    steps, rows = (f"jnp.arange({c.types[0].shape[axis]})" for axis in (time, 1 - time))
    lengths = f"{c.x[1]}.reshape(-1, 1)"
    places = c.let(f"jnp.where({steps} < {lengths}, {lengths} - 1 - {steps}, {steps})")
    index = f"{rows}.reshape(-1, 1), {places}" if time else f"{places}.T, {rows}"
    return f"{c.x[0]}[{index}]"


def _seen(c: Call) -> str:
    to, size = jax_type(c.attrs["to"]), tuple(c.attrs["size"])
    widths = [dtypes.to_numpy(dtype).itemsize for dtype in (c.attrs["of"], c.attrs["to"])]
    if widths[0] > widths[1]:
        return f"lax.bitcast_convert_type({c.x[0]}, {to}).reshape({size})"
    return f"lax.bitcast_convert_type({c.x[0]}.reshape({(*size, widths[1] // widths[0])}), {to})"


def _gather_elements(c: Call) -> str:
    axis = normalize_axis(c.attrs["axis"], c.types[0].rank)
    same = all(a == b for d, (a, b) in enumerate(zip(c.types[0].shape, c.types[1].shape, strict=True)) if d != axis)
    forms = [f"{c.x[0]}[{_places(c)}]"]
    if same:
        forms.insert(0, f"jnp.take_along_axis({c.x[0]}, {c.x[1]}, axis={axis})")
    return c.draws.choice(forms)


def _gather_nd(c: Call) -> str:
    function = "lambda a, b: a[tuple(jnp.moveaxis(b, -1, 0))]"
    for _ in range(c.attrs["batch_dims"]):
        function = f"jax.vmap({function})"
    return f"({function})({c.x[0]}, {c.x[1]})"


_UPDATES = {"none": "set", "add": "add", "mul": "multiply", "min": "min", "max": "max"}


def _updated(c: Call, places: str) -> str:
    return f"{c.x[0]}.at[{places}].{_UPDATES[c.attrs['reduction']]}({c.x[2]})"


def _one_hot(c: Call) -> str:
    depth, rank = c.attrs["depth"], c.results[0].rank
    axis = normalize_axis(c.attrs["axis"], rank)
    line = tuple(depth if d == axis else 1 for d in range(rank))
    index = f"jnp.where({c.x[0]} < 0, {c.x[0]} + {depth}, {c.x[0]})" if c.types[0].dtype in dtypes.SIGNED else c.x[0]
    hot = f"jnp.expand_dims({index}, {axis}) == jnp.arange({depth}).reshape({line})"
    return f"jnp.where({hot}, {c.x[1]}[1], {c.x[1]}[0])"


def _top_k(c: Call) -> str:
    axis, k = normalize_axis(c.attrs["axis"], c.types[0].rank), c.attrs["k"]
    if axis == c.types[0].rank - 1 and c.attrs["largest"] and c.draws.chance(_LAX_TOP_K):
        best = c.let(f"lax.top_k({c.x[0]}, {k})")
        return f"({best}[0], {best}[1].astype(jnp.int64))"
    order = f"jnp.argsort({c.x[0]}, axis={axis}, stable=True, descending={bool(c.attrs['largest'])})"
    index = c.let(f"{order}{subscript(c.types[0].rank, {axis: f':{k}'})}")
    return f"(jnp.take_along_axis({c.x[0]}, {index}, axis={axis}), {index}.astype(jnp.int64))"


_LAX_TOP_K = 0.5


# --- reductions ------------------------------------------------------------------------------------------------------


def _reduced(template: str) -> TextFn:
    """A reduction: ``{x}`` along ``{axes}``, which ``{keep}`` keeps; ``{type}`` is the result's element type."""

    def spell(c: Call) -> str:
        axes = axis_reductions.axes(c.attrs, c.types[0].rank)
        keep = axis_reductions.keeps(c.attrs)
        return template.format(x=c.x[0], axes=axes, keep=keep, type=jax_type(c.results[0].dtype))

    return spell


_ALONG = "axis={axes}, keepdims={keep}"


def _summed(inner: str, outer: str = "{}") -> TextFn:
    return _reduced(outer.replace("{}", f"jnp.sum({inner}, {_ALONG}, dtype={{type}})"))


def _arg(name: str) -> TextFn:
    def spell(c: Call) -> str:
        axis = normalize_axis(c.attrs["axis"], c.types[0].rank)
        keep = f"axis={axis}, keepdims={bool(c.attrs['keepdims'])}"
        if not c.attrs["select_last_index"]:
            return f"jnp.{name}({c.x[0]}, {keep}).astype(jnp.int64)"
        last = c.types[0].shape[axis] - 1
        return f"{last} - jnp.{name}(jnp.flip({c.x[0]}, {axis}), {keep}).astype(jnp.int64)"

    return spell


def _hardmax(c: Call) -> str:
    axis, rank = normalize_axis(c.attrs["axis"], c.types[0].rank), c.types[0].rank
    line = tuple(c.types[0].shape[axis] if d == axis else 1 for d in range(rank))
    first = f"jnp.argmax({c.x[0]}, axis={axis}, keepdims=True)"
    return f"(jnp.arange({line[axis]}).reshape({line}) == {first}).astype({jax_type(c.types[0].dtype)})"


def _lp_normalization(c: Call) -> str:
    along_axis = f"axis={c.attrs['axis']}, keepdims=True"
    if c.attrs["p"] == 1:
        return f"{c.x[0]} / jnp.sum(jnp.abs({c.x[0]}), {along_axis})"
    return f"{c.x[0]} / jnp.sqrt(jnp.sum(jnp.square({c.x[0]}), {along_axis}))"


def _standardized(c: Call, axes: Sequence[int], epsilon: float | None) -> str:
    """The first operand minus its mean along some axes, divided by its standard deviation."""
    along_axes = f"axis={tuple(axes)}, keepdims=True"
    centred = c.let(f"{c.x[0]} - jnp.mean({c.x[0]}, {along_axes})")
    variance = f"jnp.mean(jnp.square({centred}), {along_axes})"
    added = "" if epsilon is None else f" + {epsilon}"
    forms = (f"{centred} / jnp.sqrt({variance}{added})", f"{centred} * lax.rsqrt({variance}{added})")
    return c.draws.choice(forms)


def _cumsum(c: Call) -> str:
    t, reverse = c.types[0], bool(c.attrs["reverse"])
    axis, x = normalize_axis(c.attrs["axis"], c.types[0].rank), c.x[0]
    if c.attrs["exclusive"]:
        widths = tuple((0 if d != axis else int(not reverse), 0 if d != axis else int(reverse)) for d in range(t.rank))
        kept = f"1:{t.shape[axis] + 1}" if reverse else f":{t.shape[axis]}"
        x = f"jnp.pad({x}, {widths}){subscript(t.rank, {axis: kept})}"
    forms = [f"lax.cumsum({x}, axis={axis}, reverse={reverse})"]
    if not reverse:
        forms.insert(0, f"jnp.cumsum({x}, axis={axis}, dtype={jax_type(t.dtype)})")
    return c.draws.choice(forms)


# --- products and normalizations -------------------------------------------------------------------------------------


def _per_channel(c: Call, i: int) -> str:
    """An operand of a number for each channel, in a shape that broadcasts to the first operand."""
    return f"{c.x[i]}.reshape({(-1, *[1] * (c.types[0].rank - 2))})"


def _lrn(c: Call) -> str:
    a, rank = c.attrs, c.types[0].rank
    size = a["size"]
    window = (1, size, *[1] * (rank - 2))
    pads = ((0, 0), ((size - 1) // 2, size - 1 - (size - 1) // 2), *[(0, 0)] * (rank - 2))
    zero = f"jnp.array(0, {jax_type(c.types[0].dtype)})"
    sums = f"lax.reduce_window(jnp.square({c.x[0]}), {zero}, lax.add, {window}, {(1,) * rank}, {pads})"
    return f"{c.x[0]} / jnp.power({a['bias']} + {a['alpha'] / size} * {sums}, {a['beta']})"


def _matmul_integer(c: Call) -> str:
    rows = (-1, 1) if len(c.types) > 2 and c.types[2].rank == 1 and c.types[2].size > 1 else None
    x = [f"{text}.astype(jnp.int32)" for text in c.x]
    zeros = [f"{text}.reshape({rows})" if rows and i == 0 else text for i, text in enumerate(x[2:])]
    left, right = (f"({a} - {b})" if b else a for a, b in itertools.zip_longest(x[:2], zeros))
    return f"{left} @ {right}"


def _batch_normalization(c: Call) -> str:
    scale, bias, mean, variance = (_per_channel(c, i) for i in range(1, 5))
    return f"({c.x[0]} - {mean}) * lax.rsqrt({variance} + {c.attrs['epsilon']}) * {scale} + {bias}"


def _layer_normalization(c: Call) -> str:
    axis = normalize_axis(c.attrs["axis"], c.types[0].rank)
    text = f"{c.let(_standardized(c, range(axis, c.types[0].rank), c.attrs['epsilon']))} * {c.x[1]}"
    return f"{text} + {c.x[2]}" if len(c.x) > 2 else text


def _instance_normalization(c: Call) -> str:
    text = c.let(_standardized(c, range(2, c.types[0].rank), c.attrs["epsilon"]))
    return f"{text} * {_per_channel(c, 1)} + {_per_channel(c, 2)}"


# --- control flow ----------------------------------------------------------------------------------------------------


def texts_of(op: Op) -> Texts:
    """The texts of an operator; one without is written by its definition."""
    return op.texts("jax") if "jax" in op.text else TEXTS.get(op.qualified, NOT_WRITTEN)


_LANGUAGE = Language(texts_of, "jnp.array({0}, dtype=jnp.{1})")


@spelled
def _if(c: Call) -> str:
    condition = f"{c.x[0]}.reshape(())"
    if c.draws.chance(_COND):
        then, otherwise = (lambda_text(c, _LANGUAGE, (), c.attrs[name], c.x) for name in ("then_branch", "else_branch"))
        return f"lax.cond({condition}, {then}, {otherwise})"
    return both(c, _LANGUAGE, f"jnp.where({condition}, {{0}}, {{1}})")


@spelled
def _loop(c: Call) -> str:
    body: Graph = c.attrs["body"]
    carried = len(body.outputs)
    if c.draws.chance(_UNROLLED):
        return tuple_text(body_text(c, _LANGUAGE, unrolled_loop((), c.attrs), c.x, c.let))
    trip, state = parameter_names(2)
    operands = [*(f"{state}[{i}]" for i in range(carried)), *c.x[carried:], trip]
    step = lambda_text(c, _LANGUAGE, (trip, state), body, operands)
    return f"lax.fori_loop(jnp.int64(0), jnp.int64({c.attrs['M']}), {step}, {tuple_text(c.x[:carried])})"


_COND, _UNROLLED = 0.7, 0.3


TEXTS: Mapping[str, Texts] = {
    "Div": _divide,
    "Mean": lambda c: f"{folded('({0} + {1})')(c)} / {len(c.x)}",
    "Abs": by_type(dtypes.UNSIGNED, ("jnp.abs({0})",), ("jnp.abs({0})", "lax.abs({0})")),
    "IsInf": _is_inf,
    "Clip": _clip,
    "Cast": _cast,
    "BitCast": lambda c: f"lax.bitcast_convert_type({c.x[0]}, {jax_type(c.attrs['to'])})",
    "Gelu": lambda c: f"jax.nn.gelu({c.x[0]}, approximate={c.attrs['approximate'] == 'tanh'})",
    "Shrink": _shrink,
    "BitShift": lambda c: f"jnp.{c.attrs['direction'].lower()}_shift({c.x[0]}, {c.x[1]})",
    "Mod": lambda c: f"jnp.{'fmod' if c.attrs['fmod'] else 'mod'}({c.x[0]}, {c.x[1]})",
    "aten.relu6": by_type(dtypes.INTS, ("jnp.clip({0}, 0, 6)",), ("jax.nn.relu6({0})", "jnp.clip({0}, 0, 6)")),
    "Transpose": lambda c: f"{c.draws.choice(('jnp', 'lax'))}.transpose({c.x[0]}, {tuple(c.attrs['perm'])})",
    "Reshape": _to_shape(),
    "Squeeze": _to_shape(lambda c: f"jnp.squeeze({c.x[0]}, {tuple(c.attrs['axes']) or None})"),
    "Unsqueeze": _to_shape(lambda c: f"jnp.expand_dims({c.x[0]}, {tuple(c.attrs['axes'])})"),
    "Flatten": _to_shape(),
    "Expand": lambda c: f"jnp.broadcast_to({c.x[0]}, {c.results[0].shape})",
    "Concat": lambda c: f"jnp.concatenate([{', '.join(c.x)}], axis={c.attrs['axis']})",
    "Split": _split,
    "Slice": _slice,
    "Pad": _pad,
    "Tile": lambda c: f"jnp.tile({c.x[0]}, {tuple(c.attrs['repeats'])})",
    "Trilu": lambda c: f"jnp.tri{'u' if c.attrs['upper'] else 'l'}({c.x[0]}, {c.attrs['k']})",
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "EyeLike": _eye_like,
    "Shape": lambda c: f"jnp.array({list(c.types[0].shape[c.attrs['start'] : c.attrs['end']])}, jnp.int64)",
    "Size": lambda c: f"jnp.array({c.types[0].size}, jnp.int64)",
    "aten.flip": lambda c: f"jnp.flip({c.x[0]}, {tuple(c.attrs['dims'])})",
    "aten.stack": lambda c: f"jnp.stack([{', '.join(c.x)}], axis={c.attrs['dim']})",
    "Gather": lambda c: f"jnp.take({c.x[0]}, {c.x[1]}, axis={c.attrs['axis']})",
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "ScatterElements": lambda c: _updated(c, _places(c)),
    "ScatterND": lambda c: _updated(c, f"tuple(jnp.moveaxis({c.x[1]}, -1, 0))"),
    "OneHot": _one_hot,
    "ReverseSequence": _reverse_sequence,
    "aten.view.dtype": _seen,
    "TopK": _top_k,
    "ReduceSum": _summed("{x}"),
    "ReduceMean": _reduced(f"jnp.mean({{x}}, {_ALONG}, dtype={{type}})"),
    "ReduceMax": _reduced(f"jnp.max({{x}}, {_ALONG})"),
    "ReduceMin": _reduced(f"jnp.min({{x}}, {_ALONG})"),
    "ReduceProd": _reduced(f"jnp.prod({{x}}, {_ALONG}, dtype={{type}})"),
    "ReduceL1": _summed("jnp.abs({x})"),
    "ReduceL2": _summed("jnp.square({x})", "jnp.sqrt({})"),
    "ReduceSumSquare": _summed("jnp.square({x})"),
    "ReduceLogSum": _summed("{x}", "jnp.log({})"),
    "ReduceLogSumExp": _reduced(f"jax.nn.logsumexp({{x}}, {_ALONG})"),
    "ArgMax": _arg("argmax"),
    "ArgMin": _arg("argmin"),
    "Softmax": lambda c: f"jax.nn.softmax({c.x[0]}, axis={c.attrs['axis']})",
    "LogSoftmax": lambda c: f"jax.nn.log_softmax({c.x[0]}, axis={c.attrs['axis']})",
    "Hardmax": _hardmax,
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": lambda c: _standardized(c, c.attrs["axes"], None),
    "CumSum": _cumsum,
    "aten.any": _reduced(f"jnp.any({{x}}, {_ALONG})"),
    "aten.all": _reduced(f"jnp.all({{x}}, {_ALONG})"),
    "aten.nansum": _reduced(f"jnp.nansum({{x}}, {_ALONG}, dtype={{type}})"),
    "Einsum": lambda c: f'jnp.einsum("{c.attrs["equation"]}", {", ".join(c.x)})',
    "BatchNormalization": _batch_normalization,
    "LayerNormalization": _layer_normalization,
    "InstanceNormalization": _instance_normalization,
    "aten.trace": lambda c: f"jnp.trace({c.x[0]}, dtype={jax_type(c.types[0].dtype)})",
    "LRN": _lrn,
    "MatMulInteger": _matmul_integer,
    "If": _if,
    "Loop": _loop,
}
"""The texts by the operator's qualified name."""
