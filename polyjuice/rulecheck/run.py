"""All checks of a set of rules, side by side in several processes, and their results."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from polyjuice.egraph import Rule
from polyjuice.rulecheck.coherence import Coherence, coherence
from polyjuice.rulecheck.proofs import Proof, SolverMissing, prove
from polyjuice.rulecheck.soundness import Check, check
from polyjuice.rulecheck.terms import directions

#: Generated graphs that one process takes at a time.
_GRAPHS = 100

#: For each question to the solver.
_PROOF_MS = 300

_T = TypeVar("_T")

SOUND, UNSOUND, UNTESTED = "sound", "unsound", "untested"


@dataclass(frozen=True)
class Result:
    """What became of one rule: ``trials`` of the direction that had fewer; ``proof`` is the status of :class:`Proof`.

    ``fired``: how often it matched on the generated graphs (None: there were none).
    """

    rule: Rule
    trials: int
    status: str
    counterexample: dict[str, Any] | None = None
    explanation: str = ""
    proof: str = ""
    fired: int | None = None

    @property
    def row(self) -> dict[str, Any]:
        """The result as one JSON object."""
        return {
            "name": self.rule.name,
            "ruleset": self.rule.ruleset,
            "file": str(self.rule.file),
            "line": self.rule.line,
            "trials": self.trials,
            "status": self.status,
            "counterexample": self.counterexample,
            "proved": self.proof == "proved",
            "proof": self.proof,
            "fired": self.fired,
        }


@dataclass(frozen=True)
class Report:
    """All results, in the order of the rules, and what the rules do together (None where that was not asked for)."""

    results: tuple[Result, ...]
    together: Coherence | None

    def count(self, status: str) -> int:
        return sum(result.status == status for result in self.results)

    @property
    def dead(self) -> list[str]:
        """The rules that fired on none of the generated graphs."""
        return [result.rule.name for result in self.results if result.fired == 0]

    @property
    def good(self) -> bool:
        return self.count(SOUND) == len(self.results) and not (self.together and self.together.incoherent)


def check_rule(rule: Rule, trials: int, seed: int | str) -> Result:
    """Try a rule in all its directions, and prove it where that is cheap."""
    try:
        proof = prove(rule, _PROOF_MS)
    except SolverMissing:  # it is optional
        proof = Proof("")
    done: list[Check] = []
    for direction in directions(rule):
        done.append(check(direction, trials, seed))
        found = done[-1].counterexample
        if found:
            return Result(rule, done[-1].trials, UNSOUND, asdict(found), str(found), proof.status)
    least = min(result.trials for result in done)
    if proof.status == "refuted":
        return Result(rule, least, UNSOUND, {"problem": proof.counterexample}, proof.counterexample, proof.status)
    return Result(rule, least, SOUND if least >= trials else UNTESTED, proof=proof.status)


def check_all(
    rules: Sequence[Rule],
    trials: int,
    graphs: int = 0,
    seed: int | str = 0,
    workers: int = 1,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Report:
    """Check every rule by itself, and all of them together on generated graphs.

    ``progress`` is told what is being done, how much of it is done, and of how much.
    """
    # A fresh interpreter for each: this process may have threads.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            alone = {pool.submit(check_rule, rule, trials, seed): i for i, rule in enumerate(rules)}
            chunks = [range(start, min(start + _GRAPHS, graphs)) for start in range(0, graphs, _GRAPHS)]
            others = {pool.submit(coherence, rules, chunk, seed): k for k, chunk in enumerate(chunks)}
            results = dict(_as_done(alone, "rules", progress))
            parts = dict(_as_done(others, "graphs", progress, _GRAPHS))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    ordered = tuple(results[i] for i in range(len(rules)))
    if not graphs:
        return Report(ordered, None)
    together = sum((parts[k] for k in range(len(chunks))), Coherence())
    return Report(tuple(replace(r, fired=together.fired[r.rule.name]) for r in ordered), together)


def _as_done(
    futures: dict[Future[_T], int], what: str, progress: Callable[[str, int, int], None], unit: int = 1
) -> Iterator[tuple[int, _T]]:
    for done, future in enumerate(as_completed(futures), 1):
        progress(what, done * unit, len(futures) * unit)
        yield futures[future], future.result()
