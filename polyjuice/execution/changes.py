"""Changes of the compiler's conditions, for a program that is run once more: as texts, which verdicts store.

A text is the name of an optimization level, or one of these:

- ``without A, B``: parts of the compiler (`knobs` of its file) are switched off;
- ``after A, B``: passes of the compiler run first, in this order;
- ``on cpu``: the program runs on another device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_WITHOUT, _AFTER, _ON = "without ", "after ", "on "


def without(parts: Sequence[str]) -> str:
    """The change that switches parts off."""
    return _WITHOUT + ", ".join(parts)


def after(passes: Sequence[str]) -> str:
    """The change that runs passes first."""
    return _AFTER + ", ".join(passes)


def on(device: str) -> str:
    """The change to another device."""
    return _ON + device


def options(change: str) -> dict[str, Any]:
    """The options of a worker that make a change: one of `level`, `disable`, `first` and `device`; none for ""."""
    for prefix, option in ((_WITHOUT, "disable"), (_AFTER, "first")):
        if change.startswith(prefix):
            return {option: change.removeprefix(prefix).split(", ")}
    if change.startswith(_ON):
        return {"device": change.removeprefix(_ON)}
    return {"level": change} if change else {}


def is_level(change: str) -> bool:
    """Whether a change is at most that of the optimization level."""
    return options(change).keys() <= {"level"}
