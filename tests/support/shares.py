"""Which share of many alike the usual tests try. The long tests try the others."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import pytest


def in_share(name: str, parts: int) -> bool:
    """Whether a name is in the share of one in so many: it hangs on the name alone."""
    return zlib.crc32(name.encode()) % parts == 0


def in_the_long_run(*values: object) -> list[object]:
    """Parameters of a test that only the long tests try, because they take the same way as another."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def one_in(parts: int, names: Iterable[str]) -> list[object]:
    """Parameters of a test: one name in so many is tried in the usual tests."""
    return [name if in_share(name, parts) else pytest.param(name, marks=pytest.mark.long) for name in names]
