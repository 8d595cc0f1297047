"""A Python file, run in a process that was forked from one which has imported the framework.

Loaded by path in the compiler's interpreter: Python 3.9, the standard library.
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any, NoReturn


def run(path: str, stdout: str, environment: dict[str, str]) -> NoReturn:
    """Run the file in its own folder, as Python would from scratch, and end the process with its status.

    What it prints goes to the file ``stdout``. ``environment`` is the one that the process was started with: what a
    compiler file has set since is taken back. Only its folder for temporary files is its own.
    """
    own = {"TMPDIR": os.environ["TMPDIR"]}
    os.environ.clear()
    os.environ.update({**environment, **own})
    with open(stdout, "wb") as printed:
        os.dup2(printed.fileno(), 1)
    os.chdir(os.path.dirname(path))
    status: Any = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001  whatever it is, this process has nothing else to do
        status = _status_of_error()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))


def _status_of_error() -> Any:
    """How the script ends after an error that it does not handle: its own hook may say."""
    try:
        sys.excepthook(*sys.exc_info())
    except SystemExit as end:
        return end.code
    return 1
