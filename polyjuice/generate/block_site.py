"""The builder of a block: the interface through which a block adds operators to a graph, and the list of all blocks.

``blocks`` has the blocks themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from polyjuice.generate.growth import Growth
from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import TABLE

_EXISTING, _LEARNT = 0.3, 0.6
"""Two probabilities: that an operand is an existing value, if one has the type; and that a new operand is a constant.
"""

_LATER = 0.4
"""How often a near miss leaves the next place as it is, and changes a later one."""


class Unfit(Exception):
    """An operator does not fit: the block ends here."""


class BlockSite:
    """The interface through which a block adds operators to a graph."""

    def __init__(self, growth: Growth, nodes: int, near_miss: bool = False) -> None:
        """``nodes``: how many operators the graph may have; ``near_miss``: one attribute gets another value."""
        self.rng = growth.rng
        self._growth = growth
        self._nodes = nodes
        self._near_miss = near_miss

    def type(self, name: str) -> TensorType:
        """Return the type of a value."""
        return self._growth.type(name)

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a value."""
        return self.type(name).shape

    def op(self, name: str, *operands: str, **attrs: Any) -> str:
        """Apply an operator and return the name of its first result. Raises Unfit."""
        return self.multi(name, *operands, **attrs)[0]

    def multi(self, name: str, *operands: str, **attrs: Any) -> tuple[str, ...]:
        """Apply an operator and return the names of all its results. Raises Unfit."""
        if len(self._growth) >= self._nodes:
            raise Unfit
        missed = self._missed(attrs)
        if missed and (results := self._growth.apply(TABLE["", name], operands, missed)):
            self._near_miss = False
            return results
        results = self._growth.apply(TABLE["", name], operands, attrs)
        if not results:
            raise Unfit
        return results

    def _missed(self, attrs: Attrs) -> Attrs:
        """Return the attributes with one permutation, axis or flag changed; empty if there is none, or not here."""
        names = [name for name in ("perm", "axis", "axes", "keepdims") if name in attrs]
        if not self._near_miss or not names or self.rng.random() < _LATER:
            return {}
        name = self.rng.choice(names)
        value = attrs[name]
        if name == "perm":
            other: Any = self.rng.sample(value, len(value))
        elif name == "keepdims":
            other = 1 - value
        else:
            other = [value[0] - 1, *value[1:]] if isinstance(value, Sequence) else value - 1
        return {**attrs, name: other}

    def value(self, like: str, shape: Sequence[int]) -> str:
        """Return an operand of a shape with the element type of ``like``: an existing value, a constant or an input."""
        wanted = TensorType(self.type(like).dtype, tuple(shape))
        there = [name for name in self._growth.values if self.type(name) == wanted]
        if there and self.rng.random() < _EXISTING:
            return self.rng.choice(there)
        return self._growth.fresh(wanted, _LEARNT)

    def constant(self, like: str, value: float, shape: Sequence[int] = ()) -> str:
        """Return a constant filled with one value, with the element type of ``like``."""
        if self._near_miss and value not in (0, 1) and self.rng.random() > _LATER:
            self._near_miss, value = False, 2 * value
        return self._growth.add_constant(np.full(tuple(shape), value).astype(dtypes.to_numpy(self.type(like).dtype)))

    def narrow_constant(self, value: float, dtype: str) -> str:
        """Return a scalar constant of an element type."""
        return self._growth.add_constant(np.asarray(value).astype(dtypes.to_numpy(dtype)))

    def positions(self, *shape: int) -> str:
        """Return a constant with the numbers 0, 1, 2 ..."""
        return self._growth.add_constant(np.arange(prod(shape)).reshape(shape))

    def axis(self, name: str) -> int:
        """Return an axis of a value: the last one half the time, else a random one. Raises Unfit for a scalar."""
        rank = len(self.shape(name))
        if not rank:
            raise Unfit
        return self.rng.choice((self.rng.randrange(rank), rank - 1))


@dataclass(frozen=True, kw_only=True)
class Block:
    """A function that builds a block, and the element types and ranks of the value that it builds on."""

    build: Callable[[BlockSite, str], object]
    dtypes: tuple[str, ...]
    ranks: range
    weight: int

    def fits(self, t: TensorType) -> bool:
        """Return whether the block can build on a value of this type, which must not be empty."""
        return t.dtype in self.dtypes and t.rank in self.ranks and 0 not in t.shape


BLOCKS: list[Block] = []


def block(
    types: tuple[str, ...], least: int, most: int = 4, weight: int = 1
) -> Callable[[Callable[[BlockSite, str], object]], Block]:
    """Register a function as a block for values of some element types, of ranks ``least`` to ``most``."""

    def register(build: Callable[[BlockSite, str], object]) -> Block:
        BLOCKS.append(Block(build=build, dtypes=types, ranks=range(least, most + 1), weight=weight))
        return BLOCKS[-1]

    return register
