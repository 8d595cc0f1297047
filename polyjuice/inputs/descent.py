"""Descend the loss of the first operator that gives NaN or infinity (NNSmith, algorithm 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyjuice.inputs.derivatives import add, back_propagate, widened
from polyjuice.inputs.domains import divides_by_zero, loss_of
from polyjuice.inputs.random_values import FARTHEST
from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Graph, dtypes, uniform_value
from polyjuice.ops import entry

#: The largest step of one value in an iteration (Adam's learning rate).
_STEP = 0.5

#: The longest step, relative to the step that would bring a linear loss to 0; a limit keeps sums from overshooting.
_OVERSHOOT = 2.0

_DECAY = (0.9, 0.999)
"""Adam's decay of the mean gradient and of the mean squared gradient."""

#: The largest derivative whose square is surely finite.
_STEEPEST = 1e100

#: How many iterations in a row may bring no progress.
_PATIENCE = 4


@dataclass(frozen=True)
class Found:
    """The outcome of a search: values by name, and how many nodes have finite results before the first that has not.

    ``finite``: all nodes have finite results.
    """

    values: Mapping[str, np.ndarray]
    progress: int
    finite: bool

    def inputs(self, graph: Graph) -> tuple[np.ndarray, ...]:
        """Return the values of the graph's inputs, in order."""
        return tuple(self.values[name] for name in graph.inputs)


@dataclass(kw_only=True)
class _State:
    """The free values in float64, and Adam's moments of the gradient of one loss."""

    free: dict[str, np.ndarray]
    mean: dict[str, np.ndarray] = field(default_factory=dict)
    square: dict[str, np.ndarray] = field(default_factory=dict)
    steps: int = 0

    def descend(self, loss: float, gradient: Mapping[str, np.ndarray], further: int) -> None:
        """Take one step of Adam down the gradient. ``further`` lengthens it after shorter steps that did not help."""
        self.steps += 1
        keep, keep_square = _DECAY
        ways: dict[str, np.ndarray] = {}
        slope = 0.0
        for name, g in gradient.items():
            self.mean[name] = keep * self.mean.get(name, 0.0) + (1 - keep) * g
            self.square[name] = keep_square * self.square.get(name, 0.0) + (1 - keep_square) * g**2
            mean = self.mean[name] / (1 - keep**self.steps)
            square = self.square[name] / (1 - keep_square**self.steps)
            ways[name] = mean / (np.sqrt(square) + 1e-30)
            slope += float(np.sum(g * ways[name]))
        step = min(_STEP, further * _OVERSHOOT * loss / slope) if slope > 0 else _STEP
        for name, way in ways.items():
            self.free[name] = np.asarray(np.clip(self.free[name] - step * way, -FARTHEST, FARTHEST))

    def forget(self) -> None:
        self.mean, self.square, self.steps = {}, {}, 0


def run(graph: Graph, values: dict[str, np.ndarray], divisors: bool = False) -> int:
    """Evaluate a graph in its own types until a result is not finite; return the number of nodes before that.

    ``values`` holds the inputs and constants; the results are added. A node that cannot be evaluated counts as not
    finite. With ``divisors``, so does a node that divides integers by zero.
    """
    with np.errstate(all="ignore"):
        for number, node in enumerate(graph.nodes):
            types = [graph.types[name] if name else None for name in node.outputs]
            operands = [values[name] for name in node.inputs if name]
            if divisors and divides_by_zero(node, operands):
                return number
            try:
                results = apply(node, operands, types)
            except EvaluationError:
                return number
            if not all(r.dtype.kind in "iub" or bool(np.isfinite(widened(r)).all()) for r in results):
                return number
            values.update((name, result) for name, result in zip(node.outputs, results, strict=True) if name)
    return len(graph.nodes)


def gradient(
    graph: Graph, values: Mapping[str, np.ndarray], sources: set[str], failing: int, *, proxies: bool = True
) -> tuple[float, dict[str, np.ndarray]]:
    """Return the loss of a node whose result is not finite, and its nonzero derivatives by the ``sources``.

    ``values`` are those that :func:`run` filled in.
    """
    node = graph.nodes[failing]
    names = [name for name in node.inputs if name]
    operands = [widened(values[name]) for name in names]
    op = entry(node)
    if op and op.unrolled:
        inner = op.unrolled.graph(operands, node.attrs)
        reached = dict(inner.constants)
        for name, x in zip(inner.inputs, operands, strict=True):
            reached[name] = x.astype(dtypes.to_numpy(inner.types[name].dtype))
        number = run(inner, reached)
        if number == len(inner.nodes):
            return 0.0, {}
        loss, of_inputs = gradient(inner, reached, set(inner.inputs), number, proxies=proxies)
        found = [of_inputs.get(name) for name in inner.inputs]
    else:
        loss, found = loss_of(node, operands, [graph.types[n] if n else None for n in node.outputs], proxies=proxies)
    collected: dict[str, np.ndarray] = {}
    for name, cotangent in zip(names, found, strict=True):
        add(collected, name, cotangent)
    back_propagate(graph, values, collected, sources, failing, proxies=proxies)
    slopes = {name: np.clip(collected[name], -_STEEPEST, _STEEPEST) for name in sorted(sources) if name in collected}
    return loss, {name: slope for name, slope in slopes.items() if slope.any()}


def _is_floating(array: np.ndarray) -> bool:
    return array.dtype.kind not in "iub" and not dtypes.is_int(dtypes.dtype_of(array))


def descend(
    graph: Graph,
    start: Mapping[str, np.ndarray],
    sources: Sequence[str],
    iterations: int,
    *,
    proxies: bool = True,
) -> Found:
    """Change the values of floating ``sources`` until all values of the graph are finite, or nothing helps.

    ``start`` holds the inputs and constants. A uniform constant stays uniform. ``iterations`` is the limit for the
    first operator that is not finite, and again for each later one. ``proxies`` allows proxy derivatives.
    """
    state = _State(free={name: start[name].astype(np.float64) for name in sources if _is_floating(start[name])})
    splats = {name for name in state.free if name in graph.constants and uniform_value(start[name]) is not None}
    best = Found(start, -1, False)
    last, least, stale, left = -1, np.inf, 0, iterations
    while left:
        left -= 1
        held = {name: x.astype(start[name].dtype) for name, x in state.free.items()}
        values = {**start, **held}
        progress = run(graph, values)
        if progress > best.progress:
            best = Found({**start, **held}, progress, progress == len(graph.nodes))
            left = iterations
        if best.finite:
            break
        loss, slopes = gradient(graph, values, set(state.free), progress, proxies=proxies)
        if not slopes:
            break
        if progress != last:
            state.forget()
            last, least, stale = progress, np.inf, 0
        stale = 0 if loss < 0.99 * least else stale + 1
        least = min(loss, least)
        if stale > _PATIENCE:
            break
        for name in splats.intersection(slopes):
            slopes[name] = np.full(slopes[name].shape, np.sum(slopes[name]))
        state.descend(loss, slopes, 2**stale)
    return best
