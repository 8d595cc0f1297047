"""egglog's compiled bindings without the Python package around them.

Importing the package takes a second, a third of the start of each process, because it also imports a code formatter.
Only the bindings are needed here. They load at their first use, because they start a pool of threads, which does not
survive a fork. A process that forks others must not have loaded them.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

_NAME = "egglog.bindings"


def _load() -> ModuleType:
    """Register the bindings under their own name, so that they load once. Raises ModuleNotFoundError without egglog."""
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
    """A stand-in for the module of bindings that loads it at the first use of an attribute."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(_load(), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    from egglog import bindings
else:
    bindings = _Bindings()

__all__ = ["bindings"]
