"""Draw the programs of a card, one by one, with differences highlighted and wrong outputs marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice import drawing
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, Node, array_text
from polyjuice.page.content import Picture

#: The largest program that the interpreter runs for the page: its nodes, and the elements of all its values.
_NODES, _ELEMENTS = 200, 1_000_000

#: The most characters of a value.
_CHARACTERS = 200


def pictures(
    key: str,
    graphs: Mapping[str, Graph],
    captions: Mapping[str, str],
    inputs: Sequence[np.ndarray] = (),
    wrong: Mapping[str, Mapping[int, str]] | None = None,
) -> list[Picture]:
    """Return a drawing of each graph.

    ``captions`` and ``wrong`` are by the graphs' labels; ``wrong`` maps outputs to their errors. With ``inputs``, a
    drawing shows each value that the interpreter computes. Raises DrawingMissing, DrawingError.
    """
    differs: Mapping[str, frozenset[int]] = {}
    if len(graphs) == 2:
        differs = dict(zip(graphs, drawing.differing(*graphs.values()), strict=True))
    found = []
    for number, (label, graph) in enumerate(graphs.items()):
        here = (wrong or {}).get(label, {})
        side = drawing.Side(
            title=label, graph=graph, differs=differs.get(label, frozenset()), wrong=here, shown=shown(graph, inputs)
        )
        svg = drawing.draw([side], f"{key}-{'ab'[number]}", _caption(label, graph, side))
        found.append(Picture(svg, captions[label]))
    return found


def _caption(label: str, graph: Graph, side: drawing.Side) -> str:
    """Return the program in a sentence, for screen readers."""
    names = ", ".join(dict.fromkeys(node.qualified for node in graph.nodes)) or "no operator"
    differs = [graph.nodes[place].qualified for place in sorted(side.differs)]
    text = f"Program {label}: {names}."
    return f"{text} Only this program has {', '.join(differs)}." if differs else text


def shown(graph: Graph, inputs: Sequence[np.ndarray]) -> dict[str, str]:
    """Return each value of a program as a text, with floats in float64; empty if the program is too large."""
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
