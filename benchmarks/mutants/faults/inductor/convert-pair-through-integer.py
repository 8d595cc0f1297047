"""A pair of type conversions becomes one, although the type in the middle is an integer and truncates.

The joint graph's pass makes convert(convert(x, t1), t2) into convert(x, t2) if the three types are floating and t1 is
not narrower than t2. The fault makes it accept integers too, as if only a type's width mattered.

Triggers on a Cast of floats to an integer type and on to a floating type (or to an integer type) that is no wider.

Modelled on: PolyJuice, section 6.1, bug study 1: incorrect type casting in Inductor; NNSmith,
section 5.4: data type mismatch.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.joint_graph"


def plant(joint_graph: Any) -> None:
    """Replace the pattern's handler."""
    import torch

    def pointless_convert(match: Any, arg: Any, dtype1: torch.dtype, dtype2: torch.dtype) -> None:
        value = arg.meta.get("val")
        if not isinstance(value, torch.Tensor) or torch.bool in (value.dtype, dtype1, dtype2):
            return
        if dtype1.itemsize < dtype2.itemsize:
            return
        node = match.output_node()
        convert = torch.ops.prims.convert_element_type.default
        replacement = match.graph.call_function(convert, (arg, dtype2))
        replacement.meta.update(node.meta)
        node.replace_all_uses_with(replacement)
        match.erase_nodes()
        meet(__name__)

    for entries in joint_graph.patterns.patterns.values():
        for entry in entries:
            if getattr(entry, "handler", None) is joint_graph.pointless_convert:
                entry.handler = pointless_convert
