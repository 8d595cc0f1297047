"""What a program met of the faults that are planted."""

from __future__ import annotations

met: set[str] = set()
"""The faults that changed something, or may have, by their names."""


def meet(fault: str) -> bool:
    """Note that the program has met a fault; true."""
    met.add(fault)
    return True
