"""Add a finding to a suite as a case, so that the bug stays tested."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from polyjuice import pipeline
from polyjuice.frameworks import registry
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.interpret import EvaluationError
from polyjuice.stored_files import toml_document
from polyjuice.suite import cases
from polyjuice.suite.carried.harness import driver
from polyjuice.suite.cases import SIDES, SuiteError
from polyjuice.triage.known_list import is_version
from polyjuice.triage.stored import Stored, load


@dataclass(frozen=True)
class Added:
    """The name of the new case, its formats, and why it lacks the others."""

    case: str
    formats: tuple[str, ...]
    refused: Mapping[str, str]


def add(finding: Path, suite: Path, url: str = "") -> Added:
    """Add a finding to a suite, or to a new one; with ``url``, as expected to fail from its compiler's version on.

    Raises SuiteError where a suite cannot express the finding, or has it already, FindingError, FormatError,
    StoredError, ExpectationError.
    """
    found = load(finding)
    driver.expectations(suite / "xfail.toml")
    document = toml_document(suite / "xfail.toml") if url else None
    record = found.record
    if not found.oracle.in_suite or record.broken:
        broken = " of a program that is not well typed" if record.broken else ""
        raise SuiteError(f"{finding}: a suite cannot express what the oracle {record.oracle} found{broken}")
    if found.user_program:
        raise SuiteError(
            f"{finding}: {next(iter(found.user_program))} is the program as its owner wrote it, and a suite holds only "
            "programs that Polyjuice wrote; reduce the finding first"
        )
    if not cases.is_suite(suite):
        if suite.exists() and (not suite.is_dir() or any(suite.iterdir())):
            raise SuiteError(f"{suite} is neither a suite nor empty: name a suite's folder, or a new one")
        suite.mkdir(parents=True, exist_ok=True)
        cases.begin(suite, {})
    others = sorted(suite.glob("case-[0-9]*"))
    folder = cases.folder_of(suite, int(others[-1].name.rpartition("-")[2]) + 1 if others else 0)
    formats, refused = _write(found, folder)
    if twin := next((other for other in others if _same(other, folder)), None):
        shutil.rmtree(folder)
        raise SuiteError(f"{finding} is in the suite already: {twin}")
    if document is not None:
        entry = {"case": folder.name, "compiler": record.compiler, "url": url}
        version = record.versions.get(record.compiler, "")
        if is_version(version):
            entry["versions"] = f">={version}"
        document.setdefault("xfail", tomlkit.aot()).append(tomlkit.item(entry))
        (suite / "xfail.toml").write_text(tomlkit.dumps(document), encoding="utf-8")
    return Added(folder.name, formats, refused)


def _write(found: Stored, folder: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Write the case; returns its formats, and why it lacks the others. Raises SuiteError."""
    record, opset = found.record, found.conditions.opset
    labels = dict(zip(SIDES, found.graphs, strict=False))
    programs, refused = {}, {}
    for format in sorted({found.compiler.format, *registry.in_suites()}):
        target = pipeline.Target(format=format, opset=opset)
        try:
            programs[format] = {
                side: pipeline.lower(found.graphs[label], found.choices[label], target)
                for side, label in labels.items()
            }
        except Unlowerable as error:
            if format == found.compiler.format:
                raise SuiteError(f"{found.folder} makes no case: {error}") from None
            refused[format] = str(error)
    origin = {
        "finding": record.signature,
        "message": record.message,
        "compiler": record.compiler,
        "version": record.versions.get(record.compiler, ""),
        "sides": labels,
    }
    graphs = {side: found.graphs[label] for side, label in labels.items()}
    about = {"rules": list(record.rules), "origin": origin}
    try:
        cases.write(folder, graphs, programs, record.profile, found.inputs, about)
    except (cases.Unfit, cases.Unequal, EvaluationError) as error:
        raise SuiteError(f"{found.folder} makes no case: {error}") from None
    return tuple(programs), refused


def _same(one: Path, other: Path) -> bool:
    """Whether two cases have the same files."""
    names = [path.name for path in other.iterdir()]
    return len(names) == len([*one.iterdir()]) and filecmp.cmpfiles(one, other, names, shallow=False)[0] == names
