"""The wishes of a caller of a lowering. Each format reads the fields that concern it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from polyjuice.formats.versions import OPSET
from polyjuice.lower.idioms import UNKNOWN_SIZES
from polyjuice.lower.wanted import NOTHING, Wanted


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments for drawing choices; see :func:`polyjuice.lower.lower`."""

    repeated: Mapping[str, int] = field(default_factory=dict)
    opset: int = OPSET
    lacks: Sequence[str] = ()
    unknown_sizes: float = UNKNOWN_SIZES
    seed_forms: Collection[str] = ()
    wanted: Wanted = NOTHING


USUAL = Request()
"""No wishes: all choices are random."""
