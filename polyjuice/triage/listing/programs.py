"""The programs of a finding as they ran, and in what two of them differ: read off the artifacts, never guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from polyjuice.execution import Artifact
from polyjuice.triage.listing.onnx_text import OnnxProgram
from polyjuice.triage.listing.python_text import PythonProgram

#: How many operators of one side a line names.
_NAMED = 6


class Shown(Protocol):
    """A program in some format."""

    @property
    def language(self) -> str:
        """That of the listing, as Markdown names it."""

    @property
    def listing(self) -> str:
        """The program as the compiler is given it, in short."""

    @property
    def operators(self) -> Counter[str]:
        """How often each of the format's operators is used."""

    @property
    def facts(self) -> dict[str, str]:
        """What else the program is made of, by what it is."""

    def pattern(self, output: int | None) -> str:
        """What computes an output (None: all of them), as one short expression."""


def shown(artifact: Artifact) -> Shown:
    """An artifact as a report shows it."""
    return OnnxProgram(artifact.source) if isinstance(artifact.source, bytes) else PythonProgram(artifact)


def differences(a: Shown, b: Shown) -> list[str]:
    """In what two programs differ, a sentence each; at least one."""
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
