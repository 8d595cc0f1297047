"""Blocks: random typed graphs of a target's pattern, on which the part of the compiler should act."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyjuice.egraph.conditions import KINDS
from polyjuice.egraph.language import Constructor
from polyjuice.egraph.pattern_instances import IMPOSSIBLE, POSITIONS, Drawing, NoInstance, agrees
from polyjuice.egraph.sexpr import Expr
from polyjuice.egraph.terms import LeftSide, equations, is_term
from polyjuice.ir import Graph, TensorType, complexes, dtypes, prune
from polyjuice.ops import Op, Operand, Sample
from polyjuice.ops.sampling import broadcastable, generator, restricted_values
from polyjuice.ops.spec import REQUIRED
from polyjuice.targets.files import ELEMENTS, Target, is_constant

_TYPES = {
    "float32": 12, "float64": 2, "float16": 2, "bfloat16": 1, "int64": 2, "int32": 2, "int8": 1, "uint8": 1, "bool": 1,
}  # fmt: skip
"""The weights of element types; most passes look for float32."""

_SIZES = ((2, 3, 4), (1, 2, 3, 5), (2, 4, 8), (1, 1, 7), (3, 8, 16), (4, 8, 16, 32), (3, 17, 33), (5, 64))
"""The sizes of dimensions that occur together in a graph."""

LARGEST = 8192
"""The most elements of a value."""

_PROPOSALS = 3
"""How many proposals of an operator's entry a draw chooses from."""

_TRIES = 120
"""How many draws may fail to fit together before the target counts as impossible."""

_NARROWER, _CONSTANT_NARROWER = 0.3, 0.7
"""How often an operand of an elementwise operator broadcasts: an input, and a constant."""

_OTHERS_SHOWN = 0.05
"""How often an inner value is an output, too."""


def block(target: Target, rng: random.Random, dtype: str = "", like: TensorType | None = None) -> Graph:
    """A random typed graph of a target's pattern, mostly of values of a type. Raises NoInstance if none fits together.

    ``dtype`` is the element type wherever the facts allow it, and the first values that the draw chooses have the shape
    of ``like``.
    """
    kinds = [KINDS[str(fact[0])] for fact in target.facts if fact[0] in KINDS]
    fitting = [t for t in dtypes.ALL if all(kind(t) for kind in kinds)] or [*_TYPES]
    types = {t: weight for t, weight in _TYPES.items() if t in fitting} or _TYPES
    wanted = dtype if not dtype or all(kind(dtype) for kind in kinds) else rng.choice(fitting)
    for _ in range(_TRIES):
        chosen = wanted or rng.choices(list(types), list(types.values()))[0]
        try:
            return _TargetDrawing(target, rng, chosen, like and TensorType(chosen, like.shape)).graph()
        except (NoInstance, *IMPOSSIBLE):
            continue
    raise NoInstance


class _TargetDrawing(Drawing):
    """Draws the results of a target one after the other. Equal terms in two results are separate operators."""

    def __init__(self, target: Target, rng: random.Random, dtype: str, like: TensorType | None) -> None:
        self._target, self._like = target, like
        facts = list(target.facts)
        side = LeftSide(target.results[0], equations(facts), tuple(facts))
        super().__init__(side, rng, dtype, _SIZES)

    def graph(self) -> Graph:
        """The graph. Raises NoInstance and IMPOSSIBLE."""
        outputs = []
        hint = self._any_type()
        for result in self._target.results:
            self._made.clear()
            outputs.append(self._tensor(result, hint, dtypes.EVERY))
        self._check_facts()
        inner = [name for node in self._builder.nodes for name in node.outputs if name not in outputs]
        outputs += [name for name in inner if self._rng.random() < _OTHERS_SHOWN]
        graph = prune(self._builder.build(outputs))
        if not graph.nodes or any(t.size > LARGEST for t in graph.types.values()):
            raise NoInstance
        return graph

    def _any_type(self) -> TensorType:
        t = self._like or super()._any_type()
        while t.size > LARGEST:
            t = TensorType(t.dtype, t.shape[1:])
        return t

    def _leaf(self, variable: str, t: TensorType) -> str:
        if t.size > LARGEST:
            raise NoInstance
        if (elements := self._elements(variable)) is not None:
            return self._builder.constant(elements)
        return self._builder.constant(values(self._rng, t)) if is_constant(variable) else super()._leaf(variable, t)

    def _elements(self, variable: str) -> np.ndarray | None:
        """The vector of integers that a condition says a constant is."""
        for fact in self._target.facts:
            if fact[0] == ELEMENTS and fact[1] == variable:
                return np.array([int(str(number)) for number in fact[2:]], np.int64)
        return None

    def _sample(self, c: Constructor, parts: Sequence[Expr], first: TensorType) -> Sample | None:
        """The proposal that restricts most operands. Raises NoInstance if it does so for other attributes."""
        proposals = [super(_TargetDrawing, self)._sample(c, parts, first) for _ in range(_PROPOSALS)]
        found = max(proposals, key=lambda one: sum(bool(operand.values) for operand in one.operands) if one else -1)
        fixed = {
            name: value + first.rank if name == "axis" and value < 0 else value
            for name, value in self._fixed(c, parts).items()
        }
        if found and not agrees(found, fixed):
            restricted = zip(found.operands, parts[1 : c.operands], strict=False)
            if any(one.values and isinstance(part, str) and self._is_free(part) for one, part in restricted):
                raise NoInstance
        return replace(found, attrs={**_defaults(c.op), **found.attrs}) if found else None

    def _restricted(self, variable: str, operand: Operand) -> str:
        dtype = self._dtype(variable) or operand.type.dtype
        found = Operand(TensorType(dtype, operand.type.shape), operand.values, operand.distinct_along)
        return self._builder.constant(restricted_values(generator(self._rng), found))

    def _splat(self, expr: Sequence[Expr], hint: TensorType, accepted: Sequence[str]) -> str:
        return super()._splat(expr, TensorType(hint.dtype, _of_constant(self._rng, hint.shape)), accepted)

    def _operand(
        self,
        c: Constructor,
        i: int,
        part: Expr,
        first: TensorType,
        sample: Sample | None,
        accepted: Sequence[str],
    ) -> str:
        proposed = sample.operands[i - 1] if sample and i <= len(sample.operands) else None
        if proposed and isinstance(part, str) and self._is_free(part):
            if proposed.values and self._elements(part) is None:
                self._known[part] = self._restricted(part, proposed)
            else:
                dtype = self._dtype(part) or proposed.type.dtype
                shape = proposed.type.shape
                self._known[part] = self._leaf(part, TensorType(dtype, self._shape(part, shape)))
            return str(self._known[part])
        return super()._operand(c, i, part, first, sample, accepted)

    def _application(self, c: Constructor, parts: Sequence[Expr], hint: TensorType, accepted: Sequence[str]) -> str:
        if c.op.elementwise and c.operands > 1:
            return self._elementwise(c, parts, hint, accepted)
        return super()._application(c, parts, hint, accepted)

    def _elementwise(self, c: Constructor, parts: Sequence[Expr], hint: TensorType, accepted: Sequence[str]) -> str:
        """Draw the operand with most of the pattern first: the others broadcast with it."""
        order = sorted(range(c.operands), key=lambda i: self._weight(parts[i]))
        drawn: dict[int, str] = {}
        shape = hint.shape
        known: dict[str, str] = {}
        for i in order:
            variable = c.op.variable(i)
            types = (known[variable],) if variable in known else c.op.every_type(variable)
            if variable == c.op.results[0]:
                types = tuple(t for t in types if t in accepted) or types
            wanted = shape
            narrower = _CONSTANT_NARROWER if is_constant(parts[i]) else _NARROWER
            if drawn and isinstance(parts[i], str) and self._rng.random() < narrower:
                wanted = broadcastable(self._rng, shape)
            dtype = next(t for t in (hint.dtype, *self._dtypes) if t in types)
            drawn[i] = self._tensor(parts[i], TensorType(dtype, wanted), types)
            t = self._builder.types[drawn[i]]
            known[variable] = t.dtype
            shape = t.shape if len(drawn) == 1 else shape
        sample = c.op.sample(self._rng, self._builder.types[drawn[0]]) if c.op.attrs else None
        proposed = {**_defaults(c.op), **(sample.attrs if sample else {})}
        attrs: Mapping[str, Any] = {
            attr.name: self._part(part, lambda attr=attr: self._attribute(attr.name, attr.kind, proposed, hint, False))
            for attr, part in zip(c.op.attrs, parts[c.operands :], strict=False)
        }
        return self._apply(c, [drawn[i] for i in range(c.operands)], attrs)[0]

    def _attribute(self, name: str, kind: str, proposed: Mapping[str, Any], hint: TensorType, binds: bool) -> Any:
        """Raises NoInstance where the operator's entry proposes no value, which only it knows."""
        if name not in proposed and name not in POSITIONS:
            raise NoInstance
        return super()._attribute(name, kind, proposed, hint, binds)

    def _weight(self, part: Expr) -> int:
        if isinstance(part, list):
            return 3 if part[0] == "Splat" else 0
        return 0 if part in self._known or self._terms(part) else 2 if is_constant(part) else 1

    def _is_free(self, variable: str) -> bool:
        return variable not in self._known and not self._terms(variable)

    def _terms(self, variable: str) -> list[Expr]:
        return [term for term in self._side.equations.get(variable, []) if is_term(term)]


def _defaults(op: Op) -> dict[str, Any]:
    return {attr.name: attr.default for attr in op.attrs if attr.default is not REQUIRED and attr.default is not None}


def _of_constant(rng: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a constant of one value beside a value of ``shape``: mostly a scalar, or one element of any rank."""
    chance = rng.random()
    if chance < 0.55:
        return ()
    if chance < 0.75:
        return (1,)
    return (1,) * len(shape) if chance < 0.85 else broadcastable(rng, shape)


def values(rng: random.Random, t: TensorType) -> np.ndarray:
    """Values of a constant tensor: small integers, ordinary numbers, or the same number throughout."""
    source = generator(rng)
    if dtypes.is_complex(t.dtype):
        part = TensorType(dtypes.part_of(t.dtype), t.shape)
        return complexes.joined(values(rng, part), values(rng, part))
    chance = rng.random()
    if chance < 0.2:
        array: Any = np.full(t.shape, rng.choice((0, 1, 1, 2, 3)))
    elif chance < 0.5 and dtypes.is_float(t.dtype):
        array = source.standard_normal(t.shape)
    else:
        low, high = 0 if t.dtype in (*dtypes.UNSIGNED, "bool") else -2, 1 if t.dtype == "bool" else 3
        array = source.integers(low, high, t.shape, endpoint=True)
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))
