"""The pytest plugin, in the tests of a model's owner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")

from tests.support.mutants import SPLIT_UNEVEN

OWNERS_TESTS = """
import ml_dtypes
import numpy as np
from onnx import parser

MODEL = '''<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x) => (float[3,4] y) { s = Neg(x) r = Relu(s) y = Mul(r, s) }'''
SPLIT = '''<ir_version: 9, opset_import: ["" : 18]>
    small (float[5,4] x) => (float[1,4] a, float[2,4] b, float[2,4] c) <int64[3] sizes = {1, 2, 2}>
    { a, b, c = Split<axis = 0>(x, sizes) }'''
HALF = '''<ir_version: 9, opset_import: ["" : 18]>
    small (bfloat16[3,4] x) => (bfloat16[3,4] y) { s = Neg(x) y = Neg(s) }'''
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_right(polyjuice):
    checked = polyjuice.check(parser.parse_model(MODEL), (X,), compiler="onnxruntime", variants=4)
    assert checked.compared[0] == "original" and len(checked.compared) >= 3


def test_wrong(polyjuice):
    inputs = {"x": np.arange(20, dtype=np.float32).reshape(5, 4)}
    polyjuice.check(parser.parse_model(SPLIT), inputs, compiler="onnxruntime")


def test_half(polyjuice):
    polyjuice.check(parser.parse_model(HALF), (X.astype(ml_dtypes.bfloat16),), compiler="onnxruntime")


def test_other_inputs(polyjuice):
    polyjuice.check(parser.parse_model(MODEL), (X.T,), compiler="onnxruntime")
"""


@pytest.mark.long
def test_what_an_owner_of_models_sees(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(OWNERS_TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "test_mine.py"],
        cwd=tmp_path,
        env={**os.environ, **SPLIT_UNEVEN},
        capture_output=True,
        text=True,
        timeout=300,
    )
    output = done.stdout
    assert done.returncode == 1, output + done.stderr
    assert "PASSED test_mine.py::test_right" in output
    assert "FAILED test_mine.py::test_wrong" in output
    assert "Could not find an implementation for Neg" in output
    assert "2 failed, 1 passed, 1 skipped" in output
    assert "the model takes [('float32', (3, 4))], and the inputs are [('float32', (4, 3))]" in output
    (finding,) = (tmp_path / "polyjuice-findings/test_wrong").iterdir()
    assert f"the finding, with a reproducer: {finding}" in output
    record = json.loads((finding / "finding.json").read_text())
    assert (record["kind"], record["compiler"], record["repro_exit"]) == ("mismatch", "onnxruntime", 1)
