"""The growth of a graph, one operator at a time, which all strategies share.

An operator is only added on values that its entry takes, with operands and attributes that the entry sampled for them
(``Op.sample``). So no strategy has to reject or undo anything.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyjuice.generate.instances import OperatorUse, drawn, inferred
from polyjuice.generate.suite_record import Memory
from polyjuice.ir import Attrs, Graph, TensorType, complexes, dtypes, prune, without_unused_inputs
from polyjuice.ops import TABLE, Accepts, GraphBuilder, Op, Operand, complete_attrs, without_complex
from polyjuice.ops.sampling import MAX_RANK, FewSizes, generator, restricted_values, size

#: The most elements of a value: the compiler is under test, not the memory.
MAX_ELEMENTS = 20_000

_DTYPES = {
    "float32": 10, "float64": 3, "float16": 2, "bfloat16": 2, "int64": 3, "int32": 3, "int8": 2, "int16": 1,
    "uint8": 2, "uint16": 0.4, "uint32": 0.4, "uint64": 0.4, "bool": 1,
}  # fmt: skip
"""Relative frequencies of the element types of new inputs."""


@dataclass(frozen=True)
class InputTypes:
    """The element types, ranks and sizes that new inputs can have (no ``sizes``: any).

    An operator or block may need further inputs of other types, such as a condition, indices or weights.
    """

    dtypes: Sequence[str] = dtypes.ALL
    ranks: Sequence[int] = range(MAX_RANK + 1)
    sizes: Sequence[int] = ()

    def dtypes_of(self, wanted: Sequence[str]) -> Sequence[str]:
        """Return the element types among ``wanted`` that inputs can have; all of ``wanted`` if there is none."""
        return [dtype for dtype in wanted if dtype in self.dtypes] or wanted

    def allows(self, t: TensorType) -> bool:
        """Return whether an input can have a type."""
        return t.dtype in self.dtypes and t.rank in self.ranks and (not self.sizes or {*t.shape} <= {*self.sizes})

    def ranks_of(self, wanted: Sequence[int]) -> Sequence[int]:
        """Return the ranks among ``wanted`` that inputs can have; all of ``wanted`` if there is none."""
        return [rank for rank in wanted if rank in self.ranks] or wanted


ANY_INPUTS = InputTypes()

_SHOWN = 0.1
"""How often a value that operators read is also an output."""

_SIZES = 0, 1, 2, 3, 5, 8
"""The sizes with which an application to a value of unknown size must be well typed. It is drawn for one of them."""

_IN_ORDER = 64
"""The most elements of a constant whose elements are 0, 1, 2 ..."""


def random_source(seed: str, inputs: InputTypes) -> FewSizes:
    """Return a source of random choices, limited to the sizes of ``inputs`` if it names any."""
    rng = FewSizes(seed)
    if inputs.sizes:
        rng.sizes, rng.share = inputs.sizes, 1.0
    return rng


class Growth:
    """An unfinished graph: its values, and the ways to extend it."""

    ranks: Sequence[int] = (1, 3, 6, 6, 5, 2)
    """The weight of each rank of new inputs."""

    def __init__(
        self,
        rng: random.Random,
        accepts: Accepts | None,
        operators: Sequence[Op] | None = None,
        memory: Memory | None = None,
        inputs: InputTypes = ANY_INPUTS,
    ) -> None:
        """``operators``: those to choose from (default: the table). ``memory``: the suite's (default: a new one).

        Only complex programs use operators of complex numbers, and only if the caller names them.
        """
        self.rng = rng
        self.inputs = inputs
        self._dtypes: dict[str, float] = {dtype: weight for dtype, weight in _DTYPES.items() if dtype in inputs.dtypes}
        self._ranks = [weight * (rank in inputs.ranks) for rank, weight in enumerate(self.ranks)]
        self.memory = memory or Memory()
        self.operators = without_complex(TABLE.values() if operators is None else operators)
        self._of_complex = [op for op in operators or () if op.of_complex]
        self.names = {op.qualified for op in (*self.operators, *self._of_complex)}
        self.values: list[str] = []
        """All values except constants, in the order in which they were added."""
        self.computed: list[str] = []
        self.producers: dict[str, str] = {}
        """The operator of each computed value, by its qualified name."""
        self._accepts = accepts
        self._builder = GraphBuilder()
        self._used: set[str] = set()
        self.open: list[str] = []
        """The results with unknown sizes. No strategy reads them but those that ask for them."""

    def __len__(self) -> int:
        return len(self._builder)

    def type(self, name: str) -> TensorType:
        """Return the type of a value."""
        return self._builder.types[name]

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators. Each strategy implements this."""
        raise NotImplementedError

    def grow(self, nodes: int, extend: Callable[[], bool], misses: int) -> bool:
        """Add operators until there are ``nodes``; return False if ``extend`` failed ``misses`` times in a row."""
        missed = 0
        while len(self) < nodes and missed < misses:
            missed = 0 if extend() else missed + 1
        return len(self) >= nodes

    def draw(self, op: Op, first: TensorType) -> OperatorUse | None:
        """Return a random way to apply an operator to a first operand; None if the operand does not suit it.

        The operand may have an unknown size. Then nothing else may depend on it: no other operand, no drawn value.
        """
        known = first if first.known else first.with_size(self.rng.choice(_SIZES[2:]))
        use = drawn(op, self.rng, known) if op.accepts(0, first.dtype) else None
        if use and not first.known:
            use = None if any(operand.values for operand in use.operands) else _of_any_size(use, first)
        return use if use and self.allows(op, use.types, use.results) else None

    def results(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
        """Return the result types of an operator; empty if it does not take such operands, or is not allowed here."""
        results = inferred(op, types, attrs)
        return results if results and self.allows(op, types, results) else ()

    def allows(self, op: Op, types: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Return whether an operator may be used on operands of these types, and no value is too large."""
        if op.qualified not in self.names or any(
            t.size > MAX_ELEMENTS or t.rank > MAX_RANK for t in (*results, *types)
        ):
            return False
        return not self._accepts or self._accepts(op, types, results)

    def results_on(self, application: OperatorUse, operands: Sequence[str]) -> tuple[TensorType, ...]:
        """Return the result types of an application to values. Their types may differ from the drawn types."""
        types = tuple(self.type(name) for name in operands)
        if types == application.types:
            return application.results
        return self.results(application.op, types, application.attrs)

    def takes(self, application: OperatorUse, types: Sequence[TensorType], place: int, t: TensorType) -> bool:
        """Return whether an application still works if the operand at ``place`` has type ``t``, others ``types``.

        It does not if a later operand has values that were drawn for another type, such as indices in range.
        """
        if t == types[place]:
            return True
        drawn = any(operand.values for operand in application.operands[place:])
        others = [*types[:place], t, *types[place + 1 :]]
        return not drawn and bool(self.results(application.op, others, application.attrs))

    def apply(self, op: Op, operands: Sequence[str], attrs: Attrs) -> tuple[str, ...]:
        """Apply an operator to values and return its results; empty if it does not take them or is not allowed."""
        types = [self.type(name) for name in operands]
        if any(not op.accepts(place, t.dtype) for place, t in enumerate(types)):
            return ()
        attrs = complete_attrs(op, attrs, types[0].dtype)
        results = self.results(op, types, attrs)
        return self.add(op, operands, attrs, results) if results else ()

    def add(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> tuple[str, ...]:
        """Apply an operator to values that it takes, with results of these types; return the results."""
        names = self._builder.apply(op.name, op.domain, operands, attrs, results)
        self._used.update(operands)
        self.open += [name for name, t in zip(names, results, strict=True) if not t.known]
        self.values.extend(name for name in names if name not in self.open)
        self.computed.extend(name for name in names if name not in self.open)
        self.producers.update(dict.fromkeys(names, op.qualified))
        return names

    def withdraw(self, names: Collection[str]) -> None:
        """Hide values from further operators and from the outputs. Operators that already read them still do."""
        self.values = [name for name in self.values if name not in names]
        self.computed = [name for name in self.computed if name not in names]
        self.open = [name for name in self.open if name not in names]

    def is_read(self, name: str) -> bool:
        """Return whether an operator reads a value."""
        return name in self._used

    def input(self, t: TensorType) -> str:
        """Add an input and return its name."""
        name = self._builder.input(t)
        self.values.append(name)
        return name

    def constant(self, t: TensorType) -> str:
        """Add a constant: one value throughout, small integers, or sometimes normal random values or a pattern."""
        return self.add_constant(self._array(t))

    def fresh(self, t: TensorType, constant: float) -> str:
        """Add a constant with the probability ``constant``, else an input."""
        return self.constant(t) if self.rng.random() < constant else self.input(t)

    def add_constant(self, array: np.ndarray) -> str:
        """Add a constant and return its name."""
        return self._builder.constant(array)

    def further(self, operand: Operand, constant: float) -> str:
        """Add a value for an operand behind the first: a constant if it takes only some values, else see `fresh`."""
        return self.restricted(operand) if operand.values else self.fresh(operand.type, constant)

    def restricted(self, operand: Operand) -> str:
        """Add a constant for an operand that takes only some values."""
        return self.add_constant(restricted_values(self._generator(), operand))

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        """Return a type for a new input, with the given element type and rank, or random ones."""
        dtype = dtype or self.rng.choices(list(self._dtypes), list(self._dtypes.values()))[0]
        while True:
            axes = self.rng.choices(range(MAX_RANK + 1), self._ranks)[0] if rank < 0 else rank
            t = TensorType(dtype, self._random_shape(axes))
            if t.size <= MAX_ELEMENTS // 4:
                return t

    def build(self) -> Graph:
        """Return the graph. Its outputs are the values that nothing reads, and some of the others."""
        made = [*self.computed, *self.open]
        unused = [name for name in made if name not in self._used]
        others = [name for name in made if name in self._used and self.rng.random() < self._shown(name)]
        return without_unused_inputs(prune(self._builder.graph(unused + others)))

    def _shown(self, name: str) -> float:
        return _SHOWN

    def _random_shape(self, rank: int) -> tuple[int, ...]:
        """Return random sizes, some of them equal, because a compiler may distinguish dimensions by their sizes."""
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
        return generator(self.rng)


def _of_any_size(use: OperatorUse, first: TensorType) -> OperatorUse | None:
    """Return the application with a first operand of unknown size; None if it does not work with every size."""
    others = use.types[1:]
    if not all(inferred(use.op, (first.with_size(size), *others), use.attrs) for size in _SIZES):
        return None
    results = inferred(use.op, (first, *others), use.attrs)
    return replace(use, types=(first, *others), results=results) if results else None


def _pattern(rng: random.Random, t: TensorType) -> np.ndarray | None:
    """Return values that programs often construct: numbers in order, an identity matrix or a triangle."""
    if t.rank == 2 and (t.dtype == "bool" or rng.random() < 0.6):
        rows, columns = t.shape
        return np.eye(rows, columns) if rng.random() < 0.5 else np.tri(rows, columns)
    if t.rank == 0 or t.dtype == "bool" or t.size > _IN_ORDER:
        return None
    return np.arange(t.size).reshape(t.shape)
