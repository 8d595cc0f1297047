"""Choosing among candidates what covers most: greedy maximum coverage, of which each further time counts half."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping

from polyjuice.suite.features import WEIGHTS


class Choice:
    """Gives out candidates, each time the one that adds most to those that were taken; ties go to the first.

    The gain of a candidate never grows as others are taken, so that only those at the top need be weighed again (lazy
    greedy, Minoux 1978).
    """

    def __init__(self, features: Mapping[int, frozenset[str]]) -> None:
        self._features = features
        self._covered: Counter[str] = Counter()
        self._heap = [(-self._gain(number), number) for number in features]
        heapq.heapify(self._heap)

    def offers(self) -> Iterator[int]:
        """The candidates, best first; what is not taken before the next is asked for covers nothing."""
        while self._heap:
            _, number = heapq.heappop(self._heap)
            gain = self._gain(number)
            if self._heap and (-gain, number) > self._heap[0]:
                heapq.heappush(self._heap, (-gain, number))
            else:
                yield number

    def take(self, number: int) -> None:
        self._covered.update(self._features[number])

    def give_back(self, number: int) -> None:
        """Make up for a candidate that was taken and is of no use."""
        self._covered -= Counter(self._features[number])

    @property
    def covered(self) -> Counter[str]:
        """How many of the candidates that were taken have each feature."""
        return self._covered

    def _gain(self, number: int) -> float:
        return sum(
            WEIGHTS[name.partition(" ")[0]] * 0.5 ** self._covered[name] for name in sorted(self._features[number])
        )
