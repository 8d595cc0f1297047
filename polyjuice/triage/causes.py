"""The cause of a finding as a text, which all findings with one root cause share.

It names the part of the compiler to blame, where bisection names one. A failure's cause also has its error (see the
crash oracle). Without a part, the error alone identifies a failure. The operators of the wrong program identify another
finding, with its types of 8 and 4 bits: conversions of these have faults of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyjuice.ir import Graph, dtypes, prune
from polyjuice.oracles.comparison import operators
from polyjuice.oracles.crash import without_made
from polyjuice.triage.record import FindingRecord

CRASH, WRONG = "crash", "mismatch"
"""The kinds of what fails at once, and of what has a wrong result."""

FAILURES = (CRASH, "hang")
"""The kinds that an error tells apart."""

BY = " by "
"""Stands between an error or a kind of finding and the parts of the compiler to blame."""

SETTING = "setting "
"""How a knob begins that is no part of the compiler, but how it runs."""


@dataclass(frozen=True)
class Suspect:
    """A fault that may account for findings of a kind: its cause, and the parts of the compiler to blame for it."""

    kind: str
    cause: str
    blame: tuple[str, ...]

    def may_account_for(self, kind: str) -> bool:
        """Whether a trial without its parts can attribute findings of that kind to it.

        Settings are too coarse for that: bisection tries the finest first.
        """
        return bool(self.blame) and kind == self.kind and not _only_settings(self.blame)

    def accounts_for(self, finding: Mapping[str, Any]) -> bool:
        """Whether it does, by what bisection says in a ``finding.json``: without its parts the fault is gone.

        Or these are some of those to blame: where the others are switched off, the fault shows by them alone. A
        failure must then have the same error.
        """
        kind = finding["kind"]
        if not self.may_account_for(kind):
            return False
        same = kind not in FAILURES or self.cause == by_part(kind, finding["signature"], self.blame)
        sets = [{*finding["blame"]}, *({*names} for names in finding["bisection"].get("alternatives", ()))]
        return any({*self.blame} == names or (same and {*self.blame} < names) for names in sets)


def by_part(kind: str, signature: str, blame: Sequence[str]) -> str:
    """The cause of findings for which parts of the compiler are to blame.

    Settings do not change what is compiled: an error that one of them accounts for comes of wrong values.
    """
    if kind == CRASH and _only_settings(blame):
        kind = WRONG
    return (signature if kind in FAILURES else kind) + BY + " and ".join(sorted(blame))


def cause_of(record: FindingRecord, graphs: Mapping[str, Graph], blame: Sequence[str]) -> str:
    """The cause of a finding that has been bisected; ``graphs`` are its programs by label."""
    if blame:
        return by_part(record.kind, record.signature, blame)
    if record.kind in FAILURES:
        return without_made(record.signature, {name for graph in graphs.values() for name in operators(graph)})
    wrong = [graphs[record.culprit]] if record.culprit in graphs else list(graphs.values())
    if beside := _writing_elsewhere(record, wrong):
        return f"{record.kind} beside {' '.join(beside)}"
    narrow = sorted({t.dtype for graph in wrong for t in graph.types.values()}.intersection(dtypes.NARROW))
    stored = f" with {' and '.join(narrow)}" if narrow else ""
    return f"{record.kind} of {' '.join(sorted({name for graph in wrong for name in operators(graph)}))}{stored}"


def _writing_elsewhere(record: FindingRecord, wrong: Sequence[Graph]) -> list[str]:
    """The operators that reduction keeps although the wrong output does not depend on them.

    Where the output is not wrong in every process, these operators overwrite memory that is not theirs. The operators
    that they hit do not identify the fault.
    """
    if record.kind != WRONG or len(wrong) != 1 or not record.reduction.get("finished") or record.repro_exit != 0:
        return []
    (graph,) = wrong
    if record.output >= len(graph.outputs) or graph.updates:
        return []
    needed = {node.outputs for node in prune(replace(graph, outputs=(graph.outputs[record.output],))).nodes}
    return sorted({node.qualified for node in graph.nodes if node.outputs not in needed})


def _only_settings(blame: Collection[str]) -> bool:
    return bool(blame) and all(name.startswith(SETTING) for name in blame)
