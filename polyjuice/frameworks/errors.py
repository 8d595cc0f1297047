"""The error for a file that Polyjuice cannot read or write as a Graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


class FormatError(ValueError):
    """A model that cannot be read or written: one line with the file, the node or value, and what to do."""


@contextmanager
def refused(what: str) -> Iterator[None]:
    """Turn any exception of a user's model or its tracer into one line, and hide their warnings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except FormatError:
        raise
    except Exception as error:  # noqa: BLE001 - foreign code may raise anything
        lines = str(error).strip().splitlines()
        raise FormatError(f"{what} ({type(error).__name__}{': ' + lines[0] if lines else ''})") from None
