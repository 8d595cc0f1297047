"""A finding is a folder: both graphs, the inputs, a reproducer that was run, and a report for a tracker."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice import formats
from polyjuice.egraph import Rule
from polyjuice.given import files
from polyjuice.oracles import ORACLES, Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage import report, reproducers
from polyjuice.triage.record import FindingRecord


def write_finding(
    folder: Path,
    session: CompilerSession,
    case: Case,
    verdict: Verdict,
    *,
    regression: str = "",
    reduction: Mapping[str, Any] = MappingProxyType({}),
    explanation: Sequence[Rule] | None = None,
) -> FindingRecord:
    """Write what a session's compiler did, run the reproducer, and record how it ended.

    ``regression`` is where a bug was reported that the verdict looks like, and that this version should not have any
    more. ``explanation`` are the rules that make one side of the other, as far as they are known.
    """
    folder.mkdir(parents=True, exist_ok=True)
    a = case.of(verdict.a)
    b = case.of(verdict.b) if verdict.b else None
    formats.save(a.graph, folder / "a.onnx")
    formats.save(b.graph if b else a.graph, folder / "b.onnx")
    artifacts = [ORACLES[verdict.oracle].program(t.artifact) for t in (a, b) if t]
    given: dict[str, Any] = {}
    for side, t, artifact in zip("AB", filter(None, (a, b)), artifacts, strict=False):
        if t.given:
            given[t.label] = files.write(folder, reproducers.program_stem(side), t.artifact)
        elif isinstance(artifact.source, bytes):
            (folder / reproducers.lowered_name(side)).write_bytes(artifact.source)
    arrays: dict[str, Any] = reproducers.stored_arrays(case, verdict, [dict(t.arrays) for t in artifacts])
    np.savez_compressed(folder / "inputs.npz", **arrays)
    for text in reproducers.texts(session, case, verdict, artifacts):
        (folder / "repro.py").write_text(text, encoding="utf-8")
        status, output = run_reproducer(folder, session.conditions.python, session.conditions.reproducer_s)
        if status == 1:
            break
    record = FindingRecord(
        verdict.kind,
        verdict.oracle,
        session.compiler.name,
        {**session.versions, "platform": platform.platform()},
        case.seed,
        case.index,
        case.profiles[verdict.inputs],
        verdict.rung,
        verdict.signature,
        verdict.message,
        verdict.a,
        verdict.b,
        verdict.culprit,
        list(case.rules),
        {t.label: len(t.graph) for t in (a, b) if t},
        {t.label: list(t.artifact.idioms) for t in (a, b) if t},
        case.broken,
        regression,
        status,
        folder.name,
        verdict.output,
        verdict.inputs,
        list(case.profiles),
        verdict.level,
        asdict(session.conditions),
        {t.label: t.artifact.choices.as_json() for t in (a, b) if t and t.artifact.choices is not None},
        given,
        dict(reduction),
        explanation=None if explanation is None else {rule.name: rule.comment for rule in explanation},
        values=report.values(case, verdict),
        printed=output,
        traceback=_COLOURS.sub("", a.outcome.traceback),
    )
    (folder / "finding.json").write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    graphs = {t.label: t.graph for t in (a, b) if (t and ORACLES[verdict.oracle].least > 1) or t is a}
    (folder / "report.md").write_text(report.render(record, graphs, text), encoding="utf-8")
    return record


#: The escape sequences by which some compilers colour what they log.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run_reproducer(folder: Path, python: str, limit_s: float) -> tuple[int | None, str]:
    """The exit status of ``repro.py`` (None where it did not end in time) and what it printed.

    What a compiler logged meanwhile is left out where the reproducer itself has something to say. The status is 2,
    could not run, where a signal ended it: what shows a crash looks on from outside. No process that it started
    outlives this call.
    """
    with subprocess.Popen(
        [python, "repro.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=2 * limit_s + 60)
        except subprocess.TimeoutExpired:
            return None, "the reproducer did not end"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    told = process.returncode in (0, 1) and stdout.strip()
    output = _COLOURS.sub("", stdout if told else stdout + stderr[-4000:]).strip()
    if process.returncode < 0:
        return 2, f"{output}\nended by {signal.Signals(-process.returncode).name}".strip()
    return process.returncode, output
