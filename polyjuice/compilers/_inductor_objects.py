"""Shared objects for several processes: each pair of source and command goes through the C++ compiler only once.

Inductor does all of its own work in each process. Only for an identical source and command does a stored file replace
the run of the C++ compiler, which takes most of the time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from . import _inductor_unit


def share(folder: Path) -> None:
    """Store this process's shared objects in a folder from now on, and reuse those of other processes."""
    codecache: Any = torch._inductor.codecache
    name = _inductor_unit.compile_step()
    plain = getattr(codecache, name)

    def compile_step(*arguments: Any) -> Any:
        asked = _inductor_unit.shared_object(arguments)
        if asked is None:
            return plain(*arguments)
        kept = folder / _key(asked.text, asked.template)
        with suppress(FileNotFoundError):
            return _copy(kept, asked.output)
        done = plain(*arguments)
        with suppress(FileNotFoundError):  # the folder may be gone, or this release compiles later
            _copy(asked.output, kept)
        return done

    setattr(codecache, name, compile_step)


def _key(source: str, template: list[str]) -> str:
    """A file name for a source and a command. The text of each header with an absolute path is part of the key."""

    def text(line: re.Match[str]) -> str:
        return Path(line[1]).read_text(encoding="utf-8")

    parts = [_inductor_unit.HEADER.sub(text, source), *template]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".so"


def _copy(source: Path, target: Path) -> None:
    """Copy a file atomically. Raises FileNotFoundError."""
    with source.open("rb") as reading:
        descriptor, part = tempfile.mkstemp(dir=target.parent)
        with open(descriptor, "wb") as writing:
            shutil.copyfileobj(reading, writing)
    os.replace(part, target)
