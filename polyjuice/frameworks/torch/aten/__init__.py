"""ATen's operators in terms of the operator table: for each overload that the table can express, a rule.

A call that no rule covers raises NotCovered, and the operator stays opaque.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyjuice.frameworks.onnx.normal import NotCovered
from polyjuice.frameworks.torch.aten.application import DOMAIN, AtenCall, Rule, ValueName, demand
from polyjuice.frameworks.torch.aten.rules import RULES
from polyjuice.ops import TABLE, Attr, numbers

__all__ = ["DOMAIN", "AtenCall", "ValueName", "apply", "named_alike"]

_OURS = ("embedding.default", "zeros_like.default", "ones_like.default", "full_like.default")
"""Operators whose rule comes before ATen's name: Gather takes negative indices, and filled tensors are constants."""

_PLAINER = ("max_pool2d_with_indices.default",)
"""Operators that ONNX has too if only some of their results are used."""


def apply(overload: str, c: AtenCall) -> Sequence[ValueName | None]:
    """The results of a call in the table's operators (None: unused). Raises NotCovered where no rule covers it."""
    reason = f"nothing says {overload}"
    rules = [_by_name(overload) if named_alike(overload) else None, RULES.get(overload)]
    if overload in _PLAINER:
        rules.reverse()
    for rule in filter(None, rules):
        try:
            made = rule(c)
        except NotCovered as error:
            reason = str(error)
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


def _by_name(overload: str) -> Rule:
    """The rule for an operator that the table has under ATen's own name: operands and attributes by name."""
    name = overload.split(".")[0]
    op = TABLE[DOMAIN, name]
    kinds = {attr.name: attr for attr in op.attrs}

    def rule(c: AtenCall) -> Sequence[ValueName]:
        operands: list[ValueName] = []
        attrs: dict[str, Any] = {}
        for key, value in c.args.items():
            if isinstance(value, ValueName):
                operands.append(value)
            elif isinstance(value, list) and value and all(isinstance(v, ValueName) for v in value):
                operands += value
            elif key in kinds:
                attrs[key] = _attribute(kinds[key], value)
            elif key == "self":  # a number before a tensor: 2 << x
                dtype = c.type(next(other for other in c.args.values() if isinstance(other, ValueName))).dtype
                demand(numbers.held(value, dtype), f"{value} before {dtype}")
                operands.append(c.constant(value, dtype))
            elif value != c.defaults.get(key):
                raise NotCovered(f"{name} with the argument {key}")
        return c.multi(name, *operands, domain=DOMAIN, **attrs)

    return rule


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
