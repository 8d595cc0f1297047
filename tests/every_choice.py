"""Every way in which a graph can be lowered: the choices of a lowering, walked through instead of drawn."""

from __future__ import annotations

import itertools
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.lower import Unlowerable, onnx_model, tensorflow_source, torch_source
from polyjuice.lower.forms import ALL
from polyjuice.lower.idioms import Choices

T = TypeVar("T")

_LOWER: Mapping[str, Callable[[Graph, Choices], Artifact]] = {
    "torch": torch_source.lower,
    "tensorflow": tensorflow_source.lower,
    "onnx": lambda graph, choices: onnx_model.lower(graph, choices, lacks=[ALL]),  # test_onnx_forms.py has its forms
}

_WALKED = frozenset(["operator of", "arguments of", "views of"])
"""The subjects of the choices that concern one operator."""

_NUMBERS = (0.999, 0.0, 0.6)
"""What stands for a number in [0, 1): as a chance it comes about never, always, and where it is likely."""

Step = tuple[tuple[object, int], int]
"""A place in the code that draws, with the number of its options; and the option taken there."""

_Path = tuple[Step, ...]


@dataclass
class _Walk:
    """One way through the choices: the first options are given, and the first option is taken from there on."""

    given: Sequence[int]
    steps: list[Step] = field(default_factory=list)

    def take(self, options: int, place: object) -> int:
        """The option taken at the next choice."""
        at = len(self.steps)
        option = self.given[at] if at < len(self.given) else 0
        self.steps.append(((place, options), option))
        return option


class _Walked(random.Random):
    """Draws as a walk says."""

    def __init__(self, walk: _Walk) -> None:
        super().__init__(0)
        self._walk = walk

    def random(self) -> float:
        return _NUMBERS[self._walk.take(len(_NUMBERS), _caller())]

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        return seq[self._walk.take(len(seq), _caller())]

    def shuffle(self, x: MutableSequence[Any]) -> None:
        raise NotImplementedError

    choices = sample = randrange = uniform = shuffle  # type: ignore[assignment]


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lasti


class _WalkedChoices(Choices):
    """The choices about operators follow a walk; all others are those of a seed."""

    def __init__(self, seed: int, walk: _Walk) -> None:
        super().__init__(seed)
        self._walked = _Walked(walk)

    def about(self, subject: str, value: str = "") -> random.Random:
        return self._walked if subject in _WALKED else super().about(subject, value)


def lowered(
    graph: Graph, format: str, seed: int, limit: int, taken: set[Step] | None = None
) -> Iterator[Artifact | Unlowerable]:
    """Different artifacts of a graph, and why it has none where the choices lead to what the format cannot say.

    Each option of each place that draws is taken. Then combinations follow, until the graph has been lowered ``limit``
    times. Options that are ``taken`` already need not be taken again; those of this graph join them.
    """
    new, combined = deque[_Path]([()]), deque[_Path]()
    taken = set() if taken is None else taken
    programs: set[str | bytes] = set()
    for number in itertools.count():
        while new and new[0] and new[0][-1] in taken:
            combined.append(new.popleft())
        if not new and (number >= limit or not combined):
            return
        path = new.popleft() if new else combined.popleft()
        walk = _Walk([option for _, option in path])
        try:
            artifact = _LOWER[format](graph, _WalkedChoices(seed, walk))
            if artifact.source not in programs and (number < limit or not taken.issuperset(walk.steps)):
                programs.add(artifact.source)
                yield artifact
        except Unlowerable as problem:
            yield problem
        taken.update(walk.steps)
        for at in range(len(path), len(walk.steps)):
            (place, options), _ = walk.steps[at]
            new.extend((*walk.steps[:at], ((place, options), option)) for option in range(1, options))
