"""A fault that only a pack shows becomes a small finding. A pack that changes its programs is a fault of Polyjuice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice import packs
from polyjuice.campaign.confirmation import fault_of_pack
from polyjuice.execution import Artifact, Outcome
from polyjuice.execution.broken import BrokenProgram
from polyjuice.oracles import USUAL_ORACLES, Case
from polyjuice.session import CompilerSession
from tests.support.packs import Eager, cases, holds, numbers

Change = Callable[[Sequence[np.ndarray], Outcome], Outcome]


class Wrong(Eager):
    """A compiler that changes the outcome of a program, according to the first set of its inputs."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self._change = change

    def fresh(self) -> CompilerSession:
        return Wrong(self._change)

    def execute(self, artifact: Artifact, inputs: Any, *, level: str = "", compile: bool = True) -> Outcome:
        return self._change(inputs[0], super().execute(artifact, inputs, level=level, compile=compile))


def spoilt(arrays: Sequence[tuple[np.ndarray, ...]], output: int) -> tuple[tuple[np.ndarray, ...], ...]:
    """The results, with another element type for one output."""
    return tuple((*one[:output], one[output].astype("complex64"), *one[output + 1 :]) for one in arrays)


def both(pair: Sequence[Case], change: Change) -> Change:
    """The change, if the pack holds both programs of a pair."""
    return lambda arrays, outcome: change(arrays, outcome) if all(holds(arrays, c) for c in pair) else outcome


def test_a_pack_that_fails_is_made_small() -> None:
    several = cases(6)
    crash = Outcome(status="error", stage="compile", message="ValueError: in company", traceback="")
    (pack,) = packs.formed(several, 6)
    with Wrong(both([several[1], several[4]], lambda arrays, outcome: crash)) as session:
        found = fault_of_pack(pack, session, USUAL_ORACLES)
    assert found is not None
    case, verdict = found
    assert (verdict.oracle, verdict.kind) == ("crash", "crash")
    assert list(case.inputs[0]) == [*several[1].inputs[0], *several[4].inputs[0]]


def test_a_result_that_is_wrong_in_company_is_made_small() -> None:
    several = cases(6)
    pair = several[2], several[3]
    (pack,) = packs.formed(several, 6)
    own = len(several[2].programs[0].graph.outputs)

    def last_of_the_pair(arrays: Sequence[np.ndarray], outcome: Outcome) -> Outcome:
        before = sum(len(c.programs[0].graph.outputs) for c in several[:2] if holds(arrays, c))
        return replace(outcome, outputs=spoilt(outcome.outputs, before + own))

    with Wrong(both(pair, last_of_the_pair)) as session:
        found = fault_of_pack(pack, session, USUAL_ORACLES)
    assert found is not None
    case, verdict = found
    assert (verdict.oracle, verdict.kind, verdict.output) == ("differential", "mismatch", own)
    assert len(case.inputs[0]) == sum(len(c.inputs[0]) for c in pair)


def test_what_shows_no_more_is_no_finding() -> None:
    (pack,) = packs.formed(cases(3), 3)
    with Eager() as session:
        assert fault_of_pack(pack, session, USUAL_ORACLES) is None


def test_a_pack_that_is_not_its_programs_is_a_fault_of_ours() -> None:
    several = cases(4)
    (pack,) = packs.formed(several, 4)

    def changed(arrays: Sequence[np.ndarray], outcome: Outcome) -> Outcome:
        assert outcome.reference is not None
        wrong = tuple(tuple(y + np.ones((), y.dtype) for y in one) for one in outcome.reference)
        return replace(outcome, outputs=spoilt(outcome.outputs, 0), reference=wrong)

    with Wrong(both(several[:2], changed)) as session, pytest.raises(BrokenProgram, match="other results"):
        fault_of_pack(pack, session, USUAL_ORACLES)


def test_an_output_of_a_pack_belongs_to_its_program() -> None:
    (pack,) = packs.formed(cases(4), 4)
    widths = [len(member.program.graph.outputs) for member in pack.members]
    owners = [pack.member_of(output) for output in range(sum(widths))]
    assert [owners.count(member) for member in pack.members] == widths
    assert numbers(pack) == [0, 1, 2, 3]
