"""NNSmith: graphs that grow forward and backward over symbolic shapes. A solver finds the sizes.

Paper 001, section 3.2. A graph begins with a placeholder. A forward insertion adds an operator as a consumer of
existing values. A backward insertion replaces a placeholder by an operator on new placeholders (algorithm 1). Values
whose element type or rank cannot match are skipped; for the others the solver decides whether the shapes can be equal.
At the end, attribute binning (algorithm 2, :mod:`polyjuice.generate.published.binning`) chooses sizes, and placeholders
become inputs and weights.

An operator's requirements and result shape stand only in its entry of the operator table. ``Op.sample`` and
``Op.shape`` run on symbolic integers (:mod:`polyjuice.generate.published.constraints`). Element types, ranks and the
way operands broadcast are concrete. Whether a dimension is 1 is concrete too, because broadcasting depends on it. All
other sizes are symbolic, and so are numbers that an entry draws between symbolic bounds: pads, ends of slices, lengths
of parts, positions along an axis.

Most operators are symbolic throughout. Where an entry computes something that is not linear, the size keeps its current
value:

- products of sizes (Reshape, Flatten, Einsum, kron, Col2Im) and numbers of elements (take, variances over several axes,
  normalizations);
- divisors (groups of channels), numbers of results (unbind) and comparisons of diagonals.

The operands of If and Loop are entirely concrete, because their attributes are graphs.

The original broadcasts within one rank and has few element types, and its forward insertion needs existing operands.
Here a further operand without a fitting value becomes a new placeholder.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyjuice.generate.growth import MAX_ELEMENTS, Growth
from polyjuice.generate.instances import drawn, inferred
from polyjuice.generate.published import binning
from polyjuice.generate.published.constraints import Symbolic, System, is_symbolic
from polyjuice.generate.published.smt import Solver, load_z3
from polyjuice.ir import Attrs, Graph, TensorType
from polyjuice.ops import Accepts, Op, Operand
from polyjuice.ops.sampling import MAX_RANK, OwnSizes, size
from polyjuice.ops.spec import PROMOTED

BACKWARD = 0.5
"""How often backward insertion is tried first (section 5.1)."""

_SAME_SHAPE = 0.5
"""How often a backward insertion tries an operand with the rank and the sizes of the result."""

_CONSTANT = 0.3
"""How often a placeholder becomes a weight (a constant) rather than an input."""

_TRIES = 8
"""How many values are tried for an operator."""

_MISSES = 250
"""How many operators in a row may find no place before one is put apart. After as many again, the graph ends."""

_TYPES = 4
"""How many placeholders, and operands for each, are tried for one backward insertion."""


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    operators: Sequence[Op] | None = None,
    *,
    binned: bool = True,
) -> Graph:
    """Return a graph of this strategy (see :func:`polyjuice.generate.generate`). Raises SolverMissing.

    Unless ``binned``, the solver's own values are the sizes, for comparison (the strategy "nnsmith-unbinned").
    """
    return NNSmith(random.Random(f"nnsmith {seed}"), accepts, operators, binned=binned).graph(nodes)


@dataclass(frozen=True, kw_only=True)
class _Application:
    """A way to apply an operator to existing values, by their numbers, and to operands that do not exist yet."""

    op: Op
    operands: tuple[int | Operand, ...]
    types: tuple[TensorType, ...]
    attrs: Attrs
    results: tuple[TensorType, ...]


@dataclass(frozen=True, kw_only=True)
class _Inserted:
    """An operator of the graph. Values are numbers, and attributes are symbolic."""

    op: Op
    operands: tuple[int, ...]
    attrs: Attrs
    results: tuple[int, ...]


class NNSmith:
    """A graph of symbolic shapes. At any time, its current sizes make it a valid and accepted graph."""

    def __init__(
        self,
        rng: random.Random,
        accepts: Accepts | None,
        operators: Sequence[Op] | None = None,
        *,
        binned: bool = True,
    ) -> None:
        self._binned = binned
        self.system = System(Solver(load_z3(), rng.getrandbits(31)))
        self._rng = rng
        self._choices = _SymbolicChoices(rng.getrandbits(64), self.system)
        self._growth = Growth(rng, accepts, operators)
        self._types: list[TensorType] = []
        """The types of all values, which are numbered."""
        self._placeholders: list[int] = []
        self._restricted: dict[int, Operand] = {}
        """Values that must be constants, because the operator takes only some numbers."""
        self._inserted: list[_Inserted] = []
        """The operators, in topological order."""

    def graph(self, nodes: int) -> Graph:
        """Return the graph with ``nodes`` operators, or fewer if no further one fits."""
        operators = self._growth.operators
        misses = 0
        while len(self._inserted) < nodes and misses < 2 * _MISSES:
            ways = [self.insert_backward, self.insert_forward]
            if not self._inserted or misses >= _MISSES:
                ways = [self.insert_apart]
            elif self._rng.random() >= BACKWARD:
                ways.reverse()
            op = self._rng.choice(operators)
            misses = 0 if any(insert(op) for insert in ways) else misses + 1
        return self.settled()

    def settled(self) -> Graph:
        """Return the current graph, with sizes from random bins or from the solver."""
        shapes = [t.shape for t in self._types if t.known]
        binning.assign(self.system, shapes, MAX_ELEMENTS, self._are_allowed, self._rng, binned=self._binned)
        names: dict[int, str] = {}
        for node in self._inserted:
            for value in node.operands:
                if value not in names:
                    names[value] = self._filled(value)
            attrs = {name: concrete(value) for name, value in node.attrs.items()}
            results = self._growth.apply(node.op, [names[value] for value in node.operands], attrs)
            names.update(zip(node.results, results, strict=True))
        return self._growth.build()

    # --- insertion ---------------------------------------------------------------------------------------------------

    def insert_apart(self, op: Op) -> bool:
        """Put an operator on a new placeholder: the first operator, or one after too many found no place."""
        dtypes = op.types[op.variable(0)]
        for _ in range(_TRIES):
            mark = self.system.mark()
            t = self._some_type()
            application = self._drawn(op, t if t.dtype in dtypes else replace(t, dtype=self._rng.choice(dtypes)))
            if application and self._is_allowed(application):
                self._inserted.append(self._made(application))
                return True
            self.system.rollback(mark)
        return False

    def insert_forward(self, op: Op) -> bool:
        """Put an operator on existing values; return False if it takes none of the tried first operands."""
        for first in self._some(op.types[op.variable(0)]):
            mark = self.system.mark()
            application = self._drawn(op, self._types[first])
            if application:
                application = replace(application, operands=(first, *application.operands[1:]))
                for place in range(1, len(application.operands)):
                    application = self._connected(application, place)
                if self._is_allowed(application):
                    self._inserted.append(self._made(application))
                    return True
            self.system.rollback(mark)
        return False

    def insert_backward(self, op: Op) -> bool:
        """Replace a placeholder by an operator on new placeholders; return False if its result fits none of a few."""
        fitting = [p for p in self._placeholders if _may_result(op, self._types[p].dtype)]
        for _ in range(_TYPES if fitting else 0):
            replaced = self._rng.choice(fitting)
            t = self._types[replaced]
            mark = self.system.mark()
            application = self._drawn(op, self._operand_for(op, t))
            alike = [i for i, r in enumerate(application.results) if r.dtype == t.dtype] if application else []
            if application and alike and self._equated(application.results[alike[0]], t, application):
                self._placeholders.remove(replaced)
                self._inserted.insert(0, self._made(application, {alike[0]: replaced}))
                return True
            self.system.rollback(mark)
        return False

    def _connected(self, application: _Application, place: int) -> _Application:
        """A value suits as it is, or if it can get the shape that was drawn for the operand."""
        wanted = application.operands[place]
        # Values of later operands were drawn for the types before them.
        drawn = any(isinstance(operand, Operand) and operand.values for operand in application.operands[place:])
        if not isinstance(wanted, Operand) or drawn:
            return application
        for value in self._some((wanted.type.dtype,)):
            t = self._types[value]
            operands = (*application.operands[:place], value, *application.operands[place + 1 :])
            types = (*application.types[:place], t, *application.types[place + 1 :])
            mark = self.system.mark()
            for as_it_is in (True, False):
                if as_it_is or self._equated(t, wanted.type, application):
                    results = inferred(application.op, types, application.attrs)
                    changed = replace(application, operands=operands, types=types, results=results)
                    if results and self._is_allowed(changed):
                        return changed
                self.system.rollback(mark)
        return application

    def _drawn(self, op: Op, first: TensorType) -> _Application | None:
        choices: random.Random = self._choices
        if any(attr.kind == "graph" for attr in op.attrs):
            first, choices = replace(first, shape=tuple(map(int, first.shape))), self._rng
        use = drawn(op, choices, first)
        if use is None:
            return None
        operands = (Operand(first), *use.operands)
        return _Application(op=op, operands=operands, types=use.types, attrs=use.attrs, results=use.results)

    def _operand_for(self, op: Op, result: TensorType) -> TensorType:
        """Return a type for an operator's first operand, with the element type and often the rank of the result."""
        dtypes = op.types[op.variable(0)]
        dtype = result.dtype if result.dtype in dtypes else self._rng.choice(dtypes)
        if self._rng.random() < _SAME_SHAPE:
            return self._symbolic(TensorType(dtype, concrete(result.shape)))
        return self._some_type(dtype, self._rng.randint(0, MAX_RANK))

    def _some_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        return self._symbolic(self._growth.random_type(dtype, rank))

    def _symbolic(self, t: TensorType) -> TensorType:
        return replace(t, shape=tuple(self._choices.dimension(d) for d in t.shape))

    def _some(self, dtypes: Sequence[str]) -> list[int]:
        values = [v for v, t in enumerate(self._types) if t.dtype in dtypes and v not in self._restricted and t.known]
        return self._rng.sample(values, min(len(values), _TRIES))

    def _equated(self, x: TensorType, y: TensorType, application: _Application) -> bool:
        """Give two types the same shape; return False if that contradicts a constraint or makes the graph invalid."""
        if x.rank != y.rank or not all(map(self.system.equate, x.shape, y.shape)) or not self.system.settle():
            return False
        return self._is_allowed(application) and self._are_allowed()

    def _is_allowed(self, a: _Application) -> bool:
        return self._growth.allows(a.op, [concrete(t) for t in a.types], [concrete(t) for t in a.results])

    def _are_allowed(self) -> bool:
        types = [concrete(t) for t in self._types]
        return all(
            self._growth.allows(node.op, [types[v] for v in node.operands], [types[v] for v in node.results])
            for node in self._inserted
        )

    # --- values ------------------------------------------------------------------------------------------------------

    def _made(self, a: _Application, replaced: dict[int, int] | None = None) -> _Inserted:
        """Create the operands and results of an application. ``replaced`` maps a result to the value it replaces."""
        there = replaced or {}
        operands = tuple(self._operand(o) if isinstance(o, Operand) else o for o in a.operands)
        results = tuple(there[i] if i in there else self._value(t) for i, t in enumerate(a.results))
        return _Inserted(op=a.op, operands=operands, attrs=a.attrs, results=results)

    def _operand(self, operand: Operand) -> int:
        value = self._value(operand.type)
        if operand.values:
            self._restricted[value] = operand
        else:
            self._placeholders.append(value)
        return value

    def _value(self, t: TensorType) -> int:
        self._types.append(t)
        return len(self._types) - 1

    def _filled(self, value: int) -> str:
        """Add a placeholder's input or constant, or a restricted operand's constant. The first becomes an input."""
        t = concrete(self._types[value])
        if value in self._restricted:
            operand = self._restricted[value]
            return self._growth.restricted(replace(operand, type=t, values=concrete(operand.values)))
        return self._growth.fresh(t, _CONSTANT) if self._growth.values else self._growth.input(t)


class _SymbolicChoices(OwnSizes):
    """Random choices for samplers. Sizes are symbolic, and so are numbers drawn between symbolic bounds."""

    def __init__(self, seed: int, system: System) -> None:
        super().__init__(seed)
        self._system = system

    def dimension(self, value: int) -> int:
        """Return a symbolic size that has this value now and is never 1; the size 1 stays concrete."""
        return value if value == 1 else self._system.unknown(2, MAX_ELEMENTS, value)

    def size(self, others: Sequence[int]) -> int:
        drawn = size(random.Random(self.getrandbits(32)), others)
        return drawn if is_symbolic(drawn) else self.dimension(drawn)

    def randint(self, a: int, b: int) -> int:
        if is_symbolic(a) or is_symbolic(b):
            return self._system.unknown(a, b, super().randint(concrete(a), concrete(b)))
        return super().randint(a, b)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        if is_symbolic(start) and stop is None:
            return self.randint(0, start - 1)
        return super().randrange(start, stop, step)


def concrete(x: Any) -> Any:
    """Return types, shapes and attributes with the current values of all symbolic integers."""
    match x:
        case Symbolic():
            return x.system.value(x.terms, x.constant)
        case TensorType():
            return TensorType(x.dtype, concrete(x.shape))
        case tuple():
            return tuple(map(concrete, x))
    return x


def _may_result(op: Op, dtype: str) -> bool:
    if op.promotes:
        return op.results[0] in (PROMOTED, dtype)
    return any(result == dtype or result.startswith("@") or dtype in op.types.get(result, ()) for result in op.results)
