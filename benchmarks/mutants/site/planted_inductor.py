"""What the faults of Inductor share: a function with a piece of its source exchanged."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

from planted import meet


def edited(module: ModuleType, function: Callable[..., Any], old: str, new: str) -> Any:
    """A function of a module, or what its decorators make of it, with the one piece `old` of its source exchanged.

    The new piece may call `meet`.
    """
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1
    module.meet = meet  # type: ignore[attr-defined]
    scope: dict[str, Any] = {}
    exec(source.replace(old, new), vars(module), scope)
    return scope[function.__name__]
