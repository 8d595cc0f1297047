"""How a long benchmark runs beside other work: it gives way to it, and can be interrupted."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def run_in_background() -> None:
    """Give this process and its children the lowest priority, and raise KeyboardInterrupt for SIGINT and SIGTERM."""
    os.nice(19)
    with suppress(OSError):  # where Linux shares the processor among sessions, and only then among their processes
        Path("/proc/self/autogroup").write_text("19")
    for number in (signal.SIGTERM, signal.SIGINT):  # processes in a shell's background start with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
