"""One call of an ATen operator, with the functions that its rule uses to build it from the table's operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.frameworks.onnx.normal import normal_attrs
from polyjuice.ir import UNKNOWN, GraphError, TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder, ShapeMismatch, TypeMismatch, primitives
from polyjuice.ops.normal import NotCovered, demand
from polyjuice.ops.shapes import normalize_axis

DOMAIN = "aten"


class ValueName(str):
    """The name of a value of the Graph, as an argument (other strings are ATen's own)."""


@dataclass(frozen=True, kw_only=True)
class AtenCall:
    """One call of an overload: its arguments by the names of ATen's schema, and the types of its results.

    Element types are arguments by name. ``defaults`` are the schema's. ``results`` has None for a result that is no
    tensor. ``used`` are the numbers of the results with a reader. ``arrays`` are the constants, without parameters.
    """

    builder: GraphBuilder
    args: Mapping[str, Any]
    defaults: Mapping[str, Any]
    results: Sequence[TensorType | None]
    used: frozenset[int]
    arrays: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> Any:
        return self.args[name]

    @property
    def result(self) -> TensorType:
        first = self.results[0]
        assert first is not None
        return first

    def type(self, name: str) -> TensorType:
        return self.builder.types[name]

    def multi(self, op: str, /, *operands: str, domain: str = "", **attrs: Any) -> tuple[ValueName, ...]:
        """Apply an operator of the table. Raises NotCovered where the table lacks it or rejects the operands."""
        known = TABLE.get((domain, op))
        if known is None:
            raise NotCovered(f"the table lacks {op}")
        try:
            attrs_given = normal_attrs(known, attrs, [self.type(name) for name in operands], 1)
            return tuple(map(ValueName, self.builder.multi(op, *operands, domain=domain, **attrs_given)))
        except (GraphError, TypeMismatch, ShapeMismatch, LookupError) as error:
            raise NotCovered(str(error)) from None

    def op(self, op: str, /, *operands: str, **attrs: Any) -> ValueName:
        return self.multi(op, *operands, **attrs)[0]

    def constant(self, value: Any, dtype: str) -> ValueName:
        array = np.asarray(value).astype(dtypes.to_numpy(dtype))
        name = ValueName(self.builder.constant(array))
        self.arrays[name] = array
        return name

    def tensor(self, value: Any, dtype: str) -> ValueName:
        """A value in an element type; a number becomes a constant of rank 0."""
        if not isinstance(value, ValueName):
            return self.constant(value, dtype)
        return value if self.type(value).dtype == dtype else self.op(primitives.CAST, value, to=dtype)

    def x(self) -> ValueName:
        """The first operand in the element type of the result."""
        return self.tensor(self["self"], self.result.dtype)

    def axis(self, name: str = "dim") -> int:
        return normalize_axis(self[name], self.type(self["self"]).rank)

    def axes(self, name: str = "dim") -> tuple[int, ...]:
        """The axes in an argument, counted from the front; all axes where it lists none."""
        rank, argument = self.type(self["self"]).rank, self.args.get(name)
        listed = [argument] if isinstance(argument, int) else argument or range(rank)
        return tuple(sorted(normalize_axis(axis, rank) for axis in listed)) if rank else ()


Rule = Callable[[AtenCall], "ValueName | Sequence[ValueName | None]"]

Rules = dict[str, Rule]
"""The rules of overloads, by name (``add.Tensor``)."""


def shaped(c: AtenCall, x: ValueName, shape: tuple[int, ...]) -> ValueName:
    demand(UNKNOWN not in shape, "an unknown size")
    return x if c.type(x).shape == shape else c.op(primitives.RESHAPE, x, shape=shape, allowzero=int(0 in shape))
