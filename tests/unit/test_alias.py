"""The alias oracle: the differences that it reports, and those that PyTorch's promises allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from polyjuice.compilers import find, names
from polyjuice.execution import Artifact, LoweringChoices, Memory, Outcome, Shared
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import analyse
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import ORACLES, Case, InputSet, Program, Verdict, fault, usual_oracles
from polyjuice.oracles.alias import GAINED, LOST, MOVED, WRITTEN
from polyjuice.session import CompilerSession, Conditions

X = np.arange(4, dtype=np.float32)
INPUT, OUTPUT, HELD = Memory.INPUT, Memory.OUTPUT, Memory.HELD


def graph() -> Graph:
    """Two inputs; the second output depends on the second input alone."""
    b = GraphBuilder()
    x, y = (b.input(TensorType("float32", (4,))) for _ in range(2))
    return b.build([b.op("Add", x, x), b.op("Neg", y)])


def memory(
    *shared: Shared, written: Iterable[int] = (), same: Iterable[tuple[int, int]] = (), grad: Iterable[int] = ()
) -> Memory:
    return Memory(
        written=frozenset(written), shared=frozenset(shared), same=frozenset(same), differentiable=frozenset(grad)
    )


def verdicts(compiled: Memory, plain: Memory, **setup: object) -> list[Verdict]:
    """The oracle's verdicts on a program with this use of memory, compiled and uncompiled."""
    artifact = Artifact(format="torch", source="", setup=setup, choices=LoweringChoices())
    outcome = Outcome(status="ok", memory=(memory(), compiled), reference_memory=(memory(), plain))
    program = Program(
        label="min", graph=graph(), artifact=artifact, analyses=[analyse(graph(), [X, X])], outcome=outcome
    )
    case = Case(sets=[InputSet(profile="normal", arrays=(X, X))] * 2, programs=[program])
    with CompilerSession(Conditions(), find("eager")) as session:
        found = ORACLES["alias"].judge(case, session)
        assert all(ORACLES["alias"].triggers(verdict, case, session) for verdict in found)
        others = (replace(verdict, comparison="another") for verdict in found)
        assert not any(ORACLES["alias"].triggers(other, case, session) for other in others)
    return found


@pytest.mark.parametrize(
    ("compiled", "plain", "comparison", "output", "message"),
    [
        (memory((1, INPUT, 0)), memory(), GAINED, 1, "output 1 shares memory with input 0; uncompiled it does not"),
        (memory((1, OUTPUT, 0)), memory(), GAINED, 1, "output 1 shares memory with output 0; uncompiled it does not"),
        (memory((0, HELD, "w")), memory(), GAINED, 0, "output 0 shares memory with w, which the model holds; uncom"),
        (memory(), memory((0, INPUT, 1)), LOST, 0, "uncompiled, output 0 shares memory with input 1; compiled it"),
        (memory(), memory((0, HELD, "w")), LOST, 0, "uncompiled, output 0 shares memory with w, which the model"),
        (memory(), memory((1, OUTPUT, 0), grad=(0, 1)), LOST, 1, "uncompiled, output 1 shares memory with output 0"),
        (memory((0, INPUT, 1)), memory((0, INPUT, 1), same=[(0, 1)]), MOVED, 0, "uncompiled, output 0 is input 1, "),
        (memory(written=[1]), memory(), WRITTEN, 1, "the memory of input 1 is written; uncompiled it is not"),
    ],
)
def test_what_differs_from_the_uncompiled_run_is_a_verdict(
    compiled: Memory, plain: Memory, comparison: str, output: int, message: str
) -> None:
    """The verdict names an output that the fault concerns, on the inputs that show it."""
    (verdict,) = verdicts(compiled, plain)
    assert (verdict.kind, verdict.a, verdict.culprit, verdict.b) == ("alias", "min", "min", "")
    assert (verdict.comparison, verdict.output, verdict.inputs) == (comparison, output, 1)
    assert verdict.message.startswith(f"min: {message}")


@pytest.mark.parametrize(
    ("compiled", "plain", "setup"),
    [
        (memory((1, INPUT, 0), written=[0]), memory((1, INPUT, 0), written=[0]), {}),
        (memory(), memory((1, OUTPUT, 0)), {}),
        (memory(), memory((1, OUTPUT, 0), grad=(1,)), {}),
        (memory(), memory((1, HELD, "w")), {"freezing": True}),
        (memory(written=[1]), memory(), {"updates": [[2, 1]]}),
        (memory(), memory(written=[1]), {}),
    ],
    ids=["the same", "no gradients", "one gradient", "frozen", "compared by value", "written alike"],
)
def test_what_nobody_promises_is_none(compiled: Memory, plain: Memory, setup: dict[str, object]) -> None:
    assert verdicts(compiled, plain, **setup) == []


def test_views_of_one_input_share_memory_with_each_other_too() -> None:
    """If the compiler returns two copies, the verdict names the first difference. The others show, too."""
    plain = memory((0, INPUT, 0), (1, INPUT, 0), (1, OUTPUT, 0))
    (verdict,) = verdicts(memory((0, INPUT, 0), (1, INPUT, 0)), plain)
    assert (verdict.comparison, verdict.output) == (LOST, 1)


def test_both_variants_with_one_fault_are_one_finding() -> None:
    (verdict,) = verdicts(memory((1, INPUT, 0)), memory())
    case = Case(
        sets=[],
        programs=[
            Program(label=label, graph=graph(), artifact=Artifact(format="torch", source=""), analyses=[])
            for label in ("min", "max")
        ],
    )
    assert fault(case, verdict) == fault(case, replace(verdict, a="max", culprit="max"))
    assert fault(case, verdict) != fault(case, replace(verdict, comparison=LOST))


def test_a_part_of_a_pack_has_its_own_numbers_and_what_it_shares_with_other_programs() -> None:
    whole = memory(
        *((1, INPUT, 0), (1, INPUT, 2), (2, OUTPUT, 1), (3, OUTPUT, 2), (3, HELD, "w_p1_c"), (0, HELD, "w_p0_c")),
        written=[0, 2],
        same=[(1, 0), (2, 2)],
        grad=[1, 3],
    )
    first = whole.part(range(2), range(2), "p0_")
    assert first == memory((0, HELD, "w_c"), (1, INPUT, 0), (1, "elsewhere", 0), written=[0], same=[(1, 0)], grad=[1])
    second = whole.part(range(2, 3), range(2, 4), "p1_")
    assert second == memory((0, "elsewhere", 0), (1, OUTPUT, 0), (1, HELD, "w_c"), written=[0], same=[(0, 0)], grad=[1])
    (verdict,) = verdicts(first, memory((0, HELD, "w_c"), (1, INPUT, 0), written=[0], same=[(1, 0)], grad=[1]))
    assert "output 1 shares memory with an output of another program" in verdict.message


def test_it_judges_programs_of_torch_unless_the_user_says_otherwise() -> None:
    usual = {name for name in names() if "alias" in usual_oracles(find(name))}
    assert usual == {"eager", "inductor"}
    assert ORACLES["alias"].refusal(find("onnxruntime"))
