"""The entry point of the command ``polyjuice``, also as ``python -m polyjuice``."""

from __future__ import annotations

import os
import signal
from types import FrameType

_INTERRUPTED = 130
"""The exit status after an interrupt, before `polyjuice.cli` is there and knows it."""


def main() -> None:
    """Run the command line. An interrupt ends it with status 130, also during its import, which takes a second."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    from polyjuice import cli

    cli.main()


def _leave(number: int, frame: FrameType | None) -> None:
    """End the process, which has no children and no files yet."""
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
