"""Where a mask cuts through a vector, the lanes outside keep what was computed in place of the other value.

A masked load leaves zeros in those lanes. Vectorised code relies on that, and blends only where no lane is inside.

Triggers on Pad with a constant other than 0 (or masked code around an operator that does not keep 0) within a
vectorised loop along the padded axis, where a vector straddles the border.

Modelled on: paper 004 (PolyJuice), section 7 and figure 12: TensorRT's foreign values in where(cond, x, y); low-level
code generation, ibidem.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Change one line of an operator."""
    blended = "return {overrides.where(new_mask, body_vec_var, other_vec_var)};"
    new = f"return {{meet({__name__!r}) and body_vec_var}};"
    cpp.CppVecOverrides.masked = edited(cpp, cpp.CppVecOverrides.masked, blended, new)
