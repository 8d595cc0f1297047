"""Uncompiled Torch programs that write into inputs agree with their graphs. A lost write is a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from polyjuice import packs, pipeline
from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.lowering import CoverageTarget, Unlowerable
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs, settle
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import Mode
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import USUAL_ORACLES, Case, InputSet
from polyjuice.pipeline import Target
from polyjuice.session import CompilerSession
from tests.support.libraries import needs
from tests.support.packs import Eager
from tests.support.shares import in_the_long_run

needs("torch")

SETTINGS = ("", "inference", "train", "grad", "dynamic")


def case(graph: Graph, key: str, layout: str = "", setting: str = "plain", index: int = 0) -> Case:
    """A case of one program that writes into its inputs. Raises EvaluationError, Unlowerable."""
    inputs = tuple(make_inputs(graph, "normal", key))
    sets = [InputSet(profile="normal", arrays=inputs, mode=Mode(), values=())]
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
        for one in generated(60, f"writes {layout} {part}", layout=layout, setting=setting):
            program = pipeline.execute(one, session).programs[0]
            assert program.outcome.status in ("ok", "unsupported"), (program.artifact.source, program.outcome)
            assert not pipeline.misplaced(program), program.artifact.source
            ran += program.ran
    assert ran > 40


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
