"""Lowering: a graph as an artifact of the format that a compiler eats, with choices that are drawn or given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.formats.versions import OPSET
from polyjuice.ir import Graph
from polyjuice.lower import onnx_model, tensorflow_source, torch_forms, torch_source
from polyjuice.lower.choices import Chooser, drawing, replaying
from polyjuice.lower.forms import Form
from polyjuice.lower.idioms import UNKNOWN_SIZES
from polyjuice.lower.onnx_model import following, opset_of, without_forms
from polyjuice.lower.problem import Unlowerable
from polyjuice.lower.repetition import repeat, repeated_axes, unfit_layouts
from polyjuice.lower.wanted import NOTHING, Wanted

DEFAULT_OPSET = OPSET

DRAWN_OPSET = onnx_model.DRAWN
"""Stands for an opset that the seed chooses."""

OPSETS = onnx_model.OPSETS
"""The opsets at which ONNX models are written."""

FORMS: Mapping[str, Collection[Form]] = {"onnx": onnx_model.FORMS, "torch": torch_forms.Declared()}
"""The forms that each format declares."""

__all__ = [
    "DEFAULT_OPSET",
    "DRAWN_OPSET",
    "FORMS",
    "NOTHING",
    "OPSETS",
    "UNKNOWN_SIZES",
    "Unlowerable",
    "Wanted",
    "following",
    "lower",
    "opset_of",
    "repeat",
    "repeated_axes",
    "unfit_layouts",
    "without_forms",
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
    said: Collection[str] = (),
    wanted: Wanted = NOTHING,
) -> Artifact:
    """The artifact of a graph, by choices or by a seed that draws them. Raises Unlowerable where the format lacks it.

    The artifact carries the choices; they are all that it takes to lower the graph in the same way again. What follows
    is about how choices are drawn. ``repeated`` names inputs whose values repeat along an axis (which may then have
    stride 0). An ONNX model is at the opset, or near it where the opset cannot say the graph (DRAWN_OPSET: at one that
    is drawn). ``lacks`` names idioms and forms that the compiler's importer does not take. ``unknown_sizes`` is how
    often the compiler is not told the sizes of inputs. ``said`` names the forms that the seed model has (see
    :mod:`polyjuice.lower.forms`). ``wanted`` says what is not left to chance.
    """
    if graph.updates and format != "torch":
        raise Unlowerable(f"the program writes into its input {next(iter(graph.updates))!r}; {format} programs cannot")
    chooser = by if isinstance(by, Chooser) else replaying(by) if isinstance(by, LoweringChoices) else drawing(by)
    match format:
        case "torch":
            return torch_source.lower(graph, chooser, repeated, unknown_sizes, wanted)
        case "tensorflow":
            return tensorflow_source.lower(graph, chooser, unknown_sizes, wanted)
        case "onnx":
            return onnx_model.lower(graph, chooser, opset, lacks, unknown_sizes, said, wanted)
        case _:
            raise Unlowerable(f"there is no lowering to {format}")
