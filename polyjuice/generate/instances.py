"""Single applications of an operator, of given element types and rank."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import GraphBuilder, Op, ShapeMismatch, TypeMismatch, complete_attrs, infer
from polyjuice.ops.sampling import restricted_values

_SIZES = (1, 2, 3, 4, 5, 8)
_MAX_ELEMENTS = 2_000
_DRAWS = 200
_RANKS = (2, 3, 4, 1, 5, 0)


@dataclass(frozen=True)
class Signature:
    """An operator in certain element types (those of its operands and first result, each once) at a rank."""

    op: Op
    dtypes: tuple[str, ...]
    rank: int

    @classmethod
    def of(cls, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> Signature:
        found = dict.fromkeys(t.dtype for t in (*operands, results[0]))
        return cls(op, tuple(found), operands[0].rank if operands else results[0].rank)

    def __str__(self) -> str:
        return f"{self.op.qualified} {' '.join(self.dtypes)} rank {self.rank}"


def some_signature(op: Op, dtype: str) -> Signature | None:
    """A signature of the operator on a first operand of an element type, at a rank that it takes."""
    rng = random.Random(f"{op.qualified} {dtype}")
    for rank in _RANKS:
        for _ in range(_DRAWS // 10):
            first = TensorType(dtype, tuple(rng.choice(_SIZES) for _ in range(rank)))
            sample = op.sample(rng, first)
            if sample is None:
                continue
            types = [first, *(operand.type for operand in sample.operands)]
            try:
                return Signature.of(op, types, infer(op, types, complete_attrs(op, sample.attrs, dtype)))
            except (ShapeMismatch, TypeMismatch):
                continue
    return None


def instance(signature: Signature, rng: random.Random) -> Graph | None:
    """A graph of one application; None where no draw met the signature. Restricted operands are constants."""
    op = signature.op
    for _ in range(_DRAWS):
        first = TensorType(signature.dtypes[0], tuple(rng.choice(_SIZES) for _ in range(signature.rank)))
        sample = op.sample(rng, first) if first.size <= _MAX_ELEMENTS else None
        if sample is None:
            continue
        types = [first, *(operand.type for operand in sample.operands)]
        try:
            results = infer(op, types, complete_attrs(op, sample.attrs, first.dtype))
        except (ShapeMismatch, TypeMismatch):
            continue
        small = all(t.size <= _MAX_ELEMENTS for t in (*types, *results))
        if small and Signature.of(op, types, results) == signature:
            break
    else:
        return None
    builder = GraphBuilder()
    names = [builder.input(first)]
    for operand in sample.operands:
        if operand.values:
            values = restricted_values(np.random.default_rng(rng.getrandbits(32)), operand)
            names.append(builder.constant(values.astype(dtypes.to_numpy(operand.type.dtype))))
        else:
            names.append(builder.input(operand.type))
    return builder.build(builder.multi(op.name, *names, domain=op.domain, **sample.attrs))
