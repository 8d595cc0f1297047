"""Value bounds: intervals around the values of a term, as an egglog analysis, and the facts that rules use.

``(lo x)`` and ``(hi x)`` bound the values of ``x`` over the reals; a missing one means that no finite bound is known.
Bounds start at the inputs (whose ranges the campaign knows), at constants and at element types. They go through the
operators whose entries have bounds. A NaN lies in every interval: ``(Finite x)`` says that ``x`` has no NaN and no
infinity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from polyjuice.ir import dtypes
from polyjuice.ops.value_bounds import Bounds

DECLARATIONS = """
(function lo (Tensor) f64 :merge (max old new))
(function hi (Tensor) f64 :merge (min old new))
(relation Finite (Tensor))
(relation Integral (Tensor))
(relation NonNegative (Tensor))
(relation Positive (Tensor))
(relation NonPositive (Tensor))
(relation Negative (Tensor))
(relation NonZero (Tensor))
(relation TypeRange (String f64 f64))
(relation Widens (String String))
(ruleset bounds)
(rule ((RangeOf n l h) (= x (numbered-value n))) ((set (lo x) l) (set (hi x) h) (Finite x)) :ruleset numbered)
"""

#: The functions and relations of value bounds. An e-graph computes them only if a rule asks for one of them.
FACTS = frozenset(["lo", "hi", "Finite", "Integral", "NonNegative", "Positive", "NonPositive", "Negative", "NonZero"])

#: Larger bounds are useless, and arithmetic on them could overflow.
_LARGEST = 1e100

#: Beyond this magnitude float64 does not hold every integer.
_LARGEST_INTEGER = 2.0**53

_UNSIGNED = "\n".join(
    f'(rule ((= (dtype x) "{t}")) ((set (lo x) 0.0) (set (hi x) {dtypes.largest_finite(t)!r})) :ruleset bounds)'
    for t in dtypes.UNSIGNED
)

RULES = f"""{_UNSIGNED}
(rule ((= e (Splat v s t))) ((set (lo e) v) (set (hi e) v)) :ruleset bounds)
(rule ((= e (Splat v s t)) (TypeRange t a b) (<= a v) (<= v b)) ((Finite e)) :ruleset bounds)
(rule ((= e (Splat v s t)) (= v (to-f64 (to-i64 v)))) ((Integral e)) :ruleset bounds)
(rule ((Integer x)) ((Finite x) (Integral x)) :ruleset bounds)
(rule ((Bool x)) ((Finite x) (Integral x) (set (lo x) 0.0) (set (hi x) 1.0)) :ruleset bounds)
(rule ((<= 0.0 (lo x))) ((NonNegative x)) :ruleset bounds)
(rule ((< 0.0 (lo x))) ((Positive x) (NonZero x)) :ruleset bounds)
(rule ((<= (hi x) 0.0)) ((NonPositive x)) :ruleset bounds)
(rule ((< (hi x) 0.0)) ((Negative x) (NonZero x)) :ruleset bounds)
(rule ((= e (Cast x t)) (TypeRange t a b) (= l (lo x)) (= h (hi x)) (<= a (- l 1.0)) (<= (+ h 1.0) b) (Integer e))
      ((set (lo e) (min l 0.0)) (set (hi e) (max h 0.0))) :ruleset bounds)
(rule ((= e (Cast x t)) (Float e) (= l (lo x))) ((set (lo e) l)) :ruleset bounds)
(rule ((= e (Cast x t)) (Float e) (= h (hi x))) ((set (hi e) h)) :ruleset bounds)
(rule ((= e (Cast x t)) (Finite x) (TypeRange t a b) (<= a (lo x)) (<= (hi x) b)) ((Finite e)) :ruleset bounds)
(rule ((= e (Cast x t)) (Integral x)) ((Integral e)) :ruleset bounds)
"""
"""The rules that belong to no operator."""


def type_facts() -> list[str]:
    """Facts about element types: their ranges, and which types hold all values of which others.

    The range of a floating type is half of its own, so that rounding cannot leave it. The range of a narrow type is
    that of the integers that it holds.
    """
    facts = []
    for t in dtypes.STORED:
        if dtypes.is_float(t):
            largest = min(dtypes.largest_finite(t) / 2, _LARGEST)
            facts.append(f'(TypeRange "{t}" {-largest!r} {largest!r})')
        elif t != "bool":
            low, high = (float(v) for v in dtypes.exact_integers(t))
            facts.append(f'(TypeRange "{t}" {max(low, -_LARGEST_INTEGER)!r} {min(high, _LARGEST_INTEGER)!r})')
    return [*facts, *(f'(Widens "{t}" "{u}")' for t in dtypes.STORED for u in wider(t))]


def wider(dtype: str) -> tuple[str, ...]:
    """The other element types that hold every value of a type exactly, without narrow ones."""
    if dtype == "bool":
        return tuple(t for t in dtypes.ALL if t != "bool")
    if dtypes.is_int(dtype):
        low, high = dtypes.exact_integers(dtype)
        ranges = {t: dtypes.exact_integers(t) for t in dtypes.ALL if t not in ("bool", dtype)}
        return tuple(t for t, (least, greatest) in ranges.items() if least <= low and high <= greatest)
    if dtype in dtypes.NARROW_FLOATS:
        return dtypes.FLOATS
    return {"float16": ("float32", "float64"), "bfloat16": ("float32", "float64"), "float32": ("float64",)}.get(
        dtype, ()
    )


def operator_rules(name: str, bounds: Bounds, operands: int, variables: Iterable[str], exact: bool) -> list[str]:
    """The rules of one constructor, in a ruleset of its own.

    ``operands`` is the number of its operands, and ``variables`` the names of its arguments. ``exact`` means that
    integer operands give integer results for all attributes.
    """
    ruleset = f":ruleset {ruleset_of(name)}"
    term = f"(= e ({name} {' '.join(variables)}))"
    tensors = [f"x{i}" for i in range(operands)]
    found = [f"(ruleset {ruleset_of(name)})"]
    if exact or bounds.whole:
        known = "" if bounds.whole else " ".join(f"(Integral {x})" for x in tensors)
        found.append(f"(rule ({term} {known}) ((Integral e)) {ruleset})")
    sides = [(f, side) for f, side in (("lo", bounds.lo), ("hi", bounds.hi)) if side]
    constant = [(f, side) for f, side in sides if not _used(side, operands) and not bounds.when]
    constant += [(f, side) for f, side in (("lo", bounds.least), ("hi", bounds.most)) if side]
    of_floats = "(Float e)" if bounds.wraps else ""
    for function, side in dict.fromkeys(constant):
        found.append(f"(rule ({term} {of_floats}) ((set ({function} e) {side})) {ruleset})")
    if len(sides) == 2:
        if _used(f"{bounds.lo} {bounds.hi}", operands):
            body = f"{term} {_used(f'{bounds.lo} {bounds.hi} {bounds.when}', operands)} {bounds.when}"
            body += f" (= l {bounds.lo}) (= h {bounds.hi}) (<= (max (abs l) (abs h)) {_LARGEST!r})"
            if bounds.wraps:
                body += " (= t (dtype e)) (TypeRange t a b)"
            within = ["(Integer e) (<= a l) (<= h b)", "(Float e)"] if bounds.wraps else [""]
            found += [f"(rule ({body} {guard}) ((set (lo e) l) (set (hi e) h)) {ruleset})" for guard in within]
        finite = " ".join(f"(Finite {x})" for x in tensors)
        within_type = "(Float e) (= t (dtype e)) (TypeRange t a b) (<= a (lo e)) (<= (hi e) b)"
        found.append(f"(rule ({term} {finite} {within_type}) ((Finite e)) {ruleset})")
    return found


def ruleset_of(name: str) -> str:
    """The ruleset of a constructor's bounds."""
    return f"bounds-{name}"


def _used(text: str, operands: int) -> str:
    """The conditions that bind those bounds of operands that an expression uses."""
    return " ".join(
        f"(= {bound}{i} ({function} x{i}))"
        for i in range(operands)
        for bound, function in (("l", "lo"), ("h", "hi"))
        if re.search(rf"\b{bound}{i}\b", text)
    )
