"""The saturated e-graph as plain Python data: e-classes with their e-nodes, ready for extraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from egglog import bindings

from polyjuice.egraph.language import constructors

#: Terms that cost no operator: leaves, and the Expand that makes broadcasting explicit.
FREE = frozenset({"Input", "Const", "Splat", "Expand"})


@dataclass(frozen=True, slots=True)
class ENode:
    """One e-node: its constructor, its children's e-classes, and its other arguments as Python values."""

    name: str
    children: tuple[int, ...]
    arguments: tuple[Any, ...]

    @property
    def counted(self) -> bool:
        return self.name not in FREE

    @property
    def application(self) -> tuple[Any, ...]:
        """What two outputs of one multi-output application have in common: everything but the output's index."""
        constructor = constructors().get(self.name)
        multi = constructor.multi_output if constructor else self.name == "Other"
        return (self.name, self.arguments[:-1]) if multi else (self.name, self.arguments)


@dataclass(frozen=True)
class EGraphView:
    """E-classes by number, each with its e-nodes in a fixed order, and the e-class of each numbered value."""

    classes: Sequence[Sequence[ENode]]
    values: dict[int, int]

    @property
    def enodes(self) -> int:
        return sum(map(len, self.classes))


def count_enodes(egraph: bindings.EGraph) -> int:
    """The number of e-nodes now in the e-graph."""
    functions = egraph.freeze().functions.items()
    return sum(len(f.rows) for name, f in functions if f.output_sort == "Tensor" and f.input_sorts and name != "value")


def freeze(egraph: bindings.EGraph) -> EGraphView:
    """Read the e-graph. E-classes are numbered, and e-nodes ordered, in egglog's insertion order (deterministic)."""
    functions = egraph.freeze().functions  # each access to an attribute of egglog's copies all that is in it
    numbers: dict[bindings.Value, int] = {}
    classes: list[list[ENode]] = []

    def class_of(value: bindings.Value) -> int:
        if value not in numbers:
            numbers[value] = len(classes)
            classes.append([])
        return numbers[value]

    reader = _Reader(egraph)
    values = {reader.read("i64", row.inputs[0]): class_of(row.output) for row in functions["value"].rows}
    for name in ("Input", "Const", "Splat", "Other", *constructors()):
        if name not in functions:
            continue
        function = functions[name]
        constructor = constructors().get(name)
        operands = constructor.operands if constructor else 0
        sorts = function.input_sorts[operands:]
        for row in function.rows:
            inputs = row.inputs
            if name == "Other":
                children = tuple(map(class_of, egraph.value_to_vec(inputs[1])))
                rest: tuple[Any, ...] = (reader.read("i64", inputs[0]), reader.read("i64", inputs[2]))
            else:
                children = tuple(map(class_of, inputs[:operands]))
                rest = tuple(map(reader.read, sorts, inputs[operands:]))
            classes[class_of(row.output)].append(ENode(name, children, rest))
    return EGraphView(classes, values)


class _Reader:
    """Reads primitive values, each once."""

    def __init__(self, egraph: bindings.EGraph) -> None:
        self._egraph = egraph
        self._known: dict[tuple[str, bindings.Value], Any] = {}

    def read(self, sort: str, value: bindings.Value) -> Any:
        key = (sort, value)
        if key not in self._known:
            self._known[key] = self._read(sort, value)
        return self._known[key]

    def _read(self, sort: str, value: bindings.Value) -> Any:
        match sort:
            case "i64":
                return self._egraph.value_to_i64(value)
            case "f64":
                return self._egraph.value_to_f64(value) + 0.0  # one zero: egglog keeps the sign that it met first
            case "String":
                return self._egraph.value_to_string(value)
            case "Ints":
                return tuple(self.read("i64", v) for v in self._egraph.value_to_vec(value))
            case _:
                raise AssertionError(f"no attribute has the sort {sort}")
