"""Shipped answers of compilers to probes, for the locked releases.

Each file here is for one release of one compiler, and says of many programs whether the compiler takes them. A fresh
machine then need not run them (see :mod:`polyjuice.support`). ``make probes`` makes the files.
"""

from __future__ import annotations

import base64
import json
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polyjuice import cache
from polyjuice.compilers import CompilerInfo

FOLDER = Path(__file__).parent

DIGITS = 10
"""The stored number of hexadecimal digits of a program's digest.

A new program has the digits of a known one with a probability of 2e-8.
"""

_REASON = 100
"""The most stored characters of a reason."""

_HELPERS = re.compile(r"^ *from \. import ([\w, ]+)$", re.MULTILINE)
"""The line with which a compiler file imports its helpers."""


def path(compiler: CompilerInfo, version: str) -> Path:
    """The file of a release, which may not exist. Builds of one release (``2.13.0+cpu``) share it."""
    return FOLDER / f"{compiler.name}-{version.split('+')[0]}.json"


def shipped(compiler: CompilerInfo, version: str) -> dict[str, str]:
    """The first digits of each program's digest, and why the compiler does not take it ("" where it does).

    The result is empty on another kind of machine, or if the compiler file or a helper of it has changed since.
    """
    file = path(compiler, version)
    return read(file, _circumstances(compiler)) if file.is_file() else {}


def is_current(file: Path, compiler: CompilerInfo) -> bool:
    """Whether the compiler file and its helpers are what they were when a file of answers was made."""
    return bool(read(file, {"files": _circumstances(compiler)["files"]}))


def read(file: Path, circumstances: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The answers in a file; none if it was made in other ``circumstances``."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if any(found[key] != value for key, value in circumstances.items()):
        return {}
    return {digest: reason for reason, text in found["programs"].items() for digest in _unpacked(text)}


def ship(compiler: CompilerInfo, version: str, known: Mapping[str, str]) -> Path:
    """Write the known answers, by digest. Raises ValueError where two digests begin alike."""
    programs: dict[str, list[str]] = {}
    for digest in sorted(known):
        programs.setdefault(known[digest].strip()[:_REASON], []).append(digest[:DIGITS])
    if len({digest[:DIGITS] for digest in known}) < len(known):
        raise ValueError(f"{DIGITS} digits do not tell the programs of {compiler.name} apart")
    content = {
        **_circumstances(compiler),
        "programs": {reason: _packed(programs[reason]) for reason in sorted(programs)},
    }
    file = path(compiler, version)
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return file


def restamp(compiler: CompilerInfo) -> list[Path]:
    """Declare the shipped answers of a compiler valid for its file as it is now, and return their files.

    This is for changes of the compiler file that cannot change an answer, such as those of its ``INFO``.
    """
    files = sorted(FOLDER.glob(f"{compiler.name}-[0-9]*.json"))
    for file in files:
        content = json.loads(file.read_text(encoding="utf-8"))
        content["files"] = _circumstances(compiler)["files"]
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return files


def _packed(digests: Sequence[str]) -> str:
    """Digests as one text in Base64, two thirds as long."""
    return base64.urlsafe_b64encode(bytes.fromhex("".join(digests))).decode()


def _unpacked(text: str) -> list[str]:
    digits = base64.urlsafe_b64decode(text).hex()
    return [digits[start : start + DIGITS] for start in range(0, len(digits), DIGITS)]


def _circumstances(compiler: CompilerInfo) -> dict[str, str]:
    """The machine and the digest of the compiler file, on which answers depend beside the release."""
    files = cache.digest(_with_helpers(compiler.path))
    return {"machine": f"{platform.system()} {platform.machine()}", "files": files}


def _with_helpers(file: Path) -> set[Path]:
    """A compiler file and the files beside it that it imports, directly or through another."""
    found: set[Path] = set()
    left = [file]
    while left:
        one = left.pop()
        found.add(one)
        names = ", ".join(_HELPERS.findall(one.read_text(encoding="utf-8"))).split(", ")
        left += {one.with_name(f"{name}.py") for name in names if name} - found
    return found
