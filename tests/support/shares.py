"""The share of similar parameters that the usual tests try. The long tests try the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import pytest


def in_share(name: str, parts: int) -> bool:
    """Whether the name is in the share of one in ``parts`` names. Only the name decides."""
    return zlib.crc32(name.encode()) % parts == 0


def in_the_long_run(*values: object) -> list[object]:
    """Parameters that only the long tests try, because another parameter covers the same code."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def one_in(parts: int, names: Iterable[str]) -> list[object]:
    """Parameters of a test: the usual tests try one name in ``parts``."""
    return [name if in_share(name, parts) else pytest.param(name, marks=pytest.mark.long) for name in names]
