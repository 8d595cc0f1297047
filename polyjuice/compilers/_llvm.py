"""LLVM's passes, for compilers that use LLVM: switch them off by name, and read from its log which were.

`llvm *` is a family of knobs: in `llvm instcombine`, the second word is LLVM's own name of a pass. LLVM can skip any
pass, even instruction selection and register allocation, which then do the minimum for correct code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FAMILY = "llvm *"

_PREFIX = FAMILY[:-1]
_LEFT_OUT = re.compile(r"^BISECT: NOT running pass \(\d+\) ([\w -]+) on ", re.MULTILINE)


def is_member(name: str) -> bool:
    """Whether a name is the family or one of its passes."""
    return name.startswith(_PREFIX)


def options(disabled: Iterable[str]) -> list[str]:
    """LLVM's options, without dashes, that skip these passes and log it."""
    disabled = list(disabled)
    names = [name[len(_PREFIX) :] for name in disabled if is_member(name)]
    if FAMILY in disabled:
        return ["opt-bisect-limit=0"]
    return [f"opt-disable={','.join(names)}"] if names else []


def left_out(log: str) -> list[str]:
    """The skipped passes in a log, without duplicates, as traces name them.

    Bisection switches off the family first and learns its members from this log: most programs need no such log.
    """
    return [f"without {_PREFIX}{name}" for name in dict.fromkeys(_LEFT_OUT.findall(log))]
