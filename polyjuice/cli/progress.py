"""Progress on standard error: a bar on a terminal, elsewhere a line every 15 seconds."""

from __future__ import annotations

import time
from typing import Any, Self

from rich.progress import Progress, ProgressColumn, TaskID, TimeElapsedColumn

from polyjuice.cli.common import stderr


class Live:
    """Shows progress while its ``with`` block runs."""

    _EVERY_S = 15.0

    def __init__(self, *columns: ProgressColumn) -> None:
        self.bar = Progress(*columns, TimeElapsedColumn(), console=stderr, disable=not stderr.is_terminal)
        self.began = self._last = time.monotonic()

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def tell(self, task: TaskID, line: str, **fields: Any) -> None:
        """Update the bar with ``fields`` (see `rich.progress.Progress.update`); without a terminal, print ``line``."""
        self.bar.update(task, **fields)
        now = time.monotonic()
        if not stderr.is_terminal and now - self._last > self._EVERY_S:
            self._last = now
            stderr.print(f"{now - self.began:6.0f} s  {line}")
