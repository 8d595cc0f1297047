"""Replay: run a finding again, perhaps in another version of the compiler, and compare."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from polyjuice import pipeline
from polyjuice.compilers import EnvironmentProblem
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.oracles import FAILURE_ORACLES, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.record import FindingError
from polyjuice.triage.stored import load


class ReplayStatus(StrEnum):
    """The state of a finding when it runs again; ``changed`` means that its programs fail in another way now."""

    shows = "shows"
    changed = "changed"
    fixed = "fixed"
    not_run = "not run"


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """The status of a finding in a version of its compiler; ``message`` tells how it changed, or why it did not run."""

    finding: str
    status: ReplayStatus
    version: str = ""
    message: str = ""


def replay(folder: Path, python: Path | None = None) -> Replayed:
    """Let a finding's own oracle, and the one that sees failures, judge its programs again.

    ``python`` is the interpreter that has the compiler; by default, the one that the finding names.
    """
    try:
        stored = load(folder, python)
        case, verdict = stored.case(), stored.verdict
        with CompilerSession(stored.conditions, stored.compiler) as session:
            verdicts: list[Verdict] = []
            for _ in range(pipeline.tries(verdict.kind)):
                again = pipeline.rerun(case, session)
                version = session.version
                if pipeline.shows(again, verdict, session):
                    return Replayed(finding=folder.name, status=ReplayStatus.shows, version=version)
                refused = [p.outcome.message for p in again.programs if p.outcome.status == "unsupported"]
                if refused:
                    return Replayed(
                        finding=folder.name, status=ReplayStatus.not_run, version=version, message=refused[0]
                    )
                verdicts += pipeline.judge(again, session, dict.fromkeys([verdict.oracle, *FAILURE_ORACLES]))
    except (EnvironmentProblem, FindingError, FormatError, Unlowerable) as problem:
        return Replayed(finding=folder.name, status=ReplayStatus.not_run, message=str(problem))
    if not verdicts:
        return Replayed(finding=folder.name, status=ReplayStatus.fixed, version=version)
    return Replayed(finding=folder.name, status=ReplayStatus.changed, version=version, message=verdicts[0].message)
