"""One program as the conditions of published bugs see it: its graph, its values, and its lowering."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.lower import opset_of

Test = Callable[[np.ndarray], bool]
"""A predicate of an array."""


@dataclass(frozen=True)
class Program:
    """A graph; ``draw`` makes its sets of inputs, and ``write`` its artifact (None if the format cannot express it).

    Both are called at most once, and only if a condition needs values or the artifact.
    """

    graph: Graph
    draw: Callable[[], Sequence[Sequence[np.ndarray]]]
    write: Callable[[], Artifact | None]

    # --- structure -------------------------------------------------------------------------------------------------

    def nodes(self, *operators: str) -> Iterator[Node]:
        """Return the nodes with one of these operators (qualified names)."""
        return (node for node in self.graph.nodes if node.qualified in operators)

    def type(self, value: str) -> TensorType:
        """Return the type of a value."""
        return self.graph.types[value]

    def maker(self, value: str) -> Node | None:
        """Return the node that makes a value; None for inputs and constants."""
        return self._makers.get(value)

    def made_by(self, value: str, *operators: str) -> Node | None:
        """Return the node that makes a value, if it has one of these operators; else None."""
        node = self.maker(value)
        return node if node and node.qualified in operators else None

    def readers(self, value: str) -> Iterator[tuple[Node, int]]:
        """Return the nodes that read a value, each with the operand's position."""
        return ((node, at) for node in self.graph.nodes for at, name in enumerate(node.inputs) if name == value)

    def constant(self, value: str) -> np.ndarray | None:
        """Return the array of a constant; None for other values."""
        return self.graph.constants.get(value)

    @cached_property
    def _makers(self) -> dict[str, Node]:
        return {name: node for node in self.graph.nodes for name in node.outputs if name}

    # --- values ----------------------------------------------------------------------------------------------------

    def some(self, value: str, test: Test) -> bool:
        """Whether a value passes a test on any set of inputs."""
        return any(test(run[value]) for run in self.runs)

    def some_of(self, test: Callable[..., bool], *values: str) -> bool:
        """Whether some values pass a test together, on any set of inputs."""
        return any(test(*(run[value] for value in values)) for run in self.runs)

    @cached_property
    def runs(self) -> Sequence[dict[str, np.ndarray]]:
        """All values by name, for each set of inputs on which the interpreter can evaluate the graph."""
        found = []
        for inputs in self.draw():
            values = dict(zip(self.graph.inputs, inputs, strict=True)) | dict(self.graph.constants)

            def note(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray], into=values) -> None:
                into.update((name, array) for name, array in zip(node.outputs, results, strict=True) if name)

            try:
                evaluate(self.graph, inputs, observers=[note])
            except EvaluationError:
                continue
            found.append(values)
        return found

    # --- lowering --------------------------------------------------------------------------------------------------

    def has_form(self, operator: str, form: str) -> bool:
        """Whether the artifact writes an operator in a form (see :mod:`polyjuice.lower.forms`)."""
        return self._artifact is not None and (operator, form) in self._artifact.forms

    @property
    def opset(self) -> int:
        """The opset of the ONNX model; 0 if the artifact is none."""
        forms = self._artifact.forms if self._artifact else ()
        return next(filter(None, map(opset_of, forms)), 0)

    def says(self, text: str) -> bool:
        """Whether the artifact is source code that contains a text."""
        return self._artifact is not None and isinstance(self._artifact.source, str) and text in self._artifact.source

    @cached_property
    def _artifact(self) -> Artifact | None:
        return self.write()
