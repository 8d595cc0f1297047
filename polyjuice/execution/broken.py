"""Whether a program is broken as it is written, or merely nothing that its framework supports.

The framework runs each program uncompiled. Where that raises an AttributeError, a NameError, a SyntaxError or a
TypeError out of the program's own lines, the program is wrong, whoever compiles it. Where Polyjuice wrote the program,
that is a defect of Polyjuice.
"""

from __future__ import annotations

import re

from polyjuice.execution.protocol import Outcome

_EXCEPTIONS = re.compile(r"(AttributeError|NameError|UnboundLocalError|SyntaxError|IndentationError|TypeError): ")
"""What Python raises where a program misspells something; the message of an outcome begins so."""

_PROGRAM = 'File "<model>"'
"""How a traceback shows a line of the program (see ``_FILE`` in compilers/_torch.py and compilers/_tensorflow.py)."""

_ELEMENT_TYPE = re.compile(r"TypeError: Value passed to parameter '\w+' has DataType \w+ not in list of allowed values")
"""What frameworks raise in those exceptions of an element type that they do not take."""

_NAME_OF_FRAMEWORK = re.compile(
    r"AttributeError: (module '(torch|tensorflow|keras)[\w.]*'|'\w*Tensor' object) has no attribute "
    r"|TypeError: \w+\(\) got an unexpected keyword argument "
    r"|TypeError: \w+\(\)?:? .*(received an invalid combination of arguments|takes .* positional arguments?)"
)
"""What another release may say of a program that is right in the release for which it was written."""


def is_broken(outcome: Outcome, same_release: bool) -> bool:
    """Whether the outcome shows that its program is broken.

    ``same_release`` says whether the framework is of the release that Polyjuice writes for. An older or a newer one
    may lack a function or an argument; the program is then unsupported there.
    """
    if outcome.stage not in ("load", "eager") or _PROGRAM not in outcome.traceback:
        return False
    return misspelt(outcome.message) and (same_release or not _NAME_OF_FRAMEWORK.match(outcome.message))


def misspelt(message: str) -> bool:
    """Whether an error, ``type: text``, says that the program is misspelt, and no element type is to blame."""
    return bool(_EXCEPTIONS.match(message)) and not _ELEMENT_TYPE.match(message)
