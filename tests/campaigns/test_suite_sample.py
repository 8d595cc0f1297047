"""The committed sample of a suite is what the current version builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.suite_sample import BUILD, SAMPLE, cases
from tests.support.commands import polyjuice


@pytest.mark.long
def test_the_sample_is_up_to_date(tmp_path: Path) -> None:
    """Programs and descriptions are the same. Arrays may differ in rounding: other processors compute otherwise."""
    pytest.importorskip("onnxruntime")
    built = tmp_path / "suite"
    done = polyjuice(*BUILD, built)
    assert done.returncode == 0, done.stderr
    assert f"polyjuice {' '.join(BUILD[:-1])}" in " ".join((SAMPLE / "README.md").read_text("utf-8").split())
    assert [case.name for case in cases(SAMPLE)] == [case.name for case in cases(built)], "run: make sample"
    for old, new in zip(cases(SAMPLE), cases(built), strict=True):
        assert {path.name for path in old.iterdir()} == {path.name for path in new.iterdir()}
        for path in sorted(old.iterdir()):
            if path.suffix in (".py", ".json"):
                assert path.read_text("utf-8") == (new / path.name).read_text("utf-8"), f"{path}: run: make sample"
            elif path.suffix == ".onnx":
                assert path.read_bytes() == (new / path.name).read_bytes(), f"{path}: run: make sample"
        _compare(dict(np.load(old / "inputs.npz")), dict(np.load(new / "inputs.npz")), old)


def _compare(old: dict[str, np.ndarray], new: dict[str, np.ndarray], where: Path) -> None:
    assert [(name, x.dtype, x.shape) for name, x in old.items()] == [
        (name, x.dtype, x.shape) for name, x in new.items()
    ]
    for name, array in old.items():
        same = np.allclose(array, new[name], rtol=1e-3, atol=1e-6, equal_nan=True)
        assert same, f"{where}: {name} differs; run: make sample"
