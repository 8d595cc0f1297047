"""Choose the candidates that cover most: greedy maximum coverage, where each further time counts half."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Mapping

from polyjuice.suite.features import WEIGHTS


class Choice:
    """Offers candidates, each time the one with the largest gain over those taken; among equals the first.

    The gain of a candidate never grows as others are taken. So only the candidates at the top need a new gain (lazy
    greedy, Minoux 1978).
    """

    def __init__(self, features: Mapping[int, frozenset[str]]) -> None:
        self._features = features
        self._covered: Counter[str] = Counter()
        self._heap = [(-self._gain(number), number) for number in features]
        heapq.heapify(self._heap)

    def offers(self) -> Iterator[int]:
        """The candidates, best first. Call `take` for a chosen one before asking for the next."""
        while self._heap:
            _, number = heapq.heappop(self._heap)
            gain = self._gain(number)
            if self._heap and (-gain, number) > self._heap[0]:
                heapq.heappush(self._heap, (-gain, number))
            else:
                yield number

    def take(self, number: int) -> None:
        """Count the features of a chosen candidate as covered."""
        self._covered.update(self._features[number])

    def give_back(self, number: int) -> None:
        """Undo `take` for a candidate that makes no case."""
        self._covered -= Counter(self._features[number])

    @property
    def covered(self) -> Counter[str]:
        """For each feature, the number of taken candidates that have it."""
        return self._covered

    def _gain(self, number: int) -> float:
        return sum(
            WEIGHTS[name.partition(" ")[0]] * 0.5 ** self._covered[name] for name in sorted(self._features[number])
        )
