"""Oracles: each judges the executed variants of one seed graph. One file each, found by name here."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.oracles import crash, metamorphic
from polyjuice.oracles.case import Case, Oracle, Tested, Verdict

ORACLES: Mapping[str, Oracle] = {"metamorphic": metamorphic.judge, "crash": crash.judge}
"""All oracles by name."""

__all__ = ["ORACLES", "Case", "Oracle", "Tested", "Verdict"]
