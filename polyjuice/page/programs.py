"""The programs of a card, drawn: each by itself, what differs between two highlighted, and what is wrong said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice import drawing
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, Node, array_text
from polyjuice.page.content import Picture

#: How large a program is that the interpreter runs for the page: its nodes, and the elements of all its values.
_NODES, _ELEMENTS = 200, 1_000_000

#: How many characters of a value are shown.
_CHARACTERS = 200


def pictures(
    key: str,
    graphs: Mapping[str, Graph],
    captions: Mapping[str, str],
    inputs: Sequence[np.ndarray] = (),
    wrong: Mapping[str, Mapping[int, str]] | None = None,
) -> list[Picture]:
    """A drawing of each graph.

    ``captions`` are by the graphs' labels, and so is ``wrong``: what is wrong with which output. With ``inputs`` a
    drawing shows each value, as the interpreter finds it. Raises DrawingMissing, DrawingError.
    """
    differs: Mapping[str, frozenset[int]] = {}
    if len(graphs) == 2:
        differs = dict(zip(graphs, drawing.differing(*graphs.values()), strict=True))
    found = []
    for number, (label, graph) in enumerate(graphs.items()):
        here = (wrong or {}).get(label, {})
        side = drawing.Side(label, graph, differs.get(label, frozenset()), here, shown(graph, inputs))
        svg = drawing.draw([side], f"{key}-{'ab'[number]}", _said(label, graph, side))
        found.append(Picture(svg, captions[label]))
    return found


def _said(label: str, graph: Graph, side: drawing.Side) -> str:
    """The program in a sentence, for those who do not see the drawing."""
    names = ", ".join(dict.fromkeys(node.qualified for node in graph.nodes)) or "no operator"
    differs = [graph.nodes[place].qualified for place in sorted(side.differs)]
    text = f"Program {label}: {names}."
    return f"{text} Only this program has {', '.join(differs)}." if differs else text


def shown(graph: Graph, inputs: Sequence[np.ndarray]) -> dict[str, str]:
    """Each value of a program on inputs, in float64 where it is a float, as a text; nothing where that takes long."""
    if len(inputs) != len(graph.inputs) or len(graph.nodes) > _NODES:
        return {}
    if sum(type.size for type in graph.types.values()) > _ELEMENTS:
        return {}
    values: dict[str, np.ndarray] = {**dict(zip(graph.inputs, inputs, strict=True)), **graph.constants}

    def observe(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        values.update({name: array for name, array in zip(node.outputs, results, strict=True) if name})

    try:
        evaluate(graph, inputs, "float64", [observe])
    except EvaluationError:
        return {}
    return {name: f"= {_text(array)}" for name, array in values.items()}


def _text(array: np.ndarray) -> str:
    text = array_text(array.astype(np.float64) if array.dtype.kind == "V" else array)
    return text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…"
