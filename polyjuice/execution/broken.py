"""Whether a program is broken: misspelt, where a framework would have to support nothing but what it documents.

A framework runs each program uncompiled. An AttributeError, a NameError, a SyntaxError or a TypeError out of the
program's own lines then says that the program is wrong, whatever the compiler would make of it. Where Polyjuice wrote
the program, that is a defect of Polyjuice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from polyjuice.execution.protocol import Artifact, Outcome

WRITTEN_FOR: Mapping[str, str] = {"torch": "2.13.0", "tensorflow": "2.21.0"}
"""The release of each format's framework in which every spelling has been run (constraints.txt has the same)."""

_MISSPELT = re.compile(r"(AttributeError|NameError|UnboundLocalError|SyntaxError|IndentationError|TypeError): ")
"""What Python raises of a misspelt program; the message of an outcome begins so."""

_PROGRAM = 'File "<model>"'
"""How a traceback shows a line of the program (``_FILE`` in compilers/_torch.py and compilers/_tensorflow.py)."""

_ELEMENT_TYPE = re.compile(
    r"TypeError: (~ \(operator\.invert\) is only implemented on integer and Boolean-type tensors"
    r"|Input must be either real or complex\. Received integer type)"
)
"""What Torch and TensorFlow raise of an element type that an operation does not take."""

_OF_A_RELEASE = re.compile(
    r"AttributeError: (module '(torch|tensorflow)[\w.]*'|'[\w.]*Tensor' object|'_OpNamespace' '\w+' object) has no attr"
    r"|TypeError: (\w+\(\) )?[gG]ot an unexpected keyword argument "
    r"|TypeError: [\w.]+\(\) (takes .* arguments?\b|received an invalid combination of arguments)"
    r"|TypeError: Too many arguments were given"
)
"""What a release raises that lacks a function, or one of its arguments."""


class BrokenProgram(Exception):
    """Polyjuice wrote a program that is misspelt: a defect of Polyjuice. The message has the error and the program."""


def check(artifact: Artifact, outcome: Outcome, version: str) -> None:
    """Raise BrokenProgram where the outcome of a program that Polyjuice wrote shows that it is broken."""
    if is_broken(outcome, artifact.format, version):
        raise BrokenProgram(f"{outcome.message}\n{outcome.traceback}\nof the program\n{artifact.source!s}")


def is_broken(outcome: Outcome, format: str, version: str) -> bool:
    """Whether an outcome shows that its program, in a format, is broken.

    ``version`` is the framework's. In another release than that of WRITTEN_FOR, a function or an argument that is
    missing is a difference between releases, and no fault of the program.
    """
    if outcome.stage not in ("load", "eager") or _PROGRAM not in outcome.traceback or not misspelt(outcome.message):
        return False
    return version.partition("+")[0] == WRITTEN_FOR.get(format) or not _OF_A_RELEASE.match(outcome.message)


def misspelt(message: str) -> bool:
    """Whether an error, ``type: text``, says that a program is misspelt, and that no element type is to blame."""
    return bool(_MISSPELT.match(message)) and not _ELEMENT_TYPE.match(message)
