"""The operator table as a dictionary that families fill (:mod:`polyjuice.ops.table`), and lookups in it.

Entries whose attributes are graphs look up other entries when they are used. So the table is here, below all families.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType

from polyjuice.ir import Node
from polyjuice.ops.spec import Op
from polyjuice.wording import did_you_mean

_ENTRIES: dict[tuple[str, str], Op] = {}

TABLE: Mapping[tuple[str, str], Op] = MappingProxyType(_ENTRIES)
"""All operators, by (domain, name)."""


def register(operators: Iterable[Op]) -> None:
    """Add entries to the table. Raises ValueError for an operator that the table has already."""
    for op in operators:
        if (op.domain, op.name) in _ENTRIES:
            raise ValueError(f"the operator {op.qualified} has two entries")
        _ENTRIES[op.domain, op.name] = op


def entry(node: Node) -> Op | None:
    """The table's entry for a node; None for an opaque one. Raises KeyError for an operator the table lacks."""
    return None if node.opaque else TABLE[node.domain, node.op]


def matching(patterns: Sequence[str]) -> list[Op]:
    """The operators whose qualified names match one of the patterns; all operators without patterns.

    Raises ValueError naming a pattern that matches none.
    """
    for pattern in patterns:
        if not any(fnmatchcase(op.qualified, pattern) for op in TABLE.values()):
            meant = did_you_mean(pattern, [op.qualified for op in TABLE.values()])
            raise ValueError(f"no operator is called {pattern}{meant or '; polyjuice ops lists them'}")
    return [op for op in TABLE.values() if not patterns or any(fnmatchcase(op.qualified, p) for p in patterns)]


def without_complex(operators: Iterable[Op]) -> tuple[Op, ...]:
    """The operators without complex numbers, which only complex programs have; all operators if no others are left."""
    return _without_complex(tuple(operators))


@lru_cache
def _without_complex(operators: tuple[Op, ...]) -> tuple[Op, ...]:
    return tuple(op for op in operators if not op.of_complex) or operators
