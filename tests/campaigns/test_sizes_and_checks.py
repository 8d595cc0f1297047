"""Models with symbolic sizes: a fault that needs one size is found, stored, and reduced. ``polyjuice.check``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, parser

from polyjuice.frameworks.errors import FormatError
from polyjuice.suite.cases import SuiteError
from polyjuice.suite.checking import Checked, Checker, Miscompiled, NotChecked
from tests.support import in_process
from tests.support.commands import ONE_RULE, findings, fuzz, polyjuice, record, refusal, save_model
from tests.support.compilers import usable
from tests.support.plugins import spoiled

MODEL = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[batch,4] x) => (float[batch,4] y) { a = Abs(x) r = Relu(a) y = Neg(r) }"""

WRONG_AT_THREE = """
import onnx

def compile(program, inputs):
    told = isinstance(program, onnx.ModelProto)
    return control.compile(program, inputs), told and inputs[0][1].shape[:1] == (3,)

def run(compiled, inputs):
    graph, wrong = compiled
    return [(dtype, values + values.dtype.type(wrong)) for dtype, values in control.run(graph, inputs)]
"""
"""A compiler that adds one to all results of a model with symbolic sizes if its inputs have three rows."""


def test_a_fault_at_a_batch_of_three_alone_is_found_stored_replayed_and_reduced(tmp_path: Path) -> None:
    env = spoiled(tmp_path, WRONG_AT_THREE)
    options = ["--compiler", "spoiled", "--seeds", save_model(tmp_path / "m.onnx", MODEL), "-n", 6, *ONE_RULE]
    status, summary = fuzz(tmp_path / "c", *options, env=env)
    assert status == 1
    assert summary["sizes"]["batch = 3"] == 1
    assert sum(summary["sizes"].values()) == 6
    (finding,) = findings(tmp_path / "c")
    stored = record(finding)
    assert stored["idioms"]["original"] == ["as given", "batch = 3"]
    assert stored["culprit"] == "original"
    assert stored["repro_exit"] == 1
    assert "Its sizes are symbolic; here batch = 3." in (finding / "report.md").read_text()
    assert (finding / "a.lowered.onnx").read_bytes() == (tmp_path / "m.onnx").read_bytes()
    assert polyjuice("replay", finding, env=env).returncode == 1
    assert polyjuice("reduce", finding, "--time", "30s", env=env).returncode == 1
    reduced = finding / "reduced"
    assert record(reduced)["idioms"]["original"] == ["as given", "batch = 3"]
    left = onnx.load(reduced / "a.lowered.onnx").graph
    assert not left.node  # the sizes alone trigger the fault
    assert left.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"


def test_sizes_are_the_same_where_a_campaign_goes_on(tmp_path: Path) -> None:
    seeds = ["--seeds", save_model(tmp_path / "m.onnx", MODEL), *ONE_RULE]
    fuzz(tmp_path / "c", "--compiler", "numpy", *seeds, "-n", 2)
    done = polyjuice("fuzz", "--resume", tmp_path / "c", "-n", 6, "--json")
    assert done.returncode == 0, done.stderr
    sizes = json.loads(done.stdout)["sizes"]
    assert len(sizes) == 6
    assert list(sizes)[:3] == ["batch = 1", "batch = 2", "batch = 3"]


def test_a_model_that_is_valid_at_no_size_is_a_usage_error(tmp_path: Path) -> None:
    broken = save_model(tmp_path / "m.onnx", MODEL.replace("Neg(r)", "Neg(absent)"))
    message = refusal("--compiler", "numpy", "--seeds", broken, "-n", 1, "--out", tmp_path / "c")
    assert "absent" in message
    assert not (tmp_path / "c").exists()


BOTH = """<ir_version: 8, opset_import: ["" : 17]>
    g (float[batch,4] x, float[batch,4] z) => (float[batch,4] y) { a = Abs(x) y = Add(a, z) }"""


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    with in_process.everything(), Checker("numpy") as checker:
        yield checker


def model(text: str) -> ModelProto:
    return parser.parse_model(text)


def rows(count: int) -> np.ndarray:
    return np.arange(count * 4, dtype=np.float32).reshape(count, 4) - 5


def test_a_model_is_checked_at_the_sizes_of_its_inputs_and_at_two_others(checker: Checker) -> None:
    checked = checker.check(model(BOTH), {"z": rows(3), "x": rows(3)}, variants=2)
    assert "original" in checked.compared
    assert checked.sizes[0] == {"batch": 3}
    assert len({one["batch"] for one in checked.sizes}) == 3
    assert checker.check(model(BOTH.replace("batch", "2")), [rows(2), rows(2)], variants=2).sizes == ()


@pytest.mark.usefixtures("in_process")
def test_a_fault_at_another_size_than_that_of_the_inputs_is_reported_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = spoiled(tmp_path, WRONG_AT_THREE)
    monkeypatch.setenv("PYTHONPATH", env["PYTHONPATH"])
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with Checker("spoiled") as checker:
        with pytest.raises(Miscompiled, match=r"^output 0"):
            checker.check(model(MODEL), [rows(3)], variants=2, findings=tmp_path / "own")

        def at_other_sizes() -> None:
            for seed in range(9):  # which decides the other sizes
                checker.check(model(MODEL), [rows(4)], variants=2, seed=seed, findings=tmp_path / "others")

        with pytest.raises(Miscompiled, match=r"^with batch = 3: output 0"):
            at_other_sizes()
    assert len(list((tmp_path / "others").iterdir())) == 1


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"x": rows(3), "y": rows(3)}, "the model has no input 'y'; its inputs are x, z"),
        ({"x": rows(3)}, "no array is given for the input 'z'; the model takes x, z"),
        ([rows(3)], "the model takes 2 inputs (x, z), and 1 are given"),
        ([rows(3), rows(2)], "model: batch is 3 in axis 0 of x, and 2 in axis 0 of z"),
        (
            [rows(3), rows(3)[:, :2]],
            "the model takes float32[3, 4], float32[3, 4], and the inputs are float32[3, 4], float32[3, 2]",
        ),
    ],
)
def test_inputs_that_are_not_the_models_are_refused_in_a_line(checker: Checker, inputs: object, message: str) -> None:
    with pytest.raises((SuiteError, FormatError)) as caught:
        checker.check(model(BOTH), inputs)
    assert str(caught.value) == message


@pytest.fixture(scope="module")
def onnxruntime() -> Iterator[Checker]:
    usable("onnxruntime")
    with Checker("onnxruntime") as checker:
        yield checker


def check(onnxruntime: Checker, text: str, inputs: Sequence[np.ndarray]) -> Checked:
    return onnxruntime.check(
        parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g {text}'), inputs, variants=3
    )


def test_integers_that_wrap_around_are_compared_by_rules_that_hold_on_them(onnxruntime: Checker) -> None:
    text = "(int8[4] a, int8[4] b, int8[4] c) => (int8[4] y) { s = Add(a, b) y = Add(s, c) }"
    inputs = [np.array(x, np.int8) for x in ([127, -128, 100, 7], [127, -128, 100, 7], [1, -1, 100, 7])]
    assert len(check(onnxruntime, text, inputs).compared) > 1


def test_nan_and_infinities_are_compared_by_rules_that_hold_on_them(onnxruntime: Checker) -> None:
    text = "(float[4] a, float[4] b) => (float[4] y) { s = Sub(a, b) y = Add(s, b) }"
    inputs = [np.float32([np.nan, np.inf, 1, 2]), np.float32([1, np.inf, -np.inf, 2])]
    assert "original" in check(onnxruntime, text, inputs).compared


def test_a_model_that_the_table_lacks_is_compared_with_its_uncompiled_run(onnxruntime: Checker) -> None:
    text = "(float[8] x) => (float[8] y) { u = Cast<to = 18>(x) y = Cast<to = 1>(u) }"
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 19]> g {text}')
    assert onnxruntime.check(model, [np.arange(8, dtype=np.float32)], variants=3).compared == ("original",)


def test_a_model_that_the_compiler_does_not_take_is_not_checked(onnxruntime: Checker) -> None:
    with pytest.raises(NotChecked, match="onnxruntime: "):
        check(onnxruntime, "(double[4] a) => (double[4] y) { y = Tan(a) }", [np.arange(4, dtype=np.float64)])
