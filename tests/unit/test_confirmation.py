"""A campaign confirms new verdicts, and only counts those that a reported finding covers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyjuice import pipeline
from polyjuice.campaign import confirmation
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirming
from polyjuice.frameworks.lowering import CoverageTarget
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.oracles import Case, InputSet, Verdict
from polyjuice.pipeline import Target
from tests.support.packs import Eager, cases


def all_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every verdict repeat; a finding is then the name of its folder."""
    monkeypatch.setattr(pipeline, "repeating", lambda case, verdicts, session: [*range(len(verdicts))])
    monkeypatch.setattr(confirmation, "write_finding", lambda folder, *arguments, **options: folder.name)


def none_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "repeating", lambda case, verdicts, session: [])


def crash(signature: str) -> Verdict:
    return Verdict(
        oracle="crash", kind="crash", a="original", b="", message="it failed", signature=signature, culprit="original"
    )


def mismatch(signature: str, alone: bool = False) -> Verdict:
    return Verdict(
        oracle="differential",
        kind="mismatch",
        a="original",
        b="",
        message="it is off",
        signature=signature,
        alone=alone,
    )


@pytest.mark.parametrize(
    ("verdict", "confirmed"),
    [(crash("one"), 2), (mismatch("one"), 5), (mismatch("one", alone=True), 1)],
    ids=["failure", "wrong result", "wrong result that tells the cause"],
)
def test_what_is_told_already_is_counted(
    verdict: Verdict, confirmed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_repeat(monkeypatch)
    (case,) = cases(1)
    with Eager() as session:
        session.worker().start()
        confirming = Confirming(Config(compiler="eager"), tmp_path, session)
        found = [confirming.confirm(case, [verdict]) for _ in range(5)]
        other = confirming.confirm(case, [crash("another")])
    assert sum(len(one.findings) for one in found) == confirmed
    assert [s for one in found for s in one.duplicates] == ["one"] * (5 - confirmed)
    assert len(other.findings) == 1


def test_what_does_not_repeat_is_flaky_and_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none_repeats(monkeypatch)
    (case,) = cases(1)
    with Eager() as session:
        session.worker().start()
        confirming = Confirming(Config(compiler="eager"), tmp_path, session)
        found = [confirming.confirm(case, [crash("one")]) for _ in range(4)]
    assert [len(one.flaky) for one in found] == [1] * 4


def test_of_many_wrong_results_that_are_alike_few_are_confirmed_where_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_repeat(monkeypatch)
    (case,) = cases(1)
    with Eager() as session:
        session.worker().start()
        monkeypatch.setattr(session, "compiler", replace(session.compiler, fast=False))
        confirming = Confirming(Config(compiler="eager"), tmp_path, session)
        alike = [replace(case, index=index) for index in range(9)]
        found = [confirming.confirm(one, [mismatch("one")]) for one in alike]
        other = confirming.confirm(case, [mismatch("another")])
    assert [len(one.findings) for one in found] == [1, 1, 0, 1, 0, 0, 0, 1, 0]
    assert [len(one.duplicates) for one in found] == [0, 0, 1, 0, 1, 1, 1, 0, 1]
    assert len(other.findings) == 1


def test_what_may_wait_is_postponed_and_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_repeat(monkeypatch)
    first, second, third = cases(3)
    with Eager() as session:
        session.worker().start()
        monkeypatch.setattr(session, "compiler", replace(session.compiler, fast=False))
        confirming = Confirming(Config(compiler="eager"), tmp_path, session)
        verdicts = [mismatch("one")]
        waiting = [confirming.confirm(case, verdicts, may_wait=True) for case in (first, second, third)]
        found = [confirming.confirm(case, verdicts) for case in (second, first)]
    assert [bool(one.suspected) for one in waiting] == [True, True, False], "the third is like two others"
    assert not any(one.findings or one.flaky for one in waiting)
    assert waiting[2].duplicates == ["one"]
    assert [len(one.findings) for one in found] == [1, 1]


def test_wrong_results_beside_writes_are_alike_where_they_come_from_one_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_repeat(monkeypatch)
    with Eager() as session:
        session.worker().start()
        monkeypatch.setattr(session, "compiler", replace(session.compiler, fast=False))
        confirming = Confirming(Config(compiler="eager"), tmp_path, session)
        found = [
            confirming.confirm(replace(written(op), index=number), [mismatch(f"{number}")])
            for number, op in enumerate(["Neg", "Abs"] * 4)
        ]
    assert [len(one.findings) for one in found] == [1, 1, 1, 1, 0, 0, 1, 1]


def written(op: str) -> Case:
    """A program that overwrites an operator's operand with its result."""
    b = GraphBuilder()
    x = b.input(TensorType("float32", (3,)))
    graph = b.build([], {x: b.op(op, x)})
    sets = [InputSet(profile="normal", arrays=(np.ones(3, np.float32),))]
    artifact = pipeline.lower(graph, "0", Target(format="torch"), wanted=CoverageTarget(setting="plain"))
    return Case(sets=sets, programs=[pipeline.prepare("original", graph, artifact, sets)])
