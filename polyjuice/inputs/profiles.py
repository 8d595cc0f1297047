"""Inputs for a graph, by profile.

``exact``: small integers in every type, so small that as many outputs as possible are exact (see
:mod:`polyjuice.numerics`); those are compared bit for bit. ``normal``: standard normal floating values, small integers.
``wrap``: integers from the whole of their types, so that arithmetic wraps around, floating values as in ``normal``.
``edge``: such integers, and zeros, ties, NaN, infinities and the ends of the floating numbers among ordinary values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.inputs.extremes import extreme_inputs
from polyjuice.inputs.search import find, find_integers
from polyjuice.inputs.values import FARTHEST, normal
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Mode, exact_outputs, possibly_exact

#: From how many starts the normal profile searches.
_STARTS = 3

#: Magnitudes that the exact profile tries, from the most telling to the safest.
_MAGNITUDES = (6, 3, 1)

PROFILES = ("exact", "normal", "wrap", "edge")

USUAL_PROFILES = ("exact", "normal")
"""What is on unless others are asked for."""

MODES: Mapping[str, Mode] = {
    "exact": Mode(),
    "normal": Mode(),
    "wrap": Mode(wrap=True),
    "edge": Mode(wrap=True, edge=True),
}
"""What the analysis takes for known under each profile."""

_ALL = frozenset(["exact", "modular", "real"])


def mode(profile: str, format: str) -> Mode:
    """What the analysis takes for known under a profile of programs in a format: TensorFlow leaves ties open."""
    return replace(MODES[profile], ordered=format != "tensorflow")


RULESETS: Mapping[str, frozenset[str]] = {
    "exact": _ALL,
    "normal": _ALL,
    "wrap": frozenset(["exact", "modular"]),
    "edge": frozenset(["exact"]),
}
"""The rulesets whose rules hold on the values of each profile."""


def allowed_rulesets(profiles: Sequence[str]) -> frozenset[str]:
    """The rulesets whose rules hold on the values of all of some profiles. Raises KeyError for an unknown one."""
    return _ALL.intersection(*(RULESETS[profile] for profile in profiles))


def make_inputs(graph: Graph, profile: str, seed: int | str, variants: Sequence[Graph] = ()) -> tuple[np.ndarray, ...]:
    """Arrays for the graph's inputs, in order. Raises EvaluationError where the graph has no value on any tried.

    ``variants`` are other graphs on the same inputs, of the same outputs: ``exact`` values are such that outputs are
    exact in all of them, ``wrap`` and ``edge`` ones such that all of them have a value.
    """
    rng = _generator(profile, seed)
    if profile == "normal":
        return _finite(graph, rng)
    if profile == "exact":
        return _exact(graph, seed, variants)
    if profile == "wrap":
        return find(graph, extreme_inputs(graph, rng, False, variants)).inputs(graph)
    if profile == "edge":
        return extreme_inputs(graph, rng, True, variants)
    raise ValueError(f"no profile is called {profile!r}; there are {', '.join(PROFILES)}")


def ranges(graph: Graph, profiles: Sequence[str] = USUAL_PROFILES) -> dict[str, tuple[float, float]]:
    """The interval in which the profiles' values of each numeric input lie; none where they may be NaN or infinite."""
    extreme = not {"wrap", "edge"}.isdisjoint(profiles)
    found = {}
    for name, t in zip(graph.inputs, graph.input_types, strict=True):
        if dtypes.is_int(t.dtype):
            least = 0 if t.dtype == "uint8" else -_MAGNITUDES[0]
            low, high = dtypes.exact_integers(t.dtype) if extreme else (least, _MAGNITUDES[0])
            found[name] = float(low), float(high)
        elif dtypes.is_float(t.dtype) and "edge" not in profiles:
            found[name] = -FARTHEST, FARTHEST
    return found


def _generator(profile: str, seed: int | str) -> np.random.Generator:
    return np.random.default_rng(list(f"{profile} {seed}".encode()))


def _normal(types: Sequence[TensorType], rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return tuple(normal(t, rng) for t in types)


def _finite(graph: Graph, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Values near normal ones under which all of the graph is finite, from the first of several starts that has some.

    Of the first start, where none has.
    """
    starts = (find(graph, _normal(graph.input_types, rng), integers=True) for _ in range(_STARTS))
    first = next(starts)
    return next((found for found in (first, *starts) if found.finite), first).inputs(graph)


def _exact(graph: Graph, seed: int | str, variants: Sequence[Graph]) -> tuple[np.ndarray, ...]:
    """Integers of the largest magnitude at which the most outputs are exact, of signs that suit the operators."""
    graphs = (graph, *variants)
    most = sum(map(all, zip(*map(possibly_exact, graphs), strict=True)))
    if not most:
        start = _integers(graph.input_types, _MAGNITUDES[0], _generator("exact", seed))
        return find_integers(graph, start).inputs(graph)
    best: tuple[int, tuple[np.ndarray, ...]] | None = None
    for magnitude in _MAGNITUDES:
        inputs = _integers(graph.input_types, magnitude, _generator("exact", seed))
        try:
            exact = _exact_in_all(graphs, inputs)
        except EvaluationError:
            continue
        if best is None or exact > best[0]:
            best = exact, inputs
        if exact == most:
            break
    start = best[1] if best else _integers(graph.input_types, _MAGNITUDES[0], _generator("exact", seed))
    inputs = find_integers(graph, start).inputs(graph)
    if best and all(a is b for a, b in zip(inputs, start, strict=True)):
        return start
    try:
        exact = _exact_in_all(graphs, inputs)
    except EvaluationError:
        if best is None:
            raise
        return best[1]
    return inputs if best is None or exact >= best[0] else best[1]


def _exact_in_all(graphs: Sequence[Graph], inputs: Sequence[np.ndarray]) -> int:
    """How many outputs are exact in all of some graphs. Raises EvaluationError."""
    exact = np.ones(len(graphs[0].outputs), bool)
    for graph in graphs:
        exact &= exact_outputs(graph, inputs)
        if not exact.any():
            break
    return int(exact.sum())


def _integers(types: Sequence[TensorType], magnitude: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    arrays = []
    for t in types:
        if t.dtype == "bool":
            array = rng.integers(0, 2, t.shape)
        else:
            array = rng.integers(0 if t.dtype == "uint8" else -magnitude, magnitude + 1, t.shape)
        arrays.append(np.asarray(array).astype(dtypes.to_numpy(t.dtype)))
    return tuple(arrays)
