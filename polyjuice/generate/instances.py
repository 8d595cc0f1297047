"""Random uses of an operator; and graphs of a single operator with some element types and a rank."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from polyjuice.ir import Attrs, Graph, TensorType
from polyjuice.ops import GraphBuilder, Op, Operand, complete_attrs, infer
from polyjuice.ops.sampling import generator, restricted_values

_SIZES = (1, 2, 3, 4, 5, 8)
_MAX_ELEMENTS = 2_000
_DRAWS = 200
_DRAWS_OF_RANK = 5
_RANKS = (2, 3, 4, 1, 5, 0)


@dataclass(frozen=True, kw_only=True)
class OperatorUse:
    """A way to apply an operator: the operands behind the first, all operands' types, attributes, result types."""

    op: Op
    operands: tuple[Operand, ...]
    types: tuple[TensorType, ...]
    attrs: Attrs
    results: tuple[TensorType, ...]


def drawn(op: Op, rng: random.Random, first: TensorType) -> OperatorUse | None:
    """Return a random way to apply an operator to a first operand; None if the operand does not suit it."""
    sample = op.sample(rng, first)
    if sample is None:
        return None
    types = (first, *(operand.type for operand in sample.operands))
    attrs = complete_attrs(op, sample.attrs, first.dtype)
    results = inferred(op, types, attrs)
    return OperatorUse(op=op, operands=sample.operands, types=types, attrs=attrs, results=results) if results else None


def inferred(op: Op, types: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
    """Return the result types of an operator; empty if it does not take such operands."""
    try:
        return infer(op, types, attrs)
    except (ValueError, IndexError):  # TypeMismatch, ShapeMismatch, an axis that does not exist
        return ()


@dataclass(frozen=True)
class Signature:
    """An operator, the element types of its operands and first result (each once), and a rank."""

    op: Op
    dtypes: tuple[str, ...]
    rank: int

    @classmethod
    def of(cls, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> Signature:
        """Return the signature of an operator on operands of these types, with these results."""
        found = dict.fromkeys(t.dtype for t in (*operands, results[0]))
        return cls(op, tuple(found), operands[0].rank if operands else results[0].rank)

    def __str__(self) -> str:
        return f"{self.op.qualified} {' '.join(self.dtypes)} rank {self.rank}"


def _draw(op: Op, dtype: str, rank: int, rng: random.Random) -> OperatorUse | None:
    return drawn(op, rng, TensorType(dtype, tuple(rng.choice(_SIZES) for _ in range(rank))))


def some_signature(op: Op, dtype: str) -> Signature | None:
    """Return a signature of the operator on a first operand of an element type, at a rank that it takes; or None."""
    rng = random.Random(f"{op.qualified} {dtype}")
    for rank in _RANKS:
        for _ in range(_DRAWS // 10):
            if use := _draw(op, dtype, rank, rng):
                return Signature.of(op, use.types, use.results)
    return None


def some_signatures(op: Op, dtype: str) -> dict[str, Signature]:
    """Return signatures of the operator on a first operand of an element type, at all ranks that it takes, by text."""
    rng = random.Random(f"{op.qualified} {dtype} {_RANKS}")
    uses = [_draw(op, dtype, rank, rng) for rank in _RANKS for _ in range(_DRAWS_OF_RANK)]
    found = [Signature.of(op, use.types, use.results) for use in uses if use]
    return {str(signature): signature for signature in found}


def instance(signature: Signature, rng: random.Random) -> Graph | None:
    """Return a graph of one application; None if no draw matched the signature. Restricted operands are constants."""
    op = signature.op
    for _ in range(_DRAWS):
        use = _draw(op, signature.dtypes[0], signature.rank, rng)
        if use is None or any(t.size > _MAX_ELEMENTS for t in (*use.types, *use.results)):
            continue
        if Signature.of(op, use.types, use.results) == signature:
            break
    else:
        return None
    builder = GraphBuilder()
    names = [builder.input(use.types[0])]
    for operand in use.operands:
        if operand.values:
            names.append(builder.constant(restricted_values(generator(rng), operand)))
        else:
            names.append(builder.input(operand.type))
    return builder.build(builder.apply(op.name, op.domain, names, use.attrs, use.results))
