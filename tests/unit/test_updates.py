"""Graphs that update their inputs: their meaning, their storage, and the place of their values."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from polyjuice.egraph import Budget, Rewriter, load
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.torch.writes import FORMS, UPDATE
from polyjuice.generate import generate
from polyjuice.ir import Graph, GraphError, TensorType, check_structure, digest, numbered, prune, read, renamed, union
from polyjuice.ir import with_outputs as only_outputs
from polyjuice.ops import GraphBuilder
from tests.support.commands import polyjuice
from tests.support.shares import in_the_long_run

MATRIX = TensorType("float32", (3, 4))


def updating() -> Graph:
    """A graph: x becomes x + y, y becomes the square of that, and the output is the old x."""
    b = GraphBuilder()
    x, y = b.input(MATRIX, "x"), b.input(MATRIX, "y")
    total = b.op("Add", x, y, outputs=["total"])
    square = b.op("Mul", total, total, outputs=["square"])
    negated = b.op("Neg", x, outputs=["negated"])
    return b.build([negated], {x: total, y: square})


def test_updates_are_outputs_that_are_not_returned() -> None:
    graph = updating()
    assert graph.outputs == ("negated", "total", "square")
    assert graph.returned == ("negated",)
    assert graph.updates == {"x": 1, "y": 2}
    assert "update x = total" in str(graph)
    assert read(graph) >= {"x", "y", "negated"}


def test_an_update_is_part_of_what_a_graph_is() -> None:
    graph = updating()
    assert digest(graph) != digest(replace(graph, updates={}))
    assert digest(graph) != digest(replace(graph, updates={"x": 2, "y": 1}))
    assert digest(graph) == digest(renamed(graph, {name: f"_{name}" for name in graph.types} | {"": ""}))
    assert prune(graph) is graph


@pytest.mark.parametrize(
    ("updates", "message"),
    [
        ({"total": 1}, "it is no input"),
        ({"x": 3}, "there is no output 3"),
        ({"x": 1, "y": 1}, "two inputs are updated by one output"),
    ],
)
def test_an_update_that_means_nothing_is_refused(updates: dict[str, int], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        check_structure(replace(updating(), updates=updates))


def test_an_input_holds_values_of_its_own_type() -> None:
    b = GraphBuilder()
    x = b.input(MATRIX)
    shape = b.op("Transpose", x, perm=(1, 0))
    with pytest.raises(GraphError, match="is of another type"):
        b.build([], {x: shape})


def test_fewer_outputs_keep_the_updates_among_them() -> None:
    graph = only_outputs(updating(), [2, 0])
    assert graph.outputs == ("square", "negated")
    assert graph.updates == {"y": 0}


def test_graphs_side_by_side_keep_their_updates() -> None:
    whole = union([renamed(updating(), numbered(updating(), i)) for i in range(2)])
    check_structure(whole)
    assert whole.updates == {"p0_x": 1, "p0_y": 2, "p1_x": 4, "p1_y": 5}


def test_a_file_keeps_updates(tmp_path: Path) -> None:
    graph_files.save(updating(), tmp_path / "graph.onnx")
    found = graph_files.load(tmp_path / "graph.onnx")
    assert found.updates == updating().updates
    assert digest(found) == digest(updating())


def test_a_file_whose_updates_cannot_be_read_is_refused(tmp_path: Path) -> None:
    model = graph_files.to_model(updating())
    model.metadata_props[0].value = "[1]"
    with pytest.raises(graph_files.FormatError, match=r"polyjuice\.updates is no JSON object"):
        graph_files.from_model(model)


def test_rewriting_keeps_updates() -> None:
    rewriter = Rewriter(load(), Budget(rules=None))
    for number in range(4):
        graph = generate(4, f"updates {number}", strategy="statements")
        for variant in rewriter.rewrite(graph, str(number)).variants:
            assert variant.graph.updates == graph.updates
            assert [variant.graph.types[name] for name in variant.graph.outputs] == list(graph.output_types)


@pytest.mark.parametrize("format", ["onnx", "tensorflow"])
def test_formats_without_writes_refuse_updates(format: str) -> None:
    with pytest.raises(Unlowerable, match="the program writes into its input 'x'"):
        lower(updating(), format, 0)


def test_every_generated_program_writes_into_an_input() -> None:
    for number in range(100):
        graph = generate(4, number, strategy="statements")
        check_structure(graph)
        assert graph.updates
        seen = any(node.op in ("BitCast", "view.dtype") for node in graph.nodes)
        assert len(graph) <= (7 if seen else 4)


def test_no_form_of_writes_is_missing_in_generated_programs() -> None:
    found = set()
    for number in range(1000):
        artifact = lower(generate(4, number, strategy="statements"), "torch", number)
        found |= {form for operator, form in artifact.forms if operator == UPDATE}
        if found == {*FORMS}:
            break
    assert found == {*FORMS}


@pytest.mark.parametrize("part", [0, *in_the_long_run(1, 2, 3)])
def test_a_program_is_written_in_a_pack_as_it_is_alone(part: int) -> None:
    """A pack contains the statements of each program as they are alone, apart from names."""
    graphs = [generate(4, f"pack {part} {i}", strategy="statements") for i in range(12)]
    alone = [lower(graph, "torch", f"{part} {i}") for i, graph in enumerate(graphs)]
    taken: dict[tuple[str, str], tuple[int, ...]] = {}
    for i, (graph, artifact) in reversed(list(enumerate(zip(graphs, alone, strict=True)))):
        assert artifact.choices is not None
        taken.update(artifact.choices.renamed(numbered(graph, i)).taken)
    whole = union([renamed(graph, numbered(graph, i)) for i, graph in enumerate(graphs)])
    together = lower(whole, "torch", LoweringChoices.of(taken))
    forms = Counter(form for artifact in alone for form in artifact.forms if form[0] == UPDATE)
    assert Counter(form for form in together.forms if form[0] == UPDATE) == forms


def test_a_compiler_of_other_programs_is_not_given_such_seeds(tmp_path: Path) -> None:
    done = polyjuice("fuzz", "--compiler", "numpy", "--seeds", "statements", "-n", 2, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert (
        "--seeds statements generates programs that write into their inputs, which onnx programs cannot" in done.stderr
    )
