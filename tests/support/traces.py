"""The processes and temporary files that a command leaves behind."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.support.workers import HOPELESS_S


class Traces:
    """Find what a command leaves behind, if it runs in the environment ``env``."""

    def __init__(self, folder: Path) -> None:
        self._temporary = folder / "tmp"
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._mark = str(uuid.uuid4())
        self.env = {"POLYJUICE_TEST_MARK": self._mark, "TMPDIR": str(self._temporary)}

    def left(self, pattern: str = "polyjuice-*") -> list[str]:
        """Wait until all processes have ended and the temporary files are gone. Return those that stay."""
        deadline = time.monotonic() + HOPELESS_S
        while found := [*self._processes(), *map(str, self._temporary.glob(pattern))]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.1)
        return found

    def _processes(self) -> Iterator[str]:
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # the process has ended, or belongs to somebody else
                if self._mark.encode() in (folder / "environ").read_bytes():
                    yield (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
