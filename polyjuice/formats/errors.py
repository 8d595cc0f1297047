"""The error that a file raises when it cannot be read or written as a Graph."""

from __future__ import annotations


class FormatError(ValueError):
    """A model that cannot be read or written: one line naming the file, the node or value, and what to do."""
