"""Crashes that follow from a wrong value: their root cause is the fault behind that value, whatever the error."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from polyjuice import pipeline
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.ir import Graph, Node, dtypes, prune
from polyjuice.oracles import ORACLES, Case
from polyjuice.session import CompilerSession
from polyjuice.triage.causes import WRONG
from polyjuice.triage.stored import Stored

_ORACLES = tuple(oracle.name for oracle in ORACLES.values() if oracle.traces_values)
"""The oracles that find a wrong value with a single program."""


def comes_of_a_wrong_value(finding: Stored, case: Case, blame: Sequence[str]) -> bool:
    """Whether the failing program computes a wrong value that is right without the parts to blame for the failure.

    To test this, each value gets a program that ends just after it. ``case`` is the finding's case.
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
    """The part of a graph that computes a value, followed by a negation where the value's type has one.

    The negation keeps the value from being an output, because many optimizers leave operators of outputs alone.
    """
    end, type = name, graph.types[name]
    if type.dtype in (*dtypes.FLOATS, *dtypes.SIGNED):
        end = f"{name}_negated"
        negation = Node("Neg", (name,), (end,))
        graph = replace(graph, nodes=(*graph.nodes, negation), types={**graph.types, end: type})
    return prune(replace(graph, outputs=(end,)))


def _values(case: Case, finding: Stored, disabled: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names of the wrong values and of the right values, with some parts of the compiler switched off."""
    with CompilerSession(finding.conditions, finding.compiler, disabled) as session:
        ran = pipeline.rerun(case, session)
        wrong = {verdict.a for verdict in pipeline.judge(ran, session, _ORACLES) if verdict.kind == WRONG}
    return wrong, {program.label for program in ran.ran} - wrong
