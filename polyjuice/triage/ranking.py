"""The order in which people see findings: in a summary, on a page, in ``findings/``, and in triage.

A wrong value that needs no tolerance comes before one that does, silent before failing, usual before unusual, small
before large, and new before known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from polyjuice.compilers import EnvironmentProblem
from polyjuice.ir import dtypes
from polyjuice.oracles import kind_of

_ROUNDED = ("bounded", "uncompiled")
"""The comparisons of verdicts that need an error bound, unless it is 0."""

_OPEN = {"allowed": ""}
"""An element whose allowed difference is not known."""

_USUAL = {"float32", "float16", "bfloat16", "int64", "int32", "bool"}
"""The element types that are common in models."""

Rank = tuple[bool, bool, int, int, int, bool, int, str]


def rank(finding: Mapping[str, Any]) -> Rank:
    """The sort key of a finding by its ``finding.json``: the one to look at first has the least.

    Its first parts say whether the oracle is absent, whether its values are not exactly wrong, and how loud it is: a
    wrong value, another silent fault, or a failure. Then come the numbers of unusual conditions and of operators,
    whether the bug is known, and the place in the campaign.
    """
    try:
        kind = kind_of(finding["kind"])
    except EnvironmentProblem:
        return True, True, 2, 0, 0, False, finding["index"], finding["folder"]
    rounded = finding["comparison"] in _ROUNDED and any(row["allowed"] != "0" for row in finding["values"] or [_OPEN])
    inexact = not kind.values or kind.by_chance or rounded
    loud = 2 if kind.failure else 0 if kind.values else 1
    operators = sum(finding["operators"].values())
    place = finding["index"], finding["folder"]
    return False, inexact, loud, _unusual(finding), operators, bool(finding.get("known")), *place


def _unusual(finding: Mapping[str, Any]) -> int:
    """How many conditions the finding needs that few models have: types, special values (two), levels, forms."""
    types = {word for element in finding["pattern"] for word in re.findall(r"\w+", element)} & {*dtypes.ALL}
    special = re.search("NaN|infinity|sign", finding["wrong"])
    forms = any(finding["choices"].get(finding["culprit"] or finding["a"], {}).values())
    level = finding["level"] or finding["conditions"].get("level")
    return bool(types - _USUAL) + 2 * bool(special) + bool(level) + forms
