"""Elementwise operators: arithmetic, comparison, logic, selection, activations and casts.

Meanings follow the ONNX operator specification at opset 18; integer division truncates, as there.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import ALL, FLOATS, INTS, NUMERIC, SIGNED
from polyjuice.ops import errors, sampling
from polyjuice.ops.spec import Attr, ErrorContext, ErrorFn, Op, Operand, Sample, TorchCall, TorchFn

_WITHOUT_BFLOAT16 = ("float16", "float32", "float64")
"""The types of operators that ONNX does not define on bfloat16 at opset 18."""

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _first_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    return [s[0]]


def broadcast_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """All operands broadcast to one shape."""
    out = s[0]
    for shape in s[1:]:
        out = out.broadcast(shape)
    return [out]


def _unary(
    name: str,
    function: Any,
    torch: tuple[str, ...],
    error: ErrorFn,
    dtypes: tuple[str, ...] = FLOATS,
    **properties: Any,
) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": dtypes},
        results=("T",),
        shape=_first_shape,
        numpy=lambda x, a: function(x[0]),
        error=error,
        torch=torch,
        sample=sampling.alone,
        elementwise=True,
        **properties,
    )


def _binary(
    name: str,
    function: Any,
    torch: tuple[str, ...] | TorchFn,
    error: ErrorFn,
    dtypes: tuple[str, ...] = NUMERIC,
    result: str = "T",
    **properties: Any,
) -> Op:
    settings: dict[str, Any] = {"sample": sampling.same_type(1), **properties}
    return Op(
        name=name,
        inputs=("T", "T"),
        types={"T": dtypes},
        results=(result,),
        shape=broadcast_shape,
        numpy=lambda x, a: function(x[0], x[1]),
        error=error,
        torch=torch,
        elementwise=True,
        **settings,
    )


def _fold(function: Any) -> Any:
    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        out = x[0]
        for other in x[1:]:
            out = function(out, other)
        return out

    return apply


def _fold_torch(template: str) -> TorchFn:
    def spell(c: TorchCall) -> str:
        out = c.x[0]
        for other in c.x[1:]:
            out = template.format(out, other)
        return out

    return spell


def _variadic(name: str, function: Any, template: str, error: ErrorFn, dtypes: tuple[str, ...], **more: Any) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": dtypes},
        results=("T",),
        shape=broadcast_shape,
        numpy=_fold(function),
        error=error,
        torch=_fold_torch(template),
        sample=sampling.same_type(1),
        variadic=True,
        elementwise=True,
        exact=True,
        **more,
    )


# --- integer division ------------------------------------------------------------------------------------------------


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if not np.issubdtype(a.dtype, np.integer):
        return np.asarray(a / b)
    if np.any(b == 0):
        raise ZeroDivisionError("integer division by zero")
    quotient = (
        np.abs(a.astype(object)) // np.abs(b.astype(object)) * np.sign(a.astype(object)) * np.sign(b.astype(object))
    )
    return np.asarray(quotient).astype(a.dtype)


def _divide_torch(c: TorchCall) -> str:
    if c.types[0].dtype in INTS:
        return f"torch.div({c.x[0]}, {c.x[1]}, rounding_mode='trunc')"
    return c.rng.choice(("{0} / {1}", "torch.div({0}, {1})")).format(*c.x)


def _sample_divide(rng: random.Random, first: TensorType) -> Sample:
    divisor = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    return Sample((Operand(divisor, (1, 7)) if first.dtype in INTS else Operand(divisor),))


# --- powers ----------------------------------------------------------------------------------------------------------


def _power_error(c: ErrorContext) -> np.ndarray:
    (x, y), (ex, ey) = c.x, c.e
    bound = errors.corners(c, [[x + dx, y + dy] for dx in (-ex, ex) for dy in (-ey, ey)])
    touched = (ex > 0) | (ey > 0)
    bound = errors.infinite_if(touched & (x - ex <= 0), bound)
    exponent = np.abs(y * np.log(np.where(x == 0, 1.0, np.abs(x))))
    return np.asarray(bound + 4 * exponent * c.unit * np.abs(c.y[0]))


# --- attributes ------------------------------------------------------------------------------------------------------


def _clip(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    out = x[0]
    if a["min"] is not None:
        out = np.maximum(out, np.asarray(a["min"], out.dtype))
    if a["max"] is not None:
        out = np.minimum(out, np.asarray(a["max"], out.dtype))
    return out


def _clip_torch(c: TorchCall) -> str:
    as_number = int if c.types[0].dtype in INTS else float
    limits = [f"{k}={as_number(c.attrs[k])}" for k in ("min", "max") if c.attrs[k] is not None]
    return f"torch.clamp({c.x[0]}, {', '.join(limits)})"


def _draw_clip(rng: random.Random, first: TensorType) -> Attrs:
    low = rng.randint(0, 2) if first.dtype == "uint8" else rng.randint(-3, 1)
    return {"min": float(low), "max": float(low + rng.randint(1, 5))}


def _cast(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The interpreter stores the result in the target type; here only what the rounding direction decides."""
    if a["to"] == "bool":
        return np.asarray(x[0] != 0)
    if a["to"] in INTS and np.issubdtype(x[0].dtype, np.floating):
        return np.asarray(np.trunc(x[0]))
    return x[0]


def _cast_error(c: ErrorContext) -> object:
    to = c.attrs["to"]
    if to in FLOATS:
        return c.e[0] + c.unit * (np.abs(c.x[0]) + c.e[0])
    return errors.stepped(c)


def _draw_cast(rng: random.Random, first: TensorType) -> Attrs:
    return {"to": rng.choice([t for t in ALL if t != first.dtype])}


def _sample_where(rng: random.Random, first: TensorType) -> Sample:
    dtype = rng.choice(ALL)
    shapes = [first.shape, sampling.broadcastable(rng, first.shape)]
    rng.shuffle(shapes)
    return Sample(tuple(Operand(TensorType(dtype, shape)) for shape in shapes))


def _where_error(c: ErrorContext) -> np.ndarray:
    condition, ec = c.x[0], c.e[0]
    return np.where(ec > 0, np.inf, np.where(condition, c.e[1], c.e[2]))


def _with_alpha(name: str, function: Any, torch: str, default: float, dtypes: tuple[str, ...] = FLOATS) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": dtypes},
        results=("T",),
        shape=_first_shape,
        numpy=lambda x, a: function(x[0], a["alpha"]),
        error=errors.monotone,
        torch=lambda c: torch.format(c.x[0], alpha=repr(c.attrs["alpha"])),
        sample=sampling.alone_with(lambda rng, first: {"alpha": rng.choice((0.01, 0.125, 0.5, 1.0))}),
        attrs=(Attr("alpha", "float", default),),
        elementwise=True,
        ulps=8,
    )


def _sigmoid(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype))


def _compare(name: str, function: Any, symbol: str, torch: str, dtypes: tuple[str, ...] = NUMERIC) -> Op:
    return _binary(
        name,
        function,
        (f"{{0}} {symbol} {{1}}", f"torch.{torch}({{0}}, {{1}})"),
        errors.decided(errors.comparison_unstable),
        dtypes,
        "bool",
        exact=True,
        continuous=False,
    )


def _logic(name: str, function: Any, torch: str, symbol: str) -> Op:
    spelling = (f"torch.{torch}({{0}}, {{1}})", f"{{0}} {symbol} {{1}}")
    return _binary(name, function, spelling, errors.added, ("bool",), exact=True, continuous=False)


OPS = (
    # arithmetic
    _binary(
        "Add", np.add, ("{0} + {1}", "torch.add({0}, {1})", "{0}.add({1})"), errors.added, exact=True, ulps=1, weight=3
    ),
    _binary("Sub", np.subtract, ("{0} - {1}", "torch.sub({0}, {1})"), errors.added, exact=True, ulps=1, weight=2),
    _binary(
        "Mul",
        np.multiply,
        ("{0} * {1}", "torch.mul({0}, {1})", "{0}.mul({1})"),
        errors.product,
        exact=True,
        ulps=1,
        weight=3,
    ),
    _binary("Div", _divide, _divide_torch, errors.quotient, ulps=2, sample=_sample_divide),
    _binary("Pow", np.power, ("torch.pow({0}, {1})", "{0} ** {1}"), _power_error, FLOATS, ulps=8, weight=0.5),
    _variadic("Max", np.maximum, "torch.maximum({0}, {1})", errors.largest, NUMERIC),
    _variadic("Min", np.minimum, "torch.minimum({0}, {1})", errors.largest, NUMERIC),
    _variadic("Sum", np.add, "({0} + {1})", errors.added, FLOATS, ulps=4, weight=0.5),
    _unary("Neg", np.negative, ("-{0}", "torch.neg({0})"), errors.lipschitz(), FLOATS + SIGNED, exact=True, weight=1.5),
    _unary("Abs", np.abs, ("torch.abs({0})", "{0}.abs()"), errors.lipschitz(), NUMERIC, exact=True),
    _unary("Sign", np.sign, ("torch.sign({0})",), errors.stepped, NUMERIC, exact=True, continuous=False),
    _unary(
        "Reciprocal",
        np.reciprocal,
        ("torch.reciprocal({0})", "1.0 / {0}"),
        lambda c: errors.quotient(
            ErrorContext([np.ones_like(c.x[0]), c.x[0]], [np.zeros_like(c.e[0]), c.e[0]], c.y, c.attrs, c.unit, c.numpy)
        ),
        ulps=2,
    ),
    _unary(
        "Identity",
        np.array,
        ("{0}.clone()", "torch.clone({0})"),
        errors.lipschitz(),
        ALL,
        exact=True,
        moves=True,
        weight=0.2,
    ),
    # rounding
    _unary("Floor", np.floor, ("torch.floor({0})",), errors.stepped, exact=True, continuous=False, weight=0.5),
    _unary("Ceil", np.ceil, ("torch.ceil({0})",), errors.stepped, exact=True, continuous=False, weight=0.5),
    _unary(
        "Round",
        np.rint,
        ("torch.round({0})",),
        errors.stepped,
        _WITHOUT_BFLOAT16,
        exact=True,
        continuous=False,
        weight=0.5,
    ),
    # transcendental
    _unary("Exp", np.exp, ("torch.exp({0})",), errors.monotone, ulps=8),
    _unary("Log", np.log, ("torch.log({0})",), errors.plus_absolute(errors.monotone, 2), ulps=8, weight=0.5),
    _unary("Sqrt", np.sqrt, ("torch.sqrt({0})", "{0}.sqrt()"), errors.monotone, ulps=2),
    _unary("Sin", np.sin, ("torch.sin({0})",), errors.plus_absolute(errors.lipschitz(), 8), _WITHOUT_BFLOAT16),
    _unary("Cos", np.cos, ("torch.cos({0})",), errors.plus_absolute(errors.lipschitz(), 8), _WITHOUT_BFLOAT16),
    _unary("Tanh", np.tanh, ("torch.tanh({0})", "{0}.tanh()"), errors.plus_absolute(errors.monotone, 8), ulps=8),
    _unary(
        "Erf",
        lambda x: _erf(x).astype(x.dtype),
        ("torch.erf({0})",),
        errors.plus_absolute(errors.monotone, 8),
        ulps=8,
        weight=0.5,
    ),
    # activations
    _unary(
        "Relu",
        lambda x: np.maximum(x, 0).astype(x.dtype),
        ("torch.relu({0})", "F.relu({0})", "{0}.relu()"),
        errors.lipschitz(),
        FLOATS + SIGNED,
        exact=True,
        weight=3,
    ),
    _unary("Sigmoid", _sigmoid, ("torch.sigmoid({0})",), errors.plus_absolute(errors.monotone, 4), ulps=8),
    _unary(
        "Softplus",
        lambda x: np.logaddexp(x, 0).astype(x.dtype),
        ("F.softplus({0}, threshold=80.0)",),
        errors.plus_absolute(errors.monotone, 4),
        _WITHOUT_BFLOAT16,
        ulps=8,
        weight=0.5,
    ),
    _with_alpha(
        "LeakyRelu", lambda x, k: np.where(x < 0, np.asarray(k, x.dtype) * x, x), "F.leaky_relu({0}, {alpha})", 0.01
    ),
    _with_alpha(
        "Elu",
        lambda x, k: np.where(x < 0, np.asarray(k, x.dtype) * np.expm1(np.minimum(x, 0)), x),
        "F.elu({0}, {alpha})",
        1.0,
        _WITHOUT_BFLOAT16,
    ),
    Op(
        name="Clip",
        inputs=("T",),
        types={"T": NUMERIC},
        results=("T",),
        shape=_first_shape,
        numpy=_clip,
        error=errors.lipschitz(),
        torch=_clip_torch,
        sample=sampling.alone_with(_draw_clip),
        attrs=(
            Attr("min", "float", None, as_input=True, scalar=True, like_operand=True),
            Attr("max", "float", None, as_input=True, scalar=True, like_operand=True),
        ),
        elementwise=True,
        exact=True,
    ),
    # comparison, logic, selection, types
    _compare("Equal", np.equal, "==", "eq", ALL),
    _compare("Greater", np.greater, ">", "gt"),
    _compare("GreaterOrEqual", np.greater_equal, ">=", "ge"),
    _compare("Less", np.less, "<", "lt"),
    _compare("LessOrEqual", np.less_equal, "<=", "le"),
    _logic("And", np.logical_and, "logical_and", "&"),
    _logic("Or", np.logical_or, "logical_or", "|"),
    _logic("Xor", np.logical_xor, "logical_xor", "^"),
    _unary(
        "Not",
        np.logical_not,
        ("torch.logical_not({0})", "~{0}"),
        errors.lipschitz(),
        ("bool",),
        exact=True,
        continuous=False,
    ),
    Op(
        name="Where",
        inputs=("B", "T", "T"),
        types={"B": ("bool",), "T": ALL},
        results=("T",),
        shape=broadcast_shape,
        numpy=lambda x, a: np.where(x[0], x[1], x[2]),
        error=_where_error,
        torch=("torch.where({0}, {1}, {2})",),
        sample=_sample_where,
        elementwise=True,
        exact=True,
        continuous=False,
        weight=3,
    ),
    Op(
        name="Cast",
        inputs=("S",),
        types={"S": ALL},
        results=("@to",),
        shape=_first_shape,
        numpy=_cast,
        error=_cast_error,
        torch=lambda c: c.rng.choice(("{0}.to(torch.{1})", "{0}.type(torch.{1})")).format(c.x[0], c.attrs["to"]),
        sample=sampling.alone_with(_draw_cast),
        attrs=(Attr("to", "dtype"),),
        elementwise=True,
        exact=True,
        continuous=False,
        weight=2,
    ),
)
