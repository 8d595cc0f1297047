"""Random typed applications of one operator, and values for them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import Op, Operand, ShapeMismatch, TypeMismatch, complete_attrs, infer
from polyjuice.ops.sampling import restricted_values
from tests.support.graphs import apply

MAX_ELEMENTS = 2_000


def random_type(rng: random.Random, dtype: str) -> TensorType:
    """A type of rank 0 to 5 with few elements."""
    return TensorType(dtype, tuple(rng.choice((1, 2, 3, 4, 5, 7)) for _ in range(rng.randint(0, 5))))


def application(op: Op, rng: random.Random, dtype: str | None = None) -> tuple[list[Operand], dict[str, object]]:
    """Operands and complete attributes of a well-typed application of an operator, drawn through its ``sample``."""
    for _ in range(5_000):
        first = random_type(rng, dtype or rng.choice(op.types[op.variable(0)]))
        sample = op.sample(rng, first)
        if sample is None:
            continue
        operands = [Operand(first), *sample.operands]
        try:
            attrs = complete_attrs(op, sample.attrs, first.dtype)
            results = infer(op, [operand.type for operand in operands], attrs)
        except (ShapeMismatch, TypeMismatch):
            continue
        if all(t.size <= MAX_ELEMENTS for t in (*results, *(operand.type for operand in operands))):
            return operands, dict(attrs)
    raise AssertionError(f"{op.name} samples no application")


def one_node(op: Op, operands: Sequence[Operand], attrs: dict[str, object]) -> Graph:
    return apply(op.qualified, *(operand.type for operand in operands), **attrs)


def with_values(op: Op, dtype: str, seed: int) -> tuple[Graph, list[np.ndarray]]:
    """The graph of a random application, and its inputs."""
    operands, attrs = application(op, random.Random(f"{op.qualified} {dtype} {seed}"), dtype)
    values = np.random.default_rng(seed)
    return one_node(op, operands, attrs), [random_array(values, operand) for operand in operands]


def random_array(values: np.random.Generator, operand: Operand, low: int = -6, high: int = 6) -> np.ndarray:
    """Normal floats, or integers in ``low`` to ``high`` for other types. The operand's own range wins."""
    t = operand.type
    if operand.values is None and (dtypes.is_float(t.dtype) or t.dtype in dtypes.NARROW_FLOATS):
        return np.asarray(values.normal(0, 2, t.shape)).astype(dtypes.to_numpy(t.dtype))
    return integers(values, operand, low, high)


def integers(values: np.random.Generator, operand: Operand, low: int = -6, high: int = 6) -> np.ndarray:
    t = operand.type
    if operand.values is not None:
        return restricted_values(values, operand)
    low, high = (0, 1) if t.dtype == "bool" else (low if dtypes.is_signed(t.dtype) else max(low, 0), high)
    return np.asarray(values.integers(low, high, t.shape, endpoint=True)).astype(dtypes.to_numpy(t.dtype))
