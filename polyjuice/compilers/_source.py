"""Load the Python source of a model, the artifact of Torch, TensorFlow and JAX."""

from __future__ import annotations

import linecache
import sys
from types import ModuleType

_MODULE = "polyjuice_model"
_FILE = "<model>"  # one name for every model's source, so that equal failures have equal traces


def module_of(source: str) -> ModuleType:
    """Execute the source. Dynamo imports the modules of inlined functions by name, and shows source lines in errors."""
    module = ModuleType(_MODULE)
    sys.modules[_MODULE] = module
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    exec(compile(source, _FILE, "exec"), module.__dict__)
    return module
