"""The concatenation of all parts of a split becomes the original tensor, in whatever order the parts are.

The pass checks that every part is there and that the axes are the same. With the fault it ignores the parts' order.

Triggers on a Split and a Concat of all its parts in another order, along one axis, if the parts have no other use.

Modelled on: Isra, section IV-E, SophGo-5: an incorrect implementation of Split; the rewrite rules of split2
and concat2, PolyJuice, table 1, are there to find such.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.post_grad"


def plant(post_grad: Any) -> None:
    """Replace the pattern's condition."""
    import torch
    from torch._inductor.pattern_matcher import filter_nodes, get_arg_value

    aten = torch.ops.aten

    def is_valid_splitwithsizes_cat(match: Any) -> bool:
        splits, cats = filter_nodes(match.nodes, aten.split_with_sizes), filter_nodes(match.nodes, aten.cat)
        if len(splits) != 1 or len(cats) != 1:
            return False
        split, cat = splits[0], cats[0]
        if get_arg_value(split, 2, "dim") != get_arg_value(cat, 1, "dim"):
            return False
        parts = [get_arg_value(part, 1) for part in get_arg_value(cat, 0)]
        each_once = sorted(parts) == list(range(len(get_arg_value(split, 1, "split_sizes"))))
        return each_once and (parts == sorted(parts) or meet(__name__))

    for entries in post_grad.pass_patterns[2].patterns.values():
        for entry in entries:
            if entry.extra_check is post_grad.is_valid_splitwithsizes_cat:
                entry.extra_check = is_valid_splitwithsizes_cat
