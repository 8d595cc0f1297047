"""A suite's folder and its cases: pairs of equal programs, inputs, expected results, tolerances; findings as cases."""

from __future__ import annotations

import filecmp
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit

from polyjuice import compilers, execution, pipeline
from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.inputs import mode
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, packed
from polyjuice.numerics import SAFETY, Analysis, analyse, distance
from polyjuice.oracles import InputSet
from polyjuice.stored_files import StoredError, read_json, toml_document
from polyjuice.suite.carried.harness import driver
from polyjuice.triage.known_list import is_version
from polyjuice.triage.stored import Stored, load

A, B = SIDES = ("a", "b")

VERSION = 2
"""The version of a suite's files."""

_CARRIED = Path(__file__).parent / "carried"

WORKER = Path(execution.__file__).parent
"""The folder of the worker, which also runs without Polyjuice."""


class SuiteError(ValueError):
    """A suite that cannot be built, read or run as asked; the message is one line that says what to do."""


class Unfit(Exception):
    """A pair that makes no case; the message says why."""


class Unequal(Exception):
    """Two graphs that should be equal are not: a rule is wrong. The message says how they differ."""


def begin(suite: Path, about: Mapping[str, Any]) -> None:
    """Write a suite without cases: its tests, the worker and the compiler files, with which it runs by itself.

    ``about`` becomes a part of ``suite.json``.
    """
    for name in ("README.md", "conftest.py", "test_suite.py", "xfail.toml"):
        shutil.copyfile(_CARRIED / name, suite / name)
    harness = suite / "harness"
    (harness / "compilers").mkdir(parents=True)
    for path in (*(_CARRIED / "harness").glob("[!_]*.py"), WORKER / "worker.py", WORKER / "_wire.py"):
        shutil.copyfile(path, harness / path.name)
    for compiler in map(compilers.find, compilers.names()):
        if not compiler.uses_polyjuice:
            for path in (compiler.path, *compiler.path.parent.glob("_[!_]*.py")):
                shutil.copyfile(path, harness / "compilers" / path.name)
    (suite / "suite.json").write_text(json.dumps({"version": VERSION, **about}, indent=1) + "\n", encoding="utf-8")


def is_suite(folder: Path) -> bool:
    """Whether a folder is a suite. Raises SuiteError if another version of Polyjuice built it."""
    path = folder / "suite.json"
    if not path.is_file():
        return False
    try:
        version = read_json(path).get("version")
    except StoredError as error:
        raise SuiteError(str(error)) from None
    if version != VERSION:
        raise SuiteError(f"another version of Polyjuice built {folder}: run it with pytest, or build it again")
    return True


def case_folders(suite: Path) -> list[Path]:
    """The folders of a suite's cases, in order. Raises SuiteError where it is no suite, or has no case."""
    if not is_suite(suite):
        raise SuiteError(f"{suite} is not a suite (there is no suite.json); polyjuice suite build makes one")
    folders = sorted(path.parent for path in suite.glob("case-*/case.json"))
    if not folders:
        raise SuiteError(f"{suite} holds no case")
    return folders


def folder_of(suite: Path, number: int) -> Path:
    """The folder of a case."""
    return suite / f"case-{number:05d}"


def program_file(side: str, format: str) -> str:
    """The name of a program's file: ``a_torch.py``, ``a.onnx``."""
    of = registry.find(format)
    return f"{side}.{of.suffix}" if of.binary else f"{side}_{format}.{of.suffix}"


def write(
    folder: Path,
    graphs: Mapping[str, Graph],
    programs: Mapping[str, Mapping[str, Artifact]],
    profile: str,
    inputs: Sequence[np.ndarray],
    about: Mapping[str, Any],
    seed: Graph | None = None,
) -> None:
    """Write a case to a new folder, after all checks; ``graphs`` must be equal, also to ``seed`` if given.

    ``programs`` has the sides' programs for each format. ``about`` becomes a part of ``case.json``. Raises Unfit where
    all elements are masked, Unequal where the graphs differ, EvaluationError where a graph has no value.
    """
    arrays = {f"input_{i}": array for i, array in enumerate(inputs)}
    outputs = _expectations(graphs, list(programs), profile, inputs, arrays, seed)
    calls = {
        format: {side: _call(program_file(side, format), artifact, side, arrays) for side, artifact in sides.items()}
        for format, sides in programs.items()
    }
    first = next(iter(graphs.values()))
    described = {
        **about,
        "profile": profile,
        "operators": {side: len(graph) for side, graph in graphs.items()},
        "inputs": [{"dtype": t.dtype, "shape": list(t.shape)} for t in first.input_types],
        "outputs": outputs,
        "programs": calls,
    }
    folder.mkdir(parents=True)
    for format, sides in programs.items():
        for side, artifact in sides.items():
            source = artifact.source
            content = source.encode() if isinstance(source, str) else source
            (folder / program_file(side, format)).write_bytes(content)
    stored: dict[str, Any] = packed(arrays)
    np.savez_compressed(folder / "inputs.npz", **stored)
    text = json.dumps(described, indent=1)
    lists_on_one_line = re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s*\n\s*", " ", match[0]), text)
    (folder / "case.json").write_text(lists_on_one_line + "\n", encoding="utf-8")


def _expectations(
    graphs: Mapping[str, Graph],
    formats: Sequence[str],
    profile: str,
    inputs: Sequence[np.ndarray],
    arrays: dict[str, np.ndarray],
    seed: Graph | None,
) -> list[dict[str, Any]]:
    """Add the expected results and the tolerances to the arrays; returns a description of each output."""
    usual, modes = mode(profile), {format: mode(profile, format) for format in formats}
    every = list(dict.fromkeys([usual, *modes.values()]))
    sets = [InputSet(profile=profile, arrays=tuple(inputs), mode=one) for one in every]
    first, *others = graphs.values()
    problems = pipeline.equivalent(seed or first, [first, *others] if seed else others, sets)
    if problem := next(filter(None, problems), ""):
        raise Unequal(problem)
    analyses = {(side, one): analyse(graph, inputs, mode=one) for side, graph in graphs.items() for one in every}
    plain = {side: evaluate(graph, inputs) for side, graph in graphs.items()}
    outputs = []
    for k, declared in enumerate(first.output_types):
        expected = arrays[f"expected_{k}"] = analyses[next(iter(graphs)), usual][k].reference
        masked = 0
        for side in graphs:
            allowed = {one: _allowed(analyses[side, one][k], expected, plain[side][k]) for one in every}
            arrays[f"allowed_{side}_{k}"] = _small(allowed[usual])
            for format, own in modes.items():
                if not np.array_equal(allowed[own], allowed[usual]):
                    arrays[f"allowed_{side}_{k}_{format}"] = _small(allowed[own])
            masked += int((~np.isfinite(allowed[usual])).sum())
        bitwise = all(analyses[side, usual][k].reproducible for side in graphs)
        comparison = "masked" if masked == len(graphs) * expected.size else "bitwise" if bitwise else "bounded"
        outputs.append(
            {"dtype": declared.dtype, "shape": list(declared.shape), "comparison": comparison, "masked": masked}
        )
    if all(output["comparison"] == "masked" for output in outputs):
        raise Unfit("none of its elements could be compared")
    return outputs


def _allowed(analysis: Analysis, reference: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """The tolerance for a result around the reference of another side.

    It is the distance of the two references plus the side's own error bound. If our interpreter has a larger error in
    the types of the graph, that error is the tolerance: a compiler may do as badly as plain arithmetic.
    """
    bound = SAFETY * analysis.bound + distance(analysis.reference, reference)
    allowed: np.ndarray = np.maximum(bound, distance(plain, reference))
    return allowed


def _small(allowed: np.ndarray) -> np.ndarray:
    same = allowed.size and np.all(allowed == allowed.reshape(-1)[0])
    return np.asarray(allowed.reshape(-1)[0]) if same else allowed


def _call(file: str, artifact: Artifact, side: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """All that a worker needs to call a program; its arrays join those of the case."""
    # Python programs name their weights after the values; the names in ONNX models may mean others on the other side.
    names = {name: name if isinstance(artifact.source, str) else f"{side}_{name}" for name in artifact.arrays}
    arrays.update((names[name], array) for name, array in artifact.arrays.items())
    return {
        "file": file,
        "text": isinstance(artifact.source, str),
        "arrays": list(names.values()),
        "arguments": [names[name] for name in artifact.arguments],
        "results": artifact.results,
        "setup": dict(artifact.setup),
        "idioms": list(artifact.idioms),
    }


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
    if not is_suite(suite):
        if suite.exists() and (not suite.is_dir() or any(suite.iterdir())):
            raise SuiteError(f"{suite} is neither a suite nor empty: name a suite's folder, or a new one")
        suite.mkdir(parents=True, exist_ok=True)
        begin(suite, {})
    others = sorted(suite.glob("case-[0-9]*"))
    folder = folder_of(suite, int(others[-1].name.rpartition("-")[2]) + 1 if others else 0)
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
        write(folder, graphs, programs, record.profile, found.inputs, about)
    except (Unfit, Unequal, EvaluationError) as error:
        raise SuiteError(f"{found.folder} makes no case: {error}") from None
    return tuple(programs), refused


def _same(one: Path, other: Path) -> bool:
    names = [path.name for path in other.iterdir()]
    return len(names) == len([*one.iterdir()]) and filecmp.cmpfiles(one, other, names, shallow=False)[0] == names
