"""A finding of two programs, of which one is wrong by itself, as a finding of that program.

Which values a program must give follows from its graph. Where float64 shows that one side is wrong, a reduction without
the other has half as much to run, and need not keep two programs equal. What is left is set beside one of its own
rewritings: that an equal program is right says by itself that the compiler is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from polyjuice import pipeline
from polyjuice.egraph import Rewriter
from polyjuice.execution import LoweringChoices
from polyjuice.lower import Unlowerable
from polyjuice.oracles import Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rewritings import without_an_operator
from polyjuice.triage.stored import Stored

_REWRITINGS = 3
"""How many rewritings are tried beside a program."""


def alone(stored: Stored, session: CompilerSession) -> Stored:
    """The finding of one of its programs: the culprit, or else the smaller one that is wrong by itself.

    The finding as it is where no oracle sees the fault in one program, or the compiler is no longer wrong.
    """
    if not stored.oracle.alone or len(stored.graphs) < 2:
        return stored
    try:
        case = stored.case()
    except Unlowerable:
        return stored
    culprit = stored.record.culprit
    found = _wrong(stored, case.only([culprit]), session) if culprit in stored.graphs else []
    found = found or _wrong(stored, case, session)
    return _of(stored, min(found, key=lambda v: len(stored.graphs[v.a]))) if found else stored


def _wrong(stored: Stored, case: Case, session: CompilerSession) -> list[Verdict]:
    """What is said of programs by themselves."""
    said = pipeline.judge(pipeline.execute(case, session), session, [stored.oracle.alone])
    return [verdict for verdict in said if verdict.kind == stored.record.kind]


def beside(one: Pair, side: int, rewriter: Rewriter) -> Iterator[Pair]:
    """A single program as that side of a pair, with its smallest rewritings, written plainly, as the other."""
    (graph,) = one.graphs
    for other in islice(without_an_operator(graph, rewriter), _REWRITINGS):
        sides = [(graph, one.choices[0]), (other, LoweringChoices())]
        graphs, choices = zip(*(sides if side == 0 else reversed(sides)), strict=True)
        yield replace(one, graphs=graphs, choices=choices)


def _of(stored: Stored, verdict: Verdict) -> Stored:
    """The finding of which a verdict on one of its programs tells."""
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
        given={name: said for name, said in stored.record.given.items() if name == label},
    )
    return replace(
        stored,
        record=record,
        graphs={label: stored.graphs[label]},
        choices={name: choices for name, choices in stored.choices.items() if name == label},
        given={name: artifact for name, artifact in stored.given.items() if name == label},
    )
