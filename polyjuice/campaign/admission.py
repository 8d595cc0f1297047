"""Which findings of a campaign's processes are reported: as many as one process alone would report.

Each process leaves out the duplicates of its own findings, which saves the time to confirm them. Here those of all
processes are counted together, so that the numbers do not depend on how many processes there are.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from polyjuice.campaign import schedule
from polyjuice.campaign.runner import CaseResult
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage import FindingRecord
from polyjuice.triage.causes import fails


class Admission:
    """Counts the findings of a campaign by signature, and by known bug."""

    def __init__(self, raw: Path, before: Iterable[FindingRecord] = ()) -> None:
        """``raw`` has the findings' folders; ``before`` are those of earlier runs."""
        self._raw = raw
        self._signatures: Counter[str] = Counter()
        self._known: set[str] = set()
        for finding in before:
            self._count(finding)

    def admitted(self, result: CaseResult) -> CaseResult:
        """Return a result without the findings that repeat others, whose folders are removed."""
        findings, known, duplicates = [], [*result.known], [*result.duplicates]
        for finding in result.findings:
            if finding.known in self._known:
                known.append(finding.known)
            elif self._is_reported(finding):
                duplicates.append(finding.signature)
            else:
                findings.append(finding)
                self._count(finding)
                continue
            shutil.rmtree(self._raw / finding.folder, ignore_errors=True)
        return replace(result, findings=findings, known=known, duplicates=duplicates)

    def _count(self, finding: FindingRecord) -> None:
        self._signatures[finding.signature] += 1
        if finding.known:
            self._known.add(finding.known)

    def _is_reported(self, finding: FindingRecord) -> bool:
        of_one_operator = sum(finding.operators.values()) == 1 and finding.comparison in ("uncompiled", ZEROS)
        return schedule.is_reported(
            self._signatures[finding.signature], identified=of_one_operator, failure=fails(finding.kind)
        )
