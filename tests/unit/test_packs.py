"""Packs: each program behaves as it does alone, and a fault that only a pack shows becomes a small finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice import packs, pipeline
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import fault_of_pack
from polyjuice.compilers import find
from polyjuice.execution import Artifact, Draft, Instead, Memory, Outcome
from polyjuice.execution.broken import BrokenProgram
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import numbered, renamed, union
from polyjuice.numerics import Mode
from polyjuice.oracles import USUAL_ORACLES, Case
from polyjuice.session import CompilerSession
from tests.support.graphs import graph
from tests.support.packs import Eager, cases, graphs, holds, numbers


class Failing(Eager):
    """A session that runs Torch uncompiled, and fails packs whose first set of inputs holds some arrays.

    ``asked`` has the number of programs in each pack, by round.
    """

    def __init__(self, outcome: Callable[[Sequence[np.ndarray]], Outcome | None] = lambda arrays: None) -> None:
        super().__init__()
        self.asked: list[list[int]] = []
        self._outcome_on = outcome

    def execute_together(self, packed: Sequence[Draft], instead: Instead) -> list[Outcome | None]:
        self.asked.append([count for _, _, count in packed])
        found = super().execute_together(packed, instead)
        return [self._outcome_on(inputs[0]) or out for (_, inputs, _), out in zip(packed, found, strict=True)]


def test_graphs_side_by_side_have_the_values_of_each() -> None:
    several = graphs(5)
    whole = union([renamed(graph, numbered(graph, i)) for i, graph in enumerate(several)])
    inputs = [make_inputs(graph, "normal", "0") for graph in several]
    together = evaluate(whole, [array for one in inputs for array in one], "float64")
    alone = [value for graph, one in zip(several, inputs, strict=True) for value in evaluate(graph, one, "float64")]
    assert len(together) == len(alone)
    for value, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(value, other)


def test_what_a_program_does_to_memory_is_the_same_in_a_pack() -> None:
    several = cases(24)
    with Eager() as session:
        packed = packs.execute(several, session, 6)
        for case, own in zip(packed.cases, several, strict=True):
            alone = pipeline.execute(own, session)
            (one,), (other,) = case.ran, alone.ran
            assert len(one.outcome.memory) == len(own.sets)
            for a, b in zip(one.outcome.memory, other.outcome.memory, strict=True):
                assert (a.written, a.same, a.differentiable) == (b.written, b.same, b.differentiable)
                assert {x for x in a.shared if x[1] != Memory.HELD} == {x for x in b.shared if x[1] != Memory.HELD}
            assert pipeline.judge(case, session, ["alias"]) == []
    assert any(memory.shared for case in packed.cases for t in case.ran for memory in t.outcome.memory)


def test_variants_of_a_case_are_in_different_packs() -> None:
    several = cases(5, ("min", "max"))
    formed = packs.formed(several, 3)
    assert sorted(map(len, formed)) == [2, 2, 3, 3]
    assert all(len(set(numbers(pack))) == len(pack) for pack in formed)
    assert {frozenset(m.program.label for m in pack.members) for pack in formed} == {
        frozenset(["min"]),
        frozenset(["max"]),
    }


def test_programs_of_one_pack_have_one_setting_and_large_ones_are_alone() -> None:
    several = cases(4)
    setups: list[dict[str, Any]] = [{}, {"dynamic": True}, {"layouts": ["sliced"]}, {"dynamic": True}]
    for i, setup in enumerate(setups):
        (program,) = several[i].programs
        several[i] = replace(several[i], programs=[replace(program, artifact=replace(program.artifact, setup=setup))])
    assert sorted(map(numbers, packs.formed(several, 10))) == [[0, 2], [1, 3]]


def test_programs_with_wider_unsigned_integers_are_apart() -> None:
    """Compilers refuse many of them."""
    several = cases(4)
    (program,) = several[2].programs
    made = graph("uint64[2] x", "BitwiseNot(x)")
    several[2] = replace(several[2], programs=[replace(program, graph=made)])
    assert sorted(map(numbers, packs.formed(several, 10))) == [[0, 1, 3], [2]]


def test_each_program_of_a_pack_gives_what_it_gives_alone() -> None:
    several = cases(6, sets=lambda i: 1 + i % 3)
    with Failing() as session:
        packed = packs.execute(several, session, 4)
        assert session.asked == [[3, 3]]
        alone = [pipeline.execute(case, session) for case in several]
    for case, other in zip(packed.cases, alone, strict=True):
        (program,), (own,) = case.programs, other.programs
        assert program.outcome.status == own.outcome.status == "ok"
        assert [len(one) for one in program.outcome.outputs] == [len(case.programs[0].graph.outputs)] * len(case.sets)
        for outputs, expected in zip(program.outcome.outputs, own.outcome.outputs, strict=True):
            for value, right in zip(outputs, expected, strict=True):
                np.testing.assert_array_equal(value, right)


@pytest.mark.parametrize(
    ("message", "traceback", "rounds"),
    [
        ("no name", "", [[8], [2, 2, 2, 2], [1, 1]]),
        ("while executing p5_v1", "p2_v3 = p2_v1 + 1", [[8], [1, 7]]),
        ("no name", "in forward\n    p5_v1 = p5_x0.flip(0)", [[8], [1, 7]]),
    ],
    ids=["cut", "named", "named by a line"],
)
def test_a_program_that_fails_ends_alone_and_all_others_run(
    message: str, traceback: str, rounds: list[list[int]]
) -> None:
    several = cases(8)
    guilty = several[5]
    error = Outcome(status="error", stage="compile", message=message, traceback=traceback)
    with Failing(lambda arrays: error if holds(arrays, guilty) else None) as session:
        packed = packs.execute(several, session, 8)
    assert session.asked == rounds
    assert [case.index for case in packed.cases if case.programs[0].waits] == [5]
    assert packed.failed == []


def test_what_fails_in_company_alone_is_told() -> None:
    several = cases(4)
    both = several[0], several[3]
    error = Outcome(status="crash", stage="run")
    with Failing(lambda arrays: error if all(holds(arrays, case) for case in both) else None) as session:
        packed = packs.execute(several, session, 4)
    assert [numbers(pack) for pack in packed.failed] == [[0, 1, 2, 3]]
    assert all(case.programs[0].ran for case in packed.cases)


def test_what_never_runs_is_left_to_run_alone() -> None:
    class Absent(Failing):
        def execute_together(self, packed: Sequence[Draft], instead: Instead) -> list[Outcome | None]:
            return [None] * len(packed)

    with Absent() as session:
        packed = packs.execute(cases(3), session, 4)
    assert all(case.programs[0].waits for case in packed.cases)


def test_a_pack_of_inputs_of_several_profiles_takes_nothing_more_for_known() -> None:
    first, second = cases(2)
    edge = replace(second, sets=[replace(one, profile="edge", mode=Mode(edge=True)) for one in second.sets])
    mixed, alike = packs.formed([first, edge], 2)[0].case, packs.formed([edge, replace(edge, index=7)], 2)[0].case
    assert (mixed.profiles[0], mixed.sets[0].mode.edge) == ("normal", False)
    assert (alike.profiles[0], alike.sets[0].mode.edge) == ("edge", True)


def test_only_generated_graphs_are_packed() -> None:
    inductor = find("inductor")
    assert Config(compiler="inductor").pack_of(inductor) == inductor.pack > 1
    assert Config(compiler="inductor", pack=5).pack_of(inductor) == 5
    assert Config(compiler="inductor", seeds=("model.onnx",)).pack_of(inductor) == 1
    assert Config(compiler="inductor", device="cuda").pack_of(inductor) == 1
    assert Config(compiler="inductor", disruptive=True).pack_of(inductor) == 1
    assert Config(compiler="onnxruntime").pack_of(find("onnxruntime")) == 1


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
