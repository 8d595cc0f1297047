"""Graph to PyTorch source."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from polyjuice.execution import Artifact
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.lower import aten, torch_constants
from polyjuice.lower.choices import Chooser, Draws
from polyjuice.lower.idioms import UNKNOWN_SIZES
from polyjuice.lower.source import Dialect, write
from polyjuice.lower.torch_arguments import vary
from polyjuice.lower.torch_forms import forms

_IMPORTS = """\
import torch
import torch.nn.functional as F
"""


def _weights(attribute: str, key: str, dtype: str) -> Sequence[str]:
    spellings = [f'self.{attribute} = arrays["{key}"]', f'self.register_buffer("{attribute}", arrays["{key}"])']
    if dtypes.is_float(dtype):
        spellings.append(f'self.{attribute} = torch.nn.Parameter(arrays["{key}"], requires_grad=False)')
    return spellings


def _finished(text: str, draws: Draws) -> tuple[str, Sequence[str]]:
    tree = ast.parse(text, mode="eval")
    changed = vary(tree, draws)
    return ast.unparse(tree) if changed else text, forms(tree)


DIALECT = Dialect(
    format="torch",
    title="Torch",
    imports=_IMPORTS,
    base="torch.nn.Module",
    method="forward",
    reserved=frozenset({"torch", "F"}),
    spelling=lambda op: op.torch,
    weights=_weights,
    filled=torch_constants.filled,
    made=torch_constants.made,
    broadcast="{x}.expand({shape})",
    decorators=("",),
    promotes=True,
    finished=_finished,
    opaque=aten.spell,
)


# Chances of the settings; inference without gradients, static shapes and contiguous inputs are the rest.
_MODES = {"no_grad": 0.7, "inference": 0.1, "grad": 0.1, "train": 0.1}
_FREEZING = 1 / 6 / _MODES["no_grad"]  # a sixth of all programs; the other modes have no freezing
_LAYOUT = 0.25

LAYOUT = "layout"
"""What choices are about that say how an input lies in memory."""

EXPANDED = "expanded:"
"""Begins the layout that has stride 0 along an axis."""


def lower(
    graph: Graph,
    chooser: Chooser,
    repeated: Mapping[str, int] = MappingProxyType({}),
    unknown_sizes: float = UNKNOWN_SIZES,
) -> Artifact:
    """The Torch source of a graph. Raises Unlowerable naming the node.

    ``repeated`` names inputs whose values repeat along an axis, which may have stride 0.
    """
    setup: dict[str, Any] = {}
    draws = chooser.about("mode")
    mode = draws.weighted(list(_MODES), list(_MODES.values()))
    if mode != "no_grad":
        setup["mode"] = mode
    elif draws.chance(_FREEZING):
        setup["freezing"] = True
    if chooser.about("sizes").chance(unknown_sizes, plain=False):
        setup["dynamic"] = True
    layouts = [_layout(graph.types[name], chooser.about(LAYOUT, name), repeated.get(name)) for name in graph.inputs]
    if set(layouts) != {"contiguous"} and layouts:
        setup["layouts"] = layouts
    artifact = write(graph, chooser, DIALECT)
    said = [f"{key}: {' '.join(value) if isinstance(value, list) else value}" for key, value in setup.items()]
    return replace(artifact, setup=setup, idioms=(*artifact.idioms, *said))


def _layout(t: TensorType, draws: Draws, axis: int | None) -> str:
    """How an input lies in memory: see ``compilers._torch.lay_out``."""
    known = ("contiguous", "sliced", "transposed", "channels_last", *(f"{EXPANDED}{axis}" for axis in range(t.rank)))

    def drawn(rng: random.Random) -> int:
        if axis is not None and rng.random() < 0.5:
            return known.index(f"{EXPANDED}{axis}")
        if t.rank == 0 or rng.random() >= _LAYOUT:
            return 0
        return known.index(rng.choice(["sliced", "transposed", *(["channels_last"] * 2 if t.rank in (4, 5) else [])]))

    layout = known[draws.take(drawn, len(known) if t.rank else 1)]
    return layout if layout != "channels_last" or t.rank in (4, 5) else "contiguous"
