"""A stored finding, and records that differ from its record."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from polyjuice.triage import FindingRecord
from polyjuice.triage.stored import load

FINDING = Path(__file__).parents[1] / "findings/split-uneven"


@cache
def _stored() -> FindingRecord:
    return load(FINDING).record


def finding(**changes: Any) -> FindingRecord:
    return replace(_stored(), **changes)


def named(name: str, kind: str = "mismatch", index: int = 0) -> FindingRecord:
    """A finding of a campaign on the numpy control, with its own signature and folder."""
    bare = {"pattern": (), "wrong": "", "bisection": {}, "reduction": {}, "blame": (), "culprit": "", "rules": ()}
    own = {"compiler": "numpy", "versions": {"numpy": "1", "python": "3"}, "signature": name, "folder": name}
    return finding(kind=kind, index=index, oracle="metamorphic", a="min", b="max", **bare, **own)
