"""The factors of a case beside its graph: how its first input lies in memory and is distributed, and its setting.

The levels of each that are due follow from what is due in the case (see :mod:`polyjuice.generate.due`). A level that
stands for what is usual is listed more than once, so that it is due more often.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.generate.due import Due
from polyjuice.inputs import DISTRIBUTIONS
from polyjuice.lower import NOTHING, Wanted, onnx_opsets, tensorflow_source, torch_source

SETTINGS: Mapping[str, Sequence[str]] = {
    "torch": tuple(torch_source.SETTINGS),
    "tensorflow": tuple(tensorflow_source.SETTINGS),
}
"""The settings of programs in each format; that of an ONNX model is its opset. The first one is the plain one."""

_CONTIGUOUS = 3
"""How often more an input is contiguous than it has each other layout; another input is so half of the time."""

_MIXED = 2
"""How often more the values of an input are mixed than in each other distribution."""


@dataclass(frozen=True)
class Levels:
    """What a case is to have beside its graph; what is not due is drawn as usual."""

    wanted: Wanted = NOTHING
    distribution: str = ""


NOTHING_DUE = Levels()


def levels(due: Due | None, format: str, pack: str = "") -> Levels:
    """The levels that are due in a case whose programs are of a format.

    Cases of one ``pack`` have one setting, which is drawn for the pack.
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
    """The setting: half of the programs are plain."""
    if format not in SETTINGS:
        return ""
    plain, *others = SETTINGS[format]
    options = [*[plain] * len(others), *others]
    return random.Random(f"setting of pack {pack}").choice(options) if pack else due.level("setting", options)


def _opset(due: Due, format: str) -> int:
    """An opset of the version of the operator that is due; in half of the cases it is left to chance."""
    versions = onnx_opsets.versions(due.op.name, due.dtype) if format == "onnx" and not due.op.domain else {}
    if not versions:
        return 0
    version = due.level("setting", [*[0] * len(versions), *versions])
    return due.level(f"opset of {version}", versions[version]) if version else 0
