"""Read the results of finished cases back from a campaign's database, as far as the log shows them."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from polyjuice.campaign.runner import CaseResult
from polyjuice.triage import FindingRecord

POSTPONED = "postponed"
"""The kind of the note on a case whose verdict still waits for confirmation."""

LISTED = ("known", "flaky", "again", "unsound", "disturbed")
"""The kinds of notes that a result has as lists of the same name."""


def read(db: sqlite3.Connection) -> list[CaseResult]:
    """The finished cases by index, with what the log says about them."""
    notes: dict[tuple[int, str], list[str]] = {}
    for index, kind, text in db.execute('SELECT "index", kind, text FROM notes'):
        notes.setdefault((index, kind), []).append(text)
    for index, text in db.execute('SELECT "index", record FROM findings'):
        notes.setdefault((index, "finding"), []).append(text)

    def result(index: int, pairs: int, skipped: str, seconds: str) -> CaseResult:
        listed: dict[str, Any] = {kind: notes.get((index, kind), ()) for kind in LISTED}
        single: dict[str, Any] = {kind: "".join(notes.get((index, kind), ())) for kind in ("accepted", "defect")}
        return CaseResult(
            index=index,
            pairs=pairs,
            skipped=skipped,
            findings=[FindingRecord(**json.loads(text)) for text in notes.get((index, "finding"), ())],
            postponed=[index] if (index, POSTPONED) in notes else (),
            seconds=json.loads(seconds),
            **listed,
            **single,
        )

    rows = db.execute('SELECT "index", pairs, skipped, seconds FROM cases ORDER BY "index"').fetchall()
    return [result(*row) for row in rows]
