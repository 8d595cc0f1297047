"""A finding is a folder with both graphs, the inputs, a reproducer that was run, and a report for a tracker.

Verdicts that repeat in fresh processes become findings, while their reproducers run.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.egraph import Rule
from polyjuice.execution import FromScratch, Script
from polyjuice.frameworks import registry
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.onnx import graph_files
from polyjuice.oracles import Case, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.session import CompilerSession
from polyjuice.triage import report, reproducers
from polyjuice.triage.causes import pattern
from polyjuice.triage.record import FindingRecord, decision


def write_finding(
    folder: Path,
    session: CompilerSession,
    case: Case,
    verdict: Verdict,
    *,
    regression: str = "",
    reduction: Mapping[str, Any] = MappingProxyType({}),
    explanation: Sequence[Rule] | None = None,
    from_scratch: bool = True,
) -> FindingRecord:
    """Write a finding's folder, run its reproducer, and record how that ended (see :class:`Draft`)."""
    with Draft(folder, session, case, verdict, beside=bool(reduction), from_scratch=from_scratch) as draft:
        return draft.finish(regression=regression, reduction=reduction, explanation=explanation)


def staged(folder: Path) -> Path:
    """The hidden folder beside a finding's folder, in which the finding is written."""
    whole = folder.resolve()
    return whole.with_name(f".{whole.name}")


class Draft:
    """A finding whose folder has the graphs, inputs and programs, so that its reproducer can run.

    Use it as a context manager: on exit, it stops the reproducer, and removes what is not finished. The files lie in a
    hidden folder until they are complete: then ``finished`` is set, and the finding's folder appears with all of them.
    """

    def __init__(
        self,
        folder: Path,
        session: CompilerSession,
        case: Case,
        verdict: Verdict,
        *,
        beside: bool = False,
        from_scratch: bool = True,
    ) -> None:
        """Write the graphs, inputs and programs. With ``beside``, the reproducer also shows other backends.

        With ``from_scratch``, the reproducer runs as a user would run it. Without, it runs in a forked process that
        already has the framework imported, which takes Torch a tenth of the time.
        """
        self._final = folder
        self.folder = staged(folder)
        self._from_scratch = from_scratch
        self._session, self._case, self._verdict = session, case, verdict
        self._running: Reproducer | None = None
        self.finished = False
        folder = self.folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
        a, b = self._sides[0], self._sides[-1]
        graph_files.save(a.graph, folder / "a.onnx")
        graph_files.save(b.graph, folder / "b.onnx")
        artifacts = [find_oracle(verdict.oracle).program(t.artifact) for t in self._sides]
        self._user_program: dict[str, Any] = {}
        for side, t, artifact in zip("AB", self._sides, artifacts, strict=False):
            if t.user_program:
                self._user_program[t.label] = files.write(folder, reproducers.program_stem(side), t.artifact)
            elif isinstance(artifact.source, bytes):
                (folder / reproducers.lowered_name(side)).write_bytes(artifact.source)
        arrays: dict[str, Any] = reproducers.stored_arrays(case, verdict, [dict(t.arrays) for t in artifacts])
        np.savez_compressed(folder / "inputs.npz", **arrays)
        self._texts = reproducers.texts(session, case, verdict, artifacts, beside)

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the reproducer if it still runs, and remove an unfinished draft."""
        if self._running:
            self._running.end()
        if not self.finished:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def runs(self) -> bool:
        """Whether the reproducer has begun and not ended."""
        return self._running is not None and self._running.runs

    def begin(self) -> None:
        """Start the reproducer with its most readable text; `finish` waits for it."""
        self._running = self._start(self._texts[0])

    def finish(
        self,
        *,
        regression: str = "",
        reduction: Mapping[str, Any] = MappingProxyType({}),
        explanation: Sequence[Rule] | None = None,
    ) -> FindingRecord:
        """Wait for the reproducer, try its other texts if it does not show the bug, and complete the folder.

        ``regression`` is the URL of a reported bug that the verdict resembles and that this version should no longer
        have. ``explanation`` are the rules that rewrite one side to the other, if known.
        """
        folder, session, case, verdict = self.folder, self._session, self._case, self._verdict
        a = self._sides[0]
        text, status, output = self._reproduced()
        record = FindingRecord(
            kind=verdict.kind,
            oracle=verdict.oracle,
            compiler=session.compiler.name,
            versions={**session.versions, "platform": platform.platform()},
            seed=case.seed,
            index=case.index,
            profile=case.profiles[verdict.inputs],
            comparison=verdict.comparison,
            signature=verdict.signature,
            message=verdict.message,
            a=verdict.a,
            b=verdict.b,
            culprit=verdict.culprit,
            rules=list(case.rules),
            operators={t.label: len(t.graph) for t in self._sides},
            idioms={t.label: list(t.artifact.idioms) for t in self._sides},
            broken=case.broken,
            regression=regression,
            repro_exit=status,
            folder=self._final.name,
            output=verdict.output,
            inputs=verdict.inputs,
            profiles=list(case.profiles),
            level=verdict.level,
            conditions=asdict(session.conditions),
            choices={t.label: t.artifact.choices.as_json() for t in self._sides if t.artifact.choices is not None},
            given=self._user_program,
            reduction=dict(reduction),
            explanation=None if explanation is None else {rule.name: rule.comment for rule in explanation},
            values=report.values(case, verdict),
            printed=output,
            traceback=_COLOURS.sub("", a.outcome.traceback),
            result=report.result(case, verdict),
            failure=report.failure(a.outcome) if kind_of(verdict.kind).failure else {},
            environment=self._environment() if reduction else "",
            decision=decision(case, verdict, session.compiler),
        )
        wrong = [side for side in self._sides if side.label == verdict.culprit] or self._sides
        programs = [side.graph for side in wrong], [find_oracle(verdict.oracle).program(t.artifact) for t in wrong]
        record = replace(record, pattern=pattern(*programs), wrong=report.wrong(record))
        (folder / "finding.json").write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        sides = [t for t in self._sides if find_oracle(verdict.oracle).least > 1 or t is a]
        graphs = {t.label: t.graph for t in sides}
        artifacts = {t.label: find_oracle(verdict.oracle).program(t.artifact) for t in sides}
        (folder / "report.md").write_text(report.render(record, graphs, artifacts, text), encoding="utf-8")
        _move(folder, self._final)
        self.folder, self.finished = self._final, True
        return record

    def _environment(self) -> str:
        """The framework's description of its environment, which takes seconds: only for reduced findings."""
        described = registry.find(self._session.compiler.format).environment
        return str(described.load()(self._session.conditions.python)) if described else ""

    def _reproduced(self) -> tuple[str, int | None, str]:
        """Return the first text that shows the bug, or else the last one, with its exit status and its output."""
        for text in self._texts:
            if not self._running:
                self._running = self._start(text)
            status, output = self._running.outcome()
            self._running = None
            if status == 1:
                break
        return text, status, output

    def _start(self, text: str) -> Reproducer:
        path = self.folder / "repro.py"
        path.write_text(text, encoding="utf-8")
        conditions = self._session.conditions
        script = FromScratch(path, conditions.python) if self._from_scratch else self._session.run_script(path)
        return Reproducer(script, conditions.reproducer_s)


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
    return Reproducer(FromScratch(folder / "repro.py", python), limit_s).outcome()


class Reproducer:
    """A running ``repro.py``. Call `outcome` or `end`: either one kills all processes that it started."""

    def __init__(self, script: Script, limit_s: float) -> None:
        self._script = script
        self._until = time.monotonic() + 2 * limit_s + 60

    @property
    def runs(self) -> bool:
        """Whether the reproducer has not ended yet."""
        return self._script.runs

    def end(self) -> None:
        """Kill the reproducer and its processes."""
        self._script.end()

    def outcome(self) -> tuple[int | None, str]:
        """Wait for the end; return the exit status (None where it does not end in time) and the output.

        The compiler's log is left out where the reproducer itself printed a result. If a signal ended the process, the
        status is 2 (could not run): a reproducer of a crash watches the crashing process from outside.
        """
        with ExitStack() as undo:
            undo.callback(self.end)
            try:
                status = self._script.wait(max(0.0, self._until - time.monotonic()))
            except subprocess.TimeoutExpired:
                return None, "the reproducer did not end"
            stdout, stderr = self._script.printed()
        answered = status in (0, 1) and stdout.strip()
        output = _COLOURS.sub("", stdout if answered else stdout + stderr[-4000:]).strip()
        if status < 0:
            return 2, f"{output}\nended by {signal.Signals(-status).name}".strip()
        return status, output


@contextmanager
def confirmed(
    case: Case,
    verdicts: Sequence[Verdict],
    folders: Sequence[Path],
    session: CompilerSession,
    *,
    from_scratch: bool = True,
) -> Iterator[Mapping[int, Draft]]:
    """Yield the drafts of the findings by the index of their verdict, each in the folder of that index.

    A verdict becomes a finding if it shows every time (see :func:`polyjuice.pipeline.repeating`). After its first
    repeat its reproducer starts beside the further repeats, one reproducer at a time. The caller finishes the drafts;
    on exit, unfinished ones are removed. ``from_scratch`` is for their reproducers (see
    :class:`polyjuice.triage.finding.Draft`).
    """
    beside = not any(kind_of(verdict.kind).of_time for verdict in verdicts)
    drafts: dict[int, Draft] = {}

    with ExitStack() as undo:

        def begin(number: int) -> None:
            drafts[number] = undo.enter_context(
                Draft(folders[number], session, case, verdicts[number], from_scratch=from_scratch)
            )
            if beside and not any(draft.runs for draft in drafts.values()):
                drafts[number].begin()

        yield {number: drafts[number] for number in pipeline.repeating(case, verdicts, session, begin)}
