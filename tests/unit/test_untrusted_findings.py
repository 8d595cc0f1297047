"""Broken findings, odd attributes, and a lack of memory: Polyjuice says so in one line, or goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from onnx import AttributeProto, NodeProto

from polyjuice import formats
from polyjuice.campaign import preparation
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.egraph import load
from polyjuice.ir import TensorType
from polyjuice.lower.onnx_forms.rule import give
from polyjuice.ops import GraphBuilder
from polyjuice.suite import checking
from polyjuice.triage import stored
from tests.support.commands import ROOT


def test_a_finding_whose_variant_has_an_empty_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, "b": ""}))
    with pytest.raises(stored.FindingError, match="no lowering choices for ''"):
        stored.load(folder)


def test_an_attribute_may_be_an_empty_list() -> None:
    node = NodeProto(op_type="ReduceMean")
    give(node, "axes", [])
    assert node.attribute[0].type == AttributeProto.INTS


def no_memory(*_: object, **__: object) -> None:
    raise MemoryError


def test_a_case_that_takes_more_memory_than_there_is_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = GraphBuilder()
    formats.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "seed.onnx")
    monkeypatch.setattr(preparation, "make_inputs", no_memory)
    runner = Runner(Config(compiler="numpy", seeds=(str(tmp_path / "seed.onnx"),)), tmp_path, load(only=["relu-*"]))
    try:
        (result,) = runner.run([0])
    finally:
        runner.close()
    assert result.skipped.startswith("memory: ")


def test_a_check_that_takes_more_memory_than_there_is_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = GraphBuilder()
    formats.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "m.onnx")
    monkeypatch.setattr(checking, "profile_of", no_memory)
    with checking.Checker("numpy") as checker, pytest.raises(checking.NotChecked, match="more memory than there is"):
        checker.check(tmp_path / "m.onnx", [np.ones(2, np.float32)], rules=())
