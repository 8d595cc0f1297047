"""Proofs of rules by an SMT solver, where that is cheap: laws of elementwise operators.

A rule must hold in the numbers of its ruleset:

- ``exact``: bit for bit in integers and in IEEE 754 floats (all NaNs are one, +0 equals -0).
- ``modular``: in integers that wrap around, and in the real numbers.
- ``real``: in mathematical integers, and in the real numbers.

Few element types stand for all: 8 and 16 bits, 32 where that is cheap, and float16. Attributes and constants that a
rule leaves open are any numbers of single precision, since ONNX holds no others. Beside integers they are any multiples
of 1/256 that are not too large for products. A function without a model (an exponential) is any function. Then only
rules that hold for all functions are proved.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyjuice.egraph.rulefiles import Rule
from polyjuice.generate.smt import load_z3
from polyjuice.rulecheck.proof_claims import Claim, OutOfScope, read
from polyjuice.rulecheck.terms import directions

#: The proof ends after this number of domains in which the solver finds no answer.
_PATIENCE = 2


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The result of the attempt to prove a rule.

    ``status`` is ``proved``, ``refuted``, ``unknown`` (no answer with that effort) or ``out of scope`` (not
    elementwise, or beyond the solver). ``domains`` are those with a proof: element types, ``integer``, ``natural`` and
    ``real``. ``counterexample`` has the domain, the values of the variables, and both sides. ``reason`` says why a rule
    is out of scope or unknown, or what the proof left out.
    """

    status: str
    domains: tuple[str, ...] = ()
    counterexample: str = ""
    reason: str = ""


def prove(rule: Rule, effort: int = 10_000_000) -> Proof:
    """Prove a rule in both of its directions.

    ``effort`` is for each question to the solver, in its resource units (several millions a second). Unlike seconds,
    they give the same answer on every machine, however busy it is.

    Raises SolverMissing.
    """
    proofs = [_prove_direction(direction, effort) for direction in directions(rule)]
    for status in ("refuted", "unknown", "out of scope"):
        for proof in proofs:
            if proof.status == status:
                return proof
    return proofs[0]


def _prove_direction(rule: Rule, effort: int) -> Proof:
    try:
        claim = read(rule)
    except OutOfScope as limit:
        return Proof(status="out of scope", reason=str(limit))
    return _prove_claim(claim, rule.ruleset, effort)


def _prove_claim(claim: Claim, ruleset: str, effort: int) -> Proof:
    load_z3("proofs of rules need")
    from polyjuice.rulecheck.proof_search import decide, domains

    proved: list[str] = []
    unknown: list[str] = []
    skipped: list[str] = []
    for domain in domains(claim, ruleset):
        if len(unknown) == _PATIENCE:
            break
        if domain.label == "int32" and unknown:
            continue  # harder than a domain that had no answer
        try:
            result = decide(claim, domain, effort)
        except OutOfScope as limit:
            skipped.append(str(limit))
            continue
        if result.status == "refuted":
            return Proof(status="refuted", domains=(), counterexample=result.text)
        if result.status == "proved":
            proved.append(domain.label)
        elif result.status == "unknown":
            (skipped if domain.label == "int32" and proved else unknown).append(result.text)
    reason = "; ".join(dict.fromkeys([*unknown, *skipped]))
    if unknown or proved:
        return Proof(status="unknown" if unknown else "proved", domains=tuple(proved), reason=reason)
    return Proof(status="out of scope", reason=reason or "nothing satisfies its conditions")
