"""``import polyjuice; polyjuice.check(...)``, as the documentation shows it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from onnx import parser

import polyjuice
from polyjuice.suite.cases import SuiteError
from polyjuice.suite.checking import _bind
from tests.support.commands import MODEL
from tests.support.plugins import spoiled

INPUTS = {"x": np.ones((3, 4), np.float32), "w": np.ones((3, 4), np.float32)}


def test_a_right_compiler_passes() -> None:
    checked = polyjuice.check(parser.parse_model(MODEL), INPUTS, compiler="numpy", variants=3)
    assert isinstance(checked, polyjuice.Checked)
    assert checked.compared[0] == "original"
    assert len(checked.compared) > 1


WRONG = """
def run(compiled, inputs):
    arrays = interpret.evaluate(compiled, [from_wire(array) for array in inputs])
    return [to_wire(array + array.dtype.type(1)) for array in arrays]
"""


def test_a_wrong_compiler_raises_with_the_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", spoiled(tmp_path, WRONG)["PYTHONPATH"])
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    with pytest.raises(polyjuice.Miscompiled, match="the finding, with a reproducer: ") as caught:
        polyjuice.check(parser.parse_model(MODEL), INPUTS, compiler="spoiled", variants=2, findings=tmp_path / "found")
    assert isinstance(caught.value, AssertionError)
    assert (tmp_path / "found/finding-000/repro.py").is_file()


def test_inputs_that_the_model_lacks_are_named_in_one_line() -> None:
    with pytest.raises(ValueError, match=r"^the model has no input 'y'; its inputs are x, w$"):
        polyjuice.check(parser.parse_model(MODEL), {**INPUTS, "y": INPUTS["x"]}, compiler="numpy")


def _forward(x: object, scale: object = None) -> None: ...


def _open(x: object, **further: object) -> None: ...


@pytest.mark.parametrize(
    ("forward", "args", "kwargs", "message"),
    [
        (_forward, (), {"y": 1}, "the model has no input 'y'; its inputs are x, scale"),
        (_forward, (), {"scale": 1}, "which takes x, scale: missing a required argument: 'x'"),
        (_forward, (1, 2, 3), {}, "which takes x, scale: too many positional arguments"),
        (_open, (1,), {"y": 1}, ""),
        (_forward, (1,), {"scale": 1}, ""),
    ],
)
def test_arguments_that_a_module_does_not_take_are_named(
    forward: Callable[..., None], args: tuple[int, ...], kwargs: Mapping[str, int], message: str
) -> None:
    module = SimpleNamespace(forward=forward)
    if not message:
        _bind(module, args, kwargs)
        return
    with pytest.raises(SuiteError) as caught:
        _bind(module, args, kwargs)
    assert message in str(caught.value)


def test_importing_the_package_imports_nothing_beneath_it() -> None:
    code = "import sys, polyjuice; print([m for m in sys.modules if m.startswith('polyjuice.') or m == 'numpy'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_that_there_is_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        polyjuice.chek  # noqa: B018
