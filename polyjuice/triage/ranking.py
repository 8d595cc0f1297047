"""The order in which people see findings: in a summary, on a page, in ``findings/``, and in triage.

A wrong value that needs no tolerance comes before one that does, silent before failing, usual before unusual, small
before large, and new before known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from polyjuice.compilers import EnvironmentProblem
from polyjuice.ir import dtypes
from polyjuice.oracles import kind_of

_ROUNDED = ("bounded", "uncompiled")
"""The comparisons of verdicts that need an error bound, unless it is 0."""

_OPEN = {"allowed": ""}
"""An element whose allowed difference is not known."""

_USUAL = {"float32", "float16", "bfloat16", "int64", "int32", "bool"}
"""The element types that are common in models."""


class Rank(NamedTuple):
    """The sort key of a finding: the one to look at first has the least."""

    oracle_is_absent: bool
    inexact: bool
    loudness: int
    """0 is a wrong value, 1 another silent fault, 2 a failure."""

    unusual: int
    """The number of conditions that few models have."""

    operators: int
    known: bool
    case: int
    name: str

    @property
    def is_exact_value(self) -> bool:
        """Whether the finding is a wrong value that needs no tolerance: what people want to see first."""
        return (self.oracle_is_absent, self.inexact, self.loudness) == (False, False, 0)


def rank(finding: Mapping[str, Any]) -> Rank:
    """The rank of a finding by its ``finding.json``."""
    try:
        kind = kind_of(finding["kind"])
    except EnvironmentProblem:
        return Rank(True, True, 2, 0, 0, False, finding["index"], finding["folder"])
    rounded = finding["comparison"] in _ROUNDED and any(row["allowed"] != "0" for row in finding["values"] or [_OPEN])
    inexact = not kind.values or kind.by_chance or rounded
    loud = 2 if kind.failure else 0 if kind.values else 1
    operators = sum(finding["operators"].values())
    known = bool(finding.get("known"))
    return Rank(False, inexact, loud, _unusual(finding), operators, known, finding["index"], finding["folder"])


def _unusual(finding: Mapping[str, Any]) -> int:
    """How many conditions the finding needs that few models have: types, special values (two), levels, forms."""
    types = {word for element in finding["pattern"] for word in re.findall(r"\w+", element)} & {*dtypes.ALL}
    special = re.search("NaN|infinity|sign", finding["wrong"])
    forms = any(finding["choices"].get(finding["culprit"] or finding["a"], {}).values())
    level = finding["level"] or finding["conditions"].get("level")
    return bool(types - _USUAL) + 2 * bool(special) + bool(level) + forms
