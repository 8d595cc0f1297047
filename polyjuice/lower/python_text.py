"""Python source, as lines: functions, classes, and identifiers for the values of a graph."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence

import numpy as np

from polyjuice.ir import Graph, array_digest, dtypes


def array_key(array: np.ndarray) -> str:
    """The name under which a program finds an array: equal arrays have the same."""
    return f"w_{array_digest(array)}_{'x'.join(map(str, array.shape)) or 'scalar'}_{dtypes.of_array(array)}"


def indented(lines: Iterable[str]) -> list[str]:
    """One level deeper; empty lines stay empty."""
    return [f"    {line}" if line else "" for line in lines]


def function(name: str, parameters: Sequence[str], body: Iterable[str], decorator: str = "") -> list[str]:
    return [*filter(None, [decorator]), f"def {name}({', '.join(parameters)}):", *indented(body)]


def model_class(name: str, base: str, setup: Iterable[str], members: Iterable[Sequence[str]]) -> list[str]:
    """A class whose constructor takes ``arrays``, runs ``setup``, and is followed by the members."""
    constructor = function("__init__", ["self", "arrays"], ["super().__init__()", *setup])
    rest = (line for member in members for line in ("", *member))
    return [f"class {name}({base}):", *indented([*constructor, *rest])]


def identifiers(graph: Graph, reserved: Iterable[str]) -> dict[str, str]:
    """An identifier for every value: its own name where that is one, else a cleaned and numbered form of it."""
    taken = {"self", "arrays", "_", "", *reserved}
    names: dict[str, str] = {}
    for name in graph.types:
        clean = re.sub(r"\W", "_", name)
        if not clean.isidentifier() or keyword.iskeyword(clean) or clean.startswith("local_"):
            clean = f"v_{clean}"
        candidate, number = clean, 1
        while candidate in taken:
            number += 1
            candidate = f"{clean}_{number}"
        taken.add(candidate)
        names[name] = candidate
    return names
