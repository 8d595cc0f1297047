"""A pair of permutes is removed whenever the result has the operand's shape.

The joint graph's pass removes permute(permute(x, p), q) if q undoes p. The fault only compares the shapes. That is
wrong if dimensions of equal size change places.

Triggers on two transposes in a row that together exchange or rotate dimensions of equal size. The graph must read the
result, since Inductor does not compile an output that is a view of an input.

Modelled on: NNSmith, section 5.4: TVM's wrong layout analyses.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.joint_graph"


def plant(joint_graph: Any) -> None:
    """Replace the pattern's handler."""

    def pointless_permute_pair(match: Any, arg: Any, perm1: list[int], perm2: list[int]) -> None:
        node = match.output_node()
        if node.meta["val"].shape == arg.meta["val"].shape:
            node.replace_all_uses_with(arg)
            match.erase_nodes()
            if [perm1[i] for i in perm2] != sorted(perm1):
                meet(__name__)

    for entries in joint_graph.early_patterns.patterns.values():
        for entry in entries:
            if entry.handler is joint_graph.pointless_permute_pair:
                entry.handler = pointless_permute_pair
