"""Reduction passes for a program as its owner wrote it: fewer outputs and steps, and simpler inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.steps import ProgramStep, Written
from polyjuice.triage.reduction.details import CHANGES, PART_CHANGES, changed, spans
from polyjuice.triage.reduction.edits import halves_first
from polyjuice.triage.reduction.excerpt import Excerpt, ExcerptTrial

Cut = Callable[[Excerpt], Iterator[Excerpt]]


def outputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Keep only the output that shows the fault, or remove one other output."""
    yield _only_output
    for name in excerpt.written.results:
        yield partial(_without_output, name=name)


def _only_output(excerpt: Excerpt) -> Iterator[Excerpt]:
    yield Excerpt(excerpt.written.with_results([excerpt.output]), 0)


def _without_output(excerpt: Excerpt, name: str) -> Iterator[Excerpt]:
    declared = excerpt.written.results
    kept = [k for k, other in enumerate(declared) if k == excerpt.output or other != name]
    yield Excerpt(excerpt.written.with_results(kept), kept.index(excerpt.output))


def earlier_outputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Replace the output that shows the fault by an earlier value."""
    for name in halves_first([name for step in excerpt.written.steps for name in step.makes]):
        yield partial(_with_output, name=name)


def _with_output(excerpt: Excerpt, name: str) -> Iterator[Excerpt]:
    written, place = excerpt.written, excerpt.output
    if place >= len(written.outputs):  # the output is an updated input
        yield Excerpt(written.with_outputs([name]), 0)
        return
    outputs = (*written.outputs[:place], name, *written.outputs[place + 1 :])
    yield replace(excerpt, written=written.with_outputs(outputs, written.updates))


def beginnings(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove everything before a step; its results become inputs or constants."""
    for step in halves_first(excerpt.written.steps[1:]):
        yield partial(_cut, number=step.number, all_before=True)


def cuts(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove one step; its results become inputs or constants."""
    for step in reversed(excerpt.written.steps):
        yield partial(_cut, number=step.number, all_before=False)


def _cut(excerpt: Excerpt, number: int, all_before: bool) -> Iterator[Excerpt]:
    steps = excerpt.written.steps
    gone = [s for s in steps if (s.number < number if all_before else s.number == number)]
    if gone:
        for held in (False, True):
            yield from _fit(excerpt, partial(excerpt.written.cut, gone, held))


def bypasses(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove one step and replace its result, if anything reads it, by an operand of the same type."""
    for step in reversed(excerpt.written.steps):
        yield partial(_bypassed, number=step.number)


def _bypassed(excerpt: Excerpt, number: int) -> Iterator[Excerpt]:
    written = excerpt.written
    step = next((step for step in written.steps if step.number == number), None)
    if step is None:
        return
    yield from _fit(excerpt, partial(written.without, step))
    for operand in _of_the_same_type(written, step):
        yield from _fit(excerpt, partial(written.bypassed, step, operand))


def _of_the_same_type(written: Written, step: ProgramStep) -> Iterator[str]:
    """The operands that may replace a step's only result."""
    if len(step.makes) != 1 or step.makes[0] not in written.values:
        return
    made = written.values[step.makes[0]]
    for name in step.reads:
        array = written.values.get(name)
        if array is not None and (array.dtype, array.shape) == (made.dtype, made.shape):
            yield name


def _fit(excerpt: Excerpt, change: Callable[[], Written]) -> Iterator[Excerpt]:
    """The excerpt with a change; nothing where the format cannot express the result."""
    try:
        yield replace(excerpt, written=change())
    except FormatError:
        return


def plainer_inputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Replace inputs by zeros, ones, whole numbers or small numbers; then do so part by part."""
    for name, array in excerpt.written.inputs.items():
        for change in CHANGES:
            yield partial(_with_input, name=name, change=change, places=slice(None))
        for places in spans(array.size):
            for change in PART_CHANGES:
                yield partial(_with_input, name=name, change=change, places=places)


def _with_input(
    excerpt: Excerpt, name: str, change: Callable[[np.ndarray], np.ndarray], places: slice
) -> Iterator[Excerpt]:
    array = excerpt.written.inputs.get(name)
    plainer = None if array is None else changed(array, change, places)
    if plainer is not None:
        yield replace(excerpt, written=excerpt.written.with_input(name, plainer))


PASSES = (
    ("outputs", outputs),
    ("earlier outputs", earlier_outputs),
    ("beginnings", beginnings),
    ("cuts", cuts),
    ("bypasses", bypasses),
    ("inputs", plainer_inputs),
)
"""The passes in the order in which they run: those that remove most come first."""
