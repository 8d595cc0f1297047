"""Coverage of small programs: counts of the programs that ran, out of all possible ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyjuice import cache, compilers, support
from polyjuice.campaign import coverage
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import Store
from polyjuice.execution import Outcome
from polyjuice.frameworks.lowering import CoverageTarget, lower
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, GraphBuilder
from polyjuice.oracles import Program
from tests.support.commands import PLAIN, fuzz

RELU, ADD = TABLE["", "Relu"], TABLE["", "Add"]


def program(format: str, wanted: CoverageTarget) -> Program:
    """A program with the sum of two inputs, the first of which goes through Relu."""
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (2, 17))), build.input(TensorType("float32", ()))
    graph = build.build([build.op("Add", build.op("Relu", x), y)])
    return Program(
        label="original",
        graph=graph,
        artifact=lower(graph, format, 0, opset=0, wanted=wanted),
        analyses=(),
        outcome=Outcome(status="ok"),
    )


def of(found: set[coverage.Tuple], op: str) -> set[tuple[str, str]]:
    assert {dtype for name, dtype, *_ in found if name == op} == {"float32"}
    return {(factor, level) for name, _, factor, level in found if name == op}


def test_a_program_covers_what_it_has() -> None:
    found = coverage.covered([program("torch", CoverageTarget("stepped", "grad"))], "sparse")
    relu = {("type", ""), ("size", "vector"), ("neighbour", "Add"), ("setting", "grad")}
    assert of(found, "Relu") == relu | {("layout", "stepped"), ("distribution", "sparse")}
    scalar = {("layout", "contiguous")}  # the second operand; it has no distribution
    assert of(found, "Add") == {("type", ""), ("size", "vector"), ("setting", "grad")} | scalar


def test_a_model_covers_the_version_of_the_operator_at_its_opset() -> None:
    for opset, relu, add in ((11, "6", "7"), (13, "13", "13"), (20, "14", "14")):
        found = coverage.covered([program("onnx", CoverageTarget(opset=opset))], "mixed")
        assert {("setting", relu)} == {one for one in of(found, "Relu") if one[0] == "setting"}
        assert {("setting", add)} == {one for one in of(found, "Add") if one[0] == "setting"}
        assert "layout" not in {factor for _, _, factor, _ in found}


def test_what_is_covered_is_held_against_all_that_could_be() -> None:
    found = coverage.covered([program("torch", CoverageTarget("stepped", "grad"))], "sparse")
    types = len(RELU.types[RELU.variable(0)]) + len(ADD.types[ADD.variable(0)])
    report = coverage.report(found, [RELU, ADD], "torch")
    assert {factor: (one["covered"], one["of"]) for factor, one in report.items()} == {
        "type": (2, types),
        "size": (2, types * 5),
        "neighbour": (1, types * 2),
        "layout": (2, types * 7),
        "setting": (2, types * 6),
        "distribution": (1, types * 10),
    }
    assert report["type"]["share"] == round(2 / types, 4)
    assert coverage.line(report).startswith(f"2 of {types} pairs of operator and element type; combined with them, ")


def test_operators_that_were_not_asked_for_and_pairs_that_are_refused_do_not_count() -> None:
    found = coverage.covered([program("onnx", CoverageTarget(opset=13))], "mixed")
    types = RELU.types[RELU.variable(0)]
    refused = {("Relu", types[-1]), ("Relu", "float32"), ("Add", "bool")}
    report = coverage.report(found, [RELU], "onnx", refused=refused)
    assert (report["type"]["covered"], report["type"]["of"]) == (1, len(types) - 1)
    assert (report["neighbour"]["covered"], report["neighbour"]["of"]) == (0, len(types) - 1)
    at_13 = coverage.report(found, [RELU], "onnx", 13)
    assert at_13["setting"]["covered"] == 1
    assert at_13["setting"]["of"] < report["setting"]["of"]


def test_a_pair_is_refused_that_was_never_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    compiler = compilers.find("onnxruntime")
    path = support.cache_file(compiler, "1.0")
    path.parent.mkdir()
    answers = {
        "Relu bool rank 1": "no",
        "Add int8 rank 1": "no",
        "Add int8 rank 2": "",
        "Add bool rank 2": "no",
        "form Relu: x": "no",
    }
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers.items()))
    assert support.refused(compiler, "1.0", 0) == {("Relu", "bool"), ("Add", "bool")}


def test_what_is_covered_adds_up_in_a_campaign_that_is_continued(tmp_path: Path) -> None:
    one, other = ("Relu", "int8", "type", ""), ("Add", "int8", "type", "")
    store = Store.create(tmp_path / "c", Config(compiler="numpy"))
    store.add(CaseResult(index=0, pairs=1, covered={one}), 1.0)
    store.close()
    store, _ = Store.open(tmp_path / "c")
    store.add(CaseResult(index=1, pairs=1, covered={one, other}), 2.0)
    assert sorted(store.covered()) == sorted([one, other])


def test_a_campaign_of_small_programs_reports_what_it_covered(tmp_path: Path) -> None:
    common = ("--compiler", "numpy", "-n", 8, "--only-operator", "Relu", "--only-operator", "Neg", *PLAIN)
    _, summary = fuzz(tmp_path / "small", *common, "--seeds", "small")
    report = summary["coverage"]
    assert list(report) == ["type", "size", "neighbour", "setting", "distribution"]
    assert 4 <= report["type"]["covered"] <= report["type"]["of"]
    for factor, one in report.items():
        assert 0 < one["covered"] <= one["of"], factor
    _, summary = fuzz(tmp_path / "default", *common, "--seeds", "default")
    assert "coverage" not in summary
