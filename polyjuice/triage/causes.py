"""The root cause of a finding, as a text that is equal for all findings with that cause.

For a failure the text is the error, with the part of the compiler to blame. For a wrong result it has three parts: the
narrowest part to blame, the operators and element types that reduction leaves, and what is wrong about the result.
Without a part to blame, the forms count, too, in which the program has to be written:

    mismatch by MatmulTransposeFusion of MatMul Transpose: wrong values
    mismatch of aten.argmin(int64 int8): wrong values
    mismatch of Conv, through Min of one: a number instead of an infinity

A switch that turns off a whole code generator names no cause. A compiler file lists such switches
(:attr:`polyjuice.compilers.CompilerInfo.broad`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polyjuice import compilers
from polyjuice.compilers import SETTING, is_family
from polyjuice.execution import Artifact
from polyjuice.frameworks.forms import name_in
from polyjuice.ir import Graph, Node, prune
from polyjuice.oracles import kind_of
from polyjuice.oracles.comparison import MISMATCH
from polyjuice.oracles.failures import strip_generated_names
from polyjuice.triage.listing import shown
from polyjuice.triage.record import FindingRecord

WRONG = MISMATCH.name
"""The kind of findings for a wrong result."""

BY, OF = " by ", " of "
"""The separators before the parts of the compiler to blame, and before the operators."""

IN_PLACE = "in place"
"""The last element of a pattern of a program that writes into its inputs."""


@dataclass(frozen=True)
class KnownCulprit:
    """A fault that may account for findings of a kind: its cause, the parts of the compiler to blame, and its pattern.

    A part alone shows nothing: findings must have the pattern, too.
    """

    kind: str
    cause: str
    blame: tuple[str, ...]
    pattern: tuple[str, ...] = ()

    @classmethod
    def of(cls, finding: Mapping[str, Any], cause: str) -> KnownCulprit:
        """The culprit of a triaged finding, by its ``finding.json``."""
        blame = narrow(finding["compiler"], finding["blame"])
        return cls(_kind(finding, blame), cause, blame, tuple(finding["pattern"]))

    def may_account_for(self, finding: Mapping[str, Any]) -> bool:
        """Whether a trial without this culprit's parts can show that it is the cause of a finding.

        A failure must have the same error, and the program of a wrong result the culprit's pattern. Settings are too
        coarse for such a trial: bisection must try finer parts first.
        """
        kind = finding["kind"]
        if not self.blame or kind != self.kind or _only_settings(self.blame):
            return False
        return self._has_error_of(finding) if fails(kind) else self._is_in(finding)

    def accounts_for(self, finding: Mapping[str, Any]) -> bool:
        """Whether reduction and bisection of a finding show that this culprit is its cause.

        Its parts must equal one of the sets of parts that bisection found. A proper subset counts too: with the other
        parts switched off, the remaining ones alone still show the fault. A failure must have the same error, or the
        same parts and the culprit's pattern. A wrong result must have the pattern, and be wrong in the same way.
        """
        found = narrow(finding["compiler"], finding["blame"])
        if not self.blame or _only_settings(self.blame) or _kind(finding, found) != self.kind:
            return False
        sets = [{*found}, *({*names} for names in finding["bisection"].get("alternatives", ()))]
        if self._has_error_of(finding) if fails(self.kind) else self._is_in(finding) and self._is_wrong_as(finding):
            return any({*self.blame} <= names for names in sets)
        return fails(self.kind) and self._is_in(finding) and {*self.blame} in sets

    @property
    def evidence(self) -> str:
        """Why a finding is a duplicate if it vanishes without these parts, for a person."""
        shared = f"its program has {' '.join(self.pattern)}" if self.pattern else "it is of the same kind"
        shared = "the error is the same" if fails(self.kind) else shared
        return f"it vanishes without {' and '.join(self.blame)}, and {shared}"

    def _is_in(self, finding: Mapping[str, Any]) -> bool:
        return {*self.pattern} <= {*finding["pattern"]}

    def _has_error_of(self, finding: Mapping[str, Any]) -> bool:
        return self.cause == by_part(finding["signature"], self.blame)

    def _is_wrong_as(self, finding: Mapping[str, Any]) -> bool:
        """Whether the result of a finding is wrong in the same way; its failure may follow from any wrong value."""
        return fails(finding["kind"]) or not self.pattern or self.cause.endswith(_wrong(finding["wrong"]))


def fails(kind: str) -> bool:
    """Whether findings of a kind are failures of the compiler, which their error distinguishes."""
    return kind_of(kind).failure


def ends(kind: str) -> bool:
    """Whether findings of a kind are failures that come to an end."""
    return fails(kind) and not kind_of(kind).endless


def narrow(compiler: str, blame: Sequence[str]) -> tuple[str, ...]:
    """The parts to blame; none where one of them is a whole family of parts, or a switch for a whole code generator."""
    try:
        broad = compilers.find(compiler).broad
    except compilers.EnvironmentProblem:  # a plugin that is not here
        broad = ()
    return () if any(name in broad or is_family(name) for name in blame) else tuple(blame)


def pattern(graphs: Sequence[Graph], artifacts: Sequence[Artifact]) -> list[str]:
    """The operators of programs, each with the element types that it reads and makes, other than float32.

    A program without operators only has constants: then these are the functions that its text calls.
    """
    found = {_operator(graph, node) for graph in graphs for node in graph.nodes}
    if not found:
        types = {type.dtype for graph in graphs for type in graph.output_types}
        called = (name.strip("`").partition("(")[0] for artifact in artifacts for name in shown(artifact).operators)
        found = {_typed(name, types) for name in called}
    return [*sorted(found), *([IN_PLACE] if any(graph.updates for graph in graphs) else [])]


def _operator(graph: Graph, node: Node) -> str:
    return _typed(node.qualified, {graph.types[name].dtype for name in (*node.inputs, *node.outputs) if name})


def _typed(name: str, types: Collection[str]) -> str:
    rare = sorted({*types} - {"float32"})
    return f"{name}({' '.join(rare)})" if rare else name


def cause_of(record: FindingRecord, graphs: Mapping[str, Graph], blame: Sequence[str], *, follows: bool = False) -> str:
    """The cause of a bisected finding; ``graphs`` are its programs by label.

    A failure that ``follows`` from a wrong value has the cause of that value.
    """
    parts = narrow(record.compiler, blame)
    kind = WRONG if follows or (ends(record.kind) and _only_settings(parts)) else record.kind
    if _only_settings(parts):  # whatever lies in the wrong memory is wrong
        return by_part(kind, parts)
    if fails(kind):
        names = {element.partition("(")[0] for element in record.pattern}
        return by_part(record.signature, parts) if parts else strip_generated_names(record.signature, names)
    if not parts and (beside := _writing_elsewhere(record, graphs)):
        return f"{kind} beside {' '.join(beside)}"
    of = ", ".join([" ".join(record.pattern), *([] if parts else needed_forms(record))])
    return by_part(kind, parts) + OF + of + ("" if follows else _wrong(record.wrong))


def needed_forms(record: FindingRecord) -> list[str]:
    """The names of the forms that reduction cannot remove from the wrong program, such as ``through Min of one``."""
    chosen = record.choices.get(record.culprit or record.a, {}) if record.reduction.get("finished") else {}
    return sorted({name for subject in chosen if (name := name_in(subject))})


def by_part(fault: str, parts: Sequence[str]) -> str:
    """A fault, such as the error of a failure, with the parts of the compiler to blame."""
    return fault + (BY + " and ".join(sorted(parts)) if parts else "")


def _wrong(text: str) -> str:
    return f": {text}" if text else ""


def _kind(finding: Mapping[str, Any], parts: Sequence[str]) -> str:
    """The kind of the fault behind a finding.

    Settings do not change what is compiled, so a crash that depends only on settings counts as a wrong value. So does
    a failure that follows from one.
    """
    kind = str(finding["kind"])
    return WRONG if finding["bisection"].get("follows") or (ends(kind) and _only_settings(parts)) else kind


def _writing_elsewhere(record: FindingRecord, graphs: Mapping[str, Graph]) -> list[str]:
    """The operators that reduction could not remove although the wrong output does not depend on them.

    Such operators overwrite memory that is not theirs if the output is not wrong in every process. The operators that
    read this memory do not identify the fault.
    """
    wrong = [graphs[record.culprit]] if record.culprit in graphs else list(graphs.values())
    if record.kind != WRONG or len(wrong) != 1 or not record.reduction.get("finished") or record.repro_exit != 0:
        return []
    (graph,) = wrong
    if record.output >= len(graph.outputs) or graph.updates:
        return []
    needed = {node.outputs for node in prune(replace(graph, outputs=(graph.outputs[record.output],))).nodes}
    return sorted({node.qualified for node in graph.nodes if node.outputs not in needed})


def _only_settings(blame: Collection[str]) -> bool:
    return bool(blame) and all(name.startswith(SETTING) for name in blame)
