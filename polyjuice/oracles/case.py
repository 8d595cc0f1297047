"""What an oracle sees, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from polyjuice.execution import Artifact, Outcome
from polyjuice.ir import Graph
from polyjuice.numerics import Analysis


@dataclass(frozen=True)
class Tested:
    """A variant that was compiled and run: its analysis for each set of inputs, and what became of it."""

    label: str
    graph: Graph
    artifact: Artifact
    analyses: Sequence[Sequence[Analysis]]
    outcome: Outcome


@dataclass(frozen=True)
class Case:
    """All variants of one seed graph, run on the same sets of inputs, one set for each profile."""

    profiles: Sequence[str]
    inputs: Sequence[Sequence[np.ndarray]]
    tested: Sequence[Tested]

    def of(self, label: str) -> Tested:
        return next(t for t in self.tested if t.label == label)


@dataclass(frozen=True)
class Verdict:
    """One thing found wrong.

    ``kind`` is ``mismatch``, ``crash`` or ``hang``. ``a`` and ``b`` are the labels of the two variants that differ
    (for a crash ``a`` fails, and ``b`` is one that does not, if there is one). ``inputs`` and ``output`` number the
    set of inputs and the output that show it. ``culprit`` is the label of the side that is wrong, where that is known.
    ``allowed`` is, for a mismatch, the largest difference that would be none, for each element.
    """

    kind: str
    a: str
    b: str
    message: str
    signature: str
    inputs: int = 0
    output: int = 0
    culprit: str = ""
    rung: str = ""
    allowed: np.ndarray | None = field(default=None, repr=False)


class Oracle(Protocol):
    """Judges a case. Reduction and confirmation ask the same question again of a smaller or repeated case."""

    def __call__(self, case: Case, /) -> list[Verdict]: ...
