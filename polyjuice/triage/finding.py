"""A finding is a folder with both graphs, the inputs, a reproducer that was run, and a report for a tracker."""

from __future__ import annotations

import json
import platform
import re
import shutil
import signal
import subprocess
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice.egraph import Rule
from polyjuice.execution import Artifact, FromScratch, Script
from polyjuice.frameworks import registry
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.onnx import graph_files
from polyjuice.oracles import Case, Program, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.session import CompilerSession
from polyjuice.triage import report, reproducers
from polyjuice.triage.causes import pattern
from polyjuice.triage.record import FindingRecord, decision, of_verdict


def write_finding(
    folder: Path,
    session: CompilerSession,
    case: Case,
    verdict: Verdict,
    *,
    regression: str = "",
    known: str = "",
    reduction: Mapping[str, Any] = MappingProxyType({}),
    explanation: Sequence[Rule] | None = None,
    from_scratch: bool = True,
) -> FindingRecord:
    """Write a finding's folder, run its reproducer, and record how that ended.

    The files lie in a hidden folder until they are complete: then the finding's folder appears with all of them.
    ``known`` is the URL of the known bug that the verdict shows. ``regression`` is that of a bug that it resembles and
    that this version should no longer have.
    ``explanation`` are the rules that rewrite one side to the other, if known. With ``from_scratch``, the reproducer
    runs as a user would run it. Without, it runs in a forked process that already has the framework imported, which
    takes Torch a tenth of the time.
    """
    draft, oracle = staged(folder), find_oracle(verdict.oracle)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
        artifacts = [oracle.program(t.artifact) for t in sides]
        user_program = _write_programs(draft, case, verdict, sides, artifacts)
        texts = reproducers.texts(session, case, verdict, artifacts)
        failed = sides[0].outcome if kind_of(verdict.kind).failure else None
        error = report.failure(failed)["error"] if failed and failed.status == "error" else ""
        text, status, output = _reproduced(draft / "repro.py", texts, session, error, from_scratch=from_scratch)
        beside = reproducers.side_by_side(session, case, verdict, artifacts) if reduction and status == 1 else ""
        backends = _printed_beside(draft / "side_by_side.py", beside, session, from_scratch) if beside else ""
        # The framework's description of its environment takes seconds: only for reduced findings.
        described = registry.find(session.compiler.format).environment if reduction else None
        record = FindingRecord(
            **of_verdict(verdict),
            compiler=session.compiler.name,
            versions={**session.versions, "platform": platform.platform()},
            seed=case.seed,
            index=case.index,
            profile=case.profiles[verdict.inputs],
            rules=list(case.rules),
            operators={t.label: len(t.graph) for t in sides},
            idioms={t.label: list(t.artifact.idioms) for t in sides},
            broken=case.broken,
            regression=regression,
            known=known,
            repro_exit=status,
            folder=folder.name,
            profiles=list(case.profiles),
            conditions=asdict(session.conditions),
            choices={t.label: t.artifact.choices.as_json() for t in sides if t.artifact.choices is not None},
            user_program=user_program,
            reduction=dict(reduction),
            explanation=None if explanation is None else {rule.name: rule.comment for rule in explanation},
            values=report.values(case, verdict),
            printed=output,
            backends=backends,
            traceback=_COLOURS.sub("", sides[0].outcome.traceback),
            result=report.result(case, verdict),
            failure=report.failure(sides[0].outcome) if kind_of(verdict.kind).failure else {},
            environment=str(described.load()(session.conditions.python)) if described else "",
            decision=decision(case, verdict, session.compiler),
        )
        wrong = [side for side in sides if side.label == verdict.culprit] or sides
        has = pattern([side.graph for side in wrong], [oracle.program(side.artifact) for side in wrong])
        record = replace(record, pattern=has, wrong=report.wrong(record))
        (draft / "finding.json").write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        shown = sides[: None if oracle.least > 1 else 1]
        programs = {t.label: artifact for t, artifact in zip(shown, artifacts, strict=False)}
        written = report.render(record, {t.label: t.graph for t in shown}, programs, text)
        (draft / "report.md").write_text(written, encoding="utf-8")
        _move(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return record


def staged(folder: Path) -> Path:
    """The hidden folder beside a finding's folder, in which the finding is written."""
    whole = folder.resolve()
    return whole.with_name(f".{whole.name}")


def _write_programs(
    folder: Path, case: Case, verdict: Verdict, sides: Sequence[Program], artifacts: Sequence[Artifact]
) -> dict[str, Any]:
    """Write graphs, programs and arrays. Return everything but the text of programs as their owners wrote them."""
    graph_files.save(sides[0].graph, folder / "a.onnx")
    graph_files.save(sides[-1].graph, folder / "b.onnx")
    user_program: dict[str, Any] = {}
    for side, t, artifact in zip("AB", sides, artifacts, strict=False):
        if t.user_program:
            user_program[t.label] = files.write(folder, reproducers.program_stem(side), t.artifact)
        elif isinstance(artifact.source, bytes):
            (folder / reproducers.lowered_name(side)).write_bytes(artifact.source)
    constants = [dict(artifact.arrays) for artifact in artifacts]
    arrays: dict[str, Any] = reproducers.stored_arrays(case, verdict, constants)
    np.savez_compressed(folder / "inputs.npz", **arrays)
    return user_program


def _reproduced(
    path: Path, texts: Sequence[str], session: CompilerSession, error: str = "", *, from_scratch: bool
) -> tuple[str, int | None, str]:
    """Return the first text that shows the bug, or else the last one, with its exit status and its output.

    The first text calls the compiler in another way than the campaign. If it fails, it must begin with the same
    ``error``: a short call can be wrong itself.
    """
    begin = error.partition(": ")[2][:_BEGIN]
    conditions = session.conditions
    for text in texts:
        path.write_text(text, encoding="utf-8")
        script = FromScratch(path, conditions.python) if from_scratch else session.run_script(path)
        status, output = _outcome(script, conditions.reproducer_s)
        if status == 1 and (text is not texts[0] or len(texts) == 1 or begin in output):
            break
    return text, status, output


def _printed_beside(path: Path, text: str, session: CompilerSession, from_scratch: bool) -> str:
    """Run a text that shows the framework's other backends; return what each of them gives, a line each."""
    _, _, output = _reproduced(path, [text], session, from_scratch=from_scratch)
    path.unlink()
    lines = output.partition(f"{reproducers.SIDE_BY_SIDE}\n")[2].splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("  ")))


_BEGIN = 24
"""The characters of an error, after its type, by which a reproducer's error is known again."""


def _move(draft: Path, folder: Path) -> None:
    """Move a complete draft to its place: it appears at once.

    In a folder that exists, the user may have files. So only those of the draft are replaced there, and
    ``finding.json``, without which the folder is no finding, is the last one.
    """
    if not folder.exists():
        draft.rename(folder)
        return
    (folder / "finding.json").unlink(missing_ok=True)
    for path in sorted(draft.iterdir(), key=lambda path: path.name == "finding.json"):
        path.replace(folder / path.name)
    draft.rmdir()


#: The escape sequences by which some compilers colour what they log.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run_reproducer(folder: Path, python: str, limit_s: float) -> tuple[int | None, str]:
    """Run ``repro.py``; return its exit status (None where it did not end in time) and its output."""
    return _outcome(FromScratch(folder / "repro.py", python), limit_s)


def _outcome(script: Script, limit_s: float) -> tuple[int | None, str]:
    """Wait for the end of a reproducer, and kill all processes that it started; return as `run_reproducer`.

    The compiler's log is left out where the reproducer itself printed a result. If a signal ended the process, the
    status is 2 (could not run): a reproducer of a crash watches the crashing process from outside.
    """
    try:
        status = script.wait(2 * limit_s + 60)
        stdout, stderr = script.printed()
    except subprocess.TimeoutExpired:
        return None, "the reproducer did not end"
    finally:
        script.end()
    answered = status in (0, 1) and stdout.strip()
    output = _COLOURS.sub("", stdout if answered else stdout + stderr[-4000:]).strip()
    if status < 0:
        return 2, f"{output}\nended by {signal.Signals(-status).name}".strip()
    return status, output
