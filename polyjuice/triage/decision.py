"""What decided a verdict on values: how results were compared, and which masks left elements out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypedDict

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.numerics.masks import MASKS, masks
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles.uncompiled import silent
from polyjuice.oracles.zeros import ZEROS

BY = {
    "bitwise": "bitwise equality: the operators are exact on these integers, so no tolerance applies",
    "bounded": "the error bound (error, ulps), and the uncompiled run, which lies nearer to float64",
    "uncompiled": "the uncompiled run, within a multiple of its own error: the interpreter leaves these elements open",
    ZEROS: "the sign of zeros, on which the uncompiled run and float64 agree",
}
"""What decides, by how a verdict compares results."""


class Masked(TypedDict):
    """A mask, the operator that brings it, and the number of elements of that operator's result."""

    mask: str
    operator: str
    elements: int


class Decision(TypedDict, total=False):
    """What decided a verdict on the elements of an output, of which ``left_out`` were not compared.

    ``uncompiled`` says why the uncompiled run did not decide these elements.
    """

    by: str
    elements: int
    left_out: int
    masks: Sequence[Masked]
    uncompiled: str


def decision(case: Case, verdict: Verdict, compiler: CompilerInfo) -> Decision:
    """What decided a verdict; empty where it is not about the elements of the case's own results."""
    if verdict.comparison not in BY or not find_oracle(verdict.oracle).of_case:
        return {}
    i, k = verdict.inputs, verdict.output
    sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
    left_out = np.logical_or.reduce([~np.isfinite(side.analyses[i][k].bound) for side in sides])
    found: Counter[tuple[str, str]] = Counter()
    for side in sides:
        found |= masks(side.graph, case.inputs[i], k, case.sets[i].mode)
    decided = verdict.comparison in ("uncompiled", ZEROS) or not left_out.any()
    return {
        "by": BY[verdict.comparison],
        "elements": left_out.size,
        "left_out": int(left_out.sum()),
        "masks": [Masked(mask=mask, operator=name, elements=n) for (mask, name), n in found.most_common()],
        "uncompiled": "" if decided else silent(case, sides[0], i, k, compiler),
    }


def in_words(found: Decision) -> Iterator[str]:
    """A decision in sentences."""
    if not found:
        yield "No error bound and no mask decided this finding."
        return
    yield f"Decided by {found['by']}."
    if found["left_out"]:
        yield f"The error bounds leave {found['left_out']} of {found['elements']} elements open."
    for one in found["masks"]:
        yield f"{one['mask']}: {one['elements']} elements of {one['operator']} ({MASKS[one['mask']]})."
    if found["uncompiled"]:
        yield f"The uncompiled run does not decide them: {found['uncompiled']}."
