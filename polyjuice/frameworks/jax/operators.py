"""Operators in JAX's Python: a template or a function for each.

``{0}`` is the first operand. An operator with several templates is written in one of these ways, by the choices. Texts
name sizes, because a program has one size for each input. Those of control flow hold texts of other operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from polyjuice.frameworks.jax.types import jax_type
from polyjuice.frameworks.jax.windows import WINDOWS, per_channel
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
from polyjuice.ops.text import by_type, folded, literal

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


# --- products and normalizations -------------------------------------------------------------------------------------


def _batch_normalization(c: Call) -> str:
    scale, bias, mean, variance = (per_channel(c, i) for i in range(1, 5))
    return f"({c.x[0]} - {mean}) * lax.rsqrt({variance} + {c.attrs['epsilon']}) * {scale} + {bias}"


def _layer_normalization(c: Call) -> str:
    axis = normalize_axis(c.attrs["axis"], c.types[0].rank)
    text = f"{c.let(_standardized(c, range(axis, c.types[0].rank), c.attrs['epsilon']))} * {c.x[1]}"
    return f"{text} + {c.x[2]}" if len(c.x) > 2 else text


def _instance_normalization(c: Call) -> str:
    text = c.let(_standardized(c, range(2, c.types[0].rank), c.attrs["epsilon"]))
    return f"{text} * {per_channel(c, 1)} + {per_channel(c, 2)}"


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
    "Gelu": lambda c: f"jax.nn.gelu({c.x[0]}, approximate={c.attrs['approximate'] == 'tanh'})",
    "Shrink": _shrink,
    "BitShift": lambda c: f"jnp.{c.attrs['direction'].lower()}_shift({c.x[0]}, {c.x[1]})",
    "Mod": lambda c: f"jnp.{'fmod' if c.attrs['fmod'] else 'mod'}({c.x[0]}, {c.x[1]})",
    "aten.relu6": by_type(dtypes.INTS, ("jnp.clip({0}, 0, 6)",), ("jax.nn.relu6({0})", "jnp.clip({0}, 0, 6)")),
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
    "aten.any": _reduced(f"jnp.any({{x}}, {_ALONG})"),
    "aten.all": _reduced(f"jnp.all({{x}}, {_ALONG})"),
    "aten.nansum": _reduced(f"jnp.nansum({{x}}, {_ALONG}, dtype={{type}})"),
    "Einsum": lambda c: f'jnp.einsum("{c.attrs["equation"]}", {", ".join(c.x)})',
    "BatchNormalization": _batch_normalization,
    "LayerNormalization": _layer_normalization,
    "InstanceNormalization": _instance_normalization,
    "aten.trace": lambda c: f"jnp.trace({c.x[0]}, dtype={jax_type(c.types[0].dtype)})",
    **WINDOWS,
    "If": _if,
    "Loop": _loop,
}
"""The texts by the operator's qualified name."""
