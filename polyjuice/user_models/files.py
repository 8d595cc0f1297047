"""Files for users' programs, which cannot be recreated from their graphs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import formats
from polyjuice.execution import Artifact
from polyjuice.ir import packed, unpacked
from polyjuice.user_models.model import UserModel

_DEFAULT = formats.ReadLimits()


def program_name(stem: str, format: str) -> str:
    """Return the name of the file for the program's text, or for the serialized model."""
    return f"{stem}.{'onnx' if format == 'onnx' else 'py'}"


def write(folder: Path, stem: str, artifact: Artifact) -> dict[str, Any]:
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


def read(folder: Path, stem: str, data: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Artifact:
    """Return a program, from the data that :func:`write` returned and arrays by name. Raises OSError, KeyError."""
    source = (folder / program_name(stem, data["format"])).read_bytes()
    return Artifact(
        data["format"],
        source if data["format"] == "onnx" else source.decode(),
        {name: arrays[name] for name in data["arrays"]},
        tuple(data.get("arguments", ())),
        setup=data["setup"],
        idioms=tuple(data["idioms"]),
        forms=tuple((operator, form) for operator, form in data.get("forms", ())),
    )


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
    formats.save(program.graph, part)
    part.replace(folder / f"{stem}.onnx")


def remove(folder: Path) -> None:
    """Delete the files that :func:`save` wrote to a folder, for every program, and the folder if it is empty then."""
    for graph in folder.glob("*.onnx"):
        for path in folder.glob(f"{graph.stem}.*"):
            path.unlink()
    with suppress(OSError):  # it is not empty
        folder.rmdir()


def load(folder: Path, stem: str, limits: formats.ReadLimits = _DEFAULT) -> list[UserModel]:
    """Return the programs that :func:`save` wrote; empty if there are none. Raises FormatError."""
    names = takewhile(lambda name: (folder / f"{name}.onnx").is_file(), (_numbered(stem, n) for n in count()))
    return [_load(folder, name, limits) for name in names]


def _load(folder: Path, stem: str, limits: formats.ReadLimits) -> UserModel:
    graph = formats.load(folder / f"{stem}.onnx", limits)
    data = json.loads((folder / f"{stem}.json").read_text("utf-8"))
    with np.load(folder / f"{stem}.npz") as stored:
        arrays = unpacked(stored)
    artifact = read(folder, stem, data["program"], arrays) if data["program"] else None
    examples = None if data["examples"] is None else tuple(arrays[name] for name in data["examples"])
    return UserModel(graph, artifact, examples, data.get("sizes", {}))
