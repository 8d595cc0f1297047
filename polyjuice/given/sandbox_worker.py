"""The worker's side of a :class:`~polyjuice.given.sandbox.Sandbox`: calls the functions that the host names.

Loaded by path, as a compiler file is (see `compilers.CompilerFile`), in Polyjuice's own interpreter. Its program is a
pickled request: the host's current folder and ``sys.path``, a function of Polyjuice, and the arguments. Its one result
is the pickled answer: whether the function returned, and what it returned; or the error by which it refuses the user's
code.
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
    """Make Polyjuice importable, from where this file is, whatever else has the name."""
    if "polyjuice" not in sys.modules:
        folder = Path(__file__).parents[1]
        spec = importlib.util.spec_from_file_location("polyjuice", folder / "__init__.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules["polyjuice"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["polyjuice"])
    return ""


def check() -> None:
    return


def prepare(options: dict[str, Any]) -> None:
    """Import what most requests need; Torch and TensorFlow come with the first request that needs them."""
    import polyjuice.given  # noqa: F401


def start(options: dict[str, Any]) -> None:
    return


def knobs() -> list[str]:
    return []


def load(program: dict[str, Any]) -> Any:
    folder, path, request = pickle.loads(program["source"])
    os.chdir(folder)
    sys.path[:] = path
    return request


def compile(request: bytes, inputs: Sequence[Any]) -> bytes:
    return request


def run(request: bytes, inputs: Sequence[Any]) -> list[tuple[str, np.ndarray]]:
    """Call the function. Raises MemoryError where the user's code ran out of memory, however that was told."""
    from polyjuice.execution.worker import is_out_of_memory
    from polyjuice.formats import FormatError
    from polyjuice.given.steps import NotTakenApart

    try:
        function, arguments = pickle.loads(request)
        answer = True, function(*arguments)
    except (FormatError, NotTakenApart) as error:
        cause: BaseException | None = error
        while cause is not None:
            if is_out_of_memory(cause):
                raise MemoryError(str(cause)) from error
            cause = cause.__cause__ or cause.__context__
        answer = False, error
    return [("uint8", np.frombuffer(pickle.dumps(answer), np.uint8))]
