"""A model as its owner wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.given.symbolic import Sizes
from polyjuice.ir import Graph, Node, TensorType

ORIGINAL = "original"
"""The label of the program as it was given."""


_UNREAD = "given"
"""The domain of the one node of a program that Polyjuice cannot read."""


@dataclass(frozen=True)
class UserModel:
    """A model: ``graph`` is what it means, and ``artifact`` is the program exactly as it was written.

    The artifact takes the graph's inputs and gives its outputs, both in the graph's order. It is None where the program
    cannot be kept as it is. A compiler whose format is another than the artifact's compiles the graph alone.
    ``examples`` are arrays that the owner gave for the inputs, if any. ``sizes`` are those that the graph has for the
    artifact's symbolic ones (see :mod:`polyjuice.given.symbolic`).
    """

    graph: Graph
    artifact: Artifact | None = None
    examples: tuple[np.ndarray, ...] | None = None
    sizes: Sizes = field(default_factory=dict)

    @property
    def unread(self) -> bool:
        """Whether nothing is known of the program but its types (see :func:`unread`)."""
        return any(node.domain == _UNREAD for node in self.graph.nodes)

    def as_given(self, format: str) -> Artifact | None:
        """The program itself, for a compiler that takes programs of a format; None where it cannot have it."""
        return self.artifact if self.artifact and self.artifact.format == format else None


def unread(inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Graph:
    """The graph of a program that Polyjuice cannot read: one node, of which nothing is known but the types."""
    types = {f"x{i}": t for i, t in enumerate(inputs)} | {f"y{i}": t for i, t in enumerate(outputs)}
    names = tuple(types)
    given, made = names[: len(inputs)], names[len(inputs) :]
    node = Node("program", given, made, {}, _UNREAD, True, "program")
    return Graph(given, {}, (node,), made, types, {_UNREAD: 1})
