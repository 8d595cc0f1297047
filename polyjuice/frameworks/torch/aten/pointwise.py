"""ATen's elementwise operators and reductions, in the table's operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from polyjuice.frameworks.onnx.normal import NotCovered
from polyjuice.frameworks.torch.aten.application import (
    DOMAIN,
    AtenCall,
    Rule,
    Rules,
    ValueName,
    demand,
    registering,
    shaped,
)
from polyjuice.ir import dtypes
from polyjuice.ops import TABLE, numbers

RULES: Rules = {}
_says = registering(RULES)

# --- elementwise ------------------------------------------------------------------------------------------------------

_UNARY = """
    abs:Abs acos:Acos acosh:Acosh asin:Asin asinh:Asinh atan:Atan atanh:Atanh ceil:Ceil cos:Cos cosh:Cosh erf:Erf
    exp:Exp floor:Floor log:Log logical_not:Not neg:Neg reciprocal:Reciprocal relu:Relu round:Round sigmoid:Sigmoid
    sign:Sign sin:Sin sinh:Sinh sqrt:Sqrt tan:Tan tanh:Tanh
"""
"""Operators of one operand, cast to the result's type first (integers to floats, numbers to booleans)."""

_BINARY = """
    add:Add sub:Sub mul:Mul div:Div maximum:Max minimum:Min pow:Pow logical_and:And logical_or:Or logical_xor:Xor
    bitwise_and:And bitwise_or:Or bitwise_xor:Xor
"""
"""Operators of two operands, cast to the result's type first."""

_COMPARISONS = "eq:Equal lt:Less le:LessOrEqual gt:Greater ge:GreaterOrEqual"

_FORMS = ("default", "Tensor", "Scalar", "Tensor_Tensor", "Tensor_Scalar")

_ON_TRUTH = {"Mul": "And", "Add": "Or", "Max": "Or", "Min": "And"}
"""The logical operators that arithmetic on booleans is."""


def _pairs(text: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split(":")) for pair in text.split()]


def _unary(op: str) -> Rule:
    return lambda c: c.op(op, c.x())


_NUMBERED = """
    add sub mul div remainder fmod eq ne lt le gt ge rsub bitwise_and bitwise_or bitwise_xor
"""
"""Operators whose overload ``Scalar``, on a tensor and a Python number, the table has."""


def _with_number(c: AtenCall, overload: str, tensor: Any, number: Any) -> ValueName | None:
    """The operator on a tensor and a number that their common type cannot hold; None for other operands.

    Such a number must not become a constant: Torch may compute with it unrounded.
    """
    if not isinstance(tensor, ValueName) or isinstance(number, bool) or not isinstance(number, int | float):
        return None
    if math.isnan(number) or numbers.held(number, numbers.promoted(c.type(tensor).dtype, number)):
        return None
    attr = TABLE[DOMAIN, overload].attrs[0].name
    try:
        return c.multi(overload, tensor, domain=DOMAIN, **{attr: numbers.text(number)})[0]
    except NotCovered:
        return None


def _numbered(overload: str, rule: Rule, mirrored: str = "") -> Rule:
    """A rule that first tries the overload for a tensor and a number, or ``mirrored`` for a number and a tensor."""

    def either(c: AtenCall) -> ValueName | Sequence[ValueName | None]:
        x, y = c["self"], c.args.get("other", c.args.get("exponent"))
        result = None
        if c.args.get("alpha", 1) == 1:
            result = _with_number(c, overload, x, y) or (_with_number(c, mirrored, y, x) if mirrored else None)
        return result or rule(c)

    return either


def _binary(name: str, op: str) -> Rule:
    def rule(c: AtenCall) -> ValueName:
        dtype = c.result.dtype
        x, y = c.x(), c.tensor(c.args.get("other", c.args.get("exponent")), dtype)
        if c.args.get("alpha", 1) != 1:
            y = c.op("Mul", y, c.constant(c["alpha"], dtype))
        if name.startswith("bitwise"):
            return c.op(op if dtype == "bool" else f"Bitwise{op}", x, y)
        return c.op(_ON_TRUTH.get(op, op) if dtype == "bool" else op, x, y)

    return rule


def _comparison(op: str) -> Rule:
    def rule(c: AtenCall) -> ValueName:
        dtype = _common_type(c)
        return c.op(op, c.tensor(c["self"], dtype), c.tensor(c["other"], dtype))

    return rule


def _common_type(c: AtenCall) -> str:
    """The type in which ATen compares. Raises NotCovered for types of one kind and different widths."""
    kinds = ("bool", "int", "float")

    def kind(value: Any) -> int:
        if not isinstance(value, ValueName):
            return kinds.index(type(value).__name__)
        dtype = c.type(value).dtype
        return kinds.index("bool" if dtype == "bool" else "float" if dtypes.is_float(dtype) else "int")

    operands = [c["self"], c["other"]]
    widest = [v for v in operands if kind(v) == max(map(kind, operands))]
    found = {c.type(v).dtype for v in widest if isinstance(v, ValueName)}
    if not found:  # a number of a wider kind than the tensor has the default type of that kind
        return "float32" if isinstance(widest[0], float) else "int64"
    demand(len(found) == 1, "a comparison of different types")
    return found.pop()


for _name, _op in _pairs(_UNARY):
    RULES[f"{_name}.default"] = _unary(_op)
for _form in _FORMS:
    RULES.update({f"{name}.{_form}": _binary(name, op) for name, op in _pairs(_BINARY)})
    RULES.update({f"{name}.{_form}": _comparison(op) for name, op in _pairs(_COMPARISONS)})


@_says("ne.Tensor", "ne.Scalar")
def _ne(c: AtenCall) -> ValueName:
    dtype = _common_type(c)
    return c.op("Not", c.op("Equal", c.tensor(c["self"], dtype), c.tensor(c["other"], dtype)))


@_says("pow.Tensor_Scalar")
def _power(c: AtenCall) -> ValueName:
    """ATen computes the second and third power as products."""
    x = c.x()
    if c["exponent"] not in (2, 3):
        return c.op("Pow", x, c.constant(c["exponent"], c.result.dtype))
    square = c.op("Mul", x, x)
    return square if c["exponent"] == 2 else c.op("Mul", square, x)


@_says("pow.Scalar")
def _pow_of_number(c: AtenCall) -> ValueName:
    return c.op("Pow", c.x(), c.tensor(c["exponent"], c.result.dtype))


@_says("rsub.Tensor", "rsub.Scalar")
def _rsub(c: AtenCall) -> ValueName:
    demand(c["alpha"] == 1, "a factor")
    return c.op("Sub", c.tensor(c["other"], c.result.dtype), c.x())


@_says("remainder.Tensor", "remainder.Scalar")
def _remainder(c: AtenCall) -> ValueName:
    """Only for integers does ONNX's Mod have the divisor's sign."""
    dtype = c.result.dtype
    demand(dtypes.is_int(dtype), "a remainder of floating numbers")
    return c.op("Mod", c.x(), c.tensor(c["other"], dtype), fmod=0)


@_says("fmod.Tensor", "fmod.Scalar")
def _fmod(c: AtenCall) -> ValueName:
    return c.op("Mod", c.x(), c.tensor(c["other"], c.result.dtype), fmod=1)


@_says("bitwise_not.default")
def _bitwise_not(c: AtenCall) -> ValueName:
    return c.op("Not" if c.result.dtype == "bool" else "BitwiseNot", c["self"])


@_says("rsqrt.default")
def _rsqrt(c: AtenCall) -> ValueName:
    return c.op("Reciprocal", c.op("Sqrt", c.x()))


@_says("where.self")
def _where(c: AtenCall) -> ValueName:
    dtype = c.result.dtype
    return c.op("Where", c.tensor(c["condition"], "bool"), c.x(), c.tensor(c["other"], dtype))


@_says("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(c: AtenCall) -> ValueName:
    return c.op("Where", c["mask"], c.tensor(c["value"], c.result.dtype), c.x())


@_says("clamp.default")
def _clamp(c: AtenCall) -> ValueName:
    return _clip(c, c["min"], c["max"])


@_says("hardtanh.default")
def _hardtanh(c: AtenCall) -> ValueName:
    return _clip(c, c["min_val"], c["max_val"])


def _clip(c: AtenCall, low: float | None, high: float | None) -> ValueName:
    x = c.x()
    bounds = {k: v for k, v in (("min", low), ("max", high)) if v is not None}
    if c.result.dtype == "float64" and not all(numbers.held(float(v), "float32") for v in bounds.values()):
        for k, v in bounds.items():  # Clip's attributes are of single precision
            x = c.multi(f"clamp_{k}.default", x, domain=DOMAIN, **{k: numbers.text(v)})[0]
        return x
    return c.op("Clip", x, **{k: float(v) for k, v in bounds.items()})


@_says("clamp.Tensor")
def _clamp_to_tensors(c: AtenCall) -> ValueName:
    x = c.x()
    for op, bound in (("Max", c["min"]), ("Min", c["max"])):
        x = x if bound is None else c.op(op, x, c.tensor(bound, c.result.dtype))
    return x


@_says("leaky_relu.default")
def _leaky_relu(c: AtenCall) -> ValueName:
    return c.op("LeakyRelu", c.x(), alpha=float(c["negative_slope"]))


@_says("elu.default")
def _elu(c: AtenCall) -> ValueName:
    demand(c["scale"] == c["input_scale"] == 1, "a scale")
    return c.op("Elu", c.x(), alpha=float(c["alpha"]))


@_says("gelu.default")
def _gelu(c: AtenCall) -> ValueName:
    """x Φ(x), or its approximation by a hyperbolic tangent."""
    x, dtype = c.x(), c.result.dtype
    if ("", "Gelu") in TABLE:
        return c.op("Gelu", x, approximate=c["approximate"])

    def times(y: ValueName, factor: float) -> ValueName:
        return c.op("Mul", y, c.constant(factor, dtype))

    if c["approximate"] == "none":
        curve = c.op("Erf", times(x, math.sqrt(0.5)))
    else:
        cube = times(c.op("Mul", x, c.op("Mul", x, x)), 0.044715)
        curve = c.op("Tanh", times(c.op("Add", x, cube), math.sqrt(2 / math.pi)))
    return c.op("Mul", times(x, 0.5), c.op("Add", curve, c.constant(1, dtype)))


@_says("_to_copy.default", "to.dtype")
def _to_copy(c: AtenCall) -> ValueName:
    return c.op("Cast", c["self"], to=c.result.dtype)


@_says("clone.default", "alias.default", "detach.default", "lift_fresh_copy.default", "contiguous.default")
def _copy(c: AtenCall) -> ValueName:
    return c.op("Identity", c["self"])


@_says("dropout.default", "native_dropout.default")
def _dropout(c: AtenCall) -> ValueName:
    demand(c["train"] is False and c.used <= {0}, "a random mask")
    return c.op("Dropout", c["input"])


# --- reductions -------------------------------------------------------------------------------------------------------

_REDUCTIONS = """
    sum.default:ReduceSum sum.dim_IntList:ReduceSum mean.default:ReduceMean mean.dim:ReduceMean amax.default:ReduceMax
    amin.default:ReduceMin max.default:ReduceMax min.default:ReduceMin prod.default:ReduceProd prod.dim_int:ReduceProd
    logsumexp.default:ReduceLogSumExp
"""


def _reduction(op: str) -> Rule:
    return lambda c: _reduced(c, op, c.x())


def _reduced(c: AtenCall, op: str, x: ValueName) -> ValueName:
    return c.op(op, x, axes=c.axes(), keepdims=int(c.args.get("keepdim", False)))


for _name, _op in _pairs(_REDUCTIONS):
    RULES[_name] = _reduction(_op)


def _truth(op: str) -> Rule:
    def rule(c: AtenCall) -> ValueName:
        numbers = c.tensor(c.tensor(c["self"], "bool"), "int32")
        return c.tensor(_reduced(c, op, numbers), "bool")

    return rule


for _form in ("default", "dim", "dims"):
    RULES[f"any.{_form}"] = _truth("ReduceMax")
    RULES[f"all.{_form}"] = _truth("ReduceMin")


def _place(c: AtenCall, op: str) -> ValueName:
    x = c["self"]
    if c["dim"] is not None:
        return c.op(op, x, axis=c.axis(), keepdims=int(c["keepdim"]))
    place = c.op(op, c.op("Reshape", x, shape=(c.type(x).size,)), axis=0, keepdims=0)
    return shaped(c, place, c.result.shape)


@_says("argmax.default")
def _argmax(c: AtenCall) -> ValueName:
    return _place(c, "ArgMax")


@_says("argmin.default")
def _argmin(c: AtenCall) -> ValueName:
    return _place(c, "ArgMin")


@_says("max.dim")
def _max_and_place(c: AtenCall) -> Sequence[ValueName | None]:
    return [_reduced(c, "ReduceMax", c["self"]), _place(c, "ArgMax") if 1 in c.used else None]


@_says("min.dim")
def _min_and_place(c: AtenCall) -> Sequence[ValueName | None]:
    return [_reduced(c, "ReduceMin", c["self"]), _place(c, "ArgMin") if 1 in c.used else None]


@_says("var.correction")
def _variance(c: AtenCall) -> ValueName:
    correction = 1 if c["correction"] is None else c["correction"]
    x, axes = c.x(), c.axes()
    count = math.prod(c.type(x).shape[axis] for axis in axes)
    demand(count > correction, "a division by zero")
    centred = c.op("Sub", x, c.op("ReduceMean", x, axes=axes, keepdims=1))
    total = _reduced(c, "ReduceSum", c.op("Mul", centred, centred))
    return c.op("Div", total, c.constant(count - correction, c.result.dtype))


@_says("cumsum.default")
def _cumsum(c: AtenCall) -> ValueName:
    return c.op("CumSum", c.x(), axis=c.axis())


@_says("_softmax.default")
def _softmax(c: AtenCall) -> ValueName:
    return c.op("Softmax", c.x(), axis=c.axis())


@_says("_log_softmax.default")
def _log_softmax(c: AtenCall) -> ValueName:
    return c.op("LogSoftmax", c.x(), axis=c.axis())


# --- numbers that the tensor's type lacks -----------------------------------------------------------------------------

_MIRRORED = {"add": "add.Scalar", "mul": "mul.Scalar", "sub": "rsub.Scalar"}
"""The overloads for a number and a tensor, in this order."""

for _name in _NUMBERED.split():
    for _form in ("Tensor", "Scalar"):
        _key = f"{_name}.{_form}"
        RULES[_key] = _numbered(f"{_name}.Scalar", RULES[_key], _MIRRORED.get(_name, ""))


_powers = RULES["pow.Tensor_Scalar"], RULES["pow.Scalar"]


@_says("pow.Tensor_Scalar")
def _power_by_number(c: AtenCall) -> ValueName | Sequence[ValueName | None]:
    return _with_number(c, "pow.Tensor_Scalar", c["self"], c["exponent"]) or _powers[0](c)


@_says("pow.Scalar")
def _power_of_number(c: AtenCall) -> ValueName | Sequence[ValueName | None]:
    return _with_number(c, "pow.Scalar", c["exponent"], c["self"]) or _powers[1](c)


@_says("remainder.Scalar_Tensor")
def _remainder_of_number(c: AtenCall) -> ValueName:
    x = c["other"]
    numbered = _with_number(c, "remainder.Scalar_Tensor", x, c["self"])
    return numbered or c.multi("remainder", c.constant(c["self"], c.type(x).dtype), x, domain=DOMAIN)[0]


@_says("div.Tensor_mode", "div.Scalar_mode")
def _rounded_quotient(c: AtenCall) -> ValueName:
    demand(c["rounding_mode"] == "floor", "a quotient rounded another way")
    x, y, dtype = c["self"], c["other"], c.result.dtype
    quotient = _with_number(c, "floor_divide.Scalar", x, y)
    return quotient or c.multi("floor_divide", c.x(), c.tensor(y, dtype), domain=DOMAIN)[0]
