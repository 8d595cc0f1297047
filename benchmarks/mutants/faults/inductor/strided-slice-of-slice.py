"""A slice with a step of a slice forgets where the first one began.

Triggers on Slice (or Split, or a selection) of something stored in memory, not from its start, and Slice with a step
other than 1 of that view itself.

Modelled on: paper 001 (NNSmith), section 5.4: the Slice with a stride above 1 that broke a layout in TVM.
"""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

MODULE = "torch._inductor.ir"


def plant(ir: Any) -> None:
    """Change one term of a method."""
    source = textwrap.dedent(inspect.getsource(ir.SliceView.create))
    offset = "old_layout.offset + old_layout.stride[dim] * start"
    assert source.count(offset) == 1
    scope: dict[str, Any] = {}
    exec(source.replace(offset, f"(0 if step != 1 else old_layout.offset) + {offset.split(' + ')[1]}"), vars(ir), scope)
    ir.SliceView.create = scope["create"]
