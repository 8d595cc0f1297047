"""The order in which people see findings."""

from __future__ import annotations

from typing import Any

from polyjuice.triage.ranking import rank
from tests.support.findings import finding

BEST: dict[str, Any] = {
    "kind": "mismatch", "comparison": "bitwise", "pattern": ("aten.amin",), "wrong": "wrong values", "level": "",
    "choices": {}, "operators": {"original": 1}, "known": "", "a": "original", "b": "", "culprit": "original",
    "conditions": {"level": ""}, "index": 5, "folder": "000005-0-mismatch",
}  # fmt: skip

VALUE = {"at": [0], "compiled": {}, "uncompiled": {}, "float64": "1"}

WORSE: list[dict[str, Any]] = [
    BEST,
    BEST | {"index": 6, "comparison": "bounded", "values": [{**VALUE, "allowed": "0"}]},
    BEST | {"known": "https://bug"},
    BEST | {"operators": {"original": 2}},
    BEST | {"pattern": ("aten.amin(int8)",)},
    BEST | {"pattern": ("aten.amin(int8)",), "wrong": "a number instead of NaN"},
    BEST | {"comparison": "bounded", "values": [{**VALUE, "allowed": "0.1"}]},
    BEST | {"kind": "alias", "oracle": "alias", "comparison": "lost"},
    BEST | {"kind": "crash", "comparison": ""},
    BEST | {"kind": "of a package that is not here"},
]
"""Findings, the one to look at first before the others."""


def test_exact_silent_usual_small_and_new_findings_come_first() -> None:
    records = [vars(finding(**fields)) for fields in WORSE]
    assert sorted([*reversed(records)], key=rank) == records
