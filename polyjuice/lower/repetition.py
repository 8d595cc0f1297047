"""Inputs whose values repeat along an axis, so that a lowering may give that axis stride 0."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.ir import Graph

_CHANCE = 0.05


def repeated_axes(graph: Graph, seed: int | str) -> dict[str, int]:
    """Here and there an input and the axis along which its values are to repeat."""
    rng = random.Random(f"repeated {seed}")
    chosen = {}
    for name in graph.inputs:
        axes = [axis for axis, size in enumerate(graph.types[name].shape) if size > 1]
        if axes and rng.random() < _CHANCE:
            chosen[name] = rng.choice(axes)
    return chosen


def repeat(graph: Graph, inputs: Sequence[np.ndarray], axes: Mapping[str, int]) -> tuple[np.ndarray, ...]:
    """The inputs of a graph with the first values of those axes everywhere along them."""
    return tuple(
        np.ascontiguousarray(np.broadcast_to(np.take(array, [0], axes[name]), array.shape)) if name in axes else array
        for name, array in zip(graph.inputs, inputs, strict=True)
    )
