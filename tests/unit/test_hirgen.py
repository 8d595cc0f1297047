"""HirGen's claims (HirGen, section 3.1.3): every operator covers something new."""

from __future__ import annotations

from polyjuice.generate import Memory, generate
from polyjuice.ir import Graph, digest

Pair = tuple[str, str, str]


def pairs(graph: Graph) -> list[set[Pair]]:
    """The pairs that each operator of a graph covers, with an element type, shapes, and the operators before it."""
    producers = {name: node.qualified for node in graph.nodes for name in node.outputs}
    found: list[set[Pair]] = []
    for node in graph.nodes:
        name = node.qualified
        found.append({("type", name, graph.types[node.inputs[0]].dtype)})
        found[-1] |= {("shape", name, str(graph.types[output].shape)) for output in node.outputs}
        found[-1] |= {("edge", producers[x], name) for x in node.inputs if x in producers}
    return found


def test_every_operator_covers_something_that_the_suite_has_not_had() -> None:
    covered: set[Pair] = set()
    memory = Memory()
    for seed in range(40):
        for found in pairs(generate(20, seed, strategy="hirgen", memory=memory)):
            assert not found <= covered
            covered |= found


def test_a_memory_knows_what_is_covered() -> None:
    memory = Memory()
    add = {("type", "Add", "float32"), ("edge", "Relu", "Add")}
    assert memory.cover(add)
    assert not memory.cover(add)
    assert memory.cover({*add, ("shape", "Add", "(2,)")})


def test_operators_are_connected() -> None:
    graphs = [generate(20, seed, strategy="hirgen") for seed in range(20)]
    edges = sum(kind == "edge" for graph in graphs for found in pairs(graph) for kind, _, _ in found)
    assert edges > 20 * 20 / 3


def test_equal_memories_give_equal_graphs() -> None:
    suites = []
    for _ in range(2):
        memory = Memory()
        suites.append([digest(generate(10, seed, strategy="hirgen", memory=memory)) for seed in range(20)])
    assert suites[0] == suites[1]
