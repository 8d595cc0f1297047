"""A finding is a folder: both graphs, the inputs, a reproducer that was run, and a report for a tracker."""

from __future__ import annotations

import json
import os
import platform
import re
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice import formats
from polyjuice.oracles import ORACLES, Case, Verdict
from polyjuice.triage import reproducers
from polyjuice.triage.circumstances import Circumstances
from polyjuice.triage.record import FindingRecord


def write_finding(
    folder: Path,
    how: Circumstances,
    case: Case,
    verdict: Verdict,
    reduction: Mapping[str, Any] = MappingProxyType({}),
) -> FindingRecord:
    """Write everything, run the reproducer once, and record how it ended."""
    folder.mkdir(parents=True, exist_ok=True)
    a = case.of(verdict.a)
    b = case.of(verdict.b) if verdict.b else None
    formats.save(a.graph, folder / "a.onnx")
    formats.save(b.graph if b else a.graph, folder / "b.onnx")
    artifacts = [ORACLES[verdict.oracle].program(t.artifact) for t in (a, b) if t]
    for side, artifact in zip("AB", artifacts, strict=False):
        if isinstance(artifact.source, bytes):
            (folder / reproducers.lowered_name(side)).write_bytes(artifact.source)
    arrays: dict[str, Any] = reproducers.stored_arrays(case, verdict, [dict(t.arrays) for t in artifacts])
    np.savez_compressed(folder / "inputs.npz", **arrays)
    for text in reproducers.texts(how, case, verdict, artifacts):
        (folder / "repro.py").write_text(text, encoding="utf-8")
        status, output = run_reproducer(folder, how.conditions.python, how.limit_s)
        if status == 1:
            break
    record = FindingRecord(
        verdict.kind,
        verdict.oracle,
        how.compiler.name,
        {**how.versions, "platform": platform.platform()},
        how.seed,
        how.index,
        case.profiles[verdict.inputs],
        verdict.rung,
        verdict.signature,
        verdict.message,
        verdict.a,
        verdict.b,
        verdict.culprit,
        list(how.rules),
        {t.label: len(t.graph) for t in (a, b) if t},
        {t.label: list(t.artifact.idioms) for t in (a, b) if t},
        case.broken,
        how.regression,
        status,
        folder.name,
        verdict.output,
        verdict.inputs,
        list(case.profiles),
        verdict.level,
        asdict(how.conditions),
        {t.label: asdict(t.spelling) for t in (a, b) if t and t.spelling},
        dict(reduction),
    )
    (folder / "finding.json").write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(_report(record, text, output, a.outcome.traceback), encoding="utf-8")
    return record


#: The escape sequences by which some compilers colour what they log.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run_reproducer(folder: Path, python: str, limit_s: float) -> tuple[int | None, str]:
    """The exit status of ``repro.py`` (None where it did not end in time) and what it printed.

    No process that it started outlives this call.
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
    return process.returncode, _COLOURS.sub("", stdout + stderr[-4000:]).strip()


_BY_ORACLE = {
    "metamorphic": "Two equivalent programs give different results after compilation.",
    "differential": "A program gives wrong results after compilation.",
    "optlevel": "A program gives different results at two optimization levels.",
    "gradient": "Two equivalent programs have different gradients after compilation.",
}
_BY_KIND = {
    "crash": "The compiler fails on a program that its framework runs.",
    "hang": "The compiler does not finish on a program that its framework runs.",
    "nondeterministic": "A compiled program gives different results from run to run.",
    "slow": "Of two equivalent programs the simpler one compiles to the far slower code.",
    "memory": "Of two equivalent programs the simpler one compiles to code that takes far more memory.",
}


def _report(record: FindingRecord, repro: str, output: str, traceback: str) -> str:
    """Text for the compiler's issue template: what differs, how to see it, on what."""
    what = _BY_ORACLE.get(record.oracle) if record.kind == "mismatch" else _BY_KIND[record.kind]
    if record.broken:
        what = "The compiler does not answer with an error to a program that is not well typed."
    versions = "\n".join(f"- {name}: {version}" for name, version in record.versions.items())
    if record.regression:
        what = f"{what} It looks like {record.regression}, which is said to be fixed in this version."
    farther = record.kind == "mismatch" and record.culprit
    side = f"\nThe wrong side is **{farther}**: it is the one farther from float64.\n" if farther else ""
    trace = f"\n### Error\n```\n{traceback.strip()}\n```\n" if traceback.strip() else ""
    return f"""\
### Describe the bug
{what}

{record.message}
{side}
The inputs follow the `{record.profile}` profile. `inputs.npz` goes beside the reproducer.

### Reproducer
It exits 1 where the bug shows. What it printed:
```
{output}
```
```python
{repro}```
{trace}
### Versions
{versions}
"""
