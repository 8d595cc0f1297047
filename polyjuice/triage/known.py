"""Known bugs: campaigns count what matches them, and do not report it.

``known.toml`` beside this module has those in artifacts/bugs. Campaigns know them, and those of a file that users keep
and share. Each bug is a table ``[[bug]]``:

- ``compiler``, ``url`` (where it is reported), and what it is called (``title``);
- the ``signature`` of its findings (a crash's may leave out where it happened), or a ``pattern`` for signatures (with *
  and ?), or both;
- the parts of the compiler to ``blame`` (a list): without them a wrong result vanishes, which tells the bug before a
  finding is written down;
- ``untriaged``, the signature that its finding had before triage: campaigns that triage nothing know the bug by it;
- the ``versions`` that have it (a version specifier as of pip; all unless given), and in which version it is ``fixed``;
- the ``number`` of its folder in artifacts/bugs, if it has one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import tomlkit
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from polyjuice.oracles.crash import WHERE
from polyjuice.triage import older
from polyjuice.triage.causes import FAILURES

DEFAULT_FILE = "known.toml"
"""The file in the current directory that is used unless another is named."""

SHIPPED = "shipped"
"""How a campaign's configuration names the bugs that come with Polyjuice, wherever it is installed."""

NONE = "none"
"""In the place of a file: nothing is known."""

_SHIPPED_FILE = Path(__file__).with_name("known.toml")


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
    title: str = ""
    untriaged: str = ""
    number: str = ""

    @property
    def name(self) -> str:
        """How people are told of the bug."""
        return f"{self.title} ({self.url})" if self.title else self.url

    def matches(self, compiler: str, signature: str, triaged: bool = True) -> bool:
        """Whether a finding looks like this bug, in whatever version; ``triaged`` says whether its campaign triages."""
        same = signature == self.signature or bool(self.signature and signature.startswith(self.signature + WHERE))
        alike = same or bool(self.pattern and fnmatchcase(signature, self.pattern))
        return compiler == self.compiler and (alike or (not triaged and signature == self.untriaged != ""))

    def explains(self, finding: Mapping[str, Any]) -> bool:
        """Whether this is a finding's bug, by what its ``finding.json`` says, in whatever version.

        Its signature tells, with the parts of the compiler to blame where it has been bisected; or that it is a wrong
        result of the same kind that the same parts are to blame for.
        """
        kind, blame = finding["kind"], finding["blame"]
        same_part = kind not in FAILURES and self.is_to_blame_for(kind) and set(blame) == set(self.blame)
        return self.compiler == finding["compiler"] and (
            same_part
            or any(
                self.matches(self.compiler, text, triaged=False)
                for text in (finding["cause"], finding["signature"])
                if text
            )
        )

    def is_to_blame_for(self, kind: str) -> bool:
        """Whether its parts are to blame for findings of a kind."""
        return bool(self.blame) and kind in (self.signature or self.pattern).split()[:2]

    def is_in(self, version: str) -> bool:
        """Whether a version is said to have the bug."""
        try:
            release = Version(version)
        except InvalidVersion:  # a build of the user's own
            return not self.fixed
        fixed = bool(self.fixed) and release >= Version(self.fixed)
        return not fixed and SpecifierSet(self.versions).contains(release, prereleases=True)


def find(
    bugs: Iterable[KnownBug], compiler: str, version: str, signature: str, *, triaged: bool = True
) -> KnownBug | None:
    """The known bug that a finding shows; else one that it looks like, which this version should not have.

    ``triaged`` says whether the campaign triages its findings.
    """
    return _best([bug for bug in bugs if bug.matches(compiler, signature, triaged)], version)


def explaining(bugs: Iterable[KnownBug], finding: Mapping[str, Any]) -> KnownBug | None:
    """The known bug of a finding, triaged or not; else one that it looks like, which its version should not have."""
    version = finding["versions"].get(finding["compiler"], "")
    return _best([bug for bug in bugs if bug.explains(finding)], version)


def _best(alike: Sequence[KnownBug], version: str) -> KnownBug | None:
    return next((bug for bug in alike if bug.is_in(version)), alike[0] if alike else None)


def sources(file: Path | None = None) -> tuple[str, ...]:
    """What a campaign begun here knows, as its configuration says it: the user's file, and what is shipped.

    The user's is that ``file``, or else known.toml in the current directory, if there is one. ``none`` as a file gives
    nothing.
    """
    if file == Path(NONE):
        return ()
    default = Path(DEFAULT_FILE)
    path = file or (default if default.exists() else None)
    return (*([str(path.resolve())] if path else []), SHIPPED)


def of(names: Iterable[str]) -> tuple[KnownBug, ...]:
    """The bugs that a campaign's configuration names (see `sources`). Raises KnownError, OSError."""
    paths = [_SHIPPED_FILE if name == SHIPPED else Path(name) for name in names]
    return tuple(bug for path in paths for bug in read(path))


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


@dataclass(frozen=True)
class Added:
    """What `add` has done: it ``added`` the entry, or ``changed`` it, or the entry knew the finding already."""

    bug: KnownBug
    added: bool = False
    changed: bool = False


def add(path: Path, folder: Path, said: Mapping[str, str], others: Iterable[KnownBug] = ()) -> Added:
    """Add the bug of a finding's folder to a file, which is made if need be, unless it or one of ``others`` knows it.

    ``said`` is what the user says of the bug: its url, and perhaps its title, and the version in which it is fixed. A
    bug of that compiler and signature which the file has gets these anew. Raises KnownError, OSError, and KeyError or
    JSONDecodeError where ``finding.json`` is not what a campaign writes.
    """
    finding = read_finding(folder)
    said = {name: text for name, text in said.items() if text}
    entry = {**_entry(finding, _before_triage(folder, finding)), **said}
    _checked(entry, str(path))
    there = read(path) if path.exists() else ()
    same = (entry["compiler"], entry["signature"])
    number = next((i for i, bug in enumerate(there) if (bug.compiler, bug.signature) == same), None)
    if number is not None:
        if all(getattr(there[number], name) == text for name, text in said.items()):
            return Added(there[number])
        return Added(_written(path, number, said), changed=True)
    knows = explaining((*there, *others), finding)
    if knows and knows.is_in(finding["versions"].get(finding["compiler"], "")):
        return Added(knows)
    return Added(_written(path, len(there), entry), added=True)


def _written(path: Path, number: int, said: Mapping[str, Any]) -> KnownBug:
    """Change that bug of a file, or add it behind the others, and keep the rest as it is written."""
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    bugs = document.setdefault("bug", tomlkit.aot())
    if number < len(bugs):
        bugs[number].update(said)
    else:
        bugs.append(tomlkit.item({**said}).add(tomlkit.nl()))
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return read(path)[number]


def read_finding(folder: Path) -> dict[str, Any]:
    """What ``finding.json`` says. Raises OSError, JSONDecodeError, and KeyError where it lacks what known bugs need."""
    finding: dict[str, Any] = json.loads((folder / "finding.json").read_text(encoding="utf-8"))
    for name in ("kind", "compiler", "signature", "versions"):
        if name not in finding:
            raise KeyError(name)
    return older.with_cause(finding)


def _entry(finding: Mapping[str, Any], untriaged: str) -> dict[str, Any]:
    """What a finding says of its bug."""
    compiler, signature = finding["compiler"], finding["cause"] or finding["signature"]
    version = finding["versions"].get(compiler, "")
    told = {
        "compiler": compiler,
        "signature": signature,
        "untriaged": untriaged if untriaged != signature else "",
        "versions": f">={Version(version).public}" if _is_version(version) else "",
        "blame": list(finding["blame"]),
    }
    return {name: value for name, value in told.items() if value}


def _before_triage(folder: Path, finding: Mapping[str, Any]) -> str:
    """The signature that a finding had before it was reduced and bisected, as far as its campaign is still there."""
    here = folder.resolve()
    for raw in (here.parent, here.parent.parent / "raw" / here.name):
        if raw != here and (raw / "finding.json").is_file():
            return str(read_finding(raw)["signature"])
    return str(finding["signature"])


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
