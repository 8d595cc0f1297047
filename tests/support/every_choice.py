"""Every way in which a graph can be lowered: the choices of a lowering, walked through instead of drawn."""

from __future__ import annotations

import itertools
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.lower import Unlowerable, choices, onnx_model, tensorflow_source, torch_source
from polyjuice.lower.choices import Chooser, Draws
from polyjuice.lower.forms import ALL

_LOWER: Mapping[str, Callable[[Graph, Chooser], Artifact]] = {
    "torch": torch_source.lower,
    "tensorflow": tensorflow_source.lower,
    "onnx": lambda graph, chooser: onnx_model.lower(graph, chooser, lacks=[ALL]),  # test_onnx_forms.py has its forms
}

_WALKED = frozenset(["operator of", "arguments of", "views of"])
"""The subjects of the choices that concern one operator."""

_Step = tuple[tuple[object, int], int]
"""A place in the code that draws, with the number of its options; and the option taken there."""

_Path = tuple[_Step, ...]


@dataclass
class _Walk:
    """One way through the choices: the first options are given, and the first option is taken from there on."""

    given: Sequence[int]
    steps: list[_Step] = field(default_factory=list)

    def take(self, options: int, place: object) -> int:
        """The option taken at the next choice."""
        at = len(self.steps)
        option = self.given[at] if at < len(self.given) else 0
        self.steps.append(((place, options), option))
        return option


class _WalkedDraws(Draws):
    """The choices at one site, as a walk says."""

    walk: _Walk

    def take(self, draw: Callable[[random.Random], int], count: int) -> int:
        return self.walk.take(count, _asker())


def _asker() -> tuple[str, int]:
    """The place in the code that asks."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == choices.__file__ and frame.f_back:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lasti


class _WalkedChooser(Chooser):
    """The choices about operators follow a walk; all others are those of a seed."""

    def __init__(self, seed: int, walk: _Walk) -> None:
        super().__init__(lambda subject, value: random.Random(f"lower {seed}: {subject} {value}"))
        self._walk = walk

    def about(self, subject: str, value: str = "") -> Draws:
        if subject not in _WALKED:
            return super().about(subject, value)
        draws = _WalkedDraws(self, (subject, value), None)
        draws.walk = self._walk
        return draws


def lowered(graph: Graph, format: str, seed: int, limit: int) -> Iterator[Artifact | Unlowerable]:
    """Different artifacts of a graph, and why it has none where the choices lead to what the format cannot say.

    Each option of each place that draws is taken. Then combinations follow, until the graph has been lowered ``limit``
    times.
    """
    new, combined = deque[_Path]([()]), deque[_Path]()
    taken: set[_Step] = set()
    programs: set[str | bytes] = set()
    for number in itertools.count():
        while new and new[0] and new[0][-1] in taken:
            combined.append(new.popleft())
        if not new and (number >= limit or not combined):
            return
        path = new.popleft() if new else combined.popleft()
        walk = _Walk([option for _, option in path])
        try:
            artifact = _LOWER[format](graph, _WalkedChooser(seed, walk))
            if artifact.source not in programs:
                programs.add(artifact.source)
                yield artifact
        except Unlowerable as problem:
            yield problem
        taken.update(walk.steps)
        for at in range(len(path), len(walk.steps)):
            (place, options), _ = walk.steps[at]
            new.extend((*walk.steps[:at], ((place, options), option)) for option in range(1, options))
