"""Idioms of all formats: common choices, the rate of unknown sizes, names, and inputs that repeat along an axis."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.execution import Artifact, Site
from polyjuice.frameworks.choosers import Chooser
from polyjuice.ir import Graph, Node
from polyjuice.ops import axes, entry

_FROM_THE_END = 0.5

UNKNOWN_SIZES = 1 / 3
"""How often a program is compiled for inputs of any sizes."""


def axes_from_the_end(graph: Graph, chooser: Chooser, idioms: Counter[str]) -> Graph:
    """Sometimes count all axes from the end, because compilers look for patterns with ``dim=-1`` as people write it."""
    if not chooser.about("axes").chance(_FROM_THE_END):
        return graph
    nodes = tuple(_from_the_end(graph, node) for node in graph.nodes)
    if nodes != graph.nodes:
        idioms["axes counted from the end"] += 1
    return replace(graph, nodes=nodes)


def _from_the_end(graph: Graph, node: Node) -> Node:
    results = [name for name in node.outputs if name]
    if entry(node) is None or not node.inputs or not node.inputs[0] or not results:
        return node
    ranks = graph.types[node.inputs[0]].rank, graph.types[results[0]].rank
    return replace(node, attrs=axes.from_the_end(node.op, node.attrs, *ranks))


def further_result(values: Sequence[str], chooser: Chooser, chance: float, idioms: Counter[str]) -> list[str]:
    """Sometimes return one of these intermediate values, which becomes a further result."""
    draws = chooser.about("further result")
    found = draws.marked(values, lambda rng: [rng.choice(values)] if values and rng.random() < chance else [])
    idioms["an intermediate value as a result"] += len(found)
    return found


def named(idioms: Counter[str]) -> tuple[str, ...]:
    """Return the name of each idiom, with its count if it occurs more than once."""
    return tuple(f"{name} x{n}" if n > 1 else name for name, n in sorted(idioms.items()) if n)


# --- inputs with stride 0 ---------------------------------------------------------------------------------------------

LAYOUT = "layout"
"""The subject of choices about an input's layout."""

STRIDE_0 = "expanded"
"""The layout of an input with stride 0 along an axis on which its values repeat."""

EXPANDED = f"{STRIDE_0}:"
"""The prefix of a layout with stride 0 along an axis."""

_REPEATED = 0.05


def repeated_axes(graph: Graph, seed: int | str, layout: str = "") -> dict[str, int]:
    """Return, for a few inputs, the axis along which their values should repeat.

    If a ``layout`` of the first input is wanted, only this input may repeat, and only if the layout is stride 0.
    """
    rng = random.Random(f"repeated {seed}")
    chosen = {}
    for number, name in enumerate(graph.inputs):
        axes = [axis for axis, size in enumerate(graph.types[name].shape) if size > 1]
        chance = float(layout == STRIDE_0 and not number) if layout else _REPEATED
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
