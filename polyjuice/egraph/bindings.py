"""egglog's compiled bindings without the Python package around them.

The package imports a formatter of code, among others, and takes a second: a third of the start of each process. Nothing
here needs more of it than the bindings.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

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


if TYPE_CHECKING:
    from egglog import bindings
else:
    bindings = _load()

__all__ = ["bindings"]
