"""The default strategy in suites: it looks for new vertices (GenCoG's, GenCoG, section 5.1) and new edges."""

from __future__ import annotations

from collections import Counter

import pytest

from polyjuice.generate import STRATEGIES, InputTypes, Memory, Suite, generate
from polyjuice.generate.call_space import CallSpace, call_space
from polyjuice.generate.vertices import Vertices
from polyjuice.ir import Graph, TensorType, attribute_texts, digest
from polyjuice.ops import TABLE

ADD, GEMM, RELU = TABLE["", "Add"], TABLE["", "Gemm"], TABLE["", "Relu"]
SMALL = InputTypes(("float32", "int8"), (2, 3, 4), (1, 2, 3, 4))


def suite(count: int, names: str, inputs: InputTypes = SMALL, memory: Memory | None = None) -> list[Graph]:
    memory = memory or Memory()
    operators = [TABLE["", name] for name in names.split()]
    return [generate(16, seed, memory=memory, operators=operators, inputs=inputs) for seed in range(count)]


def vertices(graphs: list[Graph]) -> Counter[object]:
    """The number of occurrences of each vertex, as vertex diversity counts them."""
    return Counter(
        (node.op, call_space(node.op).vertex([graph.types[x] for x in node.inputs], attribute_texts(node.attrs)))
        for graph in graphs
        for node in graph.nodes
    )


def test_vertices_hardly_repeat_though_what_an_operator_is_put_on_decides_them() -> None:
    """Each of these operators gets another operand, mostly an existing value, so the drawn vertex changes."""
    found = vertices(suite(30, "Add Sub Mul Max Min Concat"))
    assert len(found) > 0.97 * found.total()


def test_the_memory_knows_the_vertices_that_are_measured() -> None:
    memory, measured = Memory(), Suite()
    for seed in range(40):
        measured.add(generate(10, seed, memory=memory))
    known = (len(memory.vertices.known(op)) / call_space(op.qualified).size for op in TABLE.values())
    assert sum(min(1, share) for share in known) / len(TABLE) == pytest.approx(measured.values()["vertex_diversity"])


def test_operators_without_room_are_left_to_those_with_room() -> None:
    memory = Memory(lambda name: CallSpace(64 if name == "Relu" else 4096, None, frozenset()))
    early, late = (Counter(n.op for g in suite(12, "Relu Neg Add", memory=memory) for n in g.nodes) for _ in range(2))
    assert early["Relu"] > 1.5 * early["Neg"]
    assert late["Relu"] < early["Relu"]


def test_an_operator_that_never_takes_a_rank_is_not_tried_on_it_again() -> None:
    known = Vertices()
    matrix, cube = TensorType("float32", (2, 2)), TensorType("float32", (2, 2, 2))
    for _ in range(20):
        known.fail(GEMM, cube)
        known.fail(GEMM, matrix)
    assert not known.suits(GEMM, cube)
    known.add(GEMM, [matrix, matrix], {})
    assert known.suits(GEMM, matrix)
    assert not known.suits(GEMM, cube)
    assert known.suits(RELU, cube)


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if s != "nnsmith"])
def test_inputs_are_of_the_types_that_are_named(strategy: str) -> None:
    graphs = [generate(10, seed, strategy=strategy, operators=[RELU, ADD], inputs=SMALL) for seed in range(20)]
    types = [t for graph in graphs for t in graph.input_types]
    sizes = Counter(size for t in types for size in t.shape)
    assert {t.dtype for t in types} == {"float32", "int8"}
    assert {t.rank for t in types} >= {2, 3, 4}
    assert sum(sizes[size] for size in SMALL.sizes) > 0.98 * sizes.total()  # blocks of operators have others


def test_equal_memories_give_equal_suites() -> None:
    first, second = ([digest(graph) for graph in suite(10, "Add Relu MatMul Reshape Conv")] for _ in range(2))
    assert first == second
