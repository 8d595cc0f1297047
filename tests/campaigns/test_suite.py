"""Regression suites: the choice and judgement of cases, deterministic building, and the output of the commands."""

from __future__ import annotations

import ast
import json
import shutil
import sys
import zipfile
from functools import partial
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest

from polyjuice.execution.protocol import to_wire
from polyjuice.frameworks import registry
from polyjuice.frameworks.onnx.graph_files import load as load_graph
from polyjuice.inputs import USUAL_PROFILES
from polyjuice.ir import Graph, TensorType, packed
from polyjuice.numerics import distance
from polyjuice.ops import GraphBuilder
from polyjuice.suite import building, cases, running
from polyjuice.suite.building import Options
from polyjuice.suite.carried.harness import driver, judging
from polyjuice.suite.cases import SuiteError
from tests.support.commands import polyjuice, refusal
from tests.support.plugins import plugin

CARRIED = Path(judging.__file__).parents[1]
FINDINGS = Path(__file__).parents[1] / "findings"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- building --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of two cases in all formats that can express them. No framework is needed."""
    folder = tmp_path_factory.mktemp("suite") / "s"
    made = building.build(Options(count=2, nodes=3, seed=4), folder)
    assert (made.cases, made.unsound) == (2, ())
    return folder


def test_a_suite_follows_from_its_seed_byte_for_byte(built: Path, tmp_path: Path) -> None:
    building.build(Options(count=2, nodes=3, seed=4), tmp_path / "again", workers=2)
    assert contents(tmp_path / "again") == contents(built)
    with zipfile.ZipFile(built / "case-00000/inputs.npz") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_a_case_says_why_its_programs_are_equal_and_how_they_are_called(built: Path) -> None:
    for folder in cases.case_folders(built):
        assert {path.name for path in folder.iterdir()} == {
            *("a_torch.py", "b_torch.py", "a_tensorflow.py", "b_tensorflow.py", "a.onnx", "b.onnx"),
            *("inputs.npz", "case.json"),
        }
        case = json.loads((folder / "case.json").read_text())
        assert case["rules"]
        assert set(case["programs"]) == set(registry.in_suites())
        assert case["profile"] in USUAL_PROFILES
        arrays = judging.read_arrays(folder / "inputs.npz")
        assert [list(arrays[f"input_{i}"][1].shape) for i, _ in enumerate(case["inputs"])] == [
            one["shape"] for one in case["inputs"]
        ]
        for sides in case["programs"].values():
            assert (folder / sides["a"]["file"]).read_bytes() != (folder / sides["b"]["file"]).read_bytes()
            assert all(set(one["arguments"]) <= set(one["arrays"]) <= set(arrays) for one in sides.values())


def test_a_case_passes_where_nothing_is_compiled_and_its_bounds_are_finite(built: Path) -> None:
    arrays = judging.read_arrays(built / "case-00000/inputs.npz")
    assert any(np.isfinite(x).any() for name, (_, x) in arrays.items() if name.startswith("allowed"))
    statuses = [result.status for result in running.run(built, sys.executable, 60, "numpy")[1]]
    assert judging.PASSED in statuses
    assert judging.FAILED not in statuses


PICKY = """
def compile(program, inputs):
    if len(program.nodes) > 2:
        raise NotImplementedError("no more than two operators")
    return control.compile(program, inputs)
"""


def test_a_suite_holds_only_what_its_compiler_takes(tmp_path: Path) -> None:
    """The compiler takes each operator by itself, so only whole programs show what it refuses."""
    options = ["--formats", "onnx", "--count", 1, "--nodes", 1, "--seed", 3, "--workers", 1]
    env = plugin(tmp_path / "site", PICKY, name="picky")
    message = refusal("build", *options, "--compiler", "picky", "--out", tmp_path / "t", command="suite", env=env)
    assert message.startswith("only 0 of 2 candidates make a case, and --count is 1 (2 unsupported)")


def test_pairs_that_make_no_case_are_counted_and_too_few_cases_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = ["identical: all variants are the same graph", "no value: a division by zero", "unsound: 1: they differ"]

    class Maker:
        def __init__(self, options: Options, folder: Path) -> None:
            self.folder = folder

        def case(self, number: int) -> building.Made:
            if number < len(refused):
                return refused[number]
            (self.folder / str(number)).mkdir()
            return frozenset({f"operator {number}"})

        def close(self) -> None: ...

    monkeypatch.setattr(building, "Maker", Maker)
    made = building.build(Options(count=3), tmp_path / "s")
    assert (made.candidates, made.refused) == (6, {"identical": 1, "no value": 1, "unsound": 1})
    assert (made.cases, made.covers, made.unsound) == (3, {"operator": 3}, ("1: they differ",))
    assert len(list((tmp_path / "s").glob("case-0000[012]"))) == 3
    monkeypatch.setattr(Options, "candidates", 8)
    with pytest.raises(SuiteError, match=r"only 5 of 8 candidates make a case, and --count is 6 \(1 identical"):
        building.build(Options(count=6), tmp_path / "t")
    assert not (tmp_path / "t").exists()


# --- what is chosen --------------------------------------------------------------------------------------------------


def test_features_name_operators_types_edges_rules_and_what_one_side_has_alone() -> None:
    def with_relu(op: str) -> Graph:
        build = GraphBuilder()
        return build.build([build.op("Relu", build.op(op, build.input(TensorType("float16", (2, 3)))))])

    assert building.features_of(with_relu("Neg"), with_relu("Abs"), ["some-rule"]) == {
        *("operator Relu", "operator Neg", "operator Abs"),
        *("typed Relu float16", "typed Neg float16", "typed Abs float16"),
        *("edge Neg > Relu", "edge Abs > Relu", "turn Neg | Abs", "rule some-rule"),
    }
    assert building.passes_of("c", ["fuse", "count=3"], ["count=4", "fold"]) == {"pass fuse of c", "pass fold of c"}


def test_the_choice_takes_what_adds_most_and_ties_go_to_the_first() -> None:
    a, b, c = "operator A", "operator B", "operator C"
    features = {0: frozenset([a]), 1: frozenset([a, b]), 2: frozenset([b]), 3: frozenset([c]), 4: frozenset([a])}
    assert building.choose(features, 9)[0] == [1, 3, 0, 2, 4]
    assert building.choose(features, 2) == ([1, 3], {a: 1, b: 1, c: 1})


# --- verdicts --------------------------------------------------------------------------------------------------------

CASE = {"outputs": [{"dtype": "float32", "shape": [2]}]}
STORED = {
    "expected_0": ("float64", np.array([1.0, 2.0])),
    "allowed_a_0": ("float64", np.array([0.1, np.inf])),
    "allowed_b_0": ("float64", np.array(0.0)),
    "allowed_b_0_tensorflow": ("float64", np.array(np.inf)),
}


def ran(*values: float, reference: tuple[float, ...] | None = None, dtype: str = "float32") -> judging.Ran:
    output, plain = (None if x is None else [[(dtype, np.array(x, dtype))]] for x in (values, reference))
    return judging.Ran("ok", outputs=output or [], reference=plain)


RIGHT = ran(1, 2)


@pytest.mark.parametrize(
    ("sides", "status", "message"),
    [
        ({"a": RIGHT, "b": RIGHT}, "passed", ""),
        ({"a": ran(1.05, 99), "b": RIGHT}, "passed", ""),
        ({"a": ran(1.2, 2), "b": RIGHT}, "failed", "a: output 0 (float32[2]) is wrong at 1 of 2 elements ([0]): at"),
        ({"a": ran(1.2, 2), "b": RIGHT}, "failed", "\nb, its equivalent, is right"),
        ({"a": ran(1.2, 2, reference=(1.3, 2)), "b": RIGHT}, "passed", ""),
        ({"a": ran(1.2, 2, reference=(1, 2)), "b": RIGHT}, "failed", "a: output 0"),
        ({"a": ran(np.nan, 2), "b": RIGHT}, "failed", "it gives nan, and float64 1.0"),
        ({"a": RIGHT, "b": ran(1, 2, dtype="float64")}, "failed", "b: output 0 has type float64[2], not float32[2]"),
        ({"a": RIGHT, "b": ran(1, 2, reference=(1, 2), dtype="float64")}, "passed", ""),
        ({"a": RIGHT, "b": ran(1, 2, 3)}, "failed", "b: output 0 has type float32[3]"),
        ({"a": RIGHT, "b": judging.Ran("error", "compile", "oh")}, "failed", "b failed in compile: oh\na, its equiv"),
        ({"a": ran(7, 2), "b": judging.Ran("unsupported", "load", "no")}, "failed", "a: output 0"),
        ({"a": RIGHT, "b": judging.Ran("unsupported", "load", "X:\n no\nmore")}, "skipped", "take it: b: X: no"),
    ],
)
def test_verdicts(sides: dict[str, judging.Ran], status: str, message: str) -> None:
    got = judging.verdict(CASE, STORED, "onnx", sides)
    assert got[0] == status
    assert message in got[1]


def test_a_second_run_counts_and_tensorflow_has_bounds_of_its_own() -> None:
    twice = judging.Ran("ok", outputs=[RIGHT.outputs[0], ran(5, 2).outputs[0]])
    assert "in run 2" in judging.verdict(CASE, STORED, "onnx", {"b": twice})[1]
    assert judging.verdict(CASE, STORED, "tensorflow", {"b": twice}) == ("passed", "")


def test_the_carried_distance_is_the_interpreters() -> None:
    numbers = [0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 1e300, -1e300]
    a, b = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    wide = np.array([2**62, 2**62 + 1, -(2**63)])
    for x, y in ((a, b), (wide, wide[::-1].copy())):
        np.testing.assert_array_equal(judging.distance(x, y), distance(x, y))


def test_arrays_of_bfloat16_survive(tmp_path: Path) -> None:
    array = np.array([1.5, -2, np.inf], ml_dtypes.bfloat16)
    np.savez(tmp_path / "x.npz", **packed({"x": array, "y": np.arange(3)}))
    read = judging.read_arrays(tmp_path / "x.npz")
    assert read["x"][0] == "bfloat16"
    np.testing.assert_array_equal(read["x"][1], to_wire(array)[1])
    np.testing.assert_array_equal(judging.values(read["x"]), array.astype(np.float32))
    np.testing.assert_array_equal(read["y"][1], [0, 1, 2])


# --- what is carried -------------------------------------------------------------------------------------------------


def test_what_a_suite_carries_needs_pytest_numpy_and_old_python_alone() -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "pytest", "packaging", "tomli"}
    for path in CARRIED.rglob("*.py"):
        tree = ast.parse(path.read_text(), feature_version=(3, 9))
        nodes = list(ast.walk(tree))
        names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "." for node in nodes if isinstance(node, ast.ImportFrom)]
        assert {name.partition(".")[0] for name in names} <= allowed, path


def test_expected_failures_are_by_case_compiler_and_version(tmp_path: Path) -> None:
    path = tmp_path / "xfail.toml"
    path.write_text('[[xfail]]\ncase = "c"\ncompiler = "tvm"\nversions = "<2"\nurl = "u"\nreason = "r"\n')
    entries = driver.expectations(path)
    assert driver.reason(entries, "c", "tvm", "1.9") == "u: r"
    assert driver.reason(entries, "c", "tvm", "my-build") == "u: r"
    assert [driver.reason(entries, *at) for at in (("c", "tvm", "2"), ("d", "tvm", "1"), ("c", "xla", "1"))] == [""] * 3
    assert driver.expectations(tmp_path / "none.toml") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[xfail]]\ncase = "c"\ncompiler = "tvm"\n', "entry 1: it has no url"),
        ('[[xfail]]\ncase = "c"\ncompiler = "tvm"\nurl = "u"\nversion = "1"\n', "entry 1: version is unknown"),
        ('[[xfail]]\ncase = "c"\ncompiler = "tvm"\nurl = "u"\nversions = "no"\n', "entry 1: Invalid specifier"),
        ("[[xfail", "is not TOML"),
    ],
)
def test_mistakes_in_expected_failures_are_reported(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "xfail.toml").write_text(text)
    with pytest.raises(driver.ExpectationError, match=message):
        driver.expectations(tmp_path / "xfail.toml")


# --- suites that are not whole ---------------------------------------------------------------------------------------


def test_a_case_that_cannot_be_read_fails_alone(built: Path, tmp_path: Path) -> None:
    suite = shutil.copytree(built, tmp_path / "s")
    (suite / "case-00000/inputs.npz").write_bytes(b"PK")
    results = [*running.run(suite, sys.executable, 60, "numpy")[1]]
    assert (results[0].status, "the case cannot be read: " in results[0].message) == ("failed", True)
    assert results[1].status != "failed"


def test_a_suite_of_another_version_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text('{"version": 1}')
    message = f"another version of Polyjuice built {tmp_path}: run it with pytest, or build it again"
    for command in (
        partial(running.run, tmp_path, sys.executable, 60, "numpy"),
        partial(cases.add, FINDINGS / "split-uneven", tmp_path),
    ):
        with pytest.raises(SuiteError, match=message):
            command()


# --- adding ----------------------------------------------------------------------------------------------------------


def test_a_finding_becomes_a_case_with_its_own_programs(tmp_path: Path) -> None:
    added = cases.add(FINDINGS / "sqrt-of-square", tmp_path / "s", "https://example.org/1")
    assert (added.case, added.formats, added.refused) == ("case-00000", ("onnx", "tensorflow", "torch"), {})
    case = json.loads((tmp_path / "s/case-00000/case.json").read_text())
    record = json.loads((FINDINGS / "sqrt-of-square/finding.json").read_text())
    assert case["origin"]["finding"] == record["signature"]
    assert case["rules"] == record["rules"]
    assert [t.dtype for t in load_graph(FINDINGS / "sqrt-of-square/a.onnx").output_types] == [
        output["dtype"] for output in case["outputs"]
    ]
    with (
        np.load(FINDINGS / "sqrt-of-square/inputs.npz") as arrays,
        np.load(tmp_path / "s/case-00000/inputs.npz") as own,
    ):
        np.testing.assert_array_equal(arrays["input_0"], own["input_0"])
    onnx.load(tmp_path / "s/case-00000/a.onnx")
    entries = driver.expectations(tmp_path / "s/xfail.toml")
    assert driver.reason(entries, "case-00000", "onnxruntime", "1.31.1") == "https://example.org/1"
    assert driver.reason(entries, "case-00000", "onnxruntime", "1.30") == ""
    assert cases.add(FINDINGS / "split-uneven", tmp_path / "s").case == "case-00001"


def test_a_finding_that_a_suite_cannot_say_is_refused(tmp_path: Path) -> None:
    finding = shutil.copytree(FINDINGS / "split-uneven", tmp_path / "finding")
    record = json.loads((finding / "finding.json").read_text())
    (finding / "finding.json").write_text(json.dumps({**record, "oracle": "gradient"}))
    with pytest.raises(SuiteError, match="cannot express what the oracle gradient found"):
        cases.add(finding, tmp_path / "s")


# --- the commands ----------------------------------------------------------------------------------------------------


def test_mistakes_are_one_line_and_status_2(built: Path, tmp_path: Path) -> None:
    (tmp_path / "finding").mkdir()
    new = ("--count", 1, "--out", tmp_path / "s")
    for arguments, message in {
        ("build", "--count", 1, "--out", built, "--compiler", "none"): "the folder is not empty; name a new one",
        ("build", *new, "--formats", "tflite"): "--formats tflite: choose from jax, onnx, tensorflow, torch",
        ("build", *new, "--formats", "onnx", "--passes", "xla"): "it takes tensorflow programs; add that to --formats",
        ("run", tmp_path, "--compiler", "numpy"): "is not a suite",
        ("run", built, "--compiler", "nobody"): "no compiler is called 'nobody'",
        ("add", tmp_path / "finding", built): "is not a finding's folder",
    }.items():
        assert message in refusal(*arguments, command="suite")


def test_build_and_run_say_one_json_object(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    what = ["--count", 1, "--nodes", 4, "--formats", "onnx", "--compiler", "onnxruntime", "--passes", "onnxruntime"]
    where = ["--workers", 1, "--json"]
    done = polyjuice("suite", "build", *what, *where, "--out", tmp_path / "s")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["cases"], summary["candidates"], summary["unsound"]) == (1, 2, 0)
    assert summary["covers"]["operator"] > 0
    done = polyjuice("suite", "run", tmp_path / "s", "--compiler", "onnxruntime", *where)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["cases"], summary["passed"], summary["failed"], summary["results"]) == (1, 1, 0, [])
