"""A user's program, split into steps: nodes of an ONNX model, or statements of a Torch module.

Steps can be left out, and values can become inputs. The rest stays as the user wrote it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.errors import FormatError


class NotTakenApart(Exception):
    """The program cannot be split into steps. The message says why."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ProgramStep:
    """One node or statement: the names that it reads, and the names of its results.

    ``number`` is its position in the whole program. ``changes`` means that it modifies a tensor in place, so it may
    matter even if nothing reads its results.
    """

    number: int
    code: Any
    reads: tuple[str, ...]
    makes: tuple[str, ...]
    changes: bool = False


class Language(Protocol):
    """The operations that differ between formats."""

    def renamed(self, step: ProgramStep, names: Mapping[str, str]) -> ProgramStep:
        """Return the step with other operands. Raises FormatError if that is impossible."""

    def held(self, name: str) -> str:
        """Return the name of a value that the program holds as a constant."""

    def artifact(self, written: Written) -> Artifact:
        """Return the program. Raises FormatError if it is not valid."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Written:
    """A program split into steps.

    ``inputs`` are arrays by name, in the program's order. ``held`` names the constants, with an array for a value that
    has become one, and None for the user's own. ``values`` are the values of all names in an uncompiled run of the
    whole program, as far as it ran. ``frame`` is the program around the steps. ``updates`` names the inputs whose final
    contents are further results, after the ``outputs``.
    """

    language: Language
    frame: Any
    inputs: Mapping[str, np.ndarray]
    held: Mapping[str, np.ndarray | None]
    steps: tuple[ProgramStep, ...]
    outputs: tuple[str, ...]
    values: Mapping[str, np.ndarray]
    updates: tuple[str, ...] = ()

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the returned values, and of the inputs whose final contents are results."""
        return (*self.outputs, *self.updates)

    @cached_property
    def artifact(self) -> Artifact:
        """The program. Raises FormatError if it is not valid."""
        return self.language.artifact(self)

    def with_results(self, places: Collection[int]) -> Written:
        """Return the program with the results at these positions, and only the steps that they need."""
        count = len(self.outputs)
        outputs = tuple(name for place, name in enumerate(self.outputs) if place in places)
        updates = tuple(name for place, name in enumerate(self.updates, count) if place in places)
        return self.with_outputs(outputs, updates)

    def with_outputs(self, names: Sequence[str], updates: Sequence[str] = ()) -> Written:
        """Return the program with other results, and only the steps that they need."""
        return _pruned(replace(self, outputs=tuple(names), updates=tuple(updates)))

    def without(self, step: ProgramStep) -> Written:
        """Return the program without a step whose results nothing reads. Raises FormatError."""
        return _pruned(replace(self, steps=tuple(s for s in self.steps if s.number != step.number)))

    def bypassed(self, step: ProgramStep, operand: str) -> Written:
        """Return the program without a step; an operand replaces its only result. Raises FormatError."""
        (made,) = step.makes
        return self._renamed({made: operand}, (step,))

    def cut(self, steps: Sequence[ProgramStep], held: bool = False) -> Written:
        """Return the program without some steps. Results that others read become inputs, or constants if ``held``.

        Raises FormatError if one of these results is no tensor.
        """
        gone = {step.number for step in steps}
        read = {name for step in self.steps if step.number not in gone for name in step.reads} | {*self.results}
        wanted = [name for step in steps for name in step.makes if name in read]
        if missing := [name for name in wanted if name not in self.values]:
            raise FormatError(f"{missing[0]} is no tensor of a known value")
        arrays = {name: self.values[name] for name in wanted}
        if not held:
            rest = tuple(step for step in self.steps if step.number not in gone)
            return _pruned(replace(self, inputs={**self.inputs, **arrays}, steps=rest))
        names = {name: self.language.held(name) for name in wanted}
        constants = {names[name]: array for name, array in arrays.items()}
        return replace(self, held={**self.held, **constants})._renamed(names, steps)

    def with_input(self, name: str, array: np.ndarray) -> Written:
        """Return the program with another array for an input."""
        return replace(self, inputs={**self.inputs, name: array})

    def _renamed(self, names: Mapping[str, str], gone: Sequence[ProgramStep]) -> Written:
        numbers = {step.number for step in gone}
        rest = (step for step in self.steps if step.number not in numbers)
        steps = tuple(
            self.language.renamed(step, names) if not names.keys().isdisjoint(step.reads) else step for step in rest
        )
        return _pruned(replace(self, steps=steps, outputs=tuple(names.get(name, name) for name in self.outputs)))


def _pruned(written: Written) -> Written:
    """Return the program without unneeded steps, inputs and constants. Raises FormatError if a name is undefined."""
    needed, kept = {*written.results}, []
    for step in reversed(written.steps):
        if step.changes or not needed.isdisjoint(step.makes):
            kept.append(step)
            needed.update(step.reads)
    defined = {*written.inputs, *written.held, *(name for step in kept for name in step.makes)}
    if undefined := sorted(needed - defined):
        raise FormatError(f"{undefined[0]} is not defined")
    return replace(
        written,
        steps=tuple(reversed(kept)),
        inputs={name: array for name, array in written.inputs.items() if name in needed},
        held={name: array for name, array in written.held.items() if name in needed},
    )
