"""If a mask cuts through a vector, the masked-out lanes keep the computed value, not the other value.

A masked load leaves zeros in those lanes. Vectorised code relies on that, and blends only if no lane is inside.

Triggers on Pad with a constant other than 0, or on masked code around an operator that does not keep 0. A vectorised
loop must run along the padded axis, with a vector across the border.

Modelled on: PolyJuice, section 7 and figure 12: TensorRT's foreign values in where(cond, x, y); low-level
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
