"""What the caller of a lowering asks for, and the error that a lowering raises. Each format reads its own fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from polyjuice.frameworks.idioms import UNKNOWN_SIZES
from polyjuice.frameworks.onnx.versions import OPSET


class Unlowerable(ValueError):
    """A format cannot express a graph; the message names the node. This is no compiler bug."""


@dataclass(frozen=True)
class CoverageTarget:
    """What a program should cover; "" or 0 leaves a property to chance. A program that cannot have it has another.

    ``layout`` is one of ``torch.source.LAYOUTS``. ``setting`` is one of ``torch.source.SETTINGS`` or
    ``tensorflow.source.SETTINGS``. ``opset`` is that of an ONNX model, unless the user named one.
    ``distribution`` is that of the first input's values; it is none of a lowering's business.
    """

    layout: str = ""
    setting: str = ""
    opset: int = 0
    distribution: str = ""


NOTHING = CoverageTarget()
"""All choices are drawn as usual."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """The arguments for drawing choices; see :func:`polyjuice.frameworks.lowering.lower`."""

    repeated: Mapping[str, int] = field(default_factory=dict)
    opset: int = OPSET
    lacks: Sequence[str] = ()
    unknown_sizes: float = UNKNOWN_SIZES
    seed_forms: Collection[str] = ()
    wanted: CoverageTarget = NOTHING


USUAL = Request()
"""No wishes: all choices are random."""
