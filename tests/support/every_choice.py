"""Every way to lower a graph: a walk through a lowering's choices takes the place of a draw."""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from polyjuice.execution import Artifact
from polyjuice.frameworks import choosers
from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.forms import ALL
from polyjuice.frameworks.jax import source as jax_source
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.frameworks.onnx import model as onnx_model
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.frameworks.request import Request
from polyjuice.frameworks.tensorflow import source as tensorflow_source
from polyjuice.frameworks.torch import source as torch_source
from polyjuice.ir import Graph
from polyjuice.ops import entry

T = TypeVar("T")

_LOWER: Mapping[str, Callable[[Graph, Chooser], Artifact]] = {
    "torch": torch_source.lower,
    "tensorflow": tensorflow_source.lower,
    "jax": jax_source.lower,
    "onnx": lambda graph, chooser: onnx_model.lower(graph, chooser, _at_each_opset(graph, chooser)),
}


def _at_each_opset(graph: Graph, chooser: Chooser) -> Request:
    """By the definition of an operator that is new since the usual opset, or the operator itself at its first one."""
    since = max(op.since for node in graph.nodes if (op := entry(node)))
    opsets = [OPSET, *([since] if since > OPSET and not graph.nodes[0].domain else [])]
    return Request(lacks=[ALL], opset=chooser.about("operator of", "opset").choice(opsets))  # forms: test_onnx_forms.py


_WALKED = frozenset(["operator of", "arguments of", "views of"])
"""The subjects of the choices that concern one operator."""

Step = tuple[object, str]
"""A place in the code that draws, and the option that it took."""

_Path = tuple[int, ...]
"""The numbers of the options, in the order of the choices."""


@dataclass
class _Walk:
    """One way through the choices: it takes the given options first, and the first option of each later choice."""

    path: _Path
    steps: list[tuple[list[Step], int]] = field(default_factory=list)

    def take(self, labels: Sequence[str], place: object) -> int:
        """The number of the option at the next choice."""
        at = len(self.steps)
        option = self.path[at] if at < len(self.path) else 0
        self.steps.append(([(place, label) for label in labels], option))
        return option

    @property
    def taken(self) -> list[Step]:
        """The options of this walk."""
        return [steps[option] for steps, option in self.steps]

    def turns(self) -> Iterator[tuple[_Path, Step]]:
        """The walks that leave this one after the given options, each with the option at which it leaves."""
        path = [option for _, option in self.steps]
        for at in range(len(self.path), len(path)):
            for option, step in enumerate(self.steps[at][0][1:], 1):
                yield (*path[:at], option), step


class _WalkedDraws(Draws):
    walk: _Walk

    def choice(self, options: Sequence[T]) -> T:
        labels = [_outline(option) if isinstance(option, str) else str(at) for at, option in enumerate(options)]
        return options[self.walk.take(labels, _asker())]

    def take(self, draw: Callable[[random.Random], int], count: int) -> int:
        return self.walk.take([str(number) for number in range(count)], _asker())


def _asker() -> tuple[str, int]:
    frame = sys._getframe(2)
    while frame.f_code.co_filename == choosers.__file__ and frame.f_back:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lasti


def _outline(text: str) -> str:
    """A program's text without its numbers: applications that differ in attributes have the same outline."""
    return re.sub(r"-?\d+(\.\d+)?(, -?\d+(\.\d+)?)*", "#", text)


@dataclass
class Seen:
    """The options and the outlines of programs so far."""

    steps: set[Step] = field(default_factory=set)
    outlines: set[str] = field(default_factory=set)


class _WalkedChooser(Chooser):
    """A chooser whose choices about operators follow a walk. A seed decides all others."""

    def __init__(self, seed: int, walk: _Walk) -> None:
        super().__init__(lambda subject, value: random.Random(f"lower {seed}: {subject} {value}"))
        self._walk = walk

    def about(self, subject: str, value: str = "") -> Draws:
        if subject not in _WALKED:
            return super().about(subject, value)
        draws = _WalkedDraws(self, (subject, value), lambda: None)
        draws.walk = self._walk
        return draws


def lowered(graph: Graph, format: str, seed: int, limit: int, seen: Seen) -> Iterator[Artifact | Unlowerable]:
    """Different artifacts of a graph, and the reason for none if the choices lead to an inexpressible program.

    First, each option that is not in ``seen`` occurs. Then combinations follow, until there are ``limit`` lowerings.
    After that, or without a limit, only programs with a new outline count.
    """
    new, combined = deque[tuple[_Path, Step | None]]([((), None)]), deque[_Path]()
    programs: set[str | bytes] = set()
    for number in itertools.count():
        while new and new[0][1] in seen.steps:
            combined.append(new.popleft()[0])
        if not new and (number >= limit or not combined):
            return
        walk = _Walk(new.popleft()[0] if new else combined.popleft())
        try:
            artifact = _LOWER[format](graph, _WalkedChooser(seed, walk))
        except Unlowerable as problem:
            yield problem
        else:
            outline = _outline(artifact.source) if isinstance(artifact.source, str) else ""
            if artifact.source not in programs and (number < limit or outline not in seen.outlines):
                yield artifact
            programs.add(artifact.source)
            seen.outlines.add(outline)
        seen.steps.update(walk.taken)
        new.extend(walk.turns())
