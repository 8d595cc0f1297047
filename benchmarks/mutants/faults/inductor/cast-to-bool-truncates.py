"""Scalar code converts a float to bool through an integer, so numbers between -1 and 1 become false.

Triggers on Cast of floats to bool in code that is not vectorised (a loop's tail, a short loop, a type without vectors).

Modelled on: PolyJuice, section 6.1, bug study 1: incorrect type casting in Inductor; NNSmith,
section 5.4: data type mismatch.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Replace one case of the scalar conversion."""
    import torch

    get_to_dtype_expr = cpp.CppKernel.get_to_dtype_expr

    def truncating(self: Any, src: Any, dtype: torch.dtype, src_dtype: torch.dtype, rounding: bool = False) -> str:
        if dtype == torch.bool and src_dtype.is_floating_point:
            meet(__name__)
            return f"static_cast<int64_t>({src}) != 0"
        return str(get_to_dtype_expr(self, src, dtype, src_dtype, rounding))

    cpp.CppKernel.get_to_dtype_expr = truncating
