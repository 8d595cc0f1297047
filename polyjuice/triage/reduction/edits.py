"""What a pass is made of: edits, each of which turns a pair into candidates that may be smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from polyjuice.triage.reduction.pair import Pair

Edit = Callable[[Pair], Iterable[Pair]]
"""Candidates, in the order in which they are to be tried; none where it does not apply (any more). Raises GraphError.

What an edit refers to it refers to by name: it is made for one pair, and applied to what earlier edits have left of it.
"""


T = TypeVar("T")


def halves_first(items: Sequence[T]) -> Iterator[T]:
    """The middle one, then the middles of both halves, and so on: a search by halves that in the end tries all."""
    spans = deque([(0, len(items))])
    while spans:
        start, end = spans.popleft()
        if start < end:
            middle = (start + end) // 2
            yield items[middle]
            spans += [(start, middle), (middle + 1, end)]
