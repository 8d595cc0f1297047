"""The tables of a campaign's database, and the types of what they have as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice.stored_files import mismatch

_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
    "index" INTEGER PRIMARY KEY,
    pairs INTEGER NOT NULL,
    skipped TEXT NOT NULL,
    seconds TEXT NOT NULL,
    programs INTEGER NOT NULL DEFAULT 0,
    packs INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS findings (
    folder TEXT PRIMARY KEY,
    "index" INTEGER NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    record TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS triaged (
    folder TEXT PRIMARY KEY,
    cause TEXT NOT NULL,
    record TEXT
);
CREATE TABLE IF NOT EXISTS sorted (
    folder TEXT PRIMARY KEY,
    grouped TEXT NOT NULL,
    alike INTEGER NOT NULL,
    blame TEXT NOT NULL,
    culprits INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS rules (name TEXT PRIMARY KEY, cases INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS covered (
    operator TEXT, dtype TEXT, factor TEXT, level TEXT, "index" INTEGER,
    PRIMARY KEY (operator, dtype, factor, level)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS culprits (number INTEGER PRIMARY KEY, kind TEXT, cause TEXT, blame TEXT);
CREATE TABLE IF NOT EXISTS notes ("index" INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
"""

_JSON: Mapping[str, tuple[str, Any]] = {
    "cases": ("seconds", Mapping[str, float]),
    "findings": ("record", Mapping[str, Any]),
    "triaged": ("record", Mapping[str, Any] | None),
    "sorted": ("blame", Sequence[str]),
    "culprits": ("blame", Sequence[str]),
}
"""The column of each table that has JSON values, and their type."""


def complete(db: sqlite3.Connection) -> None:
    """Make the tables that a database lacks, and the columns that a campaign of an earlier version lacks.

    The old cases count no programs, and have covered nothing.
    """
    db.executescript(_TABLES)
    for name in {"programs", "packs"} - _columns(db, "cases"):
        db.execute(f"ALTER TABLE cases ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0")
    if "index" not in _columns(db, "covered"):
        db.execute('ALTER TABLE covered ADD COLUMN "index" INTEGER')


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")}


def check(db: sqlite3.Connection) -> None:
    """Raise ValueError where the database has another JSON value than a campaign stores."""
    for table, (column, hint) in _JSON.items():
        for (text,) in db.execute(f"SELECT {column} FROM {table}"):
            if problem := mismatch(None if text is None else json.loads(text), hint, f"{table}.{column}"):
                raise ValueError(problem)
