"""Broken findings, and programs with odd attributes: one line says what is wrong, or they are written as they are."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from onnx import AttributeProto, NodeProto

from polyjuice.lower.onnx_forms.rule import give
from polyjuice.triage.stored import FindingError, load
from tests.support.commands import ROOT


def test_a_finding_whose_variant_has_an_empty_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, "b": ""}))
    with pytest.raises(FindingError, match="no lowering choices for ''"):
        load(folder)


def test_an_attribute_may_be_an_empty_list() -> None:
    node = NodeProto(op_type="ReduceMean")
    give(node, "axes", [])
    assert node.attribute[0].type == AttributeProto.INTS
