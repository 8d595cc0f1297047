"""Function rewriting: the part of a graph that becomes a function, and the place of its call."""

from __future__ import annotations

import re

import numpy as np
import pytest

from polyjuice.frameworks import outline
from polyjuice.frameworks.choosers import drawing
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.outline import Calling, Outline, choose
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, prune
from polyjuice.numerics import SAFETY, analyse, distance
from polyjuice.ops import check
from tests.support.frameworks import RUN


def chosen(graph: Graph, count: int = 40) -> list[Outline]:
    """The parts that some seeds choose."""
    return [found for seed in range(count) if (found := choose(graph, drawing(seed)))]


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "CHANCE", 1.0)


def test_a_share_of_all_programs_has_a_function() -> None:
    graph = generate(10, "outline")
    assert 0.1 * 1000 < len(chosen(graph, 1000)) < 0.2 * 1000


@pytest.mark.usefixtures("always")
def test_a_part_and_what_is_around_it_are_the_graph_in_an_order_that_can_be_run() -> None:
    sizes, callings = set(), set()
    for number in range(10):
        graph = prune(generate(12, f"outline {number}"))
        for found in chosen(graph):
            inside, part = sorted(found.part.nodes), found.part.graph
            assert sorted([*found.before, *inside, *found.after]) == list(range(len(graph)))
            ordered = [graph.nodes[n] for n in (*found.before, *inside, *found.after)]
            check(Graph(graph.inputs, graph.constants, tuple(ordered), graph.outputs, graph.types))
            check(part)
            made = {name for n in found.before for name in graph.nodes[n].outputs}
            assert made.union(graph.inputs).issuperset(part.inputs)
            sizes.add(len(inside))
            callings.add(found.calling)
    assert sizes >= {2, 3, 5, 8}
    assert callings == set(Calling)


@pytest.mark.usefixtures("always")
def test_too_little_for_a_function() -> None:
    assert not chosen(generate(1, "one"))
    assert not chosen(Graph((), {}, (), (), {}))


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("format", RUN)
def test_a_program_with_functions_means_the_graph(format: str) -> None:
    ran = 0
    for number in range(60):
        graph = generate(8, f"functions {number}", lambda op, x, y: {t.dtype for t in (*x, *y)} <= TYPES)
        try:
            inputs = make_inputs(graph, "exact", number)
            artifact = lower(graph, format, number)
            analyses = analyse(graph, inputs)
        except (EvaluationError, Unlowerable):
            continue
        try:
            results = RUN[format](artifact, inputs)
        except Exception as error:
            if not re.search("implement|not support|differentiable|MLDataType|allowed values", str(error)):
                raise
            continue
        ran += bool(set(artifact.idioms).intersection(Calling))
        for result, analysis in zip(results, analyses, strict=True):
            gap = distance(np.asarray(result), analysis.reference)
            allowed = 0.0 if analysis.reproducible else SAFETY * analysis.bound
            assert not (np.isfinite(analysis.bound) & (gap > allowed)).any(), f"{artifact.idioms}\n{graph}"
    assert ran > 40


TYPES = {"float32", "int64", "bool"}
"""Operators for which all three frameworks have nearly all kernels."""
