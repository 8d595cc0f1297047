"""Lowering choices as data: the record of a seed's draws is enough to build the same program again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from polyjuice import pipeline
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks.choosers import drawing, replaying
from polyjuice.frameworks.lowering import DRAWN_OPSET, Unlowerable, following, lower
from polyjuice.generate import generate
from polyjuice.ir import Graph
from polyjuice.triage.reduction.details import plainer_choices
from polyjuice.triage.reduction.run import Search
from polyjuice.triage.reduction.trial import Pair, Trial
from tests.support.graphs import apply
from tests.support.graphs import graph as graph_of

WAYS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("torch", {}),
    ("tensorflow", {}),
    ("onnx", {}),
    ("onnx", {"opset": DRAWN_OPSET}),
    ("onnx", {"opset": 13, "lacks": ("functions",)}),
    ("onnx", {"opset": DRAWN_OPSET, "lacks": ("functions", "model: opset 11", "model: opset 12", "model: opset 20")}),
)


def drawn() -> Iterator[tuple[Graph, Artifact, bool]]:
    """Graphs, programs of them in all ways, and whether all forms were possible."""
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
        again = lower(graph, artifact.format, other.choices).choices
        assert set(again.taken) <= set(other.choices.taken)


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


def test_a_program_follows_the_forms_of_another_and_is_plain_otherwise() -> None:
    followed = 0
    for number in range(10):
        graph = generate(6, f"follow {number}")
        try:
            forms = set(lower(graph, "onnx", number, opset=DRAWN_OPSET, lacks=("functions",)).forms)
        except Unlowerable:  # the opset lacks an operator
            continue
        again = lower(graph, "onnx", following(forms))
        assert {idiom.partition(" x")[0] for idiom in again.idioms} <= {"constant nodes"}
        assert set(again.forms) - forms <= {form for form in again.forms if "absent" in form[1] or "all" in form[1]}
        followed += len(forms.intersection(again.forms))
        plain = lower(graph, "onnx", following([]))
        assert plain.choices == LoweringChoices()
    assert followed > 30


@dataclass
class Planted(Trial):
    """A fault that shows in each program whose text contains certain words."""

    words: tuple[str, ...] = ()
    together = 1

    def shows(self, pair: Pair) -> bool:
        texts = [str(self.lowered(pair, side).source) for side in range(len(pair.graphs))]
        return all(word in text for word in self.words for text in texts)


def planted(format: str, *words: str, opset: int = DRAWN_OPSET) -> Planted:
    stored = SimpleNamespace(
        conditions=SimpleNamespace(opset=opset), target=pipeline.Target(format=format, opset=opset)
    )
    return Planted(stored=stored, session=SimpleNamespace(), words=words)  # type: ignore[arg-type]


def with_plainer_choices(trial: Planted, pair: Pair) -> Pair:
    search = Search(passes=[("choices", plainer_choices)], trial=trial, accepted=[pair], show=lambda step: None)
    assert search.run()
    return search.accepted[-1]


def computed() -> Graph:
    """A graph of relu(x * 0.5 + y) . y, which broadcasts y in between."""
    return graph_of("float32[2,3] x; float32[3] y", "MatMul(Relu(Add(Mul(x, [[0.5] * 3] * 2), y)), y)")


@pytest.mark.parametrize(
    ("word", "site"),
    [
        (".expand((2, 3))", "operand 1 of"),
        ("self.part(", "outline"),
        ("register_buffer(", "constant"),
        ("F.relu(", "operator of"),
        ("torch.nn.ReLU()", "operator of"),
        (" += ", "views of"),
    ],
)
def test_the_choice_that_a_fault_needs_is_left_alone(word: str, site: str) -> None:
    made, met = computed(), 0
    for seed in range(400):
        artifact = lower(made, "torch", seed)
        if word not in str(artifact.source):
            continue
        met += 1
        pair = Pair(graphs=(made,), inputs=(), output=0, choices=(artifact.choices,))
        left = with_plainer_choices(planted("torch", word), pair).choices[0]
        assert word in str(lower(made, "torch", left).source)
        assert {subject for subject, _ in left.taken} <= {site, "number in", "operator of"}
        for fewer in left.taken:  # no choice is redundant
            assert word not in str(lower(made, "torch", left.without([fewer])).source)
        if met == 3:
            return
    raise AssertionError("the word is too rare")


def test_both_sides_become_plain_where_no_choice_matters() -> None:
    graphs = computed(), generate(6, "plain 1")
    choices = tuple(lower(graph, "onnx", 1, opset=DRAWN_OPSET, unknown_sizes=1).choices for graph in graphs)
    assert all(c.cost for c in choices)
    left = with_plainer_choices(planted("onnx"), Pair(graphs=graphs, inputs=(), output=0, choices=choices))
    assert left.choices == (LoweringChoices(), LoweringChoices())


def test_the_opset_that_a_campaign_was_told_stays() -> None:
    choices = lower(computed(), "onnx", 0, opset=13).choices
    pair = Pair(graphs=(computed(),), inputs=(), output=0, choices=(choices,))
    for opset, left in ((13, {("opset", ""): (13,)}), (DRAWN_OPSET, {})):
        assert with_plainer_choices(planted("onnx", opset=opset), pair).choices[0].taken == left


def test_stride_0_is_left_to_inputs_whose_values_repeat() -> None:
    made, stretched = apply("Neg", "float32[2,3]"), (LoweringChoices.of({("layout", "x0"): [5]}),)
    for x, layouts in ((np.float32([[1, 1, 1], [2, 2, 2]]), ["expanded:1"]), (np.float32([[1, 2, 3]] * 2), None)):
        artifact = planted("torch").lowered(Pair(graphs=(made,), inputs=(x,), output=0, choices=stretched), 0)
        assert artifact.setup.get("layouts") == layouts
