"""Torch programs that write into inputs, or take numbers, agree with their graphs. A lost write is a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice import packs, pipeline
from polyjuice.execution import Artifact, Outcome, Worker
from polyjuice.frameworks.choosers import replaying
from polyjuice.frameworks.lowering import CoverageTarget, Unlowerable, lower
from polyjuice.frameworks.torch import constants as torch_constants
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs, settle
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import Mode
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import USUAL_ORACLES, Case, InputSet, Verdict
from polyjuice.pipeline import Target
from polyjuice.session import CompilerSession
from polyjuice.triage.reproducers.text import texts
from tests.support.compilers import usable
from tests.support.libraries import needs
from tests.support.packs import Eager, graphs
from tests.support.shares import in_the_long_run

needs("torch")

SETTINGS = ("", "inference", "train", "grad", "dynamic")


def case(graph: Graph, key: str, layout: str = "", setting: str = "plain", index: int = 0) -> Case:
    """A case of one program that writes into its inputs. Raises EvaluationError, Unlowerable."""
    inputs = tuple(make_inputs(graph, "normal", key))
    sets = [InputSet(profile="normal", arrays=inputs, mode=Mode())]
    artifact = pipeline.lower(graph, key, Target(format="torch"), wanted=CoverageTarget(layout=layout, setting=setting))
    return Case(sets=sets, programs=[pipeline.prepare("original", graph, artifact, sets)], index=index)


def generated(count: int, stem: str, **wanted: str) -> list[Case]:
    found = []
    for number in range(count):
        key = f"{stem} {number}"
        try:
            found.append(case(settle(generate(4, key, strategy="statements"), key), key, index=number, **wanted))
        except (EvaluationError, Unlowerable):
            continue
    return found


def added() -> Graph:
    """A graph: x becomes x + y, and the output is 2 x."""
    b = GraphBuilder()
    t = TensorType("float32", (4,))
    x, y = b.input(t), b.input(t)
    return b.build([b.op("Add", x, x)], {x: b.op("Add", x, y)})


@pytest.mark.parametrize("part", [0, *in_the_long_run(*range(1, 8))])
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "stepped", "expanded"])
def test_what_is_written_is_what_the_graph_says(layout: str, part: int) -> None:
    setting = SETTINGS[part % len(SETTINGS)]
    with Eager() as session:
        ran = 0
        for one in generated(30, f"writes {layout} {part}", layout=layout, setting=setting):
            program = pipeline.execute(one, session).programs[0]
            assert program.outcome.status in ("ok", "unsupported"), (program.artifact.source, program.outcome)
            assert not pipeline.misplaced(program), program.artifact.source
            ran += program.ran
    assert ran > 20


def test_programs_that_write_run_in_packs_as_they_do_alone() -> None:
    with Eager() as session:
        cases = generated(24, "packed writes")
        packed = packs.execute(cases, session, 12)
        assert sum(map(len, packed.packs)) > 15
        for one in packed.cases:
            (program,) = one.programs
            if program.ran:
                alone = pipeline.rerun(one, session).programs[0]
                packed = [y.tobytes() for outputs in program.outcome.outputs for y in outputs]
                assert packed == [y.tobytes() for outputs in alone.outcome.outputs for y in outputs]


class _Losing(Eager):
    """A compiler that loses the writes into inputs: inputs keep their old values."""

    def execute(self, artifact: Artifact, inputs: Any, *, level: str = "", compile: bool = True) -> Outcome:
        outcome = super().execute(artifact, inputs, level=level, compile=compile)
        outputs = [_without_writes(artifact, *pair) for pair in zip(outcome.outputs, inputs, strict=True)]
        return replace(outcome, outputs=tuple(outputs))

    def fresh(self, *_: object) -> CompilerSession:
        return _Losing()


def _without_writes(
    artifact: Artifact, outputs: Sequence[np.ndarray], inputs: Sequence[np.ndarray]
) -> tuple[np.ndarray, ...]:
    kept = dict(artifact.setup.get("updates", ()))
    return tuple(inputs[kept[place]] if place in kept else array for place, array in enumerate(outputs))


def test_a_write_that_a_compiler_loses_is_found() -> None:
    with _Losing() as session:
        ran = pipeline.execute(case(added(), "0"), session)
        verdicts = pipeline.judge(ran, session, USUAL_ORACLES)
        assert [(v.kind, v.output) for v in verdicts] == [("mismatch", 1)]
        assert pipeline.repeats(ran, verdicts[0], session)


def test_a_program_that_writes_too_early_is_a_fault_of_ours() -> None:
    """If the uncompiled program's result differs from its graph's, no compiler is to blame."""
    one = case(added(), "0")
    (program,) = one.programs
    wrong = str(program.artifact.source).replace("return (", "x0.zero_()\n        return (")
    one = replace(one, programs=[replace(program, artifact=replace(program.artifact, source=wrong))])
    with Eager() as session:
        (ran,) = pipeline.execute(one, session).programs
        assert pipeline.misplaced(ran).startswith("output 1: uncompiled, original is off by")


@pytest.fixture
def every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_constants, "_ARGUMENT", 1.0)


def scaled() -> Graph:
    b = GraphBuilder()
    x = b.input(TensorType("float64", (4,)))
    y = b.op("mul.Scalar", x, domain="aten", other="-0.1")
    return b.build([b.op("add.Scalar", y, domain="aten", other="3")])


def doubled() -> Graph:
    b = GraphBuilder()
    x = b.input(TensorType("float64", (3,)))
    return b.build([b.op("mul.Scalar", x, domain="aten", other="2")])


@pytest.mark.usefixtures("every_number")
def test_a_program_means_what_it_means_without() -> None:
    found = 0
    with Eager() as session:
        for number, graph in enumerate(graphs(30)):
            one = pipeline.execute(case(graph, f"numbers {number}", setting="dynamic"), session)
            (program,) = one.programs
            assert program.outcome.status in ("ok", "unsupported"), (program.artifact.source, program.outcome)
            assert not pipeline.judge(one, session, ("differential",)), program.artifact.source
            found += program.ran and bool(program.artifact.setup.get("numbers"))
    assert found > 7


@pytest.mark.usefixtures("every_number")
def test_programs_of_different_numbers_share_a_pack() -> None:
    with Eager() as session:
        alone = [
            case(graph, f"packed {n}", setting="dynamic", index=n) for n, graph in enumerate([doubled(), scaled()])
        ]
        assert [one.programs[0].artifact.numbers for one in alone] == [1, 2]
        packed = packs.execute(alone, session, 2)
        assert [pack.program.artifact.numbers for pack in packed.packs] == [3]
        for one, own in zip(packed.cases, alone, strict=True):
            (passed,), (wanted,) = one.programs, pipeline.execute(own, session).programs
            assert [y.tolist() for y in passed.outcome.outputs[0]] == [y.tolist() for y in wanted.outcome.outputs[0]]


@pytest.mark.usefixtures("every_number")
def test_numbers_are_those_that_the_graph_has_and_are_replayed() -> None:
    artifact = pipeline.lower(scaled(), "0", Target(format="torch"), wanted=CoverageTarget(setting="dynamic"))
    assert artifact.setup["numbers"] == 2
    assert sorted(artifact.arrays[key].item() for key in artifact.arguments) == [-0.1, 3]
    assert not re.search(r"\b0\.1|\b3\b", str(artifact.source))
    assert artifact.choices
    again = lower(scaled(), "torch", replaying(artifact.choices))
    assert (again.source, again.arguments, again.setup) == (artifact.source, artifact.arguments, artifact.setup)


@pytest.mark.usefixtures("every_number")
def test_where_sizes_are_known_numbers_are_written_out() -> None:
    artifact = pipeline.lower(scaled(), "0", Target(format="torch"), wanted=CoverageTarget(setting="plain"))
    assert "numbers" not in artifact.setup
    assert not artifact.arguments


SOURCE = """
import torch

class Model(torch.nn.Module):
    def __init__(self, arrays):
        super().__init__()

    def forward(self, x, factor, count):
        return x * factor + count, torch.roll(x, count), isinstance(factor, torch.Tensor) + x
"""


def test_inductor_is_given_numbers() -> None:
    x = np.arange(5.0)
    arrays = {"factor": np.asarray(0.1), "count": np.asarray(3)}
    artifact = Artifact(
        format="torch", source=SOURCE, arrays=arrays, arguments=tuple(arrays), setup={"dynamic": True, "numbers": 2}
    )
    with Worker(usable("inductor")) as worker:
        (outputs,) = worker.execute(artifact, [[x]]).outputs
    assert [y.tolist() for y in outputs] == [(x * 0.1 + 3).tolist(), np.roll(x, 3).tolist(), x.tolist()]


@pytest.mark.usefixtures("every_number")
def test_a_reproducer_passes_numbers() -> None:
    with Eager() as session:
        one = pipeline.execute(case(scaled(), "0", setting="dynamic"), session)
        (program,) = one.programs
        verdict = Verdict(
            oracle="differential",
            kind="mismatch",
            a="original",
            b="",
            message="off",
            signature="off",
            culprit="original",
            allowed=np.ones(4),
        )
        text = texts(session, one, verdict, [program.artifact])[0]
    assert re.search(r"^\w+ = -0\.1$", text, re.MULTILINE)
    assert re.search(r"^\w+ = 3$", text, re.MULTILINE)
    assert "numbers=" not in text
    assert re.search(r"prepare\(A, \[.+, \w+, \w+\], dynamic=True\)", text)
    with pytest.raises(SystemExit) as ended:
        exec(compile(text, "repro.py", "exec"), {"__name__": "__main__"})
    assert ended.value.code == 0
