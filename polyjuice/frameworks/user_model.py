"""A user's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.ir import Graph, Node, TensorType

SEED_GRAPH = "original"
"""The label of the seed graph among the programs of a case, and the extraction that makes no other."""

_UNREAD = "given"
"""The domain of the only node of a program that Polyjuice cannot read."""


class NotCaptured(Exception):
    """A user's program cannot be written as source; the message says why."""


@dataclass(frozen=True, kw_only=True)
class UserModel:
    """A user's model: ``graph`` is its meaning, and ``artifact`` is the original program.

    The artifact takes the graph's inputs and returns its outputs, both in the graph's order. It is None if the program
    cannot be kept unchanged. A compiler of another format compiles only the graph. ``examples`` are the user's arrays
    for the inputs, if any. ``sizes`` gives the graph's numbers for the artifact's symbolic sizes (see
    :mod:`polyjuice.frameworks.symbolic`).
    """

    graph: Graph
    artifact: Artifact | None = None
    examples: tuple[np.ndarray, ...] | None = None
    sizes: Sizes = field(default_factory=dict)

    @property
    def unread(self) -> bool:
        """Whether only the types of the program are known (see :func:`unread`)."""
        return any(node.domain == _UNREAD for node in self.graph.nodes)

    def user_program(self, format: str) -> Artifact | None:
        """Return the original program for a compiler of this format; None if there is none, or its format differs."""
        return self.artifact if self.artifact and self.artifact.format == format else None


def unread(inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Graph:
    """Return the graph of a program that Polyjuice cannot read: one node of which only the types are known."""
    types = {f"x{i}": t for i, t in enumerate(inputs)} | {f"y{i}": t for i, t in enumerate(outputs)}
    names = tuple(types)
    inputs_of, made = names[: len(inputs)], names[len(inputs) :]
    node = Node("program", inputs_of, made, {}, _UNREAD, True, "program")
    return Graph(inputs_of, {}, (node,), made, types, {_UNREAD: 1})
