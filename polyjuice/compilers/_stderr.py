"""Capture what a framework's C++ code writes to standard error, which bypasses Python's `sys.stderr`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def captured(log: list[str]) -> Iterator[None]:
    """Append to ``log``, on exit, all text that the process writes to standard error meanwhile."""
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        log.append(file.read().decode(errors="replace"))
