"""Inputs for a graph, by profile.

- ``exact``: integers in every type, so small that as many outputs as possible are exact. Exact outputs are compared
  bit for bit (see :mod:`polyjuice.numerics`). Sometimes the integers are as large as that allows.
- ``normal``: standard normal floating values and small integers. Graphs with remainders sometimes get tenths.
- ``wrap``: integers from the whole of their types, so that arithmetic wraps around; floating values as in ``normal``.
- ``edge``: integers as in ``wrap``; ordinary values with zeros, ties, NaN, infinities and extreme floats among them.
- ``given``, ``given wrap`` and ``given edge``: the inputs that belong to a model. The name tells which profile their
  values resemble; further inputs are drawn as in that profile.

Each input has a distribution of its own (see :mod:`polyjuice.inputs.distributions`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.frameworks import registry
from polyjuice.inputs.distributions import all_distributed
from polyjuice.inputs.extreme_values import extreme_inputs
from polyjuice.inputs.magnitudes import SMALL, are_large, candidates, scaled, units
from polyjuice.inputs.random_values import FARTHEST, are_tenths, normal, tenths
from polyjuice.inputs.search import find, find_integers, finite_everywhere
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, dtypes
from polyjuice.numerics import Mode, mistyped, possibly_reproducible, reproducible_outputs
from polyjuice.ops import check

#: From how many starts the normal profile searches.
_STARTS = 3

PROFILES = ("exact", "normal", "wrap", "edge")

USUAL_PROFILES = ("exact", "normal", "wrap")
"""The profiles used for every compiler by default."""

GIVEN: Mapping[str, str] = {"given": "normal", "given wrap": "wrap", "given edge": "edge"}
"""The profiles of inputs that belong to a model, each with the profile that its values resemble.

Users do not select them: a model has such inputs or has none.
"""

REAL_PROFILES = ("exact", "normal")
"""The profiles on whose values all rules hold, including those over the real numbers."""

MODES: Mapping[str, Mode] = {
    "exact": Mode(),
    "normal": Mode(),
    "wrap": Mode(wrap=True),
    "edge": Mode(wrap=True, edge=True),
}
"""The assumptions of the numerical analysis under each profile."""

_ALL = frozenset(["exact", "modular", "real"])


_HALF_TYPES = ("float16", "bfloat16")


def mode(
    profile: str, format: str = "", excess_precision: Sequence[str] = _HALF_TYPES, narrowed: Sequence[str] = ()
) -> Mode:
    """Return the analysis's assumptions under a profile, for programs in a format.

    Without a format, it is for one that defines which of equal elements wins. ``excess_precision`` are the types to
    which the compiler, by its documentation, need not round casts. The default, for an unknown compiler, is the types
    for which some compiler need not. ``narrowed`` are the integer types that it computes in int32.
    """
    return replace(
        MODES[_like(profile)],
        ordered=not format or registry.find(format).ordered_ties,
        excess_precision=tuple(excess_precision),
        narrowed=tuple(narrowed),
    )


def mode_in(profile: str, compiler: CompilerInfo) -> Mode:
    """Return the analysis's assumptions under a profile of a compiler's programs."""
    return mode(profile, compiler.format, compiler.excess_precision, compiler.narrowed)


RULESETS: Mapping[str, frozenset[str]] = {
    "exact": _ALL,
    "normal": _ALL,
    "wrap": frozenset(["exact", "modular"]),
    "edge": frozenset(["exact"]),
}
"""The rulesets whose rules hold on the values of each profile."""


def usual_profiles(compiler: CompilerInfo) -> tuple[str, ...]:
    """Return the default profiles of a compiler.

    ``edge`` is among them if an uncompiled run defines the results for NaN, infinities and ties. Torch's run does.
    """
    return PROFILES if registry.find(compiler.format).edge_defined else USUAL_PROFILES


def profiles_alone(compiler: CompilerInfo, graph: Graph) -> tuple[str, ...]:
    """Return the default profiles of a graph without variants, where no rule bounds the values.

    ``edge`` comes first and again last, because few sets of edge values contain the one that shows a bug.
    """
    others = tuple(profile for profile in usual_profiles(compiler) if profile != "edge")
    if not judged_on_edge(compiler, graph):
        return others
    return "edge", *others, "edge"


def judged_on_edge(compiler: CompilerInfo, graph: Graph) -> bool:
    """Return whether a graph's uncompiled run is the reference on ``edge`` values that our interpreter leaves open.

    Torch's own run is the reference for any program. Other frameworks differ more. There the graph must be a single
    operator, and no policy of the compiler may cover its results (see ``edge_policies`` in a compiler file).
    """
    if registry.find(compiler.format).edge_defined:
        return True
    return len(graph.nodes) == 1 and not has_policy(compiler, graph)


def has_policy(compiler: CompilerInfo, graph: Graph) -> bool:
    """Return whether a policy of the compiler covers a node's results (see ``edge_policies`` in a compiler file)."""
    for node in graph.nodes:
        types = {graph.types[value].dtype for value in (*node.inputs, *node.outputs) if value in graph.types}
        names = [node.qualified, *(f"{node.qualified} {dtype}" for dtype in types)]
        if not compiler.edge_policies.keys().isdisjoint(names):
            return True
    return False


def allowed_rulesets(profiles: Sequence[str]) -> frozenset[str]:
    """Return the rulesets whose rules hold on the values of any of the profiles. Raises KeyError for an unknown one."""
    return frozenset().union(*(RULESETS[profile] for profile in profiles))


def profile_of(graph: Graph, arrays: Sequence[np.ndarray]) -> str:
    """Return the profile, one of `GIVEN`, for inputs that belong to a model of this graph. Raises EvaluationError."""
    floating = [x.astype(np.float64) for x in arrays if dtypes.is_float(dtypes.dtype_of(x))]
    if not all(np.isfinite(x).all() for x in floating) or not finite_everywhere(graph, arrays):
        return "given edge"
    return "given wrap" if are_large([x for x in arrays if dtypes.is_int(dtypes.dtype_of(x))]) else "given"


def rulesets_on(profile: str) -> frozenset[str]:
    """Return the rulesets whose rules hold on the values of a profile, which may be one of `GIVEN`."""
    return RULESETS[_like(profile)]


def make_inputs(
    graph: Graph,
    profile: str,
    seed: int | str,
    variants: Sequence[Graph] = (),
    large: bool = False,
    distribution: str = "",
) -> tuple[np.ndarray, ...]:
    """Return arrays for the graph's inputs, in order. Raises EvaluationError if the graph has no value on those tried.

    ``variants`` are other graphs with the same inputs and outputs. ``exact`` values make outputs exact in all of them,
    and ``large`` makes them as large as that allows. On ``wrap`` and ``edge`` values, all variants have a value.
    ``distribution`` is that of the first input; by default it is drawn. Raises ValueError for an unknown profile.
    """
    rng = _generator(profile, seed)
    profile = _like(profile)
    variants = [variant for variant in variants if variant is not graph]
    if profile == "normal":
        return _finite(graph, rng, distribution)
    if profile == "exact":
        return _exact(graph, seed, variants, large, distribution)
    if profile == "wrap":
        return find(graph, extreme_inputs(graph, rng, False, variants, distribution)).inputs(graph)
    if profile == "edge":
        return extreme_inputs(graph, rng, True, variants, distribution)
    raise ValueError(f"no profile is called {profile!r}; there are {', '.join(PROFILES)}")


def ranges(graph: Graph, profiles: Sequence[str], large: bool = False) -> dict[str, tuple[float, float]]:
    """Return the interval of each numeric input's values under the profiles; none if they may be NaN or infinite.

    ``large``: ``exact`` values are as large as possible (see :func:`make_inputs`).
    """
    large = large and "exact" in profiles
    extreme = large or not {"wrap", "edge"}.isdisjoint(profiles)
    found = {}
    for name, t in zip(graph.inputs, graph.input_types, strict=True):
        low, high = map(float, dtypes.exact_integers(t.dtype))
        if dtypes.is_int(t.dtype):
            found[name] = (low, high) if extreme else (max(low, -SMALL[0]), min(high, SMALL[0]))
        elif dtypes.is_float(t.dtype) and "edge" not in profiles:
            found[name] = (low, high) if large else (-FARTHEST, FARTHEST)
    return found


def _like(profile: str) -> str:
    return GIVEN.get(profile, profile)


def _generator(profile: str, seed: int | str) -> np.random.Generator:
    return np.random.default_rng(list(f"{profile} {seed}".encode()))


def _normal(graph: Graph, rng: np.random.Generator, distribution: str) -> tuple[np.ndarray, ...]:
    floating = tenths if are_tenths(graph, rng) else normal
    drawn = (floating(t, rng) if dtypes.is_float(t.dtype) else normal(t, rng) for t in graph.input_types)
    return tuple(all_distributed(drawn, rng, distribution))


def _finite(graph: Graph, rng: np.random.Generator, distribution: str) -> tuple[np.ndarray, ...]:
    """Return values under which the graph is finite, near normal ones; if no start leads to any, the first's result."""
    starts = (find(graph, _normal(graph, rng, distribution), integers=True) for _ in range(_STARTS))
    first = next(starts)
    return next((found for found in (first, *starts) if found.finite), first).inputs(graph)


def _exact(
    graph: Graph, seed: int | str, variants: Sequence[Graph], large: bool, distribution: str
) -> tuple[np.ndarray, ...]:
    """Return integers of the largest magnitude at which the most outputs are exact. Their signs suit the operators."""
    graphs = (graph, *variants)
    drawn = units(graph.input_types, _generator("exact", seed), distribution)
    most = sum(map(all, zip(*map(possibly_reproducible, graphs), strict=True)))
    start = scaled(graph.input_types, drawn, [SMALL[0]] * len(drawn))
    if not most:
        return find_integers(graph, start).inputs(graph)
    best: tuple[int, tuple[np.ndarray, ...]] | None = None
    for limits in candidates(graph, drawn, large):
        inputs = scaled(graph.input_types, drawn, limits)
        try:
            exact = _exact_in_all(graphs, inputs)
        except EvaluationError:
            continue
        if best is None or exact > best[0]:
            best = exact, inputs
        if exact == most:
            break
    start = best[1] if best else start
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
    """Return how many outputs are exact in all graphs. Raises EvaluationError."""
    exact = np.ones(len(graphs[0].outputs), bool)
    for graph in graphs:
        exact &= reproducible_outputs(graph, inputs)
        if not exact.any():
            break
    return int(exact.sum())


def is_finite(graph: Graph, key: str) -> bool:
    """Return whether the whole graph is finite under inputs that a search finds; ``key`` chooses them.

    Raises GraphError if the graph is invalid.
    """
    inputs = make_inputs(check(graph), "normal", key)
    try:
        results = evaluate(graph, inputs)
    except EvaluationError:  # an operator behind an unknown size has no value
        return False
    for array, declared in zip(results, graph.output_types, strict=True):
        if problem := mistyped(array, declared):
            raise GraphError(f"a result has the {problem}")
    return finite_everywhere(graph, inputs)
