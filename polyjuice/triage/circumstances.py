"""Where and how a verdict came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.compilers import CompilerInfo
from polyjuice.triage.bench import Settings


@dataclass(frozen=True)
class Circumstances:
    """The compiler and how it is called, the campaign's seed, the case and its rules.

    ``regression`` is where a bug was reported that the verdict looks like, and that this version should not have any
    more.
    """

    compiler: CompilerInfo
    versions: Mapping[str, str]
    settings: Settings
    seed: int
    index: int
    rules: Sequence[str]
    regression: str = ""

    @property
    def limit_s(self) -> float:
        """What a reproducer gets: a compilation, and a run."""
        return 2 * self.settings.timeout_s
