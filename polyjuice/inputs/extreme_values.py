"""Values that are rare in the inputs of models: integers that overflow in arithmetic, and extreme floating values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from polyjuice.inputs.distributions import all_distributed
from polyjuice.inputs.domains import divides
from polyjuice.inputs.random_values import are_tenths, normal, tenths
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, Node, TensorType, dtypes
from polyjuice.ops import entry

#: The chance that an integer input is drawn from its whole type. It falls with each attempt that gives no value.
_WIDE = (0.8, 0.5, 0.25, 0.0, 0.0)

#: The chance that the ends of narrower types join the ends of an integer's own type.
_FURTHER = 0.5

#: How many of the last kinds of special numbers are at the ends of the floating type.
_ENDS = 2

Draw = Callable[[TensorType, np.random.Generator], np.ndarray]


def extreme_inputs(
    graph: Graph, seed: np.random.Generator, floats: bool, variants: Sequence[Graph] = (), distribution: str = ""
) -> tuple[np.ndarray, ...]:
    """Return integers from the whole of their types. With ``floats``, also return zeros, ties, NaN and extreme floats.

    ``distribution`` applies to the first input. Raises EvaluationError if the graph or a variant has no value on any
    tried inputs. Dividing the least integer by -1 also counts as no value, because processors trap.
    """
    problem: EvaluationError | None = None
    for wide in _WIDE:
        usual = tenths if floats and are_tenths(graph, seed) else _ordinary
        mixed = (_drawn(t, seed, wide, floats, usual) for t in graph.input_types)
        inputs = tuple(all_distributed(mixed, seed, distribution))
        try:
            for each in (graph, *variants):
                with np.errstate(all="ignore"):
                    evaluate(each, inputs, observers=[_refuse_traps])
            return inputs
        except EvaluationError as error:
            problem = error
    assert problem is not None
    raise problem


def _refuse_traps(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
    if not divides(entry(node)) or operands[0].dtype.kind != "i":
        return
    least = np.iinfo(operands[0].dtype).min
    if np.any((operands[0] == least) & (operands[1] == -1)):
        raise EvaluationError(f"node {node}: {least} divided by -1")


def _drawn(t: TensorType, rng: np.random.Generator, wide: float, floats: bool, usual: Draw) -> np.ndarray:
    if t.dtype in dtypes.NARROW_FLOATS:
        return _any_bits(t, rng) if floats else normal(t, rng)
    if dtypes.is_float(t.dtype):
        return _edges(t, rng, usual) if floats else normal(t, rng)
    return _wide(t, rng) if dtypes.is_int(t.dtype) and rng.random() < wide else normal(t, rng)


def _wide(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Return integers from the whole type. Some, none or all are at its ends, at other types' ends, or next to zero."""
    low, high = dtypes.exact_integers(t.dtype)
    dtype = dtypes.to_numpy(dtypes.computed_in(t.dtype))
    anywhere = rng.integers(low, high, t.shape, dtype=dtype, endpoint=True)
    further = dtypes.boundary_integers(t.dtype) if rng.random() < _FURTHER else ()
    ends = np.array([low, low + 1, 0, 1, high - 1, high, *further], dtype)
    chosen = np.where(rng.random(t.shape) < rng.choice([0.0, 0.3, 1.0]), rng.choice(ends, t.shape), anywhere)
    return chosen.astype(dtypes.to_numpy(t.dtype), copy=False)


def _any_bits(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """Return any numbers of an 8-bit type, including denormal numbers, both zeros, infinities and NaN."""
    return rng.integers(0, 256, t.shape, dtype=np.uint8).view(dtypes.to_numpy(t.dtype))


def _ordinary(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(rng.standard_normal(t.shape) * 2)


def _edges(t: TensorType, rng: np.random.Generator, usual: Draw) -> np.ndarray:
    """Return numbers from ``usual``, mixed with or replaced by one to three kinds of special numbers.

    Half of the time no number is at an end of the type. At the ends, the order of computation decides what overflows,
    so a program's uncompiled run is no reference there.
    """
    largest, least = dtypes.largest_finite(t.dtype), dtypes.smallest_normal(t.dtype)
    kinds = (
        (0.0, -0.0),
        (0.5, -0.5, 1.5, -2.5, 3.5),
        (1.0, -1.0, 2.0, 16.0),
        (np.inf,),
        (-np.inf,),
        (np.nan,),
        (largest, -largest, largest / 2),
        (least, -least, least / 2, -least / 4),
    )
    usable = len(kinds) - rng.choice([0, _ENDS])
    chosen = [kinds[i] for i in rng.choice(usable, rng.choice([1, 1, 2, 3]), replace=False)]
    others = rng.choice([value for kind in chosen for value in kind], t.shape)
    array = np.where(rng.random(t.shape) < rng.choice([0.1, 0.3, 0.7, 1.0]), others, usual(t, rng))
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))
