"""The tables of a campaign's database, and the types of what they have as JSON."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice.stored_files import FORM, mismatch, this_version

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cases (
    "index" INTEGER PRIMARY KEY,
    pairs INTEGER NOT NULL,
    skipped TEXT NOT NULL,
    seconds TEXT NOT NULL,
    programs INTEGER NOT NULL,
    packs INTEGER NOT NULL
);
CREATE TABLE findings (
    folder TEXT PRIMARY KEY,
    "index" INTEGER NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    record TEXT NOT NULL
);
CREATE TABLE triaged (
    folder TEXT PRIMARY KEY,
    cause TEXT NOT NULL,
    record TEXT,
    why TEXT NOT NULL
);
CREATE TABLE sorted (
    folder TEXT PRIMARY KEY,
    grouped TEXT NOT NULL,
    alike INTEGER NOT NULL,
    culprits INTEGER NOT NULL
);
CREATE TABLE rules (name TEXT PRIMARY KEY, cases INTEGER NOT NULL);
CREATE TABLE covered (
    operator TEXT, dtype TEXT, factor TEXT, level TEXT, "index" INTEGER,
    PRIMARY KEY (operator, dtype, factor, level)
) WITHOUT ROWID;
CREATE TABLE culprits (number INTEGER PRIMARY KEY, kind TEXT, cause TEXT, blame TEXT, pattern TEXT);
CREATE TABLE notes ("index" INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
"""

_JSON: Mapping[str, tuple[str, Any]] = {
    "cases": ("seconds", Mapping[str, float]),
    "findings": ("record", Mapping[str, Any]),
    "triaged": ("record", Mapping[str, Any] | None),
    "culprits": ("blame", Sequence[str]),
}
"""The column of each table that has JSON values, and their type."""


def create(db: sqlite3.Connection) -> None:
    """Make the tables of a new campaign, and say which version made them."""
    db.executescript(_TABLES)
    stamp = {"form": str(FORM), "polyjuice": this_version()}
    db.executemany("INSERT INTO meta VALUES (?, ?)", stamp.items())


def check(db: sqlite3.Connection) -> None:
    """Raise ValueError where the database has another JSON value than a campaign stores."""
    for table, (column, hint) in _JSON.items():
        for (text,) in db.execute(f"SELECT {column} FROM {table}"):
            if problem := mismatch(None if text is None else json.loads(text), hint, f"{table}.{column}"):
                raise ValueError(problem)
