"""The definition of a form, and the part of the model that it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import AttributeProto, NodeProto, defs, helper

from polyjuice.frameworks.choosers import Draws
from polyjuice.frameworks.onnx.subgraphs import RESERVED
from polyjuice.frameworks.onnx.tensors import constant_node, to_tensor
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import TABLE, Op

MADE = f"{RESERVED}form:"
"""The prefix of the names of values that forms need."""


@dataclass(kw_only=True)
class FormSite:
    """The model around a node: the types of all values, constants by name, the opset, and the node's name (``place``).

    ``before`` and ``after`` take nodes to put around the node, and ``made`` holds their constants. ``shown`` takes
    values that become further outputs of the model; it is None inside a function. ``draws`` has the choices about the
    current form.
    """

    types: MutableMapping[str, TensorType]
    constants: Mapping[str, np.ndarray]
    opset: int
    place: str
    draws: Draws
    before: list[NodeProto] = field(default_factory=list)
    after: list[NodeProto] = field(default_factory=list)
    made: dict[str, np.ndarray] = field(default_factory=dict)
    shown: list[str] | None = None
    _names: int = 0

    def operand(self, node: NodeProto, position: int = 0) -> TensorType:
        return self.types[node.input[position]]

    def result(self, node: NodeProto) -> TensorType:
        """Return the type of the first result that has a name."""
        return self.types[next(filter(None, node.output))]

    def array(self, node: NodeProto, position: int) -> np.ndarray | None:
        name = node.input[position] if position < len(node.input) else ""
        return self.made.get(name, self.constants.get(name))

    def fresh(self) -> str:
        self._names += 1
        return f"{MADE}{self.place}:{self._names}"

    def constant(self, array: np.ndarray) -> str:
        name = self.fresh()
        self.before.append(constant_node(to_tensor(array, name)))
        self.made[name] = array
        self.types[name] = TensorType(dtypes.dtype_of(array), array.shape)
        return name

    def integers(self, values: Sequence[int]) -> str:
        return self.constant(np.asarray(values, np.int64))

    def apply(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = self.fresh()
        self.before.append(helper.make_node(op, inputs, [name], **attributes))
        return name


@dataclass(frozen=True)
class NodeView:
    """A node of an existing model: its operator's schema at the model's opset, and the constants by name."""

    node: NodeProto
    schema: defs.OpSchema
    constants: Mapping[str, np.ndarray]

    def there(self, name: str) -> list[bool]:
        """Return whether the attribute, or else each input, of this name is there; empty if it cannot be."""
        if name in self.schema.attributes:
            return [attribute(self.node, name) is not None]
        return [has_input(self.node, i) for i, formal in enumerate(self.schema.inputs) if formal.name == name]

    def computes(self, name: str) -> bool:
        """Return whether the input of this name is there and not constant."""
        places = [i for i, formal in enumerate(self.schema.inputs) if formal.name == name]
        return any(has_input(self.node, i) and self.node.input[i] not in self.constants for i in places)

    def array(self, position: int) -> np.ndarray | None:
        return self.constants.get(self.node.input[position]) if position < len(self.node.input) else None

    def integers(self, position: int) -> list[int]:
        array = self.array(position)
        return [] if array is None or array.dtype.kind not in "iu" else array.ravel().tolist()


def within(array: np.ndarray, limit: int) -> bool:
    """Whether no element is further than a limit from 0. (The least integer has no magnitude in its own type.)"""
    return bool(((array >= -limit) & (array <= limit)).all())


Write = Callable[[NodeProto, FormSite], bool]
"""Writes a node in a form, in place. Returns False, and changes nothing, if the node cannot have it."""

Shows = Callable[[NodeView], bool]
"""Whether a node of an existing model shows a form."""


@dataclass(frozen=True)
class FormRule:
    """A form of some operators: its name, its chance, the function that writes it, and one that recognises it.

    An ``observed`` form is not written: the graph itself, or another choice, produces it. A single node does not show
    a form without ``shows``.
    """

    name: str
    operators: tuple[str, ...]
    chance: float
    write: Write
    shows: Shows | None = None
    observed: bool = False


def observed(name: str, operators: Sequence[str], holds: Write, shows: Shows | None = None) -> FormRule:
    """Return a form that is only counted."""
    return FormRule(name, tuple(operators), 1.0, holds, shows, observed=True)


def schemas() -> Iterator[tuple[Op, defs.OpSchema]]:
    """Yield the operators of ONNX in the table, without control flow, and their schemas."""
    for (domain, operator), op in TABLE.items():
        if not domain and not op.unrolled:
            yield op, defs.get_schema(operator, op.since)


def kernel_shape(node: NodeProto, site: FormSite) -> list[int]:
    """Return the kernel's sizes in a convolution, from its weights."""
    formals = defs.get_schema(node.op_type, site.opset).inputs
    place = next(i for i, formal in enumerate(formals) if formal.name in ("W", "w"))
    return list(site.operand(node, place).shape[2:])


def lacks(name: str) -> Shows:
    return lambda view: not all(view.there(name))


def states(name: str) -> Shows:
    return lambda view: any(view.there(name))


def computes(name: str) -> Shows:
    return lambda view: view.computes(name)


def becomes(operator: str) -> Shows:
    return lambda view: view.node.op_type == operator


def attribute(node: NodeProto, name: str) -> AttributeProto | None:
    return next((a for a in node.attribute if a.name == name), None)


def value(node: NodeProto, name: str, default: Any = None) -> Any:
    found = attribute(node, name)
    return default if found is None else helper.get_attribute_value(found)


def drop(node: NodeProto, name: str) -> None:
    kept = [a for a in node.attribute if a.name != name]
    del node.attribute[:]
    node.attribute.extend(kept)


def give(node: NodeProto, name: str, value: Any) -> None:
    """Set an attribute. An empty list is one of integers, since ONNX's operators need no empty lists of others."""
    drop(node, name)
    kind = AttributeProto.INTS if value == [] else None
    node.attribute.append(helper.make_attribute(name, value, attr_type=kind))


def become(node: NodeProto, op: str, inputs: Sequence[str], **attributes: Any) -> None:
    """Turn a node into another operator with the same results."""
    node.op_type = op
    node.input[:] = inputs
    del node.attribute[:]
    for name, value in attributes.items():
        give(node, name, value)


def set_input(node: NodeProto, position: int, name: str) -> None:
    """Set an input. Missing inputs before it become absent ones."""
    node.input.extend("" for _ in range(position + 1 - len(node.input)))
    node.input[position] = name


def cut_inputs(node: NodeProto) -> None:
    while node.input and not node.input[-1]:
        node.input.pop()


def has_input(node: NodeProto, position: int) -> bool:
    return position < len(node.input) and bool(node.input[position])
