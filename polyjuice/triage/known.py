"""Known bugs: what a campaign meets again and need not tell again, in a file that users keep and share.

Each is a table ``[[bug]]`` of a TOML file: the ``compiler``, the ``signature`` of its findings (perhaps without where a
crash happened) or a ``pattern`` for signatures (with * and ?), the parts of the compiler to ``blame`` (a list, by
which a mismatch is known again before it has been reduced), the ``versions`` that have it (a version specifier as of
pip; all unless given), where it is reported (``url``), and, once it is, in which version it is ``fixed``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import tomlkit
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from polyjuice.oracles.crash import WHERE

DEFAULT_FILE = "known.toml"
"""The file in the current directory that is used unless another is named."""


class KnownError(ValueError):
    """A file of known bugs that cannot be used: which file, which bug, and what to do."""


@dataclass(frozen=True)
class KnownBug:
    """One entry: see the module's text."""

    compiler: str
    url: str
    signature: str = ""
    pattern: str = ""
    versions: str = ""
    fixed: str = ""
    blame: tuple[str, ...] = ()

    def matches(self, compiler: str, signature: str) -> bool:
        """Whether a finding looks like this bug, in whatever version."""
        same = signature == self.signature or bool(self.signature and signature.startswith(self.signature + WHERE))
        alike = same or bool(self.pattern and fnmatchcase(signature, self.pattern))
        return compiler == self.compiler and alike

    def is_in(self, version: str) -> bool:
        """Whether a version is said to have the bug."""
        try:
            release = Version(version)
        except InvalidVersion:  # a build of the user's own
            return not self.fixed
        fixed = bool(self.fixed) and release >= Version(self.fixed)
        return not fixed and SpecifierSet(self.versions).contains(release, prereleases=True)


def find(bugs: Iterable[KnownBug], compiler: str, version: str, signature: str) -> KnownBug | None:
    """The known bug that a finding shows; else one that it looks like, which this version should not have."""
    alike = [bug for bug in bugs if bug.matches(compiler, signature)]
    return next((bug for bug in alike if bug.is_in(version)), alike[0] if alike else None)


def read(path: Path) -> tuple[KnownBug, ...]:
    """The bugs of a file. Raises KnownError, OSError."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("bug", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KnownError(f"{path} is not TOML: {error}") from None
    if not isinstance(entries, list):
        raise KnownError(f"{path}: a known bug is a table that begins with [[bug]]")
    return tuple(_checked(entry, f"{path}, bug {number}") for number, entry in enumerate(entries, 1))


def _checked(entry: Any, place: str) -> KnownBug:
    names = [field.name for field in fields(KnownBug)]
    if not isinstance(entry, dict):
        raise KnownError(f"{place}: a known bug is a table that begins with [[bug]]")
    for name, value in entry.items():
        if name not in names:
            raise KnownError(f"{place}: {name} is not one of {', '.join(names)}")
        if name == "blame":
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                raise KnownError(f"{place}: blame must be a list of strings")
        elif not isinstance(value, str):
            raise KnownError(f"{place}: {name} must be a string")
    missing = [name for name in ("compiler", "url") if not entry.get(name)]
    if missing:
        raise KnownError(f"{place}: it has no {missing[0]}")
    bug = KnownBug(**{**entry, "blame": tuple(entry.get("blame", ()))})
    if not bug.signature and not bug.pattern:
        raise KnownError(f"{place}: it needs a signature, or a pattern for signatures")
    try:
        SpecifierSet(bug.versions)
        Version(bug.fixed or "0")
    except (InvalidSpecifier, InvalidVersion) as error:
        raise KnownError(f"{place}: {error}; write versions = '>=1.20,<1.32' or fixed = '1.32'") from None
    return bug


def add(path: Path, finding: Mapping[str, Any], url: str, fixed: str = "") -> tuple[KnownBug, bool]:
    """Add a finding's bug to a file, which is made if need be; whether it was not there.

    ``finding`` is what ``finding.json`` says. A bug of that compiler and signature which the file has gets the new
    address, and the version in which it is fixed. Raises KnownError, OSError.
    """
    compiler, signature = finding["compiler"], finding["signature"]
    version = finding["versions"].get(compiler, "")
    blame = list(finding.get("blame", ()))
    since = f">={Version(version).public}" if _is_version(version) else ""
    said = {"compiler": compiler, "url": url, "signature": signature, "versions": since, "fixed": fixed, "blame": blame}
    entry = {name: value for name, value in said.items() if value}
    _checked(entry, str(path))
    there = read(path) if path.exists() else ()
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    number = next((i for i, b in enumerate(there) if (b.compiler, b.signature) == (compiler, signature)), None)
    if number is not None:
        document["bug"][number].update({"url": url, **({"fixed": fixed} if fixed else {})})
    else:
        if "bug" not in document:
            document["bug"] = tomlkit.aot()
        document["bug"].append(tomlkit.item({**entry}).add(tomlkit.nl()))
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return read(path)[len(there) if number is None else number], number is None


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
