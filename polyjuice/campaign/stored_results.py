"""Read the results of finished cases back from a campaign's database, as far as the log shows them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice.campaign.runner import CaseResult
from polyjuice.stored_files import mismatch
from polyjuice.triage import FindingRecord

POSTPONED = "postponed"
"""The kind of the note on a case whose verdict still waits for confirmation."""

_JSON: Mapping[str, tuple[str, Any]] = {
    "cases": ("seconds", Mapping[str, float]),
    "findings": ("record", Mapping[str, Any]),
    "triaged": ("record", Mapping[str, Any] | None),
    "sorted": ("blame", Sequence[str]),
    "culprits": ("blame", Sequence[str]),
}
"""The column of each table that has JSON values, and their type."""

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


def check(db: sqlite3.Connection) -> None:
    """Raise ValueError where the database has another JSON value than a campaign stores."""
    for table, (column, hint) in _JSON.items():
        for (text,) in db.execute(f"SELECT {column} FROM {table}"):
            if problem := mismatch(None if text is None else json.loads(text), hint, f"{table}.{column}"):
                raise ValueError(problem)
