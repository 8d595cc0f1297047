"""Inputs for a graph, by profile.

``exact``: small integers in every type, so small that as many outputs as possible are exact (see
:mod:`polyjuice.numerics`); those are compared bit for bit. ``normal``: standard normal floating values, small integers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.inputs.search import find, find_integers
from polyjuice.inputs.values import FARTHEST, normal
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import exact_outputs, may_be_exact

#: Magnitudes that the exact profile tries, from the most telling to the safest.
_MAGNITUDES = (6, 3, 1)

PROFILES = ("exact", "normal")


def make_inputs(graph: Graph, profile: str, seed: int | str) -> tuple[np.ndarray, ...]:
    """Arrays for the graph's inputs, in order. Raises EvaluationError where the graph has no value on any tried."""
    if profile == "normal":
        return find(graph, _normal(graph.input_types, _generator(profile, seed)), integers=True).inputs(graph)
    if profile == "exact":
        return _exact(graph, seed)
    raise ValueError(f"no profile is called {profile!r}; there are {', '.join(PROFILES)}")


def ranges(graph: Graph) -> dict[str, tuple[float, float]]:
    """The interval in which every profile's values of each numeric input lie."""
    magnitude = float(_MAGNITUDES[0])
    return {
        name: (-FARTHEST, FARTHEST)
        if dtypes.is_float(t.dtype)
        else (0.0 if t.dtype == "uint8" else -magnitude, magnitude)
        for name, t in zip(graph.inputs, graph.input_types, strict=True)
        if t.dtype != "bool"
    }


def _generator(profile: str, seed: int | str) -> np.random.Generator:
    return np.random.default_rng(list(f"{profile} {seed}".encode()))


def _normal(types: Sequence[TensorType], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return tuple(normal(t, rng) for t in types)


def _exact(graph: Graph, seed: int | str) -> tuple[np.ndarray, ...]:
    """Integers of the largest magnitude at which the most outputs are exact, of signs that suit the operators."""
    if not may_be_exact(graph):
        start = _integers(graph.input_types, _MAGNITUDES[0], _generator("exact", seed))
        return find_integers(graph, start).inputs(graph)
    best: tuple[int, tuple[np.ndarray, ...]] | None = None
    for magnitude in _MAGNITUDES:
        inputs = _integers(graph.input_types, magnitude, _generator("exact", seed))
        try:
            exact = sum(exact_outputs(graph, inputs))
        except EvaluationError:
            continue
        if best is None or exact > best[0]:
            best = exact, inputs
        if exact == len(graph.outputs):
            break
    start = best[1] if best else _integers(graph.input_types, _MAGNITUDES[0], _generator("exact", seed))
    inputs = find_integers(graph, start).inputs(graph)
    try:
        exact = sum(exact_outputs(graph, inputs))
    except EvaluationError:
        if best is None:
            raise
        return best[1]
    return inputs if best is None or exact >= best[0] else best[1]


def _integers(types: Sequence[TensorType], magnitude: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    arrays = []
    for t in types:
        if t.dtype == "bool":
            array = rng.integers(0, 2, t.shape)
        else:
            array = rng.integers(0 if t.dtype == "uint8" else -magnitude, magnitude + 1, t.shape)
        arrays.append(np.asarray(array).astype(dtypes.to_numpy(t.dtype)))
    return tuple(arrays)
