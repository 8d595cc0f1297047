"""Run a Python file in a process forked from a fork server, which has imported the framework.

The compiler's interpreter loads this file by path, so it keeps to Python 3.9 and the standard library.
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any, NoReturn


def run(path: str, stdout: str, environment: dict[str, str]) -> NoReturn:
    """Run a Python file in its own folder, as a new interpreter would, and end the process with its status.

    Its standard output goes to the file ``stdout``. It gets the variables of ``environment``, those that the server
    started with, without the ones that a compiler file has set since. Only TMPDIR is this process's own.
    """
    own = {"TMPDIR": os.environ["TMPDIR"]}
    os.environ.clear()
    os.environ.update({**environment, **own})
    with open(stdout, "wb") as printed:
        os.dup2(printed.fileno(), 1)
    os.chdir(os.path.dirname(path))
    sys.argv[:] = [path]
    status: Any = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001  every error ends the script: the process has nothing else to do
        status = _status_of_error()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))


def _status_of_error() -> Any:
    """The script's exit status after an unhandled error: that of its own ``sys.excepthook``, or 1."""
    try:
        sys.excepthook(*sys.exc_info())
    except SystemExit as end:
        return end.code
    return 1
