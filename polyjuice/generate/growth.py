"""A graph that grows, one operator at a time: what all strategies share.

Whatever a strategy chooses, an operator is only ever put on values that its entry takes, with operands and attributes
that the entry sampled for them (``Op.sample``): there is nothing to reject, and nothing to undo.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyjuice.generate.memory import Memory
from polyjuice.ir import Attrs, Graph, TensorType, complexes, dtypes, read
from polyjuice.ops import TABLE, Accepts, GraphBuilder, Op, Operand, complete_attrs, infer, without_complex
from polyjuice.ops.sampling import MAX_RANK, FewSizes, restricted_values, size

#: No value has more elements: the compiler is under test, not the memory.
MAX_ELEMENTS = 20_000

_DTYPES = {
    "float32": 10, "float64": 3, "float16": 2, "bfloat16": 2, "int64": 3, "int32": 3, "int8": 2, "int16": 1,
    "uint8": 2, "uint16": 0.4, "uint32": 0.4, "uint64": 0.4, "bool": 1,
}  # fmt: skip
"""Relative frequencies of the element types of new inputs."""


@dataclass(frozen=True)
class Application:
    """A way to apply an operator: the operands behind the first, all operands' types, attributes, result types."""

    op: Op
    operands: tuple[Operand, ...]
    types: tuple[TensorType, ...]
    attrs: Attrs
    results: tuple[TensorType, ...]


@dataclass(frozen=True)
class InputTypes:
    """What new inputs can be: of which element types and ranks, and with dimensions of which sizes (any, if none).

    What an operator or a block of operators needs besides, as a condition, indices or weights, may be of other types.
    """

    dtypes: Sequence[str] = dtypes.ALL
    ranks: Sequence[int] = range(MAX_RANK + 1)
    sizes: Sequence[int] = ()

    def dtypes_of(self, wanted: Sequence[str]) -> Sequence[str]:
        """Those of some element types that inputs can have; all, if there is none."""
        return [dtype for dtype in wanted if dtype in self.dtypes] or wanted

    def ranks_of(self, wanted: Sequence[int]) -> Sequence[int]:
        """Those of some ranks that inputs can have; all, if there is none."""
        return [rank for rank in wanted if rank in self.ranks] or wanted


ANY_INPUTS = InputTypes()

_SHOWN = 0.1
"""How often a value that operators read is an output as well."""

_IN_ORDER = 64
"""The most elements of a constant whose elements are 0, 1, 2 ..."""


def random_source(seed: str, inputs: InputTypes) -> FewSizes:
    """A source of choices, of these sizes alone if they are given."""
    rng = FewSizes(seed)
    if inputs.sizes:
        rng.sizes, rng.share = inputs.sizes, 1.0
    return rng


class Growth:
    """A graph so far: its values, and the ways to extend it."""

    ranks: Sequence[int] = (1, 3, 6, 6, 5, 2)
    """How often new inputs have each rank."""

    def __init__(
        self,
        rng: random.Random,
        accepts: Accepts | None,
        operators: Sequence[Op] | None = None,
        memory: Memory | None = None,
        inputs: InputTypes = ANY_INPUTS,
    ) -> None:
        """``operators``: those to choose from (all of the table); ``memory``: of the suite (the graph alone).

        Only complex programs have operators of complex numbers, which are to be named for that.
        """
        self.rng = rng
        self.inputs = inputs
        self._dtypes: dict[str, float] = {dtype: weight for dtype, weight in _DTYPES.items() if dtype in inputs.dtypes}
        self._ranks = [weight * (rank in inputs.ranks) for rank, weight in enumerate(self.ranks)]
        self.memory = memory or Memory()
        self.operators = without_complex(TABLE.values() if operators is None else operators)
        self._of_complex = [op for op in operators or () if op.of_complex]
        self._names = {op.qualified for op in (*self.operators, *self._of_complex)}
        self.values: list[str] = []
        """All values but constants, in the order in which they came."""
        self.computed: list[str] = []
        self.producers: dict[str, str] = {}
        """The operator of each computed value, by its qualified name."""
        self._accepts = accepts
        self._builder = GraphBuilder()
        self._used: set[str] = set()

    def __len__(self) -> int:
        return len(self._builder)

    def type(self, name: str) -> TensorType:
        return self._builder.types[name]

    def graph(self, nodes: int) -> Graph:
        """A graph of ``nodes`` operators: how a strategy makes it."""
        raise NotImplementedError

    def grow(self, nodes: int, extend: Callable[[], bool], misses: int) -> bool:
        """Add operators until there are ``nodes``; False where ``extend`` failed ``misses`` times in a row."""
        missed = 0
        while len(self) < nodes and missed < misses:
            missed = 0 if extend() else missed + 1
        return len(self) >= nodes

    def draw(self, op: Op, first: TensorType) -> Application | None:
        """A random way to apply an operator to a first operand; None where that does not suit it."""
        sample = op.sample(self.rng, first) if op.accepts(0, first.dtype) else None
        if sample is None:
            return None
        types = (first, *(operand.type for operand in sample.operands))
        attrs = complete_attrs(op, sample.attrs, first.dtype)
        results = self.results(op, types, attrs)
        return Application(op, sample.operands, types, attrs, results) if results else None

    def results(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
        """The result types of an operator; none where it takes no such operands, or they are not allowed here."""
        try:
            results = infer(op, types, attrs)
        except (ValueError, IndexError):  # TypeMismatch, ShapeMismatch, an axis that is not there
            return ()
        return results if self.allows(op, types, results) else ()

    def allows(self, op: Op, types: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether no value is too large, and an operator may be put here on operands of these types."""
        if op.qualified not in self._names or any(
            t.size > MAX_ELEMENTS or t.rank > MAX_RANK for t in (*results, *types)
        ):
            return False
        return not self._accepts or self._accepts(op, types, results)

    def results_on(self, application: Application, operands: Sequence[str]) -> tuple[TensorType, ...]:
        """The result types of an application to values, whose types may be others than were drawn for it."""
        types = tuple(self.type(name) for name in operands)
        if types == application.types:
            return application.results
        return self.results(application.op, types, application.attrs)

    def takes(self, application: Application, types: Sequence[TensorType], place: int, t: TensorType) -> bool:
        """Whether an operator takes an operand of this type in the place of another, beside operands of these types."""
        others = [*types[:place], t, *types[place + 1 :]]
        return t == types[place] or bool(self.results(application.op, others, application.attrs))

    def apply(self, op: Op, operands: Sequence[str], attrs: Attrs) -> tuple[str, ...]:
        """Apply an operator to values; its results, none where it does not take them, or is not allowed to."""
        types = [self.type(name) for name in operands]
        if any(not op.accepts(place, t.dtype) for place, t in enumerate(types)):
            return ()
        attrs = complete_attrs(op, attrs, types[0].dtype)
        results = self.results(op, types, attrs)
        return self.add(op, operands, attrs, results) if results else ()

    def add(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> tuple[str, ...]:
        """Apply an operator to values that it takes, with results of these types; the results."""
        names = self._builder.apply(op.name, op.domain, operands, attrs, results)
        self._used.update(operands)
        self.values.extend(names)
        self.computed.extend(names)
        self.producers.update(dict.fromkeys(names, op.qualified))
        return names

    def withdraw(self, names: Collection[str]) -> None:
        """Let no further operator, nor an output, read values: those that did are their only readers."""
        self.values = [name for name in self.values if name not in names]
        self.computed = [name for name in self.computed if name not in names]

    def is_read(self, name: str) -> bool:
        return name in self._used

    def input(self, t: TensorType) -> str:
        name = self._builder.input(t)
        self.values.append(name)
        return name

    def constant(self, t: TensorType) -> str:
        """A new constant: one value throughout, small integers, or (now and then) normal values or a pattern."""
        return self.add_constant(self._array(t))

    def fresh(self, t: TensorType, constant: float) -> str:
        """A new constant, with this probability, or a new input."""
        return self.constant(t) if self.rng.random() < constant else self.input(t)

    def add_constant(self, array: np.ndarray) -> str:
        return self._builder.constant(array)

    def restricted(self, operand: Operand) -> str:
        """A new constant for an operand that takes some values only."""
        return self.add_constant(restricted_values(self._generator(), operand))

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        """A type for a new input, of an element type and a rank if they are given."""
        dtype = dtype or self.rng.choices(list(self._dtypes), list(self._dtypes.values()))[0]
        while True:
            axes = self.rng.choices(range(MAX_RANK + 1), self._ranks)[0] if rank < 0 else rank
            t = TensorType(dtype, self._random_shape(axes))
            if t.size <= MAX_ELEMENTS // 4:
                return t

    def build(self) -> Graph:
        """The graph, of which what nobody reads is an output, and some of the rest too."""
        unused = [name for name in self.computed if name not in self._used]
        others = [name for name in self.computed if name in self._used and self.rng.random() < self._shown(name)]
        return without_unused_inputs(self._builder.graph(unused + others))

    def _shown(self, name: str) -> float:
        """How often a value that operators read is an output as well."""
        return _SHOWN

    def _random_shape(self, rank: int) -> tuple[int, ...]:
        """Sizes that are now and then alike: a compiler may tell dimensions apart by their sizes."""
        shape: list[int] = []
        for _ in range(rank):
            shape.append(size(self.rng, shape))
        return tuple(shape)

    def _array(self, t: TensorType) -> np.ndarray:
        if dtypes.is_complex(t.dtype):
            part = TensorType(dtypes.part_of(t.dtype), t.shape)
            return complexes.joined(self._array(part), self._array(part))
        chance = self.rng.random()
        if chance < 0.35:
            return np.full(t.shape, self.rng.choice((0, 1, 1, 2, 3))).astype(dtypes.to_numpy(t.dtype))
        if chance < 0.5 and dtypes.is_float(t.dtype):
            return np.asarray(self._generator().standard_normal(t.shape)).astype(dtypes.to_numpy(t.dtype))
        if chance < 0.62 and (pattern := _pattern(self.rng, t)) is not None:
            return pattern.astype(dtypes.to_numpy(t.dtype))
        low, high = 0 if t.dtype in (*dtypes.UNSIGNED, "bool") else -2, 1 if t.dtype == "bool" else 3
        return np.asarray(self._generator().integers(low, high + 1, t.shape)).astype(dtypes.to_numpy(t.dtype))

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.rng.getrandbits(32))


def _pattern(rng: random.Random, t: TensorType) -> np.ndarray | None:
    """Values that programs make by themselves: numbers in order, an identity matrix, a triangle."""
    if t.rank == 2 and (t.dtype == "bool" or rng.random() < 0.6):
        rows, columns = t.shape
        return np.eye(rows, columns) if rng.random() < 0.5 else np.tri(rows, columns)
    if t.rank == 0 or t.dtype == "bool" or t.size > _IN_ORDER:
        return None
    return np.arange(t.size).reshape(t.shape)


def without_unused_inputs(graph: Graph) -> Graph:
    """The graph without the inputs that nothing reads."""
    used = read(graph)
    inputs = tuple(name for name in graph.inputs if name in used)
    types = {name: t for name, t in graph.types.items() if name in used or name not in graph.inputs}
    return replace(graph, inputs=inputs, types=types)
