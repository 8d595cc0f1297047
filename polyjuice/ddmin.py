"""Delta debugging: ddmin (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def ddmin(items: Sequence[T], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """Return a subset of the items, in their order, for which ``holds`` is true and from which no single item can go.

    Among several such subsets, it prefers earlier items. ``holds`` should be true for all items together; otherwise,
    and if no tried subset holds, it returns all items. Deterministic; it may test the same subset twice.
    """
    kept = tuple(items)
    parts = 2
    while len(kept) >= 2:
        chunks = _split(kept, parts)
        smaller = next((chunk for chunk in chunks if holds(chunk)), None)
        if smaller is not None:
            kept, parts = smaller, 2
            continue
        # With two chunks the complements are the chunks.
        rests = (tuple(x for other in chunks if other is not chunk for x in other) for chunk in chunks)
        smaller = next((rest for rest in rests if holds(rest)), None) if len(chunks) > 2 else None
        if smaller is not None:
            kept, parts = smaller, max(parts - 1, 2)
        elif parts < len(kept):
            parts = min(2 * parts, len(kept))
        else:
            break
    return kept


def _split(items: tuple[T, ...], parts: int) -> list[tuple[T, ...]]:
    """Cut the items into ``parts`` non-empty chunks of about equal length."""
    ends = [len(items) * n // parts for n in range(parts + 1)]
    return [items[begin:end] for begin, end in pairwise(ends) if begin < end]
