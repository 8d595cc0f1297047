"""Targets as patterns in the e-graph: their terms in the e-graph's own language, where broadcasting is explicit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from polyjuice.egraph.language import constructors
from polyjuice.egraph.patterns import BROADCAST, IS_CONSTANT, ROOT, Pattern
from polyjuice.egraph.sexpr import Expr
from polyjuice.targets.files import ELEMENTS, Target, is_constant, is_number

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
    """Writes one target as a pattern.

    A target may state example sizes. Only its sizes of 1 and the ranks of its constants are guards here.
    """

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
        term, matched = self._tensor(root)
        self._facts.insert(0, ["=", ROOT, matched])
        guards = [_rounded(fact) for fact in self._target.facts if not _is_equation(fact)]
        self._facts += [fact for guard in guards for fact in _of_any_size(guard)]
        self._facts += self._vectors
        tensors = [name for name, sort in self._sorts.items() if sort == "Tensor"]
        self._facts += [[IS_CONSTANT, name] for name in filter(is_constant, tensors)]
        ordered = sorted(self._sorts.items(), key=lambda one: one[1] != "Tensor")
        return Pattern(name, self._target.part, term, tuple(self._facts), tuple(ordered))

    def _tensor(self, expr: Expr) -> tuple[Expr, Expr]:
        """A term as the graph will have it, and as the e-graph has it."""
        if isinstance(expr, str):
            if expr in self._terms:
                return self._tensor(self._terms[expr])
            self._sorts[expr] = "Tensor"
            return expr, expr
        head, *parts = expr
        if head == "Splat":
            splat = ["Splat", *map(self._argument, parts, _SORTS_OF_SPLAT)]
            return splat, splat
        c = constructors()[str(head)]
        broadcasts = c.op.elementwise and c.operands > 1
        pairs = [self._tensor(part) for part in parts[: c.operands]]
        pairs = [(written, self._wide(matched)) for written, matched in pairs] if broadcasts else pairs
        names = [attr.name for attr in c.op.attrs]
        arguments: list[Expr] = []
        for k, (part, sort) in enumerate(zip(parts[c.operands :], c.sorts[c.operands :], strict=True)):
            if k < len(names) and names[k] in _AXES and (axis := _negative(part)):
                arguments.append(self._from_the_front(pairs[0][1], axis, sort))
            elif k < len(names) and names[k] == "shape":
                arguments.append(self._argument(self._fresh(), sort))
            else:
                arguments.append(self._argument(part, sort))
        written = [c.name, *(one for one, _ in pairs), *arguments]
        matched = [c.name, *(one for _, one in pairs), *arguments]
        return self._of_full_shape(written, matched) if broadcasts else (written, matched)

    def _wide(self, matched: Expr) -> Expr:
        """A variable for an operand of an elementwise operator, which may be an expanded form of what is matched."""
        wide = self._fresh()
        self._facts.append([BROADCAST, wide, matched])
        return wide

    def _of_full_shape(self, written: Expr, matched: Expr) -> tuple[Expr, Expr]:
        tensor, shape = self._fresh(), self._fresh()
        self._facts += [["=", tensor, matched], ["=", shape, ["shape", tensor]]]
        self._sorts[shape] = "Ints"
        return [BROADCAST, written, shape], tensor

    def _argument(self, part: Expr, sort: str) -> Expr:
        if sort == "f64" and isinstance(part, str) and is_number(part):
            return _in_float32(part)
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


def _rounded(fact: Expr) -> Expr:
    """A fact whose constants of one value have the values that float32 has."""
    match fact:
        case ["Splat", str() as value, *parts] if is_number(value):
            return ["Splat", _in_float32(value), *parts]
        case list():
            return [_rounded(part) for part in fact]
    return fact


def _in_float32(number: str) -> str:
    return repr(float(np.float32(number)))


def _of_any_size(guard: Expr) -> Iterator[Expr]:
    """A guard on a whole shape with its sizes of 1 alone; for a constant also with the rank; none on elements.

    Others stay as they are. The e-graph does not know the elements of constants.
    """
    match guard:
        case [head, *_] if head == ELEMENTS:
            return
        case ["=", ["shape", variable], ["vec-of", *sizes]] if all(map(is_number, map(str, sizes))):
            if is_constant(variable) or "1" in sizes:
                yield ["=", str(len(sizes)), ["vec-length", ["shape", variable]]]
            for i, size in enumerate(sizes):
                if size == "1":
                    yield ["=", "1", ["vec-get", ["shape", variable], str(i)]]
        case _:
            yield guard


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
