"""Fork servers: processes that import a compiler's framework once, and then fork fresh workers.

A worker that starts from scratch imports its framework and prepares its toolchain: 6 to 20 seconds for Torch. A
forked worker shares that work of its server, and shares nothing with other workers.
"""

from __future__ import annotations

import json
import os
import socket
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path
from threading import Lock
from typing import Any

from polyjuice.compilers import CompilerInfo
from polyjuice.execution._forks import NUMBER
from polyjuice.execution.process import Handle, Kept, WorkerEnds, WorkerProcess, launcher
from polyjuice.execution.protocol import Limits

_KEPT = 3
"""The most servers that one host process keeps: one each for the compiler under test, a compiler that it is compared
with, and the user's code."""

_ANSWER_S = 60.0
"""The most seconds that a server may take to fork."""

_Key = tuple[str, int, str, str, frozenset[tuple[str, str]]]

_servers: OrderedDict[_Key, ForkServer] = OrderedDict()
_lock = Lock()


class ForkServer:
    """A process that forks workers. :func:`server_of` starts it for the first worker."""

    def __init__(self, compiler: CompilerInfo, python: str | Path, options: Mapping[str, Any]) -> None:
        """Start the process without waiting until it is ready. Raises EnvironmentProblem."""
        self.process = WorkerProcess(launcher(compiler, python), options, limits=Limits(), server=True)
        self.ready = False
        self._lock = Lock()

    def fork(self, ends: WorkerEnds) -> Handle:
        """Fork a worker and return its handle. Raises OSError if the server has gone."""
        text = json.dumps(dict(ends.settings)).encode()
        reported, end = os.pipe()
        channel = self.process.channel
        try:
            with self._lock:
                descriptors = [ends.channel.fileno(), ends.errors, ends.lifeline, end]
                channel.settimeout(_ANSWER_S)
                socket.send_fds(channel, [NUMBER.pack(len(text))], descriptors)
                channel.sendall(text)
                answer = channel.recv(NUMBER.size, socket.MSG_WAITALL)
            if len(answer) < NUMBER.size:
                raise ConnectionError("the fork server has ended")
        except BaseException:
            os.close(reported)
            self.process.stop(at_once=True)
            raise
        finally:
            os.close(end)
        return Kept(reported, _ANSWER_S)


def server_of(compiler: CompilerInfo, python: str | Path, options: Mapping[str, Any]) -> ForkServer:
    """Return the server for a compiler in an interpreter, on a device, with the environment variables of now.

    Start it if there is none yet, or if the compiler file has changed since. Raises EnvironmentProblem if it cannot be
    started.
    """
    device = str(options.get("device", "cpu"))
    file = str(compiler.path), compiler.path.stat().st_mtime_ns
    key = *file, str(python), device, frozenset(os.environ.items())
    with _lock:
        if key not in _servers:
            while len(_servers) >= _KEPT:
                _servers.popitem(last=False)[1].process.stop(at_once=True)
            _servers[key] = ForkServer(compiler, python, {"device": device})
            Finalize(None, end_servers, exitpriority=0)  # processes of a pool end without running atexit's functions
        _servers.move_to_end(key)
        return _servers[key]


def end_servers() -> None:
    """End all servers of this process; the workers that they have forked live on."""
    while _servers:
        _servers.popitem()[1].process.stop(at_once=True)


def forget(server: ForkServer) -> None:
    """End a server, so that the next worker gets a new one."""
    with _lock, suppress(StopIteration):
        del _servers[next(key for key, other in _servers.items() if other is server)]
    server.process.stop(at_once=True)
