"""The fork server's side: fork workers, and scripts, from a process that has imported the framework and runs nothing.

AFL does the same with the programs that it tests. The host asks for a worker by one frame: the length of a JSON text
(four bytes), then the text. Four file descriptors travel with it: the worker's channel, standard error, lifeline and
end. The server forks a keeper, which forks the worker (see _keeper.py), and answers with the keeper's process id (four
bytes). The compiler's interpreter loads this file by path, so it keeps to Python 3.9 and the standard library.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

NUMBER = struct.Struct("<i")
DESCRIPTORS = 4


def serve(server: socket.socket, keep: Callable[..., None]) -> tuple[socket.socket, dict[str, Any]]:
    """Fork a worker for each request until the host hangs up, which ends the process.

    ``keep`` forks the worker from its keeper. Return only in the workers, with the worker's channel and settings.
    """
    signal.signal(signal.SIGCHLD, lambda *_: _reap())
    while True:
        settings, descriptors = _receive(server)
        pid = os.fork()
        if not pid:
            server.close()
            return _become_worker(descriptors, settings, keep)
        for descriptor in descriptors:
            os.close(descriptor)
        server.sendall(NUMBER.pack(pid))


def _receive(server: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Return the settings and descriptors of the next request. End the process if the host has gone."""
    head, descriptors, _, _ = socket.recv_fds(server, NUMBER.size, DESCRIPTORS)
    text = b""
    length = NUMBER.unpack(head)[0] if len(head) == NUMBER.size else 0
    while len(text) < length:
        part = server.recv(length - len(text))
        if not part:
            break
        text += part
    if not head or len(text) < length:
        os._exit(0)
    settings: dict[str, Any] = json.loads(text)
    return settings, list(descriptors)


def _become_worker(
    descriptors: list[int], settings: dict[str, Any], keep: Callable[..., None]
) -> tuple[socket.socket, dict[str, Any]]:
    """Take the worker's own keeper, standard error and temporary folder. Return its channel and settings."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    channel, errors, lifeline, end = descriptors
    keep(end, lifeline, settings["options"]["scratch"], settings["limits"])
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.close(errors)
    os.environ["TMPDIR"] = settings["options"]["scratch"]
    tempfile.tempdir = None  # tempfile would keep the server's folder
    return socket.socket(fileno=channel), {**settings, "lifeline": lifeline}


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def run_script(path: str, stdout: str, environment: dict[str, str]) -> NoReturn:
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
