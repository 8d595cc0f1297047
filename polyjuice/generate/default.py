"""The default strategy: valid, diverse graphs grown forward, one operator at a time, without backtracking.

Each step draws an operator by its weight and a value that it takes as first operand, asks the operator's entry for the
further operands and the attributes (``Op.sample``), and takes existing values where they fit, else new inputs or
constants. The idea of choosing operands first and attributes within their constraints is Isra's (paper 000, section
III); here graphs have inputs, all element types, and broadcasting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.generate.motifs import MOTIFS
from polyjuice.ir import Attrs, Graph, TensorType, dtypes
from polyjuice.ops import TABLE, Accepts, GraphBuilder, Op, Operand, ShapeMismatch, TypeMismatch, complete_attrs, infer
from polyjuice.ops.sampling import MAX_RANK, SIZES, FewSizes, restricted_values, size

STRATEGIES = ("default",)

#: No value has more elements: the compiler is under test, not the memory.
MAX_ELEMENTS = 20_000

_DTYPES = {
    "float32": 10, "float64": 3, "float16": 2, "bfloat16": 2, "int64": 3, "int32": 3, "int8": 2, "int16": 1,
    "uint8": 2, "bool": 1,
}  # fmt: skip
"""Relative frequencies of the element types of new inputs."""

_REUSED, _CONSTANT, _SPREAD = 0.6, 0.45, 0.65
"""How often an operand is a value that there is, if one fits; and how often a new one is a constant rather than an
input, and how often one that is broadcast is."""

_PARTNERED, _FUSED, _AGAIN = 0.25, 0.35, 0.1
"""How often an operator is chosen as a partner of one before it: by the rules, by what compilers look for, and as the
same operator once more, for two in a row are often merged."""

_LED = _PARTNERED + _FUSED + _AGAIN

_EXCHANGED = 0.4
"""How often two operands of one type are taken the other way round."""

_BROADCAST = 0.4
"""How often a value that broadcasts is preferred to one of the operand's type, where there is one."""

_FEW = 0.5
"""How often most dimensions of a graph have one of two or three sizes."""

_WIDE = 0.8
"""How often an operator is put on values of more than one element alone."""

_RENEWED = 0.05
"""How often a new input comes in before an operator, whatever values there are."""

_ATTEMPTS = 50

_OPS = {op.qualified: op for op in TABLE.values()}

_FURTHER_INPUTS = 10
"""How many inputs may be added where no operator takes the values that there are."""


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
) -> Graph:
    """A graph of ``nodes`` operators (fewer only where no operator fits any more), from these arguments alone.

    Only applications that ``accepts`` allows occur. ``partners`` are operators that are often to follow one, both by
    their qualified names: those that rewrite rules look for next to each other.
    """
    return _Growth(FewSizes(f"generate {seed}"), accepts, partners or {}).graph(nodes)


def _broadcasts(t: TensorType, dtype: str, shape: tuple[int, ...]) -> bool:
    """Whether a value of an element type takes a shape by broadcasting, and not as it is."""
    if t.dtype != dtype or t.shape == shape or t.rank > len(shape):
        return False
    return all(size in (1, wanted) for size, wanted in zip(reversed(t.shape), reversed(shape), strict=False))


def _without_unused_inputs(graph: Graph) -> Graph:
    used = {name for node in graph.nodes for name in node.inputs}.union(graph.outputs)
    inputs = tuple(name for name in graph.inputs if name in used)
    types = {name: t for name, t in graph.types.items() if name in used or name not in graph.inputs}
    return replace(graph, inputs=inputs, types=types)


class _Growth:
    """A graph that grows."""

    def __init__(self, rng: FewSizes, accepts: Accepts | None, partners: Mapping[str, Sequence[str]]) -> None:
        self._rng = rng
        if rng.random() < _FEW:
            rng.sizes = rng.sample(SIZES, rng.choice((2, 2, 3)))
        self._accepts = accepts
        self._partners = partners
        self._producers: dict[str, str] = {}
        self._builder = GraphBuilder()
        self._values: list[str] = []
        self._used: set[str] = set()
        self._computed: list[str] = []
        self._ops = list(TABLE.values())
        self._weights = [op.weight for op in self._ops]

    def graph(self, nodes: int) -> Graph:
        for _ in range(self._rng.randint(1, 3)):
            self._values.append(self._builder.input(self._random_type()))
        further = _FURTHER_INPUTS
        while len(self._builder) < nodes:
            if self._rng.random() < _RENEWED:
                self._values.append(self._builder.input(self._random_type()))
            if any(self._grow() for _ in range(_ATTEMPTS)):
                continue
            if not further:
                break
            further -= 1
            self._values.append(self._builder.input(self._random_type()))
        unused = [name for name in self._computed if name not in self._used]
        others = [name for name in self._computed if name in self._used and self._rng.random() < 0.1]
        return _without_unused_inputs(self._builder.build(unused + others))

    def _random_type(self) -> TensorType:
        dtype = self._rng.choices(list(_DTYPES), list(_DTYPES.values()))[0]
        while True:
            rank = self._rng.choices(range(MAX_RANK + 1), (1, 3, 6, 6, 5, 2))[0]
            t = TensorType(dtype, self._random_shape(rank))
            if t.size <= MAX_ELEMENTS // 4:
                return t

    def _random_shape(self, rank: int) -> tuple[int, ...]:
        """Sizes that are now and then alike: a compiler may tell dimensions apart by their sizes."""
        shape: list[int] = []
        for _ in range(rank):
            shape.append(size(self._rng, shape))
        return tuple(shape)

    def _grow(self) -> bool:
        """Try to add one operator; False where this try did not fit."""
        op, first = self._next()
        if not op.accepts(0, self._type(first).dtype):
            return False
        sample = op.sample(self._rng, self._type(first))
        if sample is None:
            return False
        operand_types = [self._type(first), *(operand.type for operand in sample.operands)]
        try:
            attrs = complete_attrs(op, sample.attrs)
            results = infer(op, operand_types, attrs)
        except (ShapeMismatch, TypeMismatch):
            return False
        if any(t.size > MAX_ELEMENTS or t.rank > MAX_RANK for t in (*results, *operand_types)):
            return False
        if self._accepts and not self._accepts(op, operand_types, results):
            return False
        operands = [first, *(self._operand(op, o, operand_types[0], results) for o in sample.operands)]
        alike = op.elementwise and len(operands) == 2 and not any(o.values for o in sample.operands)
        if alike and self._rng.random() < _EXCHANGED and self._gives(op, operands[::-1], attrs, results):
            operands.reverse()
        self._add(op, operands, attrs)
        return True

    def _gives(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> bool:
        """Whether an operator may be applied to values, with results of such types."""
        try:
            return infer(op, [self._type(name) for name in operands], attrs) == tuple(results)
        except (ShapeMismatch, TypeMismatch):
            return False

    def _next(self) -> tuple[Op, str]:
        """An operator and its first operand: often a partner of the operator that made it."""
        rng = self._rng
        chance = rng.random()
        recent = self._wide(self._computed[-6:])
        if recent and chance < _AGAIN:
            first = rng.choice(recent)
            return _OPS[self._producers[first]], first
        partners = self._partners if chance < _AGAIN + _PARTNERED else MOTIFS if chance < _LED else {}
        made = [v for v in recent if self._producers[v] in partners]
        if made:
            first = rng.choice(made)
            return _OPS[rng.choice(partners[self._producers[first]])], first
        op = rng.choices(self._ops, self._weights)[0]
        fitting = self._wide([v for v in self._values if op.accepts(0, self._type(v).dtype)] or self._values)
        # Recent values first, so that graphs are deep as well as wide.
        return op, rng.choice(fitting[-4:] if rng.random() < 0.6 else fitting)

    def _wide(self, values: list[str]) -> list[str]:
        """Mostly those of more than one element: others keep compilers busy, but hide what they confuse."""
        wide = [v for v in values if self._type(v).size > 1]
        return wide if wide and self._rng.random() < _WIDE else values

    def _type(self, name: str) -> TensorType:
        return self._builder.types[name]

    def _operand(self, op: Op, operand: Operand, first: TensorType, results: Sequence[TensorType]) -> str:
        """An existing value of the type, or one that broadcasts as well, or a new input or constant."""
        if operand.values:
            generator = np.random.default_rng(self._rng.getrandbits(32))
            return self._builder.constant(restricted_values(generator, operand))
        fits = [v for v in self._values if self._type(v) == operand.type]
        if op.elementwise and results[0].shape == first.shape and self._rng.random() < _BROADCAST:
            fits = [v for v in self._values if _broadcasts(self._type(v), operand.type.dtype, first.shape)] or fits
        if fits and self._rng.random() < _REUSED:
            return self._rng.choice(fits)
        if self._rng.random() < (_SPREAD if op.elementwise and operand.type.rank < first.rank else _CONSTANT):
            return self._builder.constant(self._array(operand.type))
        name = self._builder.input(operand.type)
        self._values.append(name)
        return name

    def _add(self, op: Op, operands: Sequence[str], attrs: object) -> None:
        assert isinstance(attrs, dict)
        names = self._builder.multi(op.name, *operands, domain=op.domain, **attrs)
        self._used.update(operands)
        self._values.extend(names)
        self._computed.extend(names)
        self._producers.update(dict.fromkeys(names, op.qualified))

    def _array(self, t: TensorType) -> np.ndarray:
        """A constant: one value throughout, small integers, or (now and then) normal floating values."""
        chance = self._rng.random()
        if chance < 0.35:
            return np.full(t.shape, self._rng.choice((0, 1, 1, 2, 3))).astype(dtypes.to_numpy(t.dtype))
        if chance < 0.5 and dtypes.is_float(t.dtype):
            generator = np.random.default_rng(self._rng.getrandbits(32))
            return np.asarray(generator.standard_normal(t.shape)).astype(dtypes.to_numpy(t.dtype))
        return self._integers(t, 0 if t.dtype in ("uint8", "bool") else -2, 1 if t.dtype == "bool" else 3)

    def _integers(self, t: TensorType, low: int, high: int) -> np.ndarray:
        generator = np.random.default_rng(self._rng.getrandbits(32))
        return np.asarray(generator.integers(low, high + 1, t.shape)).astype(dtypes.to_numpy(t.dtype))
