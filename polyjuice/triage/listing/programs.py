"""A finding's programs as they ran, and their differences, taken from the artifacts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from polyjuice.execution import Artifact
from polyjuice.frameworks.onnx.listing import OnnxProgram
from polyjuice.triage.listing.python_text import PythonProgram

#: The most operators of one side that a line names.
_NAMED = 6


class Shown(Protocol):
    """A program in any format, for a report."""

    @property
    def language(self) -> str:
        """The listing's language for Markdown."""

    @property
    def listing(self) -> str:
        """A short text of the program as the compiler gets it."""

    @property
    def operators(self) -> Counter[str]:
        """How often the program uses each operator of its format."""

    @property
    def facts(self) -> dict[str, str]:
        """Other properties of the program, by name."""

    def pattern(self, output: int | None) -> str:
        """The computation of one output (None: of all outputs) as one short expression."""


def shown(artifact: Artifact) -> Shown:
    """The program of an artifact, for a report."""
    return OnnxProgram(artifact.source) if isinstance(artifact.source, bytes) else PythonProgram(artifact)


def differences(a: Shown, b: Shown) -> list[str]:
    """The differences between two programs, one sentence each; at least one."""
    found = [*_operators(a, b), *_facts(a, b)]
    if not found and a.listing == b.listing:
        return ["A and B are the same program."]
    return found or ["A and B have the same operators, in another order or with other operands."]


def _operators(a: Shown, b: Shown) -> Iterator[str]:
    for side, more in (("A", a.operators - b.operators), ("B", b.operators - a.operators)):
        if more:
            names = [f"{name}{f' ({n} times)' if n > 1 else ''}" for name, n in sorted(more.items())]
            left = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield f"Only {side} has {', '.join(names[:_NAMED])}{left}."


def _facts(a: Shown, b: Shown) -> Iterator[str]:
    first, second = a.facts, b.facts
    for name in dict.fromkeys([*first, *second]):
        here, there = first.get(name, "none"), second.get(name, "none")
        if here != there:
            yield f"{name[0].upper()}{name[1:]}: {here} in A, {there} in B."
