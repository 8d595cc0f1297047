"""egglog's compiled bindings without the Python package around them.

The package imports a formatter of code, among others, and takes a second: a third of the start of each process. Nothing
here needs more of it than the bindings. These are loaded by the first that uses them: they start a pool of threads,
which does not survive a fork, so that a process that others are forked from must not have loaded them.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

_NAME = "egglog.bindings"


def _load() -> ModuleType:
    """The bindings, under their own name: they can be loaded once. Raises ModuleNotFoundError without egglog."""
    if _NAME in sys.modules:
        return sys.modules[_NAME]
    package = importlib.util.find_spec("egglog")
    spec = package and PathFinder.find_spec(_NAME, package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("Polyjuice needs egglog: pip install egglog", name="egglog")
    module = sys.modules[_NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Bindings:
    """Each of the bindings, once it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(_load(), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    from egglog import bindings
else:
    bindings = _Bindings()

__all__ = ["bindings"]
