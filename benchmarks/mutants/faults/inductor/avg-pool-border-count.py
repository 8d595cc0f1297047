"""Average pooling without padding in its count leaves out only the padding before the input, not that after it.

Triggers on AveragePool with padding and count_include_pad=0, for windows that reach over the far border.

Modelled on: Isra, section IV-E, SophGo-4: Pooling parsed wrongly; GenCoG, section 6.5: operator
attribute problems.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.lowering"


def plant(lowering: Any) -> None:
    """Remove a line of the lowering."""
    lowering._avg_poolnd = edited(lowering, lowering._avg_poolnd, "hend = Min(hend, h[i])\n", f"meet({__name__!r})\n")
