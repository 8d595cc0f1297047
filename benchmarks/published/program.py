"""One program as the conditions of published bugs see it: its graph, its values, and how it is written."""

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
"""Whether an array is as a condition needs it."""


@dataclass(frozen=True)
class Program:
    """A graph; ``draw`` makes its sets of inputs, and ``write`` its artifact (None where the format cannot say it).

    Both are called once at most, and only for a graph of which a condition asks for values or for the artifact.
    """

    graph: Graph
    draw: Callable[[], Sequence[Sequence[np.ndarray]]]
    write: Callable[[], Artifact | None]

    # --- structure -------------------------------------------------------------------------------------------------

    def nodes(self, *operators: str) -> Iterator[Node]:
        """The nodes of some operators, by their qualified names."""
        return (node for node in self.graph.nodes if node.qualified in operators)

    def type(self, value: str) -> TensorType:
        return self.graph.types[value]

    def maker(self, value: str) -> Node | None:
        """The node that makes a value; None for inputs and constants."""
        return self._makers.get(value)

    def made_by(self, value: str, *operators: str) -> Node | None:
        """The node that makes a value, where it is one of some operators."""
        node = self.maker(value)
        return node if node and node.qualified in operators else None

    def readers(self, value: str) -> Iterator[tuple[Node, int]]:
        """The nodes that read a value, each with the places at which it does."""
        return ((node, at) for node in self.graph.nodes for at, name in enumerate(node.inputs) if name == value)

    def constant(self, value: str) -> np.ndarray | None:
        """The array of a constant; None for another value."""
        return self.graph.constants.get(value)

    @cached_property
    def _makers(self) -> dict[str, Node]:
        return {name: node for node in self.graph.nodes for name in node.outputs if name}

    # --- values ----------------------------------------------------------------------------------------------------

    def some(self, value: str, test: Test) -> bool:
        """Whether a value passes a test on some set of inputs."""
        return any(test(run[value]) for run in self.runs)

    def some_of(self, test: Callable[..., bool], *values: str) -> bool:
        """Whether some values pass a test together, on some set of inputs."""
        return any(test(*(run[value] for value in values)) for run in self.runs)

    @cached_property
    def runs(self) -> Sequence[dict[str, np.ndarray]]:
        """All values by their names, for each set of inputs on which the graph has some."""
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

    # --- how it is written -----------------------------------------------------------------------------------------

    def has_form(self, operator: str, form: str) -> bool:
        """Whether the artifact writes an operator in a form (see :mod:`polyjuice.lower.forms`)."""
        return self._artifact is not None and (operator, form) in self._artifact.forms

    @property
    def opset(self) -> int:
        """The opset of the model; 0 where the artifact is none."""
        forms = self._artifact.forms if self._artifact else ()
        return next(filter(None, map(opset_of, forms)), 0)

    def says(self, text: str) -> bool:
        """Whether the artifact is a source that holds a text."""
        return self._artifact is not None and isinstance(self._artifact.source, str) and text in self._artifact.source

    @cached_property
    def _artifact(self) -> Artifact | None:
        return self.write()
