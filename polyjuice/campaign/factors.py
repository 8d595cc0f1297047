"""The factors of a case beside its graph: the layout and the distribution of its first input, and its setting.

The due level of each factor follows from the case's due operator (see :mod:`polyjuice.generate.due`). The usual level
is listed more than once, so that it is due more often.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice import program_formats
from polyjuice.generate.due import Due
from polyjuice.inputs import DISTRIBUTIONS
from polyjuice.lower import NOTHING, Wanted


def settings(format: str) -> tuple[str, ...]:
    """Return the settings of programs in a format, the plain one first. An ONNX model has its opset instead."""
    known = program_formats.find(format).settings
    return tuple(known.load()) if known else ()


def layouts(format: str) -> tuple[str, ...]:
    """Return the layouts of inputs in a format, the usual one first; none where there is no choice."""
    known = program_formats.find(format).layouts
    return tuple(known.load()) if known else ()


def versions(format: str, domain: str, op: str, dtype: str) -> Mapping[int, Sequence[int]] | None:
    """Return the versions of an operator that take an element type first, and the format's versions that have each.

    Returns None if the format has no versions.
    """
    known = program_formats.find(format).versions
    return None if known is None else {} if domain else known.load()(op, dtype)


_USUAL = 3
"""Extra entries of the usual layout, beside one for each layout.

Other inputs have the first input's layout half of the time."""

_MIXED = 2
"""Extra entries of the distribution "mixed", beside one for each distribution."""


@dataclass(frozen=True)
class Levels:
    """The due levels of a case's factors. A factor without a due level is drawn at random."""

    wanted: Wanted = NOTHING
    distribution: str = ""


NOTHING_DUE = Levels()


def levels(due: Due | None, format: str, pack: str = "") -> Levels:
    """Return the levels that are due in a case with programs in a format.

    The cases of one ``pack`` share one setting, which is drawn for the pack.
    """
    if due is None:
        return NOTHING_DUE
    distribution = due.level("distribution", [*["mixed"] * _MIXED, *DISTRIBUTIONS])
    return Levels(Wanted(_layout(due, format), _setting(due, format, pack), _opset(due, format)), distribution)


def _layout(due: Due, format: str) -> str:
    known = layouts(format)
    return due.level("layout", [*known[:1] * _USUAL, *known]) if known else ""


def _setting(due: Due, format: str, pack: str) -> str:
    """Return the due setting: half of the programs have the plain one."""
    if not (known := settings(format)):
        return ""
    plain, *others = known
    options = [*[plain] * len(others), *others]
    return random.Random(f"setting of pack {pack}").choice(options) if pack else due.level("setting", options)


def _opset(due: Due, format: str) -> int:
    """Return an opset with the due version of the operator; 0, for a random opset, in half of the cases."""
    known = versions(format, due.op.domain, due.op.name, due.dtype)
    if not known:
        return 0
    version = due.level("setting", [*[0] * len(known), *known])
    return due.level(f"opset of {version}", known[version]) if version else 0
