"""Random typed instances of a rule's left side: graphs on which the rule may fire."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyjuice.egraph import conditions
from polyjuice.egraph.language import Constructor, constructors
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.sexpr import Expr
from polyjuice.egraph.terms import LeftSide, is_term, left_side
from polyjuice.ir import Graph, GraphError, TensorType, complexes, dtypes
from polyjuice.ops import GraphBuilder, Operand, Sample, primitives
from polyjuice.ops.sampling import MAX_RANK, permutation, restricted_values, shape_of_size

#: Intervals that inputs may be declared to lie in, for rules that use value bounds; None: no declaration.
RANGES: tuple[tuple[float, float] | None, ...] = (
    (-6.0, 6.0), (0.0, 6.0), (0.5, 6.0), (1.0, 6.0), (-6.0, -0.5), (-0.9, 0.9), (0.1, 0.9), (-2.0, 1.0),
)  # fmt: skip

_LARGEST_SIZE = 600

_SIZES, _SMALL_SIZES = ((2, 3, 4), (1, 2, 3, 5), (2, 4, 8), (1, 1, 7)), ((1, 2),)
"""The sizes of dimensions that occur together."""

#: How often dimensions may have the size 0, too.
_EMPTY = 0.2

_SHARED = 0.08
"""How often two variables of one type are the same input."""

POSITIONS = frozenset(
    ["axis", "axes", "perm", "dim", "dims", "dim0", "dim1", "split", "shape", "starts", "ends", "start", "end", "steps"]
)
"""Attributes that may have to agree with those of another operator. The draw sometimes guesses them. The operator's
entry proposes all others."""

_SAMPLES = 8


class NoInstance(Exception):
    """This draw gave no instance."""


@dataclass(frozen=True)
class Instance:
    """A graph that a rule's left side probably matches, and the declared intervals of its inputs.

    Inputs are named as the rule's variables. ``operands`` are the inputs with restricted values. Only egglog can tell
    whether the rule matches.
    """

    graph: Graph
    ranges: Mapping[str, tuple[float, float]]
    operands: Mapping[str, Operand]


def draw(rule: Rule, rng: random.Random, dtype: str, small: bool = False) -> Instance:
    """An instance with the element type ``dtype`` wherever possible; ``small`` ones have few elements.

    Raises NoInstance.
    """
    drawing = _RuleDrawing(rule, rng, dtype, small)
    try:
        return drawing.instance()
    except IMPOSSIBLE:
        raise NoInstance from None


IMPOSSIBLE = (GraphError, LookupError, ValueError, ArithmeticError, TypeError, RecursionError, conditions.Unknown)
"""The errors of a draw whose choices do not fit together."""


class Drawing:
    """Draws a typed graph for terms and the conditions on their variables, from the root down.

    Every choice that the conditions leave open is random: types of variables, attributes, and numbers.
    """

    def __init__(self, side: LeftSide, rng: random.Random, dtype: str, choices: Sequence[Sequence[int]]) -> None:
        """``dtype`` is the element type wherever possible. One of the ``choices`` has the sizes of dimensions."""
        self._side = side
        self._rng = rng
        others = [t for t in dtypes.EVERY if t != dtype]
        self._dtypes = [dtype, *rng.sample(others, len(others))]
        self._sizes = rng.choice(choices)
        self._ranks = _ranks(self._side.facts)
        self._builder = GraphBuilder()
        self._known: dict[str, Any] = {}
        self._under_way: set[str] = set()
        self._made: dict[str, tuple[str, ...]] = {}

    def _check_facts(self) -> None:
        """Raise NoInstance if a condition is known not to hold."""
        if any(conditions.refuted(fact, self._known, self._builder.types) for fact in self._side.facts):
            raise NoInstance

    def _any_type(self) -> TensorType:
        rng = self._rng
        wanted = [rank for rank in self._ranks.values() if rank <= MAX_RANK]
        rank = rng.choice(wanted) if wanted and rng.random() < 0.8 else rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))
        shape = [rng.choice(self._sizes) for _ in range(rank)]
        if rng.random() < 0.3:
            shape = shape[:1] * rank
        return TensorType(self._dtypes[0], tuple(shape))

    # --- tensors ---

    def _tensor(self, expr: Expr, hint: TensorType, accepted: Sequence[str]) -> str:
        if isinstance(expr, str):
            if expr not in self._known:
                terms = [e for e in self._side.equations.get(expr, []) if is_term(e)]
                if terms:
                    if expr in self._under_way:
                        raise NoInstance  # the term would contain itself
                    self._under_way.add(expr)
                    made = self._tensor(terms[0], hint, accepted)
                    self._known.setdefault(expr, made)
                else:
                    self._known[expr] = self._leaf(expr, self._leaf_type(expr, hint, accepted))
            return str(self._known[expr])
        if expr[0] == "Splat":
            return self._splat(expr, hint, accepted)
        return self._application(constructors()[str(expr[0])], expr[1:], hint, accepted)

    def _leaf_type(self, variable: str, hint: TensorType, accepted: Sequence[str]) -> TensorType:
        wanted = self._dtype(variable) or hint.dtype
        dtype = next(t for t in (wanted, *self._dtypes) if t in accepted)
        return TensorType(dtype, self._shape(variable, hint.shape))

    def _leaf(self, variable: str, t: TensorType) -> str:
        name = self._builder.input(t, variable)
        if dtypes.is_float(t.dtype) and ["Integral", variable] in self._side.facts:
            return self._builder.op(primitives.ROUND, name)
        return name

    def _shape(self, variable: str, shape: tuple[int, ...]) -> tuple[int, ...]:
        rng = self._rng
        for fact in self._side.facts:
            if isinstance(fact, list) and fact[0] == "=" and ["shape", variable] in fact[1:]:
                for other in fact[1:]:
                    try:
                        return tuple(conditions.value(other, self._known, self._builder.types))
                    except (conditions.Unknown, KeyError, TypeError):
                        continue
        rank = self._ranks.get(variable, len(shape))
        return (*shape, *(rng.choice(self._sizes) for _ in range(rank - len(shape))))[:rank]

    def _dtype(self, variable: str) -> str:
        for fact in self._side.facts:
            match fact:
                case ["Bool", name] if name == variable:
                    return "bool"
                case ["=", *parts] if ["dtype", variable] in parts:
                    for part in parts:
                        with suppress(conditions.Unknown, KeyError, TypeError):
                            if part != ["dtype", variable]:
                                return str(conditions.value(part, self._known, self._builder.types))
        return ""

    def _splat(self, expr: Sequence[Expr], hint: TensorType, accepted: Sequence[str]) -> str:
        dtype = next(t for t in (hint.dtype, *self._dtypes) if t in accepted)
        number = self._part(expr[1], lambda: self._rng.choice((0.0, 1.0, 2.0, 3.0, 0.5, 4.0, -1.0)))
        shape = self._part(expr[2], lambda: hint.shape)
        dtype = self._part(expr[3], lambda: dtype)
        array = np.full(shape, number).astype(dtypes.to_numpy(dtype))
        if float(array.flat[0] if array.size else 0) != number and dtypes.is_int(dtype):
            raise NoInstance
        return self._builder.constant(array)

    def _part(self, expr: Expr, guess: Any) -> Any:
        """A number, vector or text of a term: the rule's own, else a guess, the same wherever the variable occurs."""
        for candidate in (expr, *(self._side.equations.get(expr, []) if isinstance(expr, str) else [])):
            try:
                found = conditions.value(candidate, self._known, self._builder.types)
            except conditions.Unknown:
                continue
            break
        else:
            if not isinstance(expr, str):
                found = self._vector(expr, guess)
            else:
                found = guess()
        if isinstance(expr, str):
            self._known.setdefault(expr, found)
        return found

    def _vector(self, expr: Sequence[Expr], guess: Any) -> Any:
        """A vector for a pattern such as (vec-of a b): its variables take the guessed elements."""
        if expr[0] != "vec-of":
            raise NoInstance
        guessed = tuple(guess())
        if len(guessed) != len(expr) - 1:
            guessed = tuple(self._rng.choice((0, 1, 2, *guessed)) for _ in expr[1:])
        return tuple(self._part(part, lambda g=g: g) for part, g in zip(expr[1:], guessed, strict=True))

    # --- applications ---

    def _application(self, c: Constructor, parts: Sequence[Expr], hint: TensorType, accepted: Sequence[str]) -> str:
        """A term of an operator, whose result has one of the accepted types if an operand's type decides that."""
        op = c.op
        if op.qualified == primitives.CONCAT and hint.rank and self._rng.random() < 0.8:
            return self._concatenation(c, parts, hint)
        first = ""
        operands: list[str] = []
        sample: Sample | None = None
        if c.operands:
            first = self._tensor(parts[0], hint, op.every_type(op.variable(0)))
            operands = [first]
            sample = self._sample(c, parts, self._builder.types[first])
        for i in range(1, c.operands):
            operands.append(self._operand(c, i, parts[i], self._builder.types[first], sample, accepted))
        proposed = dict(sample.attrs) if sample else {}
        binds = sample is not None and any(operand.values for operand in sample.operands)
        attrs: dict[str, Any] = {}
        for attr, part in zip(op.attrs, parts[c.operands :], strict=False):
            attrs[attr.name] = self._part(
                part, lambda attr=attr: self._attribute(attr.name, attr.kind, proposed, hint, binds)
            )
        results = self._apply(c, operands, attrs)
        index = self._part(parts[-1], lambda: self._rng.randrange(len(results))) if c.multi_output else 0
        return results[index]

    def _apply(self, c: Constructor, operands: Sequence[str], attrs: Mapping[str, Any]) -> tuple[str, ...]:
        key = repr((c.op.qualified, operands, attrs))
        if key not in self._made:
            self._made[key] = self._builder.multi(c.op.name, *operands, domain=c.op.domain, **attrs)
        return self._made[key]

    def _concatenation(self, c: Constructor, parts: Sequence[Expr], hint: TensorType) -> str:
        """A Concat of parts whose result has about the hinted shape, so that the term around it fits."""
        axis = self._part(parts[c.operands], lambda: self._rng.randrange(hint.rank))
        size = max(hint.shape[axis], c.operands)
        cuts = sorted(self._rng.sample(range(1, size), c.operands - 1))
        operands = []
        for part, start, end in zip(parts, [0, *cuts], [*cuts, size], strict=False):
            shape = (*hint.shape[:axis], end - start, *hint.shape[axis + 1 :])
            operands.append(self._tensor(part, TensorType(hint.dtype, shape), dtypes.EVERY))
        return self._apply(c, operands, {"axis": axis})[0]

    def _sample(self, c: Constructor, parts: Sequence[Expr], first: TensorType) -> Sample | None:
        """The operator entry's proposal for a first operand, in accord with the known attributes."""
        found = None
        fixed = self._fixed(c, parts)
        for _ in range(_SAMPLES):
            found = c.op.sample(self._rng, first) or found
            if found and agrees(found, fixed):
                break
        return found

    def _fixed(self, c: Constructor, parts: Sequence[Expr]) -> dict[str, Any]:
        """The attributes of a term whose values are known."""
        fixed: dict[str, Any] = {}
        for attr, part in zip(c.op.attrs, parts[c.operands :], strict=False):
            with suppress(conditions.Unknown, IndexError, KeyError, TypeError):
                fixed[attr.name] = conditions.value(part, self._known, self._builder.types)
        return fixed

    def _operand(
        self, c: Constructor, i: int, part: Expr, first: TensorType, sample: Sample | None, accepted: Sequence[str]
    ) -> str:
        op = c.op
        proposed = sample.operands[i - 1] if sample and i <= len(sample.operands) else None
        same = op.variable(i) == op.variable(0)
        if proposed and not (op.elementwise and self._rng.random() < 0.8):
            hint = proposed.type
        elif same:
            hint = first
        else:
            hint = TensorType(proposed.type.dtype if proposed else self._dtypes[0], first.shape)
        if same and isinstance(part, str) and not op.elementwise and proposed is None:
            hint = self._near(hint)
        fresh = isinstance(part, str) and part not in self._known
        types = op.every_type(op.variable(i))
        if op.variable(i) == op.results[0]:
            types = tuple(t for t in types if t in accepted) or types
        name = self._tensor(part, hint, (first.dtype,) if same else types)
        if fresh and proposed and proposed.values and name in self._builder.types:
            self._restrict(name, Operand(self._builder.types[name], proposed.values, proposed.distinct_along))
        return name

    def _restrict(self, name: str, operand: Operand) -> None:
        """Record that an input takes only some values."""

    def _near(self, t: TensorType) -> TensorType:
        shape = list(t.shape)
        if shape and self._rng.random() < 0.4:
            shape[self._rng.randrange(len(shape))] = self._rng.choice((1, 2, 3))
        return TensorType(t.dtype, tuple(shape))

    def _attribute(self, name: str, kind: str, proposed: Mapping[str, Any], hint: TensorType, binds: bool) -> Any:
        """The value of an attribute: the proposed one if it ``binds``, because values of operands depend on it."""
        rng = self._rng
        rank = len(hint.shape)
        if name in proposed and (binds or name not in POSITIONS or rng.random() < 0.8):
            chosen = proposed[name]
            if chosen is None:
                raise NoInstance
            if name == "axis" and chosen < 0:
                chosen += rank
            if name == "axes":
                chosen = tuple(a + rank if a < 0 else a for a in chosen)
            return chosen
        axis = rng.randrange(rank) if rank else 0
        if kind == "int":
            return rng.choice((0, 1, axis))
        if kind == "ints":
            size = hint.shape[axis] if rank else 1
            cut = rng.randint(0, size)
            places = (0,), (1,), (size,), (axis,), (size, size), (cut, size - cut), hint.shape
            guessed = rng.choice((*places, permutation(rng, rank), shape_of_size(rng, hint.size)))
            return tuple(dict.fromkeys(guessed)) if name in ("axes", "dims") else guessed
        if kind == "floats":
            return ()
        return rng.choice(self._dtypes[:4]) if kind == "dtype" else rng.choice((0.5, 1.0, 2.0, 0.0))


def agrees(sample: Sample, attrs: Mapping[str, Any]) -> bool:
    """Whether a proposal has these attributes, as far as it has them at all."""
    return all(sample.attrs.get(name, value) == value for name, value in attrs.items())


class _RuleDrawing(Drawing):
    """Draws an instance of a rule, with declared intervals of its inputs."""

    def __init__(self, rule: Rule, rng: random.Random, dtype: str, small: bool) -> None:
        super().__init__(left_side(rule), rng, dtype, _SMALL_SIZES if small else _SIZES)
        if rng.random() < _EMPTY:
            self._sizes = (0, *self._sizes)
        self._bounded = rule.needs_bounds
        self._mood = rng.choice(RANGES) if self._bounded or rng.random() < 0.3 else None
        self._operands: dict[str, Operand] = {}
        self._declared: dict[str, tuple[float, float]] = {}

    def instance(self) -> Instance:
        """The instance. Raises NoInstance and IMPOSSIBLE."""
        root = self._tensor(self._side.term, self._any_type(), dtypes.EVERY)
        self._check_facts()
        for facts in self._side.equations.values():
            for fact in facts:
                if is_term(fact):  # a term that the rule needs beside its first one
                    self._tensor(fact, self._builder.types[root], dtypes.EVERY)
        graph = self._builder.build([root])
        if any(t.size > _LARGEST_SIZE for t in graph.types.values()):
            raise NoInstance
        return Instance(graph, self._declared, self._operands)

    def _leaf(self, variable: str, t: TensorType) -> str:
        alike = [name for name in self._builder.types if self._builder.types[name] == t and name in self._declared]
        if alike and self._rng.random() < _SHARED:
            return self._rng.choice(alike)
        name = super()._leaf(variable, t)
        self._declare(variable, t)
        return name

    def _declare(self, name: str, t: TensorType) -> None:
        range_ = self._mood
        if self._bounded and self._rng.random() < 0.5:
            range_ = self._rng.choice(RANGES)
        if range_ is None:
            return
        low, high = range_
        if not dtypes.is_float(t.dtype):
            least, greatest = dtypes.exact_integers(t.dtype)
            low, high = max(float(math.ceil(low)), least), min(float(math.floor(high)), greatest)
            if low > high:
                low, high = 0.0, 1.0
        self._declared[name] = (low, high)

    def _restrict(self, name: str, operand: Operand) -> None:
        assert operand.values
        self._operands[name] = operand
        self._declared[name] = (float(operand.values[0]), float(operand.values[1]))


def _ranks(facts: Sequence[Expr]) -> dict[str, int]:
    found = {}
    for fact in facts:
        if isinstance(fact, list) and fact[0] == "=":
            numbers = [int(part) for part in fact[1:] if isinstance(part, str) and part.isdigit()]
            for part in fact[1:]:
                match part:
                    case ["vec-length", ["shape", str() as variable]] if numbers:
                        found[variable] = numbers[0]
    return found


def values(instance: Instance, generator: np.random.Generator, extreme: bool, whole: bool) -> list[np.ndarray]:
    """Arrays for an instance's inputs, within their intervals.

    They are ``whole`` numbers of small magnitude, or floating values of moderate size. With ``extreme``, inputs without
    an interval take any value of their type.
    """
    arrays = []
    for name, t in zip(instance.graph.inputs, instance.graph.input_types, strict=True):
        if name in instance.operands:
            array = restricted_values(generator, instance.operands[name])
        elif name in instance.ranges or not extreme:
            array = _within(instance.ranges.get(name, (-6.0, 6.0)), t, generator, whole)
        else:
            array = _anything(t, generator)
        arrays.append(np.asarray(array).astype(dtypes.to_numpy(t.dtype)))
    return arrays


def _within(range_: tuple[float, float], t: TensorType, rng: np.random.Generator, whole: bool) -> np.ndarray:
    if dtypes.is_complex(t.dtype):
        part = TensorType(dtypes.part_of(t.dtype), t.shape)
        return complexes.joined(_within(range_, part, rng, whole), _within(range_, part, rng, whole))
    low, high = range_
    if not dtypes.is_float(t.dtype):
        least, greatest = dtypes.exact_integers(t.dtype)
        return np.asarray(
            rng.integers(max(math.ceil(low), least), min(math.floor(high), greatest), t.shape, endpoint=True)
        )
    if whole and math.ceil(low) <= math.floor(high):
        return np.asarray(rng.integers(math.ceil(low), math.floor(high), t.shape, endpoint=True))
    array = np.asarray(rng.uniform(low, high, t.shape))
    ends = rng.random(t.shape) < 0.1
    return np.where(ends, rng.choice([low, high], t.shape), array)


def _anything(t: TensorType, rng: np.random.Generator) -> np.ndarray:
    """The whole range of a type, with its ends and special values; moderate complex numbers."""
    if dtypes.is_complex(t.dtype):
        return _within((-6.0, 6.0), t, rng, False)
    if t.dtype == "bool":
        return np.asarray(rng.integers(0, 2, t.shape))
    if dtypes.is_int(t.dtype):
        low, high = dtypes.exact_integers(t.dtype)
        array = np.asarray(rng.integers(low, high, t.shape, "uint64" if low == 0 else "int64", endpoint=True))
        return np.where(rng.random(t.shape) < 0.3, rng.choice([low, high], t.shape), array)
    largest, smallest = dtypes.largest_finite(t.dtype), dtypes.smallest_normal(t.dtype)
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, largest, -largest, smallest / 4, 1.0, -1.0]
    array = np.asarray(rng.normal(0, 2, t.shape)) * rng.choice([1.0, 1.0, 1e3, 1e-3], t.shape)
    return np.where(rng.random(t.shape) < 0.2, rng.choice(special, t.shape), array)
