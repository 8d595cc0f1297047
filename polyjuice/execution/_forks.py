"""The fork server's side: fork workers from a process that has imported the framework and runs nothing itself.

AFL does the same with the programs that it tests. The host asks for a worker by one frame: the length of a JSON text
(four bytes), then the text. Four file descriptors travel with it: the worker's channel, standard error, lifeline and
end. The server answers with the worker's process id (four bytes). When a worker has ended, the server writes the wait
status (four bytes) to the descriptor "end". The compiler's interpreter loads this file by path, so it keeps to
Python 3.9 and the standard library.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import tempfile
from typing import Any

NUMBER = struct.Struct("<i")
DESCRIPTORS = 4


def serve(server: socket.socket) -> tuple[socket.socket, dict[str, Any]]:
    """Fork a worker for each request until the host hangs up, which ends the process.

    Return only in the workers, with the worker's channel and settings.
    """
    ends: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _reap(ends))
    while True:
        settings, descriptors = _receive(server)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if not pid:
            server.close()
            for end in ends.values():
                os.close(end)
            return _become_worker(descriptors, settings)
        ends[pid] = descriptors.pop()
        for descriptor in descriptors:
            os.close(descriptor)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
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


def _become_worker(descriptors: list[int], settings: dict[str, Any]) -> tuple[socket.socket, dict[str, Any]]:
    """Take the worker's own process group, standard error and temporary folder. Return its channel and settings."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    os.setsid()
    channel, errors, lifeline, end = descriptors
    os.close(end)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    os.close(errors)
    os.environ["TMPDIR"] = settings["options"]["scratch"]
    tempfile.tempdir = None  # tempfile would keep the server's folder
    return socket.socket(fileno=channel), {**settings, "lifeline": lifeline}


def _reap(ends: dict[int, int]) -> None:
    """Report each ended worker to the host."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        end = ends.pop(pid, None)
        if end is not None:
            _tell(end, status)


def _tell(end: int, status: int) -> None:
    try:
        os.write(end, NUMBER.pack(status))
    except BrokenPipeError:  # the host no longer waits for this worker
        return
    finally:
        os.close(end)
