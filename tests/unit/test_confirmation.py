"""A campaign confirms new verdicts, counts those that a finding covers, and writes refused programs plainly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice import pipeline
from polyjuice.campaign import confirmation
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirming
from polyjuice.campaign.loop import Admission
from polyjuice.campaign.preparation import Preparation
from polyjuice.campaign.runner import CaseResult, Runner
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.forms import MODEL
from polyjuice.frameworks.lowering import CoverageTarget, opset_of
from polyjuice.frameworks.onnx.model import without_forms
from polyjuice.oracles import Case, InputSet, Verdict
from polyjuice.pipeline import Target
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage import FindingRecord
from polyjuice.triage.bisection import may_act
from polyjuice.triage.known_list import KnownBug
from tests.support.findings import named
from tests.support.graphs import graph
from tests.support.packs import Eager, cases


def all_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every verdict repeat; a finding is then the name of its folder."""
    monkeypatch.setattr(pipeline, "shown_again", lambda case, verdicts, session: dict.fromkeys(verdicts, case))
    monkeypatch.setattr(pipeline, "repeating", lambda case, verdicts, session, done: [*verdicts])
    monkeypatch.setattr(confirmation, "write_finding", lambda folder, *arguments, **options: folder.name)


def crash(signature: str) -> Verdict:
    sides = {"a": "original", "b": "", "culprit": "original"}
    return Verdict(oracle="crash", kind="crash", message="it failed", signature=signature, **sides)


def mismatch(signature: str, alone: bool = False) -> Verdict:
    sides = {"a": "original", "b": "", "alone": alone}
    return Verdict(oracle="differential", kind="mismatch", message="it is off", signature=signature, **sides)


@pytest.mark.parametrize(
    ("verdict", "confirmed"),
    [(crash("one"), 2), (mismatch("one"), 5), (mismatch("one", alone=True), 1)],
    ids=["failure", "wrong result", "wrong result that tells the cause"],
)
def test_what_is_told_already_is_counted(
    verdict: Verdict, confirmed: int, confirming: Callable[..., Confirming]
) -> None:
    (case,), one = cases(1), confirming(fast=True)
    found = [one.confirm(case, [verdict]) for _ in range(5)]
    assert sum(len(one.findings) for one in found) == confirmed
    assert [s for one in found for s in one.duplicates] == ["one"] * (5 - confirmed)
    assert len(one.confirm(case, [crash("another")]).findings) == 1


def test_what_does_not_repeat_is_flaky_and_counts_for_nothing(
    confirming: Callable[..., Confirming], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "repeating", lambda case, verdicts, session, done: [])
    (case,), one = cases(1), confirming(fast=True)
    assert [len(one.confirm(case, [crash("one")]).flaky) for _ in range(4)] == [1] * 4


def test_a_known_bug_that_a_check_has_found_is_known_from_then_on_where_that_takes_long(
    confirming: Callable[..., Confirming], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part to blame acted on the first three programs."""
    bug = KnownBug(compiler="eager", url="bug", blame=("pass a",))
    checked = []

    def of_part(self: Confirming, sides: Case, verdict: Verdict) -> KnownBug | None:
        checked.append(sides.index)
        return bug if sides.index == 0 else None

    monkeypatch.setattr(Confirming, "_of_part", of_part)
    monkeypatch.setattr(Confirming, "_knobs", ["pass *"])
    (case,) = cases(1)
    for fast, known, asked in ((False, 3, [0, 3]), (True, 1, [0, 1, 2, 3])):
        one = confirming(fast=fast)
        found = []
        for index in range(4):
            trace = ("pass a",) if index < 3 else ("pass b",)
            programs = [replace(p, outcome=Outcome(status="ok", stage="", trace=trace)) for p in case.programs]
            found += one.confirm(replace(case, index=index, programs=programs), [mismatch("one")]).known
        assert (found, checked) == (["bug"] * known, asked)
        checked.clear()


def test_a_part_may_have_acted_unless_its_family_is_traced_without_it() -> None:
    (case,), knobs = cases(1), ["pass *", "cpp.simdlen"]

    def may(parts: list[str], trace: tuple[str, ...]) -> bool:
        programs = [replace(p, outcome=Outcome(status="ok", stage="", trace=trace)) for p in case.programs]
        return may_act(parts, replace(case, programs=programs), knobs)

    assert may(["pass a"], ("pass a", "pass b"))
    assert not may(["pass a"], ("pass b",))
    assert not may(["pass b", "pass a"], ("pass b",))
    assert may(["cpp.simdlen"], ("pass b",))
    assert may(["pass a"], ()), "nothing was traced"


def test_of_many_wrong_results_that_are_alike_few_are_confirmed_where_that_takes_long(
    confirming: Callable[..., Confirming],
) -> None:
    (case,), one = cases(1), confirming()
    found = [one.confirm(replace(case, index=index), [mismatch("one")]) for index in range(9)]
    assert [len(one.findings) for one in found] == [1, 1, 0, 1, 0, 0, 0, 1, 0]
    assert [len(one.duplicates) for one in found] == [0, 0, 1, 0, 1, 1, 1, 0, 1]
    assert len(one.confirm(case, [mismatch("another")]).findings) == 1


def test_what_may_wait_is_postponed_and_counts_once(confirming: Callable[..., Confirming]) -> None:
    (first, second, third), one, verdicts = cases(3), confirming(), [mismatch("one")]
    waiting = [one.confirm(case, verdicts, may_wait=True) for case in (first, second, third)]
    assert [bool(one.suspected) for one in waiting] == [True, True, False], "the third is like two others"
    assert not any(one.findings or one.flaky for one in waiting)
    assert waiting[2].duplicates == ["one"]
    assert [len(one.confirm(case, verdicts).findings) for case in (second, first)] == [1, 1]


def test_wrong_results_beside_writes_are_alike_where_they_come_from_one_operator(
    confirming: Callable[..., Confirming],
) -> None:
    one = confirming()
    found = [
        one.confirm(replace(written(op), index=number), [mismatch(f"{number}")])
        for number, op in enumerate(["Neg", "Abs"] * 4)
    ]
    assert [len(one.findings) for one in found] == [1, 1, 1, 1, 0, 0, 1, 1]


def written(op: str) -> Case:
    """A program that overwrites an operator's operand with its result."""
    made = graph("float32[3] x", f"y = {op}(x); []", {"x": "y"})
    sets = [InputSet(profile="normal", arrays=(np.ones(3, np.float32),))]
    artifact = pipeline.lower(made, "0", Target(format="torch"), wanted=CoverageTarget(setting="plain"))
    return Case(sets=sets, programs=[pipeline.prepare("original", made, artifact, sets)])


def verdict(a: str, b: str = "", output: int = 0, kind: str = "mismatch") -> Verdict:
    return Verdict(oracle="differential", kind=kind, a=a, b=b, message="wrong", signature="signature", output=output)


@dataclass
class Sessions:
    """A session that counts its fresh sessions."""

    count: int = 0

    @contextmanager
    def fresh(self) -> Any:
        self.count += 1
        yield self.count


@pytest.fixture
def repeating(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[int], Sessions]]:
    """The verdicts that repeat, and the sessions. ``shows`` decides for verdict and session."""

    def run(verdicts: list[Verdict], shows: Callable[[Verdict, int], bool]) -> tuple[list[int], Sessions]:
        monkeypatch.setattr(pipeline, "rerun", lambda case, session: case)
        monkeypatch.setattr(pipeline, "shows", lambda case, verdict, session: shows(verdict, session))
        sessions = Sessions()
        numbered = dict(enumerate(verdicts))
        found = pipeline.repeating(Case(sets=[], programs=[]), numbered, sessions)  # type: ignore[arg-type]
        return found, sessions

    return run


def test_verdicts_on_the_same_sides_share_processes(repeating: Any) -> None:
    verdicts = [verdict("min", "max"), verdict("max", "min", 1), verdict("min")]
    found, sessions = repeating(verdicts, lambda verdict, time: True)
    assert found == [0, 1, 2]
    assert sessions.count == 2 * pipeline.REPEATS


def test_what_does_not_show_is_not_tried_again(repeating: Any) -> None:
    found, sessions = repeating([verdict("min")], lambda verdict, time: False)
    assert (found, sessions.count) == ([], 1)


@pytest.mark.parametrize("last", range(1, pipeline.REPEATS))
def test_each_time_counts(repeating: Any, last: int) -> None:
    both = [verdict("min"), verdict("min", output=1)]
    found, sessions = repeating(both, lambda verdict, time: verdict.output == 1 or time <= last)
    assert (found, sessions.count) == ([1], pipeline.REPEATS)


def test_a_hang_takes_the_whole_limit_and_must_show_once_more(repeating: Any) -> None:
    found, sessions = repeating([verdict("min", kind="hang")], lambda verdict, time: True)
    assert (found, sessions.count) == ([0], 1)
    both = [verdict("min", kind="hang"), verdict("min")]
    assert repeating(both, lambda verdict, time: True)[1].count == pipeline.REPEATS


CASES = 12


class Refusing(CompilerSession):
    """The NumPy control, which refuses some programs. ``asked`` lists all programs that it received, in order."""

    def __init__(self, *, all: bool = False) -> None:
        super().__init__(Conditions(), find("numpy"))
        self.asked: list[Artifact] = []
        self._all = all

    def execute(self, artifact: Artifact, inputs: Any, **options: Any) -> Outcome:
        self.asked.append(artifact)
        if self._all or not is_plain(artifact):
            return Outcome(status="unsupported", stage="compile", message="NotImplementedError: no kernel")
        return super().execute(artifact, inputs, **options)


def is_plain(artifact: Artifact) -> bool:
    """Whether the lowering chose no form and no opset. Graphs with newer element types have a newer opset anyway."""
    choices = artifact.choices
    return choices is not None and without_forms(choices, 0) == choices


def attempts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The prepared seed graphs: the index of the case, and the number of the attempt."""
    made: list[tuple[int, int]] = []
    prepare = Preparation.case

    def noted(preparation: Preparation, index: int, attempt: int) -> Case:
        made.append((index, attempt))
        return prepare(preparation, index, attempt)

    monkeypatch.setattr(Preparation, "case", noted)
    return made


def run(session: Refusing, folder: Path, indices: Sequence[int], **options: Any) -> list[str]:
    """For each case, the reason for skipping it, or ""."""
    runner = Runner(Config(compiler="numpy", nodes=5, **options), folder, load(only=["add-*"]), session)
    try:
        results = list(runner.run(indices))
    finally:
        runner.close()
    assert not [result.defect for result in results if result.defect]
    return [result.skipped for result in results]


def test_a_refused_program_is_written_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, made = Refusing(), attempts(monkeypatch)
    skipped = run(session, tmp_path, range(CASES))
    refused = [artifact for artifact in session.asked if not is_plain(artifact)]
    assert len(refused) > CASES / 2
    tried = [index for index, attempt in made if not attempt]
    assert tried == list(range(CASES))
    assert not [why for why in skipped if "no kernel" in why]


def test_what_is_refused_plainly_too_gives_way_to_another_seed_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, made = Refusing(all=True), attempts(monkeypatch)
    (skipped,) = run(session, tmp_path, [1])
    assert skipped == "unsupported: NotImplementedError: no kernel"
    assert [attempt for _, attempt in made] == [0, 1, 2, 3, 4]
    assert len(session.asked) <= 2 * len(made), "one program of each refused case, and of each written plainly"


def test_an_opset_that_the_user_named_stays(tmp_path: Path) -> None:
    session = Refusing(all=True)
    run(session, tmp_path, range(3), opset=13)
    opsets = {form for artifact in session.asked for form in artifact.forms if opset_of(form)}
    assert (MODEL, "opset 13") in opsets
    assert any(set(artifact.forms) == {(MODEL, "opset 13")} for artifact in session.asked)


@pytest.fixture
def confirming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Confirming]]:
    """A function that gives what confirms findings, which all repeat. The compiler may be slow."""
    all_repeat(monkeypatch)
    with Eager() as session:
        session.worker().start()

        def made(fast: bool = False) -> Confirming:
            monkeypatch.setattr(session, "compiler", replace(session.compiler, fast=fast))
            return Confirming(Config(compiler="eager"), tmp_path, session)

        yield made


def test_findings_of_all_processes_are_counted_together(tmp_path: Path) -> None:
    """Two processes have reported the same failures, and the same known bug; earlier runs have reported one, too."""

    def result(index: int, *findings: FindingRecord) -> CaseResult:
        for finding in findings:
            (tmp_path / finding.folder).mkdir()
        return CaseResult(index=index, findings=findings)

    def crash_of(index: int) -> FindingRecord:
        return replace(named(f"{index}", "crash", index), signature="crash of Relu")

    admission = Admission(tmp_path, [crash_of(0)])
    first = admission.admitted(result(1, crash_of(1)))
    assert [finding.folder for finding in first.findings] == ["1"]
    second = admission.admitted(result(2, crash_of(2), named("wrong", index=2)))
    assert ([finding.folder for finding in second.findings], [*second.duplicates]) == (["wrong"], ["crash of Relu"])
    known = [replace(named(f"known {index}", index=index), known="https://bug") for index in (3, 4)]
    assert [len(admission.admitted(result(one.index, one)).known) for one in known] == [0, 1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "known 3", "wrong"]
