"""The terms and conditions of a rule as z3 expressions, in one choice of element types."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from polyjuice.egraph.language import constructors
from polyjuice.egraph.sexpr import Expr, rendered
from polyjuice.ops.spec import Attr
from polyjuice.rulecheck.proof_claims import VALUE_TESTS, Claim, OutOfScope, literal, sort_of
from polyjuice.rulecheck.proof_models import MODELS, Call, applied, at_most, maximum, minimum
from polyjuice.rulecheck.proof_numbers import Bits, Exact, Fixed, Ieee, Logic, Notes, Sort, Value, converted, is_whole


@dataclass(frozen=True)
class Domain:
    """One choice of element types for a claim, and the sort of the elements of each."""

    label: str
    sorts: Mapping[Hashable, Sort]

    @property
    def scalars(self) -> Sort:
        """The sort of attributes, constants and bounds."""
        sorts = self.sorts.values()
        widths = [s.width for s in sorts if isinstance(s, Bits)]
        if any(isinstance(s, Exact) for s in sorts):
            return Exact()
        if widths and not any(isinstance(s, Ieee) for s in sorts):
            return Fixed(4 * max(widths) + 16)
        return Ieee("float64")

    @property
    def in_float64(self) -> Domain:
        """The same domain with machine numbers that have room for small mathematical ones."""
        machine = {
            root: s if isinstance(s, Logic) else Bits(64, True) if is_whole(s) else Ieee("float64")
            for root, s in self.sorts.items()
        }
        return Domain(self.label, machine)


@dataclass(kw_only=True)
class Evaluation:
    """The values of a claim's terms in a domain, as z3 expressions."""

    claim: Claim
    domain: Domain
    notes: Notes = field(default_factory=Notes)
    variables: dict[str, tuple[Value, Sort]] = field(default_factory=dict)
    _values: dict[str, Value] = field(default_factory=dict)

    def sort(self, term: Expr) -> Sort:
        """The sort of a term's elements."""
        return self.domain.sorts[self.claim.type_of(term)]

    def tensor(self, term: Expr, in_graph: bool = False) -> Value:
        """An element of a term. With ``in_graph`` the term is in the graph, so that its constants are of its types."""
        key = rendered(term)
        if key not in self._values:
            self._values[key] = self._tensor(term, in_graph)
        return self._values[key]

    def _tensor(self, term: Expr, in_graph: bool) -> Value:
        sort = self.sort(term)
        if isinstance(term, str):
            return self._fitting(self._variable(term, sort), sort)
        if term[0] == "Expand":
            return self.tensor(term[1], in_graph)
        if term[0] == "Splat":
            return self._fitting(self._splat(term[1], sort, in_graph), sort)
        c = constructors()[str(term[0])]
        operands = term[1 : c.operands + 1]
        numbers = [x for i, x in enumerate(operands) if c.op.variable(i) != "B"]
        attrs = {
            attr.name: self._attribute(c.op.qualified, attr, expr, sort if in_graph else None)
            for attr, expr in zip(c.op.attrs, term[c.operands + 1 :], strict=True)
            if attr.kind != "dtype"
        }
        x = [self.tensor(operand, in_graph) for operand in operands]
        call = Call(
            x=x, sort=self.sort(numbers[0]), result=sort, attrs=attrs, scalars=self.domain.scalars, notes=self.notes
        )
        return self._fitting(applied(c.op.qualified, call), sort)

    def _variable(self, name: str, sort: Sort) -> Value:
        return self.variables.setdefault(name, (sort.variable(name), sort))[0]

    def _fitting(self, value: Value, sort: Sort) -> Value:
        if isinstance(sort, Exact) and sort.natural:
            self.notes.fits.append(value >= 0)
        return value

    def _splat(self, expr: Expr, sort: Sort, in_graph: bool) -> Value:
        """A constant, rounded to a floating type; other types must hold it exactly."""
        v = self.scalar(expr)
        if isinstance(sort, Ieee) and not (in_graph and rendered(expr) in self.claim.sorts):
            return converted(v, self.domain.scalars, sort, self.notes)
        return self._hold_exactly(v, sort)

    def _attribute(self, operator: str, attr: Attr, expr: Expr, in_graph: Sort | None) -> Any:
        """An attribute; in a graph the operand's type must hold some of them exactly."""
        if attr.kind == "float":
            value = self.scalar(expr)
            if attr.like_operand and isinstance(in_graph, Ieee):
                self._hold_exactly(value, in_graph)
            return value
        text = rendered(expr)
        if text in self.claim.sorts and operator in MODELS:
            raise OutOfScope(f"{operator} with any {text}")
        return int(text) if attr.kind == "int" and text not in self.claim.sorts else text.strip('"')

    def _hold_exactly(self, number: Value, sort: Sort) -> Value:
        """A number as an element, with a note that the type must hold it exactly."""
        scalars = self.domain.scalars
        value = converted(number, scalars, sort, self.notes)
        self.notes.defined.append(scalars.equal(converted(value, sort, scalars, self.notes), number))
        return value

    def scalar(self, expr: Expr) -> Value:
        """The value of an expression for a number outside tensors."""
        s: Any = self.domain.scalars
        if isinstance(expr, str):
            if expr not in self.claim.sorts:
                return s.number(literal(expr))
            return self._finite(expr)
        head, *parts = expr
        if head in ("lo", "hi"):
            return self._bound(str(head), parts[0])
        if head == "to-f64":
            if sort_of(parts[0], self.claim.sorts) == "f64":
                return self.scalar(parts[0])
            self.notes.opaque.add(rendered(expr))
            return self._finite(rendered(expr))
        result = self._arithmetic(str(head), [self.scalar(part) for part in parts], parts)
        self.notes.facts.append(s.finite(result))
        return result

    def _finite(self, name: str) -> Value:
        """A number that the rule leaves open, in single precision beside machine floats, as ONNX stores attributes."""
        s: Any = self.domain.scalars
        held = Ieee("float32") if isinstance(s, Ieee) else s
        value = self._variable(name, held)
        self.notes.facts.append(held.finite(value))
        return converted(value, held, s, self.notes)

    def _bound(self, which: str, term: Expr) -> Value:
        """A bound of a tensor's values. Every bound holds for a NaN."""
        s, sort = self.domain.scalars, self.sort(term)
        bound, x = self._finite(f"({which} {rendered(term)})"), self.tensor(term, in_graph=True)
        wide = converted(x, sort, s, self.notes)
        self.notes.facts.append(z3.Not(s.less(wide, bound) if which == "lo" else s.less(bound, wide)))  # type: ignore[union-attr]
        return bound

    def _arithmetic(self, head: str, x: Sequence[Value], parts: Sequence[Expr]) -> Value:
        s: Any = self.domain.scalars
        zero = s.number(0)
        match head, *x:
            case "+", a, b:
                return s.add(a, b)
            case "-", a, b:
                return s.sub(a, b)
            case "*", a, b:
                if isinstance(s, Fixed):
                    self.notes.facts.append(s.multiplies(a, b))
                return s.mul(a, b)
            case "/", a, b:
                self.notes.facts.append(z3.Not(s.equal(b, zero)))
                if isinstance(s, Fixed):
                    self.notes.facts.append(s.divides(a, b))
                return s.div(a, b)
            case "neg", a:
                return s.neg(a)
            case "abs", a:
                return z3.If(s.less(a, zero), s.neg(a), a)
            case "min", a, b:
                return minimum(s, a, b)
            case "max", a, b:
                return maximum(s, a, b)
            case "%", a, _ if parts[1] == "1.0":
                return s.sub(a, s.rounded(a, "trunc"))
            case "%", a, two if parts[1] == "2.0":
                return s.sub(a, s.mul(two, s.rounded(s.mul(a, s.number(0.5)), "trunc")))
            case "to-i64", a:
                return s.rounded(a, "trunc")
            case "<<" | "^", _, n if rendered(parts[0]) in ("1", "2.0") and isinstance(s, Fixed):
                self.notes.facts.append(s.is_exponent(n))
                return s.power_of_two(n)
            case "log2", a if isinstance(s, Fixed):
                self.notes.facts.append(s.less(zero, a))
                return s.log2(a)
        raise OutOfScope(f"{head} of numbers")

    def condition(self, fact: Sequence[Expr]) -> Value:
        """A condition of the rule."""
        head, *parts = fact
        if head in VALUE_TESTS:
            return _test(str(head), self.tensor(parts[0], in_graph=True), self.sort(parts[0]))
        if head == "vec-contains":
            members, x = parts
            if not isinstance(members, list) or members[0] != "vec-of":
                raise OutOfScope(f"the condition {rendered(list(fact))}")
            s: Any = self.domain.scalars
            return z3.Or([s.equal(self.scalar(x), self.scalar(member)) for member in members[1:]])
        a, b = parts
        if "Tensor" in (sort_of(a, self.claim.sorts), sort_of(b, self.claim.sorts)):
            return self.sort(a).same(self.tensor(a, in_graph=True), self.tensor(b, in_graph=True))
        return _related(str(head), self.domain.scalars, self.scalar(a), self.scalar(b))


def _related(head: str, s: Any, x: Value, y: Value) -> Value:
    match head:
        case "=":
            return s.equal(x, y)
        case "!=":
            return z3.Not(s.equal(x, y))
        case "<":
            return s.less(x, y)
        case "<=":
            return at_most(s, x, y)
        case ">":
            return s.less(y, x)
    return at_most(s, y, x)


def _test(name: str, x: Value, sort: Sort) -> Value:
    """A fact about a tensor's values, as an assumption. Facts from bounds hold for a NaN."""
    if isinstance(sort, Logic):
        bit = Bits(8, signed=False)
        return _test(name, converted(x, sort, bit, Notes()), bit)
    zero = sort.number(0)
    match name:
        case "Finite":
            return sort.finite(x)
        case "Integral" if isinstance(sort, Exact) and not sort.integer:
            return x == z3.ToReal(z3.Int(f"integer {x.sexpr()}"))
        case "Integral":
            return z3.Or(sort.is_nan(x), sort.equal(x, sort.rounded(x, "floor")))
        case "NonNegative":
            return z3.Not(sort.less(x, zero))
        case "Positive":
            return z3.Not(at_most(sort, x, zero))
        case "NonPositive":
            return z3.Not(sort.less(zero, x))
        case "Negative":
            return z3.Not(at_most(sort, zero, x))
    return z3.Not(sort.equal(x, zero))
