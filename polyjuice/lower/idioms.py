"""How an artifact names the idioms that it was spelled in."""

from __future__ import annotations

from collections import Counter


def named(idioms: Counter[str]) -> tuple[str, ...]:
    """Each idiom by name, with how often it occurs where that is more than once."""
    return tuple(f"{name} x{n}" if n > 1 else name for name, n in sorted(idioms.items()))
