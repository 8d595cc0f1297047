"""Libraries that tests import when they first use them.

If the collection of tests imported them, each later fork of the tests' process would copy their tables of memory.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

import pytest


class _Library:
    """A module that is not imported yet."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)


def library(name: str) -> Any:
    """A module. The file of tests is skipped if it needs a package that is not installed."""
    needs(name.split(".")[0])
    return _Library(name)


def needs(package: str) -> None:
    """Skip a file of tests if a package is not installed."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed", allow_module_level=True)
