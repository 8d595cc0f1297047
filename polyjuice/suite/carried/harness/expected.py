"""The failures that ``xfail.toml`` expects: each by case and compiler, with its address.

[[xfail]]
case = "case-00042"
compiler = "NAME"
versions = ">=1.20,<1.33"   # optional: a version specifier as of pip
url = "https://..."
reason = "..."              # optional
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10 and before, where pytest brings it
    import tomli as tomllib  # type: ignore[no-redef, import-not-found, unused-ignore]

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

_NEEDED, _OPTIONAL = ("case", "compiler", "url"), ("versions", "reason")


class ExpectationError(ValueError):
    """An xfail.toml that cannot be used; the message is one line that says where and why."""


def read(path: Path) -> Sequence[Mapping[str, str]]:
    """The entries of a file (none where there is no file). Raises ExpectationError."""
    if not path.is_file():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("xfail", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ExpectationError(f"{path} is not TOML: {error}") from None
    if not isinstance(entries, list):
        raise ExpectationError(f"{path}: xfail is not a list of entries; each begins with [[xfail]]")
    for number, entry in enumerate(entries, 1):
        place = f"{path}, entry {number}"
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise ExpectationError(f"{place}: an entry begins with [[xfail]], and has texts only")
        unknown = [name for name in entry if name not in (*_NEEDED, *_OPTIONAL)]
        missing = [name for name in _NEEDED if not entry.get(name)]
        if unknown or missing:
            problem = f"{unknown[0]} is unknown" if unknown else f"it has no {missing[0]}"
            raise ExpectationError(f"{place}: {problem}")
        try:
            SpecifierSet(entry.get("versions", ""))
        except InvalidSpecifier as error:
            raise ExpectationError(f"{place}: {error}") from None
    return list(entries)


def reason(entries: Sequence[Mapping[str, str]], case: str, compiler: str, version: str) -> str:
    """The reason why a case is expected to fail in this version of a compiler, or ""."""
    for entry in entries:
        if (entry["case"], entry["compiler"]) == (case, compiler) and _is_in(entry.get("versions", ""), version):
            return ": ".join(filter(None, [entry["url"], entry.get("reason")]))
    return ""


def _is_in(versions: str, version: str) -> bool:
    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:  # a build of the user's own
        return True
