"""All checks of a set of rules, in several processes side by side, and their results."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from polyjuice.egraph import Rule
from polyjuice.egraph.terms import directions
from polyjuice.rulecheck.coherence import Coherence, coherence
from polyjuice.rulecheck.soundness import Check, check

#: Generated graphs that one process takes at a time.
_GRAPHS = 100

_T = TypeVar("_T")

SOUND, UNSOUND, UNTESTED = "sound", "unsound", "untested"


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result for one rule.

    ``trials`` is the smaller number of trials of its two directions. ``fired`` is the number of matches on
    the generated graphs (None: the rule was not tried there).
    """

    rule: Rule
    trials: int
    status: str
    counterexample: dict[str, Any] | None = None
    explanation: str = ""
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
            "fired": self.fired,
        }


@dataclass(frozen=True)
class Report:
    """All results, in the order of the rules, and the result of all rules together (None if not asked for)."""

    results: tuple[Result, ...]
    together: Coherence | None

    def count(self, status: str) -> int:
        """The number of rules with a status."""
        return sum(result.status == status for result in self.results)

    @property
    def dead(self) -> list[str]:
        """The rules that fired on none of the generated graphs."""
        return [result.rule.name for result in self.results if result.fired == 0]

    @property
    def good(self) -> bool:
        """Whether all rules are sound, alone and together."""
        return self.count(SOUND) == len(self.results) and not (self.together and self.together.incoherent)


def check_rule(rule: Rule, trials: int, seed: int | str) -> Result:
    """Try a rule in all its directions."""
    done: list[Check] = []
    for direction in directions(rule):
        done.append(check(direction, trials, seed))
        found = done[-1].counterexample
        if found:
            return Result(
                rule=rule,
                trials=done[-1].trials,
                status=UNSOUND,
                counterexample=asdict(found),
                explanation=str(found),
            )
    least = min(result.trials for result in done)
    problem = next((result.problem for result in done if result.problem), "")
    if least >= trials:
        return Result(rule=rule, trials=least, status=SOUND)
    return Result(rule=rule, trials=least, status=UNTESTED, explanation=problem)


def check_all(
    rules: Sequence[Rule],
    trials: int,
    graphs: int = 0,
    seed: int | str = 0,
    workers: int = 1,
    progress: Callable[[str, int], None] = lambda what, done: None,
) -> Report:
    """Check every rule by itself, and all that are not unsound together on generated graphs.

    ``progress`` gets the number of checked rules with the text ``rules``, and later that of graphs with ``graphs``.
    """
    with _processes(workers) as pool:
        alone = {pool.submit(check_rule, rule, trials, seed): i for i, rule in enumerate(rules)}
        results = _as_done(alone, lambda done: progress("rules", done))
    for i, rule in enumerate(rules):
        if results[i] is None:  # its process died, because of this rule or one beside it
            with _processes(1) as pool:
                again = _as_done({pool.submit(check_rule, rule, trials, seed): i})
            results[i] = again[i] or Result(
                rule=rule, trials=0, status=UNTESTED, explanation="the process died in egglog"
            )
    ordered = tuple(result for i in range(len(rules)) if (result := results[i]))
    if not graphs:
        return Report(ordered, None)
    trusted = [result.rule for result in ordered if result.status != UNSOUND]
    chunks = [range(start, min(start + _GRAPHS, graphs)) for start in range(0, graphs, _GRAPHS)]
    with _processes(workers) as pool:
        futures = {pool.submit(coherence, trusted, chunk, seed): k for k, chunk in enumerate(chunks)}
        parts = _as_done(futures, lambda done: progress("graphs", done * _GRAPHS))
    died = Coherence(incoherent=("a process died in egglog",))
    together = sum((parts[k] or died for k in range(len(chunks))), Coherence())
    fired = {rule.name: together.fired[rule.name] for rule in trusted}
    return Report(tuple(replace(r, fired=fired.get(r.rule.name)) for r in ordered), together)


@contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes with a fresh interpreter (this one may have threads); an exception here ends them."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _be_quiet) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _be_quiet() -> None:
    """Close the standard error of a process, because egglog prints backtraces there before it raises an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _as_done(
    futures: Mapping[Future[_T], int], progress: Callable[[int], None] = lambda done: None
) -> dict[int, _T | None]:
    results: dict[int, _T | None] = {}
    for done, future in enumerate(as_completed(futures), 1):
        progress(done)
        try:
            results[futures[future]] = future.result()
        except BrokenProcessPool:
            results[futures[future]] = None
    return results
