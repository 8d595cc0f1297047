"""Pairs of operators that compilers fuse, exchange or simplify. They exercise a compiler's pattern matching."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.ops import TABLE

MOTIFS: Mapping[str, tuple[str, ...]] = {
    op.qualified: tuple(op.followers.split()) for op in TABLE.values() if op.followers
}
"""For each operator, the operators that such patterns apply to its result, by qualified names."""
