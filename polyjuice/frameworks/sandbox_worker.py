"""The worker of a :class:`~polyjuice.frameworks.sandbox.Sandbox`: it calls the functions that the host names.

It is loaded by path, like a compiler file (see `compilers.CompilerFile`), in Polyjuice's own interpreter. The program
is a pickled request: the host's current folder and ``sys.path``, a function of Polyjuice, its arguments, and the limits
of models that it reads. The only result is the pickled answer: whether the function returned, and its result or its
error about the user's code.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def version() -> str:
    """Make Polyjuice importable from this file's folder, whatever else has the name. There is no version."""
    if "polyjuice" not in sys.modules:
        folder = Path(__file__).parents[1]
        spec = importlib.util.spec_from_file_location("polyjuice", folder / "__init__.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules["polyjuice"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["polyjuice"])
    return ""


def check() -> None:
    """Do nothing: there is no environment to check."""


def prepare(options: dict[str, Any]) -> None:
    """Import what most requests need. The first request that needs Torch or TensorFlow imports it."""
    import polyjuice.frameworks.onnx.user_program  # noqa: F401


def start(options: dict[str, Any]) -> None:
    """Do nothing: there are no options."""


def knobs() -> list[str]:
    """Return no knobs."""
    return []


def load(program: dict[str, Any]) -> Any:
    """Enter the host's folder and ``sys.path``, and return the pickled call."""
    folder, path, request = pickle.loads(program["source"])
    os.chdir(folder)
    sys.path[:] = path
    return request


def compile(request: bytes, inputs: Sequence[Any]) -> bytes:
    """Return the request as it is."""
    return request


def run(request: bytes, inputs: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
    """Call the function. Raises MemoryError if the user's code ran out of memory, whatever error reported it."""
    from polyjuice.execution.worker import is_out_of_memory
    from polyjuice.frameworks.errors import FormatError
    from polyjuice.frameworks.limits import set_read_limits
    from polyjuice.frameworks.split import NotSplit

    try:
        function, arguments, limits = pickle.loads(request)
        set_read_limits(limits)
        answer = True, function(*arguments)
    except (FormatError, NotSplit) as error:
        cause: BaseException | None = error
        while cause is not None:
            if is_out_of_memory(cause):
                raise MemoryError(str(cause)) from error
            cause = cause.__cause__ or cause.__context__
        answer = False, error
    return [("uint8", np.frombuffer(pickle.dumps(answer), np.uint8))]
