"""Windows of large graphs: convex, connected, of bounded size, and put back in place."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from polyjuice.egraph import Rewriter, distinct, graph_windows, load, operator_count
from polyjuice.equivalence import difference
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, Node, TensorType, digest, prune
from polyjuice.ops import GraphBuilder, check
from tests.support.shares import in_the_long_run

LARGE = range(3)


@cache
def large(seed: int) -> Graph:
    """A generated graph of about 450 nodes."""
    return prune(generate(450, f"windows {seed}"))


@pytest.fixture(scope="module")
def rewriter() -> Rewriter:
    return Rewriter(load())


def readers(graph: Graph) -> dict[int, set[int]]:
    """For each node, the nodes that read its results."""
    maker = {name: number for number, node in enumerate(graph.nodes) for name in node.outputs if name}
    found: dict[int, set[int]] = {number: set() for number in range(len(graph.nodes))}
    for number, node in enumerate(graph.nodes):
        for name in node.inputs:
            if name in maker:
                found[maker[name]].add(number)
    return found


def reached(start: set[int], edges: dict[int, set[int]]) -> set[int]:
    done: set[int] = set()
    rest = list(start)
    while rest:
        node = rest.pop()
        if node not in done:
            done.add(node)
            rest += edges[node]
    return done


@pytest.mark.parametrize("number", LARGE)
def test_windows_are_convex_connected_and_disjoint(number: int) -> None:
    graph = large(number)
    forward = readers(graph)
    backward = {n: {m for m in forward if n in forward[m]} for n in forward}
    sizes = set()
    for seed in range(10):
        chosen = graph_windows.windows(graph, random.Random(seed))
        assert chosen
        assert sum(len(w.nodes) for w in chosen) == len(frozenset().union(*(w.nodes for w in chosen)))
        for window in chosen:
            inside = set(window.nodes)
            sizes.add(len(inside))
            assert len(inside) <= graph_windows.LARGEST
            between = reached(inside, forward) & reached(inside, backward)
            assert between == inside, "a path leaves the window and comes back"
            both = {n: (forward[n] | backward[n]) & inside for n in inside}
            assert reached({min(inside)}, both) == inside
            check(window.graph)
    assert len(sizes) > 5


@pytest.mark.parametrize("number", LARGE)
def test_windows_that_are_put_back_as_they_were_give_the_graph(number: int) -> None:
    graph = large(number)
    for seed in range(5):
        chosen = graph_windows.windows(graph, random.Random(seed))
        again = graph_windows.splice(graph, chosen, [window.graph for window in chosen])
        assert digest(again) == digest(graph)
        assert (again.inputs, again.outputs) == (graph.inputs, graph.outputs)


def chain(length: int) -> Graph:
    build = GraphBuilder()
    value = build.input(TensorType("float32", (2, 3)), "x")
    weights = build.constant(np.full((2, 3), 0.5, np.float32))
    for number in range(length):
        value = build.op("Neg", value) if number % 2 else build.op("Add", value, weights)
    return build.build([value])


def test_an_output_of_a_window_may_become_its_input_or_a_constant() -> None:
    graph = chain(300)
    nodes = frozenset(range(100, 150))
    window = graph_windows.cut(graph, nodes)
    assert window.graph.inputs == (graph.nodes[99].outputs[0],)
    assert window.graph.outputs == (graph.nodes[149].outputs[0],)
    passed = replace(window.graph, nodes=(), constants={}, outputs=window.graph.inputs)
    passed = replace(passed, types={name: window.graph.types[name] for name in passed.inputs})
    spliced = graph_windows.splice(graph, [window], [passed])
    assert len(spliced) == 250
    assert spliced.outputs == graph.outputs
    x = [np.ones((2, 3), np.float32)]
    np.testing.assert_array_equal(evaluate(spliced, x)[0], evaluate(prune(chain(250)), x)[0])

    known = replace(passed, constants={"k": np.ones((2, 3), np.float32)}, outputs=("k",))
    known = replace(known, types={**passed.types, "k": TensorType("float32", (2, 3))})
    assert len(graph_windows.splice(graph, [window], [known])) == 150


@pytest.mark.parametrize("strategy", ["steps", *in_the_long_run("minmax", "random")])
def test_a_large_graph_is_rewritten_soundly_and_reproducibly(strategy: str, rewriter: Rewriter) -> None:
    graph = large(0)
    rewriting = graph_windows.rewrite(rewriter, graph, "7", strategy, 3)
    assert len(rewriting.variants) == 3
    assert len(distinct(rewriting.variants)) > 1
    inputs = [make_inputs(graph, "exact", 0), make_inputs(graph, "normal", 0)]
    for variant in rewriting.variants:
        assert variant.graph.outputs == graph.outputs
        assert difference(graph, variant.graph, inputs) == ""
    if strategy != "random":
        sizes = [variant.operators for variant in rewriting.variants]
        assert sizes[0] <= operator_count(graph) <= sizes[-1]
        assert sizes == sorted(sizes)
    again = graph_windows.rewrite(rewriter, graph, "7", strategy, 3)
    assert [digest(v.graph) for v in again.variants] == [digest(v.graph) for v in rewriting.variants]


def test_small_graphs_are_rewritten_whole(rewriter: Rewriter) -> None:
    graph = chain(graph_windows.LARGEST)
    whole, direct = graph_windows.rewrite(rewriter, graph, 0), rewriter.rewrite(graph, 0)
    assert [digest(v.graph) for v in whole.variants] == [digest(v.graph) for v in direct.variants]
    assert graph_windows.rewrite(rewriter, chain(graph_windows.LARGEST + 1), 0).enodes != direct.enodes


def test_opaque_nodes_keep_their_place(rewriter: Rewriter) -> None:
    build = GraphBuilder({"mine": 1})
    value = build.input(TensorType("float32", (2, 3)), "x")
    for number in range(300):
        if number % 50 == 49:
            node = Node("Twist", (value,), ("", f"t{number}"), {}, "mine", True, f"{number}")
            build.append(node, [TensorType("float32", ()), TensorType("float32", (2, 3))])
            value = f"t{number}"
        else:
            value = build.op("Neg" if number % 2 else "Relu", value)
    graph = build.build([value])
    for variant in graph_windows.rewrite(rewriter, graph, 0).variants:
        assert [n.identity for n in variant.graph.nodes if n.opaque] == [n.identity for n in graph.nodes if n.opaque]
