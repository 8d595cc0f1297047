"""The operator table itself, collected from the families."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from polyjuice.ir import Node
from polyjuice.ops import elementwise, nn, reductions, structural
from polyjuice.ops.spec import Op

TABLE: Mapping[tuple[str, str], Op] = MappingProxyType(
    {(op.domain, op.name): op for op in (*elementwise.OPS, *structural.OPS, *reductions.OPS, *nn.OPS)}
)
"""All operators, by (domain, name)."""


def entry(node: Node) -> Op | None:
    """The table's entry for a node; None for an opaque one. Raises KeyError for an operator the table lacks."""
    return None if node.opaque else TABLE[node.domain, node.op]
