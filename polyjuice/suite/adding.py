"""Add a finding to a suite as a case, so that the bug stays tested."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from tomlkit import TOMLDocument

from polyjuice import program_formats, toml_files
from polyjuice.execution.protocol import from_wire
from polyjuice.formats import ReadLimits
from polyjuice.ir import array_digest
from polyjuice.lower import Unlowerable
from polyjuice.suite import carry, cases, suite_cases
from polyjuice.suite.candidates import SIDES
from polyjuice.suite.carried.harness import expected
from polyjuice.suite.lowering import Lowering
from polyjuice.suite.options import SuiteError
from polyjuice.triage.known_list import is_version
from polyjuice.triage.stored import Stored, load

_ARRAYS = "inputs.npz"
"""The file of a case's arrays. Its bytes differ from time to time, because an archive stores its creation time."""


_DEFAULT = ReadLimits()


@dataclass(frozen=True)
class Added:
    """The name of the new case, its formats, and why it lacks the others."""

    case: str
    formats: tuple[str, ...]
    refused: Mapping[str, str]


def add(finding: Path, suite: Path, url: str = "", limits: ReadLimits = _DEFAULT) -> Added:
    """Add a finding to a suite, or to a new one; with ``url``, as expected to fail from its compiler's version on.

    Raises SuiteError where a suite cannot express the finding, or has it already, FindingError, FormatError,
    StoredError, ExpectationError.
    """
    found = load(finding, limits=limits)
    expected.read(suite / "xfail.toml")
    expectations = toml_files.document(suite / "xfail.toml") if url else None
    if not found.oracle.in_suite or found.record.broken:
        raise SuiteError(
            f"{finding}: a suite cannot express what the oracle {found.record.oracle} found"
            + (" of a program that is not well typed" if found.record.broken else "")
        )
    if found.as_written:
        raise SuiteError(
            f"{finding}: {next(iter(found.as_written))} is the program as its owner wrote it, and a suite holds only "
            "programs that Polyjuice wrote; reduce the finding first"
        )
    lowering = Lowering(found.conditions.opset, [found.compiler])
    formats, refused = _formats(found, lowering)
    if not suite_cases.is_suite(suite):
        _begin(suite)
    folder = suite_cases.folder_of(suite, suite_cases.next_number(suite))
    try:
        labels = dict(zip(SIDES, found.graphs, strict=False))
        sides = {side: (found.graphs[label], found.choices[label]) for side, label in labels.items()}
        case = cases.lowered(sides, found.record.profile, found.inputs, sorted(formats), lowering)
        cases.write(folder, case, _about(found, labels))
    except (cases.Unfit, cases.Unequal) as error:
        raise SuiteError(f"{finding} makes no case: {error}") from None
    if twin := next(
        (other for other in suite_cases.case_folders(suite) if other != folder and _same(other, folder)), None
    ):
        shutil.rmtree(folder)
        raise SuiteError(f"{finding} is in the suite already: {twin}")
    if expectations is not None:
        _expect(expectations, suite / "xfail.toml", folder.name, found, url)
    return Added(folder.name, tuple(formats), refused)


def _formats(found: Stored, lowering: Lowering) -> tuple[list[str], dict[str, str]]:
    """The formats that can express a finding, its own first; for each of the others, why it cannot."""
    formats, refused = [found.compiler.format], dict[str, str]()
    for format in program_formats.in_suites():
        if format != found.compiler.format:
            try:
                for label, graph in found.graphs.items():
                    lowering.lower(graph, format, found.choices[label])
                formats.append(format)
            except Unlowerable as error:
                refused[format] = str(error)
    return formats, refused


def _begin(suite: Path) -> None:
    """Write a suite without cases. Raises SuiteError if the folder has other files."""
    if suite.exists() and (not suite.is_dir() or any(suite.iterdir())):
        raise SuiteError(f"{suite} is neither a suite nor empty: name a suite's folder, or a new one")
    suite.mkdir(parents=True, exist_ok=True)
    carry.write(suite, {})


def _same(one: Path, other: Path) -> bool:
    """Whether two cases have the same programs and inputs, and come from the same finding."""
    names = {path.name for path in one.iterdir()}
    if names != {path.name for path in other.iterdir()}:
        return False
    texts = sorted(names - {_ARRAYS})
    if filecmp.cmpfiles(one, other, texts, shallow=False)[0] != texts:
        return False
    arrays = [suite_cases.load(folder).arrays for folder in (one, other)]
    return arrays[0].keys() == arrays[1].keys() and all(
        array_digest(from_wire(array)) == array_digest(from_wire(arrays[1][name])) for name, array in arrays[0].items()
    )


def _about(found: Stored, sides: Mapping[str, str]) -> cases.About:
    record = found.record
    return cases.About(
        {
            "text": "Both programs come from a finding. The interpreter found them equal on the inputs. These "
            "rules fired in the e-graph that they come from.",
            "rules": list(record.rules),
        },
        {
            "finding": record.signature,
            "message": record.message,
            "compiler": record.compiler,
            "version": record.versions.get(record.compiler, ""),
            "sides": dict(sides),
        },
    )


def _expect(document: TOMLDocument, path: Path, case: str, found: Stored, url: str) -> None:
    """Add an entry to ``xfail.toml``, and leave the rest as it is."""
    version = found.record.versions.get(found.record.compiler, "")
    entry = {"case": case, "compiler": found.record.compiler, "url": url}
    if is_version(version):
        entry["versions"] = f">={version}"
    if "xfail" not in document:
        document["xfail"] = tomlkit.aot()
    document["xfail"].append(tomlkit.item(entry))
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    expected.read(path)
