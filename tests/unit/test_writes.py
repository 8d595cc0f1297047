"""Graphs that update their inputs, and the alias oracle, which judges what programs share and write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyjuice.compilers import find, names
from polyjuice.egraph import Budget, Rewriter, load
from polyjuice.execution import Artifact, LoweringChoices, Memory, Outcome, Shared
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.torch.writes import FORMS, UPDATE
from polyjuice.generate import generate
from polyjuice.ir import (
    Graph,
    GraphError,
    check_structure,
    digest,
    numbered,
    prune,
    read,
    renamed,
    union,
)
from polyjuice.ir import with_outputs as only_outputs
from polyjuice.numerics import analyse
from polyjuice.oracles import ORACLES, Case, InputSet, Program, Verdict, fault, usual_oracles
from polyjuice.oracles.alias import GAINED, LOST, MOVED, WRITTEN
from polyjuice.session import CompilerSession, Conditions
from tests.support.commands import polyjuice
from tests.support.graphs import graph as graph_of
from tests.support.shares import in_the_long_run


def updating() -> Graph:
    """A graph: x becomes x + y, y becomes the square of that, and the output is the old x."""
    body = "total = Add(x, y); square = Mul(total, total); Neg(x)"
    made = graph_of("float32[3,4] x y", body, {"x": "total", "y": "square"})
    return renamed(made, {"x": "x", "y": "y", "v2": "total", "v3": "square", "v4": "negated", "": ""})


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
    with pytest.raises(GraphError, match="is of another type"):
        graph_of("float32[3,4] x", "y = Transpose(x, perm=(1, 0)); []", {"x": "y"})


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
    for number in range(2):
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
        try:
            artifact = lower(generate(4, number, strategy="statements"), "torch", number)
        except Unlowerable:  # Torch lacks an operator
            continue
        found |= {form for operator, form in artifact.forms if operator == UPDATE}
        if found == {*FORMS}:
            return
    assert found == {*FORMS}


@pytest.mark.parametrize("part", [0, *in_the_long_run(1, 2, 3)])
def test_a_program_is_written_in_a_pack_as_it_is_alone(part: int) -> None:
    """A pack contains the statements of each program as they are alone, apart from names."""
    graphs = [generate(4, f"pack {part} {i}", strategy="statements") for i in range(12)]
    alone = [lower(graph, "torch", f"{part} {i}") for i, graph in enumerate(graphs)]
    taken: dict[tuple[str, str], tuple[int, ...]] = {}
    for i, (graph, artifact) in reversed(list(enumerate(zip(graphs, alone, strict=True)))):
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


X = np.arange(4, dtype=np.float32)
INPUT, OUTPUT, HELD = Memory.INPUT, Memory.OUTPUT, Memory.HELD


def graph() -> Graph:
    return graph_of("float32[4] x y", "Add(x, x), Neg(y)")


def memory(
    *shared: Shared, written: Iterable[int] = (), same: Iterable[tuple[int, int]] = (), grad: Iterable[int] = ()
) -> Memory:
    return Memory(
        written=frozenset(written), shared=frozenset(shared), same=frozenset(same), differentiable=frozenset(grad)
    )


def verdicts(compiled: Memory, plain: Memory, **setup: object) -> list[Verdict]:
    """The oracle's verdicts on a program with this use of memory, compiled and uncompiled."""
    artifact = Artifact(format="torch", source="", setup=setup, choices=LoweringChoices())
    outcome = Outcome(status="ok", memory=(memory(), compiled), reference_memory=(memory(), plain))
    program = Program(
        label="min", graph=graph(), artifact=artifact, analyses=[analyse(graph(), [X, X])], outcome=outcome
    )
    case = Case(sets=[InputSet(profile="normal", arrays=(X, X))] * 2, programs=[program])
    with CompilerSession(Conditions(), find("eager")) as session:
        found = ORACLES["alias"].judge(case, session)
        assert all(ORACLES["alias"].triggers(verdict, case, session) for verdict in found)
        others = (replace(verdict, comparison="another") for verdict in found)
        assert not any(ORACLES["alias"].triggers(other, case, session) for other in others)
    return found


@pytest.mark.parametrize(
    ("compiled", "plain", "comparison", "output", "message"),
    [
        (memory((1, INPUT, 0)), memory(), GAINED, 1, "output 1 shares memory with input 0; uncompiled it does not"),
        (memory((1, OUTPUT, 0)), memory(), GAINED, 1, "output 1 shares memory with output 0; uncompiled it does not"),
        (memory((0, HELD, "w")), memory(), GAINED, 0, "output 0 shares memory with w, which the model holds; uncom"),
        (memory(), memory((0, INPUT, 1)), LOST, 0, "uncompiled, output 0 shares memory with input 1; compiled it"),
        (memory(), memory((0, HELD, "w")), LOST, 0, "uncompiled, output 0 shares memory with w, which the model"),
        (memory(), memory((1, OUTPUT, 0), grad=(0, 1)), LOST, 1, "uncompiled, output 1 shares memory with output 0"),
        (memory((0, INPUT, 1)), memory((0, INPUT, 1), same=[(0, 1)]), MOVED, 0, "uncompiled, output 0 is input 1, "),
        (memory(written=[1]), memory(), WRITTEN, 1, "the memory of input 1 is written; uncompiled it is not"),
    ],
)
def test_what_differs_from_the_uncompiled_run_is_a_verdict(
    compiled: Memory, plain: Memory, comparison: str, output: int, message: str
) -> None:
    (verdict,) = verdicts(compiled, plain)
    assert (verdict.kind, verdict.a, verdict.culprit, verdict.b) == ("alias", "min", "min", "")
    assert (verdict.comparison, verdict.output, verdict.inputs) == (comparison, output, 1)
    assert verdict.message.startswith(f"min: {message}")


@pytest.mark.parametrize(
    ("compiled", "plain", "setup"),
    [
        (memory((1, INPUT, 0), written=[0]), memory((1, INPUT, 0), written=[0]), {}),
        (memory(), memory((1, OUTPUT, 0)), {}),
        (memory(), memory((1, OUTPUT, 0), grad=(1,)), {}),
        (memory(), memory((1, HELD, "w")), {"freezing": True}),
        (memory(written=[1]), memory(), {"updates": [[2, 1]]}),
        (memory(), memory(written=[1]), {}),
    ],
    ids=["the same", "no gradients", "one gradient", "frozen", "compared by value", "written alike"],
)
def test_what_nobody_promises_is_none(compiled: Memory, plain: Memory, setup: dict[str, object]) -> None:
    assert verdicts(compiled, plain, **setup) == []


def test_views_of_one_input_share_memory_with_each_other_too() -> None:
    plain = memory((0, INPUT, 0), (1, INPUT, 0), (1, OUTPUT, 0))
    (verdict,) = verdicts(memory((0, INPUT, 0), (1, INPUT, 0)), plain)
    assert (verdict.comparison, verdict.output) == (LOST, 1)


def test_both_variants_with_one_fault_are_one_finding() -> None:
    (verdict,) = verdicts(memory((1, INPUT, 0)), memory())
    case = Case(
        sets=[],
        programs=[
            Program(label=label, graph=graph(), artifact=Artifact(format="torch", source=""), analyses=[])
            for label in ("min", "max")
        ],
    )
    assert fault(case, verdict) == fault(case, replace(verdict, a="max", culprit="max"))
    assert fault(case, verdict) != fault(case, replace(verdict, comparison=LOST))


def test_a_part_of_a_pack_has_its_own_numbers_and_what_it_shares_with_other_programs() -> None:
    whole = memory(
        *((1, INPUT, 0), (1, INPUT, 2), (2, OUTPUT, 1), (3, OUTPUT, 2), (3, HELD, "w_p1_c"), (0, HELD, "w_p0_c")),
        written=[0, 2],
        same=[(1, 0), (2, 2)],
        grad=[1, 3],
    )
    first = whole.part(range(2), range(2), "p0_")
    strides = {0: (2, 1), 2: (1,), 3: (1, 4)}
    assert replace(whole, strides=strides).part(range(2, 3), range(2, 4)).strides == {0: (1,), 1: (1, 4)}
    assert first == memory((0, HELD, "w_c"), (1, INPUT, 0), (1, "elsewhere", 0), written=[0], same=[(1, 0)], grad=[1])
    second = whole.part(range(2, 3), range(2, 4), "p1_")
    assert second == memory((0, "elsewhere", 0), (1, OUTPUT, 0), (1, HELD, "w_c"), written=[0], same=[(0, 0)], grad=[1])
    (verdict,) = verdicts(first, memory((0, HELD, "w_c"), (1, INPUT, 0), written=[0], same=[(1, 0)], grad=[1]))
    assert "output 1 shares memory with an output of another program" in verdict.message


def test_it_judges_programs_of_torch_unless_the_user_says_otherwise() -> None:
    usual = {name for name in names() if "alias" in usual_oracles(find(name))}
    assert usual == {"eager", "inductor"}
    assert ORACLES["alias"].refusal(find("onnxruntime"))
