"""Passes of LLVM, for the compilers that generate code with it: left out by name, and told from its log.

`llvm *` is a family of knobs: `llvm instcombine` is LLVM's own name of a pass. LLVM lets each of them be left out, also
those that select instructions and allocate registers, which then do the least that is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

FAMILY = "llvm *"

_PREFIX = FAMILY[:-1]
_LEFT_OUT = re.compile(r"^BISECT: NOT running pass \(\d+\) ([\w -]+) on ", re.MULTILINE)


def is_member(name: str) -> bool:
    """Whether a name is that of the family, or of a pass."""
    return name.startswith(_PREFIX)


def options(disabled: Iterable[str]) -> list[str]:
    """LLVM's options, without dashes, that leave out what is named, and log that."""
    disabled = list(disabled)
    names = [name[len(_PREFIX) :] for name in disabled if is_member(name)]
    if FAMILY in disabled:
        return ["opt-bisect-limit=0"]
    return [f"opt-disable={','.join(names)}"] if names else []


def left_out(log: str) -> list[str]:
    """The passes that a log says were not run, each once, as traces name them.

    Bisection switches off the family first, and so learns of its members: most programs need no such log.
    """
    return [f"without {_PREFIX}{name}" for name in dict.fromkeys(_LEFT_OUT.findall(log))]
