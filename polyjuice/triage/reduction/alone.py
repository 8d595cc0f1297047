"""Turn a finding of two programs into a finding of one program that is wrong by itself.

A program's graph determines its correct values. If float64 shows that one side is wrong, reduction without the other
side runs half as many programs and needs no equivalence check. The reduced program is then compared with one of its own
rewritings: an equal program with the right result proves the compiler wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from polyjuice import pipeline
from polyjuice.egraph import Rewriter
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.oracles import Case, Oracle, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rewritings import without_an_operator
from polyjuice.triage.stored import Stored

_REWRITINGS = 3
"""How many rewritings to try for a program."""


def alone(stored: Stored, session: CompilerSession) -> Stored:
    """Return the finding for one of its programs: the culprit, or else the smaller one that is wrong by itself.

    Return the finding unchanged where no oracle sees the fault in one program, or the compiler is no longer wrong.
    """
    oracle = stored.oracle.alone
    if not oracle or len(stored.graphs) < 2:
        return stored
    try:
        case = stored.case()
    except Unlowerable:
        return stored
    culprit = stored.record.culprit
    found = _wrong(stored, case.only([culprit]), oracle, session) if culprit in stored.graphs else []
    found = found or _wrong(stored, case, oracle, session)
    return _of(stored, min(found, key=lambda v: len(stored.graphs[v.a]))) if found else stored


def _wrong(stored: Stored, case: Case, oracle: Oracle, session: CompilerSession) -> list[Verdict]:
    """The verdicts on single programs that are of the finding's kind."""
    verdicts = pipeline.judge(pipeline.execute(case, session), session, [oracle.name])
    return [verdict for verdict in verdicts if verdict.kind == stored.record.kind]


def beside(one: Pair, side: int, rewriter: Rewriter) -> Iterator[Pair]:
    """Yield pairs with a single program on one side and its smallest rewritings, lowered plainly, on the other."""
    (graph,) = one.graphs
    for other in islice(without_an_operator(graph, rewriter), _REWRITINGS):
        sides = [(graph, one.choices[0]), (other, LoweringChoices())]
        graphs, choices = zip(*(sides if side == 0 else reversed(sides)), strict=True)
        yield replace(one, graphs=graphs, choices=choices)


def _of(stored: Stored, verdict: Verdict) -> Stored:
    """The finding that a verdict on one of its programs describes."""
    label = verdict.a
    record = replace(
        stored.record,
        oracle=verdict.oracle,
        rung=verdict.rung,
        signature=verdict.signature,
        message=verdict.message,
        a=label,
        b="",
        culprit=label,
        output=verdict.output,
        inputs=verdict.inputs,
        profile=stored.record.profiles[verdict.inputs],
        given={name: files for name, files in stored.record.given.items() if name == label},
    )
    return replace(
        stored,
        record=record,
        graphs={label: stored.graphs[label]},
        choices={name: choices for name, choices in stored.choices.items() if name == label},
        as_written={name: artifact for name, artifact in stored.as_written.items() if name == label},
    )
