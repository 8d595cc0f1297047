"""Find equal values of two graphs: equal in the interpreter, on all tested sets of inputs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, Node, TensorType, complexes, dtypes
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rebuild import cone

#: The significant digits of floating-point values to compare, because the two sides may round differently.
_DIGITS = 9


@dataclass(frozen=True, eq=False, kw_only=True)
class Shared:
    """Equal values of one type: for each graph, its names for the value in order of computation.

    ``array`` is the value on the pair's own inputs, in its own type. ``fixed`` means that the value is the same on all
    other inputs too.
    """

    type: TensorType
    names: tuple[tuple[str, ...], ...]
    array: np.ndarray
    fixed: bool

    @property
    def everywhere(self) -> bool:
        """Whether all graphs have the value."""
        return all(self.names)


def shared_values(pair: Pair, others: Sequence[Sequence[np.ndarray]]) -> list[Shared]:
    """All values of a pair, grouped by equality; ``others`` are further sets of inputs.

    The order is that of the graphs' computation. Raises EvaluationError.
    """
    found: dict[tuple[TensorType, tuple[str, ...]], list[list[str]]] = {}
    arrays: dict[tuple[TensorType, tuple[str, ...]], np.ndarray] = {}
    for number, graph in enumerate(pair.graphs):
        own = traced(graph, pair.inputs)
        wide = [traced(graph, inputs, "float64") for inputs in (pair.inputs, *others)]
        for name in own:
            key = graph.types[name], tuple(fingerprint(values[name]) for values in wide)
            found.setdefault(key, [[] for _ in pair.graphs])[number].append(name)
            arrays.setdefault(key, own[name])
    return [
        Shared(
            type=key[0], names=tuple(map(tuple, names)), array=arrays[key], fixed=bool(others) and len(set(key[1])) == 1
        )
        for key, names in found.items()
    ]


def traced(graph: Graph, inputs: Sequence[np.ndarray], precision: str | None = None) -> dict[str, np.ndarray]:
    """Every value of a graph by its name. Raises EvaluationError."""
    values = dict(zip(graph.inputs, inputs, strict=True)) | dict(graph.constants)

    def keep(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        values.update((name, array) for name, array in zip(node.outputs, results, strict=True) if name)

    evaluate(graph, inputs, precision, [keep])
    return values


def fingerprint(array: np.ndarray) -> str:
    """A hash that is equal for arrays that differ only in their last digits."""
    if complexes.is_complex(array):
        return " ".join(map(fingerprint, complexes.parts(array)))
    if array.dtype.kind in "iub":
        rounded = array
    else:
        wide = array.astype(np.float64)
        scale = float(np.max(np.abs(wide[np.isfinite(wide)]), initial=0.0)) or 1.0
        with np.errstate(all="ignore"):
            rounded = np.round(wide / scale, _DIGITS) + 0.0
            rounded = np.append(rounded.ravel(), float(f"{scale:.{_DIGITS}g}"))
    return hashlib.sha256(np.ascontiguousarray(rounded).tobytes()).hexdigest()


def depths(graph: Graph) -> Mapping[str, int]:
    """The number of nodes on which each value depends."""
    found = dict.fromkeys([*graph.inputs, *graph.constants], 0)
    for node in graph.nodes:
        size = len(cone(graph, next(filter(None, node.outputs))))
        found.update((name, size) for name in node.outputs if name)
    return found


def in_type(array: np.ndarray, t: TensorType) -> np.ndarray:
    """An interpreted value as an array of its declared type."""
    return np.ascontiguousarray(array).astype(dtypes.to_numpy(t.dtype)).reshape(t.shape)
