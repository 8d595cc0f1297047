"""Limits for models that are read: they hold before a library allocates memory for a model or infers its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polyjuice.frameworks.errors import FormatError
from polyjuice.ir import TensorType

BYTES = 2**31 - 1
"""The most bytes of a model with its external data, which is also the most that one protobuf message holds."""

DEPTH = 24
"""The most subgraphs inside one another, and the most functions that call one another in a chain."""

RANK = 24
"""The most dimensions of a value: NumPy has 64, and some operators are computed on twice as many dimensions."""

TEXT = 1000
"""The most characters of a name."""

_ALL = 16
"""All values together may have this many times the elements of one."""

EVALUATION = 20
"""Evaluating a model may take this many times as long as reading it: inputs are searched for, and variants compared."""


@dataclass(frozen=True, kw_only=True)
class ReadLimits:
    """The resources that a model may need when it is read.

    ``elements`` limits the elements of each input and each result. All of them together may have 16 times as many.
    Constants in the file do not count, because its size limits them (:data:`BYTES`). ``nodes`` limits the nodes, with
    those of subgraphs and of called functions. ``memory_gib`` limits the process that reads, and ``seconds`` its
    processor time.
    """

    elements: int = 1 << 26
    nodes: int = 20_000
    seconds: float = 15.0
    memory_gib: float = 8.0

    @property
    def all_elements(self) -> int:
        return _ALL * self.elements


_limits = ReadLimits()


def read_limits() -> ReadLimits:
    return _limits


def set_read_limits(limits: ReadLimits) -> None:
    """Let this process read models within these limits from now on."""
    global _limits
    _limits = limits


@contextmanager
def reading_within(limits: ReadLimits) -> Iterator[None]:
    before = _limits
    set_read_limits(limits)
    try:
        yield
    finally:
        set_read_limits(before)


class TooLarge(FormatError):
    """A model that exceeds a limit; the message names the option that raises it."""


@dataclass
class Budget:
    """Counts the elements of a model's values against the limits."""

    elements: int = 0

    def spend(self, name: str, type: TensorType) -> None:
        """Count an input or a result. Raises TooLarge, which names it."""
        check_value(name, type)
        self.elements += extent(type.shape)
        most = read_limits().all_elements
        if self.elements > most:
            raise TooLarge(
                f"with the value {name!r}, the values together have more than {most:,} elements; "
                "make the model's dimensions smaller, or raise --max-elements"
            )


def check_value(name: str, type: TensorType) -> None:
    """Raise TooLarge, which names the value, where it has too many elements or dimensions."""
    if type.rank > RANK:
        raise TooLarge(f"the value {name!r} has {type.rank} dimensions; at most {RANK} are supported")
    most = read_limits().elements
    if extent(type.shape) > most:
        raise TooLarge(
            f"the value {name!r} has the type {type}, which is more than {most:,} elements; "
            "make its dimensions smaller, or raise --max-elements"
        )


def extent(shape: Iterable[int]) -> int:
    """The number of elements of a shape, with 1 for each size of 0, because NumPy limits such shapes as well."""
    count = 1
    for size in shape:
        count *= max(size, 1)
    return count
