"""A helper for the faults of Inductor: replace a piece of a function's source."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from types import ModuleType
from typing import Any

from planted import meet


def edited(module: ModuleType, function: Callable[..., Any], old: str, new: str) -> Any:
    """Return a module's function with `old`, which occurs once in its source, replaced by `new`.

    Its decorators are applied again. The new piece may call `meet`.
    """
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1
    module.meet = meet  # type: ignore[attr-defined]
    scope: dict[str, Any] = {}
    exec(source.replace(old, new), vars(module), scope)
    return scope[function.__name__]
