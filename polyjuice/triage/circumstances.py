"""Where and how a verdict came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.compilers import CompilerInfo


@dataclass(frozen=True)
class Circumstances:
    """The compiler and its settings, the campaign's seed, the case and its rules.

    ``python`` has the compiler; ``level`` is "" for its default; a reproducer gets ``limit_s`` seconds. ``regression``
    is where a bug was reported that the verdict looks like, and that this version should not have any more.
    """

    compiler: CompilerInfo
    versions: Mapping[str, str]
    python: str
    device: str
    level: str
    seed: int
    index: int
    rules: Sequence[str]
    limit_s: float
    regression: str = ""
