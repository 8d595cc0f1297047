"""Inputs whose values repeat along an axis, so that a lowering may give that axis stride 0."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.execution import Artifact, Site
from polyjuice.ir import Graph

LAYOUT = "layout"
"""The subject of choices about an input's layout."""

STRIDE_0 = "expanded"
"""The layout of an input with stride 0 along an axis on which its values repeat."""

EXPANDED = f"{STRIDE_0}:"
"""The prefix of a layout with stride 0 along an axis."""

_CHANCE = 0.05


def repeated_axes(graph: Graph, seed: int | str, layout: str = "") -> dict[str, int]:
    """Return, for a few inputs, the axis along which their values should repeat.

    If a ``layout`` of the first input is wanted, only this input may repeat, and only if the layout is stride 0.
    """
    rng = random.Random(f"repeated {seed}")
    chosen = {}
    for number, name in enumerate(graph.inputs):
        axes = [axis for axis, size in enumerate(graph.types[name].shape) if size > 1]
        chance = float(layout == STRIDE_0 and not number) if layout else _CHANCE
        if axes and rng.random() < chance:
            chosen[name] = rng.choice(axes)
    return chosen


def unfit_layouts(graph: Graph, artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[Site]:
    """Return the sites that chose stride 0 along an axis where the input's values do not repeat."""
    layouts = artifact.setup.get("layouts", ())
    return [
        (LAYOUT, name)
        for name, layout, array in zip(graph.inputs, layouts, inputs, strict=False)
        if layout.startswith(EXPANDED) and not _repeats(array, int(layout.removeprefix(EXPANDED)))
    ]


def _repeats(array: np.ndarray, axis: int) -> bool:
    if array.shape[axis] < 2 or not array.size:
        return False
    return array.tobytes() == np.broadcast_to(np.take(array, [0], axis), array.shape).tobytes()


def repeat(graph: Graph, inputs: Sequence[np.ndarray], axes: Mapping[str, int]) -> tuple[np.ndarray, ...]:
    """Return the inputs of a graph, with the first values along those axes repeated along them."""
    return tuple(
        np.ascontiguousarray(np.broadcast_to(np.take(array, [0], axes[name]), array.shape)) if name in axes else array
        for name, array in zip(graph.inputs, inputs, strict=True)
    )
