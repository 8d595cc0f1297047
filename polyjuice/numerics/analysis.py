"""The analysis of a whole graph, and cheaper questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.interpret import Shared, evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics.distances import distance
from polyjuice.numerics.values import DEFAULT, USUAL, Mode, Setting, reproducible, rounds, run
from polyjuice.ops import entry


@dataclass(frozen=True)
class Analysis:
    """One output: its reference values (float64, or the integer or boolean type) and error bounds.

    It is ``reproducible`` if every compiler must give the same bits.
    """

    type: TensorType
    reference: np.ndarray
    bound: np.ndarray
    reproducible: bool

    @property
    def comparable(self) -> bool:
        """Whether any element has a finite bound."""
        return bool(np.isfinite(self.bound).any())


def analyse(
    graph: Graph,
    inputs: Sequence[np.ndarray],
    precision: str | None = None,
    known_opaque: bool = False,
    mode: Mode = USUAL,
    shared: Shared | None = None,
) -> tuple[Analysis, ...]:
    """Analyse all outputs on inputs in the order of ``graph.inputs``.

    With ``precision`` the bounds are for an evaluation that holds all floating values in that type. With
    ``known_opaque``, opaque operators mean what the interpreter computes for them, as when two interpretations are
    compared. Otherwise all values that depend on them are masked. ``mode`` says which results count beyond the numbers
    of their type's range. ``shared`` has results on these inputs. Raises EvaluationError where an operator has no
    value.
    """
    setting = Setting(precision, known_opaque, mode, shared)
    with np.errstate(all="ignore"):
        values = run(graph, dict(zip(graph.inputs, inputs, strict=True)), setting)
    return tuple(
        Analysis(
            t if value.in_doubt else TensorType(t.dtype, value.array.shape),
            value.array,
            np.broadcast_to(value.error, value.array.shape),
            value.reproducible,
        )
        for value, t in zip(values, graph.output_types, strict=True)
    )


def reproducible_outputs(graph: Graph, inputs: Sequence[np.ndarray]) -> tuple[bool, ...]:
    """For each output, whether it is reproducible. Raises EvaluationError where an operator has no value."""
    with np.errstate(all="ignore"):
        found = reproducible(graph, dict(zip(graph.inputs, inputs, strict=True)), DEFAULT)
    return tuple(analysis.reproducible for analysis in analyse(graph, inputs)) if found is None else tuple(found)


class Analyses(Sequence[tuple[Analysis, ...]]):
    """The analyses of a graph on several sets of inputs, each made when it is first asked for.

    ``modes`` has one mode for each set of inputs; without it all sets have the usual one. ``shared`` has the results on
    each set that other graphs share.
    """

    def __init__(
        self,
        graph: Graph,
        input_sets: Sequence[Sequence[np.ndarray]],
        modes: Sequence[Mode] = (),
        shared: Sequence[Shared] = (),
    ) -> None:
        self._graph = graph
        self._input_sets = input_sets
        self._modes = modes or [USUAL] * len(input_sets)
        self._shared = shared or [Shared() for _ in input_sets]
        self._made: dict[int, tuple[Analysis, ...]] = {}
        self._values: dict[int, tuple[np.ndarray, ...]] = {}

    def __len__(self) -> int:
        return len(self._input_sets)

    def __getitem__(self, i: Any) -> Any:
        if i not in self._made:
            shared = self._shared[i]
            self._made[i] = analyse(self._graph, self._input_sets[i], mode=self._modes[i], shared=shared)
        return self._made[i]

    def rounded(self, i: int, k: int, array: np.ndarray) -> bool:
        """Whether a result is the correctly rounded float64 value of output k, up to the sign of zeros.

        No analysis finds such a result wrong, so it need not be made. False where the graph itself asks for roundings
        on the way.
        """
        if i in self._made:
            value = self._made[i][k].reference
        elif rounds(self._graph, self._modes[i]):
            return False
        else:
            if i not in self._values:
                self._values[i] = evaluate(self._graph, self._input_sets[i], "float64", shared=self._shared[i])
            value = self._values[i][k]
        type = self._graph.output_types[k]
        if array.dtype != dtypes.to_numpy(type.dtype) or array.shape != value.shape:
            return False
        with np.errstate(all="ignore"):
            return not distance(array, value.astype(array.dtype, copy=False)).any()


def possibly_reproducible(graph: Graph) -> tuple[bool, ...]:
    """For each output, whether some inputs may make it reproducible: constants and operators are exact on integers.

    A narrow floating type holds its values as they are, whatever they come from.
    """
    rounded = {
        name for name, a in graph.constants.items() if a.dtype.kind not in "iub" and not bool(np.all(a == np.rint(a)))
    }
    for node in graph.nodes:
        op = entry(node)
        if op is None or not op.integer_exact or rounded.intersection(node.inputs):
            made = filter(None, node.outputs)
            rounded.update(name for name in made if graph.types[name].dtype not in dtypes.NARROW_FLOATS)
    return tuple(name not in rounded for name in graph.outputs)
