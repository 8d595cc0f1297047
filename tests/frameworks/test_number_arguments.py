"""Numbers as arguments of a Torch program: its meaning stays, and a reproducer passes them as numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from polyjuice import packs, pipeline
from polyjuice.execution import Artifact, Worker
from polyjuice.frameworks.choosers import replaying
from polyjuice.frameworks.lowering import CoverageTarget, lower
from polyjuice.frameworks.torch import constants as torch_constants
from polyjuice.inputs import make_inputs
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import Mode
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case, InputSet, Verdict
from polyjuice.pipeline import Target
from polyjuice.triage.reproducers.text import texts
from tests.support.compilers import usable
from tests.support.libraries import needs
from tests.support.packs import Eager, graphs

needs("torch")

DYNAMIC = CoverageTarget(setting="dynamic")


@pytest.fixture(autouse=True)
def _every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_constants, "_ARGUMENT", 1.0)


def case(graph: Graph, key: str) -> Case:
    sets = [InputSet(profile="normal", arrays=tuple(make_inputs(graph, "normal", key)), mode=Mode(), values=())]
    artifact = pipeline.lower(graph, key, Target(format="torch"), wanted=DYNAMIC)
    return Case(sets=sets, programs=[pipeline.prepare("original", graph, artifact, sets)])


def scaled() -> Graph:
    """x * -0.1 + 3, of float64."""
    b = GraphBuilder()
    x = b.input(TensorType("float64", (4,)))
    y = b.op("mul.Scalar", x, domain="aten", other="-0.1")
    return b.build([b.op("add.Scalar", y, domain="aten", other="3")])


def doubled() -> Graph:
    """2 x, of float64."""
    b = GraphBuilder()
    x = b.input(TensorType("float64", (3,)))
    return b.build([b.op("mul.Scalar", x, domain="aten", other="2")])


def test_a_program_means_what_it_means_without() -> None:
    found = 0
    with Eager() as session:
        for number, graph in enumerate(graphs(60)):
            one = pipeline.execute(case(graph, f"numbers {number}"), session)
            (program,) = one.programs
            assert program.outcome.status in ("ok", "unsupported"), (program.artifact.source, program.outcome)
            assert not pipeline.judge(one, session, ("differential",)), program.artifact.source
            found += program.ran and bool(program.artifact.setup.get("numbers"))
    assert found > 15


def test_programs_of_different_numbers_share_a_pack() -> None:
    """The count of numbers is no part of a pack's setting."""
    with Eager() as session:
        alone = [replace(case(graph, f"packed {n}"), index=n) for n, graph in enumerate([doubled(), scaled()])]
        assert [one.programs[0].artifact.numbers for one in alone] == [1, 2]
        packed = packs.execute(alone, session, 2)
        assert [pack.program.artifact.numbers for pack in packed.packs] == [3]
        for one, own in zip(packed.cases, alone, strict=True):
            (passed,), (wanted,) = one.programs, pipeline.execute(own, session).programs
            assert [y.tolist() for y in passed.outcome.outputs[0]] == [y.tolist() for y in wanted.outcome.outputs[0]]


def test_numbers_are_those_that_the_graph_has_and_are_replayed() -> None:
    artifact = pipeline.lower(scaled(), "0", Target(format="torch"), wanted=DYNAMIC)
    assert artifact.setup["numbers"] == 2
    assert sorted(artifact.arrays[key].item() for key in artifact.arguments) == [-0.1, 3]
    assert not re.search(r"\b0\.1|\b3\b", str(artifact.source))
    assert artifact.choices
    again = lower(scaled(), "torch", replaying(artifact.choices))
    assert (again.source, again.arguments, again.setup) == (artifact.source, artifact.arguments, artifact.setup)


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


def test_a_reproducer_passes_numbers() -> None:
    with Eager() as session:
        one = pipeline.execute(case(scaled(), "0"), session)
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
    assert re.search(r"^argument_\d = -0\.1$", text, re.MULTILINE)
    assert re.search(r"^argument_\d = 3$", text, re.MULTILINE)
    assert "numbers=" not in text
    assert re.search(r"prepare\(A\(\)\.eval\(\), \[.+, argument_0, argument_1\], dynamic=True\)", text)
    with pytest.raises(SystemExit) as ended:
        exec(compile(text, "repro.py", "exec"), {"__name__": "__main__"})
    assert ended.value.code == 0
