"""Programs of Torch as `torch.export` captures them, for exporters and importers under test."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from . import _torch, _unsupported
from ._torch import Array, Loaded

_UNSUPPORTED = (
    torch._dynamo.exc.Unsupported,
    torch._dynamo.exc.UserError,
    torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode,  # values decide a size
)


def start(options: dict[str, Any]) -> None:
    """Prepare Torch, and let it collect its decompositions once: each time takes a third of an export."""
    _torch.start(options)
    collect = "_collect_all_valid_cia_ops"
    modules = (torch.export.exported_program, torch.export.decomp_utils)
    if all(hasattr(module, collect) for module in modules):  # else another release, which is slower
        once = functools.lru_cache(maxsize=1)(getattr(modules[0], collect))
        for module in modules:
            setattr(module, collect, once)


def load(artifact: dict[str, Any]) -> Loaded:
    """The program. Raises NotImplementedError where exported programs cannot have its settings."""
    program = _torch.load(artifact)
    if program.mode in ("grad", "train") or program.numbers or program.updates:
        raise NotImplementedError("an exported program takes tensors alone, writes into none, and is not trained")
    return program


def captured(program: Loaded, inputs: Sequence[Array]) -> torch.export.ExportedProgram:
    """The program as `torch.export` captures it for inputs of these types.

    Raises NotImplementedError where it says that it does not support the program.
    """
    torch._dynamo.reset()
    arguments = tuple(map(_torch.tensor, inputs))
    try:
        with torch.no_grad():
            return torch.export.export(program.model, arguments)
    except _UNSUPPORTED as error:
        raise NotImplementedError(str(error)) from error


def telling(words: re.Pattern[str]) -> AbstractContextManager[None]:
    """`_unsupported.telling`, also for the errors of Torch's own decompositions where values decide a size."""
    return _unsupported.telling(re.compile(f"{words.pattern}|data-dependent expression", words.flags))
