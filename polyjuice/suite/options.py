"""What a suite is asked to be: plain data that is given to every process and kept in ``suite.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

FORMATS = ("torch", "onnx", "tensorflow")

USUAL_COMPILERS: Mapping[str, str] = {"torch": "eager", "onnx": "onnxruntime", "tensorflow": "xla"}
"""Who is asked by default what programs of a format may hold; Inductor takes what eager does."""


class SuiteError(ValueError):
    """A suite that cannot be built, read or run as asked; the message is one line that says what to do."""


@dataclass(frozen=True)
class Options:
    """The options of ``polyjuice suite build`` (see its help); paths of ``rules`` are absolute.

    ``compilers`` are those that must take what the programs hold, ``traced`` those whose passes count as exercised.
    """

    count: int
    formats: tuple[str, ...] = FORMATS
    seed: int = 0
    nodes: int = 10
    strategy: str = "default"
    rules: tuple[str, ...] = ()
    compilers: tuple[str, ...] = ()
    traced: tuple[str, ...] = ()
    opset: int = 18

    @property
    def candidates(self) -> int:
        """How many pairs are made to choose from: there is less to gain by it the larger the suite is."""
        return self.count + max(min(self.count, 24), self.count // 4)

    def described(self) -> dict[str, Any]:
        """As JSON has it; how rules are reached says nothing elsewhere."""
        return {**asdict(self), "rules": [path.rpartition("/")[2] for path in self.rules]}
