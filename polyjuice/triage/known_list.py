"""Known bugs: campaigns count findings that match them, and do not report these.

``known.toml`` beside this module lists the bugs in artifacts/bugs. Campaigns use it and a file that users keep and
share. Each bug is a table ``[[bug]]``:

- ``compiler``, ``url`` (the report), and ``title``;
- the ``signature`` of its findings (a crash's may leave out where it happened), or a ``pattern`` for signatures (with *
  and ?), or both;
- ``blame``, a list of the compiler's parts without which a wrong result vanishes, and ``operators``, which its program
  must have (default: any). These identify the bug before a finding is written;
- ``untriaged``, the signature that its finding had before triage: campaigns that triage nothing match it;
- ``versions`` that have it (a version specifier as in pip; default: all), and the version in which it is ``fixed``;
- the ``number`` of its folder in artifacts/bugs, if it has one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypedDict

import tomlkit
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from polyjuice.oracles.failures import WHERE
from polyjuice.stored_files import toml_document, write_whole
from polyjuice.triage.causes import BY, OF, fails, narrow
from polyjuice.triage.record import FindingError, read_record

DEFAULT_FILE = "known.toml"
"""The default file, in the current directory."""

SHIPPED = "shipped"
"""The name, in a campaign's configuration, of the bugs that come with Polyjuice, wherever it is installed."""

NONE = "none"
"""Instead of a file: no bug is known."""

_LISTS = ("blame", "operators")
"""The fields of an entry that are lists."""

_SHIPPED_FILE = Path(__file__).with_name("known.toml")


class KnownError(ValueError):
    """A file of known bugs cannot be used; the message names the file, the bug, and what to do."""


class Mark(TypedDict, total=False):
    """Fields of ``finding.json``: the URL of a known bug, or of one that came back after it was fixed."""

    known: str
    regression: str


@dataclass(frozen=True, kw_only=True)
class KnownBug:
    """One entry; the module's docstring describes the fields."""

    compiler: str
    url: str
    signature: str = ""
    pattern: str = ""
    versions: str = ""
    fixed: str = ""
    blame: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    title: str = ""
    untriaged: str = ""
    number: str = ""

    @property
    def name(self) -> str:
        """The bug's title and URL, as users see it."""
        return f"{self.title} ({self.url})" if self.title else self.url

    def matches(self, compiler: str, signature: str, triaged: bool = True) -> bool:
        """Whether a finding looks like this bug, in any version; ``triaged`` tells whether its campaign triages."""
        same = signature == self.signature or (
            bool(self.signature) and any(signature.startswith(self.signature + end) for end in self._ends)
        )
        alike = same or bool(self.pattern and fnmatchcase(signature, self.pattern))
        return compiler == self.compiler and (alike or (not triaged and signature == self.untriaged != ""))

    @property
    def _ends(self) -> tuple[str, ...]:
        """What a signature may leave out: where a failure happened, and the operators after the part to blame."""
        return (WHERE, OF) if BY in self.signature else (WHERE,)

    def explains(self, finding: Mapping[str, Any]) -> bool:
        """Whether this bug explains a finding, by the finding's ``finding.json``, in any version.

        Either its cause or signature matches, or it is a wrong result of the same kind with the same parts to blame.
        """
        kind, blame = finding["kind"], finding["blame"]
        same_part = (
            self.is_to_blame_for(kind, finding.get("pattern", ())) and not fails(kind) and set(blame) == set(self.blame)
        )
        return self.compiler == finding["compiler"] and (
            same_part
            or any(
                self.matches(self.compiler, text, triaged=False)
                for text in (finding["cause"], finding["signature"])
                if text
            )
        )

    def is_to_blame_for(self, kind: str, pattern: Collection[str]) -> bool:
        """Whether the bug's parts may be to blame for a finding of a kind whose program has a pattern."""
        alike = kind in (self.signature or self.pattern).split()[:2]
        return bool(self.blame) and alike and {*self.operators} <= {*pattern}

    def is_in(self, version: str) -> bool:
        """Whether a version has the bug, by ``versions`` and ``fixed``."""
        try:
            release = Version(version)
        except InvalidVersion:  # a build of the user's own
            return not self.fixed
        fixed = bool(self.fixed) and release >= Version(self.fixed)
        return not fixed and SpecifierSet(self.versions).contains(release, prereleases=True)

    def mark(self, version: str) -> Mark:
        """What ``finding.json`` says of a finding in a version."""
        return {"known": self.url} if self.is_in(version) else {"regression": self.url}


def find(
    bugs: Iterable[KnownBug], compiler: str, version: str, signature: str, *, triaged: bool = True
) -> KnownBug | None:
    """Return the known bug that a finding shows; else one that it resembles but that this version should not have.

    Returns None where it resembles none. ``triaged`` tells whether the campaign triages its findings.
    """
    return _best([bug for bug in bugs if bug.matches(compiler, signature, triaged)], version)


def explaining(bugs: Iterable[KnownBug], finding: Mapping[str, Any]) -> KnownBug | None:
    """The known bug of a finding, triaged or not; else one that it resembles but that its version should not have."""
    version = finding["versions"].get(finding["compiler"], "")
    return _best([bug for bug in bugs if bug.explains(finding)], version)


def _best(alike: Sequence[KnownBug], version: str) -> KnownBug | None:
    return next((bug for bug in alike if bug.is_in(version)), alike[0] if alike else None)


def sources(file: Path | None = None) -> tuple[str, ...]:
    """The known-bug files of a campaign started here, as its configuration names them: the user's file and `SHIPPED`.

    The user's file is ``file``, or else known.toml in the current directory, if it exists. With ``none`` as the file,
    the result is empty.
    """
    if file == Path(NONE):
        return ()
    default = Path(DEFAULT_FILE)
    path = file or (default if default.exists() else None)
    return (*([str(path.resolve())] if path else []), SHIPPED)


def load_known_bugs(names: Iterable[str]) -> tuple[KnownBug, ...]:
    """The bugs that a campaign's configuration names (see `sources`). Raises KnownError, OSError."""
    return KnownBugs(names).now


class KnownBugs:
    """The bugs that a campaign's configuration names, as its files have them now.

    A file that changed is read again, so that what one campaign's user adds holds for all that run with this file. A
    file that cannot be read any more keeps the bugs that it had. Raises KnownError, OSError for one that never could.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._paths = [_SHIPPED_FILE if name == SHIPPED else Path(name) for name in names]
        self._changed: list[int] = []
        self._bugs: tuple[KnownBug, ...] = ()
        self._read()

    def _read(self) -> None:
        changed = [path.stat().st_mtime_ns for path in self._paths]
        if changed != self._changed:
            self._bugs = tuple(bug for path in self._paths for bug in read(path))
            self._changed = changed

    @property
    def now(self) -> tuple[KnownBug, ...]:
        """The bugs."""
        with suppress(KnownError, OSError):
            self._read()
        return self._bugs


def read(path: Path) -> tuple[KnownBug, ...]:
    """The bugs of a file. Raises KnownError, OSError."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("bug", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
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
        if name in _LISTS:
            if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
                raise KnownError(f"{place}: {name} must be a list of strings")
        elif not isinstance(value, str):
            raise KnownError(f"{place}: {name} must be a string")
    missing = [name for name in ("compiler", "url") if not entry.get(name)]
    if missing:
        raise KnownError(f"{place}: it has no {missing[0]}")
    lists = {name: tuple(entry.get(name, ())) for name in _LISTS}
    bug = KnownBug(**{**entry, **lists})
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
    """The result of `add`: the entry was ``added`` or ``changed``, or an entry already matched the finding."""

    bug: KnownBug
    added: bool = False
    changed: bool = False


def add(path: Path, folder: Path, fields: Mapping[str, str], others: Iterable[KnownBug] = ()) -> Added:
    """Add the bug of a finding's folder to a file, unless an entry there or in ``others`` already matches it.

    The file is created if it is missing. ``fields`` holds the user's fields: url, and perhaps title and fixed. An entry
    of the file with the same compiler and signature, and with the finding's version, gets these fields instead. A bug
    that came back after its fix gets a second entry. Raises KnownError, OSError.
    """
    finding = read_finding(folder)
    fields = {name: text for name, text in fields.items() if text}
    entry = {**_entry(finding, _before_triage(folder, finding)), **fields}
    _checked(entry, str(path))
    there = read(path) if path.exists() else ()
    same, version = (entry["compiler"], entry["signature"]), finding["versions"].get(finding["compiler"], "")
    alike = (i for i, bug in enumerate(there) if (bug.compiler, bug.signature) == same and bug.is_in(version))
    number = next(alike, None)
    if number is not None:
        if all(getattr(there[number], name) == text for name, text in fields.items()):
            return Added(there[number])
        return Added(_written(path, number, fields), changed=True)
    knows = explaining((*there, *others), finding)
    if knows and knows.is_in(version):
        return Added(knows)
    return Added(_written(path, len(there), entry), added=True)


def _written(path: Path, number: int, fields: Mapping[str, Any]) -> KnownBug:
    """Change the bug at ``number`` in a file, or append it; the rest of the file keeps its formatting."""
    document = toml_document(path)
    bugs = document.setdefault("bug", tomlkit.aot())
    if number < len(bugs):
        bugs[number].update(fields)
    else:
        bugs.append(tomlkit.item({**fields}).add(tomlkit.nl()))
    write_whole(path, tomlkit.dumps(document))  # campaigns may read it
    return read(path)[number]


def read_finding(folder: Path) -> dict[str, Any]:
    """Read ``finding.json``. Raises KnownError."""
    try:
        return asdict(read_record(folder))
    except FindingError as error:
        raise KnownError(str(error)) from None


def _entry(finding: Mapping[str, Any], untriaged: str) -> dict[str, Any]:
    compiler, signature = finding["compiler"], finding["cause"] or finding["signature"]
    version, blame = finding["versions"].get(compiler, ""), list(narrow(compiler, finding["blame"]))
    fields = {
        "compiler": compiler,
        "signature": signature,
        "untriaged": untriaged if untriaged != signature else "",
        "versions": f">={Version(version).public}" if is_version(version) else "",
        "blame": blame,
        "operators": [] if fails(finding["kind"]) or not blame else list(finding.get("pattern", ())),
    }
    return {name: value for name, value in fields.items() if value}


def _before_triage(folder: Path, finding: Mapping[str, Any]) -> str:
    """The signature that a finding had before triage, if its campaign's folder still exists; else its own."""
    here = folder.resolve()
    for raw in (here.parent, here.parent.parent / "raw" / here.name):
        if raw != here and (raw / "finding.json").is_file():
            return str(read_finding(raw)["signature"])
    return str(finding["signature"])


def is_version(text: str) -> bool:
    """Whether a text is a version as pip has them."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True
