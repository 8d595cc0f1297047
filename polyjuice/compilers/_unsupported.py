"""Errors of frameworks that say what they lack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def telling(words: re.Pattern[str]) -> Iterator[None]:
    """Turn errors with some words into NotImplementedError.

    Some frameworks raise the same errors for missing features and for their own faults; only the message tells them
    apart.
    """
    try:
        yield
    except Exception as error:
        if words.search(str(error)):
            raise NotImplementedError(str(error)) from error
        raise
