"""The user's cache folder, and the digests of source files that name the files there."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent
"""The folder of the package."""


def folder() -> Path:
    """The cache folder, which may not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "polyjuice"


def digest(files: Iterable[Path]) -> str:
    """A hash of the contents of some files, for the name of a file that depends on them."""
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:12]
