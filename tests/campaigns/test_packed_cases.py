"""Packed cases of a campaign: each has the same result as alone, and faults that only packs show are found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult, Runner
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.session import CompilerSession

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("in_process")

CASES = 12
FEW = 8
"""Cases with some findings that only packs show. Each finding starts processes that import Torch."""


def config(pack: int) -> Config:
    return Config(compiler="eager", seeds=("small",), nodes=4, pack=pack, triage_s=0.0)


def run(folder: Path, pack: int, cases: int = CASES) -> list[CaseResult]:
    runner = Runner(config(pack), folder, load())
    try:
        return list(runner.run(range(cases)))
    finally:
        runner.close()


def answered(result: CaseResult) -> tuple[Any, ...]:
    return result.index, result.pairs, result.programs, result.skipped, result.defect, len(result.findings)


def test_cases_in_packs_have_the_results_that_they_have_alone(tmp_path: Path) -> None:
    packed, alone = run(tmp_path / "packed", 6), run(tmp_path / "alone", 1)
    assert list(map(answered, packed)) == list(map(answered, alone))
    assert sum(result.packs for result in packed) > 1
    assert sum(result.packs for result in alone) == 0
    assert [set(result.covered) for result in packed] == [set(result.covered) for result in alone]


def test_a_crash_in_company_alone_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler fails on every pack of two programs."""

    def fails(artifact: Artifact, outcome: Outcome) -> Outcome:
        assert isinstance(artifact.source, str)
        if artifact.source.count("p0_") and artifact.source.count("p1_"):
            return replace(outcome, status="error", stage="compile", message="ValueError: two of them", outputs=())
        return outcome

    execute, execute_together = CompilerSession.execute, CompilerSession.execute_together

    def alone(session: CompilerSession, artifact: Artifact, *arguments: Any, **options: Any) -> Outcome:
        return fails(artifact, execute(session, artifact, *arguments, **options))

    def together(session: CompilerSession, packs: Sequence[Any], instead: Any) -> list[Outcome | None]:
        found = execute_together(session, packs, instead)
        return [outcome and fails(artifact, outcome) for (artifact, *_), outcome in zip(packs, found, strict=True)]

    monkeypatch.setattr(CompilerSession, "execute", alone)
    monkeypatch.setattr(CompilerSession, "execute_together", together)
    results = run(tmp_path, 2, cases=FEW)
    assert not any(result.defect for result in results)
    findings = [finding for result in results for finding in result.findings]
    assert findings
    assert {(f.oracle, f.kind, f.a) for f in findings} == {("crash", "crash", "original")}
    record = json.loads((tmp_path / "raw" / findings[0].folder / "finding.json").read_text())
    assert record["folder"].split("-")[1] == "pack"
    assert (tmp_path / "raw" / findings[0].folder / "repro.py").exists()
