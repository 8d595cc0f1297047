"""Files for users' programs, which cannot be recreated from their graphs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.user_model import UserModel
from polyjuice.ir import packed
from polyjuice.stored_files import StoredError, read_arrays, read_json


class ProgramData(TypedDict):
    """The stored data of a program besides its text and its arrays, as :class:`polyjuice.execution.Artifact` has it."""

    format: str
    arrays: Sequence[str]
    setup: Mapping[str, Any]
    idioms: Sequence[str]
    arguments: NotRequired[Sequence[str]]
    forms: NotRequired[Sequence[Sequence[str]]]


class _Saved(TypedDict):
    """The file beside the graph of a program (see :func:`save`)."""

    examples: Sequence[str] | None
    program: ProgramData | None
    sizes: NotRequired[Mapping[str, int]]


def program_name(stem: str, format: str) -> str:
    return f"{stem}.{registry.find(format).suffix}"


def write(folder: Path, stem: str, artifact: Artifact) -> ProgramData:
    """Write a program without its arrays; return the other data that :func:`read` needs."""
    source = artifact.source
    path = folder / program_name(stem, artifact.format)
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    return {
        "format": artifact.format,
        "arrays": list(artifact.arrays),
        "arguments": list(artifact.arguments),
        "setup": dict(artifact.setup),
        "idioms": list(artifact.idioms),
        "forms": [list(form) for form in artifact.forms],
    }


def read(folder: Path, stem: str, data: ProgramData, arrays: Mapping[str, np.ndarray]) -> Artifact:
    """Return a program, from the data that :func:`write` returned and arrays by name. Raises StoredError."""
    path = folder / program_name(stem, data["format"])
    if missing := next((name for name in data["arrays"] if name not in arrays), None):
        raise StoredError(f"{path}: its array {missing!r} is missing in the file of its arrays")
    try:
        source = path.read_bytes()
        return Artifact(
            format=data["format"],
            source=source if registry.find(data["format"]).binary else source.decode(),
            arrays={name: arrays[name] for name in data["arrays"]},
            arguments=tuple(data.get("arguments", ())),
            setup=data["setup"],
            idioms=tuple(data["idioms"]),
            forms=tuple((operator, form) for operator, form in data.get("forms", ())),
        )
    except OSError as error:
        raise StoredError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise StoredError(f"{path} is no text in UTF-8") from None
    except ValueError:
        raise StoredError(f"{path}: a form must be an operator and its form") from None


def save(folder: Path, stem: str, programs: Sequence[UserModel]) -> None:
    """Write a program that is no ONNX file at each of its sizes: its graphs, and the program itself.

    The graph at the first sizes is written last, so its presence marks a complete program. Raises FormatError if ONNX
    cannot represent a graph.
    """
    folder.mkdir(exist_ok=True)
    for number, program in reversed(list(enumerate(programs))):
        _save(folder, _numbered(stem, number), program)


def _numbered(stem: str, number: int) -> str:
    return f"{stem}-{number}" if number else stem


def _save(folder: Path, stem: str, program: UserModel) -> None:
    arrays = {f"example_{i}": array for i, array in enumerate(program.examples or ())}
    examples = None if program.examples is None else list(arrays)
    data: dict[str, Any] = {"examples": examples, "program": None, "sizes": dict(program.sizes)}
    if program.artifact:
        data["program"] = write(folder, stem, program.artifact)
        arrays.update(program.artifact.arrays)
    (folder / f"{stem}.json").write_text(json.dumps(data), "utf-8")
    held: dict[str, Any] = packed(arrays)
    np.savez_compressed(folder / f"{stem}.npz", **held)
    part = folder / f"{stem}.part"
    graph_files.save(program.graph, part)
    part.replace(folder / f"{stem}.onnx")


def remove(folder: Path) -> None:
    """Delete the files that :func:`save` wrote to a folder, for every program, and the folder if it is empty then."""
    for graph in folder.glob("*.onnx"):
        for path in folder.glob(f"{graph.stem}.*"):
            path.unlink()
    with suppress(OSError):  # it is not empty
        folder.rmdir()


def load(folder: Path, stem: str) -> list[UserModel]:
    """Return the programs that :func:`save` wrote; empty if there are none. Raises FormatError, StoredError."""
    names = takewhile(lambda name: (folder / f"{name}.onnx").is_file(), (_numbered(stem, n) for n in count()))
    return [_load(folder, name) for name in names]


def _load(folder: Path, stem: str) -> UserModel:
    graph = graph_files.load(folder / f"{stem}.onnx")
    data: _Saved = read_json(folder / f"{stem}.json", _Saved)
    arrays = read_arrays(folder / f"{stem}.npz")
    artifact = read(folder, stem, data["program"], arrays) if data["program"] else None
    names = data["examples"]
    if missing := next((name for name in names or () if name not in arrays), None):
        raise StoredError(f"{folder / stem}.npz: the example {missing!r} is missing")
    examples = None if names is None else tuple(arrays[name] for name in names)
    return UserModel(graph=graph, artifact=artifact, examples=examples, sizes=data.get("sizes", {}))
