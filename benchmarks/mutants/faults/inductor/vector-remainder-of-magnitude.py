"""The vectorised integer remainder uses the divisor's magnitude, and so is never negative.

Triggers on Mod (with the sign of the divisor) of signed integers within a vectorised loop. The divisor must be negative
and leave a remainder.

Modelled on: NNSmith, section 5.4: TVM's wrong arithmetic on |(x mod y) / x|; PolyJuice, section
2: floormod(x, 2) in TVM.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.codegen.cpp"


def plant(cpp: Any) -> None:
    """Replace the operator of vectorised code."""
    import torch

    signed_remainder = cpp.CppVecOverrides.remainder

    def remainder(a: Any, b: Any) -> str:
        expression = str(signed_remainder(a, b))
        if a.dtype not in (torch.int8, torch.int16, torch.int32, torch.int64):
            return expression
        meet(__name__)
        head, divisor = expression.split(", ", 1)
        return f"{head}, ({divisor[:-1]}).abs())"

    cpp.CppVecOverrides.remainder = staticmethod(remainder)
