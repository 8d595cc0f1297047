"""Inputs for a graph, by profile.

``exact``: integers in every type, so small that as many outputs as possible are exact (see :mod:`polyjuice.numerics`);
those are compared bit for bit. Sometimes they are as large as that allows. ``normal``: standard normal floating values,
small integers; where a graph takes remainders, sometimes tenths. ``wrap``: integers from the whole of their types, so
that arithmetic wraps around, floating values as in ``normal``. ``edge``: such integers, and zeros, ties, NaN,
infinities and the ends of the floating numbers among ordinary values. Each input has a distribution of its own (see
:mod:`polyjuice.inputs.distributions`). ``given``, ``given wrap`` and ``given edge``: what the owner of a model gave for
its inputs, by the profile whose values they are like; others like these are drawn as for that profile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.inputs.distributions import all_distributed
from polyjuice.inputs.extremes import extreme_inputs
from polyjuice.inputs.magnitudes import SMALL, are_large, candidates, scaled, units
from polyjuice.inputs.search import find, find_integers, finite_everywhere
from polyjuice.inputs.values import FARTHEST, are_tenths, normal, tenths
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, dtypes
from polyjuice.numerics import Mode, exact_outputs, possibly_exact

#: From how many starts the normal profile searches.
_STARTS = 3

PROFILES = ("exact", "normal", "wrap", "edge")

USUAL_PROFILES = ("exact", "normal", "wrap")
"""What is on for every compiler unless others are asked for."""

GIVEN: Mapping[str, str] = {"given": "normal", "given wrap": "wrap", "given edge": "edge"}
"""The profiles of inputs that belong to a model, and whose values these are like.

Nobody asks for them: a model has such inputs, or has none.
"""

REAL_PROFILES = ("exact", "normal")
"""The profiles on whose values all rules hold, also those over the real numbers."""

MODES: Mapping[str, Mode] = {
    "exact": Mode(),
    "normal": Mode(),
    "wrap": Mode(wrap=True),
    "edge": Mode(wrap=True, edge=True),
}
"""What the analysis takes for known under each profile."""

_ALL = frozenset(["exact", "modular", "real"])


_HALF_TYPES = ("float16", "bfloat16")


def mode(profile: str, format: str, excess_precision: Sequence[str] = _HALF_TYPES) -> Mode:
    """What the analysis takes for known under a profile of programs in a format: TensorFlow leaves ties open.

    ``excess_precision`` are the types to which casts need not round, as the compiler documents; where the compiler is
    not known, those for which some do.
    """
    return replace(MODES[_like(profile)], ordered=format != "tensorflow", excess_precision=tuple(excess_precision))


def mode_in(profile: str, compiler: CompilerInfo) -> Mode:
    """What the analysis takes for known under a profile of a compiler's programs."""
    return mode(profile, compiler.format, compiler.excess_precision)


RULESETS: Mapping[str, frozenset[str]] = {
    "exact": _ALL,
    "normal": _ALL,
    "wrap": frozenset(["exact", "modular"]),
    "edge": frozenset(["exact"]),
}
"""The rulesets whose rules hold on the values of each profile."""


def usual_profiles(compiler: CompilerInfo) -> tuple[str, ...]:
    """What is on for a compiler unless others are asked for.

    ``edge`` is, where a program's uncompiled run tells what NaN, infinities and ties must give: that of Torch does.
    """
    return PROFILES if compiler.format == "torch" else USUAL_PROFILES


def profiles_alone(compiler: CompilerInfo, graph: Graph) -> tuple[str, ...]:
    """What is on for a graph without variants unless others are asked for: no rule bounds its values.

    ``edge`` comes first, and once more, since few of its sets have the one value that tells.
    """
    others = tuple(profile for profile in usual_profiles(compiler) if profile != "edge")
    if not judged_on_edge(compiler, graph):
        return others
    return "edge", *others, "edge"


def judged_on_edge(compiler: CompilerInfo, graph: Graph) -> bool:
    """Whether what our interpreter leaves open is judged on ``edge`` values by a graph's uncompiled run.

    Torch's own run judges any program. Elsewhere frameworks differ in more, so that the graph must be one operator, and
    what it does with such values no policy of the compiler (see ``EDGE_POLICIES`` of a compiler file).
    """
    if compiler.format == "torch":
        return True
    if len(graph.nodes) != 1:
        return False
    name = graph.nodes[0].qualified
    types = {graph.types[value].dtype for value in (*graph.inputs, *graph.outputs)}
    return compiler.edge_policies.keys().isdisjoint([name, *(f"{name} {dtype}" for dtype in types)])


def allowed_rulesets(profiles: Sequence[str]) -> frozenset[str]:
    """The rulesets whose rules hold on the values of any of some profiles. Raises KeyError for an unknown one."""
    return frozenset().union(*(RULESETS[profile] for profile in profiles))


def given_profile(graph: Graph, arrays: Sequence[np.ndarray]) -> str:
    """The profile, one of `GIVEN`, of the inputs that belong to a model of this graph. Raises EvaluationError."""
    floating = [x.astype(np.float64) for x in arrays if dtypes.is_float(dtypes.of_array(x))]
    if not all(np.isfinite(x).all() for x in floating) or not finite_everywhere(graph, arrays):
        return "given edge"
    return "given wrap" if are_large([x for x in arrays if dtypes.is_int(dtypes.of_array(x))]) else "given"


def rulesets_on(profile: str) -> frozenset[str]:
    """The rulesets whose rules hold on the values of a profile, which may be one of `GIVEN`."""
    return RULESETS[_like(profile)]


def make_inputs(
    graph: Graph,
    profile: str,
    seed: int | str,
    variants: Sequence[Graph] = (),
    large: bool = False,
    distribution: str = "",
) -> tuple[np.ndarray, ...]:
    """Arrays for the graph's inputs, in order. Raises EvaluationError where the graph has no value on any tried.

    ``variants`` are other graphs on the same inputs, of the same outputs: ``exact`` values are such that outputs are
    exact in all of them, ``wrap`` and ``edge`` ones such that all of them have a value. ``large``: ``exact`` values are
    as large as that allows. ``distribution`` is that in which the first input is drawn; it is drawn, too, unless given.
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
    """The interval in which the profiles' values of each numeric input lie; none where they may be NaN or infinite.

    ``large`` says that ``exact`` values are as large as they may be (see :func:`make_inputs`).
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
    """Values near normal ones under which all of the graph is finite, from the first of several starts that has some.

    Of the first start, where none has.
    """
    starts = (find(graph, _normal(graph, rng, distribution), integers=True) for _ in range(_STARTS))
    first = next(starts)
    return next((found for found in (first, *starts) if found.finite), first).inputs(graph)


def _exact(
    graph: Graph, seed: int | str, variants: Sequence[Graph], large: bool, distribution: str
) -> tuple[np.ndarray, ...]:
    """Integers of the largest magnitude at which the most outputs are exact, of signs that suit the operators."""
    graphs = (graph, *variants)
    drawn = units(graph.input_types, _generator("exact", seed), distribution)
    most = sum(map(all, zip(*map(possibly_exact, graphs), strict=True)))
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
    """How many outputs are exact in all of some graphs. Raises EvaluationError."""
    exact = np.ones(len(graphs[0].outputs), bool)
    for graph in graphs:
        exact &= exact_outputs(graph, inputs)
        if not exact.any():
            break
    return int(exact.sum())
