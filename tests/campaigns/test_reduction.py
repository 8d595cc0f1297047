"""The quality of reductions: only the minimal pair that shows a planted fault is left, whatever the finding's size."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.egraph import Budget, Rewriter
from polyjuice.equivalence import difference
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.ops.decompose import decompose
from polyjuice.oracles import Case, InputSet
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage import FindingRecord, reduction, run_reproducer, write_finding
from polyjuice.triage.explanation import default_rules
from polyjuice.triage.reduction import edits
from polyjuice.triage.reduction.edits import fingerprint
from polyjuice.triage.reduction.sides import without_an_operator
from polyjuice.triage.reduction.trial import Pair, Trial, with_plain_names
from polyjuice.triage.stored import load
from tests.support.commands import polyjuice, record, refusal
from tests.support.compilers import usable
from tests.support.frameworks import on_usual_types
from tests.support.mutants import SITE
from tests.support.plugins import CONTROL_INFO, plugin, wrong_without

FINDINGS = Path(__file__).parents[1] / "findings"

MINIMAL = {
    "argmax-of-negation-ties": 3,
    "keepdims-left-to-broadcasting": 5,
    "keepdims-of-layer-norm": 5,
    "matmul-of-square-transpose": 3,
    "negated-comparison": 4,
    "result-buffer-unwritten": 5,
    "split-uneven": 4,
    "sqrt-of-square": 5,
    "transpose-behind-binary": 4,
    "transposes-composed-backwards": 4,
    "where-not-broadcast": 4,
}
"""The most operators of each reduced finding, of both sides together. Several pairs may be as small."""

OTHER_NAMES = {"keepdims-of-layer-norm": "keepdims-left-to-broadcasting"}
"""The faults of the findings that do not have a fault's name."""


def faulty(fault: str) -> dict[str, str]:
    fault = OTHER_NAMES.get(fault, fault)
    return {"PYTHONPATH": str(SITE), "POLYJUICE_MUTANT": f"onnxruntime/{fault}"}


def operators(graph: Graph) -> list[str]:
    return [node.qualified for node in graph.nodes]


def quietly(step: reduction.Progress) -> None:
    """A progress function that prints nothing."""


def reduced(finding: Path, out: Path, time_s: float = 300) -> FindingRecord:
    return reduction.reduce(load(finding, Path(sys.executable)), out, time_s, quietly)


# --- planted faults -------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("fault", MINIMAL)
def test_of_a_planted_fault_the_minimal_pair_is_left(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usable("onnxruntime")
    for name, value in faulty(fault).items():
        monkeypatch.setenv(name, value)
    result = reduced(FINDINGS / fault, tmp_path / "reduced")
    a, b = (graph_files.load(tmp_path / "reduced" / f"{side}.onnx") for side in "ab")
    assert len(operators(a) + operators(b)) <= MINIMAL[fault], (operators(a), operators(b))
    assert result.reduction["finished"]
    for seed in range(20):  # as equal as before
        assert difference(a, b, [make_inputs(a, result.profile, f"check {seed}", [b])]) == ""
    assert run_reproducer(tmp_path / "reduced", sys.executable, 60)[0] == 1
    monkeypatch.delenv("POLYJUICE_MUTANT")
    assert run_reproducer(tmp_path / "reduced", sys.executable, 60)[0] == 0


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """One finding, and the same finding reduced."""
    usable("onnxruntime")
    folder = tmp_path_factory.mktemp("split")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in faulty("split-uneven").items():
            patch.setenv(name, value)
        reduced(FINDINGS / "split-uneven", folder)
        yield FINDINGS / "split-uneven", folder


def test_what_is_left_is_small_plain_and_round(split: tuple[Path, Path]) -> None:
    a, b = (graph_files.load(split[1] / f"{side}.onnx") for side in "ab")
    assert a.input_types == b.input_types
    assert all(t.dtype == "float32" and t.size == 3 for t in a.input_types)
    (node,) = (node for graph in (a, b) for node in graph.nodes if node.op == "Split")
    assert tuple(sorted(node.attrs["split"])) == (1, 2)
    assert all(np.all(array == 1) for graph in (a, b) for array in graph.constants.values())
    stored = np.load(split[1] / "inputs.npz")
    assert sorted(stored["input_0"].ravel()) == [0, 0, 1]


def test_a_reduced_finding_is_a_finding(split: tuple[Path, Path]) -> None:
    """The form, kind and oracle stay. The finding records its old size, and a second reduction changes nothing."""
    before, after = map(record, split)
    assert {path.name for path in split[1].iterdir()} >= {"a.onnx", "b.onnx", "inputs.npz", "repro.py", "report.md"}
    for name in ("kind", "oracle", "compiler", "seed", "index", "a", "b", "profile", "rules"):
        assert after[name] == before[name], name
    assert after["repro_exit"] == 1
    reduction = after["reduction"]
    assert reduction["from"] == before["folder"]
    assert reduction["operators_before"] == before["operators"]
    assert reduction["operators_after"] == after["operators"]
    assert after["operators"][after["culprit"]] == 1
    assert reduction["candidates"] > reduction["accepted"] > 0
    again = reduced(split[1], split[1] / "again")
    assert again.reduction["accepted"] == 0
    assert (split[1] / "again/a.onnx").read_bytes() == (split[1] / "a.onnx").read_bytes()


@pytest.mark.long
def test_a_reduction_is_deterministic(split: tuple[Path, Path], tmp_path: Path) -> None:
    reduced(split[0], tmp_path)
    for name in ("a.onnx", "b.onnx", "finding.json", "repro.py"):
        texts = [
            (folder / name).read_text(errors="replace").replace(folder.name, "") for folder in (split[1], tmp_path)
        ]
        assert texts[0] == texts[1], name


# --- the command, and faults of one side ----------------------------------------------------------------------

RAISING = """
def compile(program, inputs):
    names = [node.op for node in program.nodes]
    if "Neg" in names and "Abs" in names:
        raise RuntimeError("no Neg beside Abs")
    return program
"""


OUT_OF_RANGE = """
def run(compiled, inputs):
    try:
        outputs = control.run(compiled, inputs)
    except interpret.EvaluationError:
        outputs = None
    if outputs is None or {"Neg", "Gather"} <= {node.op for node in compiled.nodes}:
        raise IndexError("index out of range")
    return outputs
"""
"""The compiler reports this error for every Gather beside Neg. For other Gathers, it is right."""


def model(path: Path) -> Path:
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (3, 4))), build.input(TensorType("float32", (4,)))
    total = build.op("Add", build.op("Mul", x, y), y)
    parts = build.op("Neg", total), build.op("Abs", build.op("Sub", total, x))
    graph_files.save(build.build([build.op("Tanh", x), build.op("Add", *parts)]), path)
    return path


def gathering(path: Path) -> Path:
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (2, 4))), build.input(TensorType("int64", (1,)))
    row = build.op("Gather", build.op("Neg", x), build.op("Mod", y, build.constant(np.array([2]))))
    graph_files.save(build.build([build.op("Abs", row)]), path)
    return path


def found(
    folder: Path, code: str, *options: object, seed: Callable[[Path], Path] = model
) -> tuple[Path, dict[str, str]]:
    """The first finding in a compiler that is wrong on purpose, and the environment with that compiler."""
    env = plugin(folder / "site", code, name="spoiled")
    seeds = ["--seeds", seed(folder / "model.onnx"), "-n", 1, "--workers", 1]
    done = polyjuice(
        "fuzz", "--compiler", "spoiled", *seeds, "--triage", "0s", *options, "--out", folder / "c", env=env
    )
    assert done.returncode == 1, done.stderr
    return min((folder / "c/findings").iterdir()), env


def test_a_crash_is_reduced_to_what_fails_in_the_same_way(tmp_path: Path) -> None:
    finding, env = found(tmp_path, RAISING, "--oracle", "crash", "--extract", "original")
    done = polyjuice("reduce", finding, env=env)
    assert done.returncode == 1, done.stderr
    assert "original: 7 operators to 2" in done.stdout
    assert set(operators(graph_files.load(finding / "reduced/a.onnx"))) == {"Neg", "Abs"}
    assert record(finding / "reduced")["signature"] == record(finding)["signature"]
    assert polyjuice("replay", finding / "reduced", env=env).returncode == 1


def test_a_crash_is_not_reduced_to_a_program_that_has_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime 1.15.0 overwrote the index of a Gather. For an index that is too large, the same error is right."""
    finding, _ = found(tmp_path, OUT_OF_RANGE, "--oracle", "crash", "--extract", "original", seed=gathering)
    monkeypatch.syspath_prepend(tmp_path / "site")
    stored = load(finding)
    with CompilerSession(stored.conditions, stored.compiler) as session:
        trial = Trial(stored=replace(stored, user_program={}), session=session)
        whole = Pair(graphs=(stored.graphs["original"],), inputs=stored.inputs, output=0, choices=(LoweringChoices(),))
        build = GraphBuilder()
        x, index = (build.input(type) for type in whole.graphs[0].input_types)
        gather = replace(whole, graphs=(build.build([build.op("Gather", x, index)]),))
        too_large = replace(gather, inputs=(whole.inputs[0], np.array([7])))
        assert "index out of range" in trial.case(too_large).programs[0].outcome.message
        assert [trial.shows(pair) for pair in (whole, gather, too_large)] == [True, False, False]


def test_a_wrong_result_of_one_program_is_reduced(tmp_path: Path) -> None:
    finding, env = found(tmp_path, wrong_without("Abs"), "--oracle", "differential", "--extract", "original")
    out = tmp_path / "small"
    done = polyjuice("reduce", finding, "--time", "1m", "--out", out, env=env)
    assert done.returncode == 1, done.stderr
    graph = graph_files.load(out / "a.onnx")
    assert operators(graph) == ["Abs"]
    assert [t.size for t in graph.input_types] == [1]
    assert record(out)["kind"] == "mismatch"


NESTED = """
def load(artifact):
    return control.load(artifact), bool(control.onnx.load_from_string(artifact["source"]).functions)

def compile(program, inputs):
    return control.compile(program[0], inputs), program[1]

def run(compiled, inputs):
    graph, nested = compiled
    return [(dtype, values + values.dtype.type(nested)) for dtype, values in control.run(graph, inputs)]
"""
"""A compiler that is wrong in models with a local function."""


def test_the_nearest_right_program_names_the_form_that_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path / "site", NESTED, name="nested", info={**CONTROL_INFO, "lacks": ["symbolic sizes"]})
    monkeypatch.syspath_prepend(tmp_path / "site")
    graph = graph_files.load(model(tmp_path / "model.onnx"))
    artifact = next(
        a for a in (lower(graph, "onnx", seed) for seed in range(99)) if "a function of its own" in a.idioms
    )
    sets = [InputSet(profile="exact", arrays=make_inputs(graph, "exact", 0))]
    with CompilerSession(Conditions(timeout_s=60), find("nested")) as session:
        case = Case(sets=sets, programs=[pipeline.prepare("original", graph, artifact, sets)])
        case = pipeline.execute(case, session)
        write_finding(tmp_path / "f", session, case, pipeline.judge(case, session, ["differential"])[0])
    nearest = reduced(tmp_path / "f", tmp_path / "small").reduction["nearest"]
    assert nearest == {"change": "without a nested function", "form": "a nested function"}
    report = (tmp_path / "small/report.md").read_text()
    assert re.search(r"^<!-- Title: [^;]* with a nested function gives wrong values", report, re.MULTILINE)
    assert "The same program is right without a nested function." in report


def test_what_does_not_show_any_more_is_not_reduced(tmp_path: Path) -> None:
    finding, env = found(tmp_path, wrong_without("Abs"), "--oracle", "differential", "--extract", "original")
    plugin(tmp_path / "site", "", name="spoiled")
    done = polyjuice("reduce", finding, env=env)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"polyjuice: {finding} no longer shows: there is nothing to reduce\n"
    assert not (finding / "reduced").exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "finding.json").unlink(), "is not a finding's folder (there is no finding.json)"),
        (lambda folder: (folder / "b.onnx").unlink(), "is not a complete finding (there is no b.onnx)"),
        (lambda folder: (folder / "finding.json").write_text("{"), "finding.json is no JSON: "),
        (lambda folder: without(folder, "choices"), "finding.json: it has no 'choices'"),
        (lambda folder: without(folder, "form"), "finding.json: Polyjuice 0.2.0 wrote it in another form: open "),
    ],
)
def test_a_folder_that_cannot_be_reduced_is_said_in_one_line(spoil: Any, message: str, tmp_path: Path) -> None:
    folder = shutil.copytree(FINDINGS / "split-uneven", tmp_path / "finding")
    spoil(folder)
    assert message in refusal(folder, command="reduce")


def without(folder: Path, name: str) -> None:
    values = record(folder)
    del values[name]
    (folder / "finding.json").write_text(json.dumps(values))


def test_a_folder_of_something_else_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    message = refusal(FINDINGS / "split-uneven", "--out", tmp_path, command="reduce")
    assert f"{tmp_path} holds other files" in message


# --- the parts ------------------------------------------------------------------------------------------------


def pair_of(*graphs: Graph, inputs: tuple[np.ndarray, ...] = ()) -> Pair:
    arrays = inputs or make_inputs(graphs[0], "exact", 0)
    return Pair(graphs=graphs, inputs=arrays, output=0, choices=tuple(LoweringChoices() for _ in graphs))


def test_rewritings_do_without_an_operator_and_without_what_takes_its_place() -> None:
    build = GraphBuilder()
    x, y = (build.input(TensorType("float32", (3,))) for _ in range(2))
    difference_of = build.build([build.op("Sub", build.op("Abs", x), y)])
    found = list(without_an_operator(difference_of, Rewriter(default_rules(), Budget(rules=None, iterations=2))))
    several = (["Abs", "Add", "Mul"], ["Abs", "Add", "Neg"])  # equally small: |x| + (-1) y, |x| + (-y)
    written = [sorted(operators(other)) for other in found]
    assert ["Abs", "aten.rsub"] in written
    assert any(one in several for one in written)
    for other in found:
        assert not {"Abs", "Sub"} <= set(operators(other))
        assert difference(difference_of, other, [make_inputs(difference_of, "exact", 0, [other])]) == ""


def test_of_an_operator_that_several_say_each_is_tried_by_itself() -> None:
    """ONNX Runtime's ReduceMax loses NaN. A norm of infinite order also shows this, so it looked like another fault."""
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2,)))
    graph = build.build([build.op("linalg_vector_norm", x, domain="aten", ord=float("inf"))])
    pair = Pair(graphs=(graph,), inputs=(np.array([-1, np.nan], np.float32),), output=0, choices=(LoweringChoices(),))
    trial = SimpleNamespace(decomposed=lambda graph: decompose(graph, OPSET), first_wrong=lambda pair: "")
    (edit,) = edits.first_wrong(pair, cast(Trial, trial))
    candidates = {operators(one.graphs[0])[0]: one for one in edit(pair) if len(one.graphs[0]) == 1}
    assert {*candidates} == {"Abs", "ReduceMax"}
    (values,) = (array for array in candidates["ReduceMax"].inputs if array is not pair.inputs[0])
    np.testing.assert_array_equal(values, np.array([1, np.nan], np.float32))


def test_the_last_digits_do_not_tell_values_apart() -> None:
    x = np.random.default_rng(0).standard_normal(1000)
    assert fingerprint(x) == fingerprint(x * (1 + 2e-16))
    assert fingerprint(x) != fingerprint(x * (1 + 1e-6))
    assert fingerprint(x) != fingerprint(2 * x)
    assert fingerprint(np.array([1, 2])) != fingerprint(np.array([1, 3]))


@pytest.mark.parametrize("format", ["torch", "onnx"])
def test_a_program_with_plain_names_is_written_as_it_was(format: str) -> None:
    lowered = 0
    for number in range(12):
        graph = generate(10, f"plain names {number}", on_usual_types)
        axes = {name: 0 for name in graph.inputs if graph.types[name].rank}
        try:
            one = lower(graph, format, number, repeated=axes)
        except Unlowerable:
            continue
        lowered += 1
        assert one.choices is not None
        pair = replace(pair_of(graph), choices=(one.choices,))
        named = with_plain_names(pair)
        assert named.digest == pair.digest
        (plain,), (choices,) = named.graphs, named.choices
        assert plain.inputs == tuple(f"x{n}" for n in range(len(graph.inputs)))
        assert choices.cost == one.choices.cost
        other = lower(plain, format, choices)
        assert (one.idioms, one.setup, len(one.arrays)) == (other.idioms, other.setup, len(other.arrays))
        if isinstance(one.source, str) and isinstance(other.source, str):
            assert re.sub(r"\w*\d\w*", "_", one.source) == re.sub(r"\w*\d\w*", "_", other.source)
    assert lowered > 8
