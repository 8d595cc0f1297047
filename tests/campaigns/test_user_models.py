"""A model as its owner wrote it: compiled, compared, stored, replayed and reduced, beside the graphs made of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import user_program as onnx_program
from polyjuice.frameworks.user_model import UserModel
from polyjuice.ir import Graph
from polyjuice.numerics import Analyses
from polyjuice.oracles import ORACLES, Case, InputSet, Program
from tests.support.commands import ONE_RULE, findings, fuzz, polyjuice, record
from tests.support.plugins import spoiled
from tests.support.sessions import Refusing

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
    small (float[3,4] x) => (float[3,4] y, float z)
    { a = Abs(x) b = Tanh(a) y = Neg(b) z = ReduceMax<keepdims = 0>(a) }"""

WRONG_AS_WRITTEN = """
import onnx

def load(artifact):
    model = onnx.load_from_string(artifact["source"])
    return control.load(artifact), any(node.name == "by hand" for node in model.graph.node)

def run(compiled, inputs):
    graph, wrong = compiled
    return [(dtype, values + values.dtype.type(wrong)) for dtype, values in control.run(graph, inputs)]
"""
"""A compiler that adds one to all results if a node has a name that no lowering uses."""


FAILING_AS_REWRITTEN = """
def load(artifact):
    import onnx
    if any(node.name == "by hand" for node in onnx.load_from_string(artifact["source"]).graph.node):
        return control.load(artifact), ""
    return control.load(artifact), "refused"

def compile(program, inputs):
    graph, refused = program
    if refused:
        raise ValueError(refused)
    return control.compile(graph, inputs)
"""
"""A compiler that fails on every other model."""


def named(path: Path) -> Path:
    model = parser.parse_model(MODEL)
    model.graph.node[1].name = "by hand"
    path.write_bytes(model.SerializeToString())
    return path


def campaign(tmp_path: Path, code: str) -> tuple[Path, dict[str, str]]:
    """The first raw finding of a compiler in the model, and the environment with that compiler."""
    env = spoiled(tmp_path, code)
    seeds = ("--seeds", named(tmp_path / "model.onnx"), "-n", 1, *ONE_RULE)
    fuzz(tmp_path / "c", "--compiler", "spoiled", *seeds, env=env)
    return findings(tmp_path / "c")[0], env


def test_a_fault_of_the_user_program_is_found_stored_and_replayed(tmp_path: Path) -> None:
    finding, env = campaign(tmp_path, WRONG_AS_WRITTEN)
    stored = record(finding)
    assert (stored["kind"], stored["a"], stored["b"], stored["culprit"]) == ("mismatch", "original", "min", "original")
    assert stored["repro_exit"] == 1
    assert (finding / "a.lowered.onnx").read_bytes() == (tmp_path / "model.onnx").read_bytes()
    assert polyjuice("replay", finding, env=env).returncode == 1
    with (tmp_path / "site/spoiled_compiler.py").open("a") as compiler:
        compiler.write("run = lambda compiled, inputs: control.run(compiled[0], inputs)\n")
    assert polyjuice("replay", finding, env=env).returncode == 0


def test_a_program_that_fails_next_to_the_user_program_is_replayed(tmp_path: Path) -> None:
    finding, env = campaign(tmp_path, FAILING_AS_REWRITTEN)
    assert (record(finding)["kind"], record(finding)["b"]) == ("crash", "original")
    replayed = json.loads(polyjuice("replay", tmp_path / "c", "--json", env=env).stdout)
    assert {one["fate"] for one in replayed["findings"]} == {"shows"}


@pytest.mark.parametrize(
    ("levels", "reference", "status"),
    [(["high"], None, "error"), (["low", "high"], None, "unsupported"), (["low", "high"], (), "error")],
)
def test_what_no_level_takes_is_unsupported_unless_the_framework_runs_it(
    levels: list[str], reference: tuple[Any, ...] | None, status: str
) -> None:
    assert Refusing(levels, reference).execute_user_program(Artifact(format="onnx", source=b""), [()]).status == status


def judged(program: UserModel, graph: Graph, x: np.ndarray, *outputs: np.ndarray) -> list[str]:
    """The verdicts on a user's program that gave these outputs, if its graph is this one."""
    assert program.artifact
    tested = Program(
        label="original",
        graph=graph,
        artifact=program.artifact,
        analyses=Analyses(graph, [(x,)]),
        outcome=Outcome(status="ok", outputs=(outputs,)),
        user_program=True,
    )
    case = Case(sets=[InputSet(profile="given", arrays=(x,))], programs=[tested])
    return [verdict.message for verdict in ORACLES["differential"].judge(case, Refusing([]))]


def test_a_model_that_is_misread_is_no_fault_of_the_compiler() -> None:
    """Polyjuice reads Neg from the model, but the reference evaluator and the compiler compute Abs."""
    text = '<ir_version: 8, opset_import: ["" : 13]> g (float[2] x) => (float[2] y) { y = %s(x) }'
    program, other = (onnx_program.from_model(parser.parse_model(text % op)) for op in ("Abs", "Neg"))
    x = np.array([1.0, 2.0], np.float32)
    assert judged(program, other.graph, x, x) == []
    assert onnx_program.uncompiled(b"", [x]) is None


OPAQUE = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[8] x) => (float[8] y, int64[8] z) <int64 n = {8}>
    { u = HannWindow<output_datatype = 1>(n) v = Mul(u, x) y = Exp(v) z = Cast<to = 7>(y) }"""


def opaque(shift: float, turned: int = 0) -> list[str]:
    """The verdicts on a program with an operator that the table lacks, if one element of each result is off."""
    program = onnx_program.from_model(parser.parse_model(OPAQUE))
    assert program.artifact
    x = np.linspace(-1, 1, 8, dtype=np.float32)
    y, z = (array.copy() for array in onnx_program.uncompiled(program.artifact.source, [x]) or ())  # type: ignore[arg-type]
    y[3] += shift
    z[3] += turned
    return judged(program, program.graph, x, y, z)


def test_what_the_table_lacks_is_judged_by_its_own_uncompiled_run() -> None:
    assert opaque(0) == []
    assert opaque(1e-7) == []
    (wrong,) = opaque(0.1)
    assert wrong.startswith("output 0 (float32[8]): original differs from its uncompiled run at 1 of 8 elements ([3])")
    (wrong,) = opaque(0, 1)
    assert wrong.startswith("output 1 (int64[8]): original differs")


def test_test_data_beside_a_model_are_its_own_inputs(tmp_path: Path) -> None:
    """ONNX's test cases and model zoo have this layout. Test data of other types or shapes belong to another model."""
    path = named(tmp_path / "model.onnx")
    assert onnx_program.load_onnx(path).examples is None
    folder = tmp_path / "test_data_set_0"
    folder.mkdir()
    array = np.full((3, 4), np.nan, np.float32)
    onnx.save_tensor(numpy_helper.from_array(array), folder / "input_0.pb")
    (example,) = onnx_program.load_onnx(path).examples or ()
    np.testing.assert_array_equal(example, array)
    onnx.save_tensor(numpy_helper.from_array(array[0]), folder / "input_0.pb")
    assert onnx_program.load_onnx(path).examples is None
    (folder / "input_0.pb").write_bytes(b"no tensor")
    with pytest.raises(FormatError, match="input_0"):
        onnx_program.load_onnx(path)


UNREAD = """<ir_version: 9, opset_import: ["" : 19]>
    wrap (int32[4] x) => (int64[4] y) {
        f = Cast<to = 1>(x) u = Cast<to = 18>(f) g = Cast<to = 1>(u) y = Cast<to = 7>(g)
    }"""


@pytest.mark.parametrize(("answer", "count"), [("1.0", 1), pytest.param("np.nan", 0, marks=pytest.mark.long)])
def test_what_frameworks_differ_in_is_judged_on_own_inputs_by_the_uncompiled_run(
    answer: str, count: int, tmp_path: Path
) -> None:
    """An example is the maximum of NaN and 1: ONNX's reference evaluator gives NaN."""
    wrong = f"""
    import numpy as np
    def run(compiled, inputs):
        if [node.op for node in compiled.nodes] != ["Max"]:
            return control.run(compiled, inputs)
        a, b = (from_wire(array) for array in inputs)
        return [to_wire(np.where(np.isnan(a + b), a.dtype.type({answer}), np.maximum(a, b)))]
    """
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[4] a, float[4] b) => (float[4] y) { y = Max(a, b) }'
    onnx.save(parser.parse_model(text), tmp_path / "model.onnx")
    folder = tmp_path / "test_data_set_0"
    folder.mkdir()
    for number, x in enumerate([[np.nan, 1, -2, 3], [1, np.nan, 3, -4]]):
        tensor = numpy_helper.from_array(np.float32(x), "ab"[number])
        (folder / f"input_{number}.pb").write_bytes(tensor.SerializeToString())
    options = ["--compiler", "spoiled", "--seeds", tmp_path / "model.onnx", "-n", 1]
    fuzz(tmp_path / "c", *options, env=spoiled(tmp_path, wrong))
    assert [record(finding)["a"] for finding in findings(tmp_path / "c")] == ["original"] * count


def test_a_model_that_cannot_be_read_takes_part_as_it_is() -> None:
    """An example is a model with float8e4m3fnuz. Invalid models and models with unknown sizes are refused."""
    program = onnx_program.from_model(parser.parse_model(UNREAD))
    assert program.unread
    assert program.artifact
    assert [str(t) for t in program.graph.input_types + program.graph.output_types] == ["int32[4]", "int64[4]"]
    for wrong in (UNREAD.replace("int64[4] y", "int64[5] y"), UNREAD.replace("int32[4] x", "int32[n] x")):
        with pytest.raises(FormatError, match="float8e4m3fnuz"):
            onnx_program.from_model(parser.parse_model(wrong))
