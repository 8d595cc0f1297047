"""The search for proofs: a rule's claim, in one choice of element types after another, as a question to z3."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from polyjuice.ir import dtypes
from polyjuice.rulecheck.proof_claims import Claim, OutOfScope
from polyjuice.rulecheck.proof_models import ROUNDED_OFTEN
from polyjuice.rulecheck.proof_numbers import Bits, Exact, Ieee, Logic, Sort, Value, python_value
from polyjuice.rulecheck.proof_terms import Domain, Evaluation

#: The element types that stand for all of their kind; fewer of each where a rule has several types.
_ALONE = ("bool", "int8", "uint8", "int16", "int32", "float16")
_TOGETHER = ("bool", "int8", "uint8", "int16", "float16", "float32")

#: The most conditions whose two cases are solved one by one; each of them doubles the number of cases.
_MOST_CONDITIONS = 4


@dataclass(frozen=True)
class Result:
    """``proved``, ``refuted`` (``text`` has the values), ``unknown`` or ``vacuous`` (nothing satisfies the rule)."""

    status: str
    text: str = ""


# --- domains ---------------------------------------------------------------------------------------------------------


def domains(claim: Claim, ruleset: str) -> list[Domain]:
    """The domains in which a claim must be proved, the cheapest first."""
    often = ruleset == "exact" and bool(claim.operators & ROUNDED_OFTEN)

    def choose(types: Sequence[str], alone: bool) -> list[str]:
        wanted = (*_ALONE, "float32") if alone and often else _ALONE if alone else _TOGETHER
        chosen = [t for t in wanted if t in types]
        for kind in (dtypes.FLOATS, dtypes.INTS):
            if not set(kind) & set(chosen):
                chosen += [t for t in types if t in kind][:1]
        return chosen

    found: dict[str, Domain] = {}
    for types in claim.types.assignments(choose):
        sorts = {root: _sort(dtype, ruleset) for root, dtype in types.items()}
        labels = {root: _label(sorts[root], dtype) for root, dtype in types.items()}
        label = ", ".join(
            [labels[root] for root in types if claim.types.is_open(root)] or dict.fromkeys(labels.values())
        )
        found.setdefault(label, Domain(label, sorts))
    return list(found.values())


def _sort(dtype: str, ruleset: str) -> Sort:
    """The numbers that stand for an element type in the proofs of a ruleset."""
    if dtype == "bool":
        return Logic()
    if dtypes.is_float(dtype):
        return Ieee(dtype) if ruleset == "exact" else Exact()
    if ruleset == "real":
        return Exact(integer=True, natural=dtype in dtypes.UNSIGNED)
    return Bits(8 * dtypes.to_numpy(dtype).itemsize, dtype in dtypes.SIGNED)


def _label(sort: Sort, dtype: str) -> str:
    if not isinstance(sort, Exact):
        return dtype
    return "natural" if sort.natural else "integer" if sort.integer else "real"


# --- decisions -------------------------------------------------------------------------------------------------------


def decide(claim: Claim, domain: Domain, effort: int) -> Result:
    """Whether the claim holds in a domain. Raises OutOfScope where z3 cannot express that.

    Wherever the left sides have values and the conditions hold, the right sides must have the same values. Over the
    mathematical numbers both sides must be real (no division by zero) and must not overflow. A right side that is not
    real where the left side is real refutes the claim if it is not finite in float64 either.
    """
    seen = Evaluation(claim=claim, domain=domain)
    notes = seen.notes
    for term in claim.matched:
        seen.tensor(term, in_graph=True)
    lefts = [seen.tensor(left, in_graph=True) for left, _ in claim.pairs]
    in_graph = [seen.condition(fact) for fact in claim.conditions]
    in_graph += [*notes.defined, *notes.real, *notes.known]
    defined, real = len(notes.defined), len(notes.real)
    rights = [seen.tensor(right) for _, right in claim.pairs]
    in_graph += [*notes.facts, *notes.fits]
    new_defined, new_real = notes.defined[defined:], notes.real[real:]
    equal = [_same(seen.sort(left), x, y) for (left, _), x, y in zip(claim.pairs, lefts, rights, strict=True)]
    outcome, model = _solve([*in_graph, *new_real], [*equal, *new_defined], effort)
    if outcome == z3.unsat and new_real:
        outcome, model = _solve(in_graph, new_real, effort)
        if outcome == z3.sat and not notes.opaque:
            return _beyond_the_reals(seen, model)
    if outcome == z3.sat and notes.opaque:
        raise OutOfScope(f"it depends on the meaning of {', '.join(sorted(notes.opaque))}")
    if outcome == z3.sat:
        return Result("refuted", _counterexample(seen, model, lefts, rights, new_defined))
    if outcome == z3.unknown:
        return Result("unknown", f"the solver found no answer with the effort {effort:,} in {domain.label}")
    possible, _ = _by_cases(z3.And(*in_graph), [], effort // 8)
    return Result("vacuous" if possible == z3.unsat else "proved")


def _same(sort: Any, x: Value, y: Value) -> Value:
    return z3.BoolVal(True) if z3.simplify(x).eq(z3.simplify(y)) else sort.same(x, y)


def _solve(premises: Sequence[Value], goals: Sequence[Value], effort: int) -> tuple[Any, Any]:
    """Whether the given facts contradict a goal: ``unsat`` if they do not, ``sat`` with a model, or ``unknown``.

    The cases of boolean variables are solved one by one. Those of other conditions are solved so only where all at once
    are too hard.
    """
    known = {fact.get_id() for fact in premises}
    question = z3.And(*premises, z3.Not(z3.And(*(goal for goal in goals if goal.get_id() not in known))))
    conditions = _conditions(question)[:_MOST_CONDITIONS]
    booleans = [c for c in conditions if z3.is_const(c)]
    others = len(booleans) < len(conditions)
    outcome, model = _by_cases(question, booleans, effort // 2 if others else effort)
    if outcome == z3.unknown and others:
        return _by_cases(question, conditions, effort // 2)
    return outcome, model


def _by_cases(question: Value, conditions: Sequence[Value], effort: int) -> tuple[Any, Any]:
    for signs in itertools.product((True, False), repeat=len(conditions)):
        values = [z3.BoolVal(sign) for sign in signs]
        solver = z3.Solver()
        before = _spent(solver)
        solver.set("rlimit", max(1, effort))
        solver.add(z3.substitute(question, *zip(conditions, values, strict=True)))
        solver.add([c == v for c, v in zip(conditions, values, strict=True)])
        outcome = solver.check()
        if outcome != z3.unsat:
            return outcome, solver.model() if outcome == z3.sat else None
        effort -= _spent(solver) - before
    return z3.unsat, None


def _spent(solver: z3.Solver) -> int:
    """The resource units that z3 has spent so far, for any question."""
    return int(solver.statistics().get_key_value("rlimit count"))


def _conditions(expr: Value) -> list[Value]:
    """The conditions of selections in an expression, without conditions that contain a selection themselves."""
    found: dict[int, Value] = {}
    selects: dict[int, bool] = {}

    def visit(e: Value) -> bool:
        """Whether an expression contains a selection."""
        if e.get_id() not in selects:
            inside = [visit(part) for part in e.children()]
            is_selection = z3.is_app_of(e, z3.Z3_OP_ITE)
            if is_selection and not inside[0]:
                found.setdefault(e.arg(0).get_id(), e.arg(0))
            selects[e.get_id()] = is_selection or any(inside)
        return selects[e.get_id()]

    visit(expr)
    return list(found.values())


def _beyond_the_reals(seen: Evaluation, model: Any) -> Result:
    """The result for a right side that is not real at the point of a model: its value in float64 decides."""
    machine = Evaluation(claim=seen.claim, domain=seen.domain.in_float64)
    sides = [(machine.tensor(left, in_graph=True), machine.tensor(right)) for left, right in seen.claim.pairs]
    for fact in seen.claim.conditions:
        machine.condition(fact)
    point = []
    for name, (variable, sort) in machine.variables.items():
        value, exact = seen.variables[name]
        number = python_value(model.eval(value, model_completion=True), exact)
        point.append((variable, sort.number(float(number))))
    values = [[z3.simplify(z3.substitute(side, *point)) for side in pair] for pair in sides]
    for (left, _), (x, y) in zip(seen.claim.pairs, values, strict=True):
        sort = machine.sort(left)
        if isinstance(sort, Ieee) and z3.is_false(z3.simplify(sort.finite(y))):
            at = f"{seen.domain.label}: {_point(seen, model)}"
            return Result("refuted", f"{at}left = {python_value(x, sort)}, right = {python_value(y, sort)}")
    return Result("unknown", f"the right side is not real at {_point(seen, model)}though finite in float64")


# --- counterexamples -------------------------------------------------------------------------------------------------


def _counterexample(
    seen: Evaluation, model: Any, lefts: Sequence[Value], rights: Sequence[Value], defined: Sequence[Value]
) -> str:
    sorts = [seen.sort(left) for left, _ in seen.claim.pairs]
    has_value = all(z3.is_true(model.eval(condition, model_completion=True)) for condition in defined)
    left = ", ".join(str(_valued(model, x, s)) for x, s in zip(lefts, sorts, strict=True))
    right = (
        ", ".join(str(_valued(model, y, s)) for y, s in zip(rights, sorts, strict=True)) if has_value else "no value"
    )
    return f"{seen.domain.label}: {_point(seen, model)}left = {left}, right = {right}"


def _point(seen: Evaluation, model: Any) -> str:
    names = sorted(seen.variables)
    return "".join(f"{name} = {_valued(model, *seen.variables[name])}, " for name in names)


def _valued(model: Any, value: Value, sort: Sort) -> Any:
    return python_value(model.eval(value, model_completion=True), sort)
