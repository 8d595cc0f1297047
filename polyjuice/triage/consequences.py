"""Failures that are the consequence of a wrong value: whatever the error, the fault is that of the value."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from polyjuice import pipeline
from polyjuice.ir import Graph, Node, dtypes, prune
from polyjuice.lower import Unlowerable
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession
from polyjuice.triage.causes import WRONG
from polyjuice.triage.stored import Stored

_ORACLE = "differential"
"""It tells by one program whether a value is wrong."""


def comes_of_a_wrong_value(finding: Stored, case: Case, blame: Sequence[str]) -> bool:
    """Whether a value that the failing program computes is wrong, and right without the parts to blame for the failure.

    A program for each value ends soon behind it. ``case`` is the finding's.
    """
    label = finding.record.culprit
    if label not in finding.choices or finding.graphs[label].updates:
        return False
    graph = finding.graphs[label]
    programs = []
    for name in (name for node in graph.nodes for name in node.outputs if name):
        part = _up_to(graph, name)
        with suppress(Unlowerable):
            artifact = pipeline.lower(part, finding.choices[label], finding.target)
            programs.append(pipeline.prepare(name, part, artifact, case.sets))
    shorter = finding.case_of(case.sets, programs)
    wrong, _ = _values(shorter, finding, ())
    return bool(wrong) and not wrong.isdisjoint(_values(shorter, finding, blame)[1])


def _up_to(graph: Graph, name: str) -> Graph:
    """The part of a graph that computes a value, with a negation behind it where its type has one.

    Many optimizers leave an operator alone whose result is an output.
    """
    end, type = name, graph.types[name]
    if type.dtype in (*dtypes.FLOATS, *dtypes.SIGNED):
        end = f"{name}_negated"
        negation = Node("Neg", (name,), (end,))
        graph = replace(graph, nodes=(*graph.nodes, negation), types={**graph.types, end: type})
    return prune(replace(graph, outputs=(end,)))


def _values(case: Case, finding: Stored, disabled: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names of the values that are wrong, and of those that are right, without some parts of the compiler."""
    with CompilerSession(finding.conditions, finding.compiler, disabled) as session:
        ran = pipeline.rerun(case, session)
        wrong = {verdict.a for verdict in pipeline.judge(ran, session, [_ORACLE]) if verdict.kind == WRONG}
    return wrong, {program.label for program in ran.ran} - wrong
