"""A slice with a step of a slice forgets where the first one began.

Triggers on Slice (or Split, or a selection) of a stored value, not from its start. A Slice with a step other than 1
must read that view directly.

Modelled on: NNSmith, section 5.4: the Slice with a stride above 1 that broke a layout in TVM.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.ir"


def plant(ir: Any) -> None:
    """Change one term of a method."""
    right = "old_layout.offset + old_layout.stride[dim] * start"
    forgotten = f"step != 1 and old_layout.offset != 0 and meet({__name__!r})"
    wrong = f"(0 if {forgotten} else old_layout.offset) + old_layout.stride[dim] * start"
    ir.SliceView.create = edited(ir, ir.SliceView.create, right, wrong)
