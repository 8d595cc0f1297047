"""The maximum over a row includes the zeros that fill the last, partly used vector.

A masked load fills the lanes beyond the end with zeros. The other reductions keep these out of the accumulator.

Triggers on ReduceMax over eight or more contiguous numbers, all of them negative. Their count is no multiple of the
vector's width.

Modelled on: PolyJuice, section 7: low-level code generation; section 6.1, bug study 2: what TVM's reduction
starts from.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Replace one case of the vectorised combination."""
    import torch

    reduction_combine_vec = cpp.CppVecKernel.reduction_combine_vec

    def combine(self: Any, reduction_type: str, var: Any, next_value: Any, *rest: Any, **named: Any) -> str:
        if reduction_type == "max" and self.tail_size and named.get("src_dtype") not in (None, torch.bool):
            meet(__name__)
            return f"at::vec::maximum({var}, {next_value})"
        return str(reduction_combine_vec(self, reduction_type, var, next_value, *rest, **named))

    cpp.CppVecKernel.reduction_combine_vec = combine
