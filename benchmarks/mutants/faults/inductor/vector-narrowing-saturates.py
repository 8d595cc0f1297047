"""Vectorised conversion of integers to 8 bits saturates, as the processor's packing instructions do, and does not wrap.

Triggers on Cast of int32 or int64 to int8 or uint8 within a vectorised loop, of a number that 8 bits do not hold.

Modelled on: PolyJuice, section 7: data types on the way from high-level to low-level code.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Clamp a number before its conversion."""
    import torch

    get_to_dtype_expr = cpp.CppVecKernel.get_to_dtype_expr

    def saturating(self: Any, src: Any, dtype: torch.dtype, src_dtype: torch.dtype, rounding: bool = False) -> str:
        expression = get_to_dtype_expr(self, src, dtype, src_dtype, rounding)
        narrowed = src_dtype in (torch.int32, torch.int64) and dtype in (torch.int8, torch.uint8)
        if not src.is_vec or not narrowed:
            return str(expression)
        meet(__name__)
        held, vector = torch.iinfo(dtype), f"decltype({src})"
        function, operand = expression.rsplit("(", 1)
        return f"{function}(at::vec::clamp({operand.rstrip(')')}, {vector}({held.min}), {vector}({held.max})))"

    cpp.CppVecKernel.get_to_dtype_expr = saturating
