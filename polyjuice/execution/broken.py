"""Detect broken programs: programs that misspell the framework's functions or arguments.

The framework also runs each program uncompiled. If a line of the program then raises an AttributeError, NameError,
SyntaxError or TypeError, the program is wrong, and the compiler is not to blame. If Polyjuice wrote the program, that
is a defect of Polyjuice.
"""

from __future__ import annotations

import re

from polyjuice.execution.protocol import Artifact, Outcome
from polyjuice.frameworks import registry

_MISSPELT = re.compile(r"(AttributeError|NameError|UnboundLocalError|SyntaxError|IndentationError|TypeError): ")
"""The errors that Python raises for a misspelt program, as an outcome's message begins."""

_PROGRAM = 'File "<model>"'
"""How a traceback names the program's file (``_FILE`` in compilers/_source.py)."""

_ELEMENT_TYPE = re.compile(
    r"TypeError: (~ \(operator\.invert\) is only implemented on integer and Boolean-type tensors"
    r"|Input must be either real or complex\. Received integer type)"
)
"""The TypeErrors that Torch and TensorFlow raise for an element type that an operation does not take."""

_OF_A_RELEASE = re.compile(
    r"AttributeError: (module '[\w.]+'|'[\w.]*Tensor' object|'_OpNamespace' '\w+' object) has no attr"
    r"|TypeError: (\w+\(\) )?[gG]ot an unexpected keyword argument "
    r"|TypeError: [\w.]+\(\) (takes .* arguments?\b|received an invalid combination of arguments)"
    r"|TypeError: Too many arguments were given"
)
"""The errors of a framework release that lacks a function or an argument."""


class BrokenProgram(Exception):
    """Polyjuice wrote a misspelt program: a defect of Polyjuice. The message has the error and the program."""


def check(artifact: Artifact, outcome: Outcome, version: str) -> None:
    """Raise BrokenProgram if the outcome shows that the program, which Polyjuice wrote, is broken."""
    if is_broken(outcome, artifact.format, version):
        raise BrokenProgram(f"{outcome.message}\n{outcome.traceback}\nof the program\n{artifact.source!s}")


def is_broken(outcome: Outcome, format: str, version: str) -> bool:
    """Whether an outcome shows that its program is broken.

    ``version`` is the framework's release. If the format is written for another release, a missing function or argument
    is a difference between releases: the program is not broken.
    """
    if outcome.stage not in ("load", "eager") or _PROGRAM not in outcome.traceback or not misspelt(outcome.message):
        return False
    return version.partition("+")[0] == registry.find(format).written_for or not _OF_A_RELEASE.match(outcome.message)


def misspelt(message: str) -> bool:
    """Whether an error message, ``type: text``, shows a misspelt program, and not an unsupported element type."""
    return bool(_MISSPELT.match(message)) and not _ELEMENT_TYPE.match(message)
