"""Delta debugging: ddmin (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, TSE 2002)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def ddmin(items: Sequence[T], holds: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """A part of the items, in their order, for which ``holds`` is true, and none of which can be left out alone.

    Where there are several, those in front are preferred. All items are taken to hold together; where they do not, and
    no part that is tried does, all of them are returned. Deterministic; the same part may be asked for twice.
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
    """Cut into so many parts of about one length, none of them empty."""
    ends = [len(items) * n // parts for n in range(parts + 1)]
    return [items[begin:end] for begin, end in pairwise(ends) if begin < end]
