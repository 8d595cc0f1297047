"""ATen's operators in terms of the operator table.

An operator of ATen is the table's of that name, or the one whose text in Torch calls it: the entry of Acos says
``torch.acos({0})``. Others have a rule of their own. A call that nothing covers raises NotCovered, and stays opaque.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from polyjuice.frameworks.torch.aten.application import DOMAIN, AtenCall, Rule, ValueName
from polyjuice.frameworks.torch.aten.rules import NAMED, RULES
from polyjuice.ir import dtypes
from polyjuice.ops import TABLE, Attr, Op, numbers
from polyjuice.ops.normal import NotCovered, demand
from polyjuice.ops.spec import ANY

__all__ = ["DOMAIN", "AtenCall", "ValueName", "apply", "called", "named_alike"]

_OURS = ("embedding.default", "zeros_like.default", "ones_like.default", "full_like.default")
"""Operators whose rule comes before ATen's name: Gather takes negative indices, and filled tensors are constants."""

_PLAINER = ("max_pool2d_with_indices.default",)
"""Operators that ONNX has too if only some of their results are used."""


def apply(overload: str, c: AtenCall) -> Sequence[ValueName | None]:
    """The results of a call in the table's operators (None: unused). Raises NotCovered where no rule covers it."""
    reason, name = f"nothing says {overload}", overload.split(".")[0]
    function = _ON_TRUTH[name] if name in _ON_TRUTH and c.result.dtype == "bool" else name
    of_text = _unequal if name == "ne" else _by_text(*called()[function]) if function in called() else None
    rules = [_by_text(TABLE[DOMAIN, name]) if named_alike(overload) else None, RULES.get(overload, of_text)]
    if overload in _PLAINER:
        rules.reverse()
    for rule in (_with_number(name), *filter(None, rules)):
        try:
            made = rule(c)
        except NotCovered as error:
            reason = str(error) or reason
            continue
        results = [made] if isinstance(made, ValueName) else list(made)
        found = {k: c.type(name) for k, name in enumerate(results) if name is not None}
        if all(found.get(k) == c.results[k] for k in c.used):
            return results
        reason = f"{overload} has other results in the table"
    raise NotCovered(reason)


def named_alike(overload: str) -> bool:
    """Whether the table has the operator under ATen's own name, and its rule uses that name."""
    return overload not in _OURS and (DOMAIN, overload.split(".")[0]) in TABLE


# --- operators that entries name -------------------------------------------------------------------------------------

_FUNCTION = re.compile(r"(?:torch|F)\.(\w*[^\W_])\((\{0\}.*)\)|\{0\}\.(\w*[^\W_])\((.*)\)")
_ARGUMENT = re.compile(r"(?:(\w+)=)?\{(?:is_)?(\w+)\}")


@cache
def called() -> Mapping[str, tuple[Op, Mapping[int | str, str]]]:
    """For each function of Torch that an entry's text calls: the entry, and the attributes by place or keyword."""
    found: dict[str, tuple[Op, Mapping[int | str, str]]]
    found = {name: (TABLE["", op], {}) for name, op in NAMED.items()}
    for (domain, _), op in TABLE.items():
        texts = op.text.get("torch", ())
        for match in map(_FUNCTION.fullmatch, texts if isinstance(texts, tuple) and not domain else ()):
            if match:
                function, arguments = match[1] or match[3], match[2] or ", ".join(filter(None, ("{0}", match[4])))
                parts = [_ARGUMENT.fullmatch(part) for part in arguments.split(", ")]
                names = {part[1] or place: part[2] for place, part in enumerate(parts) if part}
                if all(parts):
                    found.setdefault(function, (op, {k: v for k, v in names.items() if not v.isdigit()}))
    return found


_ON_TRUTH = {"mul": "logical_and", "minimum": "logical_and", "add": "logical_or", "maximum": "logical_or"}
_ON_TRUTH |= {f"bitwise_{name}": f"logical_{name}" for name in ("and", "or", "xor", "not")}
"""The logical functions that arithmetic on booleans is."""

_OPERANDS = ("self", "other", "exponent")
"""The arguments of ATen's that are operands even if they are numbers."""


def _by_text(op: Op, names: Mapping[int | str, str] = {}) -> Rule:
    """The rule for an operator of the table, with attributes by their own name, or as ``names`` says."""
    kinds = {attr.name: attr for attr in op.attrs}

    def rule(c: AtenCall) -> Sequence[ValueName]:
        given: list[Any] = []
        attrs: dict[str, Any] = {}
        for place, (key, value) in enumerate(c.args.items()):
            name = names.get(key, names.get(place, key))
            if isinstance(value, list) and value and all(isinstance(v, ValueName) for v in value):
                given += value
            elif name in kinds:
                demand(not isinstance(value, ValueName), f"{name} is computed")
                attrs[name] = _attribute(kinds[name], value)
            elif isinstance(value, ValueName) or (key in _OPERANDS and isinstance(value, int | float)):
                given.append(value)
            elif value != c.defaults.get(key) and key != "alpha":
                raise NotCovered(f"{op.name} with the argument {key}")
        operands = [_operand(c, op, i, given) for i in range(len(given))]
        if "alpha" not in attrs and c.args.get("alpha", 1) != 1:
            operands[1] = c.op(called()["mul"][0].name, operands[1], c.constant(c["alpha"], c.result.dtype))
        return c.multi(op.name, *operands, domain=op.domain, **attrs)

    return rule


def _unequal(c: AtenCall) -> ValueName:
    return c.op(called()["logical_not"][0].name, *_by_text(*called()["eq"])(c))


def _operand(c: AtenCall, op: Op, i: int, given: Sequence[Any]) -> ValueName:
    """An operand in the element type that ATen gives it: a number becomes a constant."""
    variable, value = op.variable(i), given[i]
    alike = [other for k, other in enumerate(given) if op.variable(k) == variable]
    result = c.results[op.results.index(variable)] if variable in op.results else None
    mask = op.domain and isinstance(value, ValueName) and c.type(value).dtype == "bool"  # which may mean something else
    if variable == ANY or variable.startswith("@") or mask:
        return c.tensor(value, c.result.dtype) if not isinstance(value, ValueName) else value
    dtype = result.dtype if result else "bool" if op.types[variable] == ("bool",) else _common_type(c, alike)
    if op.domain and not isinstance(value, ValueName):
        demand(numbers.held(value, dtype), f"{value} before {dtype}")
    return c.tensor(value, dtype)


def _common_type(c: AtenCall, operands: Sequence[Any]) -> str:
    """The type in which ATen compares. Raises NotCovered for types of one kind and different widths."""
    kinds = ("bool", "int", "float")

    def kind(value: Any) -> int:
        if not isinstance(value, ValueName):
            return kinds.index(type(value).__name__)
        dtype = c.type(value).dtype
        return kinds.index("bool" if dtype == "bool" else "float" if dtypes.is_float(dtype) else "int")

    widest = [v for v in operands if kind(v) == max(map(kind, operands))]
    found = {c.type(v).dtype for v in widest if isinstance(v, ValueName)}
    if not found:  # a number of a wider kind than the tensor has the default type of that kind
        return "float32" if isinstance(widest[0], float) else "int64"
    demand(len(found) == 1, "operands of different types")
    return found.pop()


def _attribute(attr: Attr, value: Any) -> Any:
    if value is None:
        demand(attr.default in (None, ()) or attr.name == "correction", f"no {attr.name}")
        return attr.default
    match attr.kind:
        case "ints":
            return (value,) if isinstance(value, int) else tuple(value)
        case "int":
            return int(value)
        case "float":
            return float(value)
        case "floats":
            return tuple(map(float, value))
    return value


# --- numbers that the tensor's type lacks -----------------------------------------------------------------------------

_FIRST = {"add": "add.Scalar", "mul": "mul.Scalar", "sub": "rsub.Scalar", "pow": "pow.Scalar"}
"""The overloads of the table for a number and a tensor, in this order."""

_AFTER = {"pow": "pow.Tensor_Scalar"}
"""The overload for a tensor and a number, where it is not ``Scalar``."""


def _with_number(name: str) -> Rule:
    """The operator on a tensor and a number that their common type cannot hold.

    Such a number must not become a constant: Torch may compute with it unrounded.
    """

    def rule(c: AtenCall) -> ValueName:
        x, y = c.args.get("self"), c.args.get("other", c.args.get("exponent"))
        floored = name == "div" and c.args.get("rounding_mode") == "floor"
        after = "floor_divide.Scalar" if floored else _AFTER.get(name, f"{name}.Scalar")
        first = _FIRST.get(name, f"{name}.Scalar_Tensor")
        for overload, tensor, number in ((after, x, y), (first, y, x)):
            if not isinstance(tensor, ValueName) or isinstance(number, bool) or not isinstance(number, int | float):
                continue
            if (DOMAIN, overload) not in TABLE or c.args.get("alpha", 1) != 1 or math.isnan(number):
                continue
            if not numbers.held(number, numbers.promoted(c.type(tensor).dtype, number)):
                attr = TABLE[DOMAIN, overload].attrs[0].name
                return c.multi(overload, tensor, domain=DOMAIN, **{attr: numbers.text(number)})[0]
        raise NotCovered

    return rule
