"""Elementwise limits, selection, replacement and casts."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, COMPLEX, FLOATS, NUMERIC, STORED, UNSIGNED
from polyjuice.ops import adjoints, errors, sampling, spec, unspecified, writes
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.pointwise import DECIDES, broadcast_shape, defined, elementwise, parameters, suitable
from polyjuice.ops.spec import ANYWHERE, INFINITY, NAN, Attr, Call, Op, Operand, Sample, Unsupported, attributes, facts
from polyjuice.ops.text import literal, spell
from polyjuice.ops.value_bounds import Bounds

# --- limits ----------------------------------------------------------------------------------------------------------


def _clip(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    out = x[0]
    for limit, function in (("min", np.maximum), ("max", np.minimum)):
        out = out if a[limit] is None else function(out, np.asarray(a[limit], out.dtype))
    return out


def _clip_disputed(c: spec.ErrorContext) -> np.ndarray:
    """The mask of infinities on a side without a limit: ONNX puts the greatest finite number there, Torch leaves it."""
    unlimited = [end for name, end in (("min", -np.inf), ("max", np.inf)) if c.attrs[name] is None]
    return np.isin(c.x[0], unlimited)


def _limits(c: Call) -> dict[str, str]:
    return {k: literal(c.attrs[k], c.types[0].dtype) for k in ("min", "max") if c.attrs[k] is not None}


def _clip_torch(c: Call) -> str:
    limits = _limits(c)
    texts = [f"torch.{name}({{0}}, {', '.join(f'{k}={v}' for k, v in limits.items())})" for name in ("clamp", "clip")]
    if len(limits) == 1:
        texts += [f"torch.clamp_{k}({{0}}, {v})" for k, v in limits.items()]
    return c.draws.choice(texts).format(c.x[0])


def _clip_tensorflow(c: Call) -> str:
    limits = _limits(c)
    text = c.x[0]
    ordered = len(limits) == 2 and c.attrs["min"] <= c.attrs["max"]  # TensorFlow leaves the other order open
    if ordered and c.draws.chance(0.6):
        return f"tf.clip_by_value({text}, {limits['min']}, {limits['max']})"
    for k, v in limits.items():
        text = f"tf.{'maximum' if k == 'min' else 'minimum'}({text}, {v})"
    return text if limits else f"tf.identity({text})"


_SIDES: Sequence[Attrs] = ({}, {}, {}, {"min": None}, {"max": None})
"""The limits that a drawn Clip lacks, mostly none."""


def _draw_clip(rng: random.Random, first: TensorType) -> Attrs:
    low = rng.randint(0, 2) if first.dtype in UNSIGNED else rng.randint(-3, 1)
    limits = {"min": float(low), "max": float(low + rng.randint(1, 5))}
    return {**limits, **rng.choice(_SIDES)}


# --- nan_to_num ------------------------------------------------------------------------------------------------------


def _nan_to_num_torch(c: Call) -> str:
    values = ", ".join(f"{name}={c.attrs[name]}" for name in ("nan", "posinf", "neginf") if c.attrs[name] is not None)
    return c.draws.choice(("torch.nan_to_num({0}, {1})", "{0}.nan_to_num({1})")).format(c.x[0], values)


def _nan_to_num_definition(x: Term, a: Attrs) -> Term:
    largest = dtypes.largest_finite(x.dtype)
    high = largest if a["posinf"] is None else a["posinf"]
    low = -largest if a["neginf"] is None else a["neginf"]
    x = where(x.then("IsNaN"), a["nan"], x)
    return where(x.equals(np.inf), high, where(x.equals(-np.inf), low, x))


# --- casts and selection ---------------------------------------------------------------------------------------------


def _cast(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The cast except for the final rounding: the interpreter stores the result in the target type.

    A number too large for float8e4m3fn, which has no infinity, becomes its largest number. Torch does so, and ONNX by
    default. In float8e5m2 it becomes an infinity, as in all wider types.
    """
    if a["to"] == "bool":
        return np.asarray(x[0] != 0)
    if a["to"] == "float8e4m3fn":
        largest = dtypes.largest_finite("float8e4m3fn")
        floating = x[0] if np.issubdtype(x[0].dtype, np.floating) else x[0].astype(np.float64)
        return np.asarray(np.clip(floating, -largest, largest))
    if dtypes.is_int(a["to"]) and np.issubdtype(x[0].dtype, np.floating):
        whole = np.asarray(np.trunc(x[0]))
        beyond = dtypes.largest_finite(a["to"])  # as a float64, the first number that the type lacks
        return np.where(whole >= beyond, np.inf, whole) if a["to"] in dtypes.WIDEST_INTS else whole
    return x[0]


def _cast_error(c: spec.ErrorContext) -> object:
    to = c.attrs["to"]
    if to in FLOATS or to in dtypes.NARROW_FLOATS:
        if not c.unit:
            return _rounding_error(c)
        held = c.x[0].astype(dtypes.to_numpy(errors.held(c))) == c.x[0]
        return c.e[0] + np.where(held & (c.e[0] == 0), 0.0, c.unit * (np.abs(c.x[0]) + c.e[0]))
    if to == "bool":  # no step up or down: only zero is false
        return np.where((c.e[0] == 0) | (np.abs(c.x[0]) > c.e[0]), 0.0, np.inf)
    if to in dtypes.NARROW_INTS:  # ONNX Runtime rounds to the nearest of them
        return np.where((c.e[0] == 0) & (c.x[0] == np.rint(c.x[0])), 0.0, np.inf)
    return errors.stepped(c)


def _rounding_error(c: spec.ErrorContext) -> np.ndarray:
    """The bound for a cast's rounding: mostly 0, or a step where the operand's error may cross one.

    Frameworks reach a half type, or a narrower one, through float32, and 64-bit integers through float64. So there may
    be one more rounding.
    """
    x = np.asarray(c.x[0], np.float64)
    size = np.abs(x)
    through = np.where(size > 2.0**53, size * 2.0**-53, 0.0) if c.x[0].dtype.kind in "iu" else 0.0
    if c.attrs["to"] in ("float16", "bfloat16", *dtypes.NARROW_FLOATS):
        through = through + np.where(
            (x.astype(np.float32) == x) | np.isnan(x), 0.0, size * dtypes.unit_roundoff("float32")
        )
    reach = c.e[0] + through
    moved = errors.corners(c, [[x - reach], [x + reach]])
    return np.where(reach == 0, 0.0, moved)


_NARROWED = 0.15
"""How often a cast is drawn that goes to a narrow type."""


def _draw_cast(rng: random.Random, first: TensorType) -> Attrs:
    if rng.random() < sampling.IDENTITY:
        return {"to": first.dtype}
    return {"to": rng.choice(dtypes.NARROW) if rng.random() < _NARROWED else sampling.element_type(rng, ALL)}


def _cast_torch(c: Call) -> str | Unsupported:
    to = c.attrs["to"]
    if to in dtypes.NARROW_INTS:
        return Unsupported("Torch has no numbers of 4 bits")
    if writes.wanted(c):
        return writes.written(c, writes.empty(c), [("[...]", c.x[0])])
    texts = ["{0}.to(torch.{1})", "{0}.type(torch.{1})", "{0}.to(dtype=torch.{1})"]
    texts += [f"{{0}}.{_METHODS[to]}()"] if to in _METHODS else []
    texts += ["{0}.to({0}.dtype)", "{0}.type_as({0})"] if c.types[0] == c.results[0] else []
    return c.draws.choice(texts).format(c.x[0], dtypes.framework_name(to))


def _cast_tensorflow(c: Call) -> str | Unsupported:
    """TensorFlow only casts floating types to 8-bit ones, and gives NaN for numbers too large for float8_e4m3fn."""
    to, text = c.attrs["to"], c.x[0]
    if to in dtypes.NARROW_INTS or c.types[0].dtype in dtypes.NARROW_INTS:
        return Unsupported("TensorFlow has no casts of numbers of 4 bits")
    if to in dtypes.NARROW_FLOATS and c.types[0].dtype not in (*FLOATS, *dtypes.NARROW_FLOATS):
        text = f"tf.cast({text}, tf.float32)"
    if to == "float8e4m3fn" and c.types[0].dtype not in ("bool", to):
        if c.types[0].dtype in dtypes.NARROW_FLOATS:
            text = f"tf.cast({text}, tf.float32)"
        text = f"tf.clip_by_value({text}, -448.0, 448.0)"
    if to in dtypes.NARROW_FLOATS:
        return f"tf.cast({text}, '{dtypes.framework_name(to)}')"
    return c.draws.choice(("tf.cast({0}, tf.{1})", "tf.cast({0}, '{1}')")).format(text, to)


def _cast_jax(c: Call) -> tuple[str, ...]:
    x = "{0}"
    if c.attrs["to"] == "float8e4m3fn" and c.types[0].dtype not in ("bool", "float8e4m3fn"):
        x = "jnp.clip({0}.astype(jnp.float32), -448.0, 448.0)"  # XLA gives NaN for larger numbers
    to = "jnp.bool_" if c.attrs["to"] == "bool" else "jnp.{type}"
    return f"{x}.astype({to})", f"lax.convert_element_type({x}, {to})", f"jnp.asarray({x}, {to})"


_METHODS = {
    "float16": "half", "float32": "float", "float64": "double", "bfloat16": "bfloat16", "bool": "bool",
    "int8": "char", "int16": "short", "int32": "int", "int64": "long", "uint8": "byte",
}  # fmt: skip
"""Torch's methods that convert to a type."""


def _sample_where(rng: random.Random, first: TensorType) -> Sample:
    dtype = sampling.element_type(rng, ALL)
    shapes = [first.shape, sampling.broadcastable(rng, first.shape)]
    rng.shuffle(shapes)
    return Sample(tuple(Operand(TensorType(dtype, shape)) for shape in shapes))


def _sample_masked_fill(rng: random.Random, first: TensorType) -> Sample:
    mask = Operand(TensorType("bool", sampling.broadcastable(rng, first.shape)))
    values = (0.0, 1.0) if first.dtype == "bool" else suitable((0.0, 0.0, 1.0, -1.0, 3.0, 0.5, -10000.0), first.dtype)
    held = [v for v in values if v is not None and (first.dtype not in ("int8", "uint8") or abs(v) < 100)]
    return Sample((mask,), {"value": rng.choice(held)})


SATURATES = {"float8e4m3fn": 1, "float8e5m2": 0}
"""The value of ``saturate`` with which ONNX's Cast means the same as the table's."""


def _normal_cast(a: GivenAttrs, x: Types) -> None:
    """Drop rounding modes, which concern a type that the IR lacks. Saturation matters only for 8-bit floating types."""
    a.pop("round_mode", None)
    saturates = int(a.pop("saturate", 1))
    demand(saturates == SATURATES.get(a["to"], saturates), "a cast with another treatment of large numbers")


OPS = (
    # limits
    elementwise(
        "Clip",
        _clip,
        spell(_clip_torch, tf=_clip_tensorflow, jax="jnp.clip({0}, {min}, {max})"),
        errors.lipschitz(),
        NUMERIC,
        sample=sampling.alone_with(_draw_clip),
        attrs=tuple(Attr(k, "float", None, as_input=True, scalar=True, like_operand=True) for k in ("min", "max")),
        disputed=_clip_disputed,
        followers="Clip Relu Cast Add Mul Min Max Conv",
        **facts(integer_exact=True, limits=INFINITY, signed_zeros=False, any_number=True),
    ),
    defined(
        "clamp_min",
        lambda x, a: x.then("Max", a["min"]),
        spell(
            ("torch.clamp_min({0}, {min})", "{0}.clamp_min({min})", "{0}.clamp(min={min})"),
            tf=("tf.maximum({0}, {min})", "tf.where({0} < {min}, tf.constant({min}, {0}.dtype), {0})"),
        ),
        NUMERIC,
        widen=False,
        **parameters((("min", 0.0, (0.0, 0.0, 1.0, -2.0, 0.5)),)),
        bounds=Bounds("(max l0 min_)", "(max h0 min_)"),
        **facts(integer_exact=True, ulps=1, limits=INFINITY, signed_zeros=False, any_number=True),
    ),
    # selection, types
    Op(
        name="Where",
        inputs=("B", "T", "T"),
        types={"B": ("bool",), "T": STORED},
        shape=broadcast_shape,
        numpy=lambda x, a: np.where(x[0], x[1], x[2]),
        error=lambda c: np.where(c.e[0] > 0, np.inf, np.where(c.x[0], c.e[1], c.e[2])),
        text=spell(
            ("torch.", "{1}.where({0}, {2})"),
            tf=("tf.", "tf.raw_ops.SelectV2(condition={0}, t={1}, e={2})"),
            jax="jnp.where",
        ),
        sample=_sample_where,
        **DECIDES,
        followers=f"Where Softmax MatMul Add Mul Cast {sampling.REDUCED}",
        bounds=Bounds("(min l1 l2)", "(max h1 h2)"),
        **facts(torch_types=COMPLEX, elementwise=True, weight=3, limits=ANYWHERE),
    ),
    Op(
        name="masked_fill",
        inputs=("T", "B"),
        types={"T": ALL, "B": ("bool",)},
        shape=broadcast_shape,
        text=spell(("{0}.masked_fill({1}, {value})", "torch.masked_fill({0}, {1}, {value})")),
        definition=onnx_term(lambda x, mask, a: where(mask, a["value"], x), widen=False),
        sample=_sample_masked_fill,
        attrs=attributes(value="float"),
        **DECIDES,
        **facts(torch_types=COMPLEX, elementwise=True, weight=0.5, limits=ANYWHERE, any_number=True),
    ),
    defined(
        "nan_to_num",
        _nan_to_num_definition,
        spell(_nan_to_num_torch),
        widen=False,
        **parameters((("nan", 0.0, (0.0, 0.0, 1.0)), ("posinf", None, (8.0, 100.0)), ("neginf", None, (-8.0, -100.0)))),
        **facts(integer_exact=True, limits=INFINITY | NAN, any_number=True),
    ),
    Op(
        name="Cast",
        inputs=("S",),
        types={"S": STORED},
        results=("@to",),
        shape=broadcast_shape,
        numpy=_cast,
        error=_cast_error,
        text=spell(_cast_torch, tf=_cast_tensorflow, jax=_cast_jax),
        sample=sampling.alone_with(_draw_cast),
        attrs=attributes(to="dtype"),
        adjoint=adjoints.through,
        followers="Cast Add Mul Sub Div Transpose Where Reshape MatMul ReduceSum Not Relu",
        unsettled=unspecified.cast,
        normal=_normal_cast,
        **facts(elementwise=True, continuous=False, weight=2, limits=ANYWHERE, modular=True, fresh=False),
    ),
)
