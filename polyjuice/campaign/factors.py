"""The factors of a case beside its graph: the layout and the distribution of its first input, and its setting.

The due level of each factor follows from the case's due operator (see :mod:`polyjuice.generate.due`). The usual level
is listed more than once, so that it is due more often.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from polyjuice import program_formats
from polyjuice.generate.due import Due
from polyjuice.inputs import DISTRIBUTIONS
from polyjuice.lower import NOTHING, Wanted, onnx_opsets, torch_source


def settings(format: str) -> tuple[str, ...]:
    """Return the settings of programs in a format, the plain one first. An ONNX model has its opset instead."""
    known = program_formats.find(format).settings
    return tuple(known.load()) if known else ()


_CONTIGUOUS = 3
"""Extra entries of the contiguous layout, beside one for each layout.

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
    if format != "torch":
        return ""
    return due.level("layout", [*[torch_source.CONTIGUOUS] * _CONTIGUOUS, *torch_source.LAYOUTS])


def _setting(due: Due, format: str, pack: str) -> str:
    """Return the due setting: half of the programs have the plain one."""
    if not (known := settings(format)):
        return ""
    plain, *others = known
    options = [*[plain] * len(others), *others]
    return random.Random(f"setting of pack {pack}").choice(options) if pack else due.level("setting", options)


def _opset(due: Due, format: str) -> int:
    """Return an opset with the due version of the operator; 0, for a random opset, in half of the cases."""
    versions = onnx_opsets.versions(due.op.name, due.dtype) if format == "onnx" and not due.op.domain else {}
    if not versions:
        return 0
    version = due.level("setting", [*[0] * len(versions), *versions])
    return due.level(f"opset of {version}", versions[version]) if version else 0
