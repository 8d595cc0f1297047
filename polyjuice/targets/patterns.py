"""Targets as patterns in the e-graph: their terms in the e-graph's own language, where broadcasting is explicit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from polyjuice.egraph.language import constructors
from polyjuice.egraph.patterns import IS_CONSTANT, Pattern
from polyjuice.egraph.sexpr import Expr
from polyjuice.targets.blocks import is_constant
from polyjuice.targets.files import Target, is_number

_SORTS_OF_SPLAT = ("f64", "Ints", "String")

_AXES = ("axis", "axes", "dim", "dims", "dim0", "dim1")
"""Attributes that count axes; in the e-graph none is negative."""


def patterns(targets: Iterable[Target]) -> list[Pattern]:
    """The patterns of all targets with one result, without those that the e-graph's language cannot say."""
    found: dict[object, Pattern] = {}
    for target in targets:
        if len(target.results) == 1:
            pattern = _Writer(target).pattern(f"{target.name.replace(':', '-').replace('/', '-')}")
            if pattern:
                found.setdefault((pattern.part, repr(pattern.term), repr(pattern.facts)), pattern)
    return list(found.values())


class _Writer:
    """Writes one target as a pattern."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._terms = dict(_terms(target.facts))
        self._facts: list[Expr] = []
        self._vectors: list[Expr] = []
        """Equations of vectors, which stand behind those of their elements."""
        self._sorts: dict[str, str] = {}
        self._count = 0

    def pattern(self, name: str) -> Pattern | None:
        """The pattern; None where the root is a variable."""
        root = self._target.results[0]
        if isinstance(root, str):
            return None
        term = self._tensor(root)
        self._facts += [fact for fact in self._target.facts if not _is_equation(fact)]
        self._facts += self._vectors
        tensors = [name for name, sort in self._sorts.items() if sort == "Tensor"]
        self._facts += [[IS_CONSTANT, name] for name in filter(is_constant, tensors)]
        ordered = sorted(self._sorts.items(), key=lambda one: one[1] != "Tensor")
        return Pattern(name, self._target.part, term, tuple(self._facts), tuple(ordered))

    def _tensor(self, expr: Expr) -> Expr:
        if isinstance(expr, str):
            if expr in self._terms:
                return self._tensor(self._terms[expr])
            self._sorts[expr] = "Tensor"
            return expr
        head, *parts = expr
        if head == "Splat":
            return ["Splat", *map(self._argument, parts, _SORTS_OF_SPLAT)]
        c = constructors()[str(head)]
        operands = [self._operand(part, c.op.elementwise) for part in parts[: c.operands]]
        names = [attr.name for attr in c.op.attrs]
        arguments: list[Expr] = []
        for k, (part, sort) in enumerate(zip(parts[c.operands :], c.sorts[c.operands :], strict=True)):
            if k < len(names) and names[k] in _AXES and (axis := _negative(part)):
                arguments.append(self._from_the_front(operands[0], axis, sort))
            else:
                arguments.append(self._argument(part, sort))
        return [c.name, *operands, *arguments]

    def _operand(self, part: Expr, elementwise: bool) -> Expr:
        """An operand; of an elementwise operator all have one shape, so that a reduction is expanded there."""
        term = self._tensor(part)
        if elementwise and isinstance(term, list) and constructors().get(str(term[0])) and _reduces(str(term[0])):
            return ["Expand", term, self._argument(self._fresh(), "Ints")]
        return term

    def _argument(self, part: Expr, sort: str) -> Expr:
        variables = list(_variables(part))
        if isinstance(part, list) and variables:
            return self._vector(part[1:], variables)
        for variable in variables:
            self._sorts.setdefault(variable, sort)
        return part

    def _vector(self, elements: Sequence[Expr], variables: Sequence[str]) -> Expr:
        """A variable for a vector with variables in it: egglog binds no elements of a vector that it matches."""
        vector = self._fresh()
        self._sorts[vector] = "Ints"
        defined = {fact[1] for fact in self._target.facts if fact[0] == "=" and isinstance(fact[1], str)}
        if defined.issuperset(variables):
            self._vectors.append(["=", vector, ["vec-of", *elements]])
        else:
            self._facts.append(["=", str(len(elements)), ["vec-length", vector]])
            self._facts += [["=", one, ["vec-get", vector, str(i)]] for i, one in enumerate(elements)]
        return vector

    def _from_the_front(self, operand: Expr, axis: int, sort: str) -> Expr:
        """A variable for an axis that the target counts from the back."""
        variable, tensor = self._fresh(), self._fresh()
        number: Expr = ["+", ["vec-length", ["shape", tensor]], str(axis)]
        self._facts += [["=", tensor, operand], ["=", variable, ["vec-of", number] if sort == "Ints" else number]]
        self._sorts[variable] = sort
        return variable

    def _fresh(self) -> str:
        self._count += 1
        return f"own{self._count}"


def _terms(facts: Sequence[Expr]) -> Iterator[tuple[str, Expr]]:
    for fact in facts:
        if _is_equation(fact):
            yield str(fact[1]), fact[2]


def _is_equation(fact: Expr) -> bool:
    """Whether a fact names a term."""
    match fact:
        case ["=", str(), [str() as head, *_]]:
            return head in constructors()
    return False


def _reduces(name: str) -> bool:
    return any(attr.name in ("keepdims", "keepdim") for attr in constructors()[name].op.attrs)


def _negative(part: Expr) -> int:
    """The only number of an argument, if that is negative; else 0."""
    match part:
        case ["vec-of", str() as text] | (str() as text) if text.startswith("-") and text[1:].isdigit():
            return int(text)
    return 0


def _variables(part: Expr) -> Iterator[str]:
    if isinstance(part, list):
        for one in part[1:]:
            yield from _variables(one)
    elif not part.startswith('"') and not is_number(part):
        yield part
