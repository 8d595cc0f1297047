"""GenCoG's claims (GenCoG, section 5.1): the diversity of vertices directs the choice of the next operator."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from polyjuice.generate import Memory, Suite, generate
from polyjuice.generate.published import gencog
from polyjuice.ir import TensorType, digest
from polyjuice.ops import TABLE

ADD = TABLE["", "Add"]
T = TensorType("float32", (2, 3))


def test_a_memory_knows_calls_by_types_and_attributes() -> None:
    memory = Memory()
    softmax = TABLE["", "Softmax"]
    memory.add(softmax, [T], {"axis": 0})
    assert memory.knows(softmax, [T], {"axis": 0})
    assert not memory.knows(softmax, [T], {"axis": 1})
    assert not memory.knows(softmax, [TensorType("float64", (2, 3))], {"axis": 0})
    assert not memory.knows(TABLE["", "LogSoftmax"], [T], {"axis": 0})


def test_the_novelty_of_an_operator_falls_with_its_repetitions_and_recovers() -> None:
    memory = Memory()
    novelties = [memory.novelty(ADD)]
    for _ in range(10):
        memory.add(ADD, [T, T], {})
        novelties.append(memory.novelty(ADD))
    assert novelties[:2] == [1.0, 1.0]
    assert novelties[1:] == sorted(novelties[1:], reverse=True)
    assert novelties[-1] < 0.5
    memory.add(ADD, [TensorType("float32", (5,))] * 2, {})
    assert memory.novelty(ADD) > novelties[-1]


def test_operators_are_chosen_by_the_softmax_of_their_scores() -> None:
    """Equation 6: the operator with the highest score is e times as likely as the one with the lowest score."""
    memory = Memory()
    worn = [op for op in TABLE.values() if op.accepts(0, "float32")][::2]
    for op in worn:
        for _ in range(40):
            memory.add(op, [T], {})
    growth = gencog.GenCoG(random.Random(0), None, None, memory)
    x = growth.input(T)
    chosen = Counter(growth._operator(x) in worn for _ in range(4_000))
    assert chosen[False] / chosen[True] == pytest.approx(2.718, rel=0.15)


def test_repeated_vertices_are_mostly_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = []
    for rate in (0.0, gencog.REJECTED):
        monkeypatch.setattr(gencog, "REJECTED", rate)
        calls = []
        for seed in range(15):
            graph = generate(60, seed, strategy="gencog")
            calls += [(seed, n.qualified, str(n.attrs), *map(str, map(graph.types.get, n.inputs))) for n in graph.nodes]
        shares.append(1 - len(set(calls)) / len(calls))
    assert shares[1] < shares[0] / 2


def test_the_memory_of_a_suite_makes_it_more_diverse() -> None:
    alone, together, memory = Suite(), Suite(), Memory()
    for seed in range(40):
        alone.add(generate(20, seed, strategy="gencog"))
        together.add(generate(20, seed, strategy="gencog", memory=memory))
    assert together.values()["operator_instances"] > alone.values()["operator_instances"]


def test_equal_memories_give_equal_graphs() -> None:
    suites = []
    for _ in range(2):
        memory = Memory()
        suites.append([digest(generate(10, seed, strategy="gencog", memory=memory)) for seed in range(20)])
    assert suites[0] == suites[1]
