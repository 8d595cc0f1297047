"""A rule's claim about single elements, read from its text: equal terms, conditions, and classes of element types.

A term of elementwise operators means the same at every place of its tensors. Shapes, axes and random choices then do
not matter. Conditions on them are left out: a claim without a condition implies the claim with it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyjuice.egraph.bounds import wider
from polyjuice.egraph.language import Constructor, constructors
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.sexpr import Expr, heads, rendered
from polyjuice.ir import dtypes
from polyjuice.ops import complex_numbers

#: Operators that broadcast by themselves, and are elementwise after that.
_BROADCASTING = {"PRelu"}

_TYPE_TESTS = {
    "Float": dtypes.FLOATS,
    "Integer": dtypes.INTS,
    "Signed": dtypes.SIGNED + dtypes.FLOATS,
    "Unsigned": dtypes.UNSIGNED,
    "Number": dtypes.NUMERIC,
    "Bool": ("bool",),
}

#: Facts about the values of a tensor.
VALUE_TESTS = ("Finite", "Integral", "NonNegative", "Positive", "NonPositive", "Negative", "NonZero")

_ARITHMETIC = ("+", "-", "*", "/", "%", "min", "max", "neg", "abs", "^", "<<", "log2", "to-i64")
_RELATIONS = ("=", "!=", "<", "<=", ">", ">=")


class OutOfScope(Exception):
    """The solver cannot express the rule, or its claim in some element types; the message is the reason."""


class Types:
    """Element types of terms and type variables: classes of equal ones (union-find), and the allowed types of each."""

    def __init__(self) -> None:
        self._parents: dict[Hashable, Hashable] = {}
        self._allowed: dict[Hashable, tuple[str, ...]] = {}
        self._relations: list[tuple[Callable[[str, str], bool], Hashable, Hashable]] = []

    def find(self, key: Hashable) -> Hashable:
        """The class of a key, as its root."""
        parent = self._parents.setdefault(key, key)
        return key if parent == key else self.find(parent)

    def restrict(self, key: Hashable, types: Sequence[str]) -> None:
        """Allow only these types for a class."""
        root = self.find(key)
        self._allowed[root] = tuple(t for t in self._allowed.get(root, dtypes.ALL) if t in types)

    def join(self, a: Hashable, b: Hashable) -> None:
        """Make two classes one."""
        roots = self.find(a), self.find(b)
        if roots[0] != roots[1]:
            self._parents[roots[1]] = roots[0]
            self.restrict(roots[0], self._allowed.pop(roots[1], dtypes.ALL))

    def relate(self, holds: Callable[[str, str], bool], a: Hashable, b: Hashable) -> None:
        """Require a relation between the types of two classes."""
        self._relations.append((holds, a, b))

    def is_open(self, root: Hashable) -> bool:
        """Whether several types are allowed for the class."""
        return len(self._allowed.get(root, dtypes.ALL)) > 1

    def assignments(self, choose: Callable[[Sequence[str], bool], Sequence[str]]) -> Iterator[Mapping[Hashable, str]]:
        """All ways to give each class, by its root, one of the types that ``choose`` selects from the allowed ones.

        The second argument of ``choose`` says whether at most one class is open and no relation restricts it.
        """
        roots = list(dict.fromkeys(self.find(key) for key in list(self._parents)))
        alone = sum(map(self.is_open, roots)) <= 1 and not self._relations
        choices = [choose(self._allowed.get(root, dtypes.ALL), alone) for root in roots]
        for chosen in itertools.product(*choices):
            values = dict(zip(roots, chosen, strict=True))
            if all(holds(values[self.find(a)], values[self.find(b)]) for holds, a, b in self._relations):
                yield values


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The claim that the terms of each pair are equal where the ``matched`` terms occur and the conditions hold.

    ``sorts`` gives the variables' egglog sorts. All names that the rule defines are replaced by their definitions.
    """

    matched: tuple[Expr, ...]
    pairs: tuple[tuple[Expr, Expr], ...]
    conditions: tuple[list[Expr], ...]
    sorts: Mapping[str, str]
    types: Types = field(compare=False)

    def type_of(self, term: Expr) -> Hashable:
        """The class of a tensor's element type."""
        return self.types.find(_type_of(self.types, term))

    @property
    def operators(self) -> set[str]:
        """The qualified names of the operators in the claim's terms."""
        terms = [*self.matched, *(side for pair in self.pairs for side in pair)]
        return {constructors()[head].op.qualified for term in terms for head in heads(term) if head in constructors()}


def read(rule: Rule) -> Claim:
    """Read a rule of one direction. Raises OutOfScope where it is not a claim about single elements."""
    head, first, second, *options = rule.expr
    definitions: dict[str, Expr] = {}
    if head == "rewrite":
        facts = _lists(options[options.index(":when") + 1]) if ":when" in options else []
        pairs, matched = [(first, second)], [first]
    else:
        facts, actions = _lists(first), _lists(second)
        defining = [fact for fact in facts if _defines_tensor(fact)]
        definitions = {str(fact[1]): fact[2] for fact in reversed(defining)}
        matched = [fact[2] for fact in defining]
        facts = [fact for fact in facts if fact not in defining or definitions[str(fact[1])] is not fact[2]]
        pairs = [(action[1], action[2]) for action in actions if action[0] == "union"]
        named = {str(action[1]): action[2] for action in actions if action[0] == "let"}
        definitions |= named
        if len(pairs) + len(named) < len(actions):
            raise OutOfScope("it does more than unite terms")
    expand = _Expansion(definitions)
    matched = [expand(term) for term in matched]
    pairs = [_from_left(expand(a), expand(b), matched) for a, b in pairs]
    facts = [_list(expand(fact)) for fact in facts]
    for term in itertools.chain(matched, *pairs):
        _check_elementwise(term)
    sorts = _sorts([*matched, *itertools.chain(*pairs), *facts])
    types = Types()
    for a, b in pairs:
        types.join(_type_of(types, a), _type_of(types, b))
    for term in matched:
        _type_of(types, term)
    conditions = tuple(fact for fact in facts if _is_condition(fact, sorts, types))
    return Claim(matched=tuple(matched), pairs=tuple(pairs), conditions=conditions, sorts=sorts, types=types)


def _list(expr: Expr) -> list[Expr]:
    assert isinstance(expr, list)
    return expr


def _lists(expr: Expr) -> list[list[Expr]]:
    return [_list(part) for part in _list(expr)]


def sort_of(expr: Expr, sorts: Mapping[str, str]) -> str:
    """The egglog sort of an expression, "" where it does not matter to single elements (shapes, axes).

    An integer computed from an f64 counts as an f64.
    """
    if isinstance(expr, str):
        if expr.startswith('"'):
            return "String"
        return "f64" if re.fullmatch(r"-?(\d+\.\d*(e-?\d+)?|inf)", expr) else sorts.get(expr, "")
    head = str(expr[0])
    if head in ("lo", "hi", "to-f64"):
        return "f64"
    if head in ("dtype", "random-wider"):
        return "String"
    if head in _ARITHMETIC:
        return "f64" if any(sort_of(part, sorts) == "f64" for part in expr[1:]) else ""
    return "Tensor" if head in constructors() or head in ("Splat", "Expand") else ""


def _defines_tensor(fact: Sequence[Expr]) -> bool:
    return fact[0] == "=" and isinstance(fact[1], str) and sort_of(fact[2], {}) == "Tensor"


class _Expansion:
    """Replaces names by their definitions. Raises OutOfScope for a term that contains itself."""

    def __init__(self, definitions: Mapping[str, Expr]) -> None:
        self._definitions = definitions

    def __call__(self, expr: Expr, inside: tuple[str, ...] = ()) -> Expr:
        if isinstance(expr, list):
            return [self(part, inside) for part in expr]
        if expr not in self._definitions:
            return expr
        if expr in inside:
            raise OutOfScope(f"the term {expr} contains itself")
        return self(self._definitions[expr], (*inside, expr))


def _from_left(a: Expr, b: Expr, matched: Sequence[Expr]) -> tuple[Expr, Expr]:
    """Two united terms, the one that the rule matches first."""
    return (b, a) if isinstance(b, str) or (b in matched and a not in matched) else (a, b)


def _check_elementwise(term: Expr) -> None:
    if isinstance(term, str) or term[0] == "Splat":
        return
    name = str(term[0])
    if name == "Expand":
        _check_elementwise(term[1])
        return
    c = constructors().get(name)
    if c is None or not (c.op.elementwise or name in _BROADCASTING):
        raise OutOfScope(f"{name} is not elementwise")
    if c.op in complex_numbers.OPS:
        raise OutOfScope("proofs do not cover complex numbers")
    for operand in term[1 : c.operands + 1]:
        _check_elementwise(operand)


# --- sorts and types -------------------------------------------------------------------------------------------------


def _sorts(exprs: Sequence[Expr]) -> dict[str, str]:
    """The sorts of the variables in terms and facts."""
    found: dict[str, str] = {}
    for expr in exprs:
        _collect_sorts(expr, "", found)
    for _ in exprs:  # an equation gives a sort to one side from the other
        for expr in exprs:
            if isinstance(expr, list) and expr[0] == "=":
                known = next(filter(None, (sort_of(part, found) for part in expr[1:])), "")
                for part in expr[1:]:
                    _collect_sorts(part, known, found)
    return found


def _collect_sorts(expr: Expr, sort: str, found: dict[str, str]) -> None:
    if isinstance(expr, str):
        if sort and re.match(r"[A-Za-z_]", expr):
            found[expr] = sort
        return
    head = str(expr[0])
    of_parts: Sequence[str] = ["Tensor"] * len(expr)
    if head in constructors():
        of_parts = constructors()[head].sorts
    elif head == "Splat":
        of_parts = ("f64", "Ints", "String")
    elif head == "Expand":
        of_parts = ("Tensor", "Ints")
    elif head in (*_RELATIONS, *_ARITHMETIC):
        of_parts = [sort] * len(expr)
    elif head not in ("lo", "hi", "shape", "dtype", *_TYPE_TESTS, *VALUE_TESTS):
        of_parts = [""] * len(expr)
    for part, sort_of_part in zip(expr[1:], of_parts, strict=False):
        _collect_sorts(part, sort_of_part, found)


def _type_of(types: Types, term: Expr) -> Hashable:
    """The key of a tensor's element type; ``types`` records the demands of its operators."""
    if isinstance(term, str):
        return types.find(term)
    if term[0] == "Expand":
        return _type_of(types, term[1])
    if term[0] == "Splat":
        return _named_type(types, term[3])
    c = constructors()[str(term[0])]
    bound: dict[str, Hashable] = {}
    for i, operand in enumerate(term[1 : c.operands + 1]):
        variable, key = c.op.variable(i), _type_of(types, operand)
        types.restrict(key, c.op.types[variable])
        types.join(bound.setdefault(variable, key), key)
    return _result_type(types, c, term, bound)


def _result_type(types: Types, c: Constructor, term: list[Expr], bound: Mapping[str, Hashable]) -> Hashable:
    result = c.op.results[0]
    if c.op.promotes:
        raise OutOfScope(f"the type of {c.name} depends on a number")
    if result.startswith("@"):
        place = [attr.name for attr in c.op.attrs].index(result[1:])
        return _named_type(types, term[1 + c.operands + place])
    return _named_type(types, f'"{result}"') if result in dtypes.ALL else bound[result]


def _named_type(types: Types, expr: Expr) -> Hashable:
    """The key of an element type that an expression of sort String names."""
    if isinstance(expr, list) and expr[0] == "dtype":
        return _type_of(types, expr[1])
    key = types.find(("type", rendered(expr)))
    if isinstance(expr, str) and expr.startswith('"'):
        types.restrict(key, [expr.strip('"')])
    elif isinstance(expr, list) and expr[0] == "random-wider":
        types.relate(_widens, _named_type(types, expr[2]), key)
    elif isinstance(expr, list):
        raise OutOfScope(f"the element type {rendered(expr)}")
    return key


def _widens(narrow: str, wide: str) -> bool:
    return wide in wider(narrow)


def _differ(a: str, b: str) -> bool:
    return a != b


# --- conditions ------------------------------------------------------------------------------------------------------


def _is_condition(fact: list[Expr], sorts: Mapping[str, str], types: Types) -> bool:
    """Whether a fact restricts values. Facts about element types are recorded in ``types`` instead."""
    head, *parts = fact
    if head in _TYPE_TESTS:
        types.restrict(_type_of(types, parts[0]), _TYPE_TESTS[str(head)])
    elif head == "Widens":
        types.relate(_widens, _named_type(types, parts[0]), _named_type(types, parts[1]))
    elif head in VALUE_TESTS:
        return True
    elif head in _RELATIONS:
        return _is_relation_of_values(str(head), parts, sorts, types)
    elif head != "Site" and _mentions_values(fact, sorts):
        if head != "vec-contains":
            raise OutOfScope(f"the condition {rendered(fact)}")
        return True
    return False


def _is_relation_of_values(head: str, parts: Sequence[Expr], sorts: Mapping[str, str], types: Types) -> bool:
    of_parts = {sort_of(part, sorts) for part in parts}
    if "String" in of_parts:
        keys = [_named_type(types, part) for part in parts]
        if head == "=":
            types.join(*keys)
        else:
            types.relate(_differ, *keys)
        return False
    if head == "=" and "Tensor" in of_parts:
        for part in parts:
            _check_elementwise(part)
        types.join(*(_type_of(types, part) for part in parts))
        return True
    if "f64" in of_parts:
        return True
    if any(_mentions_values(part, sorts) for part in parts if not isinstance(part, str)):
        raise OutOfScope(f"the condition {rendered([head, *parts])}")
    return False


def _mentions_values(expr: Expr, sorts: Mapping[str, str]) -> bool:
    """Whether an expression depends on numbers or on bounds, not on shapes alone."""
    if isinstance(expr, str):
        return sort_of(expr, sorts) == "f64" and not re.match(r"[-\d]", expr)
    return expr[0] in ("lo", "hi") or any(_mentions_values(part, sorts) for part in expr[1:])


def literal(text: str) -> float:
    """The value of a number in a rule."""
    try:
        return float(text)
    except ValueError:
        raise OutOfScope(f"the number {text}") from None
