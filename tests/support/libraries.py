"""Libraries that are imported when the first test of a file runs.

If the collection of tests imported them, each later fork of the tests' process would copy their tables of memory.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest


class Library:
    """A module that is not imported yet. Only functions use it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        raise AttributeError(f"{self.name} is imported when a test of this file runs, and lacks {attribute} until then")


def import_all(module: ModuleType) -> None:
    """Import the libraries that a file of tests has named."""
    for name, value in list(vars(module).items()):
        if isinstance(value, Library):
            setattr(module, name, importlib.import_module(value.name))


def of(item: pytest.Item) -> set[str]:
    """What a test imports, as far as its file or its parameters name it."""
    named = {value.name for value in vars(getattr(item, "module", item)).values() if isinstance(value, Library)}
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    return named | {value for value in parameters if isinstance(value, str) and value in ("torch", "tensorflow", "jax")}


def library(name: str) -> Any:
    """A module. The file of tests is skipped if it needs a package that is not installed."""
    needs(name.split(".")[0])
    return Library(name)


def needs(package: str) -> None:
    """Skip a file of tests if a package is not installed."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)
