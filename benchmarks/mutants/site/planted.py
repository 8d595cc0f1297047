"""What a program met of the faults that are planted."""

from __future__ import annotations

met: set[str] = set()
"""The faults that changed something, or may have, by their names."""


optimizers: set[str] = set()
"""The faults that are optimizers or passes of their own, which the compiler can be told to leave out by these names."""


def meet(fault: str) -> bool:
    """Note that the program has met a fault; true."""
    met.add(fault)
    return True
