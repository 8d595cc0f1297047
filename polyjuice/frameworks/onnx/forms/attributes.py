"""Attributes left out because they have their default, and attributes that state a default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from onnx import AttributeProto, NodeProto, defs, helper

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Write, attribute, drop, give, lacks, states
from polyjuice.frameworks.onnx.tensors import code_of
from polyjuice.ir import Attrs
from polyjuice.ops import TABLE, axes

_ABSENT, _GIVEN = 0.5, 0.3

Default = Callable[[NodeProto, FormSite], Any]

_WITH_KERNELS = ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv")


def rules() -> Iterator[FormRule]:
    for (domain, operator), op in TABLE.items():
        if domain or op.unrolled:
            continue
        schema = defs.get_schema(operator, op.since)
        for name, declared in schema.attributes.items():
            if any(attr.name == name and not attr.as_input for attr in op.attrs):
                if name in _DEFAULTS or declared.default_value.name:
                    yield FormRule(f"{name} absent", (operator,), _ABSENT, _absent(name), lacks(name))
            elif declared.default_value.name:
                yield FormRule(f"{name} given", (operator,), _GIVEN, _is_present(name), states(name))
    yield FormRule("kernel_shape given", _WITH_KERNELS, _ABSENT, _has_kernel, states("kernel_shape"))


def _absent(name: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        written = attribute(node, name)
        default = _default(node, name, site)
        if written is None or default is None:
            return False
        value = helper.get_attribute_value(written)
        if value != default and not _same_axes(node, {name: value}, {name: default}, site):
            return False
        drop(node, name)
        return True

    return write


def _is_present(name: str) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        schema = defs.get_schema(node.op_type, site.opset)
        if attribute(node, name) or name not in schema.attributes:
            return False
        default: AttributeProto = schema.attributes[name].default_value
        node.attribute.append(default)
        return True

    return write


def _has_kernel(node: NodeProto, site: FormSite) -> bool:
    give(node, "kernel_shape", site.operand(node, 3 if node.op_type == "QLinearConv" else 1).shape[2:])
    return True


def _default(node: NodeProto, name: str, site: FormSite) -> Any:
    if name in _DEFAULTS:
        return _DEFAULTS[name](node, site)
    schema = defs.get_schema(node.op_type, site.opset)
    default = schema.attributes[name].default_value if name in schema.attributes else None
    return helper.get_attribute_value(default) if default is not None and default.name else None


def _same_axes(node: NodeProto, attrs_written: Attrs, default: Attrs, site: FormSite) -> bool:
    ranks = site.operand(node).rank, site.result(node).rank
    attrs_written, default = (axes.from_the_front(node.op_type, attrs, *ranks) for attrs in (attrs_written, default))
    return not axes.NAMES.isdisjoint(attrs_written) and attrs_written == default


def _spatial(value: int, per_axis: int = 1) -> Default:
    def default(node: NodeProto, site: FormSite) -> list[int]:
        image = site.result(node) if node.op_type == "Col2Im" else site.operand(node)
        return [value] * (per_axis * (image.rank - 2))

    return default


_DEFAULTS: Mapping[str, Default] = {
    "perm": lambda node, site: list(reversed(range(site.operand(node).rank))),
    "strides": _spatial(1),
    "dilations": _spatial(1),
    "pads": _spatial(0, 2),
    "output_padding": _spatial(0),
    "dtype": lambda node, site: code_of(site.operand(node).dtype),
}
"""Defaults that ONNX states in prose, but not in its schema."""
