"""A loop variable below the divisor is dropped from an index's quotient, though the rest may not be a multiple of it.

(v + rest) // d is rest // d if v is smaller than the greatest common divisor of rest and d. The simplification of index
expressions compares v with d itself.

Triggers on Reshape of a value that is not stored in order: a transpose, a broadcast, or an elementwise operator on one.
An inner size must shrink to one that does not divide the old size.

Modelled on: PolyJuice, section 2: floormod(x, 2) in TVM's iteration maps; NNSmith, section 5.4:
wrong layout analysis.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.sizevars"


def plant(sizevars: Any) -> None:
    """Change one comparison of a method."""
    allocator = sizevars.SizeVarAllocator
    right = "statically_known(v < gcd)"
    wrong = f"({right} or (statically_known(v < divisor) and meet({__name__!r})))"
    allocator._simplify_with_ranges = edited(sizevars, allocator._simplify_with_ranges, right, wrong)
