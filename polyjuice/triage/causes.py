"""The root cause of a finding as a text, equal for all findings with that cause.

The text names the part of the compiler to blame, if bisection found one. For a failure it also names the error (see
:mod:`polyjuice.oracles.failures`). Without a part, the error alone identifies a failure. Other findings are then
identified by the operators of the wrong program, with its 8-bit and 4-bit types, whose conversions have faults of
their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyjuice.ir import Graph, dtypes, prune
from polyjuice.oracles import kind_of
from polyjuice.oracles.comparison import MISMATCH, operators
from polyjuice.oracles.failures import without_made
from polyjuice.triage.record import FindingRecord

WRONG = MISMATCH.name
"""The kind of findings for a wrong result."""

BY = " by "
"""The separator between an error or a kind of finding and the parts of the compiler to blame."""

SETTING = "setting "
"""The prefix of a knob that is not a part of the compiler but a way to run it."""


@dataclass(frozen=True)
class KnownCulprit:
    """A fault that may account for findings of a kind: its cause, and the parts of the compiler to blame for it."""

    kind: str
    cause: str
    blame: tuple[str, ...]

    def may_account_for(self, kind: str) -> bool:
        """Whether a trial without this culprit's parts can attribute findings of that kind to it.

        Settings are too coarse for that: bisection must try finer parts first.
        """
        return bool(self.blame) and kind == self.kind and not _only_settings(self.blame)

    def accounts_for(self, finding: Mapping[str, Any]) -> bool:
        """Whether bisection's result in a ``finding.json`` shows that this culprit is the cause.

        Its parts must equal one of the sets of parts that bisection found. A proper subset counts too: with the other
        parts switched off, the remaining ones alone still show the fault. A failure must then also have the same error.
        """
        kind = finding["kind"]
        if not self.may_account_for(kind):
            return False
        same = not fails(kind) or self.cause == by_part(kind, finding["signature"], self.blame)
        sets = [{*finding["blame"]}, *({*names} for names in finding["bisection"].get("alternatives", ()))]
        return any({*self.blame} == names or (same and {*self.blame} < names) for names in sets)


def fails(kind: str) -> bool:
    """Whether findings of a kind are failures of the compiler, which their error distinguishes."""
    return kind_of(kind).failure


def ends(kind: str) -> bool:
    """Whether findings of a kind are failures that come to an end."""
    return fails(kind) and not kind_of(kind).endless


def by_part(kind: str, signature: str, blame: Sequence[str]) -> str:
    """The cause of findings for which parts of the compiler are to blame.

    Settings do not change what is compiled, so a crash that depends only on settings counts as a wrong value.
    """
    if ends(kind) and _only_settings(blame):
        kind = WRONG
    return (signature if fails(kind) else kind) + BY + " and ".join(sorted(blame))


def cause_of(record: FindingRecord, graphs: Mapping[str, Graph], blame: Sequence[str]) -> str:
    """The cause of a bisected finding; ``graphs`` are its programs by label."""
    if blame:
        return by_part(record.kind, record.signature, blame)
    if fails(record.kind):
        return without_made(record.signature, {name for graph in graphs.values() for name in operators(graph)})
    wrong = [graphs[record.culprit]] if record.culprit in graphs else list(graphs.values())
    if beside := _writing_elsewhere(record, wrong):
        return f"{record.kind} beside {' '.join(beside)}"
    narrow = sorted({t.dtype for graph in wrong for t in graph.types.values()}.intersection(dtypes.NARROW))
    stored = f" with {' and '.join(narrow)}" if narrow else ""
    return f"{record.kind} of {' '.join(sorted({name for graph in wrong for name in operators(graph)}))}{stored}"


def _writing_elsewhere(record: FindingRecord, wrong: Sequence[Graph]) -> list[str]:
    """The operators that reduction could not remove although the wrong output does not depend on them.

    Such operators overwrite memory that is not theirs if the output is not wrong in every process. The operators that
    read this memory do not identify the fault.
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
