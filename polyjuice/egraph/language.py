"""The e-graph's language, generated from the operator table: sorts, constructors, and shape and type analyses.

Every operator is a constructor over the sort ``Tensor``. Its arguments are the operands, then the attributes in the
order of the table. For an operator with several outputs, the output's index follows. An operator that takes a varying
number of operands has one constructor for each number, ``Concat2``, ``Concat3``, ... Broadcasting is explicit: operands
of an elementwise constructor have equal shapes, and ``(Expand x shape)`` makes them so.

Other terms are ``(Input i)``, and ``(Const i)`` for an array kept outside the e-graph. ``(Splat v shape dtype)`` is a
constant of one value, ``(Other id operands output)`` an application that no rule can match.

Facts about a graph's values are first stated of the values' numbers, as in ``(ShapeOf n i)``: see
:mod:`polyjuice.egraph.rows`. The ruleset ``numbered`` moves them to the terms, ``(numbered-value n)``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from polyjuice.egraph import bounds
from polyjuice.egraph.sexpr import commands
from polyjuice.ir import dtypes
from polyjuice.ops import TABLE, Attr, Op, ShapeMismatch, primitives
from polyjuice.ops.definitions import is_derived
from polyjuice.ops.inference import AttrView, result_dtype
from polyjuice.ops.shapes import Dims
from polyjuice.ops.spec import PROMOTED, Unsupported
from polyjuice.ops.value_bounds import Bounds

#: Operand numbers for which a variadic operator gets constructors; other uses are encoded as ``Other``.
VARIADIC_ARITIES = (2, 3, 4)

_SORTS = {"int": "i64", "ints": "Ints", "float": "f64", "floats": "Floats", "string": "String", "dtype": "String"}

#: Rulesets of the user's rules, by exactness (see ``rules/README.md``).
EXACTNESS = ("exact", "modular", "real")

SORTS = """
(sort Ints (Vec i64))
(sort Floats (Vec f64))
(sort IntFn (UnstableFn (i64) i64))
(sort Tensor)
(sort Tensors (Vec Tensor))
(constructor Input (i64) Tensor)
(constructor Const (i64) Tensor)
(constructor Splat (f64 Ints String) Tensor)
(constructor Other (i64 Tensors i64) Tensor)
(function value (i64) Tensor :merge old)
(function shape (Tensor) Ints :merge old)
(function dtype (Tensor) String :merge old)
(relation Float (Tensor))
(relation Integer (Tensor))
(relation Signed (Tensor))
(relation Unsigned (Tensor))
(relation Number (Tensor))
(relation Bool (Tensor))
(relation Site (String Tensor))
(function numbered-value (i64) Tensor :merge old)
(function numbered-shape (i64) Ints :merge old)
(relation ShapeOf (i64 i64))
(relation DtypeOf (i64 String))
(relation RangeOf (i64 f64 f64))
(relation SiteOf (String i64))
(function random-perm (String i64) Ints :merge old)
(function inverse-perm (Ints) Ints :merge old)
(function random-cut (String i64) i64 :merge old)
(function random-divisor (String i64) i64 :merge old)
(function random-axis (String i64) i64 :merge old)
(function random-wider (String String) String :merge old)
(function number (String) f64 :merge old)
(relation Single (String))
(relation Held (String String))
"""

BASE = """
(ruleset analysis)
(ruleset exact)
(ruleset modular)
(ruleset real)
(ruleset numbered)
(relation Kind (String String))
(rule ((ShapeOf n i) (= x (numbered-value n)) (= s (numbered-shape i))) ((set (shape x) s)) :ruleset numbered)
(rule ((DtypeOf n t) (= x (numbered-value n))) ((set (dtype x) t)) :ruleset numbered)
(rule ((SiteOf key n) (= x (numbered-value n))) ((Site key x)) :ruleset numbered)
(rule ((= e (Splat v s t))) ((set (shape e) s) (set (dtype e) t)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "float" t)) ((Float x)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "integer" t)) ((Integer x)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "signed" t)) ((Signed x)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "unsigned" t)) ((Unsigned x)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "number" t)) ((Number x)) :ruleset analysis)
(rule ((= t (dtype x)) (Kind "bool" t)) ((Bool x)) :ruleset analysis)
(rule ((= s (shape x)) (= e (Expand x s))) ((union e x)) :ruleset exact)
(rewrite (Expand (Expand x s) t) (Expand x t) :ruleset exact)
(rewrite (Expand (Splat v s t) u) (Splat v u t) :ruleset exact)
"""


@dataclass(frozen=True)
class Constructor:
    """One egglog constructor of an operator, for one number of operands."""

    name: str
    op: Op
    operands: int

    @property
    def sorts(self) -> tuple[str, ...]:
        """Argument sorts: operands, attributes, and the output index of a multi-output operator."""
        index = ("i64",) if self.multi_output else ()
        return ("Tensor",) * self.operands + tuple(_SORTS[a.kind] for a in self.op.attrs) + index

    @property
    def multi_output(self) -> bool:
        """Whether the operator has several outputs, so that the last argument is an output index."""
        return "results" in self.op.variadic or len(self.op.results) > 1

    @property
    def variables(self) -> tuple[str, ...]:
        """Argument names, as used in the generated rules (no attribute has the name of a function)."""
        index = ("index",) if self.multi_output else ()
        return tuple(f"x{i}" for i in range(self.operands)) + tuple(f"{a.name}_" for a in self.op.attrs) + index

    @property
    def bounds(self) -> Bounds | None:
        """Bounds on the term's values, from its operands'."""
        return self.op.value_bounds(self.operands)


@cache
def constructors() -> dict[str, Constructor]:
    """All constructors by name."""
    found = {}
    for op in TABLE.values():
        if op.data_dependent or any(attr.kind == "graph" for attr in op.attrs):
            continue  # no rule looks at a size that values decide, or into a subgraph: it is encoded as Other
        least, greatest = op.arity
        if op.fixed_arity:
            found[op.qualified] = Constructor(op.qualified, op, least)
        else:
            arities: Iterable[int] = range(least, greatest + 1) if greatest else VARIADIC_ARITIES
            found.update({f"{op.qualified}{n}": Constructor(f"{op.qualified}{n}", op, n) for n in arities})
    return found


@cache
def with_bounds() -> frozenset[str]:
    """The names of the constructors with value bounds of their own. (``Cast`` has rules in the language itself.)"""
    return frozenset(c.name for c in constructors().values() if c.bounds)


def constructor_for(op: Op, operands: int) -> Constructor | None:
    """The constructor of an application, None where there is none for this number of operands."""
    return constructors().get(op.qualified if op.fixed_arity else f"{op.qualified}{operands}")


def vocabulary(mentioned: Iterable[str], bounded: bool) -> frozenset[str]:
    """The constructors that an e-graph needs for rules that mention some.

    With ``bounded`` the result includes the operators with value bounds. All others may be encoded as ``Other``.
    """
    return frozenset(mentioned) | (frozenset([primitives.CAST, *with_bounds()]) if bounded else frozenset())


def prelude(words: Collection[str], mentioned: Collection[str] = (), bounded: bool = False) -> list[str]:
    """The egglog programs that declare the language, with the constructors in ``words``.

    The rules derive types and move Expand only for the constructors in ``mentioned``, which rules can build. The graph
    gives the types of all other terms. With ``bounded`` there are rules that derive value bounds.
    """
    known = [c for name, c in constructors().items() if name in words or name == primitives.EXPAND]
    declared = [f"(constructor {c.name} ({' '.join(c.sorts)}) Tensor)" for c in known]
    lines = [*commands(SORTS), *declared, *commands(BASE), *commands(bounds.DECLARATIONS)]
    facts = " ".join([*bounds.type_facts(), *_kinds_of_types()])
    lines += ["(ruleset types)", f"(rule () ({facts}) :ruleset types)", "(run types 1)"]
    for c in known:
        if c.name in mentioned:
            lines += [f"(ruleset {types_of(c.name)})", *_type_rules(c), f"(ruleset {expand_of(c.name)})"]
            lines += _expand_rules(c)
        if bounded and c.bounds:
            lines += bounds.operator_rules(c.name, c.bounds, c.operands, c.variables, _keeps_integers(c))
    if bounded:
        lines += commands(bounds.RULES)
    return lines


def _kinds_of_types() -> list[str]:
    kinds = {
        "float": dtypes.FLOATS,
        "integer": dtypes.INTS,
        "signed": dtypes.SIGNED + dtypes.FLOATS,
        "unsigned": dtypes.UNSIGNED,
        "number": dtypes.NUMERIC,
        "bool": ("bool",),
    }
    return [f'(Kind "{kind}" "{t}")' for kind, members in kinds.items() for t in members]


def types_of(name: str) -> str:
    """The ruleset that derives shapes and types of a constructor's terms, needed only where there may be some."""
    return f"types-{name}"


def expand_of(name: str) -> str:
    """The ruleset that moves Expand through a constructor, needed only where there may be such terms."""
    return f"expand-{name}"


def _keeps_integers(c: Constructor) -> bool:
    return c.op.integer_exact and (c.op.elementwise or c.op.moves) and "f64" not in c.sorts


# --- shapes and types ------------------------------------------------------------------------------------------------


class Untraceable(Exception):
    """A shape signature that egglog cannot express . It can add, multiply and index sizes.

    It cannot ask how many axes a shape has, or loop over them, because only a term has a rank.
    """


@dataclass(frozen=True, eq=False)
class Term:
    """An egglog expression that stands for an integer or a vector of integers in a shape signature."""

    text: str
    guards: list[str] = field(default_factory=list, compare=False)
    choice: int = 0

    def _int(self, text: str) -> Term:
        return Term(text, self.guards, self.choice)

    def __add__(self, other: Any) -> Term:
        return self._int(f"(+ {self.text} {_text(other)})")

    def __sub__(self, other: Any) -> Term:
        return self._int(f"(- {self.text} {_text(other)})")

    def __mul__(self, other: Any) -> Term:
        return self._int(f"(* {self.text} {_text(other)})")

    def __floordiv__(self, other: Any) -> Term:
        return self._int(f"(/ {self.text} {_text(other)})")

    def __getitem__(self, axis: Any) -> Term:
        if isinstance(axis, int) and axis < 0:
            axis = f"(- (vec-length {self.text}) {-axis})"
        return self._int(f"(vec-get {self.text} {_text(axis)})")

    def __iter__(self) -> Any:
        raise Untraceable

    def __len__(self) -> int:
        raise Untraceable

    def __abs__(self) -> Term:
        raise Untraceable

    def __bool__(self) -> bool:
        raise Untraceable

    def __index__(self) -> int:
        raise Untraceable

    def __eq__(self, other: object) -> bool:
        raise Untraceable

    def permute(self, perm: Any) -> Term:
        """The shape with its dimensions in the order of a permutation."""
        return self._int(f'(unstable-vec-map (unstable-fn "vec-get" {self.text}) {_text(perm)})')

    def replace(self, axis: Any, size: Any) -> Term:
        """The shape with another size of one dimension."""
        return self._int(f"(vec-set {self.text} {_text(axis)} {_text(size)})")

    def batch(self, trailing: int) -> Term:
        """The shape without its last ``trailing`` dimensions."""
        text = self.text
        for _ in range(trailing):
            text = f"(vec-pop {text})"
        return self._int(text)

    def append(self, *sizes: Any) -> Term:
        """The shape with further sizes at its end."""
        text = self.text
        for size in sizes:
            text = f"(vec-push {text} {_text(size)})"
        return self._int(text)

    def broadcast(self, other: Term) -> Term:
        """Choice 0: equal shapes; 1: the other shape is a scalar's; 2: this shape is a scalar's."""
        if self.choice == 0:
            self.guards.append(f"(= {self.text} {other.text})")
            return self
        small, large = (other, self) if self.choice == 1 else (self, other)
        self.guards.extend([f"(= 0 (vec-length {small.text}))", f"(!= 0 (vec-length {large.text}))"])
        return large

    def reduced(self, axes: Any, keepdims: Any) -> Term:
        """One axis; choice 0 keeps it with size 1, choice 1 drops it."""
        if isinstance(keepdims, Term):
            self.guards.append(f"(= {keepdims.text} {1 - min(self.choice, 1)})")
        self.guards.append(f"(= 1 (vec-length {_text(axes)}))")
        axis = f"(vec-get {_text(axes)} 0)"
        return self._int(f"(vec-remove {self.text} {axis})" if self.choice else f"(vec-set {self.text} {axis} 1)")

    def sliced(self, starts: Any, ends: Any, axes: Any, steps: Any) -> Term:
        """One axis, step 1, and bounds within the axis."""
        axis, start, end = (f"(vec-get {v.text} 0)" for v in (axes, starts, ends))
        self.guards.extend(
            [
                f"(= 1 (vec-length {axes.text}))",
                f"(= {steps.text} (vec-of 1))",
                f"(>= {start} 0)",
                f"(<= {start} {end})",
                f"(<= {end} (vec-get {self.text} {axis}))",
            ]
        )
        return self._int(f"(vec-set {self.text} {axis} (- {end} {start}))")


class _OfThisOutput(Term):
    """An attribute with one entry for each output, reduced to the entry of the term's output."""

    def __iter__(self) -> Any:
        return iter([self._int(f"(vec-get {self.text} index)")])


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"(vec-of {' '.join(map(_text, value))})" if value else "(vec-empty)"
    return value.text if isinstance(value, Term) else str(value)


def _attributes(op: Op, guards: list[str], choice: int) -> dict[str, Term]:
    ints = _OfThisOutput if "results" in op.variadic else Term
    return {attr.name: (ints if attr.kind == "ints" else Term)(f"{attr.name}_", guards, choice) for attr in op.attrs}


def _result_shapes(op: Op, shapes: Sequence[Any], attrs: Mapping[str, Any], dtype: str) -> Sequence[Any]:
    """The shapes of an operator's results, by its signature or by that of its definition."""
    if not is_derived(op.shape):
        return op.shape(shapes, AttrView(attrs))
    builder = _ShapeBuilder([_Typed(shape, dtype) for shape in shapes])
    assert callable(op.definition)
    try:
        results = op.definition(builder, list(builder.types), attrs)
    except (TypeError, AttributeError, ValueError):  # it asks for a number, where there is a term
        raise Untraceable from None
    if isinstance(results, Unsupported):
        raise Untraceable
    return [builder.types[name].shape for name in ([results] if isinstance(results, str) else results)]


class _Typed(NamedTuple):
    """The type of a value in a definition on terms; its shape is a term, or that of a constant."""

    shape: Any
    dtype: str

    @property
    def rank(self) -> int:
        return len(self.shape)


class _ShapeBuilder:
    """Builds definitions on shapes that are terms. Element types are those of the operator's first."""

    def __init__(self, operands: Sequence[_Typed]) -> None:
        self.types: dict[str, Any] = {f"x{i}": operand for i, operand in enumerate(operands)}

    def _add(self, shape: Any, dtype: str) -> str:
        name = f"v{len(self.types)}"
        self.types[name] = _Typed(shape, dtype)
        return name

    def constant(self, array: np.ndarray) -> str:
        return self._add(Dims(array.shape), dtypes.dtype_of(array))

    def op(self, op: str, /, *inputs: str, **attrs: Any) -> str:
        return self.multi(op, *inputs, **attrs)[0]

    def multi(self, op: str, /, *inputs: str, domain: str = "", **attrs: Any) -> tuple[str, ...]:
        entry = TABLE[domain, op]
        operands = [self.types[name] for name in inputs]
        full = {attr.name: attrs.get(attr.name, attr.default) for attr in entry.attrs}
        shapes = [operand.shape for operand in operands]
        if entry.elementwise:
            wide = [shape for shape in shapes if isinstance(shape, Term) or len(shape)] or shapes[:1]
            shapes = [reduce(lambda x, y: x.broadcast(y), wide)]
        else:
            shapes = list(_result_shapes(entry, shapes, full, operands[0].dtype))
        bound = {entry.variable(i): operand.dtype for i, operand in enumerate(operands)}
        types = [result_dtype(entry.results[min(i, len(entry.results) - 1)], bound, full) for i in range(len(shapes))]
        return tuple(map(self._add, shapes, types))


def _shape_terms(c: Constructor, output: int) -> list[tuple[str, list[str]]]:
    """(expression, guards) for each case of the signature; none where egglog cannot express it."""
    if c.op.elementwise:
        return [("s0", [])]
    with suppress(Untraceable, ShapeMismatch):  # shapes that the signature compares may be any
        return _traced(c, output)
    return []


def is_untraced(c: Constructor) -> bool:
    """Whether egglog cannot express the operator's shape signature."""
    return not _shape_terms(c, 0)


def _traced(c: Constructor, output: int) -> list[tuple[str, list[str]]]:
    cases: list[tuple[str, list[str]]] = []
    for choice in range(3):
        guards: list[str] = []
        shapes = [Term(f"s{i}", guards, choice) for i in range(c.operands)]
        attrs = _attributes(c.op, guards, choice)
        shape = _result_shapes(c.op, shapes, attrs, c.op.types[c.op.variable(0)][0])[output]
        case = (_text(shape), guards)
        if case not in cases:
            cases.append(case)
    return cases


def derivable(name: str) -> bool:
    """Whether the e-graph can derive the type of a constructor's terms: not where it depends on a Python number."""
    return PROMOTED not in constructors()[name].op.results


def _type_rules(c: Constructor) -> list[str]:
    if len(c.op.results) == 1:
        return _output_rules(c, 0, c.variables)
    every = range(len(c.op.results))
    return [rule for output in every for rule in _output_rules(c, output, (*c.variables[:-1], str(output)))]


def _output_rules(c: Constructor, output: int, variables: Sequence[str]) -> list[str]:
    term = f"(= e ({c.name} {' '.join(variables)}))"
    ruleset = f":ruleset {types_of(c.name)}"
    if not derivable(c.name):
        return [f"(rule ({term} (= out (shape x0))) ((set (shape e) out)) {ruleset})"]
    known, dtype = _result_dtype(c, output)
    if c.op.elementwise:
        body = f"{term} {known} (= out (shape x0))"
        return [f"(rule ({body}) ((set (shape e) out) (set (dtype e) {dtype})) {ruleset})"]
    rules = [f"(rule ({term} {known}) ((set (dtype e) {dtype})) {ruleset})"]
    for expression, guards in _shape_terms(c, output):
        used = [f"(= s{i} (shape x{i}))" for i in range(c.operands) if _mentions(f"s{i}", [expression, *guards])]
        body = " ".join([term, *used, *guards, f"(= out {expression})"])
        rules.append(f"(rule ({body}) ((set (shape e) out)) {ruleset})")
    return rules


def _result_dtype(c: Constructor, output: int) -> tuple[str, str]:
    result = c.op.results[output]
    if result.startswith("@"):
        return "", f"{result[1:]}_"
    if result in dtypes.EVERY:
        return "", f'"{result}"'
    source = next(i for i in range(c.operands) if c.op.variable(i) == result)
    return f"(= t (dtype x{source}))", "t"


def _mentions(variable: str, texts: Sequence[str]) -> bool:
    return any(f"{variable} " in f"{t} " or f"{variable})" in t for t in texts)


def _expand_rules(c: Constructor) -> list[str]:
    """f(Expand(x, s), ...) = Expand(f(x, ...), s) for operands of one shape, unnamed: only rule files name rules."""
    if not c.op.elementwise or c.multi_output:
        return []
    attrs = " ".join(f"{a.name}_" for a in c.op.attrs)
    wide = f"({c.name} {' '.join(f'(Expand x{i} s)' for i in range(c.operands))} {attrs})"
    narrow = f"({c.name} {' '.join(f'x{i}' for i in range(c.operands))} {attrs})"
    same = " ".join(f"(= (shape x0) (shape x{i}))" for i in range(1, c.operands))
    return [f"(birewrite {wide} (Expand {narrow} s) :ruleset {expand_of(c.name)} :when ({same}))"]


# --- literals --------------------------------------------------------------------------------------------------------


def literal(attr: Attr, value: Any) -> str:
    """An attribute value as an egglog literal. Raises ValueError where there is none: see :func:`number`."""
    match attr.kind:
        case "int":
            return str(int(value))
        case "ints":
            return ints(value)
        case "float":
            return number(value)
        case "floats":
            return f"(vec-of {' '.join(map(number, value))})" if value else "(vec-empty)"
        case _:
            return f'"{value}"'


def ints(values: Sequence[int]) -> str:
    """A vector of integers as an egglog literal."""
    return f"(vec-of {' '.join(map(str, values))})" if values else "(vec-empty)"


def number(value: float | None) -> str:
    """A float64 literal that egglog reads back to the same bits.

    Raises ValueError for values that egglog cannot hold: no number at all (an absent limit), NaN, and negative zero,
    which it takes for zero.
    """
    if value is None or math.isnan(value) or (value == 0 and math.copysign(1.0, value) < 0):
        raise ValueError(f"the e-graph cannot hold {value}")
    text = repr(float(value))
    return (
        text
        if "." in text or "inf" in text or "nan" in text
        else text.replace("e", ".0e")
        if "e" in text
        else text + ".0"
    )
