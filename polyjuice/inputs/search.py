"""Search for inputs, and for constants of new graphs, under which nothing in a graph is NaN or infinite.

The method is NNSmith's (section 3.3): descend the loss of the first operator whose result is not finite
(:mod:`polyjuice.inputs.descent`). If that does not help, the search restarts from the same values, moved into ranges
that suit vulnerable operators. All limits are counts, and the arguments determine all choices. So the result does not
depend on the clock.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.inputs.derivatives import widened
from polyjuice.inputs.descent import Found, descend, run
from polyjuice.inputs.domains import loss_of
from polyjuice.inputs.random_values import FARTHEST, normal
from polyjuice.ir import Graph, complexes, dtypes, read, uniform_value
from polyjuice.ops import check

#: Iterations of the descent from one set of starting values.
_ITERATIONS = 24

#: Sets of starting values in which each input has a range of its own.
_MIXTURES = 3

#: How many applications of nodes a search may take, which leaves fewer iterations for large graphs.
_APPLICATIONS = 20_000

#: How many operands may become new inputs in small graphs; in larger ones, one for this many nodes.
_NEW_INPUTS = 4
_NODES_PER_NEW_INPUT = 6

#: How many further searches, from other starting values, must find inputs before a graph counts as settled.
_CONFIRMATIONS = 3

_RANGES: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "positive": lambda x: np.abs(x) + 0.25,
    "fraction": lambda x: 0.1 + 0.8 * np.abs(x) / (1 + np.abs(x)),
    "above one": lambda x: np.abs(x) + 1.25,
    "within one": lambda x: 0.9 * x / (1 + np.abs(x)),
    "negative": lambda x: -np.abs(x) - 0.25,
}
"""Ranges, each with a function into it that keeps different values different."""


def _positive(array: np.ndarray) -> np.ndarray:
    """Return magnitudes of integers, at least 1; for booleans, true."""
    return np.asarray(np.maximum(np.abs(array), 1)).astype(array.dtype)


def _negative(array: np.ndarray) -> np.ndarray:
    """Return negated magnitudes of at least 1, or the same values if the type is unsigned; for booleans, false."""
    if array.dtype.kind == "b":
        return np.zeros_like(array)
    signed = dtypes.is_signed(dtypes.dtype_of(array))
    return np.asarray(-_positive(array)).astype(array.dtype) if signed else array


def _signs(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind == "b" else np.asarray(np.sign(array)).astype(array.dtype)


_WHOLE: Sequence[Callable[[np.ndarray], np.ndarray]] = (_positive, _signs, _negative)
"""Ways to change integers, in the order in which they are tried."""


def finite_everywhere(graph: Graph, inputs: Sequence[np.ndarray]) -> bool:
    """Return whether every value of the graph, in its own type, is finite on these inputs."""
    return run(graph, dict(zip(graph.inputs, inputs, strict=True)) | dict(graph.constants)) == len(graph.nodes)


def find(graph: Graph, start: Sequence[np.ndarray], integers: bool = False) -> Found:
    """Return inputs near ``start`` under which all values of the graph are finite, or the closest ones found.

    Floating inputs change within [-FARTHEST, FARTHEST]. With ``integers``, other inputs may lose their zeros and signs
    if nothing else helps.
    """
    values = dict(zip(graph.inputs, start, strict=True))
    if finite_everywhere(graph, start):
        return Found(values, len(graph.nodes), True)
    values |= graph.constants
    floating = [name for name in graph.inputs if dtypes.is_float(graph.types[name].dtype)]
    found = _search(graph, values, floating)
    if integers and not found.finite and len(floating) < len(graph.inputs):
        found = max(found, _search(graph, values, graph.inputs), key=_progress)
    return found


def find_integers(graph: Graph, start: Sequence[np.ndarray]) -> Found:
    """Return integer inputs near ``start`` under which all values are finite and no integer is divided by zero.

    Inputs on which the first fault depends lose their zeros and signs, or keep only their signs. The search changes
    them alone or together, as long as the first fault moves to a later node.
    """
    values = dict(zip(graph.inputs, start, strict=True)) | dict(graph.constants)

    def tried(values: Mapping[str, np.ndarray]) -> Found:
        progress = run(graph, dict(values), divisors=True)
        return Found(values, progress, progress == len(graph.nodes))

    best = tried(values)
    while not best.finite:
        concerned = sorted(_ancestors(graph, best.progress).intersection(graph.inputs))
        groups = [[name] for name in concerned] + [concerned]
        tries = (
            {**best.values, **{n: complexes.by_parts(way, best.values[n]) for n in group}}
            for way in _WHOLE
            for group in groups
        )
        further = next((found for found in map(tried, tries) if found.progress > best.progress), None)
        if further is None:
            break
        best = further
    return best


def settle(graph: Graph, seed: int | str) -> Graph:
    """Return a graph that has inputs under which all its values are finite, as far as a search can tell.

    Floating constants may change their values; uniform ones change last and stay uniform. An operand
    may become a new input if no values make it finite, as in log(x - x), or repeated searches fail. The old operand
    becomes an output. Returns the graph itself if it needs no change, or nothing helps.
    """
    rng = np.random.default_rng(list(f"settle {seed}".encode()))
    start = tuple(normal(t, rng) for t in graph.input_types)
    if finite_everywhere(graph, start):
        return graph
    best, settled, values = graph, graph, dict(zip(graph.inputs, start, strict=True)) | dict(graph.constants)
    for _ in range(1 + max(_NEW_INPUTS, len(graph.nodes) // _NODES_PER_NEW_INPUT)):
        found = _with_constants(settled, values)
        if found.finite:
            best = settled = _with_values(settled, found)
            found = next((f for f in _searches(settled, rng) if not f.finite), found)
            if found.finite:
                break
        detached, added = _detached(settled, found)
        if not added:
            break
        settled = detached
        values = {name: array for name, array in found.values.items() if name in settled.types}
        values |= {name: normal(settled.types[name], rng) for name in added}
    return best


def _with_values(graph: Graph, found: Found) -> Graph:
    changed = {name: found.values[name] for name in graph.constants}
    if all(changed[name] is array for name, array in graph.constants.items()):
        return graph
    return replace(graph, constants=changed)


def _searches(graph: Graph, rng: np.random.Generator) -> Iterator[Found]:
    for _ in range(_CONFIRMATIONS):
        yield find(graph, tuple(normal(t, rng) for t in graph.input_types), integers=True)


def _with_constants(graph: Graph, values: Mapping[str, np.ndarray]) -> Found:
    """Search for floating inputs, then for constants that could help, uniform ones last."""
    floating = [name for name in (*graph.inputs, *graph.constants) if dtypes.is_float(graph.types[name].dtype)]
    splat = {name for name in floating if name in graph.constants and uniform_value(graph.constants[name]) is not None}
    sources = [name for name in floating if name in graph.inputs]
    found = _search(graph, values, sources)
    for more in ([name for name in floating if name not in splat and name not in sources], sorted(splat)):
        if not found.finite and _ancestors(graph, found.progress).intersection(more):
            sources = [*sources, *more]
            found = max(found, _search(graph, values, sources), key=_progress)
    return found


def _progress(found: Found) -> int:
    return found.progress


def _search(graph: Graph, start: Mapping[str, np.ndarray], sources: Sequence[str]) -> Found:
    """Descend from ``start``, then from values of the ``sources`` in one range after another, then from mixtures."""
    count = 1 + len(_RANGES) + _MIXTURES
    iterations = max(1, min(_ITERATIONS, _APPLICATIONS // (count * max(len(graph.nodes), 1))))
    best = descend(graph, start, sources, iterations)
    rng = np.random.default_rng(0)
    for chosen in (*_RANGES, *[""] * _MIXTURES):
        concerned = [] if best.finite else sorted(_ancestors(graph, best.progress).intersection(sources))
        if not concerned:
            break
        ways = {name: chosen or list(_RANGES)[rng.integers(len(_RANGES))] for name in concerned}
        led = {**best.values, **{name: _led(start[name], way) for name, way in ways.items()}}
        best = max(best, descend(graph, led, sources, iterations), key=_progress)
    return best


def _led(array: np.ndarray, name: str) -> np.ndarray:
    """Return values moved into a range. Integers lose zeros and take its sign; booleans are true if it is positive."""
    if array.dtype.kind == "c" or dtypes.dtype_of(array) in dtypes.NARROW_INTS:
        return array
    if array.dtype.kind not in "iub":
        return np.asarray(np.clip(_RANGES[name](array.astype(np.float64)), -FARTHEST, FARTHEST)).astype(array.dtype)
    return array if name == "within one" else (_negative if name == "negative" else _positive)(array)


def _ancestors(graph: Graph, number: int) -> set[str]:
    found = set(graph.nodes[number].inputs)
    for node in reversed(graph.nodes[:number]):
        if found.intersection(node.outputs):
            found.update(node.inputs)
    return found


def _detached(graph: Graph, found: Found) -> tuple[Graph, list[str]]:
    """Return the graph with new inputs as the faulty operands of its first node that is not finite, and their names.

    An operand of unknown size stays: an input has a size.
    """
    node = graph.nodes[found.progress]
    values = dict(found.values)
    run(graph, values)
    places = [i for i, name in enumerate(node.inputs) if name]
    operands = [widened(values[node.inputs[i]]) for i in places]
    _, slopes = loss_of(node, operands, [graph.types[name] if name else None for name in node.outputs])
    guilty = [
        i
        for i, x, c in zip(places, operands, slopes, strict=True)
        if graph.types[node.inputs[i]].known and x.dtype.kind == "f" and c is not None and c.any()
    ]
    fresh = (name for number in itertools.count() if (name := f"n{number}") not in graph.types)
    new = {i: next(fresh) for i in guilty}
    inputs = tuple(new.get(i, name) for i, name in enumerate(node.inputs))
    nodes = tuple(replace(n, inputs=inputs) if n is node else n for n in graph.nodes)
    types = {**graph.types, **{name: graph.types[node.inputs[i]] for i, name in new.items()}}
    return _tidy(replace(graph, inputs=(*graph.inputs, *new.values()), nodes=nodes, types=types)), list(new.values())


def _tidy(graph: Graph) -> Graph:
    used = read(graph)
    unread = [next(filter(None, n.outputs)) for n in graph.nodes if not used.intersection(filter(None, n.outputs))]
    inputs = tuple(name for name in graph.inputs if name in used)
    constants = {name: array for name, array in graph.constants.items() if name in used}
    made = {name for node in graph.nodes for name in node.outputs}
    types = {name: t for name, t in graph.types.items() if name in made or name in inputs or name in constants}
    return check(replace(graph, inputs=inputs, constants=constants, outputs=(*graph.outputs, *unread), types=types))
