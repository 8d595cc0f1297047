"""Lowering choices as data: what a seed draws is recorded, and the record alone gives the same program again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.generate import generate
from polyjuice.ir import Graph, TensorType
from polyjuice.lower import DRAWN_OPSET, Unlowerable, lower
from polyjuice.lower.choices import drawing, replaying
from polyjuice.ops import GraphBuilder

WAYS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("torch", {}),
    ("tensorflow", {}),
    ("onnx", {}),
    ("onnx", {"opset": DRAWN_OPSET}),
    ("onnx", {"opset": 13, "lacks": ("functions",)}),
    ("onnx", {"opset": DRAWN_OPSET, "lacks": ("functions", "model: opset 11", "model: opset 12", "model: opset 20")}),
)


def drawn() -> Iterator[tuple[Graph, Artifact, bool]]:
    """Graphs, programs of them in all ways, and whether any form was allowed."""
    for number in range(24):
        graph = generate(3 + number % 9, f"choices {number}")
        for format, how in WAYS:
            axes = {name: 0 for name in graph.inputs if graph.types[name].shape[:1] > (1,)} if format == "torch" else {}
            try:
                yield graph, lower(graph, format, number, repeated=axes, **how), "lacks" not in how
            except Unlowerable:
                continue


def program(artifact: Artifact, forms: bool = True) -> tuple[object, ...]:
    arrays = [(name, array.dtype, array.shape, array.tobytes()) for name, array in artifact.arrays.items()]
    called = artifact.arguments, artifact.results, artifact.setup, artifact.idioms
    return (artifact.source, arrays, *called, artifact.forms if forms else ())


def test_a_record_gives_the_same_program_again() -> None:
    taken = 0
    for graph, artifact, any_form in drawn():
        choices = artifact.choices
        assert choices is not None
        read = LoweringChoices.from_json(json.loads(json.dumps(choices.as_json())))
        again = lower(graph, artifact.format, read)
        assert program(again, any_form) == program(artifact, any_form)
        assert again.choices == choices
        taken += choices.cost
    assert taken > 500


def test_the_empty_record_is_the_plainest_program() -> None:
    for graph, artifact, _ in drawn():
        plain = lower(graph, artifact.format, LoweringChoices())
        assert plain.choices == LoweringChoices()
        assert plain.setup == {}
        assert not {idiom for idiom in plain.idioms if "function" in idiom or "view" in idiom}


def test_a_record_of_another_graph_gives_a_program() -> None:
    artifacts = list(drawn())
    for (graph, artifact, _), (_, other, _) in zip(artifacts, artifacts[len(WAYS) :], strict=False):
        assert other.choices is not None
        again = lower(graph, artifact.format, other.choices).choices
        assert again is not None
        assert set(again.taken) <= set(other.choices.taken)


def test_a_seed_draws_what_it_always_drew() -> None:
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (2, 3)), "x"), build.input(TensorType("float32", (3,)), "y")
    half = build.constant(np.full((2, 3), 0.5, np.float32), "half")
    graph = build.build([build.op("Softmax", build.op("Mul", build.op("Add", x, y), half), axis=1)])
    for seed, methods in DRAWN.items():
        assert str(lower(graph, "torch", seed).source).endswith(methods)


DRAWN = {
    2: """
    def forward(self, x, y):
        v3 = x.add(y.expand((2, 3)))
        half = torch.full((2, 3), 0.5, dtype=torch.float32, device=x.device)
        v3 *= half
        v4 = v3
        v5 = self.m_v5(v4)
        return (v5,)
""",
    6: """
    def forward(self, x, y):
        v3 = torch.add(x, y)
        v4 = v3.mul_(0.5)
        v5 = F.softmin(-v4, 1)
        return (v5,)
""",
    7: """
    def forward(self, x, y):
        v4, = self.part(x, y)
        v5 = torch.softmax(v4, 1)
        return (v5,)

    def part(self, x, y):
        v3 = torch.add(x, y.expand((2, 3)))
        v4 = v3.mul(self.w_half)
        return (v4,)
""",
}


@pytest.mark.parametrize("count", [0, 1, 5])
def test_what_is_drawn_at_a_site_is_replayed(count: int) -> None:
    def ask(chooser: Any) -> list[object]:
        draws = chooser.about("subject", "value")
        numbers = [draws.randrange(2, 9), *draws.sample(range(10), count), draws.chance(0.7), draws.chance(0.2)]
        further = [draws.choice("abc"), draws.weighted("xyz", (1, 5, 5)), draws.named("part").choice("pq")]
        return [*numbers, *further, *draws.marked(["u", "v", "w"], lambda rng: [rng.choice("uvw")])]

    met = set()
    for seed in range(20):
        chooser = drawing(seed)
        asked = ask(chooser)
        assert ask(replaying(chooser.record())) == asked
        met.add(tuple(asked))
    assert len(met) > 10
    assert ask(replaying(LoweringChoices())) == [2, *range(count), True, False, "a", "x", "p"]


def test_an_option_that_is_not_there_is_the_plainest() -> None:
    choices = LoweringChoices.of({("subject", ""): [7, 1]})
    draws = replaying(choices).about("subject")
    assert [draws.choice("ab"), draws.choice("ab"), draws.choice("ab")] == ["a", "b", "a"]


def test_records_are_edited_site_by_site() -> None:
    choices = LoweringChoices.of({("a", "x"): [0, 2, 1, 0], ("b", ""): [1], ("c", "y"): [0, 0]})
    assert choices.taken == {("a", "x"): (0, 2, 1), ("b", ""): (1,)}
    assert choices.cost == 3
    assert choices.without([("b", "")]).taken == {("a", "x"): (0, 2, 1)}
    assert [fewer.taken[("a", "x")] for fewer in choices.plainer_at(("a", "x"))] == [(0, 0, 1), (0, 2)]
    assert choices.renamed({"x": "v0"}).taken == {("a", "v0"): (0, 2, 1), ("b", ""): (1,)}
    assert choices.as_json() == {"a": {"x": [0, 2, 1]}, "b": {"": [1]}}
