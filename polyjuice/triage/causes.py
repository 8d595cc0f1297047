"""What findings with one cause share, as a text: the part of the compiler to blame, as far as bisection names one.

With it, a failure's has its error (see the crash oracle); another finding's, without one, what is left of the wrong
program: its operators, and the types of 8 and 4 bits, whose conversions have faults of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.ir import Graph, dtypes
from polyjuice.oracles.comparison import operators
from polyjuice.triage.record import FindingRecord

FAILURES = ("crash", "hang")
"""The kinds that an error tells apart."""

BY = " by "
"""Stands between an error or a kind of finding and the parts of the compiler to blame."""


def by_part(kind: str, signature: str, blame: Sequence[str]) -> str:
    """The cause of findings for which parts of the compiler are to blame."""
    return (signature if kind in FAILURES else kind) + BY + " and ".join(sorted(blame))


def cause_of(record: FindingRecord, graphs: Mapping[str, Graph], blame: Sequence[str]) -> str:
    """The cause of a finding that has been bisected; ``graphs`` are its programs by label."""
    if blame:
        return by_part(record.kind, record.signature, blame)
    if record.kind in FAILURES:
        return record.signature
    wrong = [graphs[record.culprit]] if record.culprit in graphs else list(graphs.values())
    narrow = sorted({t.dtype for graph in wrong for t in graph.types.values()}.intersection(dtypes.NARROW))
    stored = f" with {' and '.join(narrow)}" if narrow else ""
    return f"{record.kind} of {' '.join(sorted({name for graph in wrong for name in operators(graph)}))}{stored}"
