"""The sum over a row of integers misses its last element if the last vector is partly used.

Triggers on ReduceSum, or an operator made of it, of int32 or int64 along a contiguous axis. The axis has eight or more
elements, and their count is no multiple of the vector's width.

Modelled on: PolyJuice, section 7: low-level code generation; Isra, section IV-E, SophGo-3: the
buffer of ReduceProd.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Shorten one case of the vectorised combination."""
    import torch

    reduction_combine_vec = cpp.CppVecKernel.reduction_combine_vec

    def combine(self: Any, reduction_type: str, var: Any, next_value: Any, *rest: Any, **named: Any) -> str:
        expression = str(reduction_combine_vec(self, reduction_type, var, next_value, *rest, **named))
        if named.get("src_dtype") not in (torch.int32, torch.int64) or not expression.startswith("sum_masked_reduce("):
            return expression
        meet(__name__)
        head, size = expression.rsplit(", ", 1)
        return f"{head}, {size[:-1]} - 1)"

    cpp.CppVecKernel.reduction_combine_vec = combine
