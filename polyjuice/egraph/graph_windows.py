"""Rewriting of graphs of any size: a large one window by window.

A window is a convex, connected part of a graph (:mod:`polyjuice.ir.parts`), so that it can be replaced as a whole. Each
window becomes a graph of its own, is rewritten alone, and its variants replace it in the large graph.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from polyjuice.egraph.decode import rename_outputs
from polyjuice.egraph.encode import Range
from polyjuice.egraph.rewriter import Rewriter, Rewriting, Variant
from polyjuice.ir import Graph, Node, Part, connected, cut, prune, random_order, renamed_node
from polyjuice.ops import Accepts, check

LARGEST = 200
"""The most nodes that one e-graph takes.

A saturated graph has about ten e-nodes for each node, and egglog's cost grows faster than their number. Rules see only
a few nodes at a time anyway.
"""

_SMALLEST = 20
"""The fewest nodes of a window, except at a graph's end: smaller windows have few matches."""

_WINDOWS = 4
"""The most windows of one graph. A compiler takes so long for hundreds of nodes that rewriting these is cheap."""


def rewrite(
    rewriter: Rewriter,
    graph: Graph,
    seed: int | str,
    strategy: str = "minmax",
    count: int = 2,
    accepts: Accepts | None = None,
    ranges: Mapping[str, Range] | None = None,
    rulesets: Collection[str] | None = None,
) -> Rewriting:
    """``Rewriter.rewrite`` for a graph of any size.

    A variant of a large graph consists of the windows' variants of the same label. Sizes and numbers of matches are
    totals over all windows. ``stopped_by`` is the reason of the first window that was not saturated.
    """
    graph = prune(graph)
    if len(graph) <= LARGEST:
        return rewriter.rewrite(graph, seed, strategy, count, accepts, ranges, rulesets)
    chosen = windows(graph, random.Random(f"windows {seed}"))
    how = (strategy, count, accepts, ranges, rulesets)
    done = [rewriter.rewrite(w.graph, f"{seed} {number}", *how) for number, w in enumerate(chosen)]
    variants = []
    for number, first in enumerate(done[0].variants):
        parts = [rewriting.variants[number] for rewriting in done]
        whole = splice(graph, chosen, [part.graph for part in parts])
        variants.append(Variant(first.label, whole, next((part.part for part in parts if part.part), "")))
    return Rewriting(
        seed=graph,
        variants=tuple(variants),
        enodes=sum(r.enodes for r in done),
        eclasses=sum(r.eclasses for r in done),
        iterations=max(r.iterations for r in done),
        stopped_by=next((r.stopped_by for r in done if r.stopped_by != "saturated"), "saturated"),
        rules=dict(sorted(sum((Counter(r.rules) for r in done), Counter()).items())),
        rewrite_s=sum(r.rewrite_s for r in done),
        extract_s=sum(r.extract_s for r in done),
    )


def windows(graph: Graph, rng: random.Random) -> list[Part]:
    """Disjoint windows of random places and sizes: connected parts of runs of a random topological order."""
    order = random_order(graph, rng)
    runs: list[Sequence[int]] = []
    start = rng.randrange(LARGEST)
    while start < len(order):
        length = rng.randint(_SMALLEST, LARGEST)
        runs.append(order[start : start + length])
        start += length
    picked = sorted(rng.sample(range(len(runs)), min(_WINDOWS, len(runs))))
    return [cut(graph, connected(graph, runs[number])) for number in picked]


def splice(graph: Graph, chosen: Sequence[Part], parts: Sequence[Graph]) -> Graph:
    """The graph with other parts instead of windows; the parts have the windows' inputs and outputs, in their order.

    The windows must be disjoint and come from one topological order. Raises GraphError where the result is ill typed.
    """
    types, constants = dict(graph.types), dict(graph.constants)
    replaced = frozenset[int]().union(*(window.nodes for window in chosen))
    nodes = [node for number, node in enumerate(graph.nodes) if number not in replaced]
    stands_for: dict[str, str] = {}
    for window, part in zip(chosen, parts, strict=True):
        names = dict(zip(part.inputs, window.graph.inputs, strict=True)) | {"": ""}
        for name, type in part.types.items():
            if name not in names:
                names[name] = _fresh(types)
                types[names[name]] = type
        constants.update((names[name], array) for name, array in part.constants.items())
        nodes += [renamed_node(node, names) for node in part.nodes]
        stands_for.update((old, names[new]) for old, new in zip(window.graph.outputs, part.outputs, strict=True))

    def final(name: str) -> str:
        while name in stands_for:  # an output of a window may be its input, which another window makes
            name = stands_for[name]
        return name

    nodes = [replace(node, inputs=tuple(map(final, node.inputs))) for node in nodes]
    outputs = tuple(map(final, graph.outputs))
    available = {*graph.inputs, *constants}
    known = available.union(name for node in nodes for name in node.outputs)
    types = {name: type for name, type in types.items() if name in known}
    ordered = tuple(_in_order(nodes, available))
    whole = Graph(graph.inputs, constants, ordered, outputs, types, graph.opsets, graph.updates)
    return rename_outputs(prune(check(whole)), graph.outputs)


def _fresh(types: Mapping[str, object]) -> str:
    number = len(types)
    while f"w{number}" in types:
        number += 1
    return f"w{number}"


def _in_order(nodes: Sequence[Node], available: set[str]) -> Iterator[Node]:
    """The nodes in topological order, close to their given order."""
    maker = {name: node for node in nodes for name in node.outputs if name}
    defined = set(available)
    for first in nodes:
        stack = [first]
        while stack:
            node = stack[-1]
            missing = [maker[name] for name in node.inputs if name and name not in defined]
            if missing:
                stack.append(missing[0])
                continue
            stack.pop()
            made = [name for name in node.outputs if name]
            if made[0] not in defined:
                defined.update(made)
                yield node
