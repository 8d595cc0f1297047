"""Bring the attributes of an application in a foreign file into their normal form (:mod:`polyjuice.ops.normal`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onnx import defs, helper

from polyjuice.frameworks.onnx.versions import schema_of
from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import Op, complete_attrs
from polyjuice.ops.inference import TRIED
from polyjuice.ops.normal import NotCovered, along_axis, demand
from polyjuice.ops.spec import REQUIRED, NormalFn


def normal_attrs(op: Op, attrs: Mapping[str, Any], operands: Sequence[TensorType], results: int) -> Attrs:
    """The normal form of ``attrs``, which has ONNX's attributes and constant inputs by name.

    Raises NotCovered where the entry does not cover this use, or the form depends on an unknown size. Raises
    TypeMismatch or ShapeMismatch where it is ill-typed.
    """
    if all(t.known for t in operands):
        return _normal_attrs(op, attrs, operands, results)
    form, other = (_normal_attrs(op, attrs, [t.with_size(size) for t in operands], results) for size in TRIED)
    demand(dict(form) == dict(other), "an attribute depends on an unknown size")
    return form


def _normal_attrs(op: Op, attrs: Mapping[str, Any], operands: Sequence[TensorType], results: int) -> Attrs:
    present = {name: value for name, value in attrs.items() if value is not None and not _is_spare(op, name, value)}
    normal = rule(op)
    if normal:
        defaults = {attr.name: attr.default for attr in op.attrs if attr.default not in (REQUIRED, None)}
        present = {**defaults, **({"num_outputs": results} if "results" in op.variadic else {}), **present}
        try:
            normal(present, operands)
        except IndexError:
            raise NotCovered("an operand lacks a dimension") from None
        except KeyError as error:
            raise NotCovered(f"there is no attribute {error}") from None
    return complete_attrs(op, present)


def _is_spare(op: Op, name: str, value: Any) -> bool:
    """Whether the entry lacks an attribute that has ONNX's default, with which the operator means the entry's."""
    schema = None if op.domain else schema_of(op.name, defs.onnx_opset_version())
    if schema is None or name not in schema.attributes or any(attr.name == name for attr in op.attrs):
        return False
    default = schema.attributes[name].default_value
    usual = helper.get_attribute_value(default) if default.name else None
    return bool(value == (usual.decode() if isinstance(usual, bytes) else usual))


def rule(op: Op) -> NormalFn | None:
    """What brings the operator's attributes into their normal form, if that is other than ONNX's with all defaults."""
    has_axis = any(attr.name == "axis" and attr.default is not None for attr in op.attrs)
    return op.normal or (along_axis if has_axis else None)
