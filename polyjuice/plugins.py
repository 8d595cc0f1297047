"""What is installed: the parts that other packages add, and where Polyjuice itself came from.

A package adds a compiler, an oracle, operators, a rule file, a target file or a format. It declares such a part by an
entry point: a group, the part's name, and the module that holds it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

COMPILERS, ORACLES = "polyjuice.compilers", "polyjuice.oracles"
OPERATORS, RULES, FORMATS = "polyjuice.operators", "polyjuice.rules", "polyjuice.formats"
TARGETS = "polyjuice.targets"
"""The groups of entry points."""


DISTRIBUTION = "polyjuice-fuzzer"

_ROOT = Path(__file__).parents[1]
"""The clone that holds this package; of an installed copy, the folder of all packages."""


class EnvironmentProblem(Exception):
    """Something outside Polyjuice is missing or wrong; the message is one line that says what to do."""


def installable(hint: str, python: str | Path = sys.executable) -> str:
    """A hint with ``pip install`` for an interpreter, and Polyjuice from where this installation came.

    ``pip install 'polyjuice-fuzzer[tvm]'`` names a clone, a URL or the index. It names the interpreter, if another pip
    is the first in PATH.
    """
    origin = _origin()
    source = rf"'{DISTRIBUTION}\1 @ {origin}'" if "://" in origin else rf"'{origin}\1'"
    hint = re.sub(rf"(?<=pip install )'?{DISTRIBUTION}(\[[\w-]+\])?'?", source, hint)
    first = Path(shutil.which("pip") or "").parent == Path(python).parent
    return hint if first else hint.replace("pip install", f"{python} -m pip install")


def _origin() -> str:
    """What pip installed: a path, a URL, or the distribution's name."""
    if (_ROOT / "pyproject.toml").is_file():
        return str(_ROOT)
    try:
        found = json.loads(importlib.metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return DISTRIBUTION
    url, repository = urlsplit(found.get("url", "")), found.get("vcs_info")
    if url.scheme == "file" and not repository:
        return unquote(url.path) if Path(unquote(url.path)).exists() else DISTRIBUTION
    if repository:
        return f"{repository['vcs']}+{url.geturl()}@{repository['commit_id']}"
    return url.geturl() or DISTRIBUTION


def entries(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group that installed packages declare, by name."""
    return _entries(group, tuple(sys.path))


@cache
def _entries(group: str, path: Sequence[str]) -> Mapping[str, EntryPoint]:
    """Read what all packages in ``path`` declare, which takes 25 ms."""
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=group)}


def loaded(entry: EntryPoint, attribute: str) -> Any:
    """An attribute of a declared module, which is imported. Raises EnvironmentProblem with the module's name."""
    try:
        module = entry.load()
    except Exception as error:
        raise EnvironmentProblem(f"{described(entry)} cannot be loaded: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        raise EnvironmentProblem(f"{described(entry)}: the module has no {attribute}")
    return getattr(module, attribute)


def described(entry: EntryPoint) -> str:
    """The name of a part and of its module, for a message."""
    return f"the entry point {entry.name} = {entry.value} of {entry.group}"


def located(module: str) -> Path | None:
    """The file of a module, or None. Unlike importlib.util.find_spec, this imports no package that contains it."""
    folders: Sequence[str] | None = None
    for depth in range(1, module.count(".") + 2):
        spec = importlib.machinery.PathFinder.find_spec(".".join(module.split(".")[:depth]), folders)
        if spec is None:
            return None
        folders = spec.submodule_search_locations
    return Path(spec.origin) if spec and spec.origin else None
