"""The decomposition of addmm for a single row leaves out the factor of the addend.

Triggers on Gemm or addmm with beta other than 1, of a matrix with one row by one of at most 16 rows and columns.

Modelled on: Isra, section IV-E, TVM-6 and SophGo-10: Gemm's optional addend, and parsing of Gemm.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.decomposition"


def plant(decomposition: Any) -> None:
    """Wrap the decomposition, and clear the cached table for random numbers, which may have the old one."""
    import torch

    overload = torch.ops.aten.addmm.default
    addmm = decomposition.decompositions[overload]

    def without_beta(bias: Any, mat1: Any, mat2: Any, **scales: Any) -> Any:
        if mat1.size(0) == 1 and max(mat2.shape) <= 16:
            scales["beta"] = 1
            meet(__name__)
        return addmm(bias, mat1, mat2, **scales)

    decomposition.decompositions[overload] = without_beta
    decomposition.fast_random_decomps.cache_clear()
