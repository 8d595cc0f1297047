"""Lower a graph to PyTorch source."""

from __future__ import annotations

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyjuice.execution import Artifact
from polyjuice.frameworks import aten_calls
from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.idioms import EXPANDED, LAYOUT, STRIDE_0
from polyjuice.frameworks.request import USUAL, Request
from polyjuice.frameworks.source import Dialect, write
from polyjuice.frameworks.torch import constants as torch_constants
from polyjuice.frameworks.torch import promotion
from polyjuice.frameworks.torch.forms import forms, vary
from polyjuice.frameworks.torch.memory import Memory
from polyjuice.frameworks.torch.writes import overwrite
from polyjuice.ir import Graph, TensorType, dtypes

_IMPORTS = """\
import torch
import torch.nn.functional as F
"""


def _weights(attribute: str, key: str, dtype: str) -> Sequence[str]:
    statements = [f'self.{attribute} = arrays["{key}"]', f'self.register_buffer("{attribute}", arrays["{key}"])']
    if dtypes.is_float(dtype):
        statements.append(f'self.{attribute} = torch.nn.Parameter(arrays["{key}"], requires_grad=False)')
    return statements


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
    texts=lambda op: op.texts("torch"),
    weights=_weights,
    filled=torch_constants.filled,
    made=torch_constants.made,
    broadcast="{x}.expand({shape})",
    decorators=("",),
    promotion=promotion,
    overwrite=overwrite,
    placement=Memory,
    finished=_finished,
    opaque=aten_calls.spell,
)


# Chances of the settings; the rest have inference without gradients, static shapes and contiguous inputs.
_MODES = {"no_grad": 0.7, "inference": 0.1, "grad": 0.1, "train": 0.1}
_FREEZING = 1 / 6 / _MODES["no_grad"]  # a sixth of all programs; the other modes have no freezing
_LAYOUT = 0.25


@dataclass(frozen=True)
class _Setting:
    """How often a program has each mode, freezing, and dynamic shapes."""

    modes: Mapping[str, float]
    freezing: float = 0.0
    dynamic: float = 0.0

    @classmethod
    def of(cls, mode: str = "no_grad", **always: float) -> _Setting:
        return cls({name: name == mode for name in _MODES}, **always)


PLAIN = "plain"
"""The setting of a program without special settings."""

SETTINGS: Mapping[str, _Setting] = {
    PLAIN: _Setting.of(),
    "inference": _Setting.of("inference"),
    "grad": _Setting.of("grad"),
    "train": _Setting.of("train"),
    "freezing": _Setting.of(freezing=1.0),
    "dynamic": _Setting.of(dynamic=1.0),
}
"""Settings of whole programs, by name."""

OTHER_SETTINGS = "settings"
"""The idiom of programs with other settings than the plain ones, which some compilers lack."""

CONTIGUOUS = "contiguous"

LAYOUTS = (CONTIGUOUS, "sliced", "transposed", "channels_last", "stepped", "offset", STRIDE_0)
"""The layouts of an input in memory: see ``compilers._torch.lay_out``."""

_ALIKE = 0.5
"""How often another input also has the layout that is wanted of the first one."""


def lower(graph: Graph, chooser: Chooser, request: Request = USUAL) -> Artifact:
    wanted = request.wanted
    setup: dict[str, Any] = {}
    name = PLAIN if OTHER_SETTINGS in request.lacks else wanted.setting
    setting = SETTINGS.get(name, _Setting(_MODES, _FREEZING, request.unknown_sizes))
    draws = chooser.about("mode")
    mode = draws.weighted(list(setting.modes), list(setting.modes.values()))
    if mode == "grad" and graph.updates:  # Torch refuses to write into tensors that require gradients
        mode = "no_grad"
    if mode != "no_grad":
        setup["mode"] = mode
    elif draws.chance(setting.freezing, plain=False):
        setup["freezing"] = True
    if chooser.about("sizes").chance(setting.dynamic, plain=False):
        setup["dynamic"] = True
    stretched = {name: axis for name, axis in request.repeated.items() if name not in graph.updates}  # not writable
    layouts = [
        _layout(graph.types[name], chooser.about(LAYOUT, name), stretched.get(name), wanted.layout, _ALIKE if i else 1)
        for i, name in enumerate(graph.inputs)
    ]
    if set(layouts) != {CONTIGUOUS} and layouts:
        setup["layouts"] = layouts
    contiguous = [name for name, layout in zip(graph.inputs, layouts, strict=True) if layout == CONTIGUOUS]
    dialect = replace(DIALECT, number_arguments=torch_constants.as_arguments) if "dynamic" in setup else DIALECT
    artifact = write(graph, chooser, dialect, contiguous)
    settings = [f"{key}: {' '.join(value) if isinstance(value, list) else value}" for key, value in setup.items()]
    if graph.updates:
        setup["updates"] = [[place, graph.inputs.index(name)] for name, place in graph.updates.items()]
        settings.append(f"writes into inputs: {len(graph.updates)}")
    return replace(artifact, setup={**artifact.setup, **setup}, idioms=(*artifact.idioms, *settings))


def _layout(t: TensorType, draws: Draws, axis: int | None, wanted: str, chance: float) -> str:
    """Choose an input's layout (see ``compilers._torch.lay_out``): the wanted one with a chance, else a random one."""
    stretched = [f"{EXPANDED}{axis}" for axis in range(t.rank)]
    known = (CONTIGUOUS, "sliced", "transposed", "channels_last", *stretched, "stepped", "offset")

    def drawn(rng: random.Random) -> int:
        if wanted:
            return known.index(_nearest(wanted, t, axis) if rng.random() < chance else CONTIGUOUS)
        if axis is not None and rng.random() < 0.5:
            return known.index(f"{EXPANDED}{axis}")
        if t.rank == 0 or rng.random() >= _LAYOUT:
            return 0
        return known.index(rng.choice(["sliced", "transposed", *(["channels_last"] * 2 if t.rank in (4, 5) else [])]))

    layout = known[draws.take(drawn, len(known) if t.rank else 1)]
    return layout if layout != "channels_last" or t.rank in (4, 5) else CONTIGUOUS


def _nearest(wanted: str, t: TensorType, axis: int | None) -> str:
    if not t.rank:
        return CONTIGUOUS
    if wanted == STRIDE_0 and axis is not None:
        return f"{EXPANDED}{axis}"
    lacked = {STRIDE_0: axis is None, "channels_last": t.rank not in (4, 5), "transposed": t.rank < 2}
    return "stepped" if lacked.get(wanted) else wanted
