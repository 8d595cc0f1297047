"""Seed graphs of every strategy: valid, of the requested size, diverse, and a function of their seed alone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

import pytest

from polyjuice.generate import SMALL_STRATEGIES, STRATEGIES, Memory, Suite, Turn, generate
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import TABLE, check, entry, without_complex

COUNT = 270


ORDINARY = {(op.domain, op.name) for op in without_complex(TABLE.values())}
LARGE = [strategy for strategy in STRATEGIES if strategy not in SMALL_STRATEGIES]
"""The strategies whose graphs have the requested number of operators."""


@pytest.fixture(scope="module", params=LARGE)
def strategy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def graphs(strategy: str) -> list[Graph]:
    """Some graphs of 1 to 20 operators."""
    return [generate(1 + seed % 20, seed, strategy=strategy) for seed in range(COUNT)]


def test_every_graph_is_well_formed_and_well_typed(graphs: Sequence[Graph]) -> None:
    for graph in graphs:
        assert check(graph) is graph


def test_every_graph_has_the_operators_asked_for(graphs: Sequence[Graph]) -> None:
    assert [len(graph) for graph in graphs] == [1 + seed % 20 for seed in range(COUNT)]


def test_no_node_is_computed_in_vain(graphs: Sequence[Graph]) -> None:
    for graph in graphs:
        read = set(chain(graph.outputs, *(node.inputs for node in graph.nodes)))
        assert read.issuperset(chain(*(node.outputs for node in graph.nodes)))


def test_every_element_type_occurs(graphs: Sequence[Graph]) -> None:
    of_inputs = Counter(t.dtype for graph in graphs for t in graph.input_types)
    assert set(dtypes.ALL) <= set(of_inputs) <= set(dtypes.EVERY)
    assert of_inputs.most_common(1)[0][0] == "float32"


def test_ranks_0_to_5_occur_and_no_higher(graphs: Sequence[Graph]) -> None:
    ranks = Counter(t.rank for graph in graphs for t in graph.types.values())
    assert sorted(ranks) == [0, 1, 2, 3, 4, 5]
    assert min(ranks.values()) > 25


def test_values_are_small(graphs: Sequence[Graph]) -> None:
    assert max(t.size for graph in graphs for t in graph.types.values()) <= 20_000


def test_broadcasting_occurs(graphs: Sequence[Graph]) -> None:
    broadcasts = [
        node
        for graph in graphs
        for node in graph.nodes
        if (op := entry(node)) and op.elementwise and len({graph.types[name].shape for name in node.inputs}) > 1
    ]
    assert len(broadcasts) > COUNT / 5


def test_graphs_have_one_or_several_outputs(graphs: Sequence[Graph]) -> None:
    counts = Counter(len(graph.outputs) for graph in graphs)
    assert counts[1] > 10
    assert sum(counts[n] for n in counts if n > 1) > 50
    assert min(counts) == 1


def test_values_are_read_more_than_once(graphs: Sequence[Graph]) -> None:
    reads = Counter(
        max(Counter(chain(*(node.inputs for node in graph.nodes))).values(), default=0) > 1 for graph in graphs
    )
    assert reads[True] > COUNT / 3


def test_nearly_all_inputs_are_used(graphs: Sequence[Graph]) -> None:
    used = unused = 0
    for graph in graphs:
        read = set(chain(graph.outputs, *(node.inputs for node in graph.nodes)))
        used += len(read.intersection(graph.inputs))
        unused += len(set(graph.inputs) - read)
    assert used > 2 * unused


def test_constants_occur_uniform_and_not(graphs: Sequence[Graph]) -> None:
    arrays = [array for graph in graphs for array in graph.constants.values() if array.size > 1]
    uniform = sum(bool((array == array.reshape(-1)[0]).all()) for array in arrays)
    assert 10 < uniform < len(arrays) - 10


def test_nearly_every_operator_of_the_table_occurs_soon(graphs: Sequence[Graph]) -> None:
    seen = {(node.domain, node.op) for graph in graphs for node in graph.nodes}
    assert len(seen & ORDINARY) > 0.85 * len(ORDINARY)


@pytest.mark.long
def test_every_operator_of_the_table_occurs(strategy: str, graphs: Sequence[Graph]) -> None:
    seen = {(node.domain, node.op) for graph in graphs for node in graph.nodes}
    for seed in range(3000):
        if seen.issuperset(ORDINARY):
            return
        seen.update((node.domain, node.op) for node in generate(20, f"more {seed}", strategy=strategy).nodes)
    assert seen.issuperset(ORDINARY), ORDINARY - seen


def test_types_change_within_graphs(strategy: str, graphs: Sequence[Graph]) -> None:
    least = 25 if strategy == "default" else 5  # with equal odds for all operators, a cast is one of many
    assert sum(any(node.op == "Cast" for node in graph.nodes) for graph in graphs) > least
    assert sum(len({t.dtype for t in graph.types.values()}) > 1 for graph in graphs) > COUNT / 2


def test_graphs_are_deep_as_well_as_wide(strategy: str, graphs: Sequence[Graph]) -> None:
    depths = []
    for graph in graphs[19::20]:  # graphs of 20 operators
        depth: dict[str, int] = {}
        for node in graph.nodes:
            below = max((depth.get(name, 0) for name in node.inputs), default=0)
            depth.update(dict.fromkeys(node.outputs, below + 1))
        depths.append(max(depth.values()))
    deepest, usual = (8, 4) if strategy == "default" else (5, 3)  # the default prefers recent values
    assert max(depths) >= deepest
    assert sum(depths) / len(depths) > usual


def test_equal_seeds_give_equal_graphs_and_other_seeds_others() -> None:
    digests = [digest(generate(8, seed)) for seed in range(50)]
    assert digests == [digest(generate(8, seed)) for seed in range(50)]
    assert len(set(digests)) == 50


def test_a_seed_may_be_text() -> None:
    assert str(generate(5, "a/1")) == str(generate(5, "a/1"))
    assert str(generate(5, "a/1")) != str(generate(5, "a/2"))


def test_the_hash_seed_of_the_process_does_not_matter() -> None:
    program = (
        "from polyjuice.generate import generate\nfrom polyjuice.ir import digest\n"
        "print(*(digest(generate(10, seed)) for seed in range(20)))"
    )
    here = [digest(generate(10, seed)) for seed in range(20)]
    other = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": other}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == here


def test_few_types_leave_no_graph_without_operators() -> None:
    """The graph has chosen one element type for most of its inputs."""
    few = {"float32", "int64", "bool"}
    graphs = [generate(2, seed, lambda _, x, y: {t.dtype for t in (*x, *y)} <= few) for seed in range(100)]
    assert {len(graph) for graph in graphs} == {2}


def test_there_is_a_default_strategy() -> None:
    assert "default" in STRATEGIES


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_the_operators_that_are_named_occur(strategy: str) -> None:
    operators = [TABLE["", name] for name in ("Add", "Relu", "MatMul", "Transpose", "Concat")]
    graphs = [generate(8, seed, strategy=strategy, operators=operators) for seed in range(40)]
    assert {node.op for graph in graphs for node in graph.nodes} == {op.name for op in operators}


@cache
def diversity(strategy: str) -> Mapping[str, float]:
    """The metrics of a suite of graphs. Each graph is generated with the others in memory."""
    memory, suite = Memory(), Suite()
    for seed in range(60):
        suite.add(generate(10, seed, strategy=strategy, memory=memory))
    return suite.values()


@pytest.mark.parametrize("strategy", [s for s in LARGE if s != "default"])
def test_a_suite_of_the_default_strategy_is_the_most_diverse(strategy: str) -> None:
    default, other = diversity("default"), diversity(strategy)
    for metric in ("SEC", "DEC", "edge_diversity"):
        assert default[metric] > other[metric]


def test_every_edge_has_its_turn_once() -> None:
    edges = [("edge", "Add", op.qualified) for op in TABLE.values()]
    turns = Counter(edge for index in range(64) for edge in edges if not Turn(7, index).covers(edge))
    assert turns == Counter(edges)
    assert [e for e in edges if not Turn(7, 3).covers(e)] == [e for e in edges if not Turn(7, 3 + 64).covers(e)]
    assert [e for e in edges if not Turn(7, 3).covers(e)] != [e for e in edges if not Turn(8, 3).covers(e)]


def test_every_operator_has_its_turn_on_every_element_type() -> None:
    pairs = [(op, dtype) for op in TABLE.values() for dtype in op.types[op.variable(0)]]
    cases = -(-2 * len(pairs) // 5)
    due = [one for index in range(cases) for one in Turn(7, index).due(list(TABLE.values()), 5)]
    assert [(one.op, one.dtype) for one in due[: len(pairs)]] != pairs
    met = Counter((one.op.qualified, one.dtype) for one in due)
    assert met.keys() == {(op.qualified, dtype) for op, dtype in pairs}


def test_turns_bring_operators_onto_more_element_types() -> None:
    found = []
    for turns in (False, True):
        graphs = [generate(10, index, memory=Turn(0, index) if turns else None) for index in range(200)]
        found.append({(n.op, g.types[n.inputs[0]].dtype) for g in graphs for n in g.nodes if n.inputs})
    assert len(found[1]) > 1.3 * len(found[0])


@pytest.mark.parametrize(("dtype", "width"), [("int8", 8), ("int64", 64)])
def test_shift_amounts_reach_the_width_and_beyond(dtype: str, width: int) -> None:
    op = TABLE["aten", "bitwise_left_shift"]
    drawn = [op.sample(random.Random(seed), TensorType(dtype, (3,))) for seed in range(200)]
    ranges = [values for sample in drawn if sample and (values := sample.operands[0].values)]
    assert len(ranges) == len(drawn)
    assert min(low for low, _ in ranges) == 0
    assert sum(high >= width for _, high in ranges) > 10
    assert sum(high < width for _, high in ranges) > 100


def test_followers_are_operators() -> None:
    known = {op.qualified for op in TABLE.values()}
    unknown = {op.qualified: missing for op in TABLE.values() if (missing := {*op.followers.split()} - known)}
    assert not unknown
