"""The saturated e-graph as plain Python data: e-classes with their e-nodes, ready for extraction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from polyjuice.egraph.bindings import bindings
from polyjuice.egraph.language import constructors
from polyjuice.egraph.patterns import Pattern
from polyjuice.ops import primitives

#: Terms that cost no operator: leaves, and the Expand that makes broadcasting explicit.
FREE = frozenset({"Input", "Const", "Splat", primitives.EXPAND})


class ENode(NamedTuple):
    """One e-node: its constructor, its children's e-classes, and its other arguments as Python values."""

    name: str
    children: tuple[int, ...]
    arguments: tuple[Any, ...]

    @property
    def counted(self) -> bool:
        """Whether the e-node counts as an operator."""
        return self.name not in FREE

    @property
    def multi_output(self) -> bool:
        """Whether the last argument is the index of one of several outputs."""
        return self.name in multi_output_names()

    @property
    def application(self) -> tuple[Any, ...]:
        """A key that all outputs of one multi-output application share: everything but the output's index."""
        return (self.name, self.arguments[:-1] if self.multi_output else self.arguments)


@cache
def multi_output_names() -> frozenset[str]:
    """The constructors whose last argument is the index of one of several outputs."""
    return frozenset({"Other", *(c.name for c in constructors().values() if c.multi_output)})


@dataclass(frozen=True)
class EGraphView:
    """E-classes by number, each with its e-nodes in a fixed order, and the e-class of each numbered value.

    ``matches`` are the patterns that were found, each with its e-class, and an e-node that stands for it.
    """

    classes: Sequence[Sequence[ENode]]
    values: dict[int, int]
    matches: Sequence[tuple[Pattern, int, ENode]] = ()

    @property
    def enodes(self) -> int:
        """The number of e-nodes."""
        return sum(map(len, self.classes))


def count_enodes(egraph: bindings.EGraph) -> int:
    """The number of e-nodes now in the e-graph."""
    (report,) = egraph.run_program(bindings.PrintSize(bindings.RustSpan(__file__, 0, 0), None))
    assert isinstance(report, bindings.PrintAllFunctionsSize)
    names = frozenset(_enode_tables())
    return sum(size for name, size in report.sizes if name in names)


@cache
def _enode_tables() -> tuple[str, ...]:
    return ("Input", "Const", "Splat", "Other", *constructors())


def freeze(egraph: bindings.EGraph, patterns: Sequence[Pattern] = ()) -> EGraphView:
    """Read the e-graph. E-classes are numbered, and e-nodes ordered, in egglog's insertion order (deterministic).

    ``patterns`` are those that were matched.
    """
    functions = egraph.freeze().functions  # slow: each access to an attribute of egglog's object copies all of it
    classes: list[list[ENode]] = []
    class_of = _Numbers(classes).__getitem__
    reader = _Reader(egraph)
    values = {reader.read("i64", row.inputs[0]): class_of(row.output) for row in functions["value"].rows}
    for name in _enode_tables():
        function = functions.get(name)
        rows = function.rows if function else ()
        if not rows:
            continue
        assert function is not None
        constructor = constructors().get(name)
        operands = constructor.operands if constructor else 0
        readers = [reader.of(sort) for sort in function.input_sorts[operands:]]
        for row in rows:
            inputs = row.inputs
            if name == "Other":
                children = tuple(map(class_of, egraph.value_to_vec(inputs[1])))
                rest: tuple[Any, ...] = (reader.read("i64", inputs[0]), reader.read("i64", inputs[2]))
            else:
                children = tuple(map(class_of, inputs[:operands]))
                rest = tuple([read(value) for read, value in zip(readers, inputs[operands:], strict=True)])
            classes[class_of(row.output)].append(ENode(name, children, rest))
    matches = []
    for pattern in patterns:
        function = functions.get(pattern.relation)
        for row in function.rows if function else ():
            root, *bound = row.inputs
            children = tuple(map(class_of, bound[: pattern.tensors]))
            sorts = [sort for _, sort in pattern.variables[pattern.tensors :]]
            rest = tuple(map(reader.read, sorts, bound[pattern.tensors :]))
            matches.append((pattern, class_of(root), ENode(pattern.relation, children, rest)))
    return EGraphView(classes, values, matches)


class _Numbers(dict["bindings.Value", int]):
    def __init__(self, classes: list[list[ENode]]) -> None:
        self._classes = classes

    def __missing__(self, value: bindings.Value) -> int:
        number = self[value] = len(self._classes)
        self._classes.append([])
        return number


class _Reader:
    def __init__(self, egraph: bindings.EGraph) -> None:
        self._egraph = egraph
        self._readers: dict[str, Callable[[bindings.Value], Any]] = {}

    def read(self, sort: str, value: bindings.Value) -> Any:
        return self.of(sort)(value)

    def of(self, sort: str) -> Callable[[bindings.Value], Any]:
        if sort not in self._readers:
            self._readers[sort] = cache(partial(self._read, sort))
        return self._readers[sort]

    def _read(self, sort: str, value: bindings.Value) -> Any:
        match sort:
            case "i64":
                return self._egraph.value_to_i64(value)
            case "f64":
                return self._egraph.value_to_f64(value) + 0.0  # no -0.0: egglog keeps the sign that it met first
            case "String":
                return self._egraph.value_to_string(value)
            case "Ints":
                return tuple(self.read("i64", v) for v in self._egraph.value_to_vec(value))
            case "Floats":
                return tuple(self.read("f64", v) for v in self._egraph.value_to_vec(value))
            case _:
                raise AssertionError(f"no attribute has the sort {sort}")
