"""Where and how a verdict came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.compilers import CompilerInfo
from polyjuice.session import Conditions


@dataclass(frozen=True)
class Circumstances:
    """The compiler and the conditions under which it ran, the campaign's seed, the case and its rules.

    ``regression`` is where a bug was reported that the verdict looks like, and that this version should not have any
    more.
    """

    compiler: CompilerInfo
    versions: Mapping[str, str]
    conditions: Conditions
    seed: int
    index: int
    rules: Sequence[str]
    regression: str = ""

    @property
    def limit_s(self) -> float:
        """How long a reproducer may take."""
        return 2 * self.conditions.timeout_s
