"""A record of the planted faults that a program met."""

from __future__ import annotations

met: set[str] = set()
"""The names of the faults that changed something, or may have."""


optimizers: set[str] = set()
"""The names of faults that are separate optimizers or passes, which the compiler can leave out by these names."""


def meet(fault: str) -> bool:
    """Record that the program has met a fault, and return true."""
    met.add(fault)
    return True
