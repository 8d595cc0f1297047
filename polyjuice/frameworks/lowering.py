"""Lowering: write a graph as an artifact in a compiler's input format. Choices are drawn from a seed or replayed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks import registry
from polyjuice.frameworks.choosers import Chooser, drawing, replaying
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.idioms import UNKNOWN_SIZES, repeat, repeated_axes, unfit_layouts
from polyjuice.frameworks.onnx import model as onnx_model
from polyjuice.frameworks.onnx.model import following, opset_of
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.frameworks.request import NOTHING, CoverageTarget, Request, Unlowerable
from polyjuice.ir import Graph

DEFAULT_OPSET = OPSET

DRAWN_OPSET = onnx_model.DRAWN
"""Means that the seed chooses the opset."""

OPSETS = onnx_model.OPSETS
"""The opsets at which ONNX models are written."""


def forms(format: str) -> Collection[Form]:
    """Return the forms that a format declares."""
    declared = registry.find(format).forms
    return declared.load() if declared else ()


__all__ = [
    "DEFAULT_OPSET",
    "DRAWN_OPSET",
    "NOTHING",
    "OPSETS",
    "UNKNOWN_SIZES",
    "CoverageTarget",
    "Unlowerable",
    "following",
    "forms",
    "lower",
    "opset_of",
    "repeat",
    "repeated_axes",
    "unfit_layouts",
]


def lower(
    graph: Graph,
    format: str,
    by: LoweringChoices | Chooser | int | str,
    *,
    repeated: Mapping[str, int] = MappingProxyType({}),
    opset: int = DEFAULT_OPSET,
    lacks: Sequence[str] = (),
    unknown_sizes: float = UNKNOWN_SIZES,
    seed_forms: Collection[str] = (),
    wanted: CoverageTarget = NOTHING,
) -> Artifact:
    """Return the artifact of a graph. Raises Unlowerable if the format cannot express it.

    ``by`` holds recorded choices, or a seed that draws them. The artifact carries the choices, which suffice to lower
    the graph again in the same way. The other arguments matter only when choices are drawn:

    - ``repeated`` names inputs whose values repeat along an axis, which may then have stride 0.
    - An ONNX model has the given ``opset``, or a near one if that opset cannot express the graph. DRAWN_OPSET draws
      one.
    - ``lacks`` names idioms and forms that the compiler's importer does not support.
    - ``unknown_sizes`` is how often the compiler does not get the sizes of inputs.
    - ``seed_forms`` names the forms that the seed model has (see :mod:`polyjuice.frameworks.forms`).
    - ``wanted`` fixes choices that are otherwise random.
    """
    try:
        target = registry.find(format)
    except KeyError:
        raise Unlowerable(f"no format is called {format!r}: there are {', '.join(registry.names())}") from None
    if graph.updates and not target.updates:
        raise Unlowerable(f"the program writes into its input {next(iter(graph.updates))!r}; {format} programs cannot")
    chooser = by if isinstance(by, Chooser) else replaying(by) if isinstance(by, LoweringChoices) else drawing(by)
    request = Request(
        repeated=repeated,
        opset=opset,
        lacks=lacks,
        unknown_sizes=unknown_sizes,
        seed_forms=seed_forms,
        wanted=wanted,
    )
    artifact: Artifact = target.lower.load()(graph, chooser, request)
    return artifact
