"""The options of a suite: plain data that every process gets and that ``suite.json`` keeps."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from polyjuice import program_formats


class SuiteError(ValueError):
    """A suite that cannot be built, read or run as asked; the message is one line that says what to do."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of ``polyjuice suite build`` (see its help); paths of ``rules`` are absolute.

    ``compilers`` are those that must take the programs. ``traced`` are those whose passes count as features.
    """

    count: int
    formats: tuple[str, ...] = field(default_factory=program_formats.in_suites)
    seed: int = 0
    nodes: int = 10
    strategy: str = "default"
    rules: tuple[str, ...] = ()
    compilers: tuple[str, ...] = ()
    traced: tuple[str, ...] = ()
    opset: int = 18

    @property
    def candidates(self) -> int:
        """The number of pairs to choose from, in proportion smaller for large suites, which gain less from a choice."""
        return self.count + max(min(self.count, 24), self.count // 4)

    def described(self) -> dict[str, Any]:
        """The options as JSON has them, with only the file names of rules, because paths mean nothing elsewhere."""
        return {**asdict(self), "rules": [path.rpartition("/")[2] for path in self.rules]}
